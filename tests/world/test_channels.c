// Channels: particles carry what their source gave them, wherever they are sorted to and however often the world is restored; and
// automatic ones are what they say.
#include "scene.h"

#include "spate/snapshot.h"
#include "world/world.h"

#include <inttypes.h>

enum
{
	MOST_IDS = 4000
};

// Two blocks that fall into each other, and a jet on top of them.
static void blocks(scene *s)
{
	scene_init(s, 0.02);
	add_fill(s, box_shape(0, 0, 0, 0.1, 0.16, 0.1))->name = "left";
	add_fill(s, box_shape(0.2, 0, 0, 0.3, 0.2, 0.1))->name = "right";
	spate_source_def *jet = add_fill(s, (spate_shape){0});
	*jet = spate_default_source_def();
	jet->type = SPATE_SOURCE_EMITTER;
	jet->name = "jet";
	jet->position[0] = 0.15;
	jet->position[1] = 0.3;
	jet->position[2] = 0.05;
	jet->direction[1] = -1;
	jet->radius = 0.03;
	jet->speed = 2;
	add_collider(s, box_shape(0, 0, 0, 0.3, 0.5, 0.1), SPATE_COLLIDER_INSIDE);
}

static const spate_channel_value heats[] = {{"left", {80}}, {"jet", {0.1}}};
static const spate_channel_value batches[] = {{"right", {-2147483648.0}}, {"jet", {7}}};
static const spate_channel_value tints[] = {{"left", {1, 0.5, -3}}};
static const spate_channel_def declared[] = {
    {.name = "heat", .type = SPATE_CHANNEL_FLOAT, .initial = {20}, .values = heats, .value_count = 2},
    {.name = "batch", .type = SPATE_CHANNEL_INT, .initial = {3}, .values = batches, .value_count = 2},
    {.name = "tint", .type = SPATE_CHANNEL_VECTOR, .initial = {0, 0, 1}, .values = tints, .value_count = 1}};

static void declare(scene *s)
{
	s->def.channels = declared;
	s->def.channel_count = 3;
}

// Checks all particles: `of[id]` is the source of a particle, 0 left, 1 right, 2 jet.
static void check_values(spate_world *w, const uint8_t *of)
{
	spate_store *store = spate_world_store(w);
	const int64_t *ids = spate_store_field(store, "id", NULL);
	spate_type type[3];
	const float *heat = spate_store_field(store, "heat", &type[0]);
	const int32_t *batch = spate_store_field(store, "batch", &type[1]);
	const float *tint = spate_store_field(store, "tint", &type[2]);
	assert_true(heat && batch && tint);
	assert_true(type[0] == SPATE_FLOAT && type[1] == SPATE_INT32 && type[2] == SPATE_VEC3);
	static const float heat_of[] = {80.0f, 20.0f, 0.1f}, tint_of[][3] = {{1, 0.5f, -3}, {0, 0, 1}, {0, 0, 1}};
	static const int32_t batch_of[] = {3, INT32_MIN, 7};
	for (uint32_t row = 0; row < spate_store_rows(store); row++)
	{
		int source = of[ids[row]];
		if (heat[row] != heat_of[source] || batch[row] != batch_of[source] ||
		    memcmp(&tint[3 * (size_t)row], tint_of[source], sizeof tint_of[source]) != 0)
			fail_msg("particle %" PRId64 " of source %d has heat %g, batch %d, tint %g %g %g", ids[row],
				 source, (double)heat[row], (int)batch[row], (double)tint[3 * (size_t)row],
				 (double)tint[3 * (size_t)row + 1], (double)tint[3 * (size_t)row + 2]);
	}
}

// By place: the fills are apart when they are made, and whoever comes later is of the jet.
static void find_sources(spate_world *w, uint8_t of[MOST_IDS])
{
	spate_store *store = spate_world_store(w);
	const int64_t *ids = spate_store_field(store, "id", NULL);
	const float *places = spate_store_field(store, "position", NULL);
	memset(of, 2, MOST_IDS);
	for (uint32_t row = 0; row < spate_store_rows(store); row++)
		of[ids[row]] = (double)places[4 * (size_t)row] + spate_world_origin(w)[0] > 0.15;
}

