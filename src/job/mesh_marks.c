// Marks particles near the surface. The marks of a frame depend on those of earlier frames, so every frame of the run up to the wanted one
// is processed, whichever frames are selected.
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "export/mesh_write.h"
#include "job/mesh_job.h"
#include "spate/frame.h"

#include <stdio.h>
#include <string.h>

// Decay of the thresholds (1/s) that suits the time between frames.
#define MARKS_DECAY 2.0

void mesh_marks_free(mesh_history *h)
{
	spate_surface_marker_destroy(h->marker);
	array_free(&h->frames);
}

static spate_result begin(mesh_job *j, spate_error *error)
{
	mesh_history *h = &j->history;
	spate_surface_marker_def def = spate_default_surface_marker_def();
	def.spacing = j->parts.data[0].spacing;
	def.criterion = j->def->criterion;
	def.decay = MARKS_DECAY;
	def.threads = j->threads;
	if (h->marker)
		return SPATE_OK;
	spate_result result = spate_surface_marker_create(&h->marker, &def, error);
	return result == SPATE_OK ? run_list_frames(j->def->input, &h->frames, error) : result;
}

spate_result mesh_marks_hash(mesh_job *j, size_t n, uint64_t *hash, spate_error *error)
{
	mesh_history *h = &j->history;
	spate_result result = begin(j, error);
	for (; result == SPATE_OK && h->hashed < h->frames.count && h->frames.data[h->hashed] <= j->frames.data[n];
	     h->hashed++)
	{
		uint64_t one = 0;
		result = particles_hash(run_frame_path(j->def->input, h->frames.data[h->hashed]).text, &one, error);
		h->hash = hash_bytes(&one, sizeof one, h->hash);
	}
	*hash = h->hash;
	return result;
}

void mesh_marks_rewind(mesh_history *h)
{
	h->hashed = 0;
	h->hash = 0;
}

// ------------------------------------------------------------------------------------------------------------------ marks

// The particles of a frame that are marked, and their marks.
typedef struct marked
{
	particle_set set;
	mesh_input in;
	spate_frame *frame;
	const int64_t *all_ids; // of the frame
	int64_t *ids;
	uint8_t *marks;
} marked;

static void marked_free(marked *m)
{
	spate_frame_close(m->frame);
	mesh_input_free(&m->in);
	particles_free(&m->set);
	mem_free(m->ids);
	mem_free(m->marks);
}

static spate_result read_particles(marked *m, const mesh_job *j, const char *path, spate_error *error)
{
	const char *wanted[SPATE_MESH_JOB_MAX_CHANNELS + 1];
	const void *ids = NULL;
	spate_type type = SPATE_INT64;
	uint32_t count = 0;
	for (; count < j->channel_count; count++)
		wanted[count] = j->channels[count];
	wanted[count++] = "fluid";
	spate_result result = particles_read(&m->set, path, wanted, count, error);
	if (result == SPATE_OK)
		result = spate_frame_open(path, &m->frame, error);
	if (result == SPATE_OK)
		result = spate_frame_channel(m->frame, "id", &type, &ids, error);
	if (result == SPATE_OK && type != SPATE_INT64)
		result = error_set(error, SPATE_FORMAT, "%s: channel id is %s, not int64", path, spate_type_name(type));
	m->all_ids = ids;
	return result;
}

static spate_result prepare(marked *m, const mesh_job *j, size_t n, spate_error *error)
{
	spate_result result = mesh_input_init(&m->in, j, n, &j->parts.data[0], &m->set, error);
	if (result != SPATE_OK)
		return result;
	size_t room = (size_t)m->in.count + 1;
	m->ids = mem_alloc(room * sizeof *m->ids);
	m->marks = mem_calloc(room, 1);
	if (!m->ids || !m->marks)
		return error_memory(error, room * (sizeof *m->ids + 1));
	for (uint32_t i = 0; i < m->in.count; i++)
		m->ids[i] = m->all_ids[m->in.rows ? m->in.rows[i] : i];
	return SPATE_OK;
}

// The density is computed from positions, because the solver's density hardly drops towards the surface.
static spate_result mark(marked *m, mesh_job *j, size_t n, const char *path, spate_error *error)
{
	spate_result result = read_particles(m, j, path, error);
	if (result == SPATE_OK)
		result = prepare(m, j, n, error);
	if (result == SPATE_OK)
		result = spate_surface_marker_update(j->history.marker, m->set.time, m->in.count, m->ids,
						     m->in.input.positions, NULL, m->marks, error);
	return result;
}

// ------------------------------------------------------------------------------------------------------------------ files

static const char channel_name[] = "near_surface";

// Makes points with the selected channels and the marks.
static spate_result make_points(spate_mesh **points, const marked *m, spate_error *error)
{
	spate_mesh_channel *channel;
	spate_result result = spate_mesh_create(points, m->in.count, 0, error);
	if (result == SPATE_OK)
		memcpy((*points)->positions, m->in.input.positions, 3 * (size_t)m->in.count * sizeof(float));
	for (uint32_t i = 0; i < m->in.input.channel_count && result == SPATE_OK; i++)
	{
		const spate_surface_channel *c = &m->in.channels[i];
		result = spate_mesh_add_channel(*points, c->name, c->components, &channel, error);
		if (result == SPATE_OK)
			memcpy(channel->values, c->values, (size_t)m->in.count * c->components * sizeof(float));
	}
	if (result == SPATE_OK)
		result = spate_mesh_add_channel(*points, channel_name, 1, &channel, error);
	for (uint32_t i = 0; i < m->in.count && result == SPATE_OK; i++)
		channel->values[i] = m->marks[i];
	return result;
}

static spate_result write_marked(const mesh_job *j, const marked *m, const mesh_note *note, mesh_row *row,
				 spate_error *error)
{
	spate_mesh *points = NULL;
	file_extras extras = mesh_extras(j, &j->parts.data[0], &m->set, note);
	extras.ids = m->ids;
	spate_result result = make_points(&points, m, error);
	if (result == SPATE_OK && extras.z_up)
		mesh_turn(points, extras.origin, j->threads);
	if (result == SPATE_OK)
		result = points_write(points, &extras, row->path.text, error);
	row->made.particles = m->in.count;
	for (uint32_t i = 0; i < m->in.count; i++)
		row->made.marked += m->marks[i];
	spate_mesh_destroy(points);
	return result;
}

spate_result mesh_marks_make(mesh_job *j, size_t n, const mesh_note *note, mesh_row *row, spate_error *error)
{
	mesh_history *h = &j->history;
	int64_t last = j->frames.data[n];
	spate_result result = begin(j, error);
	row->path = mesh_job_target(j, n, &j->parts.data[0], j->suffix);
	for (; result == SPATE_OK && h->known < h->frames.count && h->frames.data[h->known] <= last; h->known++)
	{
		marked m = {.frame = NULL};
		int64_t frame = h->frames.data[h->known];
		result = mark(&m, j, n, run_frame_path(j->def->input, frame).text, error);
		if (result == SPATE_OK && frame == last)
			result = write_marked(j, &m, note, row, error);
		// a damaged frame is an error only if it is the wanted one; otherwise the marks continue without it
		else if (result == SPATE_FORMAT && frame != last)
			result = SPATE_OK;
		marked_free(&m);
	}
	return result;
}
