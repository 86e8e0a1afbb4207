// Meshes from elsewhere, well-known and nasty ones: $SPATE_DATA/meshes, by default beside the repository. Skipped where they are not.
#include "data.h"
#include "mesh_support.h"

#include <unistd.h>

typedef struct found_mesh
{
	const char *name;
	uint32_t vertices, triangles, dropped;
	int closed;
	uint64_t components;
	const char *sentence; // what is said when it is refused, behind its name
} found_mesh;

static const found_mesh meshes[] = {
    {"spot.obj", 2930, 5856, 0, 1, 1, NULL},
    {"stanford-bunny.obj", 35947, 69451, 0, 0, 1, NULL},
    {"teapot.obj", 3644, 6320, 0, 0, 3, NULL},
    {"Dragon_50k.obj", 25007, 50000, 0, 0, 4, NULL},
    {"nasty/cgal_blobby-shuffled.off", 2027, 4050, 0, 1, 1, NULL},
    {"nasty/cgal_deg_all_degen.off", 0, 0, 0, 0, 0, " has no triangles: all 7 are degenerate"},
    {"nasty/cgal_open_cube.off", 8, 10, 0, 0, 1, NULL},
    {"nasty/cgal_spheres_intersecting.off", 324, 640, 0, 1, 2, NULL},
    {"nasty/libigl_truck.obj", 2956, 4770, 0, 0, 50, NULL},
    {"nasty/trimesh_busted.STL", 1941, 3878, 0, 1, 1, NULL},
    {"nasty/trimesh_empty.stl", 0, 0, 0, 0, 0, " has no triangles"},
    {"nasty/trimesh_face_in_group_name.obj", 0, 0, 0, 0, 0, " has no triangles: it is a point cloud without faces"},
    {"nasty/trimesh_negative_indices.obj", 8, 12, 0, 1, 1, NULL},
    {"nasty/trimesh_points_ascii.ply", 0, 0, 0, 0, 0, " has no triangles: it is a point cloud without faces"},
    {"nasty/trimesh_soup.stl", 300, 100, 0, 0, 100, NULL},
    {"nasty/trimesh_wallhole.obj", 92, 66, 0, 1, 1, NULL},
};

static void every_mesh(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++)
	{
		const found_mesh *f = &meshes[i];
		char name[128];
		spate_mesh *mesh = NULL;
		spate_error error = {0};
		snprintf(name, sizeof name, "meshes/%s", f->name);
		const char *path = data_path(name);
		spate_result result = spate_mesh_read(&mesh, path, &error);
		if (f->sentence)
		{
			check_result(result, SPATE_FORMAT);
			assert_string_equal(error.text + strlen(path), f->sentence);
			continue;
		}
		if (result != SPATE_OK)
			fail_msg("%s", error.text);
		check_counts(mesh, f->vertices, f->triangles, f->dropped);
		spate_mesh_measure m = measure_of(mesh);
		if (m.closed != f->closed || m.components != f->components)
			fail_msg("%s: closed %d, components %llu", f->name, m.closed, (unsigned long long)m.components);
		spate_mesh_destroy(mesh);
	}
}

int main(void)
{
	if (access(data_path("meshes"), R_OK) != 0)
		return skip_program("there are no meshes of other programs; $SPATE_DATA may name their directory");
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_mesh)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
