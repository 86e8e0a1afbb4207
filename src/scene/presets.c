#include "scene/presets.h"

typedef struct preset
{
	double density, viscosity, tension;
	uint32_t color;
} preset;

static const preset presets[PRESET_COUNT] = {
#define X(name, celsius, density, viscosity, tension, color, text) {density, viscosity, tension, color},
    PRESET_MAP(X)
#undef X
};

void color_from_hex(double color[3], uint32_t hex)
{
	for (int i = 0; i < 3; i++)
		color[i] = (double)(hex >> (16 - 8 * i) & 0xff) / 255.0;
}

void preset_apply(preset_id id, spate_fluid_def *fluid)
{
	const preset *p = &presets[id];
	fluid->density = p->density;
	fluid->viscosity = p->viscosity / p->density;
	fluid->surface_tension = p->tension;
	color_from_hex(fluid->color, p->color);
}
