// Wet maps: one picture per mesh, laid out by its UVs, that records where particles touched the mesh.
#ifndef WORLD_WET_H
#define WORLD_WET_H

#include "collider/collider.h"

enum
{
	WET_NAME_CHARS = 48
};

// Texel (x, y) has its middle at u = (x + 0.5) / size, v = (y + 0.5) / size.
typedef struct wet_map
{
	uint32_t collider, size;
	double drying; // s; 0 for never
	spate_image_format format;
	char name[WET_NAME_CHARS];
	char *channel; // NULL for none
	// state
	float *wetness; // 0 to 1
	float *average; // mean of the channel over the particles of the last contact; NULL without a channel
	// of one substep
	int64_t *sums; // of the channel, in units that the substep chooses
	uint32_t *counts;
	// triangle at each texel's middle, the lowest index if there are several; WET_NOBODY for none
	uint32_t *owners;
} wet_map;

#define WET_NOBODY UINT32_MAX

typedef struct wet_set
{
	wet_map *maps;
	uint32_t count;
} wet_set;

// Creates a dry map for every collider that asks for one.
spate_result wet_set_create(wet_set *set, const spate_collider_def *defs, uint32_t count, const collider_set *colliders,
			    spate_error *error);
void wet_set_destroy(wet_set *set);
size_t wet_set_bytes(const wet_set *set);

// Unique base name of the files of a collider's map: its name with characters unfit for file names replaced, or its number.
void wet_map_name(const spate_collider_def *defs, uint32_t collider, char out[WET_NAME_CHARS]);

// Copies values for output. Texels that no triangle covers take the values beside them, up to two texels away, so that texture
// filtering shows no seams. `out` has room for size * size values, `scratch` for as many bytes.
void wet_map_fill_gaps(const wet_map *map, const float *values, float *out, uint8_t *scratch);

#endif
