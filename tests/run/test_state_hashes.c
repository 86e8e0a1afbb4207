// The committed state hashes of twelve small scenes: a change of bits, meant or not, does not go unseen.
//
// state_hashes.tsv has a line per scene: its name, and the hash with the portable kernels and with those for AVX2 or AVX-512. `make hashes`
// writes it anew by calling this program with --write.
#define _GNU_SOURCE
#include "run_support.h"

#include "base/simd_level.h"
#include "collider/field.h"

enum
{
	SETS = 7,
	LEVELS = 2
};

// A scene of the repository with fewer particles and frames.
typedef struct small_scene
{
	const char *name, *path;
	uint32_t frames;
	int needs_fields;       // has meshes
	const char *sets[SETS]; // up to a NULL
} small_scene;

static const small_scene scenes[] = {
    {"dam_break", "scenes/dam_break.yaml", 6, 0, {"fluids.water.spacing=0.05"}},
    {"three fluids",
     "scenes/layers.yaml",
     3,
     0,
     {"fluids.oil.spacing=0.02", "fluids.water.spacing=0.02", "fluids.honey.spacing=0.02"}},
    {"two resolutions",
     "scenes/density_matrix.yaml",
     2,
     0,
     {"fluids.blue.spacing=0.03", "fluids.equal.spacing=0.03", "fluids.light.spacing=0.03", "fluids.heavy.spacing=0.03",
      "fluids.equal_coarse.spacing=0.06", "fluids.light_coarse.spacing=0.06", "fluids.heavy_coarse.spacing=0.06"}},
    {"emitter and sink", "tests/run/basin.yaml", 12, 0, {NULL}},
    {"mesh with a friction map", "scenes/friction_ramp.yaml", 8, 1, {"fluids.water.spacing=0.02"}},
    {"moving mesh", "scenes/paddle_wheel.yaml", 16, 1, {"fluids.water.spacing=0.05"}},
    {"pairwise viscosity",
     "scenes/spinning_blob.yaml",
     2,
     0,
     {"fluids.violet.spacing=0.005", "fluids.white.spacing=0.005"}},
    {"surface tension and adhesion",
     "scenes/drops.yaml",
     2,
     0,
     {"fluids.none.spacing=0.004", "fluids.quarter.spacing=0.004", "fluids.half.spacing=0.004",
      "fluids.full.spacing=0.004", "fluids.quarter.adhesion=0.6", "fluids.full.adhesion=1"}},
    {"vorticity and a paddle", "scenes/stirred.yaml", 9, 0, {"fluids.water.spacing=0.024"}},
    {"materials of sources", "scenes/gradient.yaml", 12, 0, {"fluids.batter.spacing=0.03"}},
    {"wcsph",
     "scenes/wcsph_columns.yaml",
     2,
     0,
     {"fluids.water.spacing=0.06", "fluids.oil.spacing=0.06", "fluids.glycerin.spacing=0.06",
      "fluids.honey.spacing=0.06"}},
    {"pcisph", "scenes/pcisph_wave.yaml", 10, 0, {"fluids.water.spacing=0.05"}},
};

enum
{
	SCENES = sizeof scenes / sizeof *scenes
};

// Asks for the portable kernels, or for the best that the processor has: 1 when these are of the level's family.
static int level_choose(int level)
{
	unsetenv("SPATE_SIMD");
	if (level == 0)
		setenv("SPATE_SIMD", "portable", 1);
	return level == 0 || simd_level_detect() >= SIMD_AVX2;
}

static uint64_t hash_of(const small_scene *small)
{
	char path[2048];
	uint32_t count = 0;
	snprintf(path, sizeof path, "%s/%s", from_environment("SPATE_SOURCE"), small->path);
	while (count < SETS && small->sets[count])
		count++;
	spate_scene scene = {0};
	spate_problems problems = {0};
	spate_error error = {0};
	if (spate_scene_load(&scene, path, small->sets, count, &problems, &error) != SPATE_OK)
		fail_msg("%s", error.text);
	spate_problems_free(&problems);
	scratch s = scratch_make();
	spate_run_def def = run_def(&scene, scratch_file(&s, "run"));
	def.last = small->frames;
	uint64_t hash = run_well(&def);
	spate_scene_free(&scene);
	scratch_remove(&s);
	return hash;
}

