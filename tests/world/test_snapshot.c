// Snapshots: a restored world continues with the same bits, whenever the snapshot was taken, and taking one changes nothing.
#define _GNU_SOURCE
#include "collider/field.h"
#include "scene.h"
#include "scratch.h"
#include "spate/live.h"
#include "spate/log.h"
#include "spate/scene.h"
#include "spate/snapshot.h"
#include "tools/meshes/make.h"
#include "world/snapshot.h"

enum
{
	STEPS = 16, // of a run, over two frames and more
	MORE = 12   // steps after a restore
};

// A shallow pool that hardly moves, so that lists last for several substeps, with all that has a state: an emitter that starts late, a
// fill with a material, a sink, a paddle, probes.
static void pool(scene *s)
{
	static const spate_keyframe keys[2] = {{0, {0, 0, 0}, {0, 0, 0}, 1}, {1, {0, 0, 0}, {0, 90, 0}, 1}};
	scene_init(s, 0.05);
	s->def.fps = 25;
	s->def.solver.substeps = 6;
	s->def.solver.list_margin = 0.3;
	add_collider(s, box_shape(0, 0, 0, 0.6, 1, 0.6), SPATE_COLLIDER_INSIDE);
	add_collider(s, box_shape(0.3, 0, 0.28, 0.5, 0.1, 0.32), SPATE_COLLIDER_OUTSIDE)->motion =
	    (spate_motion){.keyframes = keys, .keyframe_count = 2, .pivot = {0.3, 0, 0.3}};
	add_fill(s, box_shape(0, 0, 0, 0.6, 0.2, 0.6))->material.viscosity = 0.5;
	spate_source_def *jet = add_fill(s, (spate_shape){0});
	jet->type = SPATE_SOURCE_EMITTER;
	jet->start = 0.06;
	jet->position[0] = jet->position[2] = 0.15;
	jet->position[1] = 0.5;
	jet->direction[1] = -1;
	jet->radius = 0.1;
	jet->speed = 2;
	s->sinks[s->def.sink_count++] = (spate_sink_def){.shape = box_shape(0.5, 0, 0.5, 0.6, 0.1, 0.6)};
	add_probe(s, "in", SPATE_PROBE_FLUX);
	s->probes[0].a[0] = s->probes[0].a[2] = 0.15;
	s->probes[0].a[1] = 0.3;
	s->probes[0].direction[1] = -1;
	s->probes[0].width = s->probes[0].height = 0.4;
	add_probe(s, "front", SPATE_PROBE_FRONT)->direction[0] = 1;
}

// Everything that a run shows after a step.
typedef struct moment
{
	uint64_t hash;
	spate_step_stats stats;
	double flux, front;
} moment;

static moment look(const spate_world *w)
{
	return (moment){spate_world_hash(w), *spate_world_stats(w), probe_value(w, "in.flux"),
			probe_value(w, "front.front")};
}

static void same(const moment *a, const moment *b, int from, int step)
{
	if (a->hash != b->hash || a->flux != b->flux || a->front != b->front || a->stats.dt != b->stats.dt ||
	    a->stats.time != b->stats.time || a->stats.listed != b->stats.listed ||
	    a->stats.iterations != b->stats.iterations || a->stats.particles != b->stats.particles ||
	    a->stats.added != b->stats.added || a->stats.removed != b->stats.removed ||
	    a->stats.kinetic_energy != b->stats.kinetic_energy)
		fail_msg("restored after step %d, step %d: hash %llx, expected %llx; listed %d, expected %d; flux %g, "
			 "expected %g",
			 from, step, (unsigned long long)b->hash, (unsigned long long)a->hash, b->stats.listed,
			 a->stats.listed, b->flux, a->flux);
}

typedef struct history
{
	scene s;
	moment plain[STEPS + MORE + 1]; // of a run without snapshots
	spate_snapshot *snapshots[STEPS + 1];
	int reused; // snapshots after which lists were used again
} history;

