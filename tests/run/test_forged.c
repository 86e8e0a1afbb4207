// Checkpoints that are whole, with every checksum right, and hold what no run can have come to: refused, with the run untouched.
#define _GNU_SOURCE
#include "run_support.h"

#include "base/simd_level.h"
#include "spate/log.h"

enum
{
	FRAMES = 3,
	MOST = 32
};

// A checkpoint in memory that can be changed and written again.
typedef struct forgery
{
	spate_frame *from;
	spate_frame_def def;
	spate_frame_channel_def channels[MOST];
	spate_frame_blob_def blobs[MOST];
	void *owned[2 * MOST];
	int owned_count;
} forgery;

static void *own(forgery *f, const void *data, size_t bytes)
{
	void *copy = malloc(bytes + 1);
	assert_non_null(copy);
	memcpy(copy, data, bytes);
	f->owned[f->owned_count++] = copy;
	return copy;
}

static void forgery_read(forgery *f, const char *path)
{
	*f = (forgery){.def = spate_default_frame_def()};
	spate_error error = {0};
	const void *data;
	size_t bytes;
	spate_frame_entry entry;
	if (spate_frame_open(path, &f->from, &error) != SPATE_OK)
		fail_msg("%s", error.text);
	f->def.kind = SPATE_FRAME_CHECKPOINT;
	f->def.frame = spate_frame_number(f->from);
	f->def.time = spate_frame_time(f->from);
	spate_frame_origin(f->from, f->def.origin);
	f->def.count = spate_frame_count(f->from);
	f->def.channels = f->channels;
	f->def.blobs = f->blobs;
	f->def.threads = 1;
	for (uint32_t n = 0; spate_frame_channel_at(f->from, n, &entry) == SPATE_OK; n++)
	{
		assert_true(n < MOST);
		check_ok(spate_frame_channel(f->from, entry.name, NULL, &data, &error));
		data = own(f, data, (size_t)entry.count * spate_type_size(entry.type));
		f->channels[f->def.channel_count++] =
		    (spate_frame_channel_def){entry.name, entry.type, data, 0, entry.count};
	}
	for (uint32_t n = 0; spate_frame_blob_at(f->from, n, &entry) == SPATE_OK; n++)
	{
		assert_true(n < MOST);
		check_ok(spate_frame_blob(f->from, entry.name, &data, &bytes, &error));
		f->blobs[f->def.blob_count++] = (spate_frame_blob_def){entry.name, own(f, data, bytes), bytes};
	}
}

static char *blob_of(forgery *f, const char *name)
{
	for (uint32_t n = 0; n < f->def.blob_count; n++)
		if (strcmp(f->blobs[n].name, name) == 0)
			return (char *)(uintptr_t)f->blobs[n].data;
	fail_msg("there is no blob %s", name);
	return NULL;
}

static void *channel_of(forgery *f, const char *name)
{
	for (uint32_t n = 0; n < f->def.channel_count; n++)
		if (strcmp(f->channels[n].name, name) == 0)
			return (void *)(uintptr_t)f->channels[n].data;
	fail_msg("there is no channel %s", name);
	return NULL;
}

static void forgery_write(forgery *f, const char *path)
{
	spate_error error = {0};
	if (spate_frame_write(path, &f->def, &error) != SPATE_OK)
		fail_msg("%s", error.text);
	for (int n = 0; n < f->owned_count; n++)
		free(f->owned[n]);
	spate_frame_close(f->from);
}

typedef struct fixture
{
	scratch s;
	spate_scene scene;
	char directory[1100], checkpoint[4200];
	char *good; // bytes of the checkpoint
	size_t bytes;
} fixture;

static int set_up(void **state)
{
	fixture *f = calloc(1, sizeof *f);
	assert_non_null(f);
	f->s = scratch_make();
	f->scene = basin("frames=5", "output.checkpoint_every=0");
	snprintf(f->directory, sizeof f->directory, "%s/run", f->s.path);
	snprintf(f->checkpoint, sizeof f->checkpoint, "%s", run_checkpoint_path(f->directory, FRAMES).text);
	spate_run_def def = run_def(&f->scene, f->directory);
	def.last = FRAMES;
	run_well(&def);
	f->good = file_text(f->checkpoint, &f->bytes);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	fixture *f = *state;
	spate_scene_free(&f->scene);
	scratch_remove(&f->s);
	free(f->good);
	free(f);
	return 0;
}

static void put_back(const fixture *f)
{
	FILE *file = fopen(f->checkpoint, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(f->good, 1, f->bytes, file), f->bytes);
	fclose(file);
}

typedef void forge(forgery *f);

static void refused(fixture *f, const char *what, forge *change, const char *sentence)
{
	forgery forged;
	forgery_read(&forged, f->checkpoint);
	change(&forged);
	forgery_write(&forged, f->checkpoint);
	spate_run_def def = run_def(&f->scene, f->directory);
	spate_error error = {0};
	spate_result result = spate_run(&def, NULL, &error);
	if (result != SPATE_DAMAGED || !strstr(error.text, "checkpoint_000003.spate cannot be resumed: ") ||
	    !strstr(error.text, sentence))
		fail_msg("%s: gave %s and '%s', expected DAMAGED and '%s'", what, spate_result_name(result), error.text,
			 sentence);
	assert_int_equal(check_frames_whole(f->directory), FRAMES);
	put_back(f);
}

