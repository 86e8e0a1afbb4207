// Settings for the whole preview, determined before the first picture is drawn.
#include "base/error.h"
#include "cache/frame_poses.h"
#include "cache/frame_shapes.h"
#include "job/camera_file.h"
#include "job/preview.h"
#include "world/fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
	SAMPLES = 20000,  // particles sampled per frame for ranges
	RANGE_FRAMES = 64 // frames sampled for the range of colours
};

// Number of the i-th of at most `most` frames that stand for the whole sequence, from the first to the last. They do not depend on the
// frames to be drawn, so that all pictures of a run fit together, whichever machine draws them.
static size_t sample_count(const spate_preview *s, size_t most)
{
	return s->frames.count < most ? s->frames.count : most;
}

static size_t sample_at(const spate_preview *s, size_t most, size_t i)
{
	size_t steps = sample_count(s, most) - 1;
	return steps ? (s->frames.count - 1) * i / steps : 0;
}

// Radius of drawn particles, in half spacings. A factor of 1 would leave holes; this closes the surface and keeps the particles visible.
static const double closing_radius = 1.15;

// Fraction of particles ignored at either end, so that a few stray drops do not change the colours.
static const double stray_values = 0.003;

// --------------------------------------------------------------------------------------------------- frames and scene

// The last component of the path, without slashes and extension.
static void name_after_path(spate_preview *s)
{
	const char *path = s->def.input;
	size_t end = strlen(path), start;
	while (end > 1 && path[end - 1] == '/')
		end--;
	for (start = end; start > 0 && path[start - 1] != '/';)
		start--;
	snprintf(s->name, sizeof s->name, "%.*s", (int)(end - start < 100 ? end - start : 100), path + start);
	char *dot = strrchr(s->name, '.');
	if (dot && dot > s->name)
		*dot = '\0';
	if (strcmp(s->name, ".") == 0 || strcmp(s->name, "..") == 0 || !s->name[0])
		snprintf(s->name, sizeof s->name, "preview");
}

static spate_result list_frames(spate_preview *s, spate_error *error)
{
	const spate_preview_def *d = &s->def;
	spate_result result = SPATE_OK;
	if (s->single)
		result = array_push(&s->frames, 0) ? SPATE_OK : error_memory(error, sizeof(int64_t));
	else
		result = s->surfaces ? preview_list_meshes(s, error) : run_list_frames(d->input, &s->frames, error);
	for (size_t n = 0; n < s->frames.count && result == SPATE_OK; n++)
		if (!array_push(&s->chosen, s->frames.data[n]))
			result = error_memory(error, sizeof(int64_t));
	if (result != SPATE_OK || s->single)
		return result;
	return job_select_frames(&d->job, &s->chosen, &s->missing, &d->frames, d->input, error);
}

// From here on, the sequence has only the frames to be drawn.
static void keep_chosen(spate_preview *s)
{
	array_free(&s->frames);
	s->frames.data = s->chosen.data;
	s->frames.count = s->chosen.count;
	s->frames.capacity = s->chosen.capacity;
	s->chosen = (run_numbers){0};
	s->surfaces_of = -1;
}

enum
{
	CHOICES = 512 // letters of a list of names
};

static void add_choice(char list[CHOICES], const char *name)
{
	size_t used = strlen(list);
	snprintf(list + used, CHOICES - used, "%s%s", used ? ", " : "", name);
}

static spate_result choose_camera(spate_preview *s, spate_error *error)
{
	const char *name = s->def.camera_name;
	const spate_scene *scene = s->def.camera_file ? &s->camera_scene : &s->scene;
	if (s->def.camera_file)
	{
		int z_up = s->has_scene && s->scene.up == SPATE_UP_Z;
		spate_result result = camera_file_load(&s->camera_scene, s->def.camera_file, z_up, error);
		if (result != SPATE_OK)
			return result;
	}
	s->camera = s->def.camera;
	if (s->camera || (name && strcmp(name, "auto") == 0))
		return SPATE_OK;
	if (!name)
	{
		s->camera = scene->camera_count > 0 ? scene->cameras : NULL;
		return SPATE_OK;
	}
	char choices[CHOICES] = "auto";
	for (uint32_t i = 0; i < scene->camera_count && !s->camera; i++)
	{
		add_choice(choices, scene->cameras[i].name);
		if (strcmp(scene->cameras[i].name, name) == 0)
			s->camera = &scene->cameras[i];
	}
	if (s->camera)
		return SPATE_OK;
	return error_set(error, SPATE_INVALID, "unknown camera '%s'; choose one of: %s", name, choices);
}

