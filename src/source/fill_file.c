#include "source/fill_file.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Relative difference of spacings that are the same, and of one that was estimated from the places of particles.
#define SAME 1e-6
#define ALIKE 0.1

enum
{
	MOST_FLUIDS = 1 << 16
};

void fill_file_free(fill_file *f)
{
	if (!f)
		return;
	particles_free(&f->set);
	mem_free(f->fluid_of);
	mem_free(f);
}

uint32_t fill_file_fluid(const fill_file *f, uint32_t particle)
{
	return f->numbers ? f->fluid_of[(uint32_t)f->numbers[particle]] : f->fluid;
}

void fill_file_place(const fill_file *f, const spate_source_def *def, uint32_t particle, double place[3])
{
	for (size_t k = 0; k < 3; k++)
		place[k] =
		    (double)f->set.points->positions[3 * (size_t)particle + k] + f->set.origin[k] + def->position[k];
}

// "water, oil"
static void list_names(const spate_fluid_def *fluids, uint32_t count, char out[200])
{
	size_t used = 0;
	out[0] = '\0';
	for (uint32_t f = 0; f < count && used < 200; f++)
		used += (size_t)snprintf(out + used, 200 - used, "%s%s", f ? ", " : "",
					 fluids[f].name ? fluids[f].name : "(no name)");
}

static uint32_t find_fluid(const char *name, const spate_fluid_def *fluids, uint32_t count)
{
	uint32_t f = 0;
	while (f < count && !(fluids[f].name && strcmp(fluids[f].name, name) == 0))
		f++;
	return f;
}

// ------------------------------------------------------------------------------------------------------------- content

static spate_result check_places(const fill_file *f, const char *path, spate_error *error)
{
	const spate_mesh *points = f->set.points;
	if (points->vertex_count == 0)
		return error_set(error, SPATE_INVALID, "%s has no particles", path);
	for (size_t i = 0; i < 3 * (size_t)points->vertex_count; i++)
		if (!isfinite(points->positions[i]) || !isfinite(f->velocities[i]))
			return error_set(error, SPATE_INVALID, "%s: the %s of particle %zu is not finite", path,
					 isfinite(points->positions[i]) ? "velocity" : "position", i / 3);
	return SPATE_OK;
}

static spate_result find_velocities(fill_file *f, const char *path, spate_error *error)
{
	const spate_mesh_channel *velocity = spate_mesh_find_channel(f->set.points, "velocity");
	if (!velocity || velocity->components != 3)
		return error_set(error, SPATE_INVALID,
				 "%s has no velocity, so nothing can start from it; a run writes the channel if "
				 "output.channels names it",
				 path);
	f->velocities = velocity->values;
	for (size_t i = 0; i < 3 * (size_t)f->set.points->vertex_count; i += 3)
	{
		const float *v = f->velocities + i;
		f->fastest = fmax(f->fastest, hypot(hypot((double)v[0], (double)v[1]), (double)v[2]));
	}
	return SPATE_OK;
}

// -------------------------------------------------------------------------------------------------------------- fluids

// The numbers of the file's fluids as the particles have them; *most is the largest.
static spate_result find_numbers(fill_file *f, const char *path, uint32_t *most, spate_error *error)
{
	const spate_mesh_channel *numbers = spate_mesh_find_channel(f->set.points, "fluid");
	*most = 0;
	if (!numbers || numbers->components != 1)
		return SPATE_OK;
	for (uint32_t i = 0; i < f->set.points->vertex_count; i++)
	{
		float n = numbers->values[i];
		if (!(n >= 0.0f && n < (float)MOST_FLUIDS) || n != floorf(n))
			return error_set(error, SPATE_FORMAT,
					 "%s: the fluid of particle %u is %g, which is no number "
					 "of a fluid",
					 path, i, (double)n);
		*most = (uint32_t)n > *most ? (uint32_t)n : *most;
	}
	f->numbers = numbers->values;
	return SPATE_OK;
}

// Whether some particle has a fluid of the file.
static int is_used(const fill_file *f, uint32_t number)
{
	if (!f->numbers)
		return 1;
	for (uint32_t i = 0; i < f->set.points->vertex_count; i++)
		if ((uint32_t)f->numbers[i] == number)
			return 1;
	return 0;
}