static int set_up(void **state)
{
	history *h = calloc(1, sizeof *h);
	assert_non_null(h);
	pool(&h->s);
	spate_world *plain = scene_create(&h->s), *watched = scene_create(&h->s);
	for (int n = 1; n <= STEPS + MORE; n++)
	{
		step(plain);
		h->plain[n] = look(plain);
	}
	for (int n = 1; n <= STEPS; n++)
	{
		step(watched);
		moment seen = look(watched);
		same(&h->plain[n], &seen, -1, n);
		check_ok(spate_snapshot_take(&h->snapshots[n], watched, NULL));
		h->reused += !h->plain[n + 1].stats.listed;
	}
	spate_world_destroy(plain);
	spate_world_destroy(watched);
	*state = h;
	return 0;
}

static int tear_down(void **state)
{
	history *h = *state;
	for (int n = 0; n <= STEPS; n++)
		spate_snapshot_destroy(h->snapshots[n]);
	free(h);
	return 0;
}

static void continues(const history *h, spate_world *w, int from)
{
	for (int n = from + 1; n <= from + MORE; n++)
	{
		step(w);
		moment seen = look(w);
		same(&h->plain[n], &seen, from, n);
	}
}

static void restored_worlds_continue_with_the_same_bits(void **state)
{
	const history *h = *state;
	spate_world *w = NULL;
	check_ok(spate_world_create_empty(&w, &h->s.def, NULL));
	// within frames, at their ends, with lists in use, and before and after particles came and went
	assert_true(h->reused >= 3);
	assert_true(h->plain[STEPS].stats.added > h->plain[1].stats.added);
	assert_true(h->plain[STEPS].stats.removed > 0);
	for (int from = 1; from <= STEPS; from++)
	{
		check_ok(spate_snapshot_restore(w, h->snapshots[from], NULL));
		assert_true(spate_world_hash(w) == h->plain[from].hash);
		assert_true(spate_world_stats(w)->kinetic_energy == h->plain[from].stats.kinetic_energy);
		continues(h, w, from);
	}
	spate_world_destroy(w);
}

static void files_hold_the_same(void **state)
{
	const history *h = *state;
	scratch dir = scratch_make();
	char path[1200];
	snprintf(path, sizeof path, "%s/a.spate", dir.path);
	for (int from = 5; from <= 6; from++)
	{
		spate_snapshot *loaded = NULL;
		spate_world *w = NULL;
		check_ok(spate_snapshot_save(h->snapshots[from], path, NULL));
		check_ok(spate_snapshot_load(&loaded, path, NULL));
		assert_int_equal(spate_snapshot_frame(loaded), from == 6);
		assert_true(spate_snapshot_time(loaded) == h->plain[from].stats.time);
		assert_int_equal(spate_snapshot_particles(loaded), h->plain[from].stats.particles);
		check_ok(spate_world_create_empty(&w, &h->s.def, NULL));
		check_ok(spate_snapshot_restore(w, loaded, NULL));
		continues(h, w, from);
		spate_snapshot_destroy(loaded);
		spate_world_destroy(w);
	}
	scratch_remove(&dir);
}

static void channels_of_the_user_come_along(void **state)
{
	history *h = *state;
	spate_world *w = scene_create(&h->s), *other = NULL;
	const float initial = 3.0f;
	spate_type type;
	check_ok(spate_store_add_channel(spate_world_store(w), "age", SPATE_FLOAT, &initial, NULL));
	for (int n = 0; n < 9; n++)
		step(w);
	float *age = spate_store_field(spate_world_store(w), "age", NULL);
	age[7] = 5.0f;
	spate_snapshot *s = NULL;
	check_ok(spate_snapshot_take(&s, w, NULL));
	check_ok(spate_world_create_empty(&other, &h->s.def, NULL));
	check_ok(spate_snapshot_restore(other, s, NULL));
	const float *values = spate_store_field(spate_world_store(other), "age", &type);
	assert_non_null(values);
	assert_int_equal(type, SPATE_FLOAT);
	check_near(values[7], 5, 0);
	check_near(values[8], 3, 0);
	// new particles get the initial value
	for (int n = 0; n < 9; n++)
		step(other);
	values = spate_store_field(spate_world_store(other), "age", NULL);
	for (uint32_t row = 0; row < spate_store_rows(spate_world_store(other)); row++)
		assert_true(values[row] == 3.0f || values[row] == 5.0f);
	spate_snapshot_destroy(s);
	spate_world_destroy(w);
	spate_world_destroy(other);
}

