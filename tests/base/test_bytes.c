// Numbers as bytes: what is written is what is read, to the byte, and running out is noticed.
#include "base/bytes.h"
#include "check.h"

#include <stddef.h>

static byte_reader reader_of(const byte_writer *w)
{
	return (byte_reader){.at = w->bytes.data, .left = w->bytes.count};
}

static void numbers_are_little_endian(void **state)
{
	(void)state;
	byte_writer w = {0};
	bytes_put_u32(&w, 0x01020304u);
	bytes_put_u64(&w, 0x0102030405060708u);
	bytes_put_double(&w, -2.0);
	bytes_put_text(&w, "wet");
	bytes_put(&w, NULL, 0);
	static const uint8_t expected[] = {4, 3, 2, 1, 8, 7, 6, 5,    4, 3,   2,   1,
					   0, 0, 0, 0, 0, 0, 0, 0xc0, 3, 'w', 'e', 't'};
	assert_int_equal(w.bytes.count, sizeof expected);
	assert_memory_equal(w.bytes.data, expected, sizeof expected);
	byte_reader r = reader_of(&w);
	char text[256];
	assert_int_equal(bytes_get_u32(&r), 0x01020304u);
	assert_true(bytes_get_u64(&r) == 0x0102030405060708u);
	check_near(bytes_get_double(&r), -2, 0);
	bytes_get_text(&r, text);
	assert_string_equal(text, "wet");
	assert_int_equal(r.left, 0);
	assert_int_equal(r.ran_out, 0);
	array_free(&w.bytes);
}

static void readers_that_run_out_give_zeros(void **state)
{
	(void)state;
	const uint8_t bytes[6] = {1, 0, 0, 0, 9, 9};
	byte_reader r = {.at = bytes, .left = sizeof bytes};
	assert_int_equal(bytes_get_u32(&r), 1);
	assert_int_equal(bytes_get_u32(&r), 0);
	assert_int_equal(r.ran_out, 1);
	// nothing more comes, even if it is there
	uint8_t one = 7;
	assert_int_equal(bytes_get(&r, &one, 1), 0);
	assert_int_equal(one, 0);
	// a text whose length goes beyond the end
	char text[256] = "old";
	const uint8_t cut[3] = {200, 'a', 'b'};
	r = (byte_reader){.at = cut, .left = sizeof cut};
	bytes_get_text(&r, text);
	assert_int_equal(r.ran_out, 1);
	assert_string_equal(text, "");
}

static void texts_are_cut(void **state)
{
	(void)state;
	char text[400], back[256];
	memset(text, 'x', sizeof text);
	text[299] = 0;
	byte_writer w = {0};
	bytes_put_text(&w, text);
	bytes_put_text(&w, "");
	assert_int_equal(w.bytes.count, 257);
	byte_reader r = reader_of(&w);
	bytes_get_text(&r, back);
	assert_int_equal(strlen(back), 255);
	bytes_get_text(&r, back);
	assert_string_equal(back, "");
	assert_int_equal(r.left, 0);
	array_free(&w.bytes);
}

typedef struct sample
{
	uint32_t a;
	double b;
	float unused;
	uint64_t c[2];
} sample;

static void tables_leave_out_padding(void **state)
{
	(void)state;
	static const byte_field fields[] = {BYTE_FIELD(sample, b), BYTE_FIELD(sample, a), BYTE_FIELD(sample, c[1])};
	sample from = {1, 2.5, 3, {4, 5}}, to = {0};
	byte_writer w = {0};
	bytes_put_fields(&w, fields, 3, &from);
	assert_int_equal(w.bytes.count, 8 + 4 + 8);
	byte_reader r = reader_of(&w);
	bytes_get_fields(&r, fields, 3, &to);
	assert_true(to.a == 1 && to.b == 2.5 && to.unused == 0 && to.c[0] == 0 && to.c[1] == 5);
	assert_int_equal(r.left, 0);
	array_free(&w.bytes);
}

static void writers_remember_missing_memory(void **state)
{
	(void)state;
	byte_writer w = {0};
	bytes_put_u32(&w, 1);
	char large[4096] = {0};
	mem_fail_at(1);
	bytes_put(&w, large, sizeof large);
	mem_fail_at(0);
	assert_int_equal(w.missing, 4 + sizeof large);
	// no hole in the middle: nothing more is written
	bytes_put_u32(&w, 2);
	assert_int_equal(w.bytes.count, 4);
	array_free(&w.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(numbers_are_little_endian),
	    cmocka_unit_test(readers_that_run_out_give_zeros),
	    cmocka_unit_test(texts_are_cut),
	    cmocka_unit_test(tables_leave_out_padding),
	    cmocka_unit_test(writers_remember_missing_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