// The fluid of the world that a fluid of the file becomes.
static spate_result map_fluid(fill_file *f, const spate_source_def *def, uint32_t number, const spate_fluid_def *fluids,
			      uint32_t fluid_count, spate_error *error)
{
	char known[200];
	const char *path = def->from;
	list_names(fluids, fluid_count, known);
	if (def->fluid < fluid_count)
		f->fluid_of[number] = def->fluid;
	else if (number < f->set.fluid_count)
		f->fluid_of[number] = find_fluid(f->set.fluids[number].name, fluids, fluid_count);
	else
		f->fluid_of[number] = fluid_count == 1 && !f->set.fluids ? 0 : fluid_count;
	if (f->fluid_of[number] < fluid_count)
		return SPATE_OK;
	if (number < f->set.fluid_count)
		return error_set(
		    error, SPATE_INVALID,
		    "%s has particles of '%.63s', and there is no fluid of that name (known: %s); choose one "
		    "for all particles, like fluid: %.63s",
		    path, f->set.fluids[number].name, known, fluids[0].name ? fluids[0].name : "water");
	return error_set(error, SPATE_INVALID,
			 "%s does not tell the name of its fluid %u; choose one for all particles, like fluid: %.63s",
			 path, number, fluids[0].name ? fluids[0].name : "water");
}

// Compares the spacing of a fluid of the file with that of the fluid it becomes.
static spate_result check_spacing(const fill_file *f, const char *path, uint32_t number, const spate_fluid_def *fluids,
				  spate_error *error)
{
	const spate_fluid_def *own = &fluids[f->fluid_of[number]];
	const char *name = own->name ? own->name : "the fluid";
	if (number < f->set.fluid_count)
	{
		double spacing = f->set.fluids[number].spacing;
		if (fabs(spacing - own->spacing) <= SAME * own->spacing)
			return SPATE_OK;
		return error_set(
		    error, SPATE_INVALID,
		    "%s was made with a spacing of %.9g m, and that of %.63s is %.9g m; they must be the same", path,
		    spacing, name, own->spacing);
	}
	double guess = particles_guess_spacing(f->set.points->positions, f->set.points->vertex_count);
	if (!(guess > 0.0) || f->numbers || fabs(guess - own->spacing) <= ALIKE * own->spacing)
		return SPATE_OK;
	return error_set(error, SPATE_INVALID,
			 "the particles of %s are about %.3g m apart, and the spacing of %.63s is %.9g m; they must be "
			 "the same",
			 path, guess, name, own->spacing);
}

static spate_result find_fluids(fill_file *f, const spate_source_def *def, const spate_fluid_def *fluids,
				uint32_t fluid_count, spate_error *error)
{
	uint32_t most;
	spate_result result = find_numbers(f, def->from, &most, error);
	if (result != SPATE_OK)
		return result;
	if (!f->numbers && f->set.fluid_count > 1 && def->fluid >= fluid_count)
		return error_set(
		    error, SPATE_INVALID,
		    "%s is of a scene with %u fluids, but does not tell which particle has which; write the "
		    "channel fluid, or choose one for all particles, like fluid: %.63s",
		    def->from, f->set.fluid_count, fluids[0].name ? fluids[0].name : "water");
	f->fluid_of = mem_calloc(most + (size_t)1, sizeof *f->fluid_of);
	if (!f->fluid_of)
		return error_memory(error, most * sizeof *f->fluid_of);
	for (uint32_t n = 0; n <= most && result == SPATE_OK; n++)
	{
		if (!is_used(f, n))
			continue;
		result = map_fluid(f, def, n, fluids, fluid_count, error);
		if (result == SPATE_OK)
			result = check_spacing(f, def->from, n, fluids, error);
	}
	f->fluid = f->fluid_of[0];
	return result;
}

spate_result fill_file_read(fill_file **file, const spate_source_def *def, const spate_fluid_def *fluids,
			    uint32_t fluid_count, spate_error *error)
{
	*file = NULL;
	fill_file *f = mem_calloc(1, sizeof *f);
	if (!f)
		return error_memory(error, sizeof *f);
	spate_result result = particles_read(&f->set, def->from, NULL, 0, error);
	if (result == SPATE_OK)
		result = find_velocities(f, def->from, error);
	if (result == SPATE_OK)
		result = check_places(f, def->from, error);
	if (result == SPATE_OK)
		result = find_fluids(f, def, fluids, fluid_count, error);
	if (result == SPATE_OK)
		*file = f;
	else
		fill_file_free(f);
	return result;
}
