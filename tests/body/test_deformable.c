// Bodies that bend, against formulas.
#include "bodies.h"

static const deformable_surroundings falling = {.gravity = {0, -9.81, 0}, .threads = 1}, weightless = {.threads = 1};

// A hanging rope stretches by m g L / (2 E A), whatever the number of points and the substep.
static void a_hanging_rope_stretches(void **state)
{
	(void)state;
	const uint32_t points[] = {5, 21, 61};
	const double steps[] = {1.0 / 60.0, 0.001};
	for (size_t k = 0; k < 3; k++)
		for (size_t s = 0; s < 2; s++)
		{
			spate_mesh *mesh = line_mesh(points[k], 2.0, 0.0);
			deformable_def def = {.kind = DEFORMABLE_ROPE,
					      .mesh = mesh,
					      .density = 0.5,
					      .stiffness = 200.0,
					      .damping = 0.1,
					      .radius = 0.01};
			for (uint32_t v = 0; v < points[k]; v++)
				mesh->positions[3 * v + 1] = -mesh->positions[3 * v], mesh->positions[3 * v] = 0.0f;
			deformable *b = body_of(&def);
			deformable_pin(b, 0);
			run(b, &falling, steps[s], (uint32_t)(2.0 / steps[s]));
			// exact for points with lumped masses, too
			double expected = 0.5 * 9.81 * 2.0 * 2.0 / (2.0 * 200.0) * 0.5 / 0.5;
			double longer = -deformable_places(b)[3 * (points[k] - 1) + 1] - 2.0;
			printf("%u points, dt %.4f s: stretch %.6f m, expected %.6f m\n", points[k], steps[s], longer,
			       expected);
			check_near(longer, expected, 0.002 * expected);
			deformable_destroy(b);
			spate_mesh_destroy(mesh);
		}
}

// A rope between two points hangs in a catenary.
static void a_rope_hangs_in_a_catenary(void **state)
{
	(void)state;
	spate_mesh *mesh = line_mesh(101, 1.0, 0.0);
	deformable_def def = {
	    .kind = DEFORMABLE_ROPE, .mesh = mesh, .density = 0.1, .stiffness = 1e4, .damping = 0.02, .radius = 0.01};
	deformable *b = body_of(&def);
	deformable_pin(b, 0);
	deformable_pin(b, 100);
	const double span = 0.8;
	for (int k = 1; k <= 50; k++)
	{
		const double end[3] = {1.0 + (span - 1.0) * k / 50.0, 0, 0};
		deformable_guide(b, 100, end);
		run(b, &falling, 0.02, 1);
	}
	run(b, &falling, 0.02, 200);
	// length 2 a sinh(span / 2a) = 1
	double low = 0.05, high = 10.0;
	for (int k = 0; k < 100; k++)
	{
		double a = 0.5 * (low + high);
		*(2.0 * a * sinh(0.5 * span / a) > 1.0 ? &low : &high) = a;
	}
	double sag = low * (cosh(0.5 * span / low) - 1.0), got = -deformable_places(b)[3 * 50 + 1];
	printf("sag %.5f m, catenary %.5f m\n", got, sag);
	check_near(got, sag, 0.005 * sag);
	deformable_destroy(b);
	spate_mesh_destroy(mesh);
}