const spate_camera_def *preview_camera_at(spate_preview *s, double time, spate_camera_def *now)
{
	const spate_scene *scene = s->def.camera_file ? &s->camera_scene : &s->scene;
	spate_error error = {0};
	if (s->def.camera)
		return s->camera;
	if (spate_scene_camera(scene, (uint32_t)(s->camera - scene->cameras), time, now, &error) == SPATE_OK)
		return now;
	// the beginning is better than nothing
	if (!s->camera_told)
		job_warn(&s->def.job, "the camera does not move: %s", error.text);
	s->camera_told = 1;
	return s->camera;
}

// ------------------------------------------------------------------------------------------------------------- samples

static int compare_floats(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;
	return (x > y) - (x < y);
}

int preview_spread(const float *values, size_t count, size_t stride, size_t most, double stray, float *low, float *high)
{
	float *samples = mem_alloc(most * sizeof *samples);
	size_t step = count / most + 1, used = 0;
	for (size_t i = 0; samples && i < count; i += step)
		if (isfinite(values[i * stride]))
			samples[used++] = values[i * stride];
	if (used > 0)
	{
		qsort(samples, used, sizeof *samples, compare_floats);
		size_t cut = (size_t)(stray * (double)used);
		*low = samples[cut];
		*high = samples[used - 1 - cut];
	}
	mem_free(samples);
	return used > 0;
}

void preview_shapes_free(spate_preview *s)
{
	for (size_t c = 0; c < s->bent.count; c++)
		mem_free(s->bent.data[c].places);
	array_free(&s->bent);
}

// Copies the shape of a collider out of a frame.
static spate_result take_shape(spate_preview *s, uint32_t number, spate_frame *frame, spate_error *error)
{
	const float *places;
	uint32_t count;
	if (number == 0)
		preview_shapes_free(s);
	spate_result result = frame_shapes_read(frame, number, &places, &count, error);
	preview_shape own = {.count = count};
	size_t bytes = 3 * sizeof *places * count;
	if (result == SPATE_OK && places)
	{
		own.places = mem_alloc(bytes);
		if (!own.places)
			return error_memory(error, bytes);
		memcpy(own.places, places, bytes);
		spate_frame_origin(frame, own.origin);
	}
	if (result == SPATE_OK && !array_push(&s->bent, own))
	{
		mem_free(own.places);
		return error_memory(error, sizeof own);
	}
	return result;
}

spate_result preview_place(spate_preview *s, size_t n, spate_frame *frame, spate_error *error)
{
	const spate_world_def *world = &s->scene.world;
	spate_frame *other = NULL;
	if (world->collider_count == 0)
		return SPATE_OK;
	if (!array_reserve(&s->poses, world->collider_count))
		return error_memory(error, world->collider_count * sizeof *s->poses.data);
	// a surface has no poses, but the frame it was made from does
	if (!frame && !s->single &&
	    spate_frame_open(run_frame_path(s->def.input, s->frames.data[n]).text, &other, NULL) == SPATE_OK)
		frame = other;
	double time = frame && !s->surfaces ? spate_frame_time(frame) : preview_surface_time(s, n);
	spate_result result =
	    frame_poses_read(frame, world->colliders, world->collider_count, time, s->poses.data, error);
	for (uint32_t c = 0; c < world->collider_count && result == SPATE_OK; c++)
		result = take_shape(s, c, frame, error);
	spate_frame_close(other);
	return result;
}

rigid preview_pose(const spate_preview *s, uint32_t number, const double origin[3])
{
	placement at = placement_of_pose(&s->poses.data[number], origin);
	return placement_rigid(&at);
}

// ---------------------------------------------------------------------------------------------------- fluids and range

// Opens the first frame of the sequence that can be opened; if there is none, the error is that of the first frame.
static spate_result open_first(const spate_preview *s, preview_points *frame, spate_error *error)
{
	spate_error first = {0};
	spate_result result = preview_points_open(frame, preview_sequence_path(s, 0).text, &first);
	for (size_t n = 1; n < s->frames.count && result != SPATE_OK; n++)
		if (preview_points_open(frame, preview_sequence_path(s, n).text, NULL) == SPATE_OK)
			result = SPATE_OK;
	if (result == SPATE_OK)
		return SPATE_OK;
	return error_set(error, result, "%s", first.text);
}

