// What the tests of the world share: small scenes made in a few lines, of the liquid that a user gets who sets nothing but a spacing.
#ifndef TESTS_WORLD_SCENE_H
#define TESTS_WORLD_SCENE_H

#include "check.h"
#include "particles/store.h"
#include "spate/world.h"

enum
{
	SCENE_FLUIDS = 4
};

// A definition together with the lists that it points to.
typedef struct scene
{
	spate_world_def def;
	spate_fluid_def fluids[SCENE_FLUIDS];
	spate_collider_def colliders[6];
	spate_source_def sources[4];
	spate_interface_def interfaces[2];
	spate_sink_def sinks[2];
	spate_probe_def probes[6];
} scene;

// Default water of a spacing and nothing else. $SPATE_TEST_SOLVER names another solver than the default one, to try it.
static inline void scene_init(scene *s, double spacing)
{
	memset(s, 0, sizeof *s);
	s->def = spate_default_world_def();
	const char *solver = getenv("SPATE_TEST_SOLVER");
	if (solver && *solver)
		s->def.solver.type = spate_solver_find(solver);
	s->def.fluids = s->fluids;
	s->def.colliders = s->colliders;
	s->def.sources = s->sources;
	s->def.interfaces = s->interfaces;
	s->def.sinks = s->sinks;
	s->def.probes = s->probes;
	for (int f = 0; f < SCENE_FLUIDS; f++)
	{
		s->fluids[f] = spate_default_fluid_def();
		s->fluids[f].spacing = spacing;
	}
	s->def.fluid_count = 1;
	s->def.threads = 1;
}

static inline spate_shape box_shape(double x0, double y0, double z0, double x1, double y1, double z1)
{
	return (spate_shape){SPATE_SHAPE_BOX, {x0, y0, z0}, {x1, y1, z1}, 0};
}

static inline spate_collider_def *add_collider(scene *s, spate_shape shape, spate_collider_mode mode)
{
	spate_collider_def *c = &s->colliders[s->def.collider_count++];
	*c = spate_default_collider_def();
	c->shape = shape;
	c->mode = mode;
	return c;
}

static inline spate_source_def *add_fill(scene *s, spate_shape shape)
{
	spate_source_def *f = &s->sources[s->def.source_count++];
	*f = spate_default_source_def();
	f->shape = shape;
	return f;
}

// Another solver than the default one, for what tests its own rules.
static inline void scene_solver(scene *s, const char *name)
{
	int type = spate_solver_find(name);
	if (type < 0)
		fail_msg("there is no solver %s", name);
	s->def.solver.type = type;
}

// Sets one of the solver's own settings.
static inline void scene_set(scene *s, const char *name, double value)
{
	spate_error error = {0};
	if (spate_solver_set(&s->def.solver, name, value, &error) != SPATE_OK)
		fail_msg("%s", error.text);
}

static inline spate_probe_def *add_probe(scene *s, const char *name, spate_probe_type type)
{
	spate_probe_def *p = &s->probes[s->def.probe_count++];
	*p = spate_default_probe_def();
	p->name = name;
	p->type = type;
	return p;
}

static inline spate_world *scene_create(const scene *s)
{
	spate_world *world = NULL;
	spate_error error = {0};
	if (spate_world_create(&world, &s->def, &error) != SPATE_OK)
		fail_msg("the world could not be made: %s", error.text);
	return world;
}

static inline void step(spate_world *world)
{
	spate_error error = {0};
	if (spate_world_step(world, NULL, &error) != SPATE_OK)
		fail_msg("the step failed: %s", error.text);
}

static inline void run_frame(spate_world *world)
{
	for (uint32_t frame = spate_world_frame(world); spate_world_frame(world) == frame;)
		step(world);
}

static inline void run_until(spate_world *world, double time)
{
	while (spate_world_time(world) < time - 1e-9)
		run_frame(world);
}

// A value of a probe by the name of its column.
static inline double probe_value(const spate_world *world, const char *column)
{
	for (uint32_t c = 0; c < spate_world_probe_columns(world); c++)
		if (strcmp(spate_world_probe_column(world, c, NULL), column) == 0)
			return spate_world_probe_values(world)[c];
	fail_msg("there is no column %s", column);
	return NAN;
}

#endif