// ---------------------------------------------------------------------------------------------------- colliders and changes

enum
{
	COLLIDERS = 4,
	CHANGED = 3, // step after which a key is changed
	KEPT = 14,   // step after which the snapshot is taken, within a frame
	AGAIN = 16,  // step after which a key is changed again
	FINISHED = 30
};

// A host whose next pose depends on the last one.
static int stir(void *context, double time, spate_pose *pose)
{
	(void)context, (void)time;
	pose->position[0] += 0.002;
	pose->scale *= 1.001;
	return 1;
}

// A wet ball of triangles, a paddle on keyframes, a bar that the host moves, and an emitter.
static void busy_tank(scene *s, const spate_mesh *ball)
{
	pool(s);
	spate_collider_def *wet = add_collider(s, (spate_shape){0}, SPATE_COLLIDER_OUTSIDE);
	wet->mesh.mesh = ball;
	wet->mesh.position[0] = wet->mesh.position[2] = 0.42;
	wet->mesh.position[1] = 0.2;
	wet->wet = (spate_wet_def){.size = 32, .drying = 0.2, .channel = "density"};
	add_collider(s, box_shape(0.05, 0.05, 0.4, 0.12, 0.15, 0.5), SPATE_COLLIDER_OUTSIDE)->name = "bar";
	add_probe(s, "ball", SPATE_PROBE_FORCE)->collider = 2;
	add_probe(s, "bar", SPATE_PROBE_FORCE)->collider = 3;
}

static void steer(spate_world *w, int n)
{
	const double tilted[3] = {1, -9, 0.5};
	if (n == CHANGED)
		check_ok(spate_world_set_vector(w, "gravity", tilted, NULL));
	if (n == AGAIN)
		check_ok(spate_world_set_number(w, "colliders.bar.friction", 0.4, NULL));
}

static void check_same_worlds(const spate_world *a, const spate_world *b)
{
	assert_true(spate_world_hash(a) == spate_world_hash(b));
	uint32_t columns = spate_world_probe_columns(a), size = 0;
	assert_int_equal(columns, 38);
	assert_memory_equal(spate_world_probe_values(a), spate_world_probe_values(b), columns * sizeof(double));
	for (uint32_t c = 0; c < COLLIDERS; c++)
	{
		double loads[2][12];
		spate_pose poses[2];
		check_ok(spate_world_collider_force(a, c, loads[0], loads[0] + 3, NULL));
		check_ok(spate_world_collider_force(b, c, loads[1], loads[1] + 3, NULL));
		check_ok(spate_world_collider_friction(a, c, loads[0] + 6, loads[0] + 9, NULL));
		check_ok(spate_world_collider_friction(b, c, loads[1] + 6, loads[1] + 9, NULL));
		assert_memory_equal(loads[0], loads[1], sizeof loads[0]);
		check_ok(spate_world_pose(a, c, &poses[0], NULL));
		check_ok(spate_world_pose(b, c, &poses[1], NULL));
		assert_memory_equal(&poses[0], &poses[1], sizeof poses[0]);
	}
	size_t bytes = spate_world_wet_map(a, 2, &size) ? (size_t)size * size * sizeof(float) : 0;
	assert_int_equal(size, 32);
	assert_memory_equal(spate_world_wet_map(a, 2, NULL), spate_world_wet_map(b, 2, NULL), bytes);
	assert_memory_equal(spate_world_wet_channel(a, 2, NULL), spate_world_wet_channel(b, 2, NULL), bytes);
	char *left = spate_world_journal(a), *right = spate_world_journal(b);
	assert_non_null(left);
	assert_non_null(right);
	assert_string_equal(left, right);
	spate_scene_text_free(left);
	spate_scene_text_free(right);
}

