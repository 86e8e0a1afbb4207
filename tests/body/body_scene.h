// Small scenes with bodies.
#ifndef TESTS_BODY_SCENE_H
#define TESTS_BODY_SCENE_H

#include "spate/body.h"
#include "spate/build.h"
#include "spate/snapshot.h"
#include "world/scene.h"

// A scene, its bodies and joints.
typedef struct body_scene
{
	scene scene;
	spate_body_def bodies[6];
	spate_joint_def joints[6];
} body_scene;

// Whether worlds can have bodies.
static inline int has_ode(void)
{
	return spate_build_libraries() >> SPATE_LIBRARY_ODE & 1;
}

static inline void body_scene_init(body_scene *s, double spacing)
{
	scene_init(&s->scene, spacing);
	s->scene.def.bodies = s->bodies;
	s->scene.def.joints = s->joints;
}

// A body of a shape or mesh, which is the next collider.
static inline spate_body_def *add_body(body_scene *s, spate_shape shape, const spate_mesh *mesh, double density)
{
	spate_body_def *b = &s->bodies[s->scene.def.body_count++];
	*b = spate_default_body_def();
	b->collider = s->scene.def.collider_count;
	b->density = density;
	add_collider(&s->scene, shape, SPATE_COLLIDER_OUTSIDE)->mesh.mesh = mesh;
	return b;
}

static inline spate_joint_def *add_joint(body_scene *s, spate_joint_type type, uint32_t a, uint32_t b)
{
	spate_joint_def *j = &s->joints[s->scene.def.joint_count++];
	*j = spate_default_joint_def();
	j->type = type;
	j->bodies[0] = a;
	j->bodies[1] = b;
	return j;
}

static inline spate_body_state body_state(const spate_world *w, uint32_t body)
{
	spate_body_state state;
	spate_error error = {0};
	if (spate_world_body(w, body, &state, &error) != SPATE_OK)
		fail_msg("%s", error.text);
	return state;
}

// cosine of the angle between an axis of the body and what it was at the start
static inline double body_axis(const spate_body_state *s, int axis)
{
	double own = s->rotation[1 + axis] * s->rotation[1 + axis], rest = 0;
	for (int k = 1; k < 4; k++)
		rest += s->rotation[k] * s->rotation[k];
	return 1 - 2 * (rest - own);
}

// Momentum of liquid and bodies, and its moment about (0, 0, 0).
static inline void total_momentum(const spate_world *w, double linear[3], double angular[3])
{
	const spate_step_stats *stats = spate_world_stats(w);
	for (int k = 0; k < 3; k++)
	{
		linear[k] = stats->momentum[k];
		angular[k] = stats->angular_momentum[k];
	}
	for (uint32_t b = 0; b < spate_world_body_count(w); b++)
	{
		spate_body_state s = body_state(w, b);
		for (int k = 0; k < 3; k++)
		{
			linear[k] += s.momentum[k];
			angular[k] += s.angular_momentum[k];
		}
	}
}

#endif
