// Frames come back as they were written, and nothing that was changed in the file goes unnoticed.
#define _GNU_SOURCE
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "cache/format.h"
#include "scratch.h"
#include "spate/frame.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static void write_frame(const char *path, const spate_frame_def *def)
{
	spate_error error = {0};
	if (spate_frame_write(path, def, &error) != SPATE_OK)
		fail_msg("%s", error.text);
}

static spate_frame *open_frame(const char *path)
{
	spate_frame *frame;
	spate_error error = {0};
	if (spate_frame_open(path, &frame, &error) != SPATE_OK)
		fail_msg("%s", error.text);
	return frame;
}

// Bits of any kind, NaN and infinities among them, from a fixed sequence.
static void fill(void *data, size_t bytes, uint64_t seed)
{
	for (size_t i = 0; i < bytes; i++)
		((uint8_t *)data)[i] = (uint8_t)hash_bytes(&i, sizeof i, seed);
}

static void checksum_is_xxh64(void **state)
{
	(void)state;
	assert_int_equal(hash_bytes("", 0, 0), 0xef46db3751d8e999u);
	assert_int_equal(hash_bytes("abc", 3, 0), 0x44bc2cf5ad770999u);
	assert_int_equal(hash_bytes("Nobody inspects the spammish repetition", 39, 0), 0xfbcea83c8a378bf1u);
}

// Every type, packed and with gaps between the rows, for row counts around the size of a chunk.
static void all_types_and_strides(void **state)
{
	(void)state;
	scratch s = scratch_make();
	const char *path = scratch_file(&s, "a.spate");
	const uint64_t counts[] = {
	    0, 1, 7, FORMAT_CHUNK_ROWS - 1, FORMAT_CHUNK_ROWS, FORMAT_CHUNK_ROWS + 1, 3 * FORMAT_CHUNK_ROWS + 5};
	for (size_t n = 0; n < sizeof counts / sizeof *counts; n++)
		for (size_t gap = 0; gap <= 5; gap += 5)
		{
			size_t count = (size_t)counts[n];
			spate_frame_channel_def channels[SPATE_TYPE_COUNT];
			char *data[SPATE_TYPE_COUNT];
			for (int t = 0; t < SPATE_TYPE_COUNT; t++)
			{
				size_t stride = spate_type_size((spate_type)t) + gap;
				data[t] = mem_alloc(count * stride + 1);
				fill(data[t], count * stride, (uint64_t)t);
				channels[t] = (spate_frame_channel_def){.name = spate_type_name((spate_type)t),
									.type = (spate_type)t,
									.data = data[t],
									.stride = gap ? stride : 0,
									.count = count};
			}
			spate_frame_def def = spate_default_frame_def();
			def.count = count;
			def.channels = channels;
			def.channel_count = SPATE_TYPE_COUNT;
			write_frame(path, &def);

			spate_frame *frame = open_frame(path);
			spate_error error;
			check_ok(spate_frame_verify(frame, &error));
			assert_int_equal(spate_frame_count(frame), count);
			for (int t = 0; t < SPATE_TYPE_COUNT; t++)
			{
				size_t size = spate_type_size((spate_type)t), stride = size + gap;
				spate_type type = SPATE_TYPE_COUNT;
				const void *values;
				check_ok(spate_frame_channel(frame, channels[t].name, &type, &values, &error));
				assert_int_equal(type, t);
				char *copy = mem_alloc(count * stride + 1);
				memset(copy, 0x5a, count * stride + 1);
				check_ok(spate_frame_copy(frame, channels[t].name, type, copy, stride, &error));
				for (size_t i = 0; i < count; i++)
				{
					const char *expected = data[t] + i * stride;
					assert_memory_equal((const char *)values + i * size, expected, size);
					assert_memory_equal(copy + i * stride, expected, size);
					for (size_t g = size; g < stride; g++)
						assert_int_equal(copy[i * stride + g], 0x5a);
				}
				mem_free(copy);
				mem_free(data[t]);
			}
			spate_frame_close(frame);
		}
	scratch_remove(&s);
}

