// One mesh: from the particles of a frame to a file.
#include "base/error.h"
#include "base/file.h"
#include "bridge/vdb_surface.h"
#include "cache/mesh_frame.h"
#include "cli/mesh.h"
#include "export/mesh_write.h"
#include "surface/walls.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

// How far a vertex may be moved out of a wall, in spacings.
#define KEEP_OUT_REACH 2.0

spate_result mesh_read_particles(const mesh_job *j, size_t n, particle_set *set, spate_error *error)
{
	const mesh_options *o = j->options;
	const char *wanted[MESH_MAX_CHANNELS + 1];
	uint32_t count = 0;
	for (; count < o->channel_count; count++)
		wanted[count] = o->channels[count];
	if (j->parts.data[0].fluid >= 0)
		wanted[count++] = "fluid";
	return particles_read(set, mesh_job_source(j, n).text, wanted, count, error);
}

// ------------------------------------------------------------------------------------------------------------- the input

// What a surface is made of. Rows of one fluid are copied, all of the liquid is taken as it is.
typedef struct mesh_input
{
	uint32_t *rows; // NULL for all
	uint32_t count;
	float *copies[MESH_MAX_CHANNELS + 1]; // owned
	uint32_t copy_count;
	spate_surface_channel channels[MESH_MAX_CHANNELS];
	spate_surface_input input;
} mesh_input;

static void free_input(mesh_input *in)
{
	for (uint32_t i = 0; i < in->copy_count; i++)
		mem_free(in->copies[i]);
	mem_free(in->rows);
}

static spate_result choose_rows(mesh_input *in, const mesh_part *part, const particle_set *set, spate_error *error)
{
	const spate_mesh_channel *fluid = spate_mesh_find_channel(set->points, "fluid");
	uint32_t all = set->points->vertex_count;
	in->count = all;
	if (part->fluid < 0 || all == 0)
		return SPATE_OK;
	in->rows = mem_alloc((size_t)all * sizeof *in->rows);
	if (!in->rows)
		return error_memory(error, (size_t)all * sizeof *in->rows);
	in->count = 0;
	// frames without the channel hold the first fluid alone
	for (uint32_t i = 0; i < all; i++)
		if ((fluid ? (int)fluid->values[i] : 0) == part->fluid)
			in->rows[in->count++] = i;
	return SPATE_OK;
}

// Values of the chosen rows; NULL when out of memory.
static const float *take(mesh_input *in, const float *values, uint32_t components)
{
	if (!in->rows)
		return values;
	size_t size = components * sizeof(float);
	float *copy = mem_alloc(((size_t)in->count + 1) * size);
	if (!copy)
		return NULL;
	in->copies[in->copy_count++] = copy;
	for (size_t i = 0; i < in->count; i++)
		memcpy(copy + i * components, values + (size_t)in->rows[i] * components, size);
	return copy;
}

// Colours of the fluids, where frames have none of their own.
static const float *paint(mesh_input *in, const mesh_job *j, const mesh_part *part)
{
	float *copy = mem_alloc(((size_t)in->count + 1) * 3 * sizeof(float));
	if (!copy)
		return NULL;
	in->copies[in->copy_count++] = copy;
	const double *color = j->scene.world.fluids[part->fluid > 0 ? part->fluid : 0].color;
	for (size_t i = 0; i < 3 * (size_t)in->count; i++)
		copy[i] = (float)color[i % 3];
	return copy;
}

static spate_result no_channel(const mesh_job *j, size_t n, const char *name, const spate_mesh *points,
			       spate_error *error)
{
	buffer there = {0};
	particle_set all = {0};
	if (particles_read(&all, mesh_job_source(j, n).text, NULL, 0, NULL) == SPATE_OK)
		points = all.points;
	for (uint32_t i = 0; i < points->channel_count; i++)
		buffer_add(&there, "%s%s", i ? ", " : "", points->channels[i].name);
	spate_result result =
	    error_set(error, SPATE_INVALID, "%s has no channel '%s' for --channels; it has %.200s",
		      mesh_job_source(j, n).text, name, there.text && *there.text ? there.text : "none");
	particles_free(&all);
	buffer_free(&there);
	return result;
}

static spate_result add_channels(mesh_input *in, const mesh_job *j, size_t n, const mesh_part *part,
				 const particle_set *set, spate_error *error)
{
	const mesh_options *o = j->options;
	for (uint32_t i = 0; i < o->channel_count; i++)
	{
		spate_surface_channel *to = &in->channels[in->input.channel_count];
		const spate_mesh_channel *from = spate_mesh_find_channel(set->points, o->channels[i]);
		int painted = !from && j->has_scene && strcmp(o->channels[i], "color") == 0;
		if (!from && !painted && !o->channels_given)
			continue;
		if (!from && !painted)
			return no_channel(j, n, o->channels[i], set->points, error);
		*to = (spate_surface_channel){.name = o->channels[i], .components = painted ? 3 : from->components};
		to->values = painted ? paint(in, j, part) : take(in, from->values, from->components);
		if (!to->values)
			return error_memory(error, (size_t)in->count * to->components * sizeof(float));
		in->input.channel_count++;
	}
	in->input.channels = in->channels;
	return SPATE_OK;
}

