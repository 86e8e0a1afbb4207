// Openings of all kinds: what they pour, how dense it is there, and whether a viscous stream holds together.
#include "evidence.h"
#include "world/scene_world.h"

#include "collider/meshes.h"
#include "spate/store.h"

static const double pi = 3.14159265358979323846, gravity = 9.81;

static spate_world *world_with(const char *text, const spate_mesh *mesh)
{
	spate_scene scene = parse_good(text);
	// a mesh of the test instead of that of a file
	if (mesh)
	{
		spate_source_def *source = (spate_source_def *)(uintptr_t)scene.world.sources;
		source->shape.mesh.mesh = mesh;
	}
	return world_of_scene(&scene, spate_world_create);
}

// Particles of a fluid with a height (m) between two bounds and x (m) between two others, and the mean of their vertical speed (m/s).
static double count_between(spate_world *world, int32_t fluid, double low, double high, double left, double right,
			    double *speed)
{
	spate_store *store = spate_world_store(world);
	const double *origin = spate_world_origin(world);
	const float *position = spate_store_field(store, "position", NULL),
		    *velocity = spate_store_field(store, "velocity", NULL);
	const int32_t *kind = spate_store_field(store, "fluid", NULL);
	double count = 0, sum = 0;
	for (uint32_t row = 0; row < spate_store_count(store); row++)
	{
		double x = (double)position[4 * row] + origin[0], y = (double)position[4 * row + 1] + origin[1];
		int in = kind[row] == fluid && y >= low && y < high && x >= left && x < right;
		count += in;
		sum += in ? (double)velocity[4 * row + 1] : 0;
	}
	if (speed)
		*speed = count > 0 ? fabs(sum) / count : 0;
	return count;
}

// A jet downwards from y = 0, as a fraction of the liquid that a stream of this flow (m^3/s) with the speed of free fall holds between 1
// and 6 spacings below its opening; the mean over frames. A slow stream of honey falls faster, pulled by what hangs from it.
typedef struct opening
{
	int32_t fluid;
	double spacing, flow, speed, left, right; // m, m^3/s, m/s, m, m
	double density;                           // sum over frames
} opening;

static void weigh(spate_world *world, opening *o)
{
	double d = o->spacing, from = d, to = 6 * d;
	// time that the liquid takes from one height to the other
	double v0 = sqrt(o->speed * o->speed + 2 * gravity * from), v1 = sqrt(o->speed * o->speed + 2 * gravity * to);
	double held = o->flow * (v1 - v0) / gravity;
	o->density += count_between(world, o->fluid, -to, -from, o->left, o->right, NULL) * d * d * d / held;
}

// Runs to `last`, and weighs openings in the second half of the frames.
static void weigh_all(spate_world *world, opening *openings, int count, uint32_t last)
{
	for (uint32_t frame = 1; frame <= last; frame++)
	{
		run_until(world, frame);
		for (int n = 0; n < count && frame > last / 2; n++)
			weigh(world, &openings[n]);
	}
	for (int n = 0; n < count; n++)
		openings[n].density /= last - last / 2;
}

static uint64_t added(spate_world *world)
{
	return spate_world_stats(world)->particles + spate_world_stats(world)->removed;
}

static void jets_are_as_dense_as_the_liquid(void **state)
{
	(void)state;
	int good = 1;
	static const char *const names[2][3] = {
	    {"water at its nozzle: density", "water at its nozzle: compression", "water from a nozzle: volume"},
	    {"honey at its nozzle: density", "honey at its nozzle: compression", "honey from a nozzle: volume"}};
	for (int n = 0; n < 2; n++)
	{
		const double d = 0.005, radius = 0.015, speed = 1.5, flow = pi * radius * radius * speed;
		char text[1024];
		snprintf(
		    text, sizeof text,
		    "spate: 2\nfluids: { a: { preset: %s, spacing: %g } }\n"
		    "sources: [{ type: emitter, fluid: a, position: [0, 0, 0], direction: [0, -1, 0], radius: %g,\n"
		    "            flow: %.9g }]\n"
		    "sinks: [{ shape: { plane: { point: [0, -0.12, 0], normal: [0, 1, 0] } } }]\n",
		    n ? "honey" : "water", d, radius, flow);
		spate_world *world = world_with(text, NULL);
		opening o = {0, d, flow, speed, -1, 1, 0};
		weigh_all(world, &o, 1, 24);
		good &= evidence(names[n][0], o.density, 1, 0.05, "",
				 "6 particles across, 1 to 6 spacings below, mean of 12 frames");
		good &= evidence_at_most(names[n][1], spate_world_stats(world)->density_error_avg, 0.05, "", "");
		good &= evidence(names[n][2], (double)added(world) * d * d * d, flow, 0.01 * flow, "m^3", "after 1 s");
		spate_world_destroy(world);
	}
	assert_true(good);
}