// --------------------------------------------------------------------------------------------------------- forgeries

// Numbers of a section, behind its version of 4 bytes; `offset` counts from there.
#define PUT(name, section, offset, type, value)                                              \
	static void name(forgery *f)                                                         \
	{                                                                                    \
		type number = (value);                                                       \
		memcpy(blob_of(f, "state/" section) + 4 + (offset), &number, sizeof number); \
	}

// As state.c writes them.
enum
{
	FRAME = 8,
	FRAME_STEP = 12,
	ELAPSED = 16,
	LAST_DT = 24,
	SPEED_MAX = 32,
	BULK_SPEED = 40,
	DEPTH = 48,
	REMOVED = 56,
	CLAMPED = 64,
	SINKS = 80,
	COUNTERS = 112,
	ROOM = 0,  // of the sources
	TURNS = 12 // 40 bytes for each source: emitted, turns, since, base, last
};

PUT(much_time, "counters", ELAPSED, double, 1e12)
PUT(no_time, "counters", ELAPSED, double, (double)NAN)
PUT(another_frame, "counters", FRAME, uint32_t, 4000000000u)
PUT(within_a_frame, "counters", FRAME_STEP, uint32_t, 7)
PUT(endless_step, "counters", LAST_DT, double, 1e9)
PUT(negative_step, "counters", LAST_DT, double, -0.01)
PUT(infinite_speed, "counters", SPEED_MAX, double, (double)INFINITY)
PUT(negative_bulk, "counters", BULK_SPEED, double, -1.0)
PUT(no_depth, "counters", DEPTH, double, (double)NAN)
PUT(many_removed, "counters", REMOVED, uint64_t, UINT64_MAX)
PUT(many_sunk, "counters", SINKS, uint64_t, 1000000)
PUT(many_clamped, "counters", CLAMPED, uint64_t, 1000000)
PUT(no_ids, "particles", 0, int64_t, -5)
PUT(few_emitted, "sources", TURNS + 80, uint64_t, 0)
PUT(no_turns, "sources", TURNS + 88, uint64_t, 0)
PUT(many_turns, "sources", TURNS + 88, uint64_t, (uint64_t)1 << 60)
PUT(many_emitted, "sources", TURNS + 80, uint64_t, (uint64_t)1 << 60)
PUT(no_fill, "sources", TURNS, uint64_t, 0)
PUT(fill_not_done, "sources", TURNS + 8, uint64_t, 0)
PUT(no_room, "sources", ROOM, double, 0.0)
PUT(much_room, "sources", ROOM, double, 1.5)
PUT(later_version, "counters", -4, uint32_t, 2)
PUT(no_version, "wet", -4, uint32_t, 0)

static void few_turns(forgery *f)
{
	few_emitted(f);
	no_turns(f);
}

static void fill_again(forgery *f)
{
	no_fill(f);
	fill_not_done(f);
}

static void another_time(forgery *f)
{
	f->def.time = 1e6;
}

static void another_origin(forgery *f)
{
	f->def.origin[1] = 5.0;
}

static void no_place(forgery *f)
{
	((float *)channel_of(f, "position"))[40] = NAN;
}

static void another_fluid(forgery *f)
{
	((int32_t *)channel_of(f, "fluid"))[10] = 77;
}

static void another_id(forgery *f)
{
	((int64_t *)channel_of(f, "id"))[10] = INT64_MAX;
}

static void no_pressure(forgery *f)
{
	uint32_t n = 0;
	while (strcmp(f->channels[n].name, "pressure") != 0)
		n++;
	f->channels[n] = f->channels[--f->def.channel_count];
}

// As before pressure was a field of its own: it was in the w of positions.
static void pressure_in_position(forgery *f)
{
	no_pressure(f);
	uint32_t n = 0;
	while (strcmp(f->channels[n].name, "position") != 0)
		n++;
	f->channels[n].type = SPATE_VEC4;
	f->channels[n].data = f->owned[f->owned_count++] = calloc((size_t)f->def.count, 4 * sizeof(float));
}

static spate_frame_blob_def *entry_of(forgery *f, const char *name)
{
	for (uint32_t n = 0; n < f->def.blob_count; n++)
		if (strcmp(f->blobs[n].name, name) == 0)
			return &f->blobs[n];
	fail_msg("there is no blob %s", name);
	return NULL;
}

static void short_counters(forgery *f)
{
	assert_int_equal(entry_of(f, "state/counters")->bytes, 4 + COUNTERS);
	entry_of(f, "state/counters")->bytes = 16;
}

static void long_sources(forgery *f)
{
	// the last byte of the copy is a spare one
	entry_of(f, "state/sources")->bytes++;
}

static void without_probes(forgery *f)
{
	*entry_of(f, "state/probes") = f->blobs[--f->def.blob_count];
}