// A weight on a stiff thread swings with 2 pi sqrt(L / g).
static void a_pendulum_swings_in_time(void **state)
{
	(void)state;
	spate_mesh *mesh = line_mesh(2, 1.0, 0.0);
	const double angle = 0.1;
	mesh->positions[3] = (float)sin(angle);
	mesh->positions[4] = (float)-cos(angle);
	deformable_def def = {.kind = DEFORMABLE_ROPE, .mesh = mesh, .density = 1.0, .stiffness = 1e6, .radius = 0.01};
	deformable *b = body_of(&def);
	deformable_pin(b, 0);
	double before = deformable_places(b)[3], first = 0.0, last = 0.0;
	int crossings = 0;
	for (int k = 1; k <= 12000; k++)
	{
		run(b, &falling, 0.001, 1);
		double now = deformable_places(b)[3];
		if (before < 0.0 && now >= 0.0)
		{
			last = 0.001 * (k - now / (now - before));
			first = crossings++ == 0 ? last : first;
		}
		before = now;
	}
	double period = (last - first) / (crossings - 1),
	       expected = 2.0 * 3.14159265358979 * sqrt(1.0 / 9.81) * (1.0 + angle * angle / 16.0);
	printf("period %.5f s, expected %.5f s\n", period, expected);
	check_near(period, expected, 0.003 * expected);
	deformable_destroy(b);
	spate_mesh_destroy(mesh);
}

// A strip of cloth held at one end sags by q L^4 / (8 D), as far as hinges between triangles can tell: they are too weak where a strip bends
// across as well. Twice the rigidity is half the sag, and finer triangles change little.
static void a_strip_bends_under_its_weight(void **state)
{
	(void)state;
	const uint32_t alongs[] = {10, 20, 10};
	const double rigidities[] = {0.2, 0.2, 0.4};
	double sags[3];
	for (int k = 0; k < 3; k++)
	{
		uint32_t along = alongs[k], row = along / 5 + 1;
		spate_mesh *mesh = sheet_mesh(along / 5, along, 0.1, 0.5);
		deformable_def def = {.kind = DEFORMABLE_CLOTH,
				      .mesh = mesh,
				      .density = 0.1,
				      .stiffness = 2e3,
				      .bending = rigidities[k],
				      .damping = 0.02};
		deformable *b = body_of(&def);
		for (uint32_t v = 0; v < 2 * row; v++)
			deformable_pin(b, v);
		run(b, &falling, 0.02, 100);
		double loose = 0.5 - 0.5 / along, expected = 0.1 * 9.81 * pow(loose, 4.0) / (8.0 * rigidities[k]);
		sags[k] = -deformable_places(b)[3 * (along * row + row / 2) + 1] / expected;
		printf("%u along, D %.1f N m: sag %.3f of a beam's %.5f m\n", along, rigidities[k], sags[k], expected);
		assert_true(sags[k] > 0.9 && sags[k] < 1.45);
		deformable_destroy(b);
		spate_mesh_destroy(mesh);
	}
	check_near(sags[1] / sags[0], 1.0, 0.1);
	check_near(sags[2] / sags[0], 1.0, 0.1);
}

// A sheet that is pulled gets longer by F L / (K w) and narrower by the ratio of Poisson.
static void a_sheet_stretches(void **state)
{
	(void)state;
	spate_mesh *mesh = sheet_mesh(8, 16, 0.2, 0.4);
	deformable_def def = {.kind = DEFORMABLE_CLOTH,
			      .mesh = mesh,
			      .density = 0.2,
			      .stiffness = 1000.0,
			      .poisson = 0.3,
			      .damping = 0.02};
	deformable *b = body_of(&def);
	const double pull = 1.0; // N/m on both ends
	for (int i = 0; i <= 8; i++)
	{
		double own = pull * 0.2 / 8 * (i == 0 || i == 8 ? 0.5 : 1.0);
		deformable_forces(b)[3 * i + 2] = -own;
		deformable_forces(b)[3 * (16 * 9 + i) + 2] = own;
	}
	run(b, &weightless, 0.02, 200);
	const double *x = deformable_places(b);
	double longer = (x[3 * (16 * 9 + 4) + 2] - x[3 * 4 + 2]) / 0.4 - 1.0,
	       wider = (x[3 * (8 * 9 + 8)] - x[3 * (8 * 9)]) / 0.2 - 1.0;
	printf("longer by %.6f, expected 0.001; wider by %.6f, expected -0.0003\n", longer, wider);
	check_near(longer, 0.001, 5e-6);
	check_near(wider, -0.0003, 5e-6);
	deformable_destroy(b);
	spate_mesh_destroy(mesh);
}

