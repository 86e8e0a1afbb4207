// Constraints of a program: what they keep, in which order, what they may not do, and that bits depend neither on threads nor on a restart.
#include "scene.h"
#include "solver/solver.h"
#include "spate/constraint.h"
#include "spate/snapshot.h"

#include <math.h>

static const double spacing = 0.04, gravity = 9.81;

// ----------------------------------------------------------------------------------------------------------------- rope

enum
{
	LINKS = 16,
	SWEEPS = 100,
	SKIN_SWEEPS = 10
};

typedef struct rope
{
	int64_t ids[LINKS + 1];
	double hook[3];
} rope;

static void link_rows(const spate_constraint_view *v, uint32_t a, uint32_t b, double length, double share)
{
	const float *p = v->places + 4 * (size_t)a, *q = v->places + 4 * (size_t)b;
	double d[3], distance = 0, wa = (double)p[3], wb = (double)q[3], da[3], db[3];
	for (int k = 0; k < 3; k++)
	{
		d[k] = (double)q[k] - (double)p[k];
		distance += d[k] * d[k];
	}
	distance = sqrt(distance);
	double by = distance > 0 ? share * (distance - length) / distance / (wa + wb) : 0;
	for (int k = 0; k < 3; k++)
		da[k] = wa * by * d[k], db[k] = -wb * by * d[k];
	spate_constraint_move(v, a, da);
	spate_constraint_move(v, b, db);
}

// Moves a row to a place in the world, by collider 0.
static void pin(const spate_constraint_view *v, uint32_t row, const double to[3])
{
	double back[3];
	for (int k = 0; k < 3; k++)
		back[k] = to[k] - v->origin[k] - (double)v->places[4 * (size_t)row + (size_t)k];
	spate_constraint_move_by(v, row, back, 0);
}

static spate_result keep_rope(void *context, const spate_constraint_view *v, spate_error *error)
{
	const rope *r = context;
	uint32_t rows[LINKS + 1];
	for (int n = 0; n <= LINKS; n++)
		if ((rows[n] = spate_constraint_row(v, r->ids[n])) == SPATE_NO_ROW)
		{
			snprintf(error->text, sizeof error->text, "particle %lld is gone", (long long)r->ids[n]);
			return SPATE_MISSING;
		}
	for (int sweep = 0; sweep < SWEEPS; sweep++)
	{
		for (int n = 0; n < LINKS; n++)
			link_rows(v, rows[n], rows[n + 1], spacing, 1);
		pin(v, rows[0], r->hook);
	}
	return SPATE_OK;
}

static void add_points(spate_world *w, const double *points, uint32_t count, int fluid, int64_t *ids)
{
	float *local = malloc(3 * count * sizeof *local);
	int64_t first;
	for (uint32_t n = 0; n < 3 * count; n++)
		local[n] = (float)(points[n] - spate_world_origin(w)[n % 3]);
	check_ok(spate_store_add(spate_world_store(w), count, local, NULL, fluid, &first, NULL));
	free(local);
	for (uint32_t n = 0; n < count; n++)
		ids[n] = first + n;
}

static void add(spate_world *w, const char *name, int priority, spate_constraint_project *project, void *context)
{
	spate_constraint_def def = {name, priority, project, context};
	spate_error error = {0};
	if (spate_world_add_constraint(w, &def, &error) != SPATE_OK)
		fail_msg("%s", error.text);
}

// Place of a particle in the world; 0 if it is gone.
static int find_particle(spate_world *w, int64_t id, double p[3])
{
	const spate_store *store = spate_world_store(w);
	for (uint32_t row = 0; row < store->rows; row++)
		if (store->id[row] == id && !store->dead[row])
		{
			vec4 x = store->position[row];
			const double *o = spate_world_origin(w);
			p[0] = (double)x.x + o[0], p[1] = (double)x.y + o[1], p[2] = (double)x.z + o[2];
			return 1;
		}
	return 0;
}

// A rope below a small ball, which it does not touch. `x`, `y`: direction in which it is laid out.
static spate_world *hang_rope(scene *s, rope *r, double x, double y)
{
	scene_init(s, spacing);
	add_collider(s, (spate_shape){SPATE_SHAPE_SPHERE, {0, 0.2, 0}, {0}, 0.02}, SPATE_COLLIDER_OUTSIDE);
	spate_world *w = scene_create(s);
	spate_world_set_loads(w, 1);
	double points[3 * (LINKS + 1)] = {0};
	for (int n = 0; n <= LINKS; n++)
		points[3 * n] = n * x * spacing, points[3 * n + 1] = n * y * spacing;
	add_points(w, points, LINKS + 1, 0, r->ids);
	memset(r->hook, 0, sizeof r->hook);
	add(w, "rope", 0, keep_rope, r);
	return w;
}