// A small file with everything in it, for looking at and for damaging.
static void write_small(const char *path)
{
	static const int64_t ids[] = {5, 6, 1000000007, -1};
	static const float positions[][4] = {{1, 2, 3, 9}, {1.5f, 2, 3, 9}, {-1, 0, 1e-30f, 9}, {4, 5, 6, 9}};
	static const float radii[] = {0.5f, 0.25f};
	const spate_frame_channel_def channels[] = {
	    {.name = "id", .type = SPATE_INT64, .data = ids, .count = 4},
	    {.name = "position", .type = SPATE_VEC3, .data = positions, .stride = 16, .count = 4},
	    {.name = "spray/radius", .type = SPATE_FLOAT, .data = radii, .count = 2},
	};
	const spate_frame_blob_def blobs[] = {
	    {.name = "world", .data = "\x01\x02\x03", .bytes = 3},
	    {.name = "empty"},
	    {.name = "id", .data = "{\"scene\":\"dam\"}", .bytes = 15},
	};
	spate_frame_def def = {.kind = SPATE_FRAME_CHECKPOINT,
			       .frame = 12,
			       .time = 0.5,
			       .origin = {1, -2, 500.125},
			       .count = 4,
			       .channels = channels,
			       .channel_count = 3,
			       .blobs = blobs,
			       .blob_count = 3};
	write_frame(path, &def);
}

// The same in memory as well, to be given to mem_free().
static char *small_bytes(const char *path, size_t *count)
{
	write_small(path);
	char *bytes = NULL;
	check_ok(file_read(path, &bytes, count, NULL));
	return bytes;
}

static void header_and_blobs(void **state)
{
	(void)state;
	scratch s = scratch_make();
	const char *path = scratch_file(&s, "a.spate");
	write_small(path);
	spate_frame *frame = open_frame(path);
	assert_int_equal(spate_frame_get_kind(frame), SPATE_FRAME_CHECKPOINT);
	assert_int_equal(spate_frame_number(frame), 12);
	check_near(spate_frame_time(frame), 0.5, 0);
	double origin[3];
	spate_frame_origin(frame, origin);
	check_near(origin[1], -2, 0);
	check_near(origin[2], 500.125, 0);
	assert_int_equal(spate_frame_count(frame), 4);
	assert_int_equal(spate_frame_population(frame, "spray"), 2);
	assert_int_equal(spate_frame_population(frame, "spra"), 0);
	assert_int_equal(spate_frame_channel_count(frame), 3);
	assert_int_equal(spate_frame_blob_count(frame), 3);
	spate_frame_entry entry;
	check_ok(spate_frame_channel_at(frame, 1, &entry));
	assert_string_equal(entry.name, "position");
	assert_int_equal(entry.type, SPATE_VEC3);
	check_ok(spate_frame_blob_at(frame, 2, &entry));
	assert_string_equal(entry.name, "id");
	assert_int_equal(entry.count, 15);
	assert_int_equal(spate_frame_channel_at(frame, 3, &entry), SPATE_MISSING);
	assert_int_equal(spate_frame_blob_at(frame, 3, &entry), SPATE_MISSING);

	spate_error error;
	const void *data;
	size_t bytes;
	check_ok(spate_frame_blob(frame, "id", &data, &bytes, &error));
	assert_int_equal(bytes, 15);
	assert_memory_equal(data, "{\"scene\":\"dam\"}", 15);
	check_ok(spate_frame_blob(frame, "empty", &data, &bytes, &error));
	assert_int_equal(bytes, 0);
	check_result(spate_frame_blob(frame, "position", &data, &bytes, &error), SPATE_MISSING);
	check_result(spate_frame_channel(frame, "world", NULL, &data, &error), SPATE_MISSING);
	float wrong[16];
	check_result(spate_frame_copy(frame, "position", SPATE_VEC4, wrong, 0, &error), SPATE_FORMAT);
	assert_non_null(strstr(error.text, "channel position is of type vec3, not vec4"));
	spate_frame_close(frame);
	scratch_remove(&s);
}