typedef struct momenta
{
	double linear[3], angular[3];
} momenta;

static momenta momenta_of(deformable *b)
{
	momenta sum = {{0}, {0}};
	const double *x = deformable_places(b), *v = deformable_velocities(b), *m = deformable_masses(b);
	for (uint32_t n = 0; n < deformable_count(b); n++, x += 3, v += 3, m++)
		for (int i = 0; i < 3; i++)
		{
			int j = (i + 1) % 3, k = (i + 2) % 3;
			sum.linear[i] += *m * v[i];
			sum.angular[i] += *m * (x[j] * v[k] - x[k] * v[j]);
		}
	return sum;
}

// Without gravity momentum and angular momentum stay, also of a body that deforms and turns.
static void momentum_stays(void **state)
{
	(void)state;
	for (int kind = 0; kind < 3; kind++)
	{
		spate_mesh *mesh = kind == 0   ? sheet_mesh(10, 10, 0.3, 0.3)
				   : kind == 1 ? line_mesh(20, 0.5, 0.0)
					       : ball_mesh(0.1, 0, 0, 0, 8);
		deformable_def def = {.kind = kind == 0   ? DEFORMABLE_CLOTH
					      : kind == 1 ? DEFORMABLE_ROPE
							  : DEFORMABLE_SOFT,
				      .mesh = mesh,
				      .density = kind == 2 ? 500.0 : 0.2,
				      .stiffness = kind == 2 ? 1e4 : 100.0,
				      .bending = 1e-4,
				      .poisson = kind == 2 ? 0.4 : 0.0,
				      .radius = 0.01};
		deformable *b = body_of(&def);
		double *x = deformable_places(b), *v = deformable_velocities(b);
		for (uint32_t n = 0; n < deformable_count(b); n++)
		{
			v[3 * n] = 0.5 - 4.0 * x[3 * n + 2];
			v[3 * n + 1] = 2.0 * sin(20.0 * x[3 * n]);
			v[3 * n + 2] = 4.0 * x[3 * n] + x[3 * n + 1];
		}
		momenta before = momenta_of(b);
		double energy = 0.0;
		for (uint32_t n = 0; n < 3 * deformable_count(b); n++)
			energy += 0.5 * deformable_masses(b)[n / 3] * v[n] * v[n];
		run(b, &weightless, 0.005, 200);
		momenta now = momenta_of(b);
		double size = sqrt(2.0 * energy * deformable_mass(b));
		for (int i = 0; i < 3; i++)
		{
			printf("kind %d: linear %.9f then %.9f, angular %.9f then %.9f\n", kind, before.linear[i],
			       now.linear[i], before.angular[i], now.angular[i]);
			check_near(now.linear[i], before.linear[i], 1e-6 * size);
			check_near(now.angular[i], before.angular[i], 1e-3 * size * 0.3);
		}
		deformable_destroy(b);
		spate_mesh_destroy(mesh);
	}
}

// Falling freely, a body keeps its shape and falls as a stone.
static void a_body_falls(void **state)
{
	(void)state;
	spate_mesh *mesh = ball_mesh(0.1, 0, 1, 0, 32);
	deformable_def def = {.kind = DEFORMABLE_SOFT, .mesh = mesh, .density = 300, .stiffness = 2e4, .poisson = 0.45};
	deformable *b = body_of(&def);
	double volume = 4.0 / 3.0 * 3.14159265358979 * 1e-3;
	printf("mass %.5f kg, ball %.5f kg\n", deformable_mass(b), 300 * volume);
	check_near(deformable_mass(b), 300 * volume, 0.01 * 300 * volume);
	double top = deformable_places(b)[1], energy = deformable_energy(b);
	run(b, &falling, 0.01, 40);
	double fallen = top - deformable_places(b)[1], expected = 0.5 * 9.81 * 0.4 * 0.4;
	printf("fallen %.5f m, expected %.5f m\n", fallen, expected);
	check_near(fallen, expected, 0.01 * expected);
	check_near(deformable_energy(b), energy, 1e-9);
	deformable_destroy(b);
	spate_mesh_destroy(mesh);
}

