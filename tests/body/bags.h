// Bags of cloth that hold water, for tests.
#ifndef TESTS_BODY_BAGS_H
#define TESTS_BODY_BAGS_H

#include "bodies.h"
#include "body_scene.h"
#include "world/world.h"

// A bag: half a ball of cloth, open on top at height 0, whose bottom is at -radius.
static inline spate_mesh *bag_mesh(double radius, uint32_t rings, uint32_t around)
{
	spate_mesh *mesh;
	check_ok(spate_mesh_create(&mesh, rings * around + 1, around * (2 * rings - 1), NULL));
	float *p = mesh->positions;
	uint32_t *t = mesh->triangles;
	p[1] = (float)-radius;
	for (uint32_t j = 1; j <= rings; j++)
		for (uint32_t i = 0; i < around; i++)
		{
			double a = 0.5 * 3.14159265358979 * j / rings, b = 2.0 * 3.14159265358979 * i / around;
			float *q = p + 3 * (1 + (j - 1) * around + i);
			q[0] = (float)(radius * sin(a) * cos(b));
			q[1] = (float)(-radius * cos(a));
			q[2] = (float)(radius * sin(a) * sin(b));
		}
	for (uint32_t i = 0; i < around; i++)
	{
		uint32_t next = (i + 1) % around;
		const uint32_t tip[3] = {0, 1 + i, 1 + next};
		memcpy(t, tip, sizeof tip);
		t += 3;
		for (uint32_t j = 1; j < rings; j++, t += 6)
		{
			uint32_t a = 1 + (j - 1) * around + i, b = 1 + (j - 1) * around + next;
			const uint32_t even[6] = {a, a + around, b, b, a + around, b + around},
				       odd[6] = {a, a + around, b + around, a, b + around, b};
			memcpy(t, (i + j) % 2 ? odd : even, sizeof even);
		}
	}
	return mesh;
}

static inline spate_body_def *add_cloth(body_scene *s, const spate_mesh *mesh, double area_density)
{
	spate_body_def *b = add_body(s, (spate_shape){0}, mesh, -1.0);
	b->type = SPATE_BODY_CLOTH;
	b->area_density = area_density;
	s->scene.colliders[b->collider].mode = SPATE_COLLIDER_SHELL;
	return b;
}

static inline spate_world *world_of(body_scene *s)
{
	spate_world *w;
	spate_error error;
	if (spate_world_create(&w, &s->scene.def, &error) != SPATE_OK)
		fail_msg("%s", error.text);
	return w;
}

static inline void frames(spate_world *w, uint32_t count)
{
	spate_error error;
	for (uint32_t k = 0; k < count; k++)
		for (int done = 0; !done;)
			if (spate_world_step(w, &done, &error) != SPATE_OK)
				fail_msg("%s", error.text);
}

// How often a surface winds around a point: the sum of the solid angles of its triangles (Van Oosterom, Strackee, 1983).
static inline double winding(const float *places, const uint32_t *triangles, uint32_t count, const double p[3])
{
	double sum = 0.0;
	for (uint32_t t = 0; t < count; t++)
	{
		double a[3][3], length[3], d[3];
		for (uint32_t k = 0; k < 3; k++)
		{
			for (uint32_t i = 0; i < 3; i++)
				a[k][i] = (double)places[3 * triangles[3 * t + k] + i] - p[i];
			length[k] = sqrt(a[k][0] * a[k][0] + a[k][1] * a[k][1] + a[k][2] * a[k][2]);
		}
		for (int k = 0; k < 3; k++)
		{
			const double *u = a[(k + 1) % 3], *v = a[(k + 2) % 3];
			d[k] = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
		}
		double volume = a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
				a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
				a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
		sum += 2.0 * atan2(volume, length[0] * length[1] * length[2] + d[0] * length[0] + d[1] * length[1] +
					       d[2] * length[2]);
	}
	return sum / (4.0 * 3.14159265358979);
}

// Particles below the rim that are not in the bag, of which a lid over the rim makes a closed surface.
static inline uint32_t lost_from(const spate_world *w, uint32_t number, uint32_t around)
{
	const mesh_solid *solid = w->state.colliders.colliders[number].mesh;
	const spate_mesh *mesh = mesh_solid_mesh(solid);
	uint32_t vertices = mesh->vertex_count, total = mesh->triangle_count + around, lost = 0;
	float *places = malloc((vertices + 1) * 3 * sizeof *places), centre[3] = {0, 0, 0};
	uint32_t *triangles = malloc(3 * total * sizeof *triangles);
	memcpy(places, mesh_solid_places(solid), 3 * vertices * sizeof *places);
	memcpy(triangles, mesh->triangles, 3 * mesh->triangle_count * sizeof *triangles);
	for (uint32_t i = 0; i < around; i++)
	{
		uint32_t rim = vertices - around;
		const uint32_t own[3] = {vertices, rim + (i + 1) % around, rim + i};
		for (uint32_t k = 0; k < 3; k++)
			centre[k] += places[3 * (rim + i) + k] / (float)around;
		memcpy(triangles + 3 * (mesh->triangle_count + i), own, sizeof own);
	}
	memcpy(places + 3 * vertices, centre, sizeof centre);
	for (uint32_t row = 0; row < w->state.store->rows; row++)
	{
		vec4 x = w->state.store->position[row];
		const double p[3] = {(double)x.x, (double)x.y, (double)x.z};
		lost += p[1] < (double)centre[1] && fabs(winding(places, triangles, total, p)) < 0.5;
	}
	free(places);
	free(triangles);
	return lost;
}

typedef struct held
{
	double sag, weight, force;
	uint32_t lost, count;
} held;

static inline held hold(double radius, uint32_t count)
{
	body_scene s;
	body_scene_init(&s, 0.008);
	spate_mesh *mesh = bag_mesh(0.06, 6, 20);
	spate_body_def *bag = add_cloth(&s, mesh, 0.2);
	spate_pin_def rim = {.vertex = SPATE_NO_VERTEX, .top = 1e-4, .to = UINT32_MAX};
	bag->pins = &rim;
	bag->pin_count = 1;
	bag->stiffness = 300.0;
	bag->damping = 0.01;
	add_fill(&s.scene, (spate_shape){SPATE_SHAPE_SPHERE, {0, radius - 0.052, 0}, {0, 0, 0}, radius});
	spate_world *w = world_of(&s);
	frames(w, count);
	held h = {.count = w->state.store->rows};
	double force[3];
	for (int k = 0; k < 6; k++)
	{
		frames(w, 1);
		spate_body_state state = body_state(w, 0);
		h.force -= state.force[1] / 6.0;
	}
	memcpy(force, body_state(w, 0).force, sizeof force);
	h.lost = lost_from(w, bag->collider, 20);
	h.sag =
	    -(double)mesh_solid_places(w->state.colliders.colliders[bag->collider].mesh)[1] - w->model.origin[1] - 0.06;
	h.weight = h.count * pow(0.008, 3.0) * 1000.0 * 9.81;
	spate_world_destroy(w);
	spate_mesh_destroy(mesh);
	return h;
}

#endif
