#include "base/error.h"
#include "base/forest.h"
#include "base/parallel.h"
#include "surface/finish.h"

double surface_triangle_volume(const surface_mesh *mesh, const uint32_t *t, vec3 from)
{
	const vec3 *p = mesh->positions;
	double a[3] = {(double)p[t[0]].x - from.x, (double)p[t[0]].y - from.y, (double)p[t[0]].z - from.z};
	double b[3] = {(double)p[t[1]].x - from.x, (double)p[t[1]].y - from.y, (double)p[t[1]].z - from.z};
	double c[3] = {(double)p[t[2]].x - from.x, (double)p[t[2]].y - from.y, (double)p[t[2]].z - from.z};
	return (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
		a[2] * (b[0] * c[1] - b[1] * c[0])) /
	       6.0;
}

static void find_volumes(void *context, size_t begin, size_t end, double (*terms)[PARALLEL_TERMS])
{
	const surface_mesh *mesh = context;
	for (size_t t = begin; t < end; t++)
		terms[0][t - begin] = surface_triangle_volume(mesh, mesh->triangles + 3 * t, mesh->positions[0]);
}

double surface_volume(const surface_mesh *mesh, int threads)
{
	return parallel_sum(threads, mesh->triangle_count, find_volumes, (void *)(uintptr_t)mesh);
}

static void find_areas(void *context, size_t begin, size_t end, double (*terms)[PARALLEL_TERMS])
{
	const surface_mesh *mesh = context;
	for (size_t t = begin; t < end; t++)
	{
		const uint32_t *v = mesh->triangles + 3 * t;
		vec3 a = vec3_sub(mesh->positions[v[1]], mesh->positions[v[0]]);
		vec3 b = vec3_sub(mesh->positions[v[2]], mesh->positions[v[0]]);
		terms[0][t - begin] = 0.5 * (double)vec3_length(vec3_cross(a, b));
	}
}

double surface_area(const surface_mesh *mesh, int threads)
{
	return parallel_sum(threads, mesh->triangle_count, find_areas, (void *)(uintptr_t)mesh);
}

// Measures the parts of the mesh: volumes[r] belongs to the part whose root is vertex r.
static void measure_parts(const surface_mesh *mesh, uint32_t *parent, double *volumes)
{
	forest_init(parent, mesh->vertex_count);
	for (uint32_t v = 0; v < mesh->vertex_count; v++)
		volumes[v] = 0.0;
	for (uint32_t t = 0; t < mesh->triangle_count; t++)
		for (uint32_t k = 1; k < 3; k++)
			forest_join(parent, mesh->triangles[3 * (size_t)t], mesh->triangles[3 * (size_t)t + k]);
	for (uint32_t t = 0; t < mesh->triangle_count; t++)
	{
		const uint32_t *v = mesh->triangles + 3 * (size_t)t;
		uint32_t root = forest_root(parent, v[0]);
		volumes[root] += surface_triangle_volume(mesh, v, mesh->positions[root]);
	}
}

// Removes the triangles and vertices of marked parts, keeping the order of the others.
static void drop_parts(surface_mesh *mesh, uint32_t *parent, const uint8_t *gone)
{
	uint32_t triangles = 0, vertices = 0;
	for (uint32_t t = 0; t < mesh->triangle_count; t++)
	{
		const uint32_t *v = mesh->triangles + 3 * (size_t)t;
		if (gone[forest_root(parent, v[0])])
			continue;
		for (int k = 0; k < 3; k++)
			mesh->triangles[3 * (size_t)triangles + (size_t)k] = v[k];
		triangles++;
	}
	// backwards: a root precedes its vertices, so all of them look it up before it is renumbered
	for (uint32_t v = mesh->vertex_count; v-- > 0;)
		parent[v] = gone[forest_root(parent, v)] ? UINT32_MAX : v;
	for (uint32_t v = 0; v < mesh->vertex_count; v++)
		if (parent[v] != UINT32_MAX)
		{
			mesh->positions[vertices] = mesh->positions[v];
			parent[v] = vertices++;
		}
	for (size_t k = 0; k < 3 * (size_t)triangles; k++)
		mesh->triangles[k] = parent[mesh->triangles[k]];
	mesh->vertex_count = vertices;
	mesh->triangle_count = triangles;
}

spate_result surface_remove_parts(surface_mesh *mesh, double blob, double cavity, uint32_t *blobs, uint32_t *cavities,
				  spate_error *error)
{
	*blobs = *cavities = 0;
	if (mesh->triangle_count == 0 || (blob <= 0.0 && cavity <= 0.0))
		return SPATE_OK;
	uint32_t *parent = mem_alloc(mesh->vertex_count * sizeof *parent);
	double *volumes = mem_alloc(mesh->vertex_count * sizeof *volumes);
	uint8_t *gone = mem_calloc(mesh->vertex_count, 1);
	spate_result result = SPATE_OK;
	if (!parent || !volumes || !gone)
		result = error_memory(error, mesh->vertex_count * sizeof *volumes);
	else
	{
		measure_parts(mesh, parent, volumes);
		for (uint32_t v = 0; v < mesh->vertex_count; v++)
		{
			if (parent[v] != v)
				continue;
			int small_blob = volumes[v] >= 0.0 && volumes[v] < blob;
			int small_cavity = volumes[v] < 0.0 && -volumes[v] < cavity;
			gone[v] = small_blob || small_cavity;
			*blobs += (uint32_t)small_blob;
			*cavities += (uint32_t)small_cavity;
		}
		if (*blobs || *cavities)
			drop_parts(mesh, parent, gone);
	}
	mem_free(parent);
	mem_free(volumes);
	mem_free(gone);
	return result;
}