static const char *table_path(void)
{
	static char path[2048];
	snprintf(path, sizeof path, "%s/tests/run/state_hashes.tsv", from_environment("SPATE_SOURCE"));
	return path;
}

// The lines of the table must be the scenes in their order.
static void read_table(uint64_t table[SCENES][LEVELS])
{
	FILE *file = fopen(table_path(), "r");
	if (!file)
		fail_msg("%s cannot be read; run `make hashes` and commit it", table_path());
	char line[256], name[128], rest[2];
	for (int n = 0; n < SCENES; n++)
	{
		unsigned long long hashes[LEVELS];
		if (!fgets(line, sizeof line, file) ||
		    sscanf(line, "%127[^\t]\t%16llx\t%16llx%1[\n]", name, &hashes[0], &hashes[1], rest) != 4 ||
		    strcmp(name, scenes[n].name) != 0)
			fail_msg("%s:%d: expected '%s' and %d hashes; run `make hashes` and commit it", table_path(),
				 n + 1, scenes[n].name, LEVELS);
		for (int level = 0; level < LEVELS; level++)
			table[n][level] = hashes[level];
	}
	if (fgets(line, sizeof line, file))
		fail_msg("%s:%d: there is no scene for this line; run `make hashes` and commit it", table_path(),
			 SCENES + 1);
	fclose(file);
}

static void put_line(FILE *file, int n, const uint64_t hashes[LEVELS])
{
	fprintf(file, "%s\t%016llx\t%016llx\n", scenes[n].name, (unsigned long long)hashes[0],
		(unsigned long long)hashes[1]);
}

static void states_are_as_committed(void **state)
{
	(void)state;
	uint64_t table[SCENES][LEVELS];
	int changed = 0;
	read_table(table);
	for (int n = 0; n < SCENES; n++)
	{
		if (scenes[n].needs_fields && !distance_field_available())
			continue;
		uint64_t now[LEVELS];
		for (int level = 0; level < LEVELS; level++)
			now[level] = level_choose(level) ? hash_of(&scenes[n]) : table[n][level];
		if (memcmp(now, table[n], sizeof now) == 0)
			continue;
		printf("the state of '%s' has changed; its line is now\n", scenes[n].name);
		put_line(stdout, n, now);
		printf("and was\n");
		put_line(stdout, n, table[n]);
		changed++;
	}
	if (changed)
		fail_msg("%d of %d scenes give other bits than committed. If the change of bits is intended, run `make "
			 "hashes` and say so in the commit message and in CHANGELOG.md",
			 changed, SCENES);
}

// All is computed before a byte is written: a run that fails leaves the table as it is.
static void write_table(void **state)
{
	(void)state;
	uint64_t table[SCENES][LEVELS];
	if (!level_choose(LEVELS - 1) || !distance_field_available())
		fail_msg("the table needs a processor with AVX2 and a build with OpenVDB; %s was left as it is",
			 table_path());
	for (int n = 0; n < SCENES; n++)
		for (int level = 0; level < LEVELS; level++)
		{
			level_choose(level);
			table[n][level] = hash_of(&scenes[n]);
		}
	FILE *file = fopen(table_path(), "w");
	if (!file)
		fail_msg("%s cannot be written", table_path());
	for (int n = 0; n < SCENES; n++)
		put_line(file, n, table[n]);
	if (fclose(file) != 0)
		fail_msg("%s could not be written", table_path());
}

int main(int argc, char **argv)
{
	const struct CMUnitTest check[] = {cmocka_unit_test(states_are_as_committed)};
	const struct CMUnitTest write[] = {cmocka_unit_test(write_table)};
	if (argc > 1 && strcmp(argv[1], "--write") == 0)
		return cmocka_run_group_tests(write, NULL, NULL);
#ifndef SPATE_X86
	return skip_program("the committed hashes are those of x86-64");
#endif
	return cmocka_run_group_tests(check, NULL, NULL);
}
