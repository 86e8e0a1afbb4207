// What the parts of `spate preview` share: the sequence of frames, and what stays the same all through it.
#ifndef CLI_PREVIEW_H
#define CLI_PREVIEW_H

#include "cache/run_dir.h"
#include "cli/report.h"
#include "render/preview.h"
#include "spate/frame.h"
#include "spate/scene.h"

typedef struct preview_options
{
	const char *program, *path, *output;
	int has_range_of_frames;
	int64_t first, last;
	const char *camera;   // NULL for the scene's first, or framed automatically
	const char *color_by; // NULL for the colours of the fluids
	int has_range;
	double low, high, radius_scale, fps; // fps 0: the scene's
	int width, height, supersample, threads, label, no_movie, no_png, quiet;
	colormap map;
} preview_options;

// How a channel becomes one number per particle.
typedef struct preview_scalar
{
	char channel[64];
	int component; // -1: the value itself, or the length of a vector
	const char *title, *unit;
} preview_scalar;

typedef struct preview_sequence
{
	const preview_options *options;
	char name[128]; // of the scene, or of the path
	spate_scene scene;
	int has_scene, single; // single: one file, not the directory of a run
	run_numbers frames, missing;
	const spate_camera_def *camera; // NULL: framed automatically
	double low[3], high[3];         // m, of the world: what is looked at all through
	preview_scalar scalar;
	float range_low, range_high;
	float *radii; // m, per fluid
	vec3 *colours;
	int fluids;
	// reused by every frame
	arena scratch;
	ARRAY(float) values;
	ARRAY(draw_shape) shapes;
} preview_sequence;

// Finds frames, scene, camera, bounds and range. Returns the exit code, after a sentence on stderr unless it is EXIT_DONE.
int preview_sequence_open(preview_sequence *s, const preview_options *options);
void preview_sequence_free(preview_sequence *s);

// The file of the n-th frame.
run_path preview_sequence_path(const preview_sequence *s, size_t n);

// Draws one frame from its file.
spate_result preview_sequence_draw(preview_sequence *s, const char *path, image *out, spate_error *error);
// The values that colour a frame, into s->values.
spate_result preview_sequence_values(preview_sequence *s, spate_frame *frame, spate_error *error);

#endif