static void values_follow_ids(void **state)
{
	(void)state;
	scene s;
	blocks(&s);
	declare(&s);
	spate_world *w = scene_create(&s);
	uint8_t of[MOST_IDS];
	find_sources(w, of);
	check_values(w, of);
	spate_store *store = spate_world_store(w);
	uint32_t begun = spate_store_rows(store), moved = 0;
	int64_t before[MOST_IDS];
	memcpy(before, spate_store_field(store, "id", NULL), begun * sizeof *before);
	for (int frame = 0; frame < 6; frame++)
	{
		run_frame(w);
		check_values(w, of);
	}
	const int64_t *ids = spate_store_field(store, "id", NULL);
	for (uint32_t row = 0; row < begun; row++)
		moved += ids[row] != before[row];
	// sorts have moved them, and the jet has come
	assert_in_range(moved, begun / 2, begun);
	assert_in_range(spate_store_rows(store), begun + 50, MOST_IDS - 1);
	spate_world_destroy(w);
}

static uint64_t hash_after(const scene *s, int frames)
{
	spate_world *w = scene_create(s);
	for (int frame = 0; frame < frames; frame++)
		run_frame(w);
	uint64_t hash = spate_world_hash(w);
	spate_world_destroy(w);
	return hash;
}

static void channels_change_no_bit(void **state)
{
	(void)state;
	scene with, without;
	blocks(&with), blocks(&without);
	declare(&with);
	uint64_t a = hash_after(&with, 6), b = hash_after(&without, 6);
	if (a != b)
		fail_msg("with channels the hash is %016" PRIx64 ", without %016" PRIx64, a, b);
}

// The definition may go once the world is made, and a snapshot holds the values.
static void restored_worlds_have_the_values(void **state)
{
	(void)state;
	scene s;
	blocks(&s);
	declare(&s);
	char name[] = "heat";
	spate_channel_value values[2];
	memcpy(values, heats, sizeof values);
	spate_channel_def own[3];
	memcpy(own, declared, sizeof own);
	own[0].name = name;
	own[0].values = values;
	s.def.channels = own;
	spate_world *first = scene_create(&s), *second = scene_create(&s);
	memset(name, 0, sizeof name);
	memset(values, 0, sizeof values);
	memset(own, 0, sizeof own);
	uint8_t of[MOST_IDS];
	find_sources(first, of);
	run_frame(first);
	run_frame(first);
	step(first); // in the middle of a frame
	spate_snapshot *snapshot = NULL;
	spate_error error = {0};
	check_ok(spate_snapshot_take(&snapshot, first, &error));
	check_ok(spate_snapshot_restore(second, snapshot, &error));
	spate_snapshot_destroy(snapshot);
	check_values(second, of);
	for (int frame = 0; frame < 3; frame++)
	{
		run_frame(first);
		run_frame(second);
	}
	check_values(first, of);
	check_values(second, of);
	assert_true(spate_world_hash(first) == spate_world_hash(second));
	spate_world_destroy(first);
	spate_world_destroy(second);
}

static void check_refused(const spate_channel_def *channel, const char *sentence)
{
	scene s;
	blocks(&s);
	s.def.channels = channel;
	s.def.channel_count = 1;
	spate_world *w = NULL;
	spate_error error = {0};
	check_result(spate_world_create(&w, &s.def, &error), SPATE_INVALID);
	assert_string_equal(error.text, sentence);
}

static void bad_definitions_are_refused(void **state)
{
	(void)state;
	spate_channel_def c = spate_default_channel_def();
	check_refused(&c, "channel 0 is invalid: it has no name");
	c.name = "rest_density";
	check_refused(&c, "channel 0 is invalid: its name is that of a built-in field");
	c.name = "two words";
	check_refused(&c, "'two words' is not a valid field name: use at most 63 letters, digits and underscores, not "
			  "starting with a digit");
	c.name = "heat";
	c.type = (spate_channel_type)3;
	check_refused(&c, "channel 0 is invalid: its type is unknown");
	c.type = SPATE_CHANNEL_INT;
	static const char number[] =
	    "channel 0 is invalid: a value is not finite, is too large, or has a fraction though it is "
	    "an int";
	c.initial[0] = 0.5;
	check_refused(&c, number);
	c.initial[0] = 2147483648.0;
	check_refused(&c, number);
	c.initial[0] = 1;
	spate_channel_value value = {"middle", {1}};
	c.value_count = 1;
	check_refused(&c, "channel 0 is invalid: its values are NULL but have a count");
	c.values = &value;
	check_refused(&c, "channel 0 is invalid: one of its values is for a source that does not exist");
	value.source = "jet";
	c.type = SPATE_CHANNEL_VECTOR;
	value.value[2] = (double)NAN;
	check_refused(&c, number);
	spate_channel_def twins[2] = {spate_default_channel_def(), spate_default_channel_def()};
	twins[0].name = twins[1].name = "heat";
	scene s;
	blocks(&s);
	s.def.channels = twins;
	s.def.channel_count = 2;
	spate_world *w = NULL;
	spate_error error = {0};
	check_result(spate_world_create(&w, &s.def, &error), SPATE_EXISTS);
}