static double length_of(spate_world *w, const rope *r)
{
	double sum = 0, p[3], q[3];
	assert_true(find_particle(w, r->ids[0], p));
	check_near(sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]), 0, 0.01 * spacing);
	for (int n = 1; n <= LINKS; n++, memcpy(p, q, sizeof p))
	{
		assert_true(find_particle(w, r->ids[n], q));
		sum += sqrt(pow(q[0] - p[0], 2) + pow(q[1] - p[1], 2) + pow(q[2] - p[2], 2));
	}
	return sum;
}

static void each_solver(void (*test)(const char *solver))
{
	for (int type = 0; spate_solver_name(type); type++)
	{
		setenv("SPATE_TEST_SOLVER", spate_solver_name(type), 1);
		test(spate_solver_name(type));
	}
	unsetenv("SPATE_TEST_SOLVER");
}

// It keeps its length, and what holds it bears its weight.
static void hang(const char *solver)
{
	scene s;
	rope r;
	spate_world *w = hang_rope(&s, &r, 0, -1);
	const double weight = (LINKS + 1) * 1000 * pow(spacing, 3) * gravity;
	double pull = 0, linear[3], worst = 0;
	run_until(w, 0.5);
	double from = spate_world_time(w);
	for (int frame = 0; frame < 24; frame++)
	{
		run_frame(w);
		check_ok(spate_world_collider_impulse(w, 0, linear, NULL, NULL));
		pull -= linear[1];
		worst = fmax(worst, fabs(length_of(w, &r) / (LINKS * spacing) - 1));
	}
	pull /= spate_world_time(w) - from;
	printf("%s: length off by at most %.4f %%, pull %.4f N, weight %.4f N\n", solver, 100 * worst, pull, weight);
	check_near(worst, 0, 0.01);
	check_near(pull, weight, 0.01 * weight);
	spate_world_destroy(w);
}

static void rope_hangs(void **state)
{
	(void)state;
	each_solver(hang);
}

// Laid out level, it falls and swings, and is no longer than it was; its lowest point passes below the hook.
static void swing(const char *solver)
{
	scene s;
	rope r;
	spate_world *w = hang_rope(&s, &r, 1, 0);
	double worst = 0, lowest = 0, p[3];
	for (int frame = 0; frame < 36; frame++)
	{
		run_frame(w);
		worst = fmax(worst, length_of(w, &r) / (LINKS * spacing) - 1);
		assert_true(find_particle(w, r.ids[LINKS], p));
		lowest = fmin(lowest, p[1]);
	}
	printf("%s: longer by at most %.4f %%, lowest %.4f m of %.4f m\n", solver, 100 * worst, lowest,
	       -LINKS * spacing);
	check_near(worst, 0, 0.01);
	check_near(lowest, -LINKS * spacing, 0.1 * LINKS * spacing);
	spate_world_destroy(w);
}

static void rope_swings(void **state)
{
	(void)state;
	each_solver(swing);
}

// -------------------------------------------------------------------------------------------------------------- balloon

enum
{
	SIDE = 10, // a cube blown up to a ball
	POINTS = 6 * SIDE * SIDE + 2,
	TRIANGLES = 12 * SIDE * SIDE
};

typedef struct balloon
{
	int64_t ids[POINTS];
	double points[3 * POINTS];
	uint32_t corners[3 * TRIANGLES], rows[POINTS];
	double volume;
} balloon;