// A square of 0.05 m that looks down pours from its surface; a slab pours from its volume.
static void meshes_pour_as_nozzles_do(void **state)
{
	(void)state;
	skip_without_fields();
	const double d = 0.005, side = 0.05, speed = 1.5, flow = side * side * speed;
	soup s = {0};
	uint32_t a = add_vertex(&s, vec3_make(0, 0, 0)), b = add_vertex(&s, vec3_make((float)side, 0, 0)),
		 c = add_vertex(&s, vec3_make((float)side, 0, (float)side)),
		 e = add_vertex(&s, vec3_make(0, 0, (float)side));
	add_quad(&s, a, b, c, e);
	spate_mesh mesh = mesh_of(&s);
	char text[1024];
	snprintf(text, sizeof text,
		 "spate: 2\nfluids: { a: { preset: water, spacing: %g } }\n"
		 "sources: [{ type: surface, fluid: a, shape: { mesh: { path: square.obj } }, flow: %.9g }]\n"
		 "sinks: [{ shape: { plane: { point: [0, -0.12, 0], normal: [0, 1, 0] } } }]\n",
		 d, flow);
	spate_world *world = world_with(text, &mesh);
	opening o = {0, d, flow, speed, -1, 1, 0};
	weigh_all(world, &o, 1, 24);
	int good = evidence("water at the surface of a mesh: density", o.density, 1, 0.05, "",
			    "10 particles across, 1 to 6 spacings below, mean of 12 frames");
	good &= evidence_at_most("water at the surface of a mesh: compression",
				 spate_world_stats(world)->density_error_avg, 0.05, "", "");
	good &= evidence("water from the surface of a mesh: volume", (double)added(world) * d * d * d, flow,
			 0.01 * flow, "m^3", "after 1 s");
	spate_world_destroy(world);
	soup_free(&s);
	const double rain = 6e-4;
	snprintf(text, sizeof text,
		 "spate: 2\nfluids: { a: { preset: water, spacing: %g } }\n"
		 "sources: [{ type: volume, fluid: a, shape: { box: { min: [0, 0, 0], max: [0.1, 0.05, 0.1] } },\n"
		 "            flow: %.9g, velocity: [0, -0.5, 0] }]\n"
		 "sinks: [{ shape: { plane: { point: [0, -0.12, 0], normal: [0, 1, 0] } } }]\n",
		 d, rain);
	world = world_with(text, NULL);
	run_until(world, 24);
	good &= evidence("water that appears in a volume: volume", (double)added(world) * d * d * d, rain, 0.01 * rain,
			 "m^3", "after 1 s");
	good &= evidence_at_most("water that appears in a volume: compression",
				 spate_world_stats(world)->density_error_avg, 0.05, "", "");
	spate_world_destroy(world);
	assert_true(good);
}

// Two fluids with different spacings, from nozzles 3 coarse spacings apart.
static void two_nozzles_do_not_disturb_each_other(void **state)
{
	(void)state;
	const double coarse = 0.006, fine = 0.004, radius = 0.018, speed = 1.2, flow = pi * radius * radius * speed;
	char text[1024];
	snprintf(
	    text, sizeof text,
	    "spate: 2\nfluids:\n  water: { preset: water, spacing: %g }\n  oil: { preset: oil, spacing: %g }\n"
	    "sources:\n"
	    "  - { type: emitter, fluid: water, position: [-0.027, 0, 0], direction: [0, -1, 0], radius: %g, flow: %.9g }\n"
	    "  - { type: emitter, fluid: oil, position: [0.027, 0, 0], direction: [0, -1, 0], radius: %g, flow: %.9g }\n"
	    "sinks: [{ shape: { plane: { point: [0, -0.12, 0], normal: [0, 1, 0] } } }]\n",
	    coarse, fine, radius, flow, radius, flow);
	spate_world *world = world_with(text, NULL);
	opening o[2] = {{0, coarse, flow, speed, -1, 0, 0}, {1, fine, flow, speed, 0, 1, 0}};
	weigh_all(world, o, 2, 24);
	int good = evidence("water beside oil: density at its nozzle", o[0].density, 1, 0.05, "",
			    "6 particles across; spacing 1.5 times that of the oil");
	good &= evidence("oil beside water: density at its nozzle", o[1].density, 1, 0.05, "", "9 particles across");
	good &= evidence_at_most("water beside oil: compression", spate_world_stats(world)->density_error_avg, 0.05, "",
				 "");
	spate_world_destroy(world);
	assert_true(good);
}