// ---------------------------------------------------------------------------------------------------------- automatic

static const char *const automatic[] = {"birth", "source",       "rest_position", "uv",         "color",  "age",
					"speed", "acceleration", "vorticity",     "neighbours", "surface"};
enum
{
	AUTOMATIC = sizeof automatic / sizeof *automatic
};

static void want_all(scene *s)
{
	s->def.wanted = automatic;
	s->def.wanted_count = AUTOMATIC;
}

static const void *values(spate_world *w, const char *name, spate_type expected)
{
	spate_type type = SPATE_TYPE_COUNT;
	const void *data = spate_store_field(spate_world_store(w), name, &type);
	if (!data)
		fail_msg("there is no channel %s", name);
	assert_int_equal(type, expected);
	return data;
}

static void what_nobody_asks_for_is_not_there(void **state)
{
	(void)state;
	scene s;
	blocks(&s);
	static const char *const some[] = {"age", "velocity", "unknown"};
	s.def.wanted = some;
	s.def.wanted_count = 3;
	spate_world *w = scene_create(&s);
	for (int n = 0; n < AUTOMATIC; n++)
	{
		int has = spate_store_field(spate_world_store(w), automatic[n], NULL) != NULL;
		// age needs birth
		assert_int_equal(has, strcmp(automatic[n], "age") == 0 || strcmp(automatic[n], "birth") == 0);
	}
	spate_world_destroy(w);
}

static void automatic_channels_change_no_bit(void **state)
{
	(void)state;
	scene with, without;
	blocks(&with), blocks(&without);
	want_all(&with);
	uint64_t a = hash_after(&with, 6), b = hash_after(&without, 6);
	if (a != b)
		fail_msg("with channels the hash is %016" PRIx64 ", without %016" PRIx64, a, b);
}

static void age_is_time_since_birth(void **state)
{
	(void)state;
	scene s;
	blocks(&s);
	want_all(&s);
	spate_world *w = scene_create(&s);
	double born[MOST_IDS], times[200];
	uint32_t steps = 0, young = 0;
	uint8_t of[MOST_IDS];
	find_sources(w, of);
	for (int id = 0; id < MOST_IDS; id++)
		born[id] = of[id] == 2 ? -1.0 : 0.0;
	for (int frame = 0; frame < 6; frame++)
	{
		while (spate_world_frame(w) == (uint32_t)frame)
		{
			assert_in_range(steps, 0, 199);
			times[steps++] = spate_world_time(w);
			step(w);
			const int64_t *ids = values(w, "id", SPATE_INT64);
			for (uint32_t row = 0; row < spate_store_rows(spate_world_store(w)); row++)
				if (born[ids[row]] < 0.0)
					born[ids[row]] = times[steps - 1];
		}
		const int64_t *ids = values(w, "id", SPATE_INT64);
		const float *birth = values(w, "birth", SPATE_FLOAT), *age = values(w, "age", SPATE_FLOAT);
		for (uint32_t row = 0; row < spate_store_rows(spate_world_store(w)); row++)
		{
			float wanted = (float)(spate_world_time(w) - (double)birth[row]);
			if (birth[row] != (float)born[ids[row]] || age[row] != wanted)
				fail_msg(
				    "particle %" PRId64 " was born at %.9g s and is %.9g s old, expected %.9g and %.9g",
				    ids[row], (double)birth[row], (double)age[row], born[ids[row]], (double)wanted);
			young += birth[row] > 0.0f;
		}
	}
	assert_true(young > 100);
	spate_world_destroy(w);
}

static int is_on_lattice(float x)
{
	double cells = (double)x / 0.02 - 0.5;
	return fabs(cells - round(cells)) < 1e-3;
}

