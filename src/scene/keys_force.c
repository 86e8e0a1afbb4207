// Key table, part four: forces besides gravity.
#include "collider/shape.h"
#include "force/region.h"
#include "scene/key_rows.h"
#include "scene/measure.h"
#include "scene/read.h"

#include <math.h>
#include <stdio.h>

FITS(spate_force_def);

// One row, one or two lines: the layout is the table.
// clang-format off

#define OF(type) (1u << SPATE_FORCE_##type)
#define ROUND (OF(ATTRACTOR) | OF(VORTEX) | OF(SPIRAL))
#define SWIRLING (OF(VORTEX) | OF(SPIRAL))
#define DRAGGING (OF(WIND) | OF(DRAG) | OF(VORTEX))
#define PUSH .flags = KEY_LIVE, RANGE(-1e6, 1e6), .unit = "m/s^2"

static const scene_word type_words[] = {
#define FORCE(name, upper, doc) {#name, SPATE_FORCE_##upper, doc},
#include "force/forces.def"
#undef FORCE
    END};

static const scene_key force_keys[] = {
    {.name = "type", .kind = KEY_CHOICE, .flags = KEY_REQUIRED, FIELD(spate_force_def, type), .words = type_words + 1, // gravity is a key of its own
     .doc = "What the force does; see [forces.md](forces.md)."},
    NAME(spate_force_def),
    {.name = "fluids", .kind = KEY_FLUIDS, .flags = KEY_OMIT, ITEMS(spate_force_def, fluids, fluid_count), .example = "[water]",
     .doc = "The fluids it acts on; all unless given."},
    {.name = "shape", .kind = KEY_OBJECT, .flags = KEY_OMIT, FIELD(spate_force_def, shape), .object = &shape_object,
     .doc = "Where it acts; everywhere unless given. See [Shapes](#shapes)."},
    {.name = "falloff", .kind = KEY_NUMBER, .flags = KEY_LIVE, FIELD(spate_force_def, falloff), RANGE(0, FAR), .unit = "m",
     .example = "0.2", .doc = "Distance outside of the shape over which it falls to zero, as a smoothstep."},
    {.name = "velocity", .kind = KEY_VECTOR, .flags = KEY_REQUIRED | KEY_LIVE, FIELD(spate_force_def, velocity), RANGE(-1e4, 1e4),
     .unit = "m/s", .only = OF(WIND), .example = "[4, 0, 0]", .doc = "Velocity of the air."},
    {.name = "position", .kind = KEY_VECTOR, .flags = KEY_REQUIRED | KEY_LIVE, FIELD(spate_force_def, position), PLACE, .only = ROUND,
     .example = "[0, 1, 0]", .doc = "The centre, or a point on the axis."},
    {.name = "axis", .kind = KEY_VECTOR, .flags = KEY_NONZERO | KEY_LIVE, FIELD(spate_force_def, axis), RANGE(-FAR, FAR), .only = SWIRLING,
     .example = "[0, 1, 0]", .doc = "Direction of the axis; its length does not matter. Seen from its tip, the swirl is counter-clockwise."},
    {.name = "radius", .kind = KEY_NUMBER, .flags = KEY_REQUIRED | KEY_ABOVE_MIN | KEY_LIVE, FIELD(spate_force_def, radius), RANGE(0, FAR),
     .unit = "m", .only = ROUND, .example = "0.1",
     .doc = "Distance of the largest strength. Nearer, the strength is proportional to the distance."},
    {.name = "power", .kind = KEY_NUMBER, .flags = KEY_LIVE, FIELD(spate_force_def, power), RANGE(0, 10), .only = ROUND, .example = "2",
     .doc = "Beyond the radius, the strength falls as 1 / distance^power; 0 keeps it."},
    {.name = "strength", .kind = KEY_NUMBER, PUSH, FIELD(spate_force_def, strength), .only = ROUND, .example = "20",
     .doc = "Acceleration at the radius: towards the centre, or around the axis; negative the other way."},
    {.name = "inward", .kind = KEY_NUMBER, PUSH, FIELD(spate_force_def, inward), .only = OF(SPIRAL), .example = "5",
     .doc = "Acceleration towards the axis at the radius."},
    {.name = "along", .kind = KEY_NUMBER, PUSH, FIELD(spate_force_def, along), .only = OF(SPIRAL), .example = "-2",
     .doc = "Acceleration along the axis at the radius."},
    {.name = "speed", .kind = KEY_NUMBER, .flags = KEY_LIVE, FIELD(spate_force_def, speed), RANGE(-1e4, 1e4), .unit = "m/s",
     .only = OF(VORTEX), .example = "1.5", .doc = "Speed at the radius of a swirling flow that drags; needs `drag`."},
    {.name = "speed", .kind = KEY_NUMBER, FIELD(spate_force_def, speed), RANGE(0, 1e4), .unit = "m/s", .only = OF(NOISE),
     .example = "0.5", .doc = "Speed of the waves that the pattern is made of; 0 for a pattern that does not change."},
    {.name = "drag", .kind = KEY_NUMBER, .flags = KEY_LIVE, FIELD(spate_force_def, drag), RANGE(0, 1e6), .unit = "1/s", .only = DRAGGING,
     .example = "0.5", .doc = "Rate at which differences in velocity decay."},
    {.name = "quadratic", .kind = KEY_NUMBER, .flags = KEY_LIVE, FIELD(spate_force_def, quadratic), RANGE(0, 1e6), .unit = "1/m",
     .only = DRAGGING, .example = "0.1", .doc = "Quadratic drag: the rate grows by this times the difference in velocity."},
    {.name = "amplitude", .kind = KEY_NUMBER, .flags = KEY_REQUIRED | KEY_LIVE, FIELD(spate_force_def, amplitude), RANGE(0, 1e6),
     .unit = "m/s^2", .only = OF(NOISE), .example = "5", .doc = "Root mean square of the acceleration."},
    {.name = "size", .kind = KEY_NUMBER, .flags = KEY_REQUIRED | KEY_ABOVE_MIN, FIELD(spate_force_def, size), RANGE(0, FAR), .unit = "m",
     .only = OF(NOISE), .example = "0.3", .doc = "Mean wave length of the pattern."},
    {.name = "seed", .kind = KEY_COUNT64, FIELD(spate_force_def, seed), .only = OF(NOISE), .example = "1", .doc = "Another seed is another pattern."},
    {.name = "field", .kind = KEY_PATH, .flags = KEY_REQUIRED, FIELD(spate_force_def, field), .only = OF(TARGET),
     .example = "flow.vdb", .doc = "A .vdb file with a grid of vectors, in m/s; relative to the scene file."},
    {.name = "grid", .kind = KEY_TEXT, .flags = KEY_OMIT, FIELD(spate_force_def, grid), .only = OF(TARGET), .example = "vel",
     .doc = "Name of the grid; not needed if it is the only one with vectors."},
    {.name = "rate", .kind = KEY_NUMBER, .flags = KEY_REQUIRED | KEY_LIVE, FIELD(spate_force_def, drag), RANGE(0, 1e6), .unit = "1/s",
     .only = OF(TARGET), .example = "5", .doc = "Rate at which differences to the velocities of the grid decay."},
    {.name = "acceleration", .kind = KEY_FORMULAS, .flags = KEY_REQUIRED, FIELD(spate_force_def, acceleration), .unit = "m/s^2",
     .only = OF(EXPRESSION), .example = "[\"2*sin(3*t)\", \"0\", \"-x\"]",
     .doc = "Formulas for x, y and z, of x, y, z in m, t in s and vx, vy, vz in m/s."},
    END};
