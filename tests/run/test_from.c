// Fills that start from frames: of a run with two liquids that lie still, one above the other.
#define _GNU_SOURCE
#include "run_support.h"
#include "scene/scene_support.h"

#include "base/memory.h"
#include "particles/store.h"
#include "spate/spate.h"

enum
{
	CALM = 36, // frames of the first run
	FRAMES = 6
};

#define FLUIDS "  oil: { density: 900, spacing: 0.02 }\n  water: { spacing: 0.02 }\n"
#define TANK                                                                                                      \
	"colliders:\n  - { shape: { box: { min: [0, 0, 0], max: [0.2, 0.5, 0.2] } }, mode: inside }\nfps: 24\n"   \
	"channels:\n  heat: { default: \"20 + 100*y\" }\n  batch: { type: int, sources: { high: 3, low: -2 } }\n" \
	"output: { channels: [velocity, fluid, heat, batch, age, color, source, uv], checkpoint_every: 2 }\n"

static const char first_text[] =
    "spate: 2\nframes: 36\nfluids:\n" FLUIDS "sources:\n"
    "  - { type: fill, name: low, fluid: water, shape: { box: { min: [0, 0, 0], max: [0.2, 0.1, 0.2] } } }\n"
    "  - { type: fill, name: high, fluid: oil, color: \"#ff8000\", shape: { box: { min: [0, 0.1, 0], max: [0.2, 0.2, 0.2] } } }\n" TANK;

typedef struct fixture
{
	scratch s;
	char frame[1200]; // the last one of the first run
} fixture;

// A scene; %s in the text is the frame.
static spate_scene scene_of(const fixture *f, const char *text)
{
	char whole[8192];
	const char *at = strstr(text, "%s");
	snprintf(whole, sizeof whole, "%.*s%s%s", at ? (int)(at - text) : 0, text, at ? f->frame : "",
		 at ? at + 2 : text);
	return parse_good(whole);
}

static int set_up(void **state)
{
	fixture *f = calloc(1, sizeof *f);
	assert_non_null(f);
	f->s = scratch_make();
	spate_scene scene = scene_of(f, first_text);
	char directory[1100];
	snprintf(directory, sizeof directory, "%s/first", f->s.path);
	spate_run_def def = run_def(&scene, directory);
	run_well(&def);
	snprintf(f->frame, sizeof f->frame, "%s/frames/frame_%06d.spate", directory, CALM);
	spate_scene_free(&scene);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	fixture *f = *state;
	scratch_remove(&f->s);
	free(f);
	return 0;
}

// The other order of the fluids: what counts is their names.
#define GO_ON                                                                                                \
	"spate: 2\nframes: 6\nfluids:\n  water: { spacing: 0.02 }\n  oil: { density: 900, spacing: 0.02 }\n" \
	"sources:\n"
#define CHANNELS                                                                                                                                                           \
	"colliders:\n  - { shape: { box: { min: [0, 0, 0], max: [0.2, 0.5, 0.2] } }, mode: inside }\nfps: 24\n"                                                            \
	"probes:\n  level: { type: height, from: [0.1, 0, 0.1], to: [0.1, 0.4, 0.1] }\nchannels:\n  heat: {}\n  batch: { type: int, default: 7 }\n  new: { default: 5 }\n" \
	"output: { channels: [velocity, fluid, heat, batch, age, color, source, uv, new], checkpoint_every: 2 }\n"
static const char go_on[] = GO_ON "  - { type: fill, from: \"%s\" }\n" CHANNELS;

static spate_world *create(const spate_scene *scene)
{
	spate_world *w = NULL;
	spate_error error = {0};
	if (spate_world_create(&w, &scene->world, &error) != SPATE_OK)
		fail_msg("%s", error.text);
	return w;
}

static const void *channel(spate_frame *frame, const char *name)
{
	const void *data = NULL;
	check_ok(spate_frame_channel(frame, name, NULL, &data, NULL));
	return data;
}