static void particles_know_where_they_come_from(void **state)
{
	(void)state;
	scene s;
	blocks(&s);
	want_all(&s);
	static const double red[] = {1, 0.25, 0}, none[] = {-1, -1, -1};
	memcpy(s.sources[1].color, red, sizeof red);
	memcpy(s.sources[2].color, none, sizeof none);
	spate_world *w = scene_create(&s);
	uint8_t of[MOST_IDS];
	find_sources(w, of);
	for (int frame = 0; frame < 6; frame++)
		run_frame(w);
	const int64_t *ids = values(w, "id", SPATE_INT64);
	const int32_t *source = values(w, "source", SPATE_INT32);
	const float *rest = values(w, "rest_position", SPATE_VEC3), *uv = values(w, "uv", SPATE_VEC2),
		    *color = values(w, "color", SPATE_VEC3);
	float low = 1, high = 0;
	for (uint32_t row = 0; row < spate_store_rows(spate_world_store(w)); row++)
	{
		const float *r = rest + 3 * (size_t)row, *t = uv + 2 * (size_t)row, *c = color + 3 * (size_t)row;
		assert_int_equal(source[row], of[ids[row]]);
		const double *shade = source[row] == 1 ? red : s.fluids[0].color;
		assert_true(c[0] == (float)shade[0] && c[1] == (float)shade[1] && c[2] == (float)shade[2]);
		if (source[row] == 2)
		{
			// on the disc: its centre has 0.5, its rim is 0.5 away
			check_near(hypot((double)t[0] - 0.5, (double)t[1] - 0.5) * 0.06,
				   hypot((double)r[0] - 0.15, (double)r[2] - 0.05), 1e-6);
			check_near(r[1], 0.3, 0.1);
			low = fminf(low, fminf(t[0], t[1])), high = fmaxf(high, fmaxf(t[0], t[1]));
			continue;
		}
		double x0 = source[row] == 1 ? 0.2 : 0, height = source[row] == 1 ? 0.2 : 0.16;
		assert_true(is_on_lattice(r[0]) && is_on_lattice(r[1]) && is_on_lattice(r[2]));
		check_near(t[0], ((double)r[0] - x0) / 0.1, 1e-5);
		check_near(t[1], (double)r[1] / height, 1e-5);
		assert_true(t[0] > 0 && t[0] < 1 && t[1] > 0 && t[1] < 1);
	}
	assert_true(low >= 0 && low < 0.3f && high > 0.7f && high <= 1);
	spate_world_destroy(w);
}

// By id, from what a host sees before and after the last substep of a frame.
static void speed_and_acceleration_are_of_the_velocities(void **state)
{
	(void)state;
	scene s;
	blocks(&s);
	want_all(&s);
	spate_world *w = scene_create(&s);
	static float before[MOST_IDS][3];
	int64_t known = 0;
	double fastest = 0;
	for (int frame = 0; frame < 6; frame++)
	{
		while (spate_world_frame(w) == (uint32_t)frame)
		{
			const int64_t *ids = values(w, "id", SPATE_INT64);
			const float *v = values(w, "velocity", SPATE_VEC4);
			known = 0;
			for (uint32_t row = 0; row < spate_store_rows(spate_world_store(w)); row++)
			{
				memcpy(before[ids[row]], v + 4 * (size_t)row, sizeof before[0]);
				known = ids[row] >= known ? ids[row] + 1 : known;
			}
			step(w);
		}
		double dt = spate_world_stats(w)->dt;
		const int64_t *ids = values(w, "id", SPATE_INT64);
		const float *v = values(w, "velocity", SPATE_VEC4), *a = values(w, "acceleration", SPATE_VEC3),
			    *speed = values(w, "speed", SPATE_FLOAT);
		for (uint32_t row = 0; row < spate_store_rows(spate_world_store(w)); row++)
		{
			const float *now = v + 4 * (size_t)row;
			double size = sqrt((double)now[0] * (double)now[0] + (double)now[1] * (double)now[1] +
					   (double)now[2] * (double)now[2]);
			check_near(speed[row], size, 1e-6 * size);
			for (int k = 0; k < 3 && ids[row] < known; k++)
			{
				double wanted = ((double)now[k] - (double)before[ids[row]][k]) / dt;
				check_near(a[3 * (size_t)row + (size_t)k], wanted, 1e-6 * fabs(wanted) + 1e-9);
				fastest = fmax(fastest, fabs(wanted));
			}
		}
	}
	assert_true(fastest > 5);
	spate_world_destroy(w);
}

