#include "cache/wet_files.h"

#include "base/error.h"
#include "base/file.h"
#include "cache/grey_file.h"
#include "cache/world_files.h"
#include "world/world.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

run_path wet_file_path(const char *directory, const char *name, const char *channel, int64_t frame,
		       spate_image_format format)
{
	run_path path;
	int length = snprintf(path.text, sizeof path.text, "%s/" RUN_WET "/%s%s%s_%06" PRId64 "%s", directory, name,
			      channel ? "_" : "", channel ? channel : "", frame, grey_file_extension(format));
	if (length < 0 || (size_t)length >= sizeof path.text)
		path.text[0] = 0;
	return path;
}

// Whether we write files of that name: at least six digits after an underscore.
static int is_picture(const char *name)
{
	const char *dot = strrchr(name, '.'), *digit = dot;
	if (!dot || (strcmp(dot, ".png") != 0 && strcmp(dot, ".exr") != 0))
		return 0;
	while (digit > name && isdigit((unsigned char)digit[-1]))
		digit--;
	return dot - digit >= 6 && dot - digit <= 12 && digit > name && digit[-1] == '_';
}

spate_result wet_files_clear(const char *directory, spate_error *error)
{
	run_path folder = run_file_path(directory, RUN_WET);
	DIR *stream = opendir(folder.text);
	if (!stream)
		return errno == ENOENT ? SPATE_OK : file_error(error, SPATE_IO, "read directory", folder.text, errno);
	spate_result result = SPATE_OK;
	for (struct dirent *found; result == SPATE_OK && (found = readdir(stream));)
	{
		run_path path = run_file_path(folder.text, found->d_name);
		if (is_picture(found->d_name) && unlink(path.text) != 0 && errno != ENOENT)
			result = file_error(error, SPATE_IO, "remove", path.text, errno);
	}
	closedir(stream);
	return result;
}

spate_result wet_files_begin(spate_world *w, const char *directory, spate_error *error)
{
	run_path folder = run_file_path(directory, RUN_WET);
	spate_result result = SPATE_OK;
	for (uint32_t k = 0; k < w->state.wet.count && result == SPATE_OK; k++)
	{
		const wet_map *m = &w->state.wet.maps[k];
		result = grey_file_check(m->format, error);
		if (result == SPATE_OK && m->channel && !world_has_channel(w, m->channel))
			result = error_set(error, SPATE_MISSING,
					   "the wet map of %s names a channel '%s', which particles do not have",
					   m->name, m->channel);
	}
	if (result == SPATE_OK && w->state.wet.count > 0)
		result = file_make_directory(folder.text, error);
	return result == SPATE_OK ? file_remove_stale(folder.text, error) : result;
}

static spate_result write_picture(const spate_world *w, const wet_map *m, const char *directory, const char *channel,
				  const float *values, spate_error *error)
{
	size_t texels = (size_t)m->size * m->size;
	float *whole = mem_alloc(texels * sizeof *whole);
	uint8_t *scratch = mem_alloc(texels);
	spate_result result = SPATE_OK;
	if (!whole || !scratch)
		result = error_memory(error, texels * (sizeof *whole + 1));
	else
	{
		wet_map_fill_gaps(m, values, whole, scratch);
		run_path path = wet_file_path(directory, m->name, channel, w->state.counters.frame, m->format);
		result = grey_file_write(path.text, m->format, whole, m->size, m->size, error);
	}
	mem_free(whole);
	mem_free(scratch);
	return result;
}

spate_result wet_files_write(const spate_world *w, const char *directory, spate_error *error)
{
	spate_result result = SPATE_OK;
	for (uint32_t k = 0; k < w->state.wet.count && result == SPATE_OK; k++)
	{
		const wet_map *m = &w->state.wet.maps[k];
		result = write_picture(w, m, directory, NULL, m->wetness, error);
		if (result == SPATE_OK && m->average)
			result = write_picture(w, m, directory, m->channel, m->average, error);
	}
	return result;
}