static const void *field(spate_world *w, const char *name)
{
	spate_store *store = spate_world_store(w);
	const store_field *found = store_find(store, name);
	assert_non_null(found);
	return store_column_of(store, found).data;
}

// Every particle is where it was, as fast, as old, and carries the same, to the bit.
static void the_beginning_is_the_frame(void **state)
{
	fixture *f = *state;
	spate_scene scene = scene_of(f, go_on);
	spate_world *w = create(&scene);
	spate_frame *frame = NULL;
	check_ok(spate_frame_open(f->frame, &frame, NULL));
	uint32_t count = (uint32_t)spate_frame_count(frame);
	const float *places = channel(frame, "position"), *velocities = channel(frame, "velocity"),
		    *heat = channel(frame, "heat"), *age = channel(frame, "age"), *color = channel(frame, "color"),
		    *uv = channel(frame, "uv");
	const int32_t *fluids = channel(frame, "fluid"), *batch = channel(frame, "batch"),
		      *source = channel(frame, "source");
	spate_store *store = spate_world_store(w);
	store_settle(store, 1);
	double origin[3];
	spate_frame_origin(frame, origin);
	for (int k = 0; k < 3; k++)
		check_near(spate_world_origin(w)[k], origin[k], 0);
	assert_int_equal(count, 1000);
	assert_int_equal(spate_store_count(store), count);
	// ids: water first, as in this scene, and the order of the file
	uint32_t *row_of = calloc(count, sizeof *row_of), number = 0, moving = 0;
	assert_non_null(row_of);
	for (uint32_t row = 0; row < count; row++)
		row_of[store->id[row]] = row;
	for (int32_t fluid = 1; fluid >= 0; fluid--)
		for (uint32_t i = 0; i < count; i++)
		{
			if (fluids[i] != fluid)
				continue;
			uint32_t row = row_of[number++];
			assert_int_equal(store->fluid[row], 1 - fluid);
			for (size_t k = 0; k < 3; k++)
			{
				check_near((double)((const float *)&store->position[row])[k], (double)places[3 * i + k],
					   0);
				check_near((double)((const float *)&store->velocity[row])[k],
					   (double)velocities[3 * i + k], 0);
				check_near((double)((const float *)field(w, "color"))[3 * row + k],
					   (double)color[3 * i + k], 0);
			}
			moving += velocities[3 * i] != 0.0f;
			check_near((double)((const float *)field(w, "heat"))[row], (double)heat[i], 0);
			check_near((double)((const float *)field(w, "birth"))[row], -(double)age[i], 0);
			check_near((double)((const float *)field(w, "uv"))[2 * row + 1], (double)uv[2 * i + 1], 0);
			assert_int_equal(((const int32_t *)field(w, "batch"))[row], batch[i]);
			assert_int_equal(((const int32_t *)field(w, "source"))[row], source[i]);
			check_near((double)((const float *)field(w, "new"))[row], 5, 0);
		}
	assert_int_equal(number, count);
	assert_true(moving > 900);
	check_near((double)age[0], CALM / 24.0, 1e-5);
	free(row_of);
	spate_frame_close(frame);
	spate_world_destroy(w);
	spate_scene_free(&scene);
}

// The limit of tests/world/test_rest.c for a tank at rest: 10 mm/s rms. What was at rest does not notice that it is another run.
static void what_was_at_rest_stays_at_rest(void **state)
{
	fixture *f = *state;
	spate_scene scene = scene_of(f, go_on);
	spate_world *w = create(&scene);
	double mass = 500 * 8e-6 * 1000 + 500 * 8e-6 * 900, most = 0;
	const double *kinetic = &spate_world_stats(w)->kinetic_energy;
	double before = sqrt(2 * *kinetic / mass);
	for (int step = 0; spate_world_frame(w) < 12; step++)
	{
		check_ok(spate_world_step(w, NULL, NULL));
		most = fmax(most, sqrt(2 * *kinetic / mass));
	}
	print_message("rms speed: %.3g mm/s in the frame, at most %.3g mm/s after it\n", 1e3 * before, 1e3 * most);
	assert_true(before > 0 && before < 0.01);
	if (!(most < 0.01))
		fail_msg("liquid at rest has an rms speed of %g m/s after it was continued", most);
	spate_world_destroy(w);
	spate_scene_free(&scene);
}

