// Values of fluids that look as if they were meant in another unit.
#include "scene/buffer.h"
#include "scene/check.h"
#include "scene/presets.h"
#include "scene/read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Liquids have less tension than this but for molten metals and salts: mercury has 0.49 N/m, iron 1.9. From here on it is most likely mN/m.
#define MOST_MELT 2.0
// 10,000 Pa s at the density of water, as of putty.
#define MOST_VISCOSITY 10.0
// Values of a liquid differ by up to this factor between sources.
#define SAME 1.5

// Properties of a liquid that has a preset.
typedef struct known_liquid
{
	const char *name;
	double density, dynamic; // kg/m^3, Pa s
} known_liquid;

// By its preset, or else by its name.
static const known_liquid *find_liquid(const node *at)
{
	static const known_liquid all[] = {
#define X(name, celsius, density, viscosity, tension, color, text) {#name, density, viscosity},
	    PRESET_MAP(X)
#undef X
	};
	const node *preset = node_get(at, "preset");
	const char *name = preset ? preset->text : at->own_key ? at->own_key : at->key;
	for (size_t i = 0; i < sizeof all / sizeof *all && name; i++)
		if (strcmp(all[i].name, name) == 0)
			return &all[i];
	return NULL;
}

static int is_about(double value, double wanted)
{
	return value < SAME * wanted && value > wanted / SAME;
}

static void check_viscosity(scene_reader *reader, place where, const spate_fluid_def *fluid, const known_liquid *liquid)
{
	double v = fluid->viscosity, kinematic = liquid ? liquid->dynamic / liquid->density : 0.0;
	char given[NUMBER_CHARS];
	number_text(given, v);
	if (liquid && is_about(v, kinematic * 1e6))
		read_warning(reader, where,
			     "viscosity is in m^2/s, and %s looks like that of %s in mm^2/s (cSt), which is %.6g",
			     given, liquid->name, v * 1e-6);
	else if (liquid && is_about(v, liquid->dynamic * 1e3))
		read_warning(reader, where,
			     "viscosity is kinematic, in m^2/s, and %s looks like the dynamic one of %s in mPa s (cP); "
			     "divided by its density that is %.3g",
			     given, liquid->name, v * 1e-3 / fluid->density);
	else if (liquid && is_about(v, liquid->dynamic))
		read_warning(
		    reader, where,
		    "viscosity is kinematic, in m^2/s, and %s looks like the dynamic one of %s in Pa s; divided "
		    "by its density that is %.3g",
		    given, liquid->name, v / fluid->density);
	else if (v == 1.0 && !liquid)
		read_warning(
		    reader, where,
		    "viscosity is in m^2/s, and 1 looks like that of water in mm^2/s (cSt) or mPa s (cP), which is "
		    "1e-06");
	else if (v > MOST_VISCOSITY)
		read_warning(
		    reader, where,
		    "viscosity is in m^2/s, and %s is more than that of putty; if it is in mm^2/s (cSt), it is %.6g, "
		    "and in mPa s (cP) it is %.3g",
		    given, v * 1e-6, v * 1e-3 / fluid->density);
}

int check_tension_unit(scene_reader *reader, place where, double tension)
{
	char given[NUMBER_CHARS];
	if (!(tension > MOST_MELT))
		return 0;
	read_warning(reader, where, "surface_tension is in N/m, and %s looks like mN/m (dyn/cm), which is %.6g",
		     number_text(given, tension), tension * 1e-3);
	return 1;
}

void check_viscosity_unit(scene_reader *reader, const node *at, const spate_fluid_def *fluid)
{
	const node *viscosity = node_get(at, "viscosity");
	if (viscosity && fluid->viscosity > 0.0)
		check_viscosity(reader, viscosity->at, fluid, find_liquid(at));
}