static void make_skin(balloon *b, const double centre[3], double radius)
{
	int number[SIDE + 1][SIDE + 1][SIDE + 1], count = 0, triangles = 0;
	for (int n = 0; n < (SIDE + 1) * (SIDE + 1) * (SIDE + 1); n++)
	{
		int at[3] = {n / ((SIDE + 1) * (SIDE + 1)), n / (SIDE + 1) % (SIDE + 1), n % (SIDE + 1)};
		if (at[0] % SIDE && at[1] % SIDE && at[2] % SIDE)
			continue;
		double p[3], length = 0;
		for (int k = 0; k < 3; k++)
		{
			p[k] = tan(atan(1) * (2.0 * at[k] / SIDE - 1));
			length += p[k] * p[k];
		}
		for (int k = 0; k < 3; k++)
			b->points[3 * count + k] = centre[k] + radius * p[k] / sqrt(length);
		number[at[0]][at[1]][at[2]] = count++;
	}
	assert_int_equal(count, POINTS);
	for (int n = 0; n < 6 * SIDE * SIDE; n++)
	{
		uint32_t c[4];
		int face = n / (SIDE * SIDE), u = n / SIDE % SIDE, v = n % SIDE;
		for (int k = 0; k < 4; k++)
		{
			int at[3];
			at[face % 3] = face < 3 ? 0 : SIDE;
			at[(face + 1) % 3] = u + k % 2, at[(face + 2) % 3] = v + k / 2;
			c[k] = (uint32_t)number[at[0]][at[1]][at[2]];
		}
		const uint32_t in[6] = {c[0], c[2], c[1], c[1], c[2], c[3]},
			       out[6] = {c[0], c[1], c[2], c[1], c[3], c[2]};
		memcpy(b->corners + 3 * triangles, face < 3 ? in : out, sizeof in);
		triangles += 2;
	}
}

static double volume_of(const double *points, const uint32_t *corners)
{
	double sum = 0;
	for (int t = 0; t < TRIANGLES; t++)
	{
		const double *p = points + 3 * corners[3 * t], *q = points + 3 * corners[3 * t + 1],
			     *r = points + 3 * corners[3 * t + 2];
		sum += (p[0] * (q[1] * r[2] - q[2] * r[1]) + p[1] * (q[2] * r[0] - q[0] * r[2]) +
			p[2] * (q[0] * r[1] - q[1] * r[0])) /
		       6;
	}
	return sum;
}

static spate_result find_skin(balloon *b, const spate_constraint_view *v)
{
	for (int n = 0; n < POINTS; n++)
		if ((b->rows[n] = spate_constraint_row(v, b->ids[n])) == SPATE_NO_ROW)
			return SPATE_MISSING;
	return SPATE_OK;
}

static spate_result keep_skin(void *context, const spate_constraint_view *v, spate_error *error)
{
	(void)error;
	balloon *b = context;
	spate_result result = find_skin(b, v);
	for (int k = 0; k < 3 * TRIANGLES * SKIN_SWEEPS && result == SPATE_OK; k++)
	{
		int n = k % (3 * TRIANGLES);
		uint32_t i = b->corners[n], j = b->corners[n % 3 < 2 ? n + 1 : n - 2];
		const double *p = b->points + 3 * i, *q = b->points + 3 * j;
		if (i < j)
			link_rows(v, b->rows[i], b->rows[j],
				  sqrt(pow(q[0] - p[0], 2) + pow(q[1] - p[1], 2) + pow(q[2] - p[2], 2)), 0.5);
	}
	return result;
}

// Places of the skin (m, from the origin), and the derivative of its volume by each of them, which points outwards.
static double look_at_skin(const balloon *b, const spate_constraint_view *v, double *now, double *gradient)
{
	memset(gradient, 0, 3 * POINTS * sizeof *gradient);
	for (int n = 0; n < 3 * POINTS; n++)
		now[n] = (double)v->places[4 * b->rows[n / 3] + (uint32_t)(n % 3)];
	for (int n = 0; n < 3 * TRIANGLES; n++)
	{
		const uint32_t *t = b->corners + n - n % 3;
		const double *p = now + 3 * t[(n + 1) % 3], *q = now + 3 * t[(n + 2) % 3];
		for (uint32_t k = 0; k < 3; k++)
			gradient[3 * b->corners[n] + k] +=
			    (p[(k + 1) % 3] * q[(k + 2) % 3] - p[(k + 2) % 3] * q[(k + 1) % 3]) / 6;
	}
	return volume_of(now, b->corners);
}

static spate_result keep_volume(void *context, const spate_constraint_view *v, spate_error *error)
{
	(void)error;
	balloon *b = context;
	double now[3 * POINTS], gradient[3 * POINTS], sum = 0;
	spate_result result = find_skin(b, v);
	if (result != SPATE_OK)
		return result;
	double by = b->volume - look_at_skin(b, v, now, gradient);
	for (int n = 0; n < 3 * POINTS; n++)
		sum += gradient[n] * gradient[n];
	for (int n = 0; n < POINTS; n++)
	{
		const double *g = gradient + 3 * n, dx[3] = {by / sum * g[0], by / sum * g[1], by / sum * g[2]};
		spate_constraint_move(v, b->rows[n], dx);
	}
	return SPATE_OK;
}

