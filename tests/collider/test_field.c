// Distances, slopes and nearest triangles of a field against the triangles themselves, and the same bits on any number of threads.
#include "base/hash.h"
#include "collider/field_data.h"
#include "meshes.h"

// Worst error of the distance, in cells, at random places in the band where the surface is smooth: `exact` is the true signed distance.
typedef double exact_distance(const void *context, vec3 p);

typedef struct ball
{
	vec3 centre;
	double radius;
} ball;

static double ball_distance(const void *context, vec3 p)
{
	const ball *b = context;
	return (double)vec3_length(vec3_sub(p, b->centre)) - b->radius;
}

static double torus_distance(const void *context, vec3 p)
{
	const double *radii = context;
	return hypot(hypot((double)p.x, (double)p.z) - radii[0], (double)p.y) - radii[1];
}

static void check_smooth(distance_field *f, exact_distance *exact, const void *context)
{
	const field_info *info = distance_field_info(f);
	float cell = info->settings.cell, band = info->settings.band;
	dice d = {7};
	double worst = 0, worst_angle = 0;
	int seen = 0;
	for (int i = 0; i < 400000; i++)
	{
		vec3 p = random_in_box(&d, info->low, info->high), slope, again;
		double truth = exact(context, p);
		if (fabs(truth) > (double)(band - 2 * cell))
			continue;
		float value = distance_field_sample(f, p, &slope);
		assert_true(value == distance_field_sample(f, p, &again) && memcmp(&slope, &again, sizeof slope) == 0);
		worst = fmax(worst, fabs((double)value - truth) / (double)cell);
		// the true slope by central differences of the formula
		float h = 0.05f * cell;
		vec3 n = {(float)(exact(context, vec3_add(p, vec3_make(h, 0, 0))) -
				  exact(context, vec3_sub(p, vec3_make(h, 0, 0)))),
			  (float)(exact(context, vec3_add(p, vec3_make(0, h, 0))) -
				  exact(context, vec3_sub(p, vec3_make(0, h, 0)))),
			  (float)(exact(context, vec3_add(p, vec3_make(0, 0, h))) -
				  exact(context, vec3_sub(p, vec3_make(0, 0, h))))};
		double cosine = (double)vec3_dot(vec3_normalize(n), vec3_normalize(slope));
		worst_angle = fmax(worst_angle, acos(fmin(cosine, 1)) * 180 / M_PI);
		check_near((double)vec3_length(slope), 1, 0.1);
		seen++;
	}
	if (seen < 10000)
		fail_msg("only %d places were in the band", seen);
	check_near(worst, 0, 0.1);
	check_near(worst_angle, 0, 5);
}

// The room around a place is never more than its distance, nor much less in the band, and grows beyond it.
static void check_room(distance_field *f, exact_distance *exact, const void *context)
{
	const field_info *info = distance_field_info(f);
	float cell = info->settings.cell, band = info->settings.band;
	vec3 more = vec3_make(10 * cell, 10 * cell, 10 * cell);
	dice d = {11};
	int beyond = 0;
	double most = 0, most_bound = 0;
	for (int i = 0; i < 200000; i++)
	{
		vec3 p = random_in_box(&d, vec3_sub(info->low, more), vec3_add(info->high, more));
		double truth = exact(context, p), room = (double)distance_field_room(f, p),
		       bound = (double)distance_field_bound(f, p);
		// the triangles lie a little within the ball
		if (fabs(room) > fabs(truth) + 0.02 * (double)cell)
			fail_msg("room %g cells where the distance is %g", room / (double)cell, truth / (double)cell);
		if (fabs(bound) > fabs(truth) + 0.02 * (double)cell || bound * truth < 0)
			fail_msg("bound %g cells where the distance is %g", bound / (double)cell, truth / (double)cell);
		if (room * truth < 0)
			fail_msg("room %g cells on the wrong side: %g", room / (double)cell, truth / (double)cell);
		if (fabs(truth) < (double)band)
		{
			most = fmax(most, fabs(truth) - fabs(room));
			most_bound = fmax(most_bound, fabs(truth) - fabs(bound));
		}
		beyond += fabs(room) > (double)(band + 4 * cell);
	}
	// the diagonal of an octant, the half of one of a voxel, and rounding
	check_near(most / (double)cell, 0, 8.4);
	// the diagonal of a voxel
	check_near(most_bound / (double)cell, 0, 1.8);
	if (beyond < 10000)
		fail_msg("only %d places know more than the band tells", beyond);
}

