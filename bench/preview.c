// spate bench preview: pictures of an evolved dam break in its tank, with everything on that `spate preview` draws.
#include "render/preview.h"

#include "bench/dam_break.h"
#include "world/world.h"

#include <stdio.h>

static const dam_break_size full_size = {{50, 50, 25}, 1}, quick_size = {{10, 10, 5}, 1};

enum
{
	WIDTH = 1280,
	HEIGHT = 720,
	QUICK_PARTS = 8, // width and height are divided by this in a quick run
	MOST_SAMPLES = 2
};

typedef struct preview_case
{
	int threads, supersample;
	double ms;
} preview_case;

typedef struct report
{
	uint32_t particles;
	int width, height;
	preview_case cases[2 * MOST_SAMPLES];
	int count;
} report;

// The tank as an outline, and the particles as large as `spate preview` makes them.
static spate_result draw(const spate_world *world, const preview_settings *settings, image *picture, spate_error *error)
{
	const solid_shape *tank = &world->state.colliders.colliders[0].shape;
	draw_shape outline = {
	    .type = DRAW_BOX, .a = tank->a, .b = tank->b, .container = 1, .colour = {0.75f, 0.82f, 0.88f}};
	float radius = 0.5f * 1.15f * world->model.spacing;
	vec3 blue = colour_from_hex(0x3b82c4);
	preview_input input = {.positions = &world->state.store->position->x,
			       .stride = 4,
			       .count = world->state.store->rows,
			       .radii = &radius,
			       .colours = &blue,
			       .fluids = 1,
			       .shapes = &outline,
			       .shape_count = 1};
	return preview_frame(settings, &input, picture, error);
}

static spate_result draw_several(const spate_world *world, preview_settings *settings, int runs, double *ms,
				 spate_error *error)
{
	image picture = {0};
	stopwatch watch = {0};
	// the first run only allocates the memory that a sequence reuses
	spate_result result = draw(world, settings, &picture, error);
	for (int run = 0; run < runs && result == SPATE_OK; run++)
	{
		stopwatch_start(&watch);
		result = draw(world, settings, &picture, error);
		stopwatch_stop(&watch);
	}
	*ms = 1e3 * watch.best;
	image_free(&picture);
	return result;
}

static spate_result measure(spate_world *world, void *context, const bench_options *options, spate_error *error)
{
	report *r = context;
	int threads[2], thread_cases = bench_thread_counts(options, threads), part = options->quick ? QUICK_PARTS : 1;
	spate_result result = SPATE_OK;
	arena scratch;
	arena_init(&scratch);
	store_compact(world->state.store, options->threads);
	r->particles = world->state.store->rows;
	r->width = WIDTH / part;
	r->height = HEIGHT / part;
	for (int t = 0; t < thread_cases; t++)
		for (int samples = 1; samples <= MOST_SAMPLES && result == SPATE_OK; samples++)
		{
			preview_case *own = &r->cases[r->count++];
			*own = (preview_case){.threads = threads[t], .supersample = samples};
			bench_progress(options, "pictures of %u particles, threads %d, supersampling %d", r->particles,
				       threads[t], samples);
			preview_settings settings = preview_default_settings();
			settings.width = r->width;
			settings.height = r->height;
			settings.supersample = samples;
			settings.threads = threads[t];
			settings.label = "dam break   frame 62   1.000 s";
			settings.scratch = &scratch;
			result = draw_several(world, &settings, options->runs, &own->ms, error);
		}
	arena_free(&scratch);
	return result;
}

static void print_table(const report *r)
{
	printf("%u particles, %d x %d pixels\n  threads  supersampling  ms per picture\n", r->particles, r->width,
	       r->height);
	for (int c = 0; c < r->count; c++)
		printf("%9d %14d %15.1f\n", r->cases[c].threads, r->cases[c].supersample, r->cases[c].ms);
}

static void print_json(const report *r)
{
	printf(",\"rows\":[");
	for (int c = 0; c < r->count; c++)
		printf(
		    "%s{\"particles\":%u,\"width\":%d,\"height\":%d,\"threads\":%d,\"supersample\":%d,\"ms_picture\":%.4g}",
		    c ? "," : "", r->particles, r->width, r->height, r->cases[c].threads, r->cases[c].supersample,
		    r->cases[c].ms);
	puts("]}");
}

spate_result bench_preview(const bench_options *options, spate_error *error)
{
	report r = {0};
	spate_result result = dam_break_measure(options->quick ? &quick_size : &full_size, measure, &r, options, error);
	if (result != SPATE_OK)
		return result;
	bench_print_head(options, "preview", "evolved dam break, floor, tank, shadows and occlusion");
	(options->json ? print_json : print_table)(&r);
	return SPATE_OK;
}