// Liquid stays half a spacing behind the nearest point of the skin, which is pushed back.
static spate_result keep_inside(void *context, const spate_constraint_view *v, spate_error *error)
{
	(void)error;
	balloon *b = context;
	double now[3 * POINTS], normals[3 * POINTS];
	spate_result result = find_skin(b, v);
	if (result != SPATE_OK)
		return result;
	look_at_skin(b, v, now, normals);
	for (uint32_t row = 0; row < v->count; row++)
	{
		const float *p = v->places + 4 * (size_t)row;
		double least = INFINITY, out = 0, length = 0;
		int nearest = 0;
		for (int n = 0; n < POINTS && v->fluids[row] == 0; n++)
		{
			double x = (double)p[0] - now[3 * n], y = (double)p[1] - now[3 * n + 1],
			       z = (double)p[2] - now[3 * n + 2], square = x * x + y * y + z * z;
			if (square < least)
				least = square, nearest = n;
		}
		for (int k = 0; k < 3; k++)
		{
			double g = normals[3 * nearest + k];
			out += ((double)p[k] - now[3 * nearest + k]) * g;
			length += g * g;
		}
		length = sqrt(length);
		double by = out / length + 0.5 * spacing, in[3], back[3];
		if (v->fluids[row] != 0 || by <= 0)
			continue;
		for (int k = 0; k < 3; k++)
		{
			back[k] = 0.5 * by * normals[3 * nearest + k] / length;
			in[k] = -back[k];
		}
		spate_constraint_move(v, row, in);
		spate_constraint_move(v, b->rows[nearest], back);
	}
	return SPATE_OK;
}

// Whether a point is in the skin: the solid angle of its triangles is that of a whole sphere.
static int is_inside(const double *points, const uint32_t *corners, const double at[3])
{
	double angle = 0;
	for (int t = 0; t < TRIANGLES; t++)
	{
		double e[3][3], l[3], dots[3];
		for (int c = 0; c < 3; c++)
		{
			for (int k = 0; k < 3; k++)
				e[c][k] = points[3 * corners[3 * t + c] + (uint32_t)k] - at[k];
			l[c] = sqrt(e[c][0] * e[c][0] + e[c][1] * e[c][1] + e[c][2] * e[c][2]);
		}
		for (int c = 0; c < 3; c++)
		{
			const double *p = e[c], *q = e[(c + 1) % 3];
			dots[c] = p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
		}
		double box = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
			     e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
			     e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
		angle += 2 * atan2(box, l[0] * l[1] * l[2] + dots[0] * l[2] + dots[1] * l[0] + dots[2] * l[1]);
	}
	return angle > 2 * 3.14159265;
}

// Falls 10 cm on a floor with water in it.
static void drop_balloon(const char *solver)
{
	scene s;
	static balloon b;
	const double centre[3] = {0, 0.37, 0};
	scene_init(&s, spacing);
	s.def.fluid_count = 2;
	add_collider(&s, (spate_shape){SPATE_SHAPE_PLANE, {0, 0, 0}, {0, 1, 0}, 0}, SPATE_COLLIDER_OUTSIDE);
	add_fill(&s, (spate_shape){SPATE_SHAPE_SPHERE, {0, 0.37, 0}, {0}, 0.23});
	spate_world *w = scene_create(&s);
	uint32_t filled = spate_world_store(w)->rows;
	make_skin(&b, centre, 0.25);
	add_points(w, b.points, POINTS, 1, b.ids);
	b.volume = volume_of(b.points, b.corners);
	add(w, "volume", 10, keep_volume, &b);
	add(w, "skin", 0, keep_skin, &b);
	add(w, "inside", 5, keep_inside, &b);
	double worst = 0, now[3 * POINTS], p[3], lowest = 1, highest = 0;
	for (int frame = 0; frame < 24; frame++)
	{
		run_frame(w);
		for (int n = 0; n < POINTS; n++)
			assert_true(find_particle(w, b.ids[n], now + 3 * n));
		worst = fmax(worst, fabs(volume_of(now, b.corners) / b.volume - 1));
	}
	uint32_t inside = 0;
	for (int64_t id = 0; id < filled; id++)
		inside += find_particle(w, id, p) && is_inside(now, b.corners, p);
	for (int n = 0; n < POINTS; n++)
		lowest = fmin(lowest, now[3 * n + 1]), highest = fmax(highest, now[3 * n + 1]);
	printf("%s: volume off by at most %.4f %%, %u of %u particles inside, %.3f m high\n", solver, 100 * worst,
	       inside, filled, highest - lowest);
	check_near(worst, 0, 0.01);
	assert_int_equal(inside, filled);
	// it has not burst, and the floor has stopped it
	assert_true(lowest > -1e-3 && lowest < 2 * spacing);
	assert_true(highest - lowest < 0.55);
	spate_world_destroy(w);
}

