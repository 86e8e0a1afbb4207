// Channels: particles carry what their source gave them, wherever they are sorted to and however often the world is restored.
#include "scene.h"

#include "spate/snapshot.h"

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
	*jet = (spate_source_def){.type = SPATE_SOURCE_EMITTER,
				  .name = "jet",
				  .stop = -1,
				  .material = {-1, -1, -1, -1},
				  .position = {0.15, 0.3, 0.05},
				  .direction = {0, -1, 0},
				  .radius = 0.03,
				  .speed = 2};
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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(values_follow_ids),
	    cmocka_unit_test(channels_change_no_bit),
	    cmocka_unit_test(restored_worlds_have_the_values),
	    cmocka_unit_test(bad_definitions_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
