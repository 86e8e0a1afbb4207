// Meshes of a preview: those of colliders, read once and placed by their poses, and surfaces of the liquid, one per frame.
#include "base/error.h"
#include "cache/mesh_frame.h"
#include "cache/wet_files.h"
#include "collider/motion.h"
#include "job/mesh_file.h"
#include "job/preview.h"
#include "mesh/read.h"
#include "mesh/sequence.h"
#include "mesh/sides.h"
#include "world/wet.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

// Edges of colliders sharper than this stay edges; a liquid has none.
static const float collider_crease = 50.0f, liquid_crease = 180.0f; // degrees

static const vec3 obstacle_colour = {0.40f, 0.38f, 0.36f}, container_colour = {0.33f, 0.36f, 0.39f};

int preview_is_mesh(const char *path)
{
	const spate_format *format = spate_format_of_path(path);
	if (!format || !(format->reads & SPATE_FORMAT_TRIANGLES))
		return 0;
	return strcmp(format->suffix, ".spate") != 0 || mesh_frame_is(path);
}

// ------------------------------------------------------------------------------------------------------------- reading

void preview_model_free(preview_model *model)
{
	draw_model_free(&model->model);
	spate_mesh_destroy(model->mesh);
	texture_free(&model->wet);
	*model = (preview_model){0};
}

// Makes the model of the mesh, which is destroyed on failure.
static spate_result make_model(preview_model *model, float crease, int threads, spate_error *error)
{
	spate_result result = draw_model_init(&model->model, model->mesh, crease, threads, error);
	if (result != SPATE_OK)
	{
		spate_mesh_destroy(model->mesh);
		model->mesh = NULL;
	}
	return result;
}

// A file that cannot be read is not tried again.
static spate_result read_model(preview_model *model, const char *path, float crease, int threads, spate_error *error)
{
	if (model->mesh && strcmp(model->path.text, path) == 0)
		return SPATE_OK;
	preview_model_free(model);
	snprintf(model->path.text, sizeof model->path.text, "%s", path);
	spate_result result = mesh_read_surface(&model->mesh, path, NULL, error);
	if (result != SPATE_OK)
	{
		model->mesh = NULL;
		return result;
	}
	return make_model(model, crease, threads, error);
}

// ------------------------------------------------------------------------------------------------------------ surfaces

