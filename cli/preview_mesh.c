// Meshes of a preview: those of colliders, read once and put where they are, and surfaces of the liquid, one per frame.
#include "base/error.h"
#include "cache/mesh_frame.h"
#include "cache/wet_files.h"
#include "cli/preview.h"
#include "collider/motion.h"
#include "mesh/sequence.h"
#include "world/wet.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

// Edges of colliders sharper than this stay edges; a liquid has none.
static const float collider_crease = 50.0f, liquid_crease = 180.0f; // degrees

static const vec3 obstacle_colour = {0.40f, 0.38f, 0.36f}, container_colour = {0.33f, 0.36f, 0.39f};

// What surfaces may be written as, in the order in which they are looked for.
static const char *const extensions[] = {".ply", ".obj", ".stl", ".off", ".spate"};

enum
{
	EXTENSIONS = sizeof extensions / sizeof *extensions
};

int preview_is_mesh(const char *path)
{
	const char *dot = strrchr(path, '.');
	int found = 0;
	for (size_t k = 0; dot && k < EXTENSIONS; k++)
		found |= strcasecmp(dot, extensions[k]) == 0;
	return found && (strcmp(dot, ".spate") != 0 || mesh_frame_is(path));
}

// ------------------------------------------------------------------------------------------------------------- reading

void preview_model_free(preview_model *model)
{
	draw_model_free(&model->model);
	spate_mesh_destroy(model->mesh);
	texture_free(&model->wet);
	*model = (preview_model){0};
}

// A file that cannot be read is not asked for again.
static spate_result read_model(preview_model *model, const char *path, float crease, int threads, spate_error *error)
{
	if (model->mesh && strcmp(model->path.text, path) == 0)
		return SPATE_OK;
	preview_model_free(model);
	snprintf(model->path.text, sizeof model->path.text, "%s", path);
	spate_result result = mesh_frame_is(path) ? mesh_frame_read(&model->mesh, path, error)
						  : spate_mesh_read(&model->mesh, path, error);
	if (result != SPATE_OK)
	{
		model->mesh = NULL;
		return result;
	}
	result = draw_model_init(&model->model, model->mesh, crease, threads, error);
	if (result != SPATE_OK)
	{
		spate_mesh_destroy(model->mesh);
		model->mesh = NULL;
	}
	return result;
}

// ------------------------------------------------------------------------------------------------------------ surfaces

spate_result preview_list_meshes(preview_sequence *s, spate_error *error)
{
	const preview_options *o = s->options;
	if (o->mesh_folder)
		snprintf(s->mesh_folder.text, sizeof s->mesh_folder.text, "%s", o->mesh_folder);
	else
		s->mesh_folder = run_file_path(o->path, RUN_MESHES);
	for (size_t k = 0; k < EXTENSIONS; k++)
	{
		s->mesh_extension = extensions[k];
		spate_result result = run_list_meshes(s->mesh_folder.text, extensions[k], &s->frames, error);
		if (result != SPATE_OK || s->frames.count > 0)
			return result;
	}
	return error_set(error, SPATE_MISSING, "%s has no surfaces such as mesh_000001.ply", s->mesh_folder.text);
}

spate_result preview_read_surface(preview_sequence *s, size_t n, spate_error *error)
{
	return read_model(&s->surface, preview_sequence_path(s, n).text, liquid_crease, s->options->threads, error);
}

double preview_surface_time(const preview_sequence *s, size_t n)
{
	return s->has_scene && s->scene.world.fps > 0.0 ? (double)s->frames.data[n] / s->scene.world.fps : 0.0;
}

// ----------------------------------------------------------------------------------------------------------- colliders

// The file of a mesh at a time: of a sequence the frame that is nearest.
static spate_result path_at(const preview_sequence *s, const spate_mesh_def *mesh, double time, run_path *out,
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

// First the mesh's own place, then its motion: x = P (p (M (m v) + place)) + t.
static void put_mesh(const spate_collider_def *c, const double origin[3], double time, draw_mesh *out)
{
	double own[9];
	motion_rotation(c->mesh.rotation, own);
	rigid pose = motion_pose(&c->motion, origin, time);
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

// The collider's wet map of the frame at a time, as far as there is one: other formats than PNG and single frames go without.
static const texture *read_wet(preview_sequence *s, uint32_t number, double time)
{
	const spate_collider_def *defs = s->scene.world.colliders;
	texture *wet = &s->models.data[number].wet;
	texture_free(wet);
	if (defs[number].wet.size == 0 || defs[number].wet.format != SPATE_IMAGE_PNG || s->single)
		return NULL;
	char name[WET_NAME_CHARS];
	wet_map_name(defs, number, name);
	run_path path =
	    wet_file_path(s->options->path, name, NULL, llround(time * s->scene.world.fps), SPATE_IMAGE_PNG);
	return texture_read(wet, path.text, NULL) == SPATE_OK ? wet : NULL;
}

int preview_collider_mesh(preview_sequence *s, uint32_t number, const double origin[3], double time, draw_mesh *out)
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
		result = read_model(model, path.text, collider_crease, s->options->threads, &error);
	if (result != SPATE_OK)
	{
		complain(s->options->program, "collider left out: %s", error.text);
		s->left_out++;
		return 0;
	}
	int container = c->mode == SPATE_COLLIDER_INSIDE;
	*out = (draw_mesh){.model = &model->model,
			   .look = DRAW_MESH_MATT,
			   .container = container,
			   .colour = container ? container_colour : obstacle_colour,
			   .wet = read_wet(s, number, time)};
	put_mesh(c, origin, time, out);
	return 1;
}