static void the_bits_are_the_same_for_threads_and_resumed_runs(void **state)
{
	fixture *f = *state;
	spate_scene scene = scene_of(f, go_on);
	spate_run_def def = run_def(&scene, scratch_file(&f->s, "one"));
	uint64_t hash = run_well(&def);
	def.directory = scratch_file(&f->s, "two");
	def.threads = 2;
	assert_true(run_well(&def) == hash);
	check_same_run(scratch_file(&f->s, "one"), def.directory, FRAMES);

	// a resumed run does not need the file any more
	uint32_t frame = 4;
	char away[1300];
	snprintf(away, sizeof away, "%s.away", f->frame);
	def.directory = scratch_file(&f->s, "stopped");
	def.handler = stop_in_frame;
	def.context = &frame;
	check_result(spate_run(&def, NULL, NULL), SPATE_CANCELLED);
	assert_int_equal(rename(f->frame, away), 0);
	def.handler = NULL;
	def.resume = 1;
	assert_true(run_well(&def) == hash);
	check_same_run(scratch_file(&f->s, "one"), def.directory, FRAMES);
	assert_int_equal(rename(away, f->frame), 0);
	spate_scene_free(&scene);
}

static void it_may_be_moved_start_later_and_become_one_fluid(void **state)
{
	fixture *f = *state;
	spate_scene scene =
	    scene_of(f, GO_ON "  - { type: fill, from: \"%s\", fluid: oil, start: 0.1, position: [0, 0.25, 0], "
			      "velocity: [0, \"-2*x\", 1] }\n" CHANNELS);
	spate_world *w = create(&scene);
	spate_store *store = spate_world_store(w);
	assert_int_equal(spate_store_count(store), 0);
	double speed = 0.0;
	while (spate_world_time(w) < 0.1)
	{
		check_ok(spate_world_step(w, NULL, NULL));
		speed = spate_world_stats(w)->speed_max;
	}
	assert_int_equal(spate_store_count(store), 0);
	check_near(speed, 0, 0);
	double begin = spate_world_time(w);
	check_ok(spate_world_step(w, NULL, NULL));
	double dt = spate_world_time(w) - begin, height = 0, forth = 0, down = 0;
	assert_int_equal(spate_store_count(store), 1000);
	for (uint32_t row = 0; row < store->rows; row++)
	{
		assert_int_equal(store->fluid[row], 1);
		height += (double)store->position[row].y / 1000;
		forth += (double)store->velocity[row].z / 1000;
		down -= (double)store->velocity[row].y / 1000;
	}
	// the box was 0.2 m high; the mean of x is 0.1 m
	check_near(height + spate_world_origin(w)[1], 0.1 + 0.25 - 0.2 * dt, 0.004);
	check_near(down, 0.2 + 9.81 * dt, 0.01);
	assert_true(forth > 0.3);
	spate_world_destroy(w);
	spate_scene_free(&scene);
}

// The closest two particles of different sources (m), and how many there are of the second.
static double closest(spate_world *w, uint32_t *second)
{
	spate_store *store = spate_world_store(w);
	const int32_t *batch = field(w, "batch");
	double least = INFINITY;
	*second = 0;
	for (uint32_t i = 0; i < store->rows; i++)
	{
		*second += batch[i] == 7;
		for (uint32_t j = 0; j < store->rows && batch[i] == 7; j++)
			if (batch[j] != 7)
				least = fmin(least,
					     (double)vec3_length((vec3){store->position[i].x - store->position[j].x,
									store->position[i].y - store->position[j].y,
									store->position[i].z - store->position[j].z}));
	}
	return least;
}