static int compare_numbers(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

// Adds the frames of one series of files to the sequence, in ascending order.
static spate_result list_part(spate_preview *s, const char *name, int fluid, const char *extension, spate_error *error)
{
	run_numbers own = {0};
	size_t before = s->frames.count, at = 0;
	spate_result result = run_list_meshes(s->mesh_folder.text, name, extension, &own, error);
	if (result == SPATE_OK && own.count > 0)
	{
		s->mesh_extension = extension;
		if (!array_push(&s->parts, (preview_part){name, fluid}))
			result = error_memory(error, sizeof(preview_part));
	}
	for (size_t i = 0; i < own.count && result == SPATE_OK; i++)
	{
		while (at < before && s->frames.data[at] < own.data[i])
			at++;
		if ((at == before || s->frames.data[at] != own.data[i]) && !array_push(&s->frames, own.data[i]))
			result = error_memory(error, sizeof own.data[i]);
	}
	if (s->frames.count > before && before > 0)
		qsort(s->frames.data, s->frames.count, sizeof *s->frames.data, compare_numbers);
	array_free(&own);
	return result;
}

// Lists the selected series; by default the one without a fluid's name, else those of the fluids, else the combined one.
static spate_result list_parts(spate_preview *s, const char *extension, spate_error *error)
{
	const char *fluid = s->def.fluid;
	const spate_world_def *world = &s->scene.world;
	spate_result result = fluid ? SPATE_OK : list_part(s, "", 0, extension, error);
	int known = 0;
	uint32_t fluids = s->parts.count > 0 ? 0 : world->fluid_count;
	for (uint32_t f = 0; f < fluids && result == SPATE_OK; f++)
	{
		if (fluid && strcmp(fluid, world->fluids[f].name) != 0)
			continue;
		known = 1;
		result = list_part(s, world->fluids[f].name, (int)f, extension, error);
	}
	if (result == SPATE_OK && s->parts.count == 0 && (!fluid || !known))
		result = list_part(s, fluid ? fluid : RUN_INTERFACES, 0, extension, error);
	return result;
}

// In the run's own folder, surfaces without a frame are left from a longer run that was here before. A run without any frames keeps
// its surfaces: somebody needed the room.
static spate_result leave_out_gone(spate_preview *s, spate_error *error)
{
	run_numbers frames = {0}, gone = {0};
	spate_result result = run_list_frames(s->def.input, &frames, error);
	if (result == SPATE_OK && frames.count > 0)
		result =
		    run_numbers_keep(&s->frames, &frames, &gone) ? SPATE_OK : error_memory(error, sizeof *gone.data);
	if (result == SPATE_OK && gone.count > 0)
		job_warn(&s->def.job, "%s has surfaces of frames that the run no longer has, which are left out: %s",
			 s->mesh_folder.text, job_numbers_text(&gone).text);
	if (result == SPATE_OK && s->frames.count == 0)
		result =
		    error_set(error, SPATE_MISSING,
			      "%s has no surfaces of the frames of the run; create them with `spate_mesh_job_run()`",
			      s->mesh_folder.text);
	array_free(&frames);
	array_free(&gone);
	return result;
}

spate_result preview_list_meshes(spate_preview *s, spate_error *error)
{
	const spate_preview_def *d = &s->def;
	run_path own = run_file_path(d->input, RUN_MESHES);
	s->mesh_folder = own;
	if (d->mesh_folder)
		snprintf(s->mesh_folder.text, sizeof s->mesh_folder.text, "%s", d->mesh_folder);
	const spate_format *format;
	for (uint32_t n = 0; (format = spate_format_at(n)); n++)
	{
		if (!(format->reads & SPATE_FORMAT_TRIANGLES))
			continue;
		spate_result result = list_parts(s, format->suffix, error);
		if (result == SPATE_OK && s->frames.count > 0 && job_is_same_file(s->mesh_folder.text, own.text))
			return leave_out_gone(s, error);
		if (result != SPATE_OK || s->frames.count > 0)
			return result;
	}
	return error_set(error, SPATE_MISSING,
			 "%s has no surfaces such as mesh_%s%s000001.ply; create them with `spate_mesh_job_run()`",
			 s->mesh_folder.text, d->fluid ? d->fluid : "", d->fluid ? "_" : "");
}

static int is_outdated(const spate_preview *s, const preview_part *part, int64_t frame)
{
	run_path mesh = run_fluid_mesh_path(s->mesh_folder.text, part->name, frame, s->mesh_extension),
		 particles = run_frame_path(s->def.input, frame);
	return mesh_file_is_outdated(mesh.text, particles.text);
}

void preview_warn_outdated(const spate_preview *s)
{
	size_t outdated = 0;
	int64_t first = 0;
	for (size_t n = 0; n < s->frames.count && s->surfaces && !s->single; n++)
		for (size_t p = 0; p < s->parts.count; p++)
			if (is_outdated(s, &s->parts.data[p], s->frames.data[n]) && outdated++ == 0)
				first = s->frames.data[n];
	if (outdated > 0)
		job_warn(&s->def.job,
			 "surfaces older than the frames of the run: %zu, from frame %" PRId64
			 " on; `spate_mesh_job_run` remakes them",
			 outdated, first);
}

static int is_newer(const char *path, const char *than)
{
	struct stat a, b;
	if (stat(path, &a) != 0 || stat(than, &b) != 0)
		return 0;
	return a.st_mtim.tv_sec != b.st_mtim.tv_sec ? a.st_mtim.tv_sec > b.st_mtim.tv_sec
						    : a.st_mtim.tv_nsec >= b.st_mtim.tv_nsec;
}

int preview_is_newer(const spate_preview *s, size_t n, const char *picture)
{
	if (!s->surfaces || s->single)
		return is_newer(picture, preview_sequence_path(s, n).text);
	int newer = 1;
	for (size_t p = 0; p < s->parts.count && newer; p++)
		newer = is_newer(picture, run_fluid_mesh_path(s->mesh_folder.text, s->parts.data[p].name,
							      s->frames.data[n], s->mesh_extension)
					      .text);
	return newer;
}

static spate_result keep_surface(spate_preview *s, spate_mesh *mesh, int fluid, spate_error *error)
{
	preview_surface surface = {.of = {.mesh = mesh}, .fluid = fluid};
	spate_result result = make_model(&surface.of, liquid_crease, s->def.job.threads, error);
	if (result == SPATE_OK && !array_push(&s->surfaces_read, surface))
	{
		preview_model_free(&surface.of);
		result = error_memory(error, sizeof surface);
	}
	return result;
}

// Reads a surface file. A mesh of interfaces is split into the surfaces of its fluids.
static spate_result read_part(spate_preview *s, const char *path, int fluid, spate_error *error)
{
	spate_mesh *mesh;
	spate_result result = mesh_read_surface(&mesh, path, NULL, error);
	if (result != SPATE_OK)
		return result;
	if (!mesh->sides)
		return keep_surface(s, mesh, fluid, error);
	for (uint32_t f = 1; f <= mesh_sides_last(mesh) && result == SPATE_OK; f++)
	{
		spate_mesh *own;
		result = mesh_sides_extract(&own, mesh, f, error);
		if (result == SPATE_OK)
			result = keep_surface(s, own, (int)f - 1, error);
	}
	spate_mesh_destroy(mesh);
	return result;
}

void preview_surfaces_free(spate_preview *s)
{
	for (size_t i = 0; i < s->surfaces_read.count; i++)
		preview_model_free(&s->surfaces_read.data[i].of);
	array_free(&s->surfaces_read);
	s->surfaces_of = -1;
}

spate_result preview_read_surfaces(spate_preview *s, size_t n, spate_error *error)
{
	if (s->surfaces_of == (int64_t)n)
		return SPATE_OK;
	preview_surfaces_free(s);
	spate_result result = SPATE_OK;
	if (s->single)
		result = read_part(s, s->def.input, 0, error);
	for (size_t p = 0; p < s->parts.count && result == SPATE_OK; p++)
	{
		const preview_part *part = &s->parts.data[p];
		run_path path =
		    run_fluid_mesh_path(s->mesh_folder.text, part->name, s->frames.data[n], s->mesh_extension);
		result = read_part(s, path.text, part->fluid, error);
	}
	if (result == SPATE_OK)
		s->surfaces_of = (int64_t)n;
	else
		preview_surfaces_free(s);
	return result;
}

double preview_surface_time(const spate_preview *s, size_t n)
{
	return s->has_scene && s->scene.world.fps > 0.0 ? (double)s->frames.data[n] / s->scene.world.fps : 0.0;
}

// ----------------------------------------------------------------------------------------------------------- colliders

// The file of a mesh at a time; of a sequence, the nearest frame.
static spate_result path_at(const spate_preview *s, const spate_mesh_def *mesh, double time, run_path *out,
			    spate_error *error)
{
	if (!sequence_is_pattern(mesh->path))
	{
		snprintf(out->text, sizeof out->text, "%s", mesh->path);
		return SPATE_OK;
	}
	double fps = mesh->fps > 0.0 ? mesh->fps : s->scene.world.fps;
	double frame = (double)mesh->first + floor((time - mesh->start) * fps + 0.5);
	frame = fmax((double)mesh->first, fmin((double)mesh->last, frame));
	return sequence_path(out->text, sizeof out->text, mesh->path, (int64_t)frame, error);
}

static vec3 near_origin(const double p[3], const double origin[3])
{
	return vec3_make((float)(p[0] - origin[0]), (float)(p[1] - origin[1]), (float)(p[2] - origin[2]));
}

// Applies the mesh's own placement, then the pose: x = P (p (M (m v) + place)) + t.
static void put_mesh(const spate_preview *s, uint32_t number, const double origin[3], draw_mesh *out)
{
	const spate_collider_def *c = &s->scene.world.colliders[number];
	double own[9];
	motion_rotation(c->mesh.rotation, own);
	rigid pose = preview_pose(s, number, origin);
	for (int row = 0; row < 3; row++)
		for (int column = 0; column < 3; column++)
		{
			double sum = 0.0;
			for (int k = 0; k < 3; k++)
				sum += (double)pose.rotation[3 * row + k] * own[3 * k + column];
			out->rotation[3 * row + column] = (float)sum;
		}
	out->scale = pose.scale * (float)c->mesh.scale;
	out->translation = rigid_to_world(&pose, near_origin(c->mesh.position, origin));
}

// The collider's wet map of the frame at a time, if there is one. Only PNG maps of a run are read, none for single frames.
static const texture *read_wet(spate_preview *s, uint32_t number, double time)
{
	const spate_collider_def *defs = s->scene.world.colliders;
	texture *wet = &s->models.data[number].wet;
	texture_free(wet);
	if (defs[number].wet.size == 0 || defs[number].wet.format != SPATE_IMAGE_PNG || s->single)
		return NULL;
	char name[WET_NAME_CHARS];
	wet_map_name(defs, number, name);
	run_path path = wet_file_path(s->def.input, name, NULL, llround(time * s->scene.world.fps), SPATE_IMAGE_PNG);
	return texture_read(wet, path.text, NULL) == SPATE_OK ? wet : NULL;
}

// Gives a model the shape of a body that bends. Returns whether it has one.
static int bend_model(const spate_preview *s, uint32_t number, preview_model *model)
{
	const preview_shape *shape = number < s->bent.count ? &s->bent.data[number] : NULL;
	if (!shape || !shape->places || shape->count != model->mesh->vertex_count)
		return 0;
	memcpy(model->mesh->positions, shape->places, 3 * sizeof(float) * shape->count);
	draw_model_free(&model->model);
	return make_model(model, collider_crease, s->def.job.threads, NULL) == SPATE_OK;
}

int preview_collider_mesh(spate_preview *s, uint32_t number, const double origin[3], double time, draw_mesh *out)
{
	const spate_collider_def *c = &s->scene.world.colliders[number];
	preview_model *model = &s->models.data[number];
	run_path path = {{0}};
	spate_error error = {0};
	if (!c->mesh.path)
		return 0;
	spate_result result = path_at(s, &c->mesh, time, &path, &error);
	if (result == SPATE_OK && !model->mesh && strcmp(model->path.text, path.text) == 0)
		return 0;
	if (result == SPATE_OK)
		result = read_model(model, path.text, collider_crease, s->def.job.threads, &error);
	if (result != SPATE_OK)
	{
		job_warn(&s->def.job, "collider skipped: %s", error.text);
		s->left_out++;
		return 0;
	}
	int bent = bend_model(s, number, model);
	int container = c->mode == SPATE_COLLIDER_INSIDE;
	*out = (draw_mesh){.model = &model->model,
			   .look = DRAW_MESH_MATT,
			   .container = container,
			   .colour = container ? container_colour : obstacle_colour,
			   .wet = read_wet(s, number, time)};
	if (bent)
	{
		for (int k = 0; k < 9; k++)
			out->rotation[k] = k % 4 == 0 ? 1.0f : 0.0f;
		out->scale = 1.0f;
		out->translation = near_origin(s->bent.data[number].origin, origin);
	}
	else
		put_mesh(s, number, origin, out);
	return 1;
}