static void with_spray(forgery *f)
{
	f->blobs[f->def.blob_count++] = (spate_frame_blob_def){"state/spray", "\1\0\0\0", 4};
}

// What a checkpoint held before there were sections.
static void of_another_time(forgery *f)
{
	entry_of(f, "state/counters")->name = "counters";
}

static void impossible_numbers(void **state)
{
	fixture *f = *state;
	refused(f, "elapsed", much_time, "not those of the end of its frame");
	refused(f, "elapsed not a number", no_time, "not those of the end of its frame");
	refused(f, "frame", another_frame, "not those of the end of its frame");
	refused(f, "frame_step", within_a_frame, "not those of the end of its frame");
	refused(f, "time", another_time, "not those of the end of its frame");
	refused(f, "origin", another_origin, "its origin is not that of the scene");
	refused(f, "last_dt", endless_step, "its last step is impossible");
	refused(f, "last_dt below zero", negative_step, "its last step is impossible");
	refused(f, "speed_max", infinite_speed, "its highest speed is impossible");
	refused(f, "bulk_speed", negative_bulk, "its highest speed is impossible");
	refused(f, "depth", no_depth, "its depth of the liquid is impossible");
	refused(f, "removed", many_removed, "more particles than ever came");
	refused(f, "sinks", many_sunk, "more particles than ever came");
	refused(f, "clamped", many_clamped, "slowed down more particles");
	refused(f, "next_id", no_ids, "more particles than ever came");
	refused(f, "size of counters", short_counters, "its section 'counters' is too short");
}

static void impossible_sections(void **state)
{
	fixture *f = *state;
	refused(f, "a later version", later_version,
		"its section 'counters' has version 2, and this version of Spate "
		"reads those up to 1");
	refused(f, "no version", no_version, "its section 'wet' has version 0");
	refused(f, "a byte too many", long_sources, "its section 'sources' is too long");
	refused(f, "a section too few", without_probes, "it has no section 'probes'");
	refused(f, "a section too many", with_spray,
		"it has a section 'spray', which this version of Spate does not know");
	refused(f, "raw counters", of_another_time, "its 'counters' is no section of a state");
}

static void impossible_sources(void **state)
{
	fixture *f = *state;
	refused(f, "too few turns", few_turns, "source 2 cannot have given 0 particles in 0 turns by 0.125 s");
	refused(f, "too many turns", many_turns, "source 2 cannot have given");
	refused(f, "too many particles", many_emitted, "source 2 cannot have given");
	refused(f, "no room", no_room, "a particle cannot have 0 of its volume");
	refused(f, "too much room", much_room, "a particle cannot have 1.5 of its volume");
	refused(f, "a fill that begins again", fill_again, "source 0 cannot have given 0 particles in 0 turns");
}

static void impossible_particles(void **state)
{
	fixture *f = *state;
	refused(f, "position", no_place, "is beyond its limits");
	refused(f, "pressure", no_pressure, "it has no field 'pressure': it is of another scene or of another version");
	refused(f, "old pressure", pressure_in_position,
		"its field 'position' of type vec4 is unknown here: it is of another scene or of another version");
	refused(f, "fluid", another_fluid, "is of fluid 77, which the scene does not have");
	refused(f, "id", another_id, "has an id, 9223372036854775807, that no particle has yet");
}

// --------------------------------------------------------------------------------------------------- what is not forged

static int warnings_of_kernels;

static void count_kernels(void *context, spate_log_level level, const char *text)
{
	(void)context;
	warnings_of_kernels += level == SPATE_LOG_WARNING && strstr(text, "made with other kernels") != NULL;
}

static void go_on(fixture *f)
{
	spate_run_def def = run_def(&f->scene, f->directory);
	def.resume = 1;
	run_well(&def);
	// back to where it was
	assert_int_equal(unlink(run_checkpoint_path(f->directory, 5).text), 0);
	put_back(f);
}

static void other_kernels(forgery *f)
{
	static const char fused[] = "\1\0\0\0\5fused", portable[] = "\1\0\0\0\10portable";
	*entry_of(f, "state/kernels") = simd_level_detect() == SIMD_PORTABLE
					    ? (spate_frame_blob_def){"state/kernels", fused, sizeof fused - 1}
					    : (spate_frame_blob_def){"state/kernels", portable, sizeof portable - 1};
}

// Another machine's kernels are told.
static void other_machines(void **state)
{
	fixture *f = *state;
	spate_log_set_handler(count_kernels, NULL);
	warnings_of_kernels = 0;
	go_on(f);
	assert_int_equal(warnings_of_kernels, 0);
	forgery other;
	forgery_read(&other, f->checkpoint);
	other_kernels(&other);
	forgery_write(&other, f->checkpoint);
	go_on(f);
	assert_int_equal(warnings_of_kernels, 1);
	spate_log_set_handler(NULL, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(impossible_numbers), cmocka_unit_test(impossible_sections),
	    cmocka_unit_test(impossible_sources), cmocka_unit_test(impossible_particles),
	    cmocka_unit_test(other_machines),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
