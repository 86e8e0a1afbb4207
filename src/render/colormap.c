#include "render/colormap.h"

#include "render/font.h"
#include "render/ticks.h"

#include <stdio.h>
#include <string.h>

enum
{
	STOPS = 9
};

// sRGB colours at even steps
static const uint32_t stops[COLORMAP_COUNT][STOPS] = {
    [COLORMAP_VIRIDIS] = {0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c, 0x28ae80, 0x5ec962, 0xaddc30, 0xfde725},
    [COLORMAP_WATER] = {0x0b2a5c, 0x114285, 0x1a5dab, 0x2f7bc8, 0x559bdc, 0x83b9ea, 0xb0d4f4, 0xd9ebfb, 0xffffff},
    [COLORMAP_PLASMA] = {0x0d0887, 0x4c02a1, 0x7e03a8, 0xa92395, 0xcc4778, 0xe56b5d, 0xf89540, 0xfdc527, 0xf0f921},
    [COLORMAP_TURBO] = {0x30123b, 0x4662d7, 0x36aaf9, 0x1ae4b6, 0x72fe5e, 0xc8ef34, 0xfaba39, 0xf66b19, 0xa01101},
    [COLORMAP_GREY] = {0x0c0c0c, 0x2a2a2a, 0x484848, 0x666666, 0x848484, 0xa2a2a2, 0xc0c0c0, 0xdedede, 0xfcfcfc},
    [COLORMAP_LEVELS] = {0xc8201e, 0xd94a22, 0xe87d26, 0xf2b32c, 0xf2dc3a, 0xbfd63c, 0x85c53f, 0x4fae41, 0x1f9140},
};

static const char *const names[COLORMAP_COUNT] = {
#define X(upper, lower) [COLORMAP_##upper] = #lower,
    COLORMAP_LIST(X)
#undef X
};

const char *colormap_name(colormap map)
{
	return (unsigned)map < COLORMAP_COUNT ? names[map] : "unknown";
}

int colormap_find(const char *name)
{
	for (int k = 0; k < COLORMAP_COUNT; k++)
		if (strcmp(names[k], name) == 0)
			return k;
	return -1;
}

vec3 colormap_sample(colormap map, float t)
{
	if (t != t)
		return colour_from_hex(0xff00ff);
	float place = (t > 0.0f ? (t < 1.0f ? t : 1.0f) : 0.0f) * (float)(STOPS - 1);
	int k = (int)place < STOPS - 2 ? (int)place : STOPS - 2;
	float part = place - (float)k;

	// stored values are perceptually even, so the tables are interpolated in them
	uint32_t from = stops[map][k], to = stops[map][k + 1];
	float channel[3];
	for (int c = 0; c < 3; c++)
	{
		float low = (float)(from >> (16 - 8 * c) & 255), high = (float)(to >> (16 - 8 * c) & 255);
		channel[c] = srgb_decode((low + part * (high - low)) / 255.0f);
	}
	return vec3_make(channel[0], channel[1], channel[2]);
}

void colormap_table(colormap map, vec3 table[COLORMAP_TABLE + 1])
{
	for (int k = 0; k < COLORMAP_TABLE; k++)
		table[k] = colormap_sample(map, (float)k / (float)(COLORMAP_TABLE - 1));
	table[COLORMAP_TABLE] = colormap_sample(map, NAN);
}

int colormap_index(float value, float low, float high)
{
	if (value != value)
		return COLORMAP_TABLE;
	float length = high - low, t = length > 0.0f ? (value - low) / length : (value > low ? 1.0f : 0.0f);
	float clamped = t > 0.0f ? (t < 1.0f ? t : 1.0f) : 0.0f;
	return (int)(clamped * (float)(COLORMAP_TABLE - 1) + 0.5f);
}

void colormap_draw_legend(image *picture, colormap map, float low, float high, const char *title, const char *unit,
			  int right, int middle, int height, int scale)
{
	// heading: "title (unit)"
	char heading[96] = "";
	int has_unit = unit && *unit;
	if (title && *title)
		snprintf(heading, sizeof heading, has_unit ? "%s (%s)" : "%s", title, unit);
	else if (has_unit)
		snprintf(heading, sizeof heading, "%s", unit);

	// sizes of the parts
	ticks axis = ticks_make((double)low, (double)high, 5);
	char label[TICKS_MAX][32];
	int label_width = 0, bar = 8 * scale, pad = 6 * scale;
	for (int k = 0; k < axis.count; k++)
	{
		ticks_label(&axis, k, label[k], sizeof label[k]);
		int width = font_width(label[k], scale);
		label_width = width > label_width ? width : label_width;
	}
	int inner = bar + 6 * scale + label_width, heading_width = font_width(heading, scale);
	int heading_height = *heading ? (FONT_LINE_HEIGHT + 5) * scale : 0;
	inner = heading_width > inner ? heading_width : inner;
	int panel_height = height + heading_height + 2 * pad;
	int left = right - inner - 2 * pad, top = middle - panel_height / 2;

	vec4 ink = colour_opaque(colour_from_hex(0xf2f5f8));
	image_blend_rectangle(picture, left, top, inner + 2 * pad, panel_height, (vec4){0.005f, 0.007f, 0.01f, 0.8f});
	font_draw(picture, left + pad, top + pad, heading, scale, ink);

	// the bar, high values on top, and its ticks
	int bar_top = top + pad + heading_height;
	float steps = map == COLORMAP_LEVELS ? roundf(high - low) : 0.0f; // levels are whole numbers
	for (int row = 0; row < height; row++)
	{
		float t = height > 1 ? 1.0f - (float)row / (float)(height - 1) : 0.0f;
		t = steps > 0.0f ? roundf(t * steps) / steps : t;
		image_blend_rectangle(picture, left + pad, bar_top + row, bar, 1,
				      colour_opaque(colormap_sample(map, t)));
	}
	for (int k = 0; k < axis.count; k++)
	{
		double t = (axis.value[k] - (double)low) / ((double)high - (double)low);
		int y = bar_top + (int)lround((1.0 - t) * (height - 1));
		image_blend_rectangle(picture, left + pad + bar, y - (scale - 1) / 2, 3 * scale, scale, ink);
		font_draw(picture, left + pad + bar + 6 * scale, y - FONT_ASCENT * scale / 2, label[k], scale, ink);
	}
}
