// Makes all meshes of a frame with several fluids: the closed surface of each, and all interfaces as one mesh.
#include "base/error.h"
#include "base/memory.h"
#include "job/mesh_job.h"
#include "mesh/measure.h"

static spate_result create(spate_surface_many **many, const mesh_job *j, const mesh_input *in, uint32_t fluids,
			   const particle_set *set, spate_error *error)
{
	spate_surface_input inputs[SPATE_SURFACE_MAX_FLUIDS];
	spate_surface_def def = mesh_surface_def(j, set);
	for (uint32_t f = 0; f < fluids; f++)
		inputs[f] = in[f].input;
	if (j->def->interfaces == SPATE_MESH_INTERFACES_GRID)
		return spate_surface_create_meshes(many, fluids, inputs, &def, NULL, error);
	def.clip = 0;
	return spate_surface_chromatic(many, fluids, inputs, &def, NULL, error);
}

static spate_result write_part(mesh_job *j, size_t n, size_t p, const particle_set *set, spate_mesh *mesh,
			       uint32_t particles, const mesh_note *note, double seconds, spate_error *error)
{
	mesh_row row = {.made = {.frame = j->frames.data[n], .particles = particles, .seconds = seconds}};
	spate_mesh_measure measure;
	spate_result result = mesh_measure_all(&measure, mesh, error);
	if (result == SPATE_OK)
		result = mesh_finish(j, n, &j->parts.data[p], set, mesh, note, &row, error);
	// a mesh of interfaces has no single volume, because each triangle bounds two fluids
	row.made.volume = mesh->sides ? 0.0 : measure.volume;
	row.made.area = measure.area;
	return result == SPATE_OK ? mesh_keep(j, &row, error) : result;
}

spate_result mesh_make_many(mesh_job *j, size_t n, uint64_t source, spate_error *error)
{
	uint32_t fluids = (uint32_t)j->parts.count - 1, particles = 0, wanted = 0;
	mesh_note notes[SPATE_SURFACE_MAX_FLUIDS + 1];
	int done[SPATE_SURFACE_MAX_FLUIDS + 1];
	for (uint32_t p = 0; p <= fluids; p++)
	{
		notes[p] = mesh_note_make(j, &j->parts.data[p], source);
		done[p] = mesh_is_done(j, n, &j->parts.data[p], &notes[p]);
		wanted += !done[p];
	}
	if (wanted == 0)
		return SPATE_OK;
	double begin = job_clock();
	particle_set set = {0};
	spate_surface_many *many = NULL;
	mesh_input *in = mem_calloc(fluids, sizeof *in);
	spate_result result = in ? mesh_read_particles(j, n, &set, error) : error_memory(error, fluids * sizeof *in);
	for (uint32_t f = 0; f < fluids && result == SPATE_OK; f++)
	{
		result = mesh_input_init(&in[f], j, n, &j->parts.data[f], &set, error);
		particles += in[f].count;
	}
	if (result == SPATE_OK)
		result = create(&many, j, in, fluids, &set, error);
	double seconds = (job_clock() - begin) / wanted;
	if (result == SPATE_OK)
	{
		// move the sides to the mesh, which owns them now
		many->combined->sides = many->sides;
		many->sides = NULL;
	}
	for (uint32_t p = 0; p <= fluids && result == SPATE_OK; p++)
		if (!done[p])
			result = write_part(j, n, p, &set, p < fluids ? many->fluids[p] : many->combined,
					    p < fluids ? in[p].count : particles, &notes[p], seconds, error);
	spate_surface_many_destroy(many);
	for (uint32_t f = 0; in && f < fluids; f++)
		mesh_input_free(&in[f]);
	mem_free(in);
	particles_free(&set);
	return result;
}