static void same_bytes_on_any_number_of_threads(void **state)
{
	(void)state;
	enum
	{
		COUNT = 5 * FORMAT_CHUNK_ROWS + 3
	};
	scratch s = scratch_make();
	const char *path = scratch_file(&s, "a.spate");
	float *values = mem_alloc(COUNT * 16);
	for (int i = 0; i < COUNT * 4; i++)
		values[i] = sinf((float)i * 0.001f);
	spate_frame_channel_def channel = {
	    .name = "position", .type = SPATE_VEC3, .data = values, .stride = 16, .count = COUNT};
	spate_frame_def def = spate_default_frame_def();
	def.count = COUNT;
	def.channels = &channel;
	def.channel_count = 1;
	char *first = NULL, *again;
	size_t first_bytes = 0, bytes;
	spate_error error;
	for (def.threads = 1; def.threads <= 5; def.threads++)
	{
		write_frame(path, &def);
		check_ok(file_read(path, &again, &bytes, &error));
		if (!first)
		{
			first = again;
			first_bytes = bytes;
			continue;
		}
		assert_int_equal(bytes, first_bytes);
		assert_memory_equal(again, first, bytes);
		mem_free(again);
	}
	assert_true(first_bytes < COUNT * 12);
	mem_free(first);
	mem_free(values);
	scratch_remove(&s);
}

// What a reader makes of these bytes, looking at everything.
static spate_result judge(const char *path, const char *bytes, size_t count, spate_error *error)
{
	FILE *file = fopen(path, "wb");
	assert_int_equal(fwrite(bytes, 1, count, file), count);
	fclose(file);
	spate_frame *frame;
	spate_result result = spate_frame_open(path, &frame, error);
	if (result == SPATE_OK)
		result = spate_frame_verify(frame, error);
	spate_frame_close(frame);
	return result;
}

static void every_flipped_bit_is_noticed(void **state)
{
	(void)state;
	scratch s = scratch_make();
	const char *other = scratch_file(&s, "b.spate");
	size_t count;
	char *bytes = small_bytes(scratch_file(&s, "a.spate"), &count);
	spate_error error;
	check_ok(judge(other, bytes, count, &error));
	uint64_t blocks = mem_get_stats().blocks;
	for (size_t i = 0; i < count; i++)
		for (int bit = 0; bit < 8; bit++)
		{
			bytes[i] = (char)(bytes[i] ^ 1 << bit);
			spate_result result = judge(other, bytes, count, &error);
			if (result != SPATE_FORMAT)
				fail_msg("bit %d of byte %zu flipped gave %s", bit, i, spate_result_name(result));
			bytes[i] = (char)(bytes[i] ^ 1 << bit);
		}
	assert_int_equal(mem_get_stats().blocks, blocks);
	mem_free(bytes);
	scratch_remove(&s);
}

static void every_truncation_is_noticed(void **state)
{
	(void)state;
	scratch s = scratch_make();
	const char *other = scratch_file(&s, "b.spate");
	size_t count;
	char *bytes = small_bytes(scratch_file(&s, "a.spate"), &count);
	spate_error error;
	for (size_t length = 0; length < count; length++)
		check_result(judge(other, bytes, length, &error), SPATE_FORMAT);
	// the zero byte behind the file: longer is as wrong as shorter
	check_result(judge(other, bytes, count + 1, &error), SPATE_FORMAT);
	assert_non_null(strstr(error.text, "bytes instead of"));
	mem_free(bytes);
	scratch_remove(&s);
}

// Makes the checksums right again, so that only the sizes themselves can be found out.
static void seal(char *bytes)
{
	uint32_t channels, blobs;
	format_get(bytes, HEADER_CHANNELS, &channels);
	format_get(bytes, HEADER_BLOBS, &blobs);
	if (channels + blobs <= 6)
		format_put(bytes, HEADER_TABLE_CHECKSUM, uint64_t,
			   hash_bytes(bytes + FORMAT_HEADER, (channels + blobs) * FORMAT_ENTRY, 0));
	format_put(bytes, HEADER_CHECKSUM, uint64_t, hash_bytes(bytes, HEADER_CHECKSUM, 0));
}

