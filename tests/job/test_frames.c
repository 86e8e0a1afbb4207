// Lists of frames: what they select, exactly, and what is wrong with those that select nothing.
#define _GNU_SOURCE
#include "job/frames.h"
#include "job/job.h"
#include "job/view.h"

// The numbers as "1 3 5".
static const char *text_of(const run_numbers *numbers)
{
	static char text[1024];
	size_t used = 0;
	text[0] = '\0';
	for (size_t i = 0; i < numbers->count && used < sizeof text - 24; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%lld", i ? " " : "",
					 (long long)numbers->data[i]);
	return text;
}

// The numbers of a list for a run with the frames from `begin` to `end`.
static const char *numbers_of(const char *list, int64_t begin, int64_t end, int64_t *asked)
{
	frame_list parsed = {0};
	run_numbers numbers = {0};
	check_ok(frame_list_parse(&parsed, list, NULL));
	check_ok(frame_list_numbers(&parsed, begin, end, &numbers, asked, NULL));
	const char *text = text_of(&numbers);
	array_free(&parsed);
	array_free(&numbers);
	return text;
}

static void test_lists(void **state)
{
	(void)state;
	static const struct
	{
		const char *list, *numbers;
		int64_t asked;
	} rows[] = {
	    {"7", "7", 7},
	    {"1-4", "1 2 3 4", 4},
	    {"18-", "18 19 20", 20},
	    {"-3", "1 2 3", 3},
	    {"1-10x2", "1 3 5 7 9", 9},
	    {"1-10:2", "1 3 5 7 9", 9},
	    {"15-x2", "15 17 19", 19},
	    {"-6x3", "1 4", 4},
	    {"1-3,5,7-20:2", "1 2 3 5 7 9 11 13 15 17 19", 19},
	    {"1-10x2,3", "1 3 5 7 9", 9},
	    {"9,3-5,4-6", "3 4 5 6 9", 9},
	    {" 3 , 1-2 ", "1 2 3", 3},
	    {"19-24", "19 20", 24},
	    {"18-24x3", "18", 24},
	    {"1-24x23", "1", 24},
	    {"20-20x5", "20", 20},
	    {"30-40", "", 40},
	    {"30-", "", 30},
	    {"0-2", "0 1 2", 2},
	    {"1-999999999x19", "1 20", 999999983},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
	{
		int64_t asked = 0;
		const char *numbers = numbers_of(rows[i].list, 1, 20, &asked);
		if (strcmp(numbers, rows[i].numbers) != 0 || asked != rows[i].asked)
			fail_msg("'%s' is '%s' up to %lld; expected '%s' up to %lld", rows[i].list, numbers,
				 (long long)asked, rows[i].numbers, (long long)rows[i].asked);
	}
	// open ends are those of the run
	int64_t asked;
	assert_string_equal(numbers_of("-12", 9, 20, &asked), "9 10 11 12");
	assert_string_equal(numbers_of("-12x2", 9, 20, &asked), "9 11");
}

static void test_mistakes(void **state)
{
	(void)state;
	static const char pattern[] = "is not a number, or a range such as 10-20, 10-, -20 or 10-20x2";
	static const struct
	{
		const char *list, *text;
	} rows[] = {
	    {"", "`frames`: '' has an empty part"},
	    {"1,,3", "`frames`: '1,,3' has an empty part"},
	    {"1-3,", "`frames`: '1-3,' has an empty part"},
	    {"7-20:0", "`frames`: '7-20:0' has a step of 0"},
	    {"1,7-20x0", "`frames`: '7-20x0' has a step of 0"},
	    {"5-3", "`frames`: '5-3' ends before it begins"},
	    {"5x2", "`frames`: '5x2' has a step, but no range such as 5-15"},
	    {"1-1000000000", "`frames`: '1-1000000000' has a number above 999999999"},
	    {"99999999999999999999", "`frames`: '99999999999999999999' has a number above 999999999"},
	    {"ten", "`frames`: 'ten' "},
	    {"-", "`frames`: '-' "},
	    {"--3", "`frames`: '--3' "},
	    {"1-10x", "`frames`: '1-10x' "},
	    {"1-10x-2", "`frames`: '1-10x-2' "},
	    {"1-10x2:2", "`frames`: '1-10x2:2' "},
	    {"1.5", "`frames`: '1.5' "},
	    {"1-2-3", "`frames`: '1-2-3' "},
	    {"1 2", "`frames`: '1 2' "},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
	{
		spate_error error = {0};
		spate_job_frames frames = {.list = rows[i].list};
		char expected[160];
		size_t length = strlen(rows[i].text);
		snprintf(expected, sizeof expected, "%s%s", rows[i].text,
			 rows[i].text[length - 1] == ' ' ? pattern : "");
		assert_int_equal(spate_job_frames_check(&frames, &error), SPATE_INVALID);
		assert_string_equal(error.text, expected);
	}
	static const struct
	{
		uint32_t shard, shards;
		const char *text;
	} shards[] = {
	    {0, 3, "`shard`: 0 of 3 does not exist; shards count from 1 to 3"},
	    {4, 3, "`shard`: 4 of 3 does not exist; shards count from 1 to 3"},
	    {1, 0, "`shard`: there can be 1 to 100000 shards, not 0"},
	    {1, 100001, "`shard`: there can be 1 to 100000 shards, not 100001"},
	};
	for (size_t i = 0; i < sizeof shards / sizeof *shards; i++)
	{
		spate_error error = {0};
		spate_job_frames frames = {.shard = shards[i].shard, .shards = shards[i].shards};
		assert_int_equal(spate_job_frames_check(&frames, &error), SPATE_INVALID);
		assert_string_equal(error.text, shards[i].text);
	}
	check_ok(spate_job_frames_check(&(spate_job_frames){.list = "1-3", .shard = 2, .shards = 2}, NULL));
	check_ok(spate_job_frames_check(&(spate_job_frames){0}, NULL));
	// a list that would fill the memory
	frame_list list = {0};
	run_numbers numbers = {0};
	int64_t asked;
	spate_error error = {0};
	check_ok(frame_list_parse(&list, "0-", NULL));
	assert_int_equal(frame_list_numbers(&list, 0, 999999999, &numbers, &asked, &error), SPATE_INVALID);
	assert_string_equal(error.text, "`frames`: the list has more than 10000000 frames");
	array_free(&list);
	array_free(&numbers);
}

// ---------------------------------------------------------------------------------------------------------- a run's frames

// Frames 1 to 12 without 7.
static void list_run(run_numbers *frames)
{
	frames->count = 0;
	for (int64_t number = 1; number <= 12; number++)
		if (number != 7)
			assert_true(array_push(frames, number));
}

static void test_selection(void **state)
{
	(void)state;
	listener l = {0};
	spate_job job = listener_job(&l);
	run_numbers frames = {0}, missing = {0};

	list_run(&frames);
	check_ok(job_select_frames(&job, &frames, &missing, &(spate_job_frames){0}, "run", NULL));
	assert_string_equal(text_of(&frames), "1 2 3 4 5 6 8 9 10 11 12");
	assert_string_equal(text_of(&missing), "7");

	list_run(&frames);
	check_ok(job_select_frames(&job, &frames, &missing, &(spate_job_frames){.list = "6-10x2"}, "run", NULL));
	assert_string_equal(text_of(&frames), "6 8 10");
	assert_string_equal(text_of(&missing), "");
	assert_string_equal(l.warnings, "");

	// clamped at the end, with one warning
	list_run(&frames);
	check_ok(job_select_frames(&job, &frames, &missing, &(spate_job_frames){.list = "6-8,11-30x4"}, "run", NULL));
	assert_string_equal(text_of(&frames), "6 8 11");
	assert_string_equal(text_of(&missing), "7");
	assert_string_equal(l.warnings, "`frames` goes up to 27, but the last frame is 12\n");

	list_run(&frames);
	check_refused(job_select_frames(&job, &frames, &missing, &(spate_job_frames){.list = "13-30"}, "run", &error),
		      SPATE_MISSING, "run has frames 1-6, 8-12, but none of 13-30");
	list_run(&frames);
	check_refused(job_select_frames(&job, &frames, &missing, &(spate_job_frames){.list = "7"}, "run", &error),
		      SPATE_MISSING, "run has frames 1-6, 8-12, but none of 7");
	frames.count = 0;
	check_refused(job_select_frames(&job, &frames, &missing, &(spate_job_frames){0}, "run", &error), SPATE_MISSING,
		      "run has no frames");
	array_free(&frames);
	array_free(&missing);
}

// For any number of shards, each frame and each missing frame is in exactly one of them.
static void test_shards(void **state)
{
	(void)state;
	static const char *const lists[] = {NULL, "1-12", "2-9x3,1", "7-40"};
	for (uint32_t shards = 1; shards <= 14; shards++)
		for (size_t n = 0; n < sizeof lists / sizeof *lists; n++)
		{
			run_numbers all = {0}, missing = {0}, part = {0}, gone = {0};
			int seen[13] = {0}, absent[13] = {0};
			listener l = {0};
			spate_job job = listener_job(&l);
			size_t idle = 0;
			list_run(&all);
			check_ok(job_select_frames(&job, &all, &missing, &(spate_job_frames){.list = lists[n]}, "run",
						   NULL));
			for (uint32_t shard = 1; shard <= shards; shard++)
			{
				spate_job_frames chosen = {lists[n], shard, shards};
				list_run(&part);
				spate_result result = job_select_frames(&job, &part, &gone, &chosen, "run", NULL);
				// a shard that has nothing but missing frames fails
				assert_int_equal(result, part.count == 0 && gone.count > 0 ? SPATE_MISSING : SPATE_OK);
				idle += part.count == 0 && gone.count == 0;
				for (size_t i = 0; i < part.count; i++)
					seen[part.data[i]]++;
				for (size_t i = 0; i < gone.count; i++)
					absent[gone.data[i]]++;
			}
			size_t frames = all.count + missing.count;
			assert_int_equal(idle, shards > frames ? shards - frames : 0);
			for (size_t i = 0; i < all.count; i++)
				assert_int_equal(seen[all.data[i]]--, 1);
			for (size_t i = 0; i < missing.count; i++)
				assert_int_equal(absent[missing.data[i]]--, 1);
			for (int number = 0; number <= 12; number++)
				assert_true(seen[number] == 0 && absent[number] == 0);
			array_free(&all);
			array_free(&missing);
			array_free(&part);
			array_free(&gone);
		}
	// frames that appear at the end of a run do not move the others to other shards
	for (int64_t end = 5; end <= 12; end++)
	{
		run_numbers frames = {0}, missing = {0};
		for (int64_t number = 1; number <= end; number++)
			assert_true(array_push(&frames, number));
		check_ok(job_select_frames(&(spate_job){0}, &frames, &missing, &(spate_job_frames){NULL, 2, 4}, "run",
					   NULL));
		assert_string_equal(text_of(&frames), end < 6 ? "2" : end < 10 ? "2 6" : "2 6 10");
		array_free(&frames);
		array_free(&missing);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lists),
	    cmocka_unit_test(test_mistakes),
	    cmocka_unit_test(test_selection),
	    cmocka_unit_test(test_shards),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