static void other_fills_make_room(void **state)
{
	fixture *f = *state;
	// before it in the list, and larger by a layer of 0.1 m
	spate_scene scene = scene_of(
	    f, GO_ON "  - { type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [0.2, 0.3, 0.2] } } }\n"
		     "  - { type: fill, from: \"%s\" }\n" CHANNELS);
	char said[2000];
	spate_problems problems = {0};
	check_ok(spate_scene_read_meshes(&scene, &problems, NULL));
	said[0] = '\0';
	if (problems.count == 1)
		snprintf(said, sizeof said, "%u:%u %s: %s", problems.items[0].line, problems.items[0].column,
			 problems.items[0].path, problems.items[0].text);
	if (!strstr(said, "8:25 sources.1: about 1.0 thousand particles of sources.0 are left out") &&
	    !strstr(said, "8:25 sources.1: about 1.1 thousand particles of sources.0 are left out"))
		fail_msg("it said: %u problems, %s", problems.count, said);
	spate_problems_free(&problems);
	spate_world *w = create(&scene);
	uint32_t second = 0;
	double least = closest(w, &second);
	// the free layer has room for 500; those at the surface of the other liquid are too close
	print_message("%u particles of the fill, the closest at %.3g spacings\n", second, least / 0.02);
	assert_true(second >= 400 && second <= 500);
	assert_true(least > 0.7 * 0.02);
	assert_int_equal(spate_store_count(spate_world_store(w)), 1000 + second);
	spate_world_destroy(w);
	spate_scene_free(&scene);
}

// A fill so near to the surface that settling parts the two: only its own particles move.
static void settling_moves_only_the_others(void **state)
{
	fixture *f = *state;
	spate_scene scene = scene_of(
	    f, GO_ON
	    "  - { type: fill, from: \"%s\" }\n"
	    "  - { type: fill, fluid: water, shape: { box: { min: [0, 0.197, 0], max: [0.2, 0.297, 0.2] } } }\n" CHANNELS);
	spate_world *w = create(&scene);
	spate_frame *frame = NULL;
	check_ok(spate_frame_open(f->frame, &frame, NULL));
	const float *places = channel(frame, "position");
	const int32_t *fluids = channel(frame, "fluid");
	const spate_store *store = spate_world_store(w);
	uint32_t oil = 0, lattice = 0;
	for (uint32_t i = 0; i < 1000; i++)
		oil += fluids[i] == 0;
	assert_true(store->rows > 1400);
	for (uint32_t row = 0; row < store->rows; row++)
	{
		const float *own = (const float *)&store->position[row];
		// on the lattice, x is an odd multiple of half a spacing
		double x = ((double)own[0] + spate_world_origin(w)[0]) / 0.01;
		if (store->id[row] >= 1000)
			lattice += fabs(x - nearbyint(x)) < 1e-3;
		if (store->id[row] >= 1000)
			continue;
		// water came first
		int32_t fluid = store->id[row] < 1000 - oil ? 1 : 0;
		uint32_t left = (uint32_t)store->id[row] - (fluid ? 0 : 1000 - oil), i = 0;
		while (fluids[i] != fluid || left-- > 0)
			i++;
		for (size_t k = 0; k < 3; k++)
			check_near((double)own[k], (double)places[3 * i + k], 0);
	}
	print_message("%u of %u particles of the fill stayed on their lattice\n", lattice, store->rows - 1000);
	assert_true(lattice < (store->rows - 1000) / 2);
	spate_frame_close(frame);
	spate_world_destroy(w);
	spate_scene_free(&scene);
}

static void ages_go_on(void **state)
{
	fixture *f = *state;
	spate_scene scene = scene_of(f, GO_ON "  - { type: fill, from: \"%s\" }\n" CHANNELS
					      "sinks:\n  - { remove: everywhere, age: 1.6 }\n");
	spate_world *w = create(&scene);
	// it was 1.5 s old
	while (spate_world_time(w) < 0.09)
		check_ok(spate_world_step(w, NULL, NULL));
	assert_int_equal(spate_store_count(spate_world_store(w)), 1000);
	while (spate_world_time(w) < 0.11)
		check_ok(spate_world_step(w, NULL, NULL));
	assert_int_equal(spate_store_count(spate_world_store(w)), 0);
	spate_world_destroy(w);
	spate_scene_free(&scene);
}

