#!/usr/bin/env bash
# A host loads a plug-in that runs the library on several threads, and unloads it: the threads end first, and it can be loaded again.
# A run on one thread starts no other, also where a mesh becomes a distance field.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SPATE_FIELDS=$work/fields

read -ra sanitize <<<"$SPATE_CFLAGS"

cat >"$work/plugin.c" <<'C'
#include <spate/spate.h>
#include <stdio.h>
int run(int threads, const char *mesh_file);
// Steps of a block of liquid that is cut into several blocks of every loop; 0 for success.
int run(int threads, const char *mesh_file)
{
	spate_error error = {0};
	spate_mesh *mesh = 0;
	spate_fluid_def water = spate_default_fluid_def();
	water.spacing = 0.05;
	spate_source_def fill = spate_default_source_def();
	fill.shape = (spate_shape){.type = SPATE_SHAPE_BOX, .b = {1.0, 1.0, 1.0}};
	spate_collider_def obstacle = spate_default_collider_def();
	spate_world_def def = spate_default_world_def();
	def.fluids = &water;
	def.sources = &fill;
	def.colliders = &obstacle;
	def.fluid_count = def.source_count = 1;
	def.threads = threads;
	spate_world *world = 0;
	spate_result result = SPATE_OK;
	if (*mesh_file)
	{
		result = spate_mesh_read(&mesh, mesh_file, &error);
		obstacle.mesh.mesh = mesh;
		def.collider_count = 1;
	}
	if (result == SPATE_OK)
		result = spate_world_create(&world, &def, &error);
	// a build without OpenVDB has no distance fields
	if (result == SPATE_MISSING && mesh)
	{
		def.collider_count = 0;
		result = spate_world_create(&world, &def, &error);
	}
	for (int k = 0; k < 2 && result == SPATE_OK; k++)
		result = spate_world_step(world, 0, &error);
	if (result != SPATE_OK)
		printf("FAILED: %s\n", error.text);
	spate_world_destroy(world);
	spate_mesh_destroy(mesh);
	return result != SPATE_OK;
}
C
cat >"$work/host.c" <<'C'
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int count_threads(void)
{
	int threads = 0;
	DIR *folder = opendir("/proc/self/task");
	for (struct dirent *entry; folder && (entry = readdir(folder));)
		threads += entry->d_name[0] != '.';
	closedir(folder);
	return threads;
}

static void expect(const char *what, int threads, int expected)
{
	if (threads == expected)
		return;
	printf("FAILED: %d threads %s, expected %d\n", threads, what, expected);
	exit(1);
}

static void *do_nothing(void *argument)
{
	return argument;
}

int main(int argc, char **argv)
{
	(void)argc;
	// the thread sanitizer starts a thread of its own beside the first
	pthread_t first;
	if (pthread_create(&first, NULL, do_nothing, NULL) != 0 || pthread_join(first, NULL) != 0)
		return 1;
	for (int round = 0; round < 3; round++)
	{
		void *plugin = dlopen(argv[1], RTLD_NOW);
		if (!plugin)
		{
			puts(dlerror());
			return 1;
		}
		// libraries that this one needs may have threads from the start
		int before = count_threads();
		int (*run)(int, const char *) = (int (*)(int, const char *))dlsym(plugin, "run");
		if (run(1, argv[3]) != 0)
			return 1;
		expect("after a run on one", count_threads(), before);
		if (run(3, "") != 0)
			return 1;
		expect("after a run on three", count_threads(), before + 2);
		dlclose(plugin);
		if (dlopen(argv[2], RTLD_NOW | RTLD_NOLOAD))
		{
			puts("FAILED: the library is still loaded");
			return 1;
		}
		expect("after the library was unloaded", count_threads(), before);
		// nothing of the library may be called by a fork any more
		int status = 1;
		pid_t child = fork();
		if (child == 0)
			_exit(0);
		if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
		{
			printf("FAILED: a forked child ended with status %d\n", status);
			return 1;
		}
	}
	return 0;
}
C
"$SPATE_CC" "${sanitize[@]}" -shared -fPIC -I "$SPATE_SOURCE/include" "$work/plugin.c" -L "$SPATE_BUILD" -lspate \
	-Wl,-rpath,"$SPATE_BUILD" -o "$work/plugin.so"
"$SPATE_CC" "${sanitize[@]}" "$work/host.c" -ldl -pthread -o "$work/host"
mesh=$SPATE_SOURCE/scenes/meshes/cup.obj
# what other libraries never free can no longer be reached once they are unloaded
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
"$work/host" "$work/plugin.so" "$SPATE_BUILD/libspate.so.0" "$mesh"