// The bar is where the host moved it, the ball is wet, both were pushed, and the emitter has begun.
static void check_busy(const spate_world *w)
{
	spate_pose pose;
	check_ok(spate_world_pose(w, 3, &pose, NULL));
	assert_true(pose.position[0] > 0.002 * FINISHED - 1e-9 && pose.scale > 1);
	const float *wet = spate_world_wet_map(w, 2, NULL);
	int count = 0;
	for (int k = 0; k < 32 * 32; k++)
		count += wet[k] > 0;
	assert_in_range(count, 50, 32 * 32 - 50);
	assert_true(probe_value(w, "ball.force_y") != 0 && probe_value(w, "bar.force_x") != 0);
	assert_true(probe_value(w, "in.flux") > 0);
}

static void colliders_wet_maps_and_changes_come_along(void **state)
{
	(void)state;
	if (!distance_field_available())
		skip_without("OPENVDB");
	spate_mesh *ball = NULL;
	check_ok(make_sphere(&ball, 0.1, 12, 6, NULL));
	scene s;
	busy_tank(&s, ball);
	spate_world *w = scene_create(&s), *other = NULL;
	check_ok(spate_world_set_pose_callback(w, 3, stir, NULL, NULL));
	spate_snapshot *kept = NULL;
	for (int n = 1; n <= KEPT; n++)
	{
		step(w);
		steer(w, n);
	}
	check_ok(spate_snapshot_take(&kept, w, NULL));
	check_ok(spate_world_create_empty(&other, &s.def, NULL));
	check_ok(spate_world_set_pose_callback(other, 3, stir, NULL, NULL));
	check_ok(spate_snapshot_restore(other, kept, NULL));
	// at once, and after every step to the end
	check_same_worlds(w, other);
	for (int n = KEPT + 1; n <= FINISHED; n++)
	{
		step(w), step(other);
		steer(w, n), steer(other, n);
		check_same_worlds(w, other);
	}
	// and from the end back, with all that has happened since
	check_ok(spate_snapshot_restore(w, kept, NULL));
	for (int n = KEPT + 1; n <= FINISHED; n++)
	{
		step(w);
		steer(w, n);
	}
	check_same_worlds(w, other);
	check_busy(w);
	spate_snapshot_destroy(kept);
	spate_world_destroy(w);
	spate_world_destroy(other);
	spate_mesh_destroy(ball);
}

// ----------------------------------------------------------------------------------------------------------- refusals

static state_part *part_of(spate_snapshot *s, const char *name)
{
	for (size_t p = 0; p < s->parts.count; p++)
		if (strcmp(s->parts.data[p].name, name) == 0)
			return &s->parts.data[p];
	fail_msg("there is no section %s", name);
	return NULL;
}

static void refused(spate_world *w, const spate_snapshot *s, const char *sentence)
{
	spate_error error = {0};
	spate_result result = spate_snapshot_restore(w, s, &error);
	if (result != SPATE_FORMAT || !strstr(error.text, sentence))
		fail_msg("gave %s and '%s', expected FORMAT and '%s'", spate_result_name(result), error.text, sentence);
	// until a good one is restored
	assert_int_equal(spate_world_step(w, NULL, &error), SPATE_UNUSABLE);
	assert_non_null(strstr(error.text, "unusable until a snapshot is restored"));
	spate_snapshot *none;
	assert_int_equal(spate_snapshot_take(&none, w, NULL), SPATE_UNUSABLE);
	assert_null(none);
}

static uint8_t *byte_of(const state_part *part, size_t offset)
{
	assert_true(offset < part->size);
	return (uint8_t *)(uintptr_t)part->data + offset;
}

