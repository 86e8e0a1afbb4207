// The reader of docs/format.md gets the same values as were written: the format is what its page says.
#define _GNU_SOURCE
#include "base/file.h"
#include "base/memory.h"
#include "scratch.h"
#include "spate/frame.h"

#include <inttypes.h>

enum
{
	ROWS = 16384 * 2 + 100 // two whole chunks and a part
};

static int64_t ids[ROWS];
static float positions[ROWS][4], densities[ROWS];
static int32_t fluids[ROWS];

static void print_expected(FILE *out, const spate_frame_def *def)
{
	fprintf(out, "%d %" PRId64 " %.17g %.17g %.17g %.17g %" PRIu64 "\n", (int)def->kind, def->frame, def->time,
		def->origin[0], def->origin[1], def->origin[2], def->count);
	fprintf(out, "id %d\n", ROWS);
	for (int i = 0; i < ROWS; i++)
		fprintf(out, "%" PRId64 "\n", ids[i]);
	fprintf(out, "position %d\n", ROWS);
	for (int i = 0; i < ROWS; i++)
		fprintf(out, "%.9g %.9g %.9g\n", (double)positions[i][0], (double)positions[i][1],
			(double)positions[i][2]);
	fprintf(out, "density %d\n", ROWS);
	for (int i = 0; i < ROWS; i++)
		fprintf(out, "%.9g\n", (double)densities[i]);
	fprintf(out, "fluid %d\n", ROWS);
	for (int i = 0; i < ROWS; i++)
		fprintf(out, "%d\n", fluids[i]);
	fprintf(out, "spray/radius 0\nscene 0001ff7b7d\n");
}

static void reads_the_same_values(void **state)
{
	(void)state;
	const char *source = getenv("SPATE_SOURCE");
	if (!source)
		skip_because("$SPATE_SOURCE, the source tree, is not set, as by ctest");
	for (int i = 0; i < ROWS; i++)
	{
		ids[i] = ((int64_t)i * 7919 % ROWS) << (i % 3 * 16);
		for (int c = 0; c < 4; c++)
			positions[i][c] = sinf((float)(i * 4 + c) * 0.01f) * 3.0f;
		densities[i] = 1000.0f + cosf((float)i);
		fluids[i] = i % 3 - 1;
	}
	const spate_frame_channel_def channels[] = {
	    {.name = "id", .type = SPATE_INT64, .data = ids, .count = ROWS},
	    {.name = "position", .type = SPATE_VEC3, .data = positions, .stride = 16, .count = ROWS},
	    {.name = "density", .type = SPATE_FLOAT, .data = densities, .count = ROWS},
	    {.name = "fluid", .type = SPATE_INT32, .data = fluids, .count = ROWS},
	    {.name = "spray/radius", .type = SPATE_FLOAT},
	};
	const spate_frame_blob_def blob = {.name = "scene", .data = "\x00\x01\xff{}", .bytes = 5};
	spate_frame_def def = spate_default_frame_def();
	def.frame = 12;
	def.time = 0.1;
	def.origin[1] = 500.25;
	def.count = ROWS;
	def.channels = channels;
	def.channel_count = 5;
	def.blobs = &blob;
	def.blob_count = 1;

	scratch s = scratch_make();
	spate_error error = {0};
	if (spate_frame_write(scratch_file(&s, "a.spate"), &def, &error) != SPATE_OK)
		fail_msg("%s", error.text);
	FILE *out = fopen(scratch_file(&s, "expected"), "w");
	print_expected(out, &def);
	fclose(out);
	char command[8192];
	snprintf(command, sizeof command,
		 "cd '%s' && /usr/bin/python3 -B '%s/tests/cache/check_read_frame.py' a.spate >read && "
		 "cmp read expected",
		 s.path, source);
	int status = system(command);
	if (status != 0)
		fail_msg("the Python reader saw other values (status %d)", status);
	scratch_remove(&s);
}

static char *read_source(const char *source, const char *name)
{
	char path[4096], *text;
	size_t bytes;
	spate_error error = {0};
	snprintf(path, sizeof path, "%s/%s", source, name);
	if (file_read(path, &text, &bytes, &error) != SPATE_OK)
		fail_msg("%s", error.text);
	return text;
}

static void page_quotes_the_reader(void **state)
{
	(void)state;
	const char *source = getenv("SPATE_SOURCE");
	if (!source)
		skip_because("$SPATE_SOURCE, the source tree, is not set, as by ctest");
	char *page = read_source(source, "docs/format.md"), *reader = read_source(source, "tools/read_frame.py");
	if (!strstr(page, reader))
		fail_msg("docs/format.md does not quote tools/read_frame.py as it is");
	mem_free(page);
	mem_free(reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(reads_the_same_values),
	    cmocka_unit_test(page_quotes_the_reader),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