// Used without a scene; a centimetre if the frame gives no clue.
static double guess_spacing(const preview_points *frame)
{
	const void *data;
	spate_type type;
	if (preview_points_channel(frame, "position", &type, &data, NULL) != SPATE_OK || type != SPATE_VEC3)
		return 0.01;
	double spacing = particles_guess_spacing(data, (size_t)frame->count);
	return spacing > 0.0 ? spacing : 0.01;
}

static spate_result set_fluids(spate_preview *s, const preview_points *frame, spate_error *error)
{
	static const uint32_t palette[] = {0x3b82c4, 0xd9822b, 0x4fa35c, 0xc44b4f,
					   0x8a63b8, 0xc9b037, 0x3fa7a3, 0xb86b9d};
	enum
	{
		PALETTE = sizeof palette / sizeof *palette
	};
	s->fluids = s->has_scene ? (int)s->scene.world.fluid_count : PALETTE;
	s->radii = mem_alloc((size_t)s->fluids * sizeof *s->radii);
	s->colours = mem_alloc((size_t)s->fluids * sizeof *s->colours);
	if (!s->radii || !s->colours)
		return error_memory(error, (size_t)s->fluids * sizeof *s->colours);
	double guessed = s->has_scene || s->surfaces ? 0.0 : guess_spacing(frame);
	for (int i = 0; i < s->fluids; i++)
	{
		double spacing = guessed;
		s->colours[i] = colour_from_hex(palette[i % PALETTE]);
		if (s->has_scene)
		{
			const spate_fluid_def *f = &s->scene.world.fluids[i];
			spacing = f->spacing;
			s->colours[i] = vec3_make(srgb_decode((float)f->color[0]), srgb_decode((float)f->color[1]),
						  srgb_decode((float)f->color[2]));
		}
		s->radii[i] = (float)(0.5 * spacing * closing_radius * s->def.radius_scale);
	}
	return SPATE_OK;
}

static int has_channel(const preview_points *frame, const char *name)
{
	spate_frame_entry entry;
	for (uint32_t n = 0; preview_points_channel_at(frame, n, &entry) == SPATE_OK; n++)
		if (strcmp(entry.name, name) == 0 && entry.count == frame->count)
			return 1;
	return 0;
}

// Warns that several fluids look alike because frames lack the channel that tells them apart.
static void warn_of_one_colour(const spate_preview *s, const preview_points *frame)
{
	const spate_world_def *world = &s->scene.world;
	char all[32] = "both";
	if (world->fluid_count > 2)
		snprintf(all, sizeof all, "all %u", world->fluid_count);
	if (world->fluid_count > 1 && !s->def.color_by && !has_channel(frame, "fluid"))
		job_warn(
		    &s->def.job,
		    "the frames have no channel 'fluid', so %s fluids are drawn in the colour of '%s'; add fluid to "
		    "output.channels of the scene and run it again",
		    all, world->fluids[0].name);
}

// "speed" is the length of velocity; "velocity.y" is a component of it.
static spate_result choose_scalar(spate_preview *s, const preview_points *frame, spate_error *error)
{
	const char *wanted = s->def.color_by;
	preview_scalar *scalar = &s->scalar;
	*scalar = (preview_scalar){.component = -1, .title = wanted};
	snprintf(scalar->channel, sizeof scalar->channel, "%s", wanted);
	size_t length = strlen(scalar->channel);
	if (strcmp(wanted, "speed") == 0 && !has_channel(frame, "speed"))
		snprintf(scalar->channel, sizeof scalar->channel, "velocity");
	else if (!has_channel(frame, wanted) && length > 2 && scalar->channel[length - 2] == '.' &&
		 strchr("xyzw", scalar->channel[length - 1]))
	{
		scalar->component = (scalar->channel[length - 1] - 'x' + 4) % 4;
		scalar->channel[length - 2] = '\0';
	}
	if (strcmp(wanted, "velocity") == 0)
		scalar->title = "speed";
	scalar->unit = world_field_unit(scalar->channel);
	if (has_channel(frame, scalar->channel))
		return SPATE_OK;
	char choices[CHOICES] = "";
	spate_frame_entry entry;
	for (uint32_t n = 0; preview_points_channel_at(frame, n, &entry) == SPATE_OK; n++)
		add_choice(choices, entry.name);
	return error_set(error, SPATE_INVALID, "unknown channel '%s' for `color_by`; choose one of: %s", wanted,
			 choices);
}