static void changed_sections_are_refused(void **state)
{
	history *h = *state;
	spate_world *w = scene_create(&h->s);
	// one with lists that the next step uses again
	int from = 1;
	while (h->plain[from + 1].stats.listed)
		from++;
	spate_snapshot *s = h->snapshots[from];
	// the version is in front
	for (size_t p = 0; p < s->parts.count; p++)
	{
		char sentence[80];
		uint8_t *version = byte_of(&s->parts.data[p], 0), newest = *version;
		snprintf(sentence, sizeof sentence, "its section '%s' has version %d", s->parts.data[p].name,
			 newest + 1);
		*version = (uint8_t)(newest + 1);
		refused(w, s, sentence);
		*version = newest;
		// bytes that are missing, bytes that are left over
		size_t size = s->parts.data[p].size;
		for (size_t less = 1; less < 9; less++)
		{
			s->parts.data[p].size = size - less;
			assert_int_equal(spate_snapshot_restore(w, s, NULL), SPATE_FORMAT);
		}
		s->parts.data[p].size = size;
	}
	state_part *wet = part_of(s, "wet");
	wet->name[0] = 'p';
	refused(w, s, "it has no section 'wet'");
	wet->name[0] = 'w';
	assert_true(snapshot_add_part(s, "spray", "....", 4));
	refused(w, s, "it has a section 'spray', which this version of Spate does not know");
	mem_free((void *)(uintptr_t)s->parts.data[--s->parts.count].data);
	*byte_of(part_of(s, "counters"), 4 + 8) ^= 4; // the frame
	refused(w, s, "its counters are not those of its time");
	*byte_of(part_of(s, "counters"), 4 + 8) ^= 4;
	*byte_of(part_of(s, "sources"), 4 + 7) = 0xff; // sign of the room
	refused(w, s, "of its volume");
	*byte_of(part_of(s, "sources"), 4 + 7) = 0x3f;
	state_part *lists = part_of(s, "lists");
	assert_true(lists->size > 1000);
	*byte_of(lists, lists->size - 1) = 0x7f; // the last neighbour
	refused(w, s, "a neighbour list names row");
	*byte_of(lists, lists->size - 1) = 0;
	check_ok(spate_snapshot_restore(w, s, NULL));
	continues(h, w, from);
	spate_world_destroy(w);
}

// Version 1 of the statistics lacks what the solver found, which was the error that it reported.
static void old_statistics_are_read(void **state)
{
	history *h = *state;
	spate_world *w = scene_create(&h->s);
	spate_snapshot *s = h->snapshots[1];
	state_part *stats = part_of(s, "stats");
	assert_int_equal(*byte_of(stats, 0), 2);
	*byte_of(stats, 0) = 1;
	stats->size -= sizeof(double);
	check_ok(spate_snapshot_restore(w, s, NULL));
	check_near(w->state.counters.error, spate_world_stats(w)->density_error_avg, 0);
	stats->size += sizeof(double);
	*byte_of(stats, 0) = 2;
	check_ok(spate_snapshot_restore(w, s, NULL));
	continues(h, w, 1);
	spate_world_destroy(w);
}

// Version 1 of the loads does not tell friction from the rest.
static void old_loads_are_read(void **state)
{
	(void)state;
	enum
	{
		ALL = 13 * sizeof(double),
		OLD = 7 * sizeof(double)
	};
	scene s;
	pool(&s);
	s.colliders[0].friction = 0.5;
	spate_world *w = scene_create(&s);
	spate_world_set_loads(w, 1);
	spate_snapshot *kept = NULL;
	for (int n = 0; n < 4; n++)
		step(w);
	check_ok(spate_snapshot_take(&kept, w, NULL));
	state_part *loads = part_of(kept, "loads");
	size_t size = loads->size, entries = 2 * s.def.collider_count;
	assert_int_equal(*byte_of(loads, 0), 2);
	assert_int_equal(size, 8 + entries * ALL);
	uint8_t *bytes = byte_of(loads, 0);
	*bytes = 1;
	for (size_t n = 0; n < entries; n++)
		memmove(bytes + 8 + n * OLD, bytes + 8 + n * ALL, OLD);
	loads->size = 8 + entries * OLD;
	double before[6], after[6], rubbed[6], none[6] = {0};
	check_ok(spate_world_collider_impulse(w, 0, before, before + 3, NULL));
	check_ok(spate_world_collider_friction_impulse(w, 0, rubbed, rubbed + 3, NULL));
	assert_memory_not_equal(rubbed, none, sizeof none);
	check_ok(spate_snapshot_restore(w, kept, NULL));
	check_ok(spate_world_collider_impulse(w, 0, after, after + 3, NULL));
	check_ok(spate_world_collider_friction_impulse(w, 0, rubbed, rubbed + 3, NULL));
	assert_memory_equal(before, after, sizeof after);
	assert_memory_equal(rubbed, none, sizeof none);
	loads->size = size;
	spate_snapshot_destroy(kept);
	spate_world_destroy(w);
}