DEFAULTS(force)
const scene_object force_object = {
    .title = "Forces",
    .doc = "Accelerations besides gravity: a list. They add up. `type` decides which keys apply.",
    .example = "forces:\n"
	       "  - { type: wind, velocity: [4, 0, 0], drag: 0.5, shape: { box: { min: [0, 0.4, 0], max: [2, 1, 1] } }, falloff: 0.1 }\n"
	       "  - { type: attractor, position: [1, 0.5, 0.5], radius: 0.1, strength: 20, power: 2 }\n"
	       "  - { type: vortex, position: [1, 0, 0.5], radius: 0.2, speed: 1.5, drag: 4 }\n"
	       "  - { type: expression, acceleration: [\"2*sin(3*t)\", \"0\", \"-x\"], fluids: [oil] }\n",
    .size = sizeof(spate_force_def),
    .keys = force_keys,
    .tagged = 1,
    .tag_offset = offsetof(spate_force_def, type),
    .defaults = force_defaults,
    .check = check_force};

// clang-format on

// -------------------------------------------------------------------------------------------------------------- checks

// The keys of a type of which one at least makes the force act, for sentences and to look for.
typedef struct strength_keys
{
	const char *said, *keys[3];
} strength_keys;

static const strength_keys strengths[SPATE_FORCE_COUNT] = {
    [SPATE_FORCE_WIND] = {"drag or quadratic", {"drag", "quadratic"}},
    [SPATE_FORCE_DRAG] = {"drag or quadratic", {"drag", "quadratic"}},
    [SPATE_FORCE_ATTRACTOR] = {"strength", {"strength"}},
    [SPATE_FORCE_VORTEX] = {"strength, or speed and drag", {"strength", "drag", "quadratic"}},
    [SPATE_FORCE_SPIRAL] = {"strength, inward or along", {"strength", "inward", "along"}}};

