#include "scene/starts.h"

#include "base/error.h"
#include "scene/check.h"
#include "scene/files.h"
#include "scene/measure.h"
#include "scene/solids.h"
#include "source/crowd.h"
#include "source/source.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum
{
	MOST_POINTS = 1000000 // sites of a fill's lattice to compare with particles
};

// The files of all sources while they are compared.
typedef struct start_files
{
	const spate_scene *scene;
	problem_list *problems;
	world_span span;
	solids around;
	fill_file **files; // by source
	float **places;    // by source: relative to the origin of the span
} start_files;

const scene_start *starts_find(const spate_scene *scene, uint32_t source)
{
	const scene_start *starts = scene->memory ? scene->memory->starts : NULL;
	return starts && source < scene->world.source_count && starts[source].total > 0 ? &starts[source] : NULL;
}

double starts_particles(const spate_scene *scene, uint32_t source, uint32_t fluid)
{
	const scene_start *start = starts_find(scene, source);
	if (!start || fluid == SPATE_FLUID_BY_NAME)
		return start ? start->total : 0.0;
	return fluid < scene->world.fluid_count ? start->by_fluid[fluid] : 0.0;
}

static const spate_source_def *source_at(const start_files *f, uint32_t s)
{
	return &f->scene->world.sources[s];
}

static void name_source(char out[PATH_CHARS], const spate_source_def *source, uint32_t number)
{
	snprintf(out, PATH_CHARS, source->name ? "sources.%u ('%.60s')" : "sources.%u", number, source->name);
}

// ------------------------------------------------------------------------------------------------------------- reading

static int measure(start_files *f, uint32_t s)
{
	const spate_source_def *def = source_at(f, s);
	const fill_file *file = f->files[s];
	scene_start *start = &f->scene->memory->starts[s];
	uint32_t count = fill_file_count(file);
	f->places[s] = mem_alloc(mem_product(count, 3 * sizeof(float)));
	start->by_fluid =
	    node_pool_alloc(&f->scene->memory->pool, mem_product(f->scene->world.fluid_count, sizeof *start->by_fluid));
	if (!f->places[s] || !start->by_fluid)
		return 0;
	for (int k = 0; k < 3; k++)
		start->low[k] = INFINITY, start->high[k] = -INFINITY;
	for (uint32_t i = 0; i < count; i++)
	{
		double point[3];
		fill_file_place(file, def, i, point);
		for (size_t k = 0; k < 3; k++)
		{
			start->low[k] = fmin(start->low[k], point[k]);
			start->high[k] = fmax(start->high[k], point[k]);
			f->places[s][3 * (size_t)i + k] = (float)(point[k] - f->span.origin[k]);
		}
		start->by_fluid[fill_file_fluid(file, i)]++;
	}
	start->total = count;
	start->fastest = file->fastest;
	return 1;
}

static spate_result read_file(start_files *f, uint32_t s, spate_error *error)
{
	const spate_world_def *world = &f->scene->world;
	const scene_file *at = files_find(f->scene, world->sources[s].from);
	spate_error why = {0};
	spate_result result = fill_file_read(&f->files[s], &world->sources[s], world->fluids, world->fluid_count, &why);
	if (result == SPATE_MEMORY || (result == SPATE_OK && !measure(f, s)))
		return error_memory(error, 0);
	if (result != SPATE_OK && at)
		problem_add(f->problems, 0, at->at, at->owner, "%.480s", why.text);
	return SPATE_OK;
}

// ------------------------------------------------------------------------------------------------------------ comparing

// A crowd of particles, and what is tested against it.
typedef struct meeting
{
	const crowd *others;
	const float *places; // of the others
	const double *origin;
	float least;  // m
	double count; // found too near
} meeting;

static int is_near(const meeting *m, vec3 p)
{
	for (int n = 0; n < 27; n++)
	{
		float cell = m->others->cell;
		vec3 beside = {p.x + cell * (float)(n % 3 - 1), p.y + cell * (float)(n / 3 % 3 - 1),
			       p.z + cell * (float)(n / 9 - 1)};
		int64_t number = crowd_cell(m->others, beside);
		for (int32_t i = number < 0 ? -1 : m->others->first.data[number]; i >= 0; i = m->others->next.data[i])
		{
			const float *q = m->places + 3 * (size_t)i;
			vec3 way = {p.x - q[0], p.y - q[1], p.z - q[2]};
			if (vec3_dot(way, way) < m->least * m->least)
				return 1;
		}
	}
	return 0;
}

static int count_near(void *context, int64_t number, const double point[3])
{
	meeting *m = context;
	(void)number;
	m->count += is_near(m, vec3_make((float)(point[0] - m->origin[0]), (float)(point[1] - m->origin[1]),
					 (float)(point[2] - m->origin[2])));
	return 1;
}

// Sites of a fill's shape that are near particles of a file.
static int count_sites(start_files *f, uint32_t s, meeting *m)
{
	const spate_source_def *def = source_at(f, s);
	collider_world here = solids_world(&f->scene->world, &f->span);
	double spacing = f->scene->world.fluids[def->fluid].spacing;
	fill_form *form = NULL;
	if (shape_is_unread(&def->shape) || fill_form_create(&form, def, spacing, spacing, &here, NULL) != SPATE_OK)
		return 0;
	double points = (double)form->cells[0] * (double)form->cells[1] * (double)form->cells[2];
	int64_t stride = (int64_t)fmax(1.0, ceil(cbrt(points / MOST_POINTS)));
	m->least = (float)(FILL_CLEAR * spacing);
	fill_each(form, &f->around.set, stride, count_near, m);
	m->count *= (double)(stride * stride * stride);
	fill_form_destroy(form);
	return 1;
}