static void balloon_keeps_its_volume(void **state)
{
	(void)state;
	each_solver(drop_balloon);
}

// ---------------------------------------------------------------------------------------------------------------- rules

// A single particle that is pinned to a place.
typedef struct pinned
{
	int64_t id;
	double to[3];
	int calls;
} pinned;

static spate_result keep_pinned(void *context, const spate_constraint_view *v, spate_error *error)
{
	(void)error;
	pinned *own = context;
	own->calls++;
	pin(v, spate_constraint_row(v, own->id), own->to);
	return SPATE_OK;
}

// A world with one collider and one particle at (0, 0, 0).
static spate_world *single(scene *s, int64_t *id)
{
	scene_init(s, spacing);
	add_collider(s, (spate_shape){SPATE_SHAPE_PLANE, {0, -1, 0}, {0, 1, 0}, 0}, SPATE_COLLIDER_OUTSIDE);
	spate_world *w = scene_create(s);
	const double zero[3] = {0};
	add_points(w, zero, 1, 0, id);
	return w;
}

static void highest_priority_has_the_last_word(const char *solver)
{
	scene s;
	pinned a = {.to = {0.01, 0, 0}}, b = {.to = {0, 0.01, 0}}, c = {.to = {0, 0, 0.01}};
	double p[3];
	spate_world *w = single(&s, &a.id);
	b.id = c.id = a.id;
	add(w, "last", 5, keep_pinned, &a);
	add(w, "first", -5, keep_pinned, &b);
	add(w, "between", 5, keep_pinned, &c); // behind the one that was added before it
	assert_int_equal(spate_world_constraint_count(w), 3);
	step(w);
	assert_true(find_particle(w, a.id, p));
	check_near(p[2], 0.01, 1e-6);
	check_near(p[0], 0, 1e-6);
	assert_true(a.calls > 0 && a.calls == b.calls && a.calls == c.calls);
	check_ok(spate_world_remove_constraint(w, "between", NULL));
	step(w);
	assert_true(find_particle(w, a.id, p));
	check_near(p[0], 0.01, 1e-6);
	check_ok(spate_world_remove_constraint(w, "last", NULL));
	step(w);
	step(w); // now it is at rest
	assert_true(find_particle(w, a.id, p));
	check_near(p[1], 0.01, 1e-6);
	// one that is asked for what it cannot do at once: half a kernel radius in a substep
	double before = p[0];
	b.to[0] = 10;
	step(w);
	assert_true(find_particle(w, a.id, p));
	check_near(p[0] - before, 0.5 * solver_table(s.def.solver.type)->radius * spacing, 1e-5);
	(void)solver;
	spate_world_destroy(w);
}

static void priorities_order(void **state)
{
	(void)state;
	each_solver(highest_priority_has_the_last_word);
}

enum
{
	FAIL_PLAIN,
	FAIL_TOLD,
	FAIL_NAN,
	FAIL_ROW,
	FAIL_COLLIDER,
	FAIL_STEP,
	FAIL_COUNT
};

typedef struct mischief
{
	int what;
	spate_world *world;
} mischief;