// One range for all frames. A speed starts at zero.
static spate_result find_range(spate_preview *s, spate_error *error)
{
	s->range_low = (float)s->def.range_low;
	s->range_high = (float)s->def.range_high;
	if (s->def.range_low < s->def.range_high)
		return SPATE_OK;
	float low = INFINITY, high = -INFINITY;
	job_progress progress;
	size_t count = sample_count(s, RANGE_FRAMES);
	spate_result result = job_progress_prepare(&progress, &s->def.job, "frames read to find the colour range",
						   (uint32_t)count, error);
	for (size_t i = 0; i < count && result == SPATE_OK; i++)
	{
		size_t n = sample_at(s, RANGE_FRAMES, i);
		preview_points frame;
		spate_error why = {0};
		float a, b;
		// a damaged frame is named when it is drawn
		if (preview_points_open(&frame, preview_sequence_path(s, n).text, &why) == SPATE_OK &&
		    preview_sequence_values(s, &frame, &why) == SPATE_OK &&
		    preview_spread(s->values.data, s->values.count, 1, SAMPLES,
				   preview_shows_levels(s) ? 0.0 : stray_values, &a, &b))
		{
			low = fminf(low, a);
			high = fmaxf(high, b);
		}
		preview_points_close(&frame);
		if (why.code == SPATE_MEMORY)
			return error_set(error, SPATE_MEMORY, "%s", why.text);
		result = job_progress_step(&progress, preview_sequence_path(s, n).text, error);
	}
	if (strcmp(s->scalar.channel, "velocity") == 0 && s->scalar.component < 0)
		low = fminf(low, 0.0f);
	s->range_low = low <= high ? low : 0.0f;
	s->range_high = low < high ? high : s->range_low + 1.0f;
	return result;
}

// ----------------------------------------------------------------------------------------------------------- the whole

// Keeps copies of the texts and of the camera.
static spate_result copy_def(spate_preview *s, const spate_preview_def *def, spate_error *error)
{
	s->def = *def;
	const char **texts[] = {&s->def.input,       &s->def.mesh_folder, &s->def.fluid,       &s->def.color_by,
				&s->def.camera_name, &s->def.output,      &s->def.frames.list, &s->def.camera_file};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
	{
		char *copy = *texts[i] ? mem_strdup(*texts[i]) : NULL;
		if (!*texts[i])
			continue;
		if (!copy || !array_push(&s->texts, copy))
		{
			mem_free(copy);
			return error_memory(error, strlen(*texts[i]) + 1);
		}
		*texts[i] = copy;
	}
	if (def->camera)
	{
		s->given_camera = *def->camera;
		s->def.camera = &s->given_camera;
	}
	return SPATE_OK;
}

static spate_result check_def(const spate_preview_def *d, spate_error *error)
{
	const char *wrong = NULL;
	if (!d->input)
		wrong = "`input` is missing";
	else if (d->width < SPATE_PREVIEW_MIN_SIZE || d->width > SPATE_PREVIEW_MAX_SIZE ||
		 d->height < SPATE_PREVIEW_MIN_SIZE || d->height > SPATE_PREVIEW_MAX_SIZE)
		wrong = "`width` and `height` must be from 16 to 8192 pixels";
	else if (d->supersample != 1 && d->supersample != 2)
		wrong = "`supersample` must be 1 or 2";
	else if (!(d->radius_scale > 0.0 && d->radius_scale <= 100.0))
		wrong = "`radius_scale` must be above 0 and at most 100";
	else if (!(d->fps >= 0.0 && d->fps <= 1000.0))
		wrong = "`fps` must be from 0 to 1000";
	else if (d->colormap != SPATE_COLORMAP_AUTO && (unsigned)d->colormap >= SPATE_COLORMAP_COUNT)
		wrong = "unknown `colormap`";
	else if (d->fluid && !d->surfaces)
		wrong = "`fluid` requires `surfaces`";
	return wrong ? error_set(error, SPATE_INVALID, "%s", wrong) : SPATE_OK;
}

// Allocates a model for every collider.
static spate_result make_room(spate_preview *s, spate_error *error)
{
	for (uint32_t c = 0; c < s->scene.world.collider_count; c++)
		if (!array_push(&s->models, (preview_model){.mesh = NULL}))
			return error_memory(error, sizeof(preview_model));
	return SPATE_OK;
}

