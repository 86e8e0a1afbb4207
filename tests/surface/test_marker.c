// Marks of particles near the surface: the outer layers and no others, and no flicker.
#include "surface/shapes.h"

#include "base/memory.h"
#include "spate/surface.h"

static spate_surface_marker *marker_of(const spate_surface_marker_def *def)
{
	spate_surface_marker *marker = NULL;
	spate_error error = {0};
	if (spate_surface_marker_create(&marker, def, &error) != SPATE_OK)
		fail_msg("%s", error.text);
	return marker;
}

static int64_t *count_up(uint32_t count)
{
	int64_t *ids = malloc((count + 1) * sizeof *ids);
	assert_non_null(ids);
	for (uint32_t i = 0; i < count; i++)
		ids[i] = 100 + 7 * (int64_t)i;
	return ids;
}

typedef struct layers
{
	double precision; // marked ones in the outer two layers
	double recall;    // of the outermost layer
	uint32_t marked;
} layers;

static layers mark_shape(shape_distance *shape, const double *size, float jitter, spate_surface_criterion criterion,
			 double gamma)
{
	cloud c = cloud_fill(shape, size, 16.0f, 1.0f, jitter);
	spate_surface_marker_def def = spate_default_surface_marker_def();
	def.spacing = 1.0;
	def.criterion = criterion;
	def.gamma = gamma;
	spate_surface_marker *marker = marker_of(&def);
	int64_t *ids = count_up(c.count);
	uint8_t *marks = malloc(c.count);
	check_ok(spate_surface_marker_update(marker, 0.0, c.count, ids, &c.places->x, NULL, marks, NULL));
	uint32_t marked = 0, right = 0, outer = 0, found = 0;
	for (uint32_t i = 0; i < c.count; i++)
	{
		double depth = -shape(size, c.places[i]);
		marked += marks[i];
		right += marks[i] && depth < 2.0;
		// places of a lattice within 0.8 of a curved surface have air beside them
		outer += depth < 0.8;
		found += marks[i] && depth < 0.8;
	}
	layers out = {(double)right / marked, (double)found / outer, marked};
	spate_surface_marker_destroy(marker);
	cloud_free(&c);
	free(ids);
	free(marks);
	return out;
}

static void test_outer_layers(void **state)
{
	(void)state;
	const double box[3] = {10.0, 10.0, 8.0}, ball[1] = {9.0}, ring[2] = {9.0, 4.0};
	for (int k = 0; k < 24; k++)
	{
		shape_distance *shape =
		    (shape_distance *[]){box_shape_distance, sphere_distance, torus_distance}[k % 3];
		const double *size = (const double *[]){box, ball, ring}[k % 3];
		float jitter = k / 3 % 2 ? 0.2f : 0.0f;
		spate_surface_criterion criterion = k / 6 % 2 ? SPATE_SURFACE_ONE_STEP : SPATE_SURFACE_ITERATED;
		double gamma = k / 12 ? 0.01 : 1.0;
		layers l = mark_shape(shape, size, jitter, criterion, gamma);
		print_message("%s, jitter %.1f, %s, gamma %g: %u marked, %.4f of them in the outer two layers, %.4f of "
			      "the outermost\n",
			      (const char *[]){"box", "ball", "ring"}[k % 3], (double)jitter,
			      criterion ? "one step" : "iterated", gamma, l.marked, l.precision, l.recall);
		assert_true(l.precision > (gamma < 1.0 ? 0.97 : 0.999));
		assert_true(l.recall > (gamma < 1.0 ? 0.8 : 0.96));
	}
}

// Lone particles, pairs and a thread are all surface: there is nothing around them.
static void test_spray(void **state)
{
	(void)state;
	cloud c = {0};
	cloud_add(&c, (vec3){0, 0, 0});
	cloud_add(&c, (vec3){10, 0, 0});
	cloud_add(&c, (vec3){11, 0, 0});
	for (int i = 0; i < 10; i++)
		cloud_add(&c, (vec3){(float)i, 20, 0});
	for (int i = 0; i < 100; i++)
		cloud_add(&c, (vec3){(float)(i % 10), 40.0f + (float)(i / 10), 0});
	int64_t *ids = count_up(c.count);
	uint8_t marks[113];
	for (int criterion = 0; criterion < 2; criterion++)
	{
		spate_surface_marker_def def = spate_default_surface_marker_def();
		def.spacing = 1.0;
		def.criterion = (spate_surface_criterion)criterion;
		spate_surface_marker *marker = marker_of(&def);
		check_ok(spate_surface_marker_update(marker, 0.0, c.count, ids, &c.places->x, NULL, marks, NULL));
		for (uint32_t i = 0; i < c.count; i++)
			assert_int_equal(marks[i], 1);
		spate_surface_marker_destroy(marker);
	}
	free(ids);
	cloud_free(&c);
}

