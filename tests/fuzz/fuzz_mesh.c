// libFuzzer entry: any bytes as a mesh of every ending; one that is read must have indices in range and finite places.
//
//	CC=clang cmake -S . -B build-fuzz -DSPATE_SANITIZE=address && cmake --build build-fuzz --target spate_lib
//	clang -g -fsanitize=fuzzer,address,undefined -Iinclude -Isrc tests/fuzz/fuzz_mesh.c build-fuzz/libspate.a
//		-lyaml -lblosc -lpng -pthread -lm -o fuzz_mesh
#include "base/memory.h"
#include "mesh/measure.h"
#include "mesh/read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const spate_mesh *mesh)
{
	mesh_measure m;
	for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
		if (mesh->triangles[i] >= mesh->vertex_count)
			abort();
	for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++)
		if (!isfinite(mesh->positions[i]))
			abort();
	if (mesh->triangle_count == 0 || mesh_measure_all(&m, mesh, NULL) != SPATE_OK || !(m.area >= 0.0))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"a.obj", "a.ply", "a.stl", "a.off", "a"};
	char *copy = mem_alloc(size + 1);
	if (size > 0)
		memcpy(copy, data, size);
	copy[size] = 0;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
	{
		spate_mesh *mesh = NULL;
		spate_error error = {0};
		spate_result result = mesh_parse(&mesh, names[i], copy, size, &error);
		if (result == SPATE_OK)
			check(mesh);
		else if (strncmp(error.text, names[i], strlen(names[i])) != 0)
			abort();
		spate_mesh_destroy(mesh);
	}
	mem_free(copy);
	return 0;
}