// Where no walls are said to meet, the distance grows along its slope for as long as is promised. Returns the share of such places among
// those in the band, on both sides.
static double straight_share(distance_field *f)
{
	const field_info *info = distance_field_info(f);
	float cell = info->settings.cell, most = info->settings.band - FIELD_STRAIGHT * cell;
	dice d = {12};
	int straight = 0, all = 0;
	for (int i = 0; i < 400000; i++)
	{
		vec3 p = random_in_box(&d, info->low, info->high), slope;
		float own = distance_field_sample(f, p, &slope), side = own < 0 ? -1.0f : 1.0f;
		if (fabsf(own) >= most)
			continue;
		all++;
		if (distance_field_folds(f, p))
			continue;
		straight++;
		for (int k = 1; k <= 2 * FIELD_STRAIGHT; k++)
		{
			float way = 0.5f * (float)k * cell, length = vec3_length(slope);
			vec3 q = vec3_add_scaled(p, slope, side * way / length);
			float grown = side * distance_field_sample(f, q, NULL) - side * own;
			if (grown < 0.9f * way)
				fail_msg("%g cells from the wall, %g cells along the slope are only %g more",
					 (double)(own / cell), (double)(way / cell), (double)(grown / cell));
		}
	}
	return (double)straight / all;
}

// Far from the origin single precision knows only every few millimetres. The table serves up to 2 million cells, then the tree is walked.
static void far_away(void **state)
{
	(void)state;
	const float places[5] = {0, 30000, -30000, 90000, -90000}, cell = 0.03125f;
	for (int k = 0; k < 5; k++)
	{
		soup s = {0};
		float x = places[k];
		add_box(&s, vec3_make(x, 0.5f, -0.25f), vec3_make(0.5f, 0.25f, 0.75f), 0, 0);
		distance_field *f = make_field(&s, cell, 6, 1, 2);
		const field_info *info = distance_field_info(f);
		dice d = {13};
		for (int i = 0; i < 20000; i++)
		{
			vec3 p = random_in_box(&d, info->low, info->high);
			double out[3] = {fabs((double)p.x - (double)x) - 0.5, fabs((double)p.y - 0.5) - 0.25,
					 fabs((double)p.z + 0.25) - 0.75};
			double inner = fmax(fmax(out[0], out[1]), out[2]), truth = inner;
			if (inner > 0)
				truth = sqrt(fmax(out[0], 0) * fmax(out[0], 0) + fmax(out[1], 0) * fmax(out[1], 0) +
					     fmax(out[2], 0) * fmax(out[2], 0));
			truth = fmin(fmax(truth, -(double)info->settings.band), (double)info->settings.band);
			// edges are rounded by the interpolation
			check_near((double)distance_field_sample(f, p, NULL), truth, 0.45 * (double)cell);
			double room = fabs((double)distance_field_room(f, p));
			if (fabs(truth) < 0.18 && room > fabs(truth) + 0.3 * (double)cell)
				fail_msg("room %g m where the distance is %g", room, truth);
		}
		distance_field_destroy(f);
		soup_free(&s);
	}
}

