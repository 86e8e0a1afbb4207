// Macros for the rows of the key table.
#ifndef SCENE_KEY_ROWS_H
#define SCENE_KEY_ROWS_H

#include "scene/check.h"
#include "scene/keys.h"

// clang-format off

#define FITS(type) _Static_assert(sizeof(type) <= KEY_ELEMENT_BYTES, "an element is larger than the room for one")
#define FIELD(type, member) .offset = offsetof(type, member)
#define ITEMS(type, member, counter) .offset = offsetof(type, member), .count_offset = offsetof(type, counter)
#define RANGE(low, high) .min = (low), .max = (high)
// Positions and lengths beyond this are taken for typing mistakes, in metres.
#define FAR 1.0e6
#define PLACE RANGE(-FAR, FAR), .unit = "m"
// A value that may be formulas.
#define OR_FORMULAS(type, member) .formulas = offsetof(type, member)
#define END {.name = NULL}
#define NAME(type)                                                                            \
	{.name = "name", .kind = KEY_TEXT, .flags = KEY_OMIT, FIELD(type, name), .example = "tank", \
	 .doc = "A name for messages."}
// An element starts with the library's defaults.
#define DEFAULTS(what)                                                   \
	static void what##_defaults(void *object, spate_up up)           \
	{                                                                \
		(void)up;                                                \
		*(spate_##what##_def *)object = spate_default_##what##_def(); \
	}

// clang-format on

// keys_solver.c
extern const scene_object solver_object;
// keys_channel.c
extern const scene_object channel_object;
// keys_solid.c
extern const scene_object shape_object, volume_object, wall_object, field_object, motion_object, collider_object,
    sink_object;
// keys_include.c
extern const scene_object include_object;
// keys_force.c
extern const scene_object force_object;
// keys_body.c
extern const scene_object body_object, joint_object;

// how a value goes from one keyframe to the next
extern const scene_word between_words[];

#endif