// ----------------------------------------------------------------------------------------------------------- other files

static void other_programs_can_give_the_particles(void **state)
{
	fixture *f = *state;
	static const char *const formats[] = {"ply", "bgeo"};
	for (size_t i = 0; i < 2; i++)
	{
		char name[32], text[4096];
		snprintf(name, sizeof name, "points.%s", formats[i]);
		const char *path = scratch_file(&f->s, name);
		spate_export_def def = spate_default_export_def();
		def.input = f->frame;
		def.output = path;
		spate_error error = {0};
		if (spate_export_run(&def, NULL, &error) != SPATE_OK)
			fail_msg("%s", error.text);
		snprintf(text, sizeof text, GO_ON "  - { type: fill, from: \"%s\", fluid: water }\n" CHANNELS, path);
		spate_scene scene = scene_of(f, text);
		spate_world *w = create(&scene);
		assert_int_equal(spate_store_count(spate_world_store(w)), 1000);
		spate_world_destroy(w);
		spate_scene_free(&scene);
	}
}

// ------------------------------------------------------------------------------------------------------------- mistakes

// What `spate check` says of a scene, after the place of the file's name; it must exit with 2.
static void expect_refused(const fixture *f, const char *scene, const char *expected)
{
	const char *path = scratch_file(&f->s, "bad.yaml");
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(scene, file);
	fclose(file);
	const char *arguments[] = {"check", path, NULL};
	char said[4000];
	child c = child_start(&f->s, arguments, 0);
	int code = child_wait(&c, said, sizeof said);
	if (code != 2 || !strstr(said, expected))
		fail_msg("exit %d for\n%s\nsaid:\n%s\nexpected:\n%s", code, scene, said, expected);
	// a run refuses it as well
	const char *run[] = {"run", path, "-o", scratch_file(&f->s, "bad"), NULL};
	c = child_start(&f->s, run, 0);
	assert_int_equal(child_wait(&c, said, sizeof said), 2);
	assert_non_null(strstr(said, expected));
}

// A frame of a run of one frame.
static void write_frame(const fixture *f, const char *name, const char *fluids, const char *output)
{
	char text[2000];
	snprintf(text, sizeof text,
		 "spate: 2\nframes: 1\nfluids:\n%ssources:\n"
		 "  - { type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [0.2, 0.2, 0.2] } } }\n"
		 "output: { channels: [%s] }\ngravity: [0, 0, 0]\n",
		 fluids, output);
	spate_scene scene = scene_of(f, text);
	spate_run_def def = run_def(&scene, scratch_file(&f->s, name));
	run_well(&def);
	spate_scene_free(&scene);
}

static void damage(const char *path)
{
	FILE *file = fopen(path, "r+");
	assert_non_null(file);
	fseek(file, -20, SEEK_END);
	fputs("damage", file);
	fclose(file);
}

#define WATER(more) \
	"spate: 2\nframes: 2\nfluids:\n  water: { spacing: 0.02 }\nsources:\n  - { type: fill, " more " }\n" FLOOR
#define FLOOR "colliders:\n  - { shape: { plane: { point: [0, 0, 0], normal: [0, 1, 0] } } }\n"
#define FRAME "/frames/frame_000001.spate"

