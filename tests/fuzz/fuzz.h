// What the fuzz entries share. An entry takes any bytes; `make fuzz` looks for some that break it, and the tests run those that are kept in
// corpus/. Linux alone: an input becomes a file without a disk.
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// A promise of the library, or of the entry itself.
#define must(what)                                                                         \
	do                                                                                 \
	{                                                                                  \
		if (!(what))                                                               \
		{                                                                          \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
			abort();                                                           \
		}                                                                          \
	} while (0)

// A file in memory.
typedef struct memory_file
{
	int fd;
	char path[64];
} memory_file;

static inline memory_file memory_file_make(const void *data, size_t size)
{
	memory_file file = {.fd = memfd_create("fuzz", MFD_CLOEXEC)};
	must(file.fd >= 0 && write(file.fd, data, size) == (ssize_t)size);
	snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.fd);
	return file;
}

static inline void memory_file_close(const memory_file *file)
{
	close(file->fd);
}

// An input as a list of changes to something sound: where (three bytes, the lowest first), how many bytes (0 to 15 more than one), the bytes.
// This reaches what lies behind checksums and compression.
static inline void apply_edits(const uint8_t *edits, size_t size, char *bytes, size_t count)
{
	while (size >= 5)
	{
		size_t at = (edits[0] | (size_t)edits[1] << 8 | (size_t)edits[2] << 16) % count,
		       length = (edits[3] & 15u) + 1;
		edits += 4;
		size -= 4;
		length = length < size ? length : size;
		memcpy(bytes + at, edits, length < count - at ? length : count - at);
		edits += length;
		size -= length;
	}
}

// A folder for files that must have a name, gone when the program ends.
static char fuzz_folder_path[1024];

static inline int fuzz_remove(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status, (void)type, (void)walk;
	return remove(path);
}

static inline void fuzz_folder_remove(void)
{
	nftw(fuzz_folder_path, fuzz_remove, 16, FTW_DEPTH | FTW_PHYS);
}

static inline const char *fuzz_folder(void)
{
	const char *base = getenv("TMPDIR");
	snprintf(fuzz_folder_path, sizeof fuzz_folder_path, "%s/spate_fuzz_XXXXXX", base ? base : "/tmp");
	must(mkdtemp(fuzz_folder_path) != NULL && atexit(fuzz_folder_remove) == 0);
	return fuzz_folder_path;
}

#endif