// Brute force over fluids with different spacings.
static void neighbours_are_counted(void **state)
{
	(void)state;
	scene s;
	scene_init(&s, 0.02);
	scene_solver(&s, "pbf");
	s.def.fluid_count = 2;
	s.fluids[1].spacing = 0.03;
	add_fill(&s, box_shape(0, 0, 0, 0.16, 0.2, 0.12))->jitter = 0.2;
	spate_source_def *coarse = add_fill(&s, box_shape(0.17, 0, 0, 0.35, 0.18, 0.12));
	coarse->fluid = 1;
	coarse->jitter = 0.2; // on a lattice pairs are just as far apart as the radius
	want_all(&s);
	spate_world *w = scene_create(&s);
	for (int frame = 0; frame < 3; frame++)
		run_frame(w);
	uint32_t rows = spate_store_rows(spate_world_store(w));
	const float *places = values(w, "position", SPATE_VEC4);
	const int32_t *fluid = values(w, "fluid", SPATE_INT32), *counted = values(w, "neighbours", SPATE_INT32);
	int64_t total = 0;
	for (uint32_t i = 0; i < rows; i++)
	{
		int32_t count = 0;
		for (uint32_t j = 0; j < rows; j++)
		{
			double square = 0,
			       radius = 0.5 * ((double)w->model.radii[fluid[i]] + (double)w->model.radii[fluid[j]]);
			for (size_t k = 0; k < 3; k++)
			{
				double by = (double)places[4 * (size_t)i + k] - (double)places[4 * (size_t)j + k];
				square += by * by;
			}
			count += i != j && square <= radius * radius;
		}
		if (counted[i] != count)
			fail_msg("row %u has %d neighbours, the channel says %d", i, (int)count, (int)counted[i]);
		total += count;
	}
	assert_true(total > 20 * (int64_t)rows);
	spate_world_destroy(w);
}

// omega = (1, -2, 3) 1/s; the frame is so short that the ball still turns as one.
static void vorticity_of_a_turning_ball(void **state)
{
	(void)state;
	scene s;
	scene_init(&s, 0.02);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	s.def.fps = 1000;
	spate_source_def *ball = add_fill(&s, (spate_shape){SPATE_SHAPE_SPHERE, {0.3, 0.1, 0}, {0, 0, 0}, 0.16});
	static const double omega[] = {1, -2, 3};
	memcpy(ball->spin, omega, sizeof omega);
	ball->jitter = 0.1;
	want_all(&s);
	spate_world *w = scene_create(&s);
	run_frame(w);
	uint32_t inside = 0, rows = spate_store_rows(spate_world_store(w));
	const float *places = values(w, "position", SPATE_VEC4), *curl = values(w, "vorticity", SPATE_VEC3);
	double worst = 0, size = sqrt(14.0);
	for (uint32_t row = 0; row < rows; row++)
	{
		const float *p = places + 4 * (size_t)row, *c = curl + 3 * (size_t)row;
		const double *o = spate_world_origin(w);
		double r = sqrt(pow((double)p[0] + o[0] - 0.3, 2) + pow((double)p[1] + o[1] - 0.1, 2) +
				pow((double)p[2] + o[2], 2));
		if (r > 0.11)
			continue;
		inside++;
		double miss = sqrt(pow((double)c[0] - 2, 2) + pow((double)c[1] + 4, 2) + pow((double)c[2] - 6, 2));
		worst = fmax(worst, miss / (2 * size));
	}
	print_message("%u particles inside, the curl misses 2 omega by at most %.3g\n", inside, worst);
	assert_true(inside > 300);
	check_near(worst, 0, 0.02);
	spate_world_destroy(w);
}

// Layer of a lattice block that a coordinate is in, from 0 at either side.
static int layer_of(double x, int count)
{
	int cell = (int)floor(x / 0.02);
	return cell < count - 1 - cell ? cell : count - 1 - cell;
}