// Warns of what a source must leave out because the particles of a file are there.
static int check_meeting(start_files *f, uint32_t first, uint32_t second)
{
	const spate_source_def *a = source_at(f, first), *b = source_at(f, second);
	const scene_start *start = &f->scene->memory->starts[first];
	crowd others = {0};
	vec3 low, high;
	double spacing = 0.0;
	for (uint32_t n = 0; n < f->scene->world.fluid_count; n++)
		spacing = fmax(spacing, f->scene->world.fluids[n].spacing);
	low = vec3_make((float)(start->low[0] - f->span.origin[0]), (float)(start->low[1] - f->span.origin[1]),
			(float)(start->low[2] - f->span.origin[2]));
	high = vec3_make((float)(start->high[0] - f->span.origin[0]), (float)(start->high[1] - f->span.origin[1]),
			 (float)(start->high[2] - f->span.origin[2]));
	meeting m = {.others = &others,
		     .places = f->places[first],
		     .origin = f->span.origin,
		     .least = (float)(FILL_CLEAR * spacing)};
	int made = crowd_start(&others, low, high, (float)spacing, start->total);
	if (made)
		crowd_fill(&others, f->places[first], 3, start->total, NULL);
	for (uint32_t i = 0; made && f->files[second] && i < fill_file_count(f->files[second]); i++)
	{
		const float *p = f->places[second] + 3 * (size_t)i;
		m.count += is_near(&m, vec3_make(p[0], p[1], p[2]));
	}
	if (made && !f->files[second])
		count_sites(f, second, &m);
	crowd_free(&others);
	if (!(m.count > 0.0))
		return made;
	char count[NUMBER_CHARS], name[PATH_CHARS], owner[PATH_CHARS];
	const scene_file *at = files_find(f->scene, f->files[second] ? b->from : a->from);
	say_count(count, m.count);
	name_source(name, f->files[second] ? a : b, f->files[second] ? first : second);
	snprintf(owner, sizeof owner, "sources.%u", f->files[second] ? second : first);
	if (at && f->files[second])
		problem_add(
		    f->problems, 1, at->at, owner,
		    "about %s of its particles are left out, because they are too close to those of %s; move one of "
		    "them if that is not intended",
		    count, name);
	else if (at)
		problem_add(f->problems, 1, at->at, owner,
			    "about %s particles of %s are left out, because the particles of this file are there; move "
			    "one of them if that is not intended",
			    count, name);
	return made;
}

// Warns of particles in solids; meshes are left out, because only their distance fields know where they are solid.
static void check_solids(start_files *f, uint32_t s)
{
	const scene_file *at = files_find(f->scene, source_at(f, s)->from);
	double inside = 0.0;
	uint32_t count = fill_file_count(f->files[s]);
	for (uint32_t i = 0; i < count; i++)
	{
		const float *p = f->places[s] + 3 * (size_t)i;
		double spacing = f->scene->world.fluids[fill_file_fluid(f->files[s], i)].spacing;
		inside += collider_set_distance(&f->around.set, vec3_make(p[0], p[1], p[2])) <
			  -FILL_IN_SOLIDS * (float)spacing;
	}
	char text[NUMBER_CHARS];
	say_count(text, inside);
	if (inside > 0.0 && at)
		problem_add(
		    f->problems, 1, at->at, at->owner,
		    "%s of its %u particles lie inside of colliders or outside of containers and are left out; are "
		    "position and colliders right?",
		    text, count);
}

static int check_all(start_files *f)
{
	const spate_world_def *world = &f->scene->world;
	int made = 1;
	for (uint32_t a = 0; a < world->source_count && made; a++)
	{
		if (!f->files[a])
			continue;
		collider_set_move(&f->around.set, world->sources[a].start, world->sources[a].start, NULL);
		check_solids(f, a);
		for (uint32_t b = 0; b < world->source_count && made; b++)
		{
			int fill = world->sources[b].type == SPATE_SOURCE_FILL && b != a;
			if (fill && world->sources[b].start == world->sources[a].start && (!f->files[b] || b > a))
				made = check_meeting(f, a, b);
		}
	}
	return made;
}

spate_result starts_read(spate_scene *scene, problem_list *problems, spate_error *error)
{
	const spate_world_def *world = &scene->world;
	uint32_t before = problems->errors, from = 0;
	for (uint32_t s = 0; s < world->source_count; s++)
		from += world->sources[s].type == SPATE_SOURCE_FILL && world->sources[s].from;
	if (from == 0)
		return SPATE_OK;
	start_files f = {.scene = scene, .problems = problems, .span = world_span_of(world)};
	f.files = mem_calloc(world->source_count, sizeof *f.files);
	f.places = mem_calloc(world->source_count, sizeof *f.places);
	scene->memory->starts = node_pool_alloc(&scene->memory->pool, world->source_count * sizeof(scene_start));
	int made = solids_make(&f.around, scene, &f.span, 0) && f.files && f.places && scene->memory->starts;
	spate_result result = made ? SPATE_OK : error_memory(error, 0);
	for (uint32_t s = 0; s < world->source_count && result == SPATE_OK; s++)
		if (world->sources[s].type == SPATE_SOURCE_FILL && world->sources[s].from)
			result = read_file(&f, s, error);
	if (result == SPATE_OK && problems->errors == before && !check_all(&f))
		result = error_memory(error, 0);
	for (uint32_t s = 0; s < world->source_count; s++)
	{
		if (f.files)
			fill_file_free(f.files[s]);
		if (f.places)
			mem_free(f.places[s]);
	}
	mem_free(f.files);
	mem_free(f.places);
	solids_free(&f.around);
	return result;
}
