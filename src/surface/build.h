// The first stages of every surface: checking the input, and selecting, refining, sorting and weighting particles.
#ifndef SURFACE_BUILD_H
#define SURFACE_BUILD_H

#include "surface/field.h"

spate_result surface_check_input(const spate_surface_input *in, spate_error *error);
spate_result surface_check_def(const spate_surface_def *def, spate_error *error);

// Number of threads for a caller's value; 0 means all cores.
int surface_threads(int threads);

// Seconds on a monotonic clock.
double surface_clock(void);

// The liquid of one input.
typedef struct surface_build
{
	spate_surface_input input; // with the particles that refining added
	const spate_surface_def *def;
	spate_surface_stats *stats;
	int threads;
	double clock; // when the last stage ended
	uint32_t *rows;
	points_source source;
	surface_points points;
	surface_field field;
	field_scratch *scratch;
	// of a refined input
	float *refined;
	spate_surface_channel *channels;
	float *shares, *weights; // per row, as in surface_points
	uint8_t *border;
} surface_build;

// The input must have been checked.
void surface_build_init(surface_build *b, const spate_surface_input *input, const spate_surface_def *def,
			spate_surface_stats *stats);
void surface_build_free(surface_build *b);

// Adds the time since the end of the previous stage.
void surface_end_stage(surface_build *b, double *time);

// Creates points and field.
spate_result surface_build_points(surface_build *b, spate_error *error);

#endif
