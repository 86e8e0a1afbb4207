// The common measure of density: lattices between walls, squeezed, moved and in any order.
#include "check.h"

#include "space/crowding.h"

enum
{
	SIDE = 10
};

static const double spacing = 0.02;

static const crowding_box open_box = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};

// A cubic lattice in a box from the origin on, squeezed along x.
static void lattice(vec4 places[SIDE * SIDE * SIDE], double squeeze)
{
	for (int k = 0; k < SIDE * SIDE * SIDE; k++)
		places[k] =
		    (vec4){(float)((k % SIDE + 0.5) * spacing * squeeze), (float)((k / SIDE % SIDE + 0.5) * spacing),
			   (float)((k / (SIDE * SIDE) + 0.5) * spacing), 0};
}

static crowding measure(const vec4 *places, const crowding_box *box, int threads)
{
	crowding c = {NAN, NAN};
	check_ok(crowding_measure(places, SIDE * SIDE * SIDE, spacing, box, threads, &c, NULL));
	return c;
}

static crowding_box walls(double squeeze)
{
	double side = SIDE * spacing;
	return (crowding_box){{0, 0, 0}, {side * squeeze, side, side}};
}

// Between mirrors a block of the lattice is as dense as the lattice, up to its corners.
static void lattices_are_at_rest(void **state)
{
	(void)state;
	static vec4 places[SIDE * SIDE * SIDE];
	lattice(places, 1);
	crowding_box box = walls(1);
	crowding c = measure(places, &box, 2);
	check_near(c.mean, 0, 2e-6);
	check_near(c.largest, 0, 2e-6);
	// without walls it has no particle that is denser than inside
	c = measure(places, &open_box, 2);
	check_near(c.mean, 0, 2e-6);
	// nor with a floor alone
	box.high[1] = INFINITY;
	c = measure(places, &box, 2);
	check_near(c.largest, 0, 2e-6);
}

// Squeezed by 1 %, everything is 1 % denser: the kernel is wide enough to hardly notice along which axis.
static void squeezed_lattices_are_denser(void **state)
{
	(void)state;
	static vec4 places[SIDE * SIDE * SIDE];
	lattice(places, 0.99);
	crowding_box box = walls(0.99);
	crowding c = measure(places, &box, 1);
	check_near(c.mean, 0.0101, 0.0005);
	check_near(c.largest, 0.0101, 0.0005);
	lattice(places, 1.01);
	box = walls(1.01);
	c = measure(places, &box, 1);
	check_near(c.mean, 0, 2e-6); // expansion does not count
	assert_true(c.largest < -0.009);
}

// One particle that comes too close crowds itself and its neighbours, by the same bits on any number of threads.
static void clumps_are_seen(void **state)
{
	(void)state;
	static vec4 places[SIDE * SIDE * SIDE];
	lattice(places, 1);
	crowding_box box = walls(1);
	places[555].x += (float)(0.7 * spacing);
	crowding one = measure(places, &box, 1), four = measure(places, &box, 4);
	assert_true(one.largest > 0.02);
	assert_true(one.mean > 1e-5 && one.mean < 0.01);
	assert_memory_equal(&one, &four, sizeof one);
}

static void nothing_is_not_crowded(void **state)
{
	(void)state;
	crowding c = {NAN, NAN};
	check_ok(crowding_measure(NULL, 0, spacing, &open_box, 1, &c, NULL));
	check_near(c.mean, 0, 0);
	check_near(c.largest, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lattices_are_at_rest),
	    cmocka_unit_test(squeezed_lattices_are_denser),
	    cmocka_unit_test(clumps_are_seen),
	    cmocka_unit_test(nothing_is_not_crowded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
