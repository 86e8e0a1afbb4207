// Runs files through a fuzz entry, once each: what a fuzzer has found stays found.
//   fuzz_ENTRY FILE_OR_FOLDER...
#define _GNU_SOURCE
#include "fuzz.h"

#include "base/file.h"
#include "base/memory.h"

#include <dirent.h>
#include <sys/stat.h>

static int run_file(const char *path)
{
	char *data;
	size_t size;
	spate_error error;
	if (file_read(path, &data, &size, &error) != SPATE_OK)
	{
		fprintf(stderr, "%s\n", error.text);
		return 0;
	}
	printf("%s\n", path);
	fflush(stdout);
	// an input as libFuzzer gives it: nothing behind the last byte
	uint8_t *input = malloc(size ? size : 1);
	must(input);
	memcpy(input, data, size);
	mem_free(data);
	must(LLVMFuzzerTestOneInput(input, size) == 0);
	free(input);
	return 1;
}

// How many files it has; none is a mistake.
static int run_folder(const char *folder)
{
	struct dirent **names;
	int count = scandir(folder, &names, NULL, alphasort), done = 0;
	for (int i = 0; i < count; i++)
	{
		char path[4096];
		snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
		if (names[i]->d_name[0] != '.')
			done += run_file(path);
		free(names[i]);
	}
	if (count >= 0)
		free(names);
	return done;
}

int main(int argc, char **argv)
{
	int done = 0;
	for (int i = 1; i < argc; i++)
	{
		struct stat status;
		int is_folder = stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode),
		    more = is_folder ? run_folder(argv[i]) : run_file(argv[i]);
		if (more == 0)
		{
			fprintf(stderr, "%s: nothing to run\n", argv[i]);
			return 1;
		}
		done += more;
	}
	printf("%d inputs\n", done);
	return done == 0;
}
