// Channels in the files of a run: frames, resumed runs, exports, meshes and pictures.
#define _GNU_SOURCE
#include "scene/scene_support.h"
#include "whole_run.h"

#include "export/particles_read.h"
#include "spate/spate.h"

enum
{
	FRAMES = 6,
	MOST_ROWS = 4000
};

static const char text[] =
    "spate: 2\n"
    "frames: 6\n"
    "fps: 60\n"
    "fluids:\n"
    "  water: { preset: water, spacing: 0.02 }\n"
    "sources:\n"
    "  - { type: fill, name: left, fluid: water, shape: { box: { min: [0, 0, 0], max: [0.1, 0.16, 0.1] } } }\n"
    "  - { type: fill, name: right, fluid: water, shape: { box: { min: [0.2, 0, 0], max: [0.3, 0.2, 0.1] } } }\n"
    "  - { type: emitter, name: jet, fluid: water, position: [0.15, 0.3, 0.05], direction: [0, -1, 0], radius: 0.03, speed: 2 }\n"
    "channels:\n"
    "  heat: { default: 20, sources: { left: 80, jet: 50 } }\n"
    "  batch: { type: int, default: 1, sources: { right: 2 } }\n"
    "  tint: { type: vector, sources: { jet: [1, 0.5, 0.25] } }\n"
    "colliders:\n"
    "  - { shape: { box: { min: [0, 0, 0], max: [0.3, 0.5, 0.1] } }, mode: inside }\n"
    "probes:\n"
    "  gauge: { type: height, from: [0.15, 0, 0.05], to: [0.15, 0.4, 0.05] }\n"
    "output: { channels: [velocity, heat, batch, tint, birth, age, source, rest_position, uv, color, speed, acceleration, vorticity, "
    "neighbours, surface], checkpoint_every: 2 }\n";

static int set_up(void **state)
{
	return whole_run_begin(state, parse_good(text));
}

static void resumed_runs_write_the_same_frames(void **state)
{
	fixture *f = *state;
	for (uint32_t frame = 2; frame < FRAMES; frame += 3)
	{
		char name[32];
		snprintf(name, sizeof name, "stopped_%u", frame);
		spate_run_def def = run_def(&f->scene, scratch_file(&f->s, name));
		def.handler = stop_in_frame;
		def.context = &frame;
		check_result(spate_run(&def, NULL, NULL), SPATE_CANCELLED);
		def.handler = NULL;
		def.resume = 1;
		assert_true(run_well(&def) == f->hash);
		check_same_run(f->whole, def.directory, FRAMES);
	}
}

static void threads_write_the_same_frames(void **state)
{
	fixture *f = *state;
	spate_run_def def = run_def(&f->scene, scratch_file(&f->s, "threads"));
	def.threads = 4;
	assert_true(run_well(&def) == f->hash);
	check_same_run(f->whole, def.directory, FRAMES);
}

static spate_frame *open_last(const fixture *f)
{
	spate_frame *frame = NULL;
	check_ok(spate_frame_open(run_frame_path(f->whole, FRAMES).text, &frame, NULL));
	return frame;
}

// A channel of a frame, of the type expected.
static const void *channel(spate_frame *frame, const char *name, spate_type expected)
{
	spate_type type = SPATE_TYPE_COUNT;
	const void *data = NULL;
	spate_error error = {0};
	if (spate_frame_channel(frame, name, &type, &data, &error) != SPATE_OK)
		fail_msg("%s", error.text);
	assert_int_equal(type, expected);
	return data;
}

static void frames_have_the_values(void **state)
{
	spate_frame *frame = open_last(*state);
	uint32_t rows = (uint32_t)spate_frame_count(frame), hot = 0, second = 0, tinted = 0;
	const float *heat = channel(frame, "heat", SPATE_FLOAT), *tint = channel(frame, "tint", SPATE_VEC3);
	const int32_t *batch = channel(frame, "batch", SPATE_INT32);
	for (uint32_t row = 0; row < rows; row++)
	{
		hot += heat[row] == 80.0f && batch[row] == 1 && tint[3 * row] == 0.0f;
		second += heat[row] == 20.0f && batch[row] == 2 && tint[3 * row] == 0.0f;
		tinted += heat[row] == 50.0f && batch[row] == 1 && tint[3 * row] == 1.0f && tint[3 * row + 1] == 0.5f &&
			  tint[3 * row + 2] == 0.25f;
	}
	// 5 x 8 x 5 and 5 x 10 x 5 lattice points, and the rest came later
	assert_int_equal(hot, 200);
	assert_int_equal(second, 250);
	assert_int_equal(tinted, rows - 450);
	assert_in_range(tinted, 10, MOST_ROWS);
	spate_frame_close(frame);
}

static const spate_mesh_channel *mesh_channel(const spate_mesh *mesh, const char *name, uint32_t components)
{
	const spate_mesh_channel *found = spate_mesh_find_channel(mesh, name);
	if (!found)
		fail_msg("there is no channel %s", name);
	assert_int_equal(found->components, components);
	return found;
}

