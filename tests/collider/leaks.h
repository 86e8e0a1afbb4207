// Liquid against a mesh, with Embree as the judge of every path of every step.
#ifndef TESTS_COLLIDER_LEAKS_H
#define TESTS_COLLIDER_LEAKS_H

#include "collider/leak_judge.h"
#include "world/scene.h"

// A turn about one axis at a constant rate, and a swing, around a pivot; as the world is told, but worked out here in double.
typedef struct leak_motion
{
	int axis;         // 0, 1, 2
	double rate;      // degrees per second
	double until;     // s, end of the turn
	double swing[3];  // m
	double frequency; // Hz
	double pivot[3];  // m
} leak_motion;

typedef struct leak_case
{
	const char *name;
	const spate_mesh *mesh;
	const uint8_t *judged; // triangles; NULL for all
	int one_room;          // closed parts overlap: who goes from one into the other is still inside
	spate_collider_mode mode;
	leak_motion motion;
	double spacing;          // m
	double tank[6], fill[6]; // m: low and high corner
	double seconds;
} leak_case;

typedef struct leak_report
{
	uint64_t crossings, paths;
	uint32_t particles, removed, inside; // `inside`: of an obstacle that encloses space, at the end
} leak_report;

// The inverse of the motion at a time.
static inline void leak_to_mesh(const leak_motion *m, double time, const double x[3], double out[3])
{
	const double pi = 3.14159265358979323846;
	double t = fmin(time, m->until), angle = m->rate * t * pi / 180;
	double shift = sin(2 * pi * m->frequency * time), p[3];
	for (int k = 0; k < 3; k++)
		p[k] = x[k] - m->pivot[k] - m->swing[k] * shift;
	int u = (m->axis + 1) % 3, v = (m->axis + 2) % 3;
	out[m->axis] = p[m->axis] + m->pivot[m->axis];
	out[u] = cos(angle) * p[u] + sin(angle) * p[v] + m->pivot[u];
	out[v] = -sin(angle) * p[u] + cos(angle) * p[v] + m->pivot[v];
}

static inline void leak_set_motion(const leak_motion *m, spate_keyframe keys[2], spate_motion *out)
{
	keys[0] = (spate_keyframe){.scale = 1};
	keys[1] = (spate_keyframe){.time = m->until, .scale = 1};
	keys[1].rotation[m->axis] = m->rate * m->until;
	*out = (spate_motion){.frequency = m->frequency};
	if (m->rate != 0 && m->until > 0)
	{
		out->keyframes = keys;
		out->keyframe_count = 2;
	}
	out->amplitude = sqrt(m->swing[0] * m->swing[0] + m->swing[1] * m->swing[1] + m->swing[2] * m->swing[2]);
	for (int k = 0; k < 3; k++)
	{
		out->direction[k] = m->swing[k];
		out->pivot[k] = m->pivot[k];
	}
}

typedef struct leak_places
{
	double *x; // of every id
	uint8_t *known;
	uint64_t count;
} leak_places;

static inline void leak_place_of(const spate_world *world, const spate_store *store, uint32_t row, double x[3])
{
	const double *origin = spate_world_origin(world);
	x[0] = origin[0] + (double)store->position[row].x;
	x[1] = origin[1] + (double)store->position[row].y;
	x[2] = origin[2] + (double)store->position[row].z;
}

// Runs a case; every step's paths are judged in the frame of the mesh.
static inline leak_report leak_run(const leak_case *c)
{
	scene s;
	scene_init(&s, c->spacing);
	const double *t = c->tank, *f = c->fill;
	add_collider(&s, box_shape(t[0], t[1], t[2], t[3], t[4], t[5]), SPATE_COLLIDER_INSIDE);
	spate_collider_def *own = add_collider(&s, (spate_shape){0}, c->mode);
	spate_keyframe keys[2];
	own->mesh.mesh = c->mesh;
	leak_set_motion(&c->motion, keys, &own->motion);
	add_fill(&s, box_shape(f[0], f[1], f[2], f[3], f[4], f[5]));
	spate_world *w = scene_create(&s);
	leak_judge judge;
	leak_judge_open(&judge, c->mesh->positions, c->mesh->vertex_count, c->mesh->triangles, c->mesh->triangle_count,
			c->judged);
	spate_store *store = spate_world_store(w);
	leak_report report = {.particles = spate_store_count(store)};
	leak_places before = {.count = store->rows};
	before.x = calloc(before.count * 3 + 1, sizeof *before.x);
	assert_non_null(before.x);
	for (uint32_t row = 0; row < store->rows; row++)
		leak_place_of(w, store, row, before.x + 3 * store->id[row]);
	while (spate_world_time(w) < c->seconds - 1e-9)
	{
		double begin = spate_world_time(w);
		spate_error error = {0};
		if (spate_world_step(w, NULL, &error) != SPATE_OK)
			fail_msg("%s", error.text);
		double end = spate_world_time(w);
		for (uint32_t row = 0; row < store->rows; row++)
		{
			double x[3], from[3], to[3], *old = before.x + 3 * store->id[row];
			leak_place_of(w, store, row, x);
			leak_to_mesh(&c->motion, begin, old, from);
			leak_to_mesh(&c->motion, end, x, to);
			memcpy(old, x, sizeof x);
			report.paths++;
			int through = leak_judge_path(&judge, (uint64_t)store->id[row], from, to);
			if (through && !(c->one_room && leak_judge_inside(&judge, to)))
				report.crossings++;
		}
	}
	for (uint32_t row = 0; row < store->rows; row++)
	{
		double to[3];
		leak_to_mesh(&c->motion, spate_world_time(w), before.x + 3 * store->id[row], to);
		report.inside += (uint32_t)leak_judge_inside(&judge, to);
	}
	report.removed = (uint32_t)spate_world_stats(w)->removed;
	if (report.crossings > 0)
		leak_judge_print(&judge);
	leak_judge_close(&judge);
	free(before.x);
	spate_world_destroy(w);
	return report;
}

#endif
