// Fields on their way through a run: they follow their particles through sorts and compactions, into frames and checkpoints and back.
#define _GNU_SOURCE
#include "cache/run_dir.h"
#include "cache/snapshot_file.h"
#include "cache/world_files.h"
#include "scratch.h"
#include "world/fields.h"
#include "world/scene.h"

// What a solver might bring: every width, hot and cold, saved or not.
static const float warm[] = {20.0f};
static const spate_field_def extra[] = {
    {"heat", SPATE_FLOAT, "K", "Temperature.", SPATE_FIELD_HOT | SPATE_FIELD_SAVED | SPATE_FIELD_PUBLISHED, warm},
    {"stamp", SPATE_INT64, "", "A number.", SPATE_FIELD_HOT | SPATE_FIELD_SAVED | SPATE_FIELD_PUBLISHED, NULL},
    {"spin", SPATE_VEC4, "1/s", "Turning.",
     SPATE_FIELD_HOT | SPATE_FIELD_SAVED | SPATE_FIELD_PUBLISHED | SPATE_FIELD_PADDED, NULL},
    {"guess", SPATE_VEC3, "m", "Filled anew in every step.", SPATE_FIELD_HOT, NULL},
    {"dye", SPATE_VEC2, "", "Cold.", SPATE_FIELD_SAVED | SPATE_FIELD_PUBLISHED, NULL},
};
static const field_table table = FIELD_TABLE(extra);

// A block that falls in a basin.
static spate_world *make_world(int with_fields)
{
	scene s;
	scene_init(&s, 0.05);
	scene_solver(&s, "pbf"); // its pressure is saved
	scene_set(&s, "warm_start", 0.4);
	add_collider(&s, box_shape(0, 0, 0, 1, 1, 1), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0.1, 0.02, 0.1, 0.6, 0.5, 0.6));
	spate_world *w = scene_create(&s);
	if (with_fields)
		check_ok(store_add_fields(spate_world_store(w), table, NULL));
	return w;
}

// Values that belong to an id.
static float heat_of(int64_t id)
{
	return 0.5f * (float)id;
}

static int64_t stamp_of(int64_t id)
{
	return id * 1000000007;
}

static void write_values(spate_store *store)
{
	float *heat = spate_store_field(store, "heat", NULL), *dye = spate_store_field(store, "dye", NULL),
	      *guess = spate_store_field(store, "guess", NULL);
	int64_t *stamp = spate_store_field(store, "stamp", NULL);
	vec4 *spin = spate_store_field(store, "spin", NULL);
	for (uint32_t r = 0; r < store->rows; r++)
	{
		float h = heat_of(store->id[r]);
		check_near(heat[r], 20, 0);
		heat[r] = h;
		stamp[r] = stamp_of(store->id[r]);
		spin[r] = (vec4){h, -h, 2, 77};
		guess[3 * r] = h;
		dye[2 * r] = h + 1;
		dye[2 * r + 1] = -h;
	}
}

static void check_values(spate_store *store, int with_guess)
{
	const float *heat = spate_store_field(store, "heat", NULL), *dye = spate_store_field(store, "dye", NULL),
		    *guess = spate_store_field(store, "guess", NULL);
	const int64_t *stamp = spate_store_field(store, "stamp", NULL);
	const vec4 *spin = spate_store_field(store, "spin", NULL);
	for (uint32_t r = 0; r < store->rows; r++)
	{
		double h = (double)heat_of(store->id[r]);
		check_near(heat[r], h, 0);
		assert_true(stamp[r] == stamp_of(store->id[r]));
		check_near(spin[r].y, -h, 0);
		check_near(spin[r].z, 2, 0);
		check_near(guess[3 * r], with_guess ? h : 0, 0);
		check_near(dye[2 * r], h + 1, 0);
		check_near(dye[2 * r + 1], -h, 0);
	}
}

static spate_frame *open_frame(const char *path)
{
	spate_frame *frame = NULL;
	spate_error error = {0};
	if (spate_frame_open(path, &frame, &error) != SPATE_OK)
		fail_msg("%s", error.text);
	return frame;
}

// Sorted in every frame, a third removed.
static void run_and_thin(spate_world *w)
{
	spate_store *store = spate_world_store(w);
	uint64_t before = store->reordered;
	for (int n = 0; n < 3; n++)
		run_frame(w);
	assert_true(store->reordered >= before + 3);
	for (uint32_t r = 0; r < store->rows; r += 3)
		check_ok(spate_store_remove(store, &r, 1, NULL));
	check_ok(spate_store_compact(store, NULL));
}