// Exported to another format and read again, every value is that of the frame.
static void exports_have_the_values(void **state)
{
	fixture *f = *state;
	static const char *const names[] = {"heat", "batch", "tint", "age", "uv", "vorticity", "surface"};
	static const spate_type types[] = {SPATE_FLOAT, SPATE_INT32, SPATE_VEC3, SPATE_FLOAT,
					   SPATE_VEC2,  SPATE_VEC3,  SPATE_INT32};
	enum
	{
		NAMES = sizeof names / sizeof *names
	};
	run_path input = run_frame_path(f->whole, FRAMES);
	spate_export_def def = spate_default_export_def();
	def.input = input.text;
	def.output = scratch_file(&f->s, "points.ply");
	def.channels = names;
	def.channel_count = NAMES;
	check_ok(spate_export_run(&def, NULL, NULL));
	particle_set out;
	check_ok(particles_read(&out, def.output, NULL, 0, NULL));
	spate_frame *frame = open_last(f);
	assert_int_equal(out.points->vertex_count, spate_frame_count(frame));
	for (int c = 0; c < NAMES; c++)
	{
		uint32_t components = spate_type_components(types[c]);
		const void *own = channel(frame, names[c], types[c]);
		const spate_mesh_channel *read = mesh_channel(out.points, names[c], components);
		for (size_t k = 0; k < out.points->vertex_count * (size_t)components; k++)
		{
			float value =
			    types[c] == SPATE_INT32 ? (float)((const int32_t *)own)[k] : ((const float *)own)[k];
			if (read->values[k] != value)
				fail_msg("value %zu of %s is %g, in the frame it is %g", k, names[c],
					 (double)read->values[k], (double)value);
		}
	}
	spate_frame_close(frame);
	particles_free(&out);
}

// On a surface, values are means of those of the particles around, and far from the other liquids just those of one.
static void meshes_have_the_values(void **state)
{
	fixture *f = *state;
	static const char *const names[] = {"heat"};
	spate_mesh_job_def def = spate_default_mesh_job_def();
	def.input = f->whole;
	def.frames = (spate_job_frames){.list = "1"};
	def.channels = names;
	def.channel_count = 1;
	spate_mesh_job_summary summary;
	check_ok(spate_mesh_job_run(&def, &summary, NULL));
	assert_int_equal(summary.made_count, 1);
	spate_mesh *mesh = NULL;
	check_ok(spate_mesh_read(&mesh, summary.made[0].path, NULL));
	const spate_mesh_channel *heat = mesh_channel(mesh, "heat", 1);
	uint32_t hot = 0, cold = 0;
	for (uint32_t v = 0; v < mesh->vertex_count; v++)
	{
		if (!(heat->values[v] > 20.0f - 1e-3f && heat->values[v] < 80.0f + 1e-3f))
			fail_msg("vertex %u has heat %g", v, (double)heat->values[v]);
		float x = mesh->positions[3 * (size_t)v];
		// in the first frame the blocks have not met
		hot += x < 0.1f && fabsf(heat->values[v] - 80.0f) < 1e-3f;
		cold += x > 0.2f && fabsf(heat->values[v] - 20.0f) < 1e-3f;
	}
	assert_in_range(hot, mesh->vertex_count / 5, mesh->vertex_count);
	assert_in_range(cold, mesh->vertex_count / 5, mesh->vertex_count);
	spate_mesh_destroy(mesh);
	spate_mesh_job_summary_free(&summary);
}

// Reddish and bluish pixels of a picture; the map `turbo` runs from blue to red.
static void count_colours(const fixture *f, const char *color_by, uint32_t *red, uint32_t *blue)
{
	spate_preview_def def = spate_default_preview_def();
	def.input = f->whole;
	def.color_by = color_by;
	def.width = 160;
	def.height = 120;
	def.label = 0;
	spate_preview *preview = NULL;
	spate_error error = {0};
	if (spate_preview_open(&def, &preview, &error) != SPATE_OK)
		fail_msg("%s", error.text);
	static uint8_t pixels[160 * 120 * 4];
	check_ok(spate_preview_draw(preview, 0, pixels, &error));
	*red = *blue = 0;
	for (size_t p = 0; p < sizeof pixels; p += 4)
	{
		*red += pixels[p] > pixels[p + 2] + 60;
		*blue += pixels[p + 2] > pixels[p] + 60;
	}
	spate_preview_close(preview);
}

static void pictures_show_the_values(void **state)
{
	uint32_t red, blue;
	count_colours(*state, "heat", &red, &blue);
	assert_in_range(red, 100, 160 * 120);
	assert_in_range(blue, 100, 160 * 120);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(resumed_runs_write_the_same_frames),
	    cmocka_unit_test(threads_write_the_same_frames),
	    cmocka_unit_test(frames_have_the_values),
	    cmocka_unit_test(exports_have_the_values),
	    cmocka_unit_test(meshes_have_the_values),
	    cmocka_unit_test(pictures_show_the_values),
	};
	return cmocka_run_group_tests(tests, set_up, whole_run_end);
}