// Lies with right checksums: huge and small sizes in every field of header and table.
static void hostile_sizes_are_refused(void **state)
{
	(void)state;
	scratch s = scratch_make();
	const char *other = scratch_file(&s, "b.spate");
	size_t count;
	char *bytes = small_bytes(scratch_file(&s, "a.spate"), &count);
	spate_error error;
	char *lie = mem_alloc(count);
	const uint64_t values[] = {0,
				   1,
				   3,
				   5,
				   1000,
				   UINT32_MAX,
				   (uint64_t)1 << 32,
				   (uint64_t)1 << 40,
				   INT64_MAX,
				   UINT64_MAX,
				   UINT64_MAX / 12 + 1,
				   UINT64_MAX / 8 + 1,
				   UINT64_MAX - 100};
	const int header_fields[] = {HEADER_FILE_SIZE, HEADER_COUNT, HEADER_CHANNELS};
	const int entry_fields[] = {ENTRY_TYPE, ENTRY_ROWS, ENTRY_OFFSET, ENTRY_STORED, ENTRY_RAW};
	uint64_t peak = mem_get_stats().bytes;
	for (size_t v = 0; v < sizeof values / sizeof *values; v++)
	{
		for (size_t f = 0; f < 3; f++)
		{
			memcpy(lie, bytes, count);
			format_put(lie, header_fields[f], uint64_t, values[v]);
			seal(lie);
			if (memcmp(lie, bytes, count) != 0)
				check_result(judge(other, lie, count, &error), SPATE_FORMAT);
		}
		for (int entry = 0; entry < 6; entry++)
			for (size_t f = 0; f < 5; f++)
			{
				memcpy(lie, bytes, count);
				int field = FORMAT_HEADER + entry * FORMAT_ENTRY + entry_fields[f];
				format_put(lie, field, uint64_t, values[v]);
				seal(lie);
				if (memcmp(lie, bytes, count) != 0)
					check_result(judge(other, lie, count, &error), SPATE_FORMAT);
			}
	}
	// rows, raw bytes and the frame's count all telling the same lie: still more chunks than fit into the file
	memcpy(lie, bytes, count);
	uint64_t many = (uint64_t)1 << 40;
	format_put(lie, HEADER_COUNT, uint64_t, many);
	format_put(lie, FORMAT_HEADER + ENTRY_ROWS, uint64_t, many);
	format_put(lie, FORMAT_HEADER + ENTRY_RAW, uint64_t, many * 8);
	format_put(lie, FORMAT_HEADER + FORMAT_ENTRY + ENTRY_ROWS, uint64_t, many);
	format_put(lie, FORMAT_HEADER + FORMAT_ENTRY + ENTRY_RAW, uint64_t, many * 12);
	seal(lie);
	check_result(judge(other, lie, count, &error), SPATE_FORMAT);
	assert_non_null(strstr(error.text, "the sizes of id are invalid"));
	if (mem_get_stats().peak > peak + (1 << 20))
		fail_msg("a small file made the reader allocate %llu bytes", (unsigned long long)mem_get_stats().peak);
	mem_free(lie);
	mem_free(bytes);
	scratch_remove(&s);
}