static void mistakes_have_their_place_and_sentence(void **state)
{
	fixture *f = *state;
	write_frame(f, "still", "  water: { spacing: 0.02 }\n", "density");
	write_frame(f, "coarse", "  water: { spacing: 0.04 }\n", "velocity");
	write_frame(f, "milk", "  milk: { spacing: 0.02 }\n  water: { spacing: 0.02 }\n", "velocity");
	write_frame(f, "broken", "  water: { spacing: 0.02 }\n", "velocity");
	damage(scratch_file(&f->s, "broken" FRAME));
	write_frame(f, "good", "  water: { spacing: 0.02 }\n", "velocity");
	FILE *ply = fopen(scratch_file(&f->s, "wide.ply"), "w");
	assert_non_null(ply);
	fputs("ply\nformat ascii 1.0\nelement vertex 216\nproperty float x\nproperty float y\nproperty float z\n"
	      "property float velocity_x\nproperty float velocity_y\nproperty float velocity_z\nend_header\n",
	      ply);
	for (int i = 0; i < 216; i++)
		fprintf(ply, "%g %g %g 0 0 0\n", 0.05 * (i % 6), 0.05 * (i / 6 % 6), 0.05 * (i / 36));
	fclose(ply);
	expect_refused(f, WATER("from: nowhere.spate"), "bad.yaml:6:25: error: sources.0: cannot read ");
	expect_refused(f, WATER("from: still" FRAME), "bad.yaml:6:25: error: sources.0: ");
	expect_refused(
	    f, WATER("from: still" FRAME),
	    "has no velocity, so nothing can start from it; a run writes the channel if output.channels names it\n");
	expect_refused(f, WATER("from: coarse" FRAME),
		       "was made with a spacing of 0.04 m, and that of water is 0.02 m; they must be the same\n");
	expect_refused(f, WATER("from: broken" FRAME), "bad.yaml:6:25: error: sources.0: ");
	expect_refused(
	    f, WATER("from: milk" FRAME),
	    "is of a scene with 2 fluids, but does not tell which particle has which; write the channel fluid, or "
	    "choose one for all particles, like fluid: water\n");
	expect_refused(f, WATER("from: first/frames/frame_000036.spate"),
		       "has particles of 'oil', and there is no fluid of that name (known: water); choose one for all "
		       "particles, like fluid: water\n");
	expect_refused(f, WATER("from: wide.ply"),
		       "m apart, and the spacing of water is 0.02 m; they must be the same\n");
	expect_refused(
	    f, WATER("from: good" FRAME ", jitter: 0.1"),
	    "error: sources.0: 'jitter' and 'from' exclude each other: the particles begin as the file has them\n");
	expect_refused(f, WATER("from: good" FRAME ", shape: { sphere: { center: [0, 1, 0], radius: 0.2 } }"),
		       "error: sources.0: 'shape' and 'from' exclude each other");
	expect_refused(f, WATER("fluid: water"), "bad.yaml:6:5: error: sources.0: 'shape' is missing, like shape: {");
	expect_refused(f, WATER("shape: { sphere: { center: [0, 1, 0], radius: 0.2 } }"),
		       "bad.yaml:6:5: error: sources.0: 'fluid' is missing, like fluid: water\n");
}

static void odd_starts_are_warned_of(void **state)
{
	fixture *f = *state;
	spate_scene scene = scene_of(f, GO_ON "  - { type: fill, from: \"%s\", position: [0, -0.05, 0] }\n" CHANNELS);
	spate_problems problems = {0};
	check_ok(spate_scene_read_meshes(&scene, &problems, NULL));
	assert_int_equal(problems.count, 1);
	// a quarter of the height, give or take a layer
	const char *text = problems.items[0].text;
	int number = atoi(text);
	if (number < 200 || number > 300 ||
	    !strstr(text, "of its 1000 particles lie inside of colliders or outside of containers and are left out"))
		fail_msg("%s", text);
	spate_problems_free(&problems);
	spate_world *w = create(&scene);
	assert_int_equal(spate_store_count(spate_world_store(w)), 1000 - number);
	// the estimate is that of the file
	assert_int_equal((int)spate_scene_estimate_fluid(&scene, 0), 500);
	assert_int_equal((int)spate_scene_estimate_fluid(&scene, 1), 500);
	spate_world_destroy(w);
	// it survives being written and read
	char *written = spate_scene_text(&scene);
	assert_non_null(strstr(written, f->frame));
	assert_non_null(strstr(written, "position: [0, -0.05, 0]"));
	assert_null(strstr(written, "shape:\n    box:\n      min: [0, 0, 0]\n      max: [0, 0, 0]"));
	spate_scene again;
	check_ok(spate_scene_parse(&again, "again.yaml", written, strlen(written), NULL, 0, &problems, NULL));
	assert_true(again.world.sources[0].fluid == SPATE_FLUID_BY_NAME);
	spate_scene_text_free(written);
	spate_problems_free(&problems);
	spate_scene_free(&again);
	spate_scene_free(&scene);
}