void check_force(scene_reader *reader, const node *at, const void *object)
{
	const spate_force_def *force = object;
	const strength_keys *wanted = &strengths[force->type];
	int given = !wanted->said;
	for (int k = 0; k < 3 && wanted->keys[k]; k++)
		given |= node_get(at, wanted->keys[k]) != NULL;
	int speed = force->type == SPATE_FORCE_VORTEX && node_get(at, "speed");
	if (speed && !node_get(at, "drag") && !node_get(at, "quadratic"))
		read_error(reader, node_place(at, "speed"),
			   "a speed needs a drag that leads to it, like drag: 4; for an acceleration use strength");
	else if (!given)
		read_error(reader, at->named_at, "the force needs %s", wanted->said);
	if (force->falloff > 0.0 && !node_get(at, "shape"))
		read_warning(reader, node_place(at, "falloff"), "falloff has no effect without a shape");
}

// Whether some source makes a fluid that the force acts on.
static int has_liquid(const spate_world_def *world, const spate_force_def *force)
{
	for (uint32_t s = 0; s < world->source_count; s++)
	{
		int named = force->fluid_count == 0;
		for (uint32_t f = 0; f < force->fluid_count; f++)
			named |= source_gives(&world->sources[s], force->fluids[f]);
		if (named)
			return 1;
	}
	return 0;
}

static void include(double low[3], double high[3], const double a[3], const double b[3])
{
	for (int k = 0; k < 3; k++)
	{
		low[k] = fmin(low[k], a[k]);
		high[k] = fmax(high[k], b[k]);
	}
}

// The box around all sources and the containers: liquid that stays in the scene is there. Returns 0 if it is infinite.
static int liquid_box(const spate_world_def *world, double low[3], double high[3])
{
	int contained = 0;
	double a[3], b[3];
	for (int k = 0; k < 3; k++)
	{
		low[k] = INFINITY;
		high[k] = -INFINITY;
	}
	for (uint32_t s = 0; s < world->source_count; s++)
	{
		const spate_source_def *source = &world->sources[s];
		if (source->from)
			return 0;
		if (source->type == SPATE_SOURCE_EMITTER || !shape_bounds(&source->shape, a, b))
			include(low, high, source->position, source->position);
		else
			include(low, high, a, b);
	}
	for (uint32_t c = 0; c < world->collider_count; c++)
	{
		const spate_collider_def *collider = &world->colliders[c];
		int moves = collider->motion.keyframe_count > 0 || collider->motion.amplitude > 0.0;
		if (collider->mode == SPATE_COLLIDER_INSIDE && !collider->mesh.path && !moves &&
		    shape_bounds(&collider->shape, a, b))
		{
			include(low, high, a, b);
			contained = 1;
		}
	}
	return contained;
}

void check_forces(scene_reader *reader)
{
	const spate_world_def *world = &reader->scene->world;
	const node *items = node_get(reader->root, "forces");
	double low[3], high[3];
	int contained = liquid_box(world, low, high);
	for (uint32_t f = 0; f < world->force_count; f++)
	{
		const spate_force_def *force = &world->forces[f];
		const node *at = node_item(items, f);
		double a[3], b[3], apart = 0.0;
		snprintf(reader->path, PATH_CHARS, "forces.%u", f);
		if (world->source_count > 0 && !has_liquid(world, force))
			read_warning(reader, node_place(at, "fluids"),
				     "the force acts on no particle: no source emits its fluids");
		if (contained && region_is_limited(force) && shape_bounds(&force->shape, a, b))
			for (int k = 0; k < 3; k++)
				apart = fmax(apart, fmax(a[k] - high[k], low[k] - b[k]) - force->falloff);
		if (apart > 0.0)
			read_warning(
			    reader, node_place(at, "shape"),
			    "the force acts on no particle: its shape is %.3g m away from all sources and containers",
			    apart + force->falloff);
	}
	reader->path[0] = '\0';
}