// Blocks of noise with right checksums: the unpacking itself has to cope.
static void hostile_chunks_are_refused(void **state)
{
	(void)state;
	scratch s = scratch_make();
	const char *other = scratch_file(&s, "b.spate");
	size_t count;
	char *bytes = small_bytes(scratch_file(&s, "a.spate"), &count);
	spate_error error;
	char *entry = bytes + FORMAT_HEADER + FORMAT_ENTRY;
	uint64_t offset, stored;
	format_get(entry, ENTRY_OFFSET, &offset);
	format_get(entry, ENTRY_STORED, &stored);
	for (size_t i = 0; i < stored; i++)
		for (int value = 0; value < 256; value += 3)
		{
			char keep = bytes[offset + i];
			bytes[offset + i] = (char)value;
			format_put(entry, ENTRY_CHECKSUM, uint64_t, hash_bytes(bytes + offset, (size_t)stored, 0));
			seal(bytes);
			spate_result result = judge(other, bytes, count, &error);
			if (result != SPATE_OK && result != SPATE_FORMAT)
				fail_msg("byte %zu of a chunk set to %d gave %s", i, value, spate_result_name(result));
			bytes[offset + i] = keep;
		}
	mem_free(bytes);
	scratch_remove(&s);
}

static void wrong_definitions_are_refused(void **state)
{
	(void)state;
	scratch s = scratch_make();
	const char *path = scratch_file(&s, "a.spate");
	float values[8] = {0};
	const spate_frame_channel_def good = {.name = "density", .type = SPATE_FLOAT, .data = values, .count = 8};
	spate_frame_channel_def channels[2];
	spate_frame_def def = spate_default_frame_def();
	def.count = 8;
	def.channels = channels;
	def.channel_count = 2;
	const struct
	{
		spate_frame_channel_def second;
		const char *sentence;
	} cases[] = {
	    {good, "channel density appears twice"},
	    {{.name = "a b", .type = SPATE_FLOAT, .data = values, .count = 8}, "name that cannot be stored"},
	    {{.name = "", .type = SPATE_FLOAT, .data = values, .count = 8}, "name that cannot be stored"},
	    {{.name = "a", .type = SPATE_TYPE_COUNT, .data = values, .count = 8}, "no known type"},
	    {{.name = "a", .type = SPATE_FLOAT, .count = 8}, "channel a has no data"},
	    {{.name = "a", .type = SPATE_FLOAT, .data = values, .stride = 3, .count = 8}, "3 bytes, its type needs 4"},
	    {{.name = "a", .type = SPATE_FLOAT, .data = values, .count = 7}, "7 rows, the frame has 8 particles"},
	};
	spate_error error;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
	{
		channels[0] = good;
		channels[1] = cases[i].second;
		check_result(spate_frame_write(path, &def, &error), SPATE_INVALID);
		if (!strstr(error.text, cases[i].sentence))
			fail_msg("\"%s\" does not say \"%s\"", error.text, cases[i].sentence);
	}
	channels[0] = (spate_frame_channel_def){.name = "spray/a", .type = SPATE_FLOAT, .data = values, .count = 3};
	channels[1] = (spate_frame_channel_def){.name = "spray/b", .type = SPATE_FLOAT, .data = values, .count = 4};
	check_result(spate_frame_write(path, &def, &error), SPATE_INVALID);
	def.channel_count = 1;
	check_result(spate_frame_write(path, &def, &error), SPATE_INVALID);
	assert_non_null(strstr(error.text, "8 particles need a channel"));
	def.channel_count = 0;
	def.time = (double)NAN;
	check_result(spate_frame_write(path, &def, &error), SPATE_INVALID);
	assert_int_not_equal(access(path, F_OK), 0);
	scratch_remove(&s);
}

static void full_disk_keeps_the_old_frame(void **state)
{
	(void)state;
	scratch s = scratch_make();
	const char *path = scratch_file(&s, "a.spate");
	write_small(path);
	pid_t child = fork();
	if (child == 0)
	{
		enum
		{
			COUNT = 20000
		};
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, 4096});
		char *noise = mem_alloc(COUNT * 8);
		fill(noise, COUNT * 8, 1);
		spate_frame_channel_def channel = {.name = "id", .type = SPATE_INT64, .data = noise, .count = COUNT};
		spate_frame_def def = spate_default_frame_def();
		def.count = COUNT;
		def.channels = &channel;
		def.channel_count = 1;
		def.threads = 1;
		spate_error error = {0};
		spate_result result = spate_frame_write(path, &def, &error);
		_exit(result == SPATE_IO && strstr(error.text, "a.spate: file too large") ? 0 : 1);
	}
	int status;
	waitpid(child, &status, 0);
	assert_int_equal(WEXITSTATUS(status), 0);
	spate_frame *frame = open_frame(path);
	check_ok(spate_frame_verify(frame, NULL));
	assert_int_equal(spate_frame_number(frame), 12);
	spate_frame_close(frame);
	check_no_temporaries(s.path);
	scratch_remove(&s);
}