static void fields_follow_their_particles(void **state)
{
	(void)state;
	spate_world *w = make_world(1);
	spate_store *store = spate_world_store(w);
	uint32_t rows = store->rows;
	write_values(store);
	run_and_thin(w);
	assert_int_equal(store->rows, rows - (rows + 2) / 3);
	check_values(store, 1);
	spate_world_destroy(w);
}

static void frames_carry_what_is_published(void **state)
{
	(void)state;
	scratch s = scratch_make();
	spate_world *w = make_world(1);
	spate_store *store = spate_world_store(w);
	write_values(store);
	run_and_thin(w);
	check_ok(run_dir_create(s.path, NULL));
	static const char *const names[] = {"heat", "spin", "dye", "pressure", "stamp"};
	check_ok(world_write_frame(w, s.path, names, 5, NULL));
	assert_true(world_has_channel(w, "heat") && world_has_channel(w, "pressure"));
	assert_false(world_has_channel(w, "guess"));
	spate_error error = {0};
	check_result(world_write_frame(w, s.path, (const char *const[]){"guess"}, 1, &error), SPATE_MISSING);
	assert_string_equal(error.text, "there is no channel 'guess' to write");

	spate_frame *frame = open_frame(run_frame_path(s.path, spate_world_frame(w)).text);
	assert_int_equal(spate_frame_count(frame), store->rows);
	const void *ids, *heat, *spin, *pressure, *dye;
	spate_type type;
	check_ok(spate_frame_channel(frame, "id", &type, &ids, NULL));
	check_ok(spate_frame_channel(frame, "pressure", &type, &pressure, NULL));
	assert_int_equal(type, SPATE_FLOAT);
	check_ok(spate_frame_channel(frame, "dye", &type, &dye, NULL));
	check_ok(spate_frame_channel(frame, "heat", &type, &heat, NULL));
	check_ok(spate_frame_channel(frame, "spin", &type, &spin, NULL));
	assert_int_equal(type, SPATE_VEC3);
	for (uint32_t r = 0; r < store->rows; r++)
	{
		float h = heat_of(((const int64_t *)ids)[r]);
		check_near(((const float *)heat)[r], h, 0);
		check_near(((const float *)spin)[3 * r + 1], -h, 0);
		check_near(((const float *)spin)[3 * r + 2], 2, 0);
		check_near(((const float *)dye)[2 * r], h + 1, 0);
		check_near(((const float *)pressure)[r], store->pressure[r], 0);
	}
	spate_frame_close(frame);
	spate_world_destroy(w);
	scratch_remove(&s);
}

// All that is saved comes back; what is not has its default. The w of padded vectors is not in the file.
static void checkpoints_carry_what_is_saved(void **state)
{
	(void)state;
	scratch s = scratch_make();
	spate_world *w = make_world(1), *again = make_world(1), *without = make_world(0);
	write_values(spate_world_store(w));
	run_and_thin(w);
	check_ok(run_dir_create(s.path, NULL));
	check_ok(world_write_checkpoint(w, s.path, NULL));
	spate_frame *frame = open_frame(run_checkpoint_path(s.path, spate_world_frame(w)).text);
	spate_frame_entry entry;
	for (uint32_t n = 0; spate_frame_channel_at(frame, n, &entry) == SPATE_OK; n++)
	{
		assert_string_not_equal(entry.name, "guess");
		assert_int_not_equal(entry.type, SPATE_VEC4);
	}
	spate_error error = {0};
	check_ok(world_restore(again, frame, &error));
	assert_int_equal(spate_world_store(again)->rows, spate_world_store(w)->rows);
	check_values(spate_world_store(again), 0);
	assert_true(spate_world_hash(again) == spate_world_hash(w));

	// a world that does not have the fields says which one it misses
	check_result(world_restore(without, frame, &error), SPATE_DAMAGED);
	assert_non_null(strstr(error.text, "its field 'heat' of type float is unknown here"));
	spate_frame_close(frame);
	spate_world_destroy(w);
	spate_world_destroy(again);
	spate_world_destroy(without);
	scratch_remove(&s);
}

