// For the tests of commands: small caches to look at, and running the command itself.
#ifndef TESTS_CLI_CACHE_H
#define TESTS_CLI_CACHE_H

#include "cache/run_dir.h"
#include "scratch.h"
#include "spate/frame.h"

#include <sys/wait.h>

enum
{
	CACHE_SIDE = 6, // particles along an edge of the cube
	CACHE_PARTICLES = CACHE_SIDE * CACHE_SIDE * CACHE_SIDE
};

static const char cache_scene[] =
    "spate: 1\nname: cube\nframes: 4\nfps: 24\n"
    "fluids:\n  water: { spacing: 0.1, color: \"#3b82c4\" }\n"
    "sources:\n  - { type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [1, 1, 1] } } }\n"
    "colliders:\n"
    "  - { name: tank, shape: { box: { min: [0, 0, 0], max: [2, 1, 1] } }, mode: inside }\n"
    "  - name: ball\n"
    "    shape: { sphere: { center: [1.6, 0.3, 0.5], radius: 0.2 } }\n"
    "    motion: { sine: { direction: [0, 1, 0], amplitude: 0.3, frequency: 3 } }\n"
    "cameras:\n  side: { position: [1, 0.5, 4], target: [1, 0.5, 0.5], fov: 35 }\n"
    "  top: { position: [1, 5, 0.5], target: [1, 0, 0.5], up: [0, 0, -1], fov: 35 }\n";

// A cube of particles that stands 0.1 m further along x in every frame, far from zero with `origin`.
static inline void cache_write_frame(const char *path, spate_frame_kind kind, int64_t number, const double origin[3])
{
	static float position[CACHE_PARTICLES][3], velocity[CACHE_PARTICLES][3], density[CACHE_PARTICLES];
	static int64_t id[CACHE_PARTICLES];
	static int32_t fluid[CACHE_PARTICLES];
	for (int i = 0; i < CACHE_PARTICLES; i++)
	{
		int cell[3] = {i % CACHE_SIDE, i / CACHE_SIDE % CACHE_SIDE, i / CACHE_SIDE / CACHE_SIDE};
		id[i] = i;
		fluid[i] = 0;
		density[i] = 1000.0f;
		for (int k = 0; k < 3; k++)
		{
			double shift = k == 0 ? 0.1 * (double)number : 0.0;
			position[i][k] = (float)(0.05 + 0.1 * cell[k] + shift - origin[k]);
			velocity[i][k] = k == 0 ? 0.5f * (float)cell[1] : 0.0f;
		}
	}
	const spate_frame_channel_def channels[] = {
	    {"id", SPATE_INT64, id, 0, CACHE_PARTICLES},
	    {"position", SPATE_VEC3, position, 0, CACHE_PARTICLES},
	    {"velocity", SPATE_VEC3, velocity, 0, CACHE_PARTICLES},
	    {"density", SPATE_FLOAT, density, 0, CACHE_PARTICLES},
	    {"fluid", SPATE_INT32, fluid, 0, CACHE_PARTICLES},
	};
	const spate_frame_blob_def blob = {"world", "state", 5};
	spate_frame_def def = spate_default_frame_def();
	def.kind = kind;
	def.frame = number;
	def.time = (double)number / 24.0;
	memcpy(def.origin, origin, sizeof def.origin);
	def.count = CACHE_PARTICLES;
	def.channels = channels;
	def.channel_count = sizeof channels / sizeof *channels;
	def.blobs = &blob;
	def.blob_count = kind == SPATE_FRAME_CHECKPOINT;
	check_ok(spate_frame_write(path, &def, NULL));
}

static inline void cache_write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
	assert_int_equal(fclose(file), 0);
}

// DIR with four frames, a checkpoint and the scene.
static inline void cache_make(const char *directory)
{
	static const double zero[3];
	check_ok(run_dir_create(directory, NULL));
	for (int frame = 1; frame <= 4; frame++)
		cache_write_frame(run_frame_path(directory, frame).text, SPATE_FRAME_PLAIN, frame, zero);
	cache_write_frame(run_checkpoint_path(directory, 4).text, SPATE_FRAME_CHECKPOINT, 4, zero);
	cache_write_text(run_file_path(directory, RUN_SCENE).text, cache_scene);
}

static inline int cache_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

typedef struct command_result
{
	int code;
	char text[16384]; // stdout and stderr
} command_result;

// Runs `spate ARGUMENTS` in a directory.
static inline command_result command_run(const char *directory, const char *arguments)
{
	static command_result result;
	char line[4096];
	const char *binary = getenv("SPATE_BINARY");
	assert_non_null(binary);
	snprintf(line, sizeof line, "{ cd '%s' && '%s' %s; } 2>&1", directory, binary, arguments);
	FILE *pipe = popen(line, "r");
	assert_non_null(pipe);
	size_t used = fread(result.text, 1, sizeof result.text - 1, pipe);
	result.text[used] = '\0';
	int status = pclose(pipe);
	result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	return result;
}

// Exit code, and a text that must be part of what is printed.
#define check_command(directory, arguments, expected, part)                                                            \
	do                                                                                                             \
	{                                                                                                              \
		command_result check_c = command_run(directory, arguments);                                            \
		if (check_c.code != (expected) || !strstr(check_c.text, part))                                         \
			fail_msg("spate %s exits with %d and says:\n%s\nexpected %d and: %s", arguments, check_c.code, \
				 check_c.text, expected, part);                                                        \
	} while (0)

#endif