static spate_result misbehave(void *context, const spate_constraint_view *v, spate_error *error)
{
	const mischief *m = context;
	const double nan[3] = {0, NAN, 0}, zero[3] = {0};
	spate_constraint_def def = {"other", 0, misbehave, NULL};
	switch (m->what)
	{
	case FAIL_PLAIN:
		return SPATE_DIVERGED;
	case FAIL_TOLD:
		snprintf(error->text, sizeof error->text, "the rope is torn");
		return SPATE_MISSING;
	case FAIL_NAN:
		spate_constraint_move(v, 0, nan);
		return SPATE_OK;
	case FAIL_ROW:
		spate_constraint_move(v, 7, zero);
		return SPATE_OK;
	case FAIL_COLLIDER:
		spate_constraint_move_by(v, 0, zero, 3);
		return SPATE_OK;
	case FAIL_STEP:
		check_result(spate_world_step(m->world, NULL, NULL), SPATE_BUSY);
		check_result(spate_world_add_constraint(m->world, &def, NULL), SPATE_BUSY);
		check_result(spate_world_remove_constraint(m->world, "bad", NULL), SPATE_BUSY);
		return SPATE_OK;
	default:
		return SPATE_OK;
	}
}

static void fail_in(const char *solver)
{
	static const char *const sentences[FAIL_COUNT] = {
	    "the constraint 'bad' failed",
	    "the constraint 'bad' failed: the rope is torn",
	    "the constraint 'bad' failed: it moved particle 0 by what is not a finite number",
	    "the constraint 'bad' failed: it moved row 7, of which there are 1",
	    "the constraint 'bad' failed: there is no collider 3, the world has 1",
	    NULL};
	static const spate_result codes[FAIL_COUNT] = {SPATE_DIVERGED, SPATE_MISSING, SPATE_INVALID,
						       SPATE_INVALID,  SPATE_INVALID, SPATE_OK};
	for (int what = 0; what < FAIL_COUNT; what++)
	{
		scene s;
		int64_t id;
		spate_error error = {0};
		spate_snapshot *kept = NULL;
		spate_world *w = single(&s, &id);
		mischief m = {what, w};
		check_ok(spate_snapshot_take(&kept, w, NULL));
		add(w, "bad", 0, misbehave, &m);
		check_result(spate_world_step(w, NULL, &error), codes[what]);
		if (sentences[what])
		{
			assert_string_equal(error.text, sentences[what]);
			check_result(spate_world_step(w, NULL, NULL), SPATE_UNUSABLE);
			check_ok(spate_snapshot_restore(w, kept, NULL));
			m.what = FAIL_COUNT;
		}
		step(w);
		spate_snapshot_destroy(kept);
		spate_world_destroy(w);
	}
	(void)solver;
}

static void failures_are_told(void **state)
{
	(void)state;
	each_solver(fail_in);
}

static void bad_definitions_are_refused(void **state)
{
	(void)state;
	scene s;
	int64_t id;
	spate_error error = {0};
	spate_world *w = single(&s, &id);
	spate_constraint_def def = spate_default_constraint_def();
	check_result(spate_world_add_constraint(w, &def, &error), SPATE_INVALID);
	assert_string_equal(error.text, "spate_world_add_constraint needs a world and a name");
	def.name = "pin";
	check_result(spate_world_add_constraint(w, &def, &error), SPATE_INVALID);
	assert_string_equal(error.text, "spate_world_add_constraint: the constraint 'pin' has no function");
	def.project = keep_pinned;
	check_ok(spate_world_add_constraint(w, &def, &error));
	check_result(spate_world_add_constraint(w, &def, &error), SPATE_EXISTS);
	assert_string_equal(error.text, "spate_world_add_constraint: there is already a constraint 'pin'");
	check_result(spate_world_remove_constraint(w, "pen", &error), SPATE_MISSING);
	assert_string_equal(error.text, "spate_world_remove_constraint: there is no constraint 'pen'");
	char name[80];
	memset(name, 'x', sizeof name);
	name[64] = 0;
	def.name = name;
	check_result(spate_world_add_constraint(w, &def, &error), SPATE_INVALID);
	assert_string_equal(error.text, "spate_world_add_constraint: the name has 64 bytes; at most 63 are possible");
	assert_int_equal(spate_world_constraint_count(w), 1);
	assert_int_equal(spate_world_constraint_count(NULL), 0);
	spate_world_destroy(w);
}