// The space inside of a box has edges on all sides, turned against the lattice or not; a groove has one of 150 degrees.
static void walls_that_meet_are_known(void **state)
{
	(void)state;
	for (int turned = 0; turned < 2; turned++)
	{
		soup s = {0};
		add_box(&s, vec3_make(0.1f, 0.2f, 0), vec3_make(1, 0.8f, 1.2f), turned ? 0.7 : 0, turned ? 0.4 : 0);
		distance_field *f = make_field(&s, 0.03f, 8, 1, 2);
		double share = straight_share(f);
		if (share < 0.4)
			fail_msg("walls meet nearly everywhere in a box: only %g is straight", share);
		distance_field_destroy(f);
		soup_free(&s);
	}
	soup s = {0};
	const float groove[5][2] = {{-1, 0.268f}, {0, 0}, {1, 0.268f}, {1, -0.6f}, {-1, -0.6f}};
	uint32_t ends[2][5];
	for (int e = 0; e < 2; e++)
		for (int k = 0; k < 5; k++)
			ends[e][k] = add_vertex(&s, vec3_make(groove[k][0], groove[k][1], e ? 1.01f : -0.98f));
	for (int k = 0; k < 5; k++)
	{
		add_triangle(&s, ends[0][k], ends[1][k], ends[1][(k + 1) % 5]);
		add_triangle(&s, ends[0][k], ends[1][(k + 1) % 5], ends[0][(k + 1) % 5]);
	}
	for (int e = 0; e < 2; e++)
	{
		add_triangle(&s, ends[e][0], ends[e][1], ends[e][4]);
		add_triangle(&s, ends[e][1], ends[e][3], ends[e][4]);
		add_triangle(&s, ends[e][1], ends[e][2], ends[e][3]);
	}
	distance_field *f = make_field(&s, 0.03f, 8, 1, 2);
	double share = straight_share(f);
	if (share < 0.2)
		fail_msg("walls meet nearly everywhere around a groove: only %g is straight", share);
	distance_field_destroy(f);
	soup_free(&s);
}

static void smooth_solids(void **state)
{
	(void)state;
	soup s = {0};
	ball b = {{0.13f, -0.21f, 0.34f}, 1};
	add_sphere(&s, b.centre, 1.0f, 160);
	distance_field *f = make_field(&s, 0.05f, 4, 1, 2);
	assert_int_equal(distance_field_info(f)->encloses, 1);
	check_smooth(f, ball_distance, &b);
	check_room(f, ball_distance, &b);
	check_near(straight_share(f), 1, 0.02);
	distance_field_destroy(f);
	soup_free(&s);

	const double radii[2] = {1, 0.4};
	add_torus(&s, 1.0f, 0.4f, 240, 120);
	f = make_field(&s, 0.04f, 4, 1, 2);
	check_smooth(f, torus_distance, radii);
	check_room(f, torus_distance, radii);
	distance_field_destroy(f);
	soup_free(&s);
}

// Voxels hold the exact distance: at their places a sample must be that of the slow way, edges and corners included.
static void voxels_are_exact(void **state)
{
	(void)state;
	dice d = {11};
	for (int kind = 0; kind < 4; kind++)
	{
		soup s = {0};
		if (kind == 0)
			add_box(&s, vec3_make(0, 0, 0), vec3_make(0.5f, 0.3f, 0.7f), 0, 0); // faces on the lattice
		else if (kind == 1)
			add_box(&s, vec3_make(0.1f, 0.2f, 0), vec3_make(0.5f, 0.3f, 0.7f), 0.7, 0.4);
		else if (kind == 2)
			add_sphere(&s, vec3_make(0, 0, 0), 0.6f, 12);
		else
			for (int t = 0; t < 60; t++)
			{
				uint32_t v[3];
				for (int k = 0; k < 3; k++)
					v[k] = add_vertex(&s,
							  random_in_box(&d, vec3_make(-1, -1, -1), vec3_make(1, 1, 1)));
				add_triangle(&s, v[0], v[1], t % 10 ? v[2] : v[1]); // some without area
			}
		float cell = 0.05f;
		distance_field *f = make_field(&s, cell, 5, 0, 2);
		const field_info *info = distance_field_info(f);
		spate_mesh mesh = mesh_of(&s);
		for (int i = 0; i < 3000; i++)
		{
			vec3 p = random_in_box(&d, info->low, info->high);
			p = vec3_make(cell * roundf(p.x / cell), cell * roundf(p.y / cell), cell * roundf(p.z / cell));
			double truth = fmin(slow_distance(&mesh, p), (double)info->settings.band);
			check_near((double)distance_field_sample(f, p, NULL), truth, 1e-4 * (double)cell);
		}
		distance_field_destroy(f);
		soup_free(&s);
	}
}