typedef struct heard
{
	int lines;
} heard;

static void hear(void *context, spate_log_level level, const char *text)
{
	((heard *)context)->lines += level == SPATE_LOG_WARNING && strstr(text, "made with other kernels") != NULL;
}

// What there is to say about a state is said to the log of the world that gets it.
static void other_kernels_are_told_to_the_world(void **state)
{
	history *h = *state;
	spate_world *w = NULL;
	heard world = {0}, process = {0};
	check_ok(spate_world_create_empty(&w, &h->s.def, NULL));
	spate_world_set_log(w, hear, &world);
	spate_log_set_handler(hear, &process);
	check_ok(spate_snapshot_restore(w, h->snapshots[2], NULL));
	assert_int_equal(world.lines, 0);
	state_part *kernels = part_of(h->snapshots[2], "kernels");
	*byte_of(kernels, 5) ^= 1; // the first letter
	check_ok(spate_snapshot_restore(w, h->snapshots[2], NULL));
	*byte_of(kernels, 5) ^= 1;
	spate_log_set_handler(NULL, NULL);
	assert_int_equal(world.lines, 1);
	assert_int_equal(process.lines, 0);
	spate_world_destroy(w);
}

static void other_definitions_are_refused(void **state)
{
	history *h = *state;
	scene s;
	spate_world *w;
	pool(&s);
	s.def.source_count = 1;
	w = scene_create(&s);
	refused(w, h->snapshots[1], "it has 2 sources, the scene has 1");
	spate_world_destroy(w);
	pool(&s);
	s.def.probe_count = 1;
	w = scene_create(&s);
	refused(w, h->snapshots[1], "its probes are not those of the scene");
	spate_world_destroy(w);
	pool(&s);
	s.colliders[0].shape = box_shape(-8, 0, 0, 0.6, 1, 0.6);
	w = scene_create(&s);
	refused(w, h->snapshots[1], "its origin is not that of the scene");
	spate_world_destroy(w);
}

static void empty_worlds_wait_for_a_state(void **state)
{
	history *h = *state;
	spate_world *w = NULL;
	spate_error error = {0};
	check_ok(spate_world_create_empty(&w, &h->s.def, NULL));
	assert_int_equal(spate_store_count(spate_world_store(w)), 0);
	assert_int_equal(spate_world_step(w, NULL, &error), SPATE_UNUSABLE);
	assert_non_null(strstr(error.text, "it was created empty"));
	spate_world_destroy(w);
}

// Before the first step, and of a world without particles.
static void beginnings_can_be_kept(void **state)
{
	(void)state;
	for (int sources = 0; sources < 2; sources++)
	{
		scene s;
		pool(&s);
		s.def.source_count = (uint32_t)sources;
		spate_world *w = scene_create(&s);
		uint64_t hashes[8];
		spate_snapshot *start = NULL;
		check_ok(spate_snapshot_take(&start, w, NULL));
		assert_true(spate_snapshot_bytes(start) > 0);
		for (int round = 0; round < 2; round++)
		{
			for (int n = 0; n < 8; n++)
			{
				step(w);
				if (round == 1)
					assert_true(spate_world_hash(w) == hashes[n]);
				hashes[n] = spate_world_hash(w);
			}
			check_ok(spate_snapshot_restore(w, start, NULL));
		}
		spate_snapshot_destroy(start);
		spate_world_destroy(w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(restored_worlds_continue_with_the_same_bits),
	    cmocka_unit_test(files_hold_the_same),
	    cmocka_unit_test(channels_of_the_user_come_along),
	    cmocka_unit_test(colliders_wet_maps_and_changes_come_along),
	    cmocka_unit_test(changed_sections_are_refused),
	    cmocka_unit_test(old_statistics_are_read),
	    cmocka_unit_test(old_loads_are_read),
	    cmocka_unit_test(other_kernels_are_told_to_the_world),
	    cmocka_unit_test(other_definitions_are_refused),
	    cmocka_unit_test(empty_worlds_wait_for_a_state),
	    cmocka_unit_test(beginnings_can_be_kept),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