// The lower part of a ball: flat above, and below with particles at all depths.
static double bowl_distance(const double *size, vec3 p)
{
	return fmax(sphere_distance(size, p), (double)p.z - 2.0);
}

// A bowl whose particles jitter around their places while the level sloshes; frames `step` seconds apart.
static uint32_t count_changes(double decay, double low, double high, double step, int shuffle, uint32_t *marked)
{
	const double size[1] = {8.0};
	cloud c = cloud_fill(bowl_distance, size, 9.0f, 1.0f, 0.2f);
	uint32_t count = c.count, changes = 0;
	dice d = {77};
	int64_t *ids = count_up(count), *given = malloc(count * sizeof *given);
	vec3 *places = malloc(count * sizeof *places);
	uint8_t *marks = malloc(count), *before = calloc(count, 1);
	spate_surface_marker_def def = spate_default_surface_marker_def();
	def.spacing = 1.0;
	def.decay = decay;
	def.low = low;
	def.high = high;
	def.threads = shuffle ? 2 : 1;
	spate_surface_marker *marker = marker_of(&def);
	for (int frame = 0; frame < 40; frame++)
	{
		double t = step * frame;
		for (uint32_t i = 0; i < count; i++)
		{
			// in every other frame rows come in another order
			uint32_t at = shuffle && frame & 1 ? (i * 7919u + 13u) % count : i;
			vec3 p = c.places[i];
			float slosh = 1.0f + 0.06f * sinf(0.15f * (float)frame) * p.x / 7.0f;
			vec3 move = {dice_range(&d, -0.08f, 0.08f), dice_range(&d, -0.08f, 0.08f),
				     dice_range(&d, -0.08f, 0.08f)};
			places[at] = vec3_add((vec3){p.x, p.y, slosh * (p.z + 5.0f) - 5.0f}, move);
			given[at] = ids[i];
		}
		check_ok(spate_surface_marker_update(marker, t, count, given, &places->x, NULL, marks, NULL));
		*marked = 0;
		for (uint32_t i = 0; i < count; i++)
		{
			uint32_t at = shuffle && frame & 1 ? (i * 7919u + 13u) % count : i;
			changes += frame > 0 && marks[at] != before[i];
			before[i] = marks[at];
			*marked += marks[at];
		}
	}
	spate_surface_marker_destroy(marker);
	cloud_free(&c);
	free(ids);
	free(given);
	free(places);
	free(marks);
	free(before);
	return changes;
}

static void test_hysteresis(void **state)
{
	(void)state;
	spate_surface_marker_def def = spate_default_surface_marker_def();
	double middle = 0.5 * (def.low + def.high);
	uint32_t a, b, c, d;
	uint32_t plain = count_changes(0.0, middle, middle, 0.001, 0, &a);
	uint32_t steps = count_changes(def.decay, def.low, def.high, 0.001, 0, &b);
	uint32_t frames = count_changes(def.decay, def.low, def.high, 0.04, 0, &c);
	uint32_t slow = count_changes(2.0, def.low, def.high, 0.04, 0, &d);
	print_message("changes of marks in 40 frames: plain threshold %u, steps of 1 ms with decay 100 %u (%.1f times "
		      "fewer), frames of 40 ms with decay 100 %u, with decay 2 %u (%.1f times fewer)\n",
		      plain, steps, (double)plain / steps, frames, slow, (double)plain / slow);
	assert_true(plain > 100);
	assert_true(3 * steps < plain && 3 * slow < plain);
	// the memory is over after 10 ms
	assert_int_equal(frames, plain);
	check_near((double)b / a, 1.0, 0.03);
	check_near((double)d / a, 1.0, 0.03);
	uint32_t e;
	assert_int_equal(count_changes(def.decay, def.low, def.high, 0.001, 1, &e), steps);
	assert_int_equal(e, b);
}

