// Five seconds of every horror, and of every mesh of $SPATE_DATA/meshes: no path of any particle goes through a triangle.
#include "check.h"

#ifdef SPATE_EMBREE
#include "collider/field.h"
#include "collider/leak_cases.h"
#include "data.h"
#include "evidence.h"

#include <dirent.h>

static int judge(const leak_case *c)
{
	char name[160], note[160];
	leak_report r = leak_run(c);
	snprintf(name, sizeof name, "%s: paths through a wall in %g s", c->name, c->seconds);
	snprintf(note, sizeof note, "%u particles, %.3g paths, %u triangles", r.particles, (double)r.paths,
		 c->mesh->triangle_count);
	int good = r.particles > 300;
	if (r.removed > 0)
	{
		snprintf(name, sizeof name, "%s: particles removed in %g s", c->name, c->seconds);
		good = evidence_at_most(name, r.removed, 0, "", note);
		snprintf(name, sizeof name, "%s: paths through a wall in %g s", c->name, c->seconds);
	}
	return evidence_at_most(name, (double)r.crossings, 0, "", note) && good;
}

static void generated_horrors(void **state)
{
	(void)state;
	leak_cases all;
	leak_cases_make(&all);
	int good = 1;
	for (uint32_t k = 0; k < all.count; k++)
		good &= judge(&all.list[k]);
	leak_cases_free(&all);
	assert_true(good);
}

// Moves a mesh to the middle and makes it a metre large.
static void normalise(spate_mesh *m)
{
	float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, size = 0;
	for (uint32_t v = 0; v < m->vertex_count; v++)
		for (int k = 0; k < 3; k++)
		{
			low[k] = fminf(low[k], m->positions[3 * v + (uint32_t)k]);
			high[k] = fmaxf(high[k], m->positions[3 * v + (uint32_t)k]);
		}
	for (int k = 0; k < 3; k++)
		size = fmaxf(size, high[k] - low[k]);
	for (uint32_t v = 0; v < m->vertex_count; v++)
		for (int k = 0; k < 3; k++)
		{
			float *x = &m->positions[3 * v + (uint32_t)k];
			*x = (*x - 0.5f * (low[k] + high[k])) / size;
		}
}

// Poured on from above; what has no inside counts as a shell.
static int judge_file(const char *folder, const char *file)
{
	char path[1200];
	snprintf(path, sizeof path, "%s/%s", folder, file);
	spate_mesh *mesh = NULL;
	spate_error error;
	if (spate_mesh_read(&mesh, path, &error) != SPATE_OK)
	{
		printf("refused  %s\n", error.text);
		return 1;
	}
	normalise(mesh);
	leak_case c = {.name = file,
		       .mesh = mesh,
		       .mode = SPATE_COLLIDER_OUTSIDE,
		       .spacing = 0.05,
		       .tank = {-1, -0.7, -1, 1, 1.4, 1},
		       .fill = {-0.6, 0.55, -0.6, 0.6, 1.1, 0.6},
		       .seconds = 5};
	int good = judge(&c);
	spate_mesh_destroy(mesh);
	return good;
}

static void found_meshes(void **state)
{
	(void)state;
	static const char *const below[2] = {"meshes", "meshes/nasty"};
	int good = 1, found = 0;
	for (int k = 0; k < 2; k++)
	{
		const char *folder = data_path(below[k]);
		struct dirent **files;
		int count = scandir(folder, &files, NULL, alphasort);
		for (int f = 0; f < count; f++)
		{
			if (strchr(files[f]->d_name, '.') && files[f]->d_name[0] != '.')
			{
				good &= judge_file(folder, files[f]->d_name);
				found++;
			}
			free(files[f]);
		}
		if (count >= 0)
			free(files);
	}
	if (found == 0)
		skip_because("there are no meshes of other programs; $SPATE_DATA may name their directory");
	assert_true(good);
}

int main(void)
{
	if (!distance_field_available())
		return skip_program_without("OPENVDB");
	const struct CMUnitTest tests[] = {cmocka_unit_test(generated_horrors), cmocka_unit_test(found_meshes)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void)
{
	return skip_program_without("EMBREE");
}
#endif
