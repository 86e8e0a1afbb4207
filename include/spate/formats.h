// File formats: which there are, what each can hold, and which way. Reading and writing choose from this table by content and suffix.
//
//	const spate_format *format;
//	for (uint32_t n = 0; (format = spate_format_at(n)); n++)
//		printf("%s  %s\n", format->suffix, format->text);
#ifndef SPATE_FORMATS_H
#define SPATE_FORMATS_H

#include "spate/result.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What a file can hold; a set of bits.
typedef enum spate_format_content
{
	SPATE_FORMAT_PARTICLES = 1,
	SPATE_FORMAT_TRIANGLES = 2,
	SPATE_FORMAT_CHANNELS = 4, // named values of particles or vertices
	SPATE_FORMAT_UVS = 8,
	SPATE_FORMAT_SIDES = 16, // the fluids on both sides of a triangle
	SPATE_FORMAT_FIELD = 32  // values on a grid
} spate_format_content;

typedef struct spate_format
{
	const char *name;       // "ply"
	const char *suffix;     // ".ply"
	const char *title;      // "PLY"
	const char *text;       // one sentence
	uint32_t reads, writes; // spate_format_content; 0 for a direction that is not supported
} spate_format;

// The n-th format, common ones first; NULL beyond the last. All texts are constant. These functions may be called from any thread.
SPATE_API const spate_format *spate_format_at(uint32_t n);
// By name; NULL if there is none.
SPATE_API const spate_format *spate_format_find(const char *name);
// By the suffix of a path in any case, .gz after it is ignored; NULL if there is none.
SPATE_API const spate_format *spate_format_of_path(const char *path);

#ifdef __cplusplus
}
#endif
#endif
