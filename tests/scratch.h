// A directory of its own for each test program, below $TMPDIR.
#ifndef TESTS_SCRATCH_H
#define TESTS_SCRATCH_H

#include "check.h"

#include <ftw.h>
#include <unistd.h>

typedef struct scratch
{
	char path[1024];
} scratch;

static inline scratch scratch_make(void)
{
	scratch s;
	const char *base = getenv("TMPDIR");
	snprintf(s.path, sizeof s.path, "%s/spate_test_XXXXXX", base ? base : "/tmp");
	assert_non_null(mkdtemp(s.path));
	return s;
}

static inline int scratch_remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status, (void)type, (void)walk;
	return remove(path);
}

static inline void scratch_remove_tree(const char *path)
{
	nftw(path, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static inline void scratch_remove(const scratch *s)
{
	scratch_remove_tree(s->path);
}

static inline int scratch_find_temporary(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status, (void)type, (void)walk;
	size_t length = strlen(path);
	return length > 4 && strcmp(path + length - 4, ".tmp") == 0;
}

// Nothing below a directory has a name that ends in .tmp.
static inline void check_no_temporaries(const char *directory)
{
	if (nftw(directory, scratch_find_temporary, 16, FTW_PHYS) != 0)
		fail_msg("%s holds a temporary file", directory);
}

// PATH/NAME; the buffer lives until the fourth next call.
static inline const char *scratch_file(const scratch *s, const char *name)
{
	static char paths[4][2048];
	static int next;
	char *path = paths[next++ & 3];
	snprintf(path, sizeof paths[0], "%s/%s", s->path, name);
	return path;
}

// Of a group of tests that share one: *state is the scratch.
static inline int scratch_set_up(void **state)
{
	static scratch shared;
	shared = scratch_make();
	*state = &shared;
	return 0;
}

static inline int scratch_tear_down(void **state)
{
	scratch_remove(*state);
	return 0;
}

// Changes one byte in the middle of a file.
static inline void scratch_damage(const char *path)
{
	FILE *file = fopen(path, "r+b");
	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	long middle = ftell(file) / 2;
	fseek(file, middle, SEEK_SET);
	int byte = fgetc(file);
	fseek(file, middle, SEEK_SET);
	fputc(byte ^ 0x55, file);
	assert_int_equal(fclose(file), 0);
}

#endif