static spate_result prepare(mesh_input *in, const mesh_job *j, size_t n, const mesh_part *part, const particle_set *set,
			    spate_error *error)
{
	spate_result result = choose_rows(in, part, set, error);
	if (result != SPATE_OK)
		return result;
	in->input.count = in->count;
	in->input.spacing = part->spacing;
	in->input.positions = take(in, set->points->positions, 3);
	if (!in->input.positions)
		return error_memory(error, (size_t)in->count * 3 * sizeof(float));
	return add_channels(in, j, n, part, set, error);
}

// ------------------------------------------------------------------------------------------------------------------ walls

// The scene's colliders around the frame's origin; made once, as long as the origin stays.
static spate_result build_walls(mesh_job *j, const double origin[3], spate_error *error)
{
	const spate_world_def *world = &j->scene.world;
	char folder[4096];
	if (j->has_walls && memcmp(j->walls.origin, origin, sizeof j->walls.origin) == 0)
		return SPATE_OK;
	if (j->has_walls)
		collider_set_destroy(&j->walls);
	collider_world around = {.fps = world->fps,
				 .spacing = INFINITY,
				 .field_folder = run_field_folder(folder, sizeof folder),
				 .threads = j->threads};
	memcpy(around.origin, origin, sizeof around.origin);
	for (uint32_t f = 0; f < world->fluid_count; f++)
	{
		around.spacing = fminf(around.spacing, (float)world->fluids[f].spacing);
		around.radius = fmaxf(around.radius, (float)(RADIUS_IN_SPACINGS * world->fluids[f].spacing));
	}
	spate_result result = collider_set_create(&j->walls, world->colliders, world->collider_count, &around, error);
	j->has_walls = result == SPATE_OK;
	return result;
}

static spate_result keep_out(mesh_job *j, const mesh_part *part, const particle_set *set, spate_mesh *mesh,
			     uint32_t *moved, spate_error *error)
{
	spate_result result = build_walls(j, set->origin, error);
	if (result == SPATE_OK)
		result = collider_set_move(&j->walls, set->time, set->time, error);
	if (result == SPATE_OK)
		result = surface_keep_out(mesh, &j->walls, (float)(KEEP_OUT_REACH * part->spacing), j->threads, moved,
					  error);
	return result;
}

// ------------------------------------------------------------------------------------------------------------------ files

static spate_result write_vdb(const mesh_job *j, size_t n, const mesh_part *part, const particle_set *set,
			      const spate_mesh *mesh, const mesh_note *note, spate_error *error)
{
	run_path path = mesh_job_target(j, n, part, ".vdb");
	file_writer writer;
	spate_result result = file_begin(&writer, path.text, error);
	if (result != SPATE_OK)
		return result;
	// OpenVDB opens the temporary by its name
	result = vdb_write_level_set(mesh, set->origin, j->options->def.cell * part->spacing, j->threads, note->text,
				     writer.temporary, error);
	if (result == SPATE_OK)
		return file_commit(&writer, error);
	file_abandon(&writer);
	return result;
}

static spate_result write_mesh(const mesh_job *j, const particle_set *set, spate_mesh *mesh, const mesh_note *note,
			       const char *path, spate_error *error)
{
	if (strcmp(j->options->extension, ".spate") == 0)
	{
		mesh_frame_def def = {
		    .frame = set->frame, .time = set->time, .note = note->text, .threads = j->threads};
		memcpy(def.origin, set->origin, sizeof def.origin);
		return mesh_frame_write(path, mesh, &def, error);
	}
	// other formats know nothing of origins
	for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++)
		mesh->positions[i] = (float)((double)mesh->positions[i] + set->origin[i % 3]);
	return mesh_write_noted(mesh, note->text, path, error);
}

spate_result mesh_make(mesh_job *j, size_t n, mesh_part *part, const particle_set *set, const mesh_note *note,
		       mesh_row *row, spate_error *error)
{
	mesh_input in = {.rows = NULL};
	spate_mesh *mesh = NULL;
	spate_surface_stats stats = {0};
	spate_surface_def def = j->options->def;
	def.threads = j->threads;
	for (int k = 0; k < 3; k++)
	{
		def.clip_min[k] -= set->origin[k];
		def.clip_max[k] -= set->origin[k];
	}
	row->path = mesh_job_target(j, n, part, j->options->extension);
	spate_result result = prepare(&in, j, n, part, set, error);
	if (result == SPATE_OK)
		result = spate_surface_create_mesh(&mesh, &in.input, &def, &stats, error);
	free_input(&in);
	if (result == SPATE_OK && j->options->walls)
		result = keep_out(j, part, set, mesh, &row->moved, error);
	// the level set first: what tells that all is done comes last
	if (result == SPATE_OK && j->options->vdb)
		result = write_vdb(j, n, part, set, mesh, note, error);
	if (result == SPATE_OK)
		result = write_mesh(j, set, mesh, note, row->path.text, error);
	row->particles = stats.particles;
	row->vertices = stats.vertices;
	row->triangles = stats.triangles;
	row->volume = stats.volume;
	row->area = stats.area;
	spate_mesh_destroy(mesh);
	return result;
}