// Around a box, away from its edges, where the interpolant has a kink.
static void turned_box(void **state)
{
	(void)state;
	soup s = {0};
	add_box(&s, vec3_make(0.1f, 0.2f, 0), vec3_make(0.5f, 0.3f, 0.7f), 0.7, 0.4);
	spate_mesh mesh = mesh_of(&s);
	float cell = 0.03f;
	distance_field *f = make_field(&s, cell, 4, 1, 2);
	const field_info *info = distance_field_info(f);
	dice d = {3};
	int seen = 0;
	for (int i = 0; i < 100000; i++)
	{
		vec3 p = random_in_box(&d, info->low, info->high), q = turned(turned(p, 0, -0.4), -0.7, 0), slope;
		double x[3] = {fabs((double)q.x - 0.1) - 0.5, fabs((double)q.y - 0.2) - 0.3, fabs((double)q.z) - 0.7};
		// next to one face, with the others three cells away
		int face = x[0] > x[1] ? (x[0] > x[2] ? 0 : 2) : (x[1] > x[2] ? 1 : 2);
		double clear = -3 * (double)cell;
		if (fabs(x[face]) > 3 * (double)cell || x[(face + 1) % 3] > clear + fmin(0, x[face]) ||
		    x[(face + 2) % 3] > clear + fmin(0, x[face]))
			continue;
		float value = distance_field_sample(f, p, &slope);
		check_near((double)value, x[face], 0.1 * (double)cell);
		check_near(fabs((double)value), slow_distance(&mesh, p), 0.1 * (double)cell);
		vec3 normal = vec3_make(face == 0 ? copysignf(1, q.x - 0.1f) : 0,
					face == 1 ? copysignf(1, q.y - 0.2f) : 0, face == 2 ? copysignf(1, q.z) : 0);
		assert_true((double)vec3_dot(turned(normal, 0.7, 0.4), vec3_normalize(slope)) > cos(5 * M_PI / 180));
		seen++;
	}
	assert_true(seen > 1000);
	distance_field_destroy(f);
	soup_free(&s);
}

static void sheet_without_inside(void **state)
{
	(void)state;
	for (int kind = 0; kind < 2; kind++)
	{
		soup s = {0};
		if (kind == 0)
			add_sheet(&s, 0.013f, 0.8f, 10, 0.3, 0.5);
		else
			add_moebius(&s, 0.8f, 0.4f, 120);
		spate_mesh mesh = mesh_of(&s);
		float cell = 0.05f;
		distance_field *f = make_field(&s, cell, 3, 1, 2);
		const field_info *info = distance_field_info(f);
		assert_int_equal(info->encloses, 0);
		dice d = {5};
		double worst = 0, sum = 0;
		int seen = 0;
		for (int i = 0; i < 20000; i++)
		{
			vec3 p = random_in_box(&d, info->low, info->high), slope;
			double truth = slow_distance(&mesh, p);
			float value = distance_field_sample(f, p, &slope);
			assert_true(value >= 0);
			if (truth > 1.5 * (double)cell)
				continue;
			worst = fmax(worst, fabs((double)value - truth) / (double)cell);
			sum += fabs((double)value - truth) / (double)cell;
			seen++;
		}
		assert_true(seen > 300);
		check_near(worst, 0, 0.5);
		check_near(sum / seen, 0, 0.03);
		distance_field_destroy(f);
		soup_free(&s);
	}
}