static int floor_below(const void *context, const double p[3], double reach, deformable_wall *out)
{
	double friction = *(const double *)context;
	*out = (deformable_wall){.normal = {0, 1, 0}, .friction = friction};
	return p[1] < reach;
}

// A soft ball on the floor flattens, and keeps its volume within the limits of its ratio of Poisson.
static void a_soft_ball_keeps_its_volume(void **state)
{
	(void)state;
	spate_mesh *mesh = ball_mesh(0.1, 0, 0.102, 0, 12);
	deformable_def def = {.kind = DEFORMABLE_SOFT,
			      .mesh = mesh,
			      .density = 1000,
			      .stiffness = 1e4,
			      .poisson = 0.47,
			      .damping = 0.05,
			      .cell = 0.025,
			      .thickness = 0.004};
	deformable *b = body_of(&def);
	const double friction = 0.5;
	deformable_surroundings around = falling;
	around.feel = floor_below;
	around.context = &friction;
	double before = deformable_volume(b);
	run(b, &around, 0.01, 140);
	double low = 1.0, high = 0.0, volume = deformable_volume(b);
	float *shown = malloc(3 * sizeof *shown * mesh->vertex_count);
	deformable_show(b, NULL, shown);
	for (uint32_t n = 0; n < mesh->vertex_count; n++)
	{
		low = fmin(low, (double)shown[3 * n + 1]);
		high = fmax(high, (double)shown[3 * n + 1]);
	}
	free(shown);
	printf("lowest %.5f m, highest %.5f m, volume %.6f of %.6f m3\n", low, high, volume, before);
	check_near(low, 0.002, 0.0005);
	assert_true(high < 0.197);
	check_near(volume, before, 0.01 * before);
	// it rests
	check_near(deformable_speed(b), 0.0, 0.01);
	deformable_destroy(b);
	spate_mesh_destroy(mesh);
}

// On a slope a ball of cloth or a block stays if friction is above the slope's tangent, and slides with g (sin - mu cos) below.
static int slope_below(const void *context, const double p[3], double reach, deformable_wall *out)
{
	double friction = *(const double *)context, c = cos(0.3), s = sin(0.3);
	*out = (deformable_wall){.normal = {s, c, 0}, .friction = friction};
	return s * p[0] + c * p[1] < reach;
}

static void a_sheet_slides_down_a_slope(void **state)
{
	(void)state;
	const double frictions[] = {0.5, 0.1};
	for (int k = 0; k < 2; k++)
	{
		spate_mesh *mesh = sheet_mesh(6, 6, 0.1, 0.1);
		for (uint32_t v = 0; v < mesh->vertex_count; v++)
			mesh->positions[3 * v + 1] =
			    (float)(-tan(0.3) * (double)mesh->positions[3 * v] + 0.0005 / cos(0.3));
		deformable_def def = {.kind = DEFORMABLE_CLOTH,
				      .mesh = mesh,
				      .density = 0.2,
				      .stiffness = 500,
				      .bending = 1e-4,
				      .damping = 0.001,
				      .thickness = 0.001};
		deformable *b = body_of(&def);
		deformable_surroundings around = falling;
		around.feel = slope_below;
		around.context = &frictions[k];
		double x = deformable_places(b)[3 * 24];
		run(b, &around, 0.005, 100);
		double way = (deformable_places(b)[3 * 24] - x) / cos(0.3),
		       expected = k == 0 ? 0.0 : 0.5 * 9.81 * (sin(0.3) - 0.1 * cos(0.3)) * 0.25;
		printf("friction %g: slid %.5f m, expected %.5f m\n", frictions[k], way, expected);
		check_near(way, expected, k == 0 ? 0.001 : 0.03 * expected);
		deformable_destroy(b);
		spate_mesh_destroy(mesh);
	}
}