static void surface_of_a_block(void **state)
{
	(void)state;
	scene s;
	scene_init(&s, 0.02);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	s.def.fps = 1000;
	add_fill(&s, box_shape(0, 0, 0, 0.24, 0.2, 0.22));
	want_all(&s);
	spate_world *w = scene_create(&s);
	run_frame(w);
	const float *rest = values(w, "rest_position", SPATE_VEC3);
	const int32_t *surface = values(w, "surface", SPATE_INT32);
	uint32_t outer = 0, second = 0;
	for (uint32_t row = 0; row < spate_store_rows(spate_world_store(w)); row++)
	{
		const float *p = rest + 3 * (size_t)row;
		int x = layer_of((double)p[0], 12), y = layer_of((double)p[1], 10), z = layer_of((double)p[2], 11);
		int layer = x < y ? x : y;
		layer = z < layer ? z : layer;
		if (layer == 0 ? !surface[row] : layer > 1 && surface[row])
			fail_msg("a particle in layer %d, at %g %g %g m, has surface %d", layer, (double)p[0],
				 (double)p[1], (double)p[2], (int)surface[row]);
		outer += layer == 0;
		second += layer == 1 && surface[row];
	}
	print_message("%u particles in the outer layer, %u of the second one marked\n", outer, second);
	assert_int_equal(outer, 12 * 10 * 11 - 10 * 8 * 9);
	spate_world_destroy(w);
}

// In a tank only the top is free: neither the sides nor the bottom, its edges and corners. A drop on a wall is all surface.
static void walls_cover(void **state)
{
	(void)state;
	scene s;
	scene_init(&s, 0.02);
	s.def.fps = 1000;
	add_fill(&s, box_shape(0, 0, 0, 0.2, 0.14, 0.2));
	add_fill(&s, box_shape(0, 0.3, 0.08, 0.02, 0.34, 0.12)); // four particles
	add_collider(&s, box_shape(0, 0, 0, 0.2, 0.5, 0.2), SPATE_COLLIDER_INSIDE);
	want_all(&s);
	spate_world *w = scene_create(&s);
	run_frame(w);
	const float *rest = values(w, "rest_position", SPATE_VEC3);
	const int32_t *surface = values(w, "surface", SPATE_INT32);
	uint32_t marked = 0;
	for (uint32_t row = 0; row < spate_store_rows(spate_world_store(w)); row++)
	{
		const float *p = rest + 3 * (size_t)row;
		// the seventh layer, counted from below, and the drop
		int layer = (int)floor((double)p[1] / 0.02);
		if (surface[row] != (layer >= 6))
			fail_msg("a particle in layer %d, at %g %g %g m, has surface %d", layer, (double)p[0],
				 (double)p[1], (double)p[2], (int)surface[row]);
		marked += surface[row] != 0;
	}
	assert_int_equal(marked, 10 * 10 + 4);
	spate_world_destroy(w);
}

// wcsph has a field of the name of a channel, which is a number there.
static void solvers_keep_their_own_fields(void **state)
{
	(void)state;
	scene s;
	blocks(&s);
	scene_solver(&s, "wcsph");
	want_all(&s);
	spate_world *w = scene_create(&s);
	run_frame(w);
	const float *a = values(w, "acceleration", SPATE_FLOAT), *curl = values(w, "vorticity", SPATE_VEC3);
	double most = 0, turning = 0;
	for (uint32_t row = 0; row < spate_store_rows(spate_world_store(w)); row++)
	{
		assert_true(a[row] >= 0);
		most = fmax(most, (double)a[row]);
		turning = fmax(turning, fabs((double)curl[3 * (size_t)row + 2]));
	}
	assert_true(most > 5);
	assert_true(turning > 0.1);
	spate_world_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(values_follow_ids),
	    cmocka_unit_test(channels_change_no_bit),
	    cmocka_unit_test(restored_worlds_have_the_values),
	    cmocka_unit_test(bad_definitions_are_refused),
	    cmocka_unit_test(what_nobody_asks_for_is_not_there),
	    cmocka_unit_test(automatic_channels_change_no_bit),
	    cmocka_unit_test(age_is_time_since_birth),
	    cmocka_unit_test(particles_know_where_they_come_from),
	    cmocka_unit_test(speed_and_acceleration_are_of_the_velocities),
	    cmocka_unit_test(neighbours_are_counted),
	    cmocka_unit_test(vorticity_of_a_turning_ball),
	    cmocka_unit_test(surface_of_a_block),
	    cmocka_unit_test(walls_cover),
	    cmocka_unit_test(solvers_keep_their_own_fields),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