// Fails each allocation in turn: an error every time, nothing lost, and the old file intact.
static void lack_of_memory_is_an_error(void **state)
{
	(void)state;
	scratch s = scratch_make();
	const char *path = scratch_file(&s, "a.spate");
	write_small(path);
	int64_t ids[] = {1, 2, 3};
	spate_frame_channel_def channel = {.name = "id", .type = SPATE_INT64, .data = ids, .count = 3};
	spate_frame_def def = spate_default_frame_def();
	def.count = 3;
	def.channels = &channel;
	def.channel_count = 1;
	uint64_t blocks = mem_get_stats().blocks;
	spate_result result = SPATE_MEMORY;
	for (uint64_t n = 1; result != SPATE_OK; n++)
	{
		mem_fail_at(n);
		spate_frame *frame = NULL;
		const void *data;
		result = spate_frame_open(path, &frame, NULL);
		if (result == SPATE_OK)
			result = spate_frame_channel(frame, "position", NULL, &data, NULL);
		mem_fail_at(0);
		spate_frame_close(frame);
		if (result != SPATE_OK)
			assert_int_equal(result, SPATE_MEMORY);
		assert_int_equal(mem_get_stats().blocks, blocks);
	}
	result = SPATE_MEMORY;
	for (uint64_t n = 1; result != SPATE_OK; n++)
	{
		spate_frame *frame = open_frame(path);
		assert_int_equal(spate_frame_number(frame), 12);
		spate_frame_close(frame);
		mem_fail_at(n);
		result = spate_frame_write(path, &def, NULL);
		mem_fail_at(0);
		if (result != SPATE_OK)
			assert_int_equal(result, SPATE_MEMORY);
		assert_int_equal(mem_get_stats().blocks, blocks);
	}
	scratch_remove(&s);
}

static void other_files_are_told_apart(void **state)
{
	(void)state;
	scratch s = scratch_make();
	const char *path = scratch_file(&s, "a.spate");
	spate_error error;
	spate_frame *frame;
	check_result(spate_frame_open(path, &frame, &error), SPATE_MISSING);
	check_result(spate_frame_open(s.path, &frame, &error), SPATE_IO);
	check_ok(file_write(path, "spate: 1\nname: dam_break\n", 25, &error));
	check_result(spate_frame_open(path, &frame, &error), SPATE_FORMAT);
	assert_non_null(strstr(error.text, "is not a frame file"));
	size_t count;
	char *bytes = small_bytes(path, &count);
	format_put(bytes, HEADER_VERSION, uint32_t, 2);
	check_result(judge(path, bytes, count, &error), SPATE_FORMAT);
	assert_non_null(strstr(error.text, "has format version 2"));
	mem_free(bytes);
	scratch_remove(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(hostile_sizes_are_refused), // first: it looks at the peak of memory
	    cmocka_unit_test(checksum_is_xxh64),
	    cmocka_unit_test(all_types_and_strides),
	    cmocka_unit_test(header_and_blobs),
	    cmocka_unit_test(same_bytes_on_any_number_of_threads),
	    cmocka_unit_test(every_flipped_bit_is_noticed),
	    cmocka_unit_test(every_truncation_is_noticed),
	    cmocka_unit_test(hostile_chunks_are_refused),
	    cmocka_unit_test(wrong_definitions_are_refused),
	    cmocka_unit_test(full_disk_keeps_the_old_frame),
	    cmocka_unit_test(lack_of_memory_is_an_error),
	    cmocka_unit_test(other_files_are_told_apart),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
