// Wet maps: pictures of meshes, laid out by their UVs, into which the particles that touch them write.
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
	float *average; // of the channel, where it was last touched; NULL for none
	// of one substep
	int64_t *sums; // of the channel, in units that the substep chooses
	uint32_t *counts;
	// triangle at each texel's middle, of several the lowest; WET_NOBODY for none
	uint32_t *owners;
} wet_map;

#define WET_NOBODY UINT32_MAX

typedef struct wet_set
{
	wet_map *maps;
	uint32_t count;
} wet_set;

// One map for every collider that wants one; all of it dry.
spate_result wet_set_create(wet_set *set, const spate_collider_def *defs, uint32_t count, const collider_set *colliders,
			    spate_error *error);
void wet_set_destroy(wet_set *set);
size_t wet_set_bytes(const wet_set *set);

// What the files of a collider's map are called: its name as far as files can have it, or its number; no two the same.
void wet_map_name(const spate_collider_def *defs, uint32_t collider, char out[WET_NAME_CHARS]);

// A copy of values for others to look at: texels that no triangle covers take on what is beside them, two texels far, so that filtering
// shows no seams. `out` has room for size * size; `scratch` for as many bytes.
void wet_map_fill_gaps(const wet_map *map, const float *values, float *out, uint8_t *scratch);

#endif