// Loading the scene, reading the file, and beginning with it at once and later.
static spate_result try_all(const char *text, spate_error *error)
{
	spate_scene scene;
	spate_problems problems = {0};
	spate_world *w = NULL;
	spate_result result = spate_scene_parse(&scene, "memory.yaml", text, strlen(text), NULL, 0, &problems, error);
	if (result == SPATE_OK)
		result = spate_scene_read_fills(&scene, &problems, error);
	if (result == SPATE_OK)
		result = spate_world_create(&w, &scene.world, error);
	for (int step = 0; step < 2 && result == SPATE_OK; step++)
		result = spate_world_step(w, NULL, error);
	spate_world_destroy(w);
	spate_problems_free(&problems);
	spate_scene_free(&scene);
	return result;
}

static void every_failed_allocation_is_reported(void **state)
{
	fixture *f = *state;
	static const char head[] =
	    "spate: 2\nframes: 1\nfps: 200\nfluids:\n  water: { spacing: 0.02 }\ngravity: [0, 0, 0]\n"
	    "channels: { heat: { default: \"x + t\" }, mark: { type: int } }\nsources:\n";
	char text[4000];
	snprintf(text, sizeof text,
		 "%s  - { type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [0.08, 0.04, 0.04] } } }\n"
		 "output: { channels: [velocity, heat, mark, age] }\n",
		 head);
	spate_scene scene = scene_of(f, text);
	spate_run_def def = run_def(&scene, scratch_file(&f->s, "small"));
	run_well(&def);
	spate_scene_free(&scene);
	char from[1300];
	snprintf(from, sizeof from, "%s/small" FRAME, f->s.path);
	snprintf(text, sizeof text,
		 "%s  - { type: fill, from: \"%s\", velocity: [\"y\", 0, 0] }\n"
		 "  - { type: fill, from: \"%s\", position: [0.5, 0, 0], start: 0.004 }\n"
		 "output: { channels: [velocity, heat, mark, age] }\nsolver: { substeps: 2 }\n",
		 head, from, from);
	mem_stats before = mem_get_stats();
	for (uint64_t n = 1;; n++)
	{
		spate_error error = {0};
		mem_fail_at(n);
		spate_result result = try_all(text, &error);
		int reached = mem_fail_at(0) == 0;
		assert_int_equal(mem_get_stats().blocks, before.blocks);
		if (!reached && result != SPATE_OK)
			fail_msg("%s", error.text);
		if (!reached)
		{
			print_message("%u allocations\n", (unsigned)n);
			return;
		}
		// some are not needed: the store keeps its larger arrays, for one
		if (result != SPATE_OK && result != SPATE_MEMORY)
			fail_msg("allocation %u gave %s: %s", (unsigned)n, spate_result_name(result), error.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_beginning_is_the_frame),
	    cmocka_unit_test(what_was_at_rest_stays_at_rest),
	    cmocka_unit_test(the_bits_are_the_same_for_threads_and_resumed_runs),
	    cmocka_unit_test(it_may_be_moved_start_later_and_become_one_fluid),
	    cmocka_unit_test(other_fills_make_room),
	    cmocka_unit_test(settling_moves_only_the_others),
	    cmocka_unit_test(ages_go_on),
	    cmocka_unit_test(other_programs_can_give_the_particles),
	    cmocka_unit_test(mistakes_have_their_place_and_sentence),
	    cmocka_unit_test(odd_starts_are_warned_of),
	    cmocka_unit_test(every_failed_allocation_is_reported),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