static void nearest_triangles(void **state)
{
	(void)state;
	soup s = {0};
	add_sphere(&s, vec3_make(0.01f, 0.02f, 0.03f), 1.0f, 24);
	spate_mesh mesh = mesh_of(&s);
	float cell = 0.05f;
	distance_field *f = make_field(&s, cell, 3, 1, 2);
	const field_info *info = distance_field_info(f);
	dice d = {9};
	int seen = 0, off = 0;
	for (int i = 0; i < 20000; i++)
	{
		vec3 p = random_in_box(&d, info->low, info->high);
		double truth = slow_distance(&mesh, p);
		int32_t t = distance_field_triangle(f, p);
		if (truth > 4.8 * (double)cell)
			assert_int_equal(t, FIELD_NO_TRIANGLE);
		if (truth > 2 * (double)cell)
			continue;
		assert_true(t >= 0 && (uint32_t)t < mesh.triangle_count);
		const uint32_t *v = mesh.triangles + 3 * (size_t)t;
		double there =
		    slow_triangle_distance(mesh.positions + 3 * (size_t)v[0], mesh.positions + 3 * (size_t)v[1],
					   mesh.positions + 3 * (size_t)v[2], p);
		// a triangle smaller than a cell may be nearest to p and to no corner
		check_near(there, truth, 0.5 * (double)cell);
		off += there > truth + 0.05 * (double)cell;
		seen++;
	}
	assert_true(seen > 300);
	if (off > seen / 50)
		fail_msg("%d of %d triangles are not the nearest", off, seen);
	distance_field_destroy(f);
	soup_free(&s);
}

static void beyond_the_band(void **state)
{
	(void)state;
	soup s = {0};
	add_sphere(&s, vec3_make(0, 0, 0), 1.0f, 24);
	distance_field *f = make_field(&s, 0.05f, 3, 1, 1);
	const vec3 outside[] = {{1.5f, 0, 0}, {50, 1e6f, 0}, {NAN, 0, 0}, {0, -INFINITY, 0}, {1.14f, 1.14f, 1.14f}},
		   inside = {0.1f, 0.2f, 0.3f};
	for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++)
	{
		vec3 slope = {1, 1, 1};
		check_near((double)distance_field_sample(f, outside[i], &slope), 0.15, 1e-7);
		check_near((double)vec3_length(slope), 0, 0);
		assert_int_equal(distance_field_triangle(f, outside[i]), FIELD_NO_TRIANGLE);
	}
	vec3 slope = {1, 1, 1};
	check_near((double)distance_field_sample(f, inside, &slope), -0.15, 1e-7);
	check_near((double)vec3_length(slope), 0, 0);
	distance_field_destroy(f);
	soup_free(&s);
}

static uint64_t field_hash(const distance_field *f)
{
	return hash_bytes(f->nearest, f->nearest_bytes, hash_bytes(f->distance, f->distance_bytes, 0));
}

static void same_bits_on_any_number_of_threads(void **state)
{
	(void)state;
	// on the lattice and symmetric, so that many triangles are equally near; with an overlap, a sheet and cracks
	for (int signed_too = 0; signed_too < 2; signed_too++)
	{
		soup s = {0};
		add_sphere(&s, vec3_make(0, 0, 0), 1.0f, 40);
		add_box(&s, vec3_make(1, 0, 0), vec3_make(0.5f, 0.5f, 0.5f), 0, 0);
		add_sheet(&s, 0.0f, 1.5f, 8, 0, 0);
		add_sphere(&s, vec3_make(0, 3, 0), 0.5f, 20);
		s.triangles.count -= 3;
		uint64_t expected = 0;
		for (int threads = 1; threads <= 4; threads *= 2)
		{
			distance_field *f = make_field(&s, 0.05f, 4, signed_too, threads);
			uint64_t hash = field_hash(f);
			expected = threads == 1 ? hash : expected;
			if (hash != expected)
				fail_msg("hash on %d threads is %016llx, on one %016llx", threads,
					 (unsigned long long)hash, (unsigned long long)expected);
			distance_field_destroy(f);
		}
		// and with other instructions
		setenv("SPATE_SIMD", "portable", 1);
		distance_field *f = make_field(&s, 0.05f, 4, signed_too, 2);
		unsetenv("SPATE_SIMD");
		if (field_hash(f) != expected)
			fail_msg("hash with portable instructions is %016llx, expected %016llx",
				 (unsigned long long)field_hash(f), (unsigned long long)expected);
		distance_field_destroy(f);
		soup_free(&s);
	}
}