// With a warm start the pressure of one substep is part of the next.
static void pressure_survives_sort_and_resume(void **state)
{
	(void)state;
	scratch s = scratch_make();
	spate_world *w = make_world(0), *again = make_world(0), *forgetful = make_world(0);
	spate_store *store = spate_world_store(w);
	for (int n = 0; n < 6; n++)
		run_frame(w);
	check_ok(run_dir_create(s.path, NULL));
	check_ok(world_write_checkpoint(w, s.path, NULL));

	uint32_t rows = store->rows, pressed = 0, *order = mem_alloc(rows * sizeof *order);
	float *by_id = mem_calloc((size_t)store->next_id, sizeof *by_id);
	for (uint32_t r = 0; r < rows; r++)
	{
		by_id[store->id[r]] = store->pressure[r];
		pressed += store->pressure[r] > 0.0f;
		order[r] = rows - 1 - r;
		// scratch means nothing between steps
		store->position[r].w = store->velocity[r].w = NAN;
	}
	assert_true(pressed > rows / 4);
	store_permute(store, order, 1);
	for (uint32_t r = 0; r < rows; r++)
		check_near(store->pressure[r], by_id[store->id[r]], 0);

	spate_frame *frame = open_frame(run_checkpoint_path(s.path, 6).text);
	check_ok(world_restore(again, frame, NULL));
	check_ok(world_restore(forgetful, frame, NULL));
	for (uint32_t r = 0; r < rows; r++)
	{
		const spate_store *restored = spate_world_store(again);
		check_near(restored->pressure[r], by_id[restored->id[r]], 0);
		spate_world_store(forgetful)->pressure[r] = 0.0f;
	}
	run_frame(w);
	run_frame(again);
	run_frame(forgetful);
	assert_true(spate_world_hash(w) == spate_world_hash(again));
	assert_true(spate_world_hash(w) != spate_world_hash(forgetful));
	spate_frame_close(frame);
	mem_free(order);
	mem_free(by_id);
	spate_world_destroy(w);
	spate_world_destroy(again);
	spate_world_destroy(forgetful);
	scratch_remove(&s);
}

// Ghosts are neither counted nor hashed nor saved, and dropping them leaves no trace.
static void ghosts_are_not_part_of_the_state(void **state)
{
	(void)state;
	scratch s = scratch_make();
	spate_world *w = make_world(0);
	spate_store *store = spate_world_store(w);
	run_frame(w);
	uint64_t hash = spate_world_hash(w);
	uint32_t count = spate_store_count(store);
	check_ok(store_add_ghosts(store, 100, NULL));
	for (uint32_t r = store->rows; r < store_all_rows(store); r++)
		store->position[r] = (vec4){1, 2, 3, 0};
	assert_int_equal(spate_store_count(store), count);
	assert_true(spate_world_hash(w) == hash);
	check_ok(run_dir_create(s.path, NULL));
	check_ok(world_write_checkpoint(w, s.path, NULL));
	spate_frame *frame = open_frame(run_checkpoint_path(s.path, 1).text);
	assert_int_equal(spate_frame_count(frame), count);
	spate_frame_close(frame);
	assert_true(spate_world_hash(w) == hash);
	spate_world_destroy(w);
	scratch_remove(&s);
}

// Every field that worlds may have has a sentence, and a world's store knows the same as the tables.
static void tables_and_stores_agree(void **state)
{
	(void)state;
	spate_world *w = make_world(0);
	world_field known;
	spate_field_def def;
	for (uint32_t n = 0; world_field_at(n, &known); n++)
	{
		size_t length = strlen(known.def->meaning);
		assert_true(length > 0 && known.def->meaning[length - 1] == '.');
		assert_true((known.origin == FIELD_OF_CORE || known.origin == FIELD_AUTOMATIC) == (known.by == NULL));
	}
	for (uint32_t n = 0; spate_store_field_at(spate_world_store(w), n, &def) == SPATE_OK; n++)
	{
		assert_true(world_field_find(def.name, &known));
		assert_int_equal(def.type, known.def->type);
		assert_int_equal(def.flags, known.def->flags);
		assert_string_equal(def.unit, known.def->unit);
		assert_string_equal(def.meaning, known.def->meaning);
	}
	assert_string_equal(world_field_unit("pressure"), "Pa");
	assert_string_equal(world_field_unit("rest_density"), "kg/m^3");
	assert_string_equal(world_field_unit("nothing"), "");
	assert_false(world_field_find("nothing", &known));
	spate_world_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(fields_follow_their_particles),    cmocka_unit_test(frames_carry_what_is_published),
	    cmocka_unit_test(checkpoints_carry_what_is_saved),  cmocka_unit_test(pressure_survives_sort_and_resume),
	    cmocka_unit_test(ghosts_are_not_part_of_the_state), cmocka_unit_test(tables_and_stores_agree),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