// Ids are found whatever the order of rows, and those of removed particles are not.
static spate_result look_up(void *context, const spate_constraint_view *v, spate_error *error)
{
	(void)error;
	*(uint32_t *)context = v->count;
	for (uint32_t row = 0; row < v->count; row++)
		assert_int_equal(spate_constraint_row(v, v->ids[row]), row);
	assert_int_equal(spate_constraint_row(v, 3), SPATE_NO_ROW);
	assert_int_equal(spate_constraint_row(v, 1000000), SPATE_NO_ROW);
	assert_int_equal(spate_constraint_row(v, -1), SPATE_NO_ROW);
	spate_pose pose;
	check_ok(spate_constraint_pose(v, 0, &pose));
	check_near(pose.position[0], 0.25 * (v->time + v->dt), 1e-6);
	check_result(spate_constraint_pose(v, v->colliders, &pose), SPATE_INVALID);
	check_near((double)v->places[3] * v->mass, 1000 * pow(spacing, 3), 1e-6);
	return SPATE_OK;
}

static void particles_are_found_by_id(void **state)
{
	(void)state;
	static const spate_keyframe keys[2] = {{.scale = 1}, {.time = 4, .position = {1, 0, 0}, .scale = 1}};
	scene s;
	scene_init(&s, spacing);
	add_collider(&s, box_shape(-0.4, -1, -0.4, 0.4, -0.9, 0.4), SPATE_COLLIDER_OUTSIDE)->motion =
	    (spate_motion){.keyframes = keys, .keyframe_count = 2};
	add_fill(&s, box_shape(0, 0, 0, 0.4, 0.4, 0.4));
	spate_world *w = scene_create(&s);
	uint32_t seen = 0, rows = spate_world_store(w)->rows;
	for (uint32_t row = 0; row < rows; row++)
		if (spate_world_store(w)->id[row] == 3)
			check_ok(spate_store_remove(spate_world_store(w), &row, 1, NULL));
	add(w, "look", 0, look_up, &seen);
	step(w);
	run_frame(w);
	assert_int_equal(seen, rows - 1);
	spate_world_destroy(w);
}

// The same bits on two threads, and after a snapshot in another world to which the constraint is added again.
static void repeat(const char *solver)
{
	scene s;
	rope r[2];
	spate_world *w[2];
	for (int k = 0; k < 2; k++)
	{
		scene_init(&s, spacing);
		add_collider(&s, (spate_shape){SPATE_SHAPE_PLANE, {0, -0.5, 0}, {0, 1, 0}, 0}, SPATE_COLLIDER_OUTSIDE);
		add_fill(&s, box_shape(-0.2, -0.5, -0.2, 0.4, -0.1, 0.2));
		w[k] = scene_create(&s);
		spate_world_set_threads(w[k], k + 1);
		double points[3 * (LINKS + 1)] = {0};
		for (int n = 0; n <= LINKS; n++)
			points[3 * n] = n * spacing;
		add_points(w[k], points, LINKS + 1, 0, r[k].ids);
		memset(r[k].hook, 0, sizeof r[k].hook);
		add(w[k], "rope", 0, keep_rope, &r[k]);
	}
	for (int k = 0; k < 20; k++)
		step(w[0]), step(w[1]);
	assert_true(spate_world_hash(w[0]) == spate_world_hash(w[1]));
	spate_snapshot *kept = NULL;
	check_ok(spate_snapshot_take(&kept, w[0], NULL));
	spate_world_destroy(w[1]);
	check_ok(spate_world_create_empty(&w[1], &s.def, NULL));
	check_ok(spate_snapshot_restore(w[1], kept, NULL));
	add(w[1], "rope", 0, keep_rope, &r[0]);
	for (int k = 0; k < 10; k++)
		step(w[0]), step(w[1]);
	if (spate_world_hash(w[0]) != spate_world_hash(w[1]))
		fail_msg("%s goes on differently", solver);
	check_ok(spate_world_remove_constraint(w[1], "rope", NULL));
	step(w[0]), step(w[1]);
	assert_true(spate_world_hash(w[0]) != spate_world_hash(w[1]));
	spate_snapshot_destroy(kept);
	spate_world_destroy(w[0]), spate_world_destroy(w[1]);
}

static void bits_repeat(void **state)
{
	(void)state;
	each_solver(repeat);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rope_hangs),
	    cmocka_unit_test(rope_swings),
	    cmocka_unit_test(balloon_keeps_its_volume),
	    cmocka_unit_test(priorities_order),
	    cmocka_unit_test(failures_are_told),
	    cmocka_unit_test(bad_definitions_are_refused),
	    cmocka_unit_test(particles_are_found_by_id),
	    cmocka_unit_test(bits_repeat),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
