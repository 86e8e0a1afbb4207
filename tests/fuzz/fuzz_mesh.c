// Any bytes as a mesh of every ending; one that is read must have indices in range and finite places.
#define _GNU_SOURCE
#include "fuzz.h"

#include "base/memory.h"
#include "mesh/measure.h"
#include "mesh/read.h"

#include <math.h>

static void check(const spate_mesh *mesh)
{
	spate_mesh_measure m;
	for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
		must(mesh->triangles[i] < mesh->vertex_count);
	for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++)
		must(isfinite(mesh->positions[i]));
	must(mesh->triangle_count > 0 && mesh_measure_all(&m, mesh, NULL) == SPATE_OK && m.area >= 0.0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"a.obj", "a.ply", "a.stl", "a.off", "a"};
	char *copy = mem_alloc(size + 1);
	must(copy);
	memcpy(copy, data, size);
	copy[size] = 0;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
	{
		spate_mesh *mesh = NULL;
		spate_error error = {0};
		spate_result result = mesh_parse(&mesh, names[i], copy, size, &error);
		if (result == SPATE_OK)
			check(mesh);
		else
			must(strncmp(error.text, names[i], strlen(names[i])) == 0);
		spate_mesh_destroy(mesh);
	}
	mem_free(copy);
	return 0;
}