// A sheet that is held by one edge and folded over onto itself does not pass through itself: its two halves keep their order.
static void a_folded_sheet_does_not_pass_itself(void **state)
{
	(void)state;
	const uint32_t across = 6, along = 24;
	spate_mesh *mesh = sheet_mesh(across, along, 0.2, 0.8);
	// three layers, one above the other: z runs there, back and there again
	for (uint32_t v = 0; v < mesh->vertex_count; v++)
	{
		double s = (double)mesh->positions[3 * v + 2] / 0.8 * 3.0, part = s - floor(s);
		int layer = s >= 3.0 ? 2 : (int)s;
		part = s >= 3.0 ? 1.0 : part;
		mesh->positions[3 * v + 2] = (float)(0.26 * (layer == 1 ? 1.0 - part : part));
		mesh->positions[3 * v + 1] = (float)(0.02 + 0.02 * s);
	}
	deformable_def def = {.kind = DEFORMABLE_CLOTH,
			      .mesh = mesh,
			      .density = 0.2,
			      .stiffness = 200,
			      .bending = 1e-5,
			      .damping = 0.002,
			      .thickness = 0.004};
	deformable *b = body_of(&def);
	const double friction = 0.3;
	deformable_surroundings around = falling;
	around.feel = floor_below;
	around.context = &friction;
	run(b, &around, 0.005, 120);
	// in the middle of each layer, by columns
	double least = INFINITY;
	for (uint32_t i = 1; i + 1 <= across; i++)
	{
		const double *x = deformable_places(b);
		double a = x[3 * (4 * (across + 1) + i) + 1], c = x[3 * (12 * (across + 1) + i) + 1],
		       d = x[3 * (20 * (across + 1) + i) + 1];
		least = fmin(least, fmin(c - a, d - c));
	}
	printf("least distance of layers %.5f m\n", least);
	assert_true(least > 0.0025);
	deformable_destroy(b);
	spate_mesh_destroy(mesh);
}

// What the liquid asks: the answer to an impulse is that of a body of the whole mass where the impulse is even.
static void a_body_yields_to_impulses(void **state)
{
	(void)state;
	spate_mesh *mesh = sheet_mesh(8, 8, 0.2, 0.2);
	deformable_def def = {
	    .kind = DEFORMABLE_CLOTH, .mesh = mesh, .density = 0.2, .stiffness = 500, .bending = 1e-4};
	deformable *b = body_of(&def);
	run(b, &weightless, 0.002, 1);
	uint32_t count = deformable_count(b);
	double *impulses = calloc(3 * count, sizeof *impulses), *changes = calloc(3 * count, sizeof *changes);
	for (uint32_t n = 0; n < count; n++)
		impulses[3 * n + 1] = 2.0 * deformable_masses(b)[n];
	deformable_yield(b, impulses, changes);
	for (uint32_t n = 0; n < count; n++)
		check_near(changes[3 * n + 1], 2.0, 1e-5);
	// one that is held in the plane moves less than its mass would
	memset(impulses, 0, 3 * count * sizeof *impulses);
	for (uint32_t n = 0; n < 9; n++)
		deformable_pin(b, n), deformable_pin(b, 72 + n);
	run(b, &weightless, 0.002, 1);
	impulses[3 * 40 + 2] = 1e-3;
	deformable_yield(b, impulses, changes);
	double alone = 1e-3 / deformable_masses(b)[40];
	printf("held: %.5f m/s, alone %.5f m/s\n", changes[3 * 40 + 2], alone);
	assert_true(changes[3 * 40 + 2] > 0.0 && changes[3 * 40 + 2] < 0.2 * alone);
	// it is symmetric
	double there = changes[3 * 32 + 2];
	memset(impulses, 0, 3 * count * sizeof *impulses);
	impulses[3 * 32 + 2] = 1e-3;
	deformable_yield(b, impulses, changes);
	check_near(changes[3 * 40 + 2], there, 1e-6 * fabs(there) + 1e-12);
	free(impulses);
	free(changes);
	deformable_destroy(b);
	spate_mesh_destroy(mesh);
}