// ------------------------------------------------------------------------------------------------------------------ honey

static uint32_t root_of(uint32_t *leader, uint32_t n)
{
	while (leader[n] != n)
		n = leader[n] = leader[leader[n]];
	return n;
}

// Groups of particles that are connected by steps of at most `step` (m).
static uint32_t count_groups(spate_world *world, double step)
{
	spate_store *store = spate_world_store(world);
	uint32_t count = spate_store_count(store), groups = 0, *leader = calloc(count, sizeof *leader);
	const float *p = spate_store_field(store, "position", NULL);
	assert_non_null(leader);
	for (uint32_t n = 0; n < count; n++)
		leader[n] = n;
	for (uint32_t a = 0; a < count; a++)
		for (uint32_t b = 0; b < a; b++)
		{
			double x = (double)(p[4 * a] - p[4 * b]), y = (double)(p[4 * a + 1] - p[4 * b + 1]),
			       z = (double)(p[4 * a + 2] - p[4 * b + 2]);
			if (x * x + y * y + z * z < step * step)
				leader[root_of(leader, a)] = root_of(leader, b);
		}
	for (uint32_t n = 0; n < count; n++)
		groups += leader[n] == n;
	free(leader);
	return groups;
}

// A stream of honey, 5 particles across, onto a floor: one body without dashes or notches, at every height as much as its speed asks for.
static void honey_is_one_stream(void **state)
{
	(void)state;
	const double d = 0.004, radius = 2.5 * d, height = 0.12, speed = 0.35, flow = pi * radius * radius * speed;
	char text[1024];
	snprintf(text, sizeof text,
		 "spate: 2\nfluids: { honey: { preset: honey, spacing: %g } }\n"
		 "sources: [{ type: emitter, fluid: honey, position: [0, %g, 0], direction: [0, -1, 0], radius: %g,\n"
		 "            flow: %.9g }]\n"
		 "colliders: [{ shape: { plane: { point: [0, 0, 0], normal: [0, 1, 0] } }, slip: 0 }]\n",
		 d, height, radius, flow);
	spate_world *world = world_with(text, NULL);
	double least = INFINITY, most = 0, groups = 0;
	for (uint32_t frame = 12; frame <= 36; frame += 4)
	{
		run_until(world, frame);
		groups = fmax(groups, count_groups(world, 2 * d));
		// the pile begins where there is more than in the opening
		for (double low = height - 2 * d; low > 0; low -= 2 * d)
		{
			double fall, count = count_between(world, 0, low, low + 2 * d, -1, 1, &fall);
			double held = count > 0 ? flow / fall * 2 * d / (d * d * d) : INFINITY;
			if (count > 2 * flow / speed * 2 * d / (d * d * d))
				break;
			least = fmin(least, count / held);
			most = fmax(most, count / held);
		}
	}
	int good = evidence("bodies in a stream of honey", groups, 1, 0, "",
			    "5 particles across, steps of 2 spacings; most of 7 frames");
	good &=
	    evidence_at_least("honey in the thinnest slice of its stream", least, 0.67, "",
			      "slices of 2 spacings between nozzle and pile; as a part of what flow and speed ask for");
	good &= evidence_at_most("honey in the thickest slice of its stream", most, 1.5, "", "likewise");
	good &= evidence("honey poured", (double)added(world) * d * d * d, 1.5 * flow, 0.01 * 1.5 * flow, "m^3",
			 "after 1.5 s");
	spate_world_destroy(world);
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(jets_are_as_dense_as_the_liquid),
	    cmocka_unit_test(meshes_pour_as_nozzles_do),
	    cmocka_unit_test(two_nozzles_do_not_disturb_each_other),
	    cmocka_unit_test(honey_is_one_stream),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