// One particle whose density is given: the thresholds as the formula has them.
static void test_thresholds(void **state)
{
	(void)state;
	spate_surface_marker_def def = {.spacing = 1.0,
					.alpha = 1.0,
					.beta = 1.0,
					.gamma = 0.0,
					.low = 0.2,
					.high = 0.6,
					.decay = 10.0,
					.threads = 1};
	spate_surface_marker *marker = marker_of(&def);
	const float place[3] = {1, 2, 3};
	const int64_t id = -5, other = 6;
	static const struct
	{
		double time, score;
		uint8_t mark;
	} rows[] = {
	    {0.0, 0.39, 0},  {0.01, 0.57, 0}, // 0.6 - 10 * 0.2 * 0.01 = 0.58
	    {0.01, 0.59, 1},                  // passed
	    {0.02, 0.23, 1}, {0.06, 0.29, 0}, // 0.2 + 2 * 0.01 = 0.22; 0.2 + 2 * 0.05 = 0.3
	    {0.5, 0.39, 0},  {0.5, 0.41, 1},  // both are 0.4 by now
	    {0.4, 0.39, 0},                   // an earlier time forgets
	};
	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
	{
		float density = (float)(1.0 - rows[r].score);
		uint8_t mark = 9;
		check_ok(spate_surface_marker_update(marker, rows[r].time, 1, &id, place, &density, &mark, NULL));
		if (mark != rows[r].mark)
			fail_msg("row %zu gives mark %u, not %u", r, mark, rows[r].mark);
	}
	// somebody else begins without a memory, and who is gone does too
	float density = 0.59f;
	uint8_t mark = 9;
	check_ok(spate_surface_marker_update(marker, 0.4, 1, &other, place, &density, &mark, NULL));
	assert_int_equal(mark, 1);
	check_ok(spate_surface_marker_update(marker, 0.4, 1, &id, place, &density, &mark, NULL));
	assert_int_equal(mark, 1);
	check_ok(spate_surface_marker_update(marker, 0.4, 0, NULL, NULL, NULL, NULL, NULL));
	spate_surface_marker_destroy(marker);
}

static void test_refused(void **state)
{
	(void)state;
	spate_surface_marker_def def = spate_default_surface_marker_def();
	spate_surface_marker *marker = NULL;
	spate_error error = {0};
	check_result(spate_surface_marker_create(&marker, &def, &error), SPATE_INVALID);
	assert_null(marker);
	def.spacing = 1.0;
	def.low = 1.0;
	check_result(spate_surface_marker_create(&marker, &def, &error), SPATE_INVALID);
	def.low = 0.1;
	def.decay = NAN;
	check_result(spate_surface_marker_create(&marker, &def, &error), SPATE_INVALID);
	def.decay = 1.0;
	def.criterion = (spate_surface_criterion)7;
	check_result(spate_surface_marker_create(&marker, &def, &error), SPATE_INVALID);
	def.criterion = SPATE_SURFACE_ITERATED;
	marker = marker_of(&def);
	float places[6] = {0};
	int64_t ids[2] = {4, 4};
	uint8_t marks[2];
	check_result(spate_surface_marker_update(marker, 0.0, 2, ids, places, NULL, marks, &error), SPATE_INVALID);
	assert_non_null(strstr(error.text, "id 4"));
	check_result(spate_surface_marker_update(marker, NAN, 1, ids, places, NULL, marks, &error), SPATE_INVALID);
	places[1] = NAN;
	check_result(spate_surface_marker_update(marker, 0.0, 1, ids, places, NULL, marks, &error), SPATE_RANGE);
	spate_surface_marker_destroy(marker);
	spate_surface_marker_destroy(NULL);
}

static void test_memory(void **state)
{
	(void)state;
	const double size[1] = {2.0};
	cloud c = cloud_fill(sphere_distance, size, 3.0f, 1.0f, 0.0f);
	int64_t *ids = count_up(c.count);
	uint8_t *marks = malloc(c.count);
	spate_surface_marker_def def = spate_default_surface_marker_def();
	def.spacing = 1.0;
	def.threads = 1;
	uint64_t blocks = mem_get_stats().blocks, n = 1;
	for (;; n++)
	{
		spate_surface_marker *marker = NULL;
		mem_fail_at(n);
		spate_result result = spate_surface_marker_create(&marker, &def, NULL);
		if (result == SPATE_OK)
			result =
			    spate_surface_marker_update(marker, 0.0, c.count, ids, &c.places->x, NULL, marks, NULL);
		mem_fail_at(0);
		spate_surface_marker_destroy(marker);
		assert_int_equal(mem_get_stats().blocks, blocks);
		if (result == SPATE_OK)
			break;
		check_result(result, SPATE_MEMORY);
	}
	assert_true(n > 15);
	free(ids);
	free(marks);
	cloud_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_outer_layers), cmocka_unit_test(test_spray),   cmocka_unit_test(test_hysteresis),
	    cmocka_unit_test(test_thresholds),   cmocka_unit_test(test_refused), cmocka_unit_test(test_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