static void bad_input_is_refused(void **state)
{
	(void)state;
	soup s = {0};
	add_box(&s, vec3_make(0, 0, 0), vec3_make(1, 1, 1), 0, 0);
	spate_mesh mesh = mesh_of(&s);
	distance_field *f;
	spate_error error;
	const field_settings bad[] = {{0, 1, 1},        {-1, 1, 1},          {NAN, 1, 1},
				      {0.1f, 0.05f, 1}, {0.1f, INFINITY, 1}, {1e-7f, 3e-7f, 1}};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
	{
		check_result(distance_field_create(&f, &mesh, &bad[i], 1, &error), SPATE_INVALID);
		assert_null(f);
	}
	const field_settings good = {0.1f, 0.3f, 1};
	spate_mesh empty = mesh;
	empty.triangle_count = 0;
	check_result(distance_field_create(&f, &empty, &good, 1, &error), SPATE_INVALID);
	s.triangles.data[4] = 8;
	check_result(distance_field_create(&f, &mesh, &good, 1, &error), SPATE_INVALID);
	assert_string_equal(error.text, "triangle 1 of the mesh refers to vertex 8 of 8");
	s.triangles.data[4] = 0;
	s.positions.data[7] = NAN;
	check_result(distance_field_create(&f, &mesh, &good, 1, &error), SPATE_INVALID);
	assert_string_equal(error.text, "vertex 2 of the mesh has a non-finite position");
	soup_free(&s);
}

// Every allocation fails once; none may crash or leak.
static void out_of_memory(void **state)
{
	(void)state;
	soup s = {0};
	add_sphere(&s, vec3_make(0, 0, 0), 1.0f, 8);
	add_sheet(&s, 0.0f, 1.5f, 4, 0, 0);
	add_box(&s, vec3_make(0.7f, 0, 0), vec3_make(0.6f, 0.6f, 0.6f), 0.2, 0);
	spate_mesh mesh = mesh_of(&s);
	const field_settings settings = {0.1f, 0.3f, 1};
	uint64_t blocks = mem_get_stats().blocks;
	for (uint64_t n = 1;; n++)
	{
		distance_field *f = NULL;
		spate_error error;
		mem_fail_at(n);
		spate_result result = distance_field_create(&f, &mesh, &settings, 1, &error);
		mem_fail_at(0);
		distance_field_destroy(f);
		assert_int_equal(mem_get_stats().blocks, blocks);
		if (result == SPATE_OK)
		{
			assert_true(n > 20);
			break;
		}
		check_result(result, SPATE_MEMORY);
		assert_null(f);
	}
	soup_free(&s);
}

int main(void)
{
	skip_without_fields();
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(smooth_solids),
	    cmocka_unit_test(walls_that_meet_are_known),
	    cmocka_unit_test(far_away),
	    cmocka_unit_test(voxels_are_exact),
	    cmocka_unit_test(turned_box),
	    cmocka_unit_test(sheet_without_inside),
	    cmocka_unit_test(nearest_triangles),
	    cmocka_unit_test(beyond_the_band),
	    cmocka_unit_test(same_bits_on_any_number_of_threads),
	    cmocka_unit_test(bad_input_is_refused),
	    cmocka_unit_test(out_of_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