// The same bits on any number of threads, and from a saved state.
static void threads_and_states_change_nothing(void **state)
{
	(void)state;
	double *first = NULL;
	const double friction = 0.3;
	for (int threads = 1; threads <= 5; threads++)
	{
		spate_mesh *mesh = sheet_mesh(16, 16, 0.3, 0.3);
		for (uint32_t v = 0; v < mesh->vertex_count; v++)
			mesh->positions[3 * v + 1] = 0.05f;
		deformable_def def = {.kind = DEFORMABLE_CLOTH,
				      .mesh = mesh,
				      .density = 0.2,
				      .stiffness = 500,
				      .bending = 1e-4,
				      .damping = 0.001,
				      .thickness = 0.004};
		deformable *b = body_of(&def);
		deformable_surroundings around = falling;
		around.feel = floor_below;
		around.context = &friction;
		around.threads = threads < 5 ? threads : 2;
		deformable_pin(b, 0);
		deformable_pin(b, 16);
		run(b, &around, 0.004, 30);
		if (threads == 5)
		{
			byte_writer writer = {0};
			deformable_save(b, &writer);
			deformable_destroy(b);
			b = body_of(&def);
			byte_reader reader = {.at = writer.bytes.data, .left = writer.bytes.count};
			assert_true(deformable_load(b, &reader));
			assert_int_equal(reader.left, 0);
			array_free(&writer.bytes);
		}
		run(b, &around, 0.004, 30);
		size_t bytes = 3 * deformable_count(b) * sizeof(double);
		if (!first)
		{
			first = malloc(bytes);
			memcpy(first, deformable_places(b), bytes);
		}
		assert_memory_equal(first, deformable_places(b), bytes);
		deformable_destroy(b);
		spate_mesh_destroy(mesh);
	}
	free(first);
}

static void bad_bodies_are_refused(void **state)
{
	(void)state;
	spate_mesh *mesh = sheet_mesh(2, 2, 1, 1);
	spate_error error;
	deformable *b;
	deformable_def soft = {.kind = DEFORMABLE_SOFT, .mesh = mesh, .density = 300, .stiffness = 1e4, .poisson = 0.4};
	check_result(deformable_create(&b, &soft, &error), SPATE_INVALID);
	assert_non_null(strstr(error.text, "closed mesh"));
	deformable_def weightless_cloth = {.kind = DEFORMABLE_CLOTH, .mesh = mesh, .stiffness = 1e3};
	check_result(deformable_create(&b, &weightless_cloth, &error), SPATE_INVALID);
	spate_mesh_destroy(mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_hanging_rope_stretches),
	    cmocka_unit_test(a_rope_hangs_in_a_catenary),
	    cmocka_unit_test(a_pendulum_swings_in_time),
	    cmocka_unit_test(a_strip_bends_under_its_weight),
	    cmocka_unit_test(a_sheet_stretches),
	    cmocka_unit_test(momentum_stays),
	    cmocka_unit_test(a_body_falls),
	    cmocka_unit_test(a_soft_ball_keeps_its_volume),
	    cmocka_unit_test(a_sheet_slides_down_a_slope),
	    cmocka_unit_test(a_folded_sheet_does_not_pass_itself),
	    cmocka_unit_test(a_body_yields_to_impulses),
	    cmocka_unit_test(threads_and_states_change_nothing),
	    cmocka_unit_test(bad_bodies_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