// A scene file, whose forces are drawn before it is run.
static spate_result load_scene_file(spate_preview *s, spate_error *error)
{
	spate_problems problems = {0};
	spate_result result = spate_scene_load(&s->scene, s->def.input, NULL, 0, &problems, error);
	spate_problems_free(&problems);
	s->has_scene = result == SPATE_OK;
	return result;
}

// Finds what there is to draw: particles or surfaces, their frames, the scene and the camera.
static spate_result find_input(spate_preview *s, spate_error *error)
{
	const spate_preview_def *d = &s->def;
	int folder = job_is_folder(d->input, error);
	if (folder < 0)
		return (spate_result)folder;
	s->single = !folder;
	if (s->single && job_refuse_frames(&d->frames, d->input, error) != SPATE_OK)
		return SPATE_INVALID;
	s->surfaces = s->single ? preview_is_mesh(d->input) && !preview_is_points(d->input) : d->surfaces;
	if (d->forces && (d->surfaces || d->color_by))
		return error_set(error, SPATE_INVALID, "`forces` excludes `surfaces` and `color_by`");
	s->surfaces &= !d->forces;
	if (s->surfaces && d->color_by)
		return error_set(error, SPATE_INVALID, "`color_by` applies to particles, not to surfaces");
	spate_result result = s->single && d->forces
				  ? load_scene_file(s, error)
				  : job_load_scene(&s->scene, &s->has_scene, d->input, s->single, error);
	name_after_path(s);
	if (s->has_scene)
		snprintf(s->name, sizeof s->name, "%.127s", s->scene.name);
	if (result == SPATE_OK)
		result = list_frames(s, error);
	return result == SPATE_OK ? choose_camera(s, error) : result;
}

spate_result preview_sequence_init(spate_preview *s, const spate_preview_def *def, spate_error *error)
{
	*s = (spate_preview){
	    .surfaces_of = -1,
	    .low = {INFINITY, INFINITY, INFINITY},
	    .high = {-INFINITY, -INFINITY, -INFINITY},
	    .floor = INFINITY,
	};
	arena_init(&s->scratch);
	spate_result result = check_def(def, error);
	if (result == SPATE_OK)
		result = copy_def(s, def, error);
	if (result == SPATE_OK)
		result = find_input(s, error);
	preview_points frame = {0};
	// a shard without frames
	if (result == SPATE_OK && s->chosen.count == 0)
	{
		keep_chosen(s);
		return SPATE_OK;
	}
	int particles = !s->surfaces && !s->def.forces;
	if (result == SPATE_OK && s->def.forces)
		result = preview_make_forces(s, error);
	if (result == SPATE_OK && particles)
		result = open_first(s, &frame, error);
	if (result == SPATE_OK)
		result = make_room(s, error);
	if (result == SPATE_OK)
		result = set_fluids(s, &frame, error);
	if (result == SPATE_OK && s->def.color_by)
		result = choose_scalar(s, &frame, error);
	preview_points_close(&frame);
	if (result == SPATE_OK)
		result = preview_find_bounds(s, error);
	if (result == SPATE_OK && s->def.color_by)
		result = find_range(s, error);
	keep_chosen(s);
	// what is said about frames is about those that are drawn
	if (result == SPATE_OK && particles && open_first(s, &frame, NULL) == SPATE_OK)
	{
		warn_of_one_colour(s, &frame);
		preview_points_close(&frame);
	}
	return result;
}

void preview_sequence_free(spate_preview *s)
{
	for (size_t i = 0; i < s->texts.count; i++)
		mem_free(s->texts.data[i]);
	array_free(&s->texts);
	preview_free_forces(s);
	spate_scene_free(&s->scene);
	spate_scene_free(&s->camera_scene);
	array_free(&s->frames);
	array_free(&s->chosen);
	array_free(&s->missing);
	array_free(&s->values);
	array_free(&s->shapes);
	array_free(&s->meshes);
	for (size_t c = 0; c < s->models.count; c++)
		preview_model_free(&s->models.data[c]);
	array_free(&s->models);
	array_free(&s->poses);
	preview_surfaces_free(s);
	preview_shapes_free(s);
	array_free(&s->parts);
	mem_free(s->radii);
	mem_free(s->colours);
	arena_free(&s->scratch);
}
