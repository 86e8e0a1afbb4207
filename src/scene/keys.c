#include "scene/key_rows.h"
#include "scene/presets.h"
#include "world/fields.h"

#include <math.h>
#include <string.h>

FITS(spate_fluid_def);
FITS(spate_interface_def);
FITS(spate_source_def);
FITS(spate_probe_def);
FITS(spate_camera_def);

// One row, one or two lines: the layout is the table.
// clang-format off

// -------------------------------------------------------------------------------------------------------------- fluids

static const scene_word preset_words[] = {
#define X(name, celsius, density, viscosity, tension, color, text) {#name, PRESET_##name, text " (" #celsius " C)"},
    PRESET_MAP(X)
#undef X
    END};

static void apply_preset(struct scene_reader *reader, void *object, int value)
{
	(void)reader;
	preset_apply((preset_id)value, object);
}

// A strength that a scene of version 1 gives replaces the tension of the fluid.
static void drop_tension(struct scene_reader *reader, void *object, int version)
{
	(void)reader, (void)version;
	((spate_fluid_def *)object)->surface_tension = 0.0;
}

static const scene_key fluid_keys[] = {
    {.name = "preset", .kind = KEY_CHOICE, .flags = KEY_NOT_STORED, .words = preset_words, .apply = apply_preset,
     .example = "honey", .doc = "A liquid from the [list](#presets); other keys of the fluid override its values."},
    {.name = "spacing", .kind = KEY_NUMBER, .flags = KEY_REQUIRED | KEY_ABOVE_MIN, FIELD(spate_fluid_def, spacing),
     RANGE(0, 100), .unit = "m", .example = "0.01",
     .doc = "Distance between particles at rest. Halving it means eight times the particles."},
    {.name = "density", .kind = KEY_NUMBER, .flags = KEY_ABOVE_MIN, FIELD(spate_fluid_def, density), RANGE(0, 1e5),
     .unit = "kg/m^3", .example = "1000", .doc = "Rest density."},
    {.name = "viscosity", .kind = KEY_NUMBER, .flags = KEY_LIVE, FIELD(spate_fluid_def, viscosity), RANGE(0, 1e3), .unit = "m^2/s",
     .example = "1.0e-6", .other = "mm^2/s (cSt)", .other_size = 1e-6, .doc = "Kinematic viscosity (dynamic viscosity divided by density)."},
    {.name = "damping", .kind = KEY_NUMBER, .flags = KEY_LIVE, FIELD(spate_fluid_def, damping), RANGE(0, 1e6), .word = "none",
     .word_value = -1, .example = "0.05",
     .doc = "Raw XSPH coefficient per substep, for tuning by eye; replaces `viscosity` when set."},
    {.name = "surface_tension", .since = 2, .kind = KEY_NUMBER, .flags = KEY_LIVE, FIELD(spate_fluid_def, surface_tension),
     RANGE(0, 10), .unit = "N/m", .example = "0.0728", .other = "mN/m (dyn/cm)", .other_size = 1e-3,
     .doc = "Surface tension; 0.0728 for water. Solvers that do not have it replace it by `cohesion`."},
    {.name = "cohesion", .before = "surface_tension", .kind = KEY_NUMBER, .flags = KEY_LIVE, FIELD(spate_fluid_def, cohesion),
     RANGE(0, 1), .word = "auto", .word_value = -1, .apply = drop_tension, .example = "0.1",
     .doc = "Strength of an attraction between particles, which replaces surface tension by eye: about 0.1 for water. `auto` is none, or that "
	    "of `surface_tension` where the solver has no other. In scenes of version 1 it is called `surface_tension`."},
    {.name = "pull", .kind = KEY_NUMBER, .flags = KEY_LIVE, FIELD(spate_fluid_def, pull), RANGE(0, 100), .example = "2",
     .doc = "Factor on the attraction part of `cohesion`."},
    {.name = "push", .kind = KEY_NUMBER, .flags = KEY_LIVE, FIELD(spate_fluid_def, push), RANGE(0, 100), .example = "0.5",
     .doc = "Factor on the repulsion part of `cohesion`, which keeps attracted particles apart."},
    {.name = "adhesion", .kind = KEY_NUMBER, .flags = KEY_LIVE, FIELD(spate_fluid_def, adhesion), RANGE(0, 1), .example = "0.2",
     .doc = "Attraction by colliders, on the scale of `cohesion`."},
    {.name = "vorticity", .kind = KEY_NUMBER, .flags = KEY_LIVE, FIELD(spate_fluid_def, vorticity), RANGE(0, 1), .example = "0.5",
     .doc = "Fraction of the energy lost to smoothing that vorticity confinement returns to vortices; 0 turns it off."},
    {.name = "color", .kind = KEY_COLOR, FIELD(spate_fluid_def, color), .example = "\"#3b82c4\"",
     .doc = "Colour in pictures (sRGB)."},
    END};
DEFAULTS(fluid)
static const scene_object fluid_object = {.title = "Fluids",
					  .doc = "The liquids, by name. Only `spacing` is required.",
					  .example = "fluids:\n"
						     "  water: { preset: water, spacing: 0.01 }\n"
						     "  ink: { preset: water, spacing: 0.01, color: \"#1b1b3a\" }\n",
					  .size = sizeof(spate_fluid_def),
					  .keys = fluid_keys,
					  .name_offset = offsetof(spate_fluid_def, name),
					  .defaults = fluid_defaults,
					  .check = check_fluid};

// ---------------------------------------------------------------------------------------------------------- interfaces

static const scene_key interface_keys[] = {
    {.name = "between", .kind = KEY_FLUID, .flags = KEY_REQUIRED, FIELD(spate_interface_def, fluids[0]), .example = "oil",
     .doc = "Name of one fluid."},
    {.name = "and", .kind = KEY_FLUID, .flags = KEY_REQUIRED, FIELD(spate_interface_def, fluids[1]), .example = "water",
     .doc = "Name of the other."},
    {.name = "surface_tension", .kind = KEY_NUMBER, .flags = KEY_REQUIRED | KEY_LIVE, FIELD(spate_interface_def, surface_tension),
     RANGE(0, 10), .unit = "N/m", .example = "0.05", .other = "mN/m (dyn/cm)", .other_size = 1e-3,
     .doc = "Tension of the surface between them; 0.05 for water and most oils. Those of the fluids are against air."},
    END};
DEFAULTS(interface)
static const scene_object interface_object = {
    .title = "Interfaces",
    .doc = "Where two fluids meet, as a list. A pair that is not in it has no tension, like liquids that mix.",
    .example = "interfaces:\n"
	       "  - { between: oil, and: water, surface_tension: 0.05 }\n",
    .size = sizeof(spate_interface_def),
    .keys = interface_keys,
    .defaults = interface_defaults,
    .check = check_interface};

// ------------------------------------------------------------------------------------------------------------- sources

#define FILL (1u << SPATE_SOURCE_FILL)
#define EMITTER (1u << SPATE_SOURCE_EMITTER)
#define SURFACE (1u << SPATE_SOURCE_SURFACE)
#define VOLUME (1u << SPATE_SOURCE_VOLUME)
#define POURING (EMITTER | SURFACE | VOLUME)

static const scene_word source_words[] = {{"fill", SPATE_SOURCE_FILL, "fills a shape with particles, once"},
					  {"emitter", SPATE_SOURCE_EMITTER, "pours from a disc, a rectangle or a line"},
					  {"surface", SPATE_SOURCE_SURFACE, "pours from the surface of a mesh"},
					  {"volume", SPATE_SOURCE_VOLUME, "particles appear in a shape, where there is room"},
					  END};
static const scene_word layout_words[] = {{"lattice", SPATE_LAYOUT_LATTICE, "a cubic lattice"},
					  {"relaxed", SPATE_LAYOUT_RELAXED, "random places that were moved apart, without rows"},
					  END};
static const scene_word collide_words[] = {{"false", SPATE_COLLIDE_NOT, "it is not"},
					   {"true", SPATE_COLLIDE_INSIDE, "a container, liquid stays in it"},
					   {"shell", SPATE_COLLIDE_SHELL, "a thin wall along the triangles of a mesh, liquid stays on its side"},
					   END};
static const scene_word profile_words[] = {
    {"flat", SPATE_PROFILE_FLAT, "the same speed everywhere"},
    {"parabolic", SPATE_PROFILE_PARABOLIC, "fastest in the middle, as after a long pipe, with the same flow"},
    END};
static const scene_key source_keys[] = {
    {.name = "type", .kind = KEY_CHOICE, .flags = KEY_REQUIRED, FIELD(spate_source_def, type), .words = source_words,
     .doc = "Type of the source."},
    NAME(spate_source_def),
    {.name = "fluid", .kind = KEY_FLUID, .flags = KEY_REQUIRED | KEY_OMIT, .unless = "from", FIELD(spate_source_def, fluid),
     .only = FILL, .example = "water",
     .doc = "Name of the fluid it is filled with. With `from`, all particles of the file get it; without it, they have the fluids of the "
	    "same names."},
    {.name = "fluid", .kind = KEY_FLUID, .flags = KEY_REQUIRED, FIELD(spate_source_def, fluid), .only = POURING,
     .example = "water", .doc = "Name of the fluid it emits."},
    {.name = "start", .kind = KEY_NUMBER, FIELD(spate_source_def, start), RANGE(0, 1e6), .unit = "s", .example = "0.5",
     .doc = "Time at which the fill appears, or at which it starts to pour."},
    {.name = "viscosity", .kind = KEY_NUMBER, .flags = KEY_OMIT, FIELD(spate_source_def, material.viscosity),
     RANGE(0, 1e3), .unit = "m^2/s", .example = "0.01", .other = "mm^2/s (cSt)", .other_size = 1e-6,
     .doc = "Kinematic viscosity of this source's particles; overrides the fluid's value, as do the next three keys."},
    {.name = "damping", .kind = KEY_NUMBER, .flags = KEY_OMIT, FIELD(spate_source_def, material.damping),
     RANGE(0, 1e6), .example = "0.05", .doc = "Raw XSPH coefficient per substep; replaces `viscosity` when set."},
    {.name = "cohesion", .before = "surface_tension", .kind = KEY_NUMBER, .flags = KEY_OMIT,
     FIELD(spate_source_def, material.cohesion), RANGE(0, 1), .example = "0.1",
     .doc = "Cohesion of this source's particles."},
    {.name = "density", .kind = KEY_NUMBER, .flags = KEY_OMIT | KEY_ABOVE_MIN,
     FIELD(spate_source_def, material.density), RANGE(0, 1e5), .unit = "kg/m^3", .example = "1000",
     .doc = "Rest density of this source's particles; the output channel `rest_density` stores it."},
    {.name = "color", .kind = KEY_COLOR, .flags = KEY_OMIT, FIELD(spate_source_def, color), .example = "\"#d9822b\"",
     .doc = "Colour (sRGB) of the [channel](channels.md) `color` of this source's particles; that of the fluid unless set."},
    {.name = "from", .kind = KEY_PATH, .flags = KEY_OMIT, FIELD(spate_source_def, from), .only = FILL,
     .example = "out/calm/frames/frame_000120.spate",
     .doc = "A file with particles to start from, in place of a shape: a frame of another run, or of another program; see "
	    "[sources.md](sources.md#from-another-run). The path is relative to the scene file's folder."},
    {.name = "position", .kind = KEY_VECTOR, .flags = KEY_OMIT, FIELD(spate_source_def, position), PLACE, .only = FILL,
     .example = "[0, 0.5, 0]", .doc = "Displacement of the particles of `from`."},
    {.name = "shape", .kind = KEY_OBJECT, .flags = KEY_REQUIRED | KEY_OMIT, .unless = "from", FIELD(spate_source_def, shape),
     .object = &volume_object, .only = FILL, .example = "{ box: { min: [0, 0, 0], max: [1, 1, 1] } }",
     .doc = "Shape to fill; see [Volumes](#volumes)."},
    {.name = "shape", .kind = KEY_OBJECT, .flags = KEY_REQUIRED, FIELD(spate_source_def, shape), .object = &volume_object,
     .only = SURFACE | VOLUME, .example = "{ mesh: { path: cloud.obj } }",
     .doc = "Shape in which particles appear, or the mesh whose surface pours; see [Volumes](#volumes)."},
    {.name = "level", .kind = KEY_NUMBER, FIELD(spate_source_def, level), RANGE(-FAR, FAR), .unit = "m", .word = "none",
     .word_value = INFINITY, .only = FILL, .example = "0.8", .doc = "Height up to which the shape is filled, along `level_up`."},
    {.name = "level_up", .kind = KEY_VECTOR, .flags = KEY_NONZERO, FIELD(spate_source_def, level_up), RANGE(-FAR, FAR), .only = FILL,
     .example = "[0, 1, 0]", .doc = "Direction of `level`; its length does not matter. Defaults to the scene's `up`."},
    {.name = "velocity", .kind = KEY_VECTOR, FIELD(spate_source_def, velocity), OR_FORMULAS(spate_source_def, velocity_formulas),
     RANGE(-1e4, 1e4), .unit = "m/s", .only = FILL, .example = "[1, 0, 0]",
     .doc = "Initial velocity, a vector or [formulas](#formulas-of-the-place). It is added to that of the particles of `from`."},
    {.name = "velocity", .kind = KEY_VECTOR, FIELD(spate_source_def, velocity), RANGE(-1e4, 1e4), .unit = "m/s", .only = VOLUME,
     .example = "[1, 0, 0]", .doc = "Initial velocity."},
    {.name = "spin", .kind = KEY_VECTOR, FIELD(spate_source_def, spin), RANGE(-1e4, 1e4), .unit = "rad/s", .only = FILL,
     .example = "[0, 2, 0]", .doc = "Initial angular velocity about the centre of the shape."},
    {.name = "collide", .kind = KEY_CHOICE, FIELD(spate_source_def, collide), .words = collide_words, .only = FILL,
     .doc = "Whether the shape is a collider, too, of the name of the fill."},
    {.name = "wall", .kind = KEY_OBJECT, .flags = KEY_OMIT, FIELD(spate_source_def, wall), .object = &wall_object, .only = FILL,
     .doc = "How that collider acts on liquid that touches it; see [Walls of fills](#walls-of-fills)."},
    {.name = "layout", .kind = KEY_CHOICE, FIELD(spate_source_def, layout), .words = layout_words, .only = FILL,
     .doc = "How the particles begin."},
    {.name = "jitter", .kind = KEY_NUMBER, FIELD(spate_source_def, jitter), RANGE(0, 0.5), .only = FILL | EMITTER | SURFACE,
     .example = "0.1", .doc = "Random displacement of each particle, in spacings; breaks up the lattice of a fill and the columns of a jet."},
    {.name = "stop", .kind = KEY_NUMBER, .flags = KEY_LIVE, FIELD(spate_source_def, stop), RANGE(0, 1e6), .unit = "s", .word = "never",
     .word_value = -1, .only = POURING, .example = "2.5", .doc = "Time at which it stops to pour."},
    {.name = "position", .kind = KEY_VECTOR, .flags = KEY_REQUIRED | KEY_LIVE, FIELD(spate_source_def, position), PLACE,
     .only = EMITTER, .example = "[0, 1, 0]", .doc = "Centre of the opening."},
    {.name = "direction", .kind = KEY_VECTOR, .flags = KEY_REQUIRED | KEY_NONZERO | KEY_LIVE, FIELD(spate_source_def, direction),
     RANGE(-FAR, FAR), .only = EMITTER, .example = "[0, -1, 0]",
     .doc = "Direction of the jet; its length does not matter."},
    {.name = "direction", .kind = KEY_VECTOR, .flags = KEY_OMIT | KEY_NONZERO, FIELD(spate_source_def, direction),
     RANGE(-FAR, FAR), .only = SURFACE, .example = "[0, -1, 0]",
     .doc = "Direction of the liquid instead of that of the surface: only what faces it pours. Its length does not matter."},
    {.name = "follow", .kind = KEY_COLLIDER, .flags = KEY_OMIT, FIELD(spate_source_def, follow), .only = POURING,
     .example = "nozzle", .doc = "Name of a collider that the opening moves with: place and direction are those before it moves, and the "
				 "liquid leaves with its velocity added."},
    {.name = "speed", .kind = KEY_NUMBER, .flags = KEY_OMIT | KEY_LIVE, FIELD(spate_source_def, speed),
     RANGE(0, 1e4), .unit = "m/s", .only = EMITTER | SURFACE, .example = "1.5",
     .doc = "Speed of the jet, 0 to pause it. Without it, what `flow` needs to get through the opening."},
    {.name = "flow", .kind = KEY_NUMBER, .flags = KEY_OMIT | KEY_LIVE, FIELD(spate_source_def, flow),
     RANGE(0, 1e9), .unit = "m^3/s", .only = POURING, .example = "2.0e-4",
     .doc = "Volume per second. Together with `speed`, the jet of an emitter becomes as thin as `flow` / `speed` needs, and a surface sheds drops."},
    {.name = "count", .kind = KEY_COUNT64, .flags = KEY_OMIT, FIELD(spate_source_def, count), RANGE(1, 2147483648.0),
     .only = POURING, .example = "20000", .doc = "Number of particles to pour evenly from `start` to `stop`, instead of a flow."},
    {.name = "radius", .kind = KEY_NUMBER, .flags = KEY_OMIT | KEY_ABOVE_MIN | KEY_LIVE, FIELD(spate_source_def, radius),
     RANGE(0, FAR), .unit = "m", .only = EMITTER, .example = "0.05", .doc = "Radius of a round opening."},
    {.name = "width", .kind = KEY_NUMBER, .flags = KEY_OMIT | KEY_ABOVE_MIN | KEY_LIVE, FIELD(spate_source_def, width),
     RANGE(0, FAR), .unit = "m", .only = EMITTER, .example = "0.2",
     .doc = "Width of a rectangular opening; without `height`, of a line one spacing thick."},
    {.name = "height", .kind = KEY_NUMBER, .flags = KEY_OMIT | KEY_ABOVE_MIN | KEY_LIVE, FIELD(spate_source_def, height),
     RANGE(0, FAR), .unit = "m", .only = EMITTER, .example = "0.1", .doc = "Height of a rectangular opening; requires `width`."},
    {.name = "across", .kind = KEY_VECTOR, .flags = KEY_OMIT | KEY_NONZERO, FIELD(spate_source_def, across),
     RANGE(-FAR, FAR), .only = EMITTER, .example = "[1, 0, 0]",
     .doc = "Direction of the width, as far as it is across the jet; any horizontal one without it."},
    {.name = "profile", .kind = KEY_CHOICE, FIELD(spate_source_def, profile), .words = profile_words, .only = EMITTER,
     .doc = "How the speed varies over the opening."},
    {.name = "limit", .kind = KEY_COUNT64, .flags = KEY_LIVE, FIELD(spate_source_def, limit), RANGE(1, 2147483648.0), .word = "none",
     .only = POURING, .example = "100000", .doc = "Maximum number of particles to emit."},
    {.name = "limit", .kind = KEY_COUNT64, FIELD(spate_source_def, limit), RANGE(1, 2147483648.0), .word = "none", .only = FILL,
     .example = "100000", .doc = "Maximum number of particles: the lowest ones along `level_up`."},
    END};
static void source_defaults(void *object, spate_up up)
{
	spate_source_def *source = object;
	*source = spate_default_source_def();
	source->fluid = SPATE_FLUID_BY_NAME;
	source->level_up[1] = up == SPATE_UP_Y;
	source->level_up[2] = up == SPATE_UP_Z;
}
static const scene_object source_object = {
    .title = "Sources",
    .doc = "Where liquid comes from: a list. `type` decides which keys apply.",
    .example = "sources:\n"
	       "  - { type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [0.5, 0.5, 0.5] } } }\n"
	       "  - type: emitter\n"
	       "    fluid: water\n"
	       "    position: [0, 1, 0]\n"
	       "    direction: [0, -1, 0]\n"
	       "    radius: 0.05\n"
	       "    speed: 1.5\n"
	       "    stop: 3\n"
	       "  - { type: surface, fluid: water, shape: { mesh: { path: idol.obj } }, flow: 2.0e-4 }\n"
	       "  - { type: volume, fluid: water, shape: { sphere: { center: [0, 1, 0], radius: 0.1 } }, flow: 2.0e-4 }\n",
    .size = sizeof(spate_source_def),
    .keys = source_keys,
    .tagged = 1,
    .tag_offset = offsetof(spate_source_def, type),
    .defaults = source_defaults,
    .check = check_source};

// -------------------------------------------------------------------------------------------------------------- probes

#define POINT (1u << SPATE_PROBE_POINT)
#define HEIGHT (1u << SPATE_PROBE_HEIGHT)
#define FRONT (1u << SPATE_PROBE_FRONT)
#define FLUX (1u << SPATE_PROBE_FLUX)
#define FORCE (1u << SPATE_PROBE_FORCE)

static const scene_word probe_words[] = {
    {"point", SPATE_PROBE_POINT, "density, pressure and velocity at a point"},
    {"height", SPATE_PROBE_HEIGHT, "liquid level along a line, in m from its start"},
    {"front", SPATE_PROBE_FRONT, "position of the leading edge in a direction, in m, without stray drops"},
    {"flux", SPATE_PROBE_FLUX, "volume flow rate through a rectangle, in m^3/s"},
    {"force", SPATE_PROBE_FORCE, "force of the liquid on a collider, in N, and its torque, in N m"},
    END};
static const scene_key probe_keys[] = {
    {.name = "type", .kind = KEY_CHOICE, .flags = KEY_REQUIRED, FIELD(spate_probe_def, type), .words = probe_words,
     .doc = "What the probe measures."},
    {.name = "position", .kind = KEY_VECTOR, .flags = KEY_REQUIRED, FIELD(spate_probe_def, a), PLACE,
     .only = POINT | FLUX, .example = "[1, 0, 0.25]", .doc = "The point, or the centre of the rectangle."},
    {.name = "from", .kind = KEY_VECTOR, .flags = KEY_REQUIRED, FIELD(spate_probe_def, a), PLACE, .only = HEIGHT,
     .example = "[1, 0, 0.25]", .doc = "Start of the line, usually on the ground."},
    {.name = "to", .kind = KEY_VECTOR, .flags = KEY_REQUIRED, FIELD(spate_probe_def, b), PLACE, .only = HEIGHT,
     .example = "[1, 1, 0.25]", .doc = "End of the line."},
    {.name = "direction", .kind = KEY_VECTOR, .flags = KEY_REQUIRED | KEY_NONZERO, FIELD(spate_probe_def, direction),
     RANGE(-FAR, FAR), .only = FRONT | FLUX, .example = "[1, 0, 0]", .doc = "Direction that counts as positive."},
    {.name = "width", .kind = KEY_NUMBER, .flags = KEY_REQUIRED | KEY_ABOVE_MIN, FIELD(spate_probe_def, width),
     RANGE(0, FAR), .unit = "m", .only = FLUX, .example = "0.5", .doc = "Width of the rectangle."},
    {.name = "height", .kind = KEY_NUMBER, .flags = KEY_REQUIRED | KEY_ABOVE_MIN, FIELD(spate_probe_def, height),
     RANGE(0, FAR), .unit = "m", .only = FLUX, .example = "0.5", .doc = "Height of the rectangle."},
    {.name = "radius", .kind = KEY_NUMBER, .flags = KEY_ABOVE_MIN, FIELD(spate_probe_def, radius), RANGE(0, FAR),
     .unit = "m", .word = "auto", .only = POINT | HEIGHT, .example = "0.02",
     .doc = "Search radius; `auto` is the kernel radius for a point probe and one spacing for a height probe."},
    {.name = "collider", .kind = KEY_COLLIDER, .flags = KEY_REQUIRED, FIELD(spate_probe_def, collider), .only = FORCE,
     .example = "paddle", .doc = "Name of the collider. The torque is about the pivot of its motion, as moved."},
    END};
DEFAULTS(probe)
static const scene_object probe_object = {
    .title = "Probes",
    .doc = "Measurements, by name, written to `probes.csv` after every frame. `type` decides which keys apply.",
    .example = "probes:\n"
	       "  gauge: { type: height, from: [1, 0, 0.25], to: [1, 1, 0.25] }\n"
	       "  front: { type: front, direction: [1, 0, 0] }\n",
    .size = sizeof(spate_probe_def),
    .keys = probe_keys,
    .tagged = 1,
    .tag_offset = offsetof(spate_probe_def, type),
    .name_offset = offsetof(spate_probe_def, name),
    .defaults = probe_defaults,
    .check = check_probe};

// -------------------------------------------------------------------------------------------------- cameras and output

static const scene_key camera_keys[] = {
    {.name = "position", .kind = KEY_VECTOR, .flags = KEY_REQUIRED | KEY_TIMED, FIELD(spate_camera_def, position), PLACE,
     .example = "[1, 1, 3]", .doc = "Position of the camera."},
    {.name = "target", .kind = KEY_VECTOR, .flags = KEY_TIMED, FIELD(spate_camera_def, target), PLACE, .example = "[1, 0.3, 0.25]",
     .doc = "The point that the camera looks at."},
    {.name = "up", .kind = KEY_VECTOR, .flags = KEY_NONZERO | KEY_TIMED, FIELD(spate_camera_def, up), RANGE(-FAR, FAR),
     .example = "[0, 1, 0]", .doc = "Up direction of the picture; defaults to the scene's `up`."},
    {.name = "fov", .kind = KEY_NUMBER, .flags = KEY_TIMED, FIELD(spate_camera_def, fov), RANGE(1, 170), .unit = "degrees", .example = "35",
     .doc = "Vertical field of view."},
    END};
static void camera_defaults(void *object, spate_up up)
{
	spate_camera_def *camera = object;
	*camera = spate_default_camera_def();
	camera->up[1] = up == SPATE_UP_Y;
	camera->up[2] = up == SPATE_UP_Z;
}
static const scene_object camera_object = {.title = "Cameras",
					   .doc = "Views for pictures, by name. They may move; see [time.md](time.md#cameras).",
					   .example = "cameras:\n"
						      "  main: { position: [1, 1, 3], target: [1, 0.3, 0], fov: 35 }\n",
					   .size = sizeof(spate_camera_def),
					   .keys = camera_keys,
					   .name_offset = offsetof(spate_camera_def, name),
					   .defaults = camera_defaults,
					   .check = check_camera};

// Published fields; ids and positions are in every frame.
static int channel_at(uint32_t n, scene_word *out)
{
	world_field field, first;
	for (uint32_t i = 0; world_field_at(i, &field); i++)
	{
		int always = field.origin == FIELD_OF_CORE && (i == STORE_FIELD_id || i == STORE_FIELD_position);
		int repeated = 0; // two solvers may have a field of the same name
		for (uint32_t k = 0; k < i && !repeated; k++)
			repeated = world_field_at(k, &first) && strcmp(first.def->name, field.def->name) == 0;
		if (always || repeated || !(field.def->flags & SPATE_FIELD_PUBLISHED) || n-- > 0)
			continue;
		*out = (scene_word){.name = field.def->name, .doc = field.def->meaning};
		return 1;
	}
	return 0;
}
// Channels that the scene declares.
static int declared_at(const spate_scene *scene, uint32_t n, scene_word *out)
{
	if (n >= scene->world.channel_count)
		return 0;
	*out = (scene_word){.name = scene->world.channels[n].name, .doc = ""};
	return 1;
}
static const scene_key output_keys[] = {
    {.name = "channels", .kind = KEY_CHOICES, ITEMS(spate_output_def, channels, channel_count), .word_at = channel_at,
     .scene_word_at = declared_at, .example = "[velocity, density]",
     .doc = "Published fields that each frame stores besides ids and positions, and the scene's own [channels](#channels). "
	    "Scenes with several fluids add `fluid` unless the list is given."},
    {.name = "checkpoint_every", .kind = KEY_COUNT, FIELD(spate_output_def, checkpoint_every), RANGE(0, 1000000),
     .example = "10", .doc = "Frames between checkpoints; 0 writes one only at the end or when the run is interrupted."},
    END};
static const scene_object output_object = {.title = "Output",
					   .doc = "What a run writes.",
					   .example = "output: { channels: [velocity, fluid], checkpoint_every: 5 }\n",
					   .size = sizeof(spate_output_def),
					   .keys = output_keys};

// ---------------------------------------------------------------------------------------------------------------- root

static const scene_word up_words[] = {{"y", SPATE_UP_Y, "y is up"}, {"z", SPATE_UP_Z, "z is up"}, END};
static const scene_word runaway_words[] = {
    {"remove", SPATE_RUNAWAY_REMOVE, "count, report and remove them"},
    {"clamp", SPATE_RUNAWAY_CLAMP, "limit their speed"},
    {"stop", SPATE_RUNAWAY_STOP, "end the run"},
    END};

static void apply_up(struct scene_reader *reader, void *object, int value)
{
	(void)reader;
	spate_scene *scene = object;
	double g = spate_default_world_def().gravity[1];
	scene->world.gravity[1] = value == SPATE_UP_Y ? g : 0.0;
	scene->world.gravity[2] = value == SPATE_UP_Z ? g : 0.0;
}

// Order matters: `up` precedes the keys whose defaults depend on it, `fluids`, `sources`, `channels` and `colliders` the keys that
// refer to them.
static const scene_key root_keys[] = {
    {.name = "spate", .kind = KEY_VERSION, .flags = KEY_REQUIRED | KEY_NOT_STORED, RANGE(1, 2), .example = "2",
     .doc = "Version of the scene format. In version 1, `cohesion` is called `surface_tension`, and the default solver is `pbf`."},
    {.name = "include", .since = 2, .kind = KEY_LIST, .flags = KEY_NOT_STORED, .object = &include_object,
     .example = "[pool.yaml, jet.yaml]", .doc = "Other scene files whose contents are part of this scene."},
    {.name = "name", .kind = KEY_TEXT, FIELD(spate_scene, name), .example = "dam_break",
     .doc = "Name of the output directory; defaults to the name of the scene file."},
    {.name = "frames", .kind = KEY_COUNT, FIELD(spate_scene, frames), RANGE(1, 1000000), .example = "120",
     .doc = "Number of frames to simulate."},
    {.name = "fps", .kind = KEY_NUMBER, .flags = KEY_ABOVE_MIN, FIELD(spate_scene, world.fps), RANGE(0, 100000),
     .example = "24", .doc = "Frames per second of simulated time."},
    {.name = "up", .kind = KEY_CHOICE, FIELD(spate_scene, up), .words = up_words, .apply = apply_up,
     .doc = "Up axis; sets the default direction of gravity and the cameras' `up`."},
    {.name = "gravity", .kind = KEY_VECTOR, .flags = KEY_LIVE, FIELD(spate_scene, world.gravity), RANGE(-1e4, 1e4), .unit = "m/s^2",
     .example = "[0, -9.81, 0]", .doc = "Gravitational acceleration."},
    {.name = "seed", .kind = KEY_COUNT64, FIELD(spate_scene, world.seed), .example = "1",
     .doc = "Seed of the random number generator. Equal seeds give equal runs."},
    {.name = "solver", .kind = KEY_OBJECT, FIELD(spate_scene, world.solver), .object = &solver_object,
     .doc = "The solver and its accuracy."},
    {.name = "fluids", .kind = KEY_MAP, .flags = KEY_REQUIRED | KEY_NOT_EMPTY,
     ITEMS(spate_scene, world.fluids, world.fluid_count), .object = &fluid_object, .doc = "The liquids, by name."},
    {.name = "interfaces", .since = 2, .kind = KEY_LIST, ITEMS(spate_scene, world.interfaces, world.interface_count),
     .object = &interface_object, .doc = "Tensions where two fluids meet."},
    {.name = "sources", .kind = KEY_LIST, ITEMS(spate_scene, world.sources, world.source_count),
     .object = &source_object, .doc = "Where liquid comes from."},
    {.name = "channels", .kind = KEY_MAP, .flags = KEY_OMIT, ITEMS(spate_scene, world.channels, world.channel_count),
     .object = &channel_object, .doc = "Values that particles carry, by name."},
    {.name = "colliders", .kind = KEY_LIST, ITEMS(spate_scene, world.colliders, world.collider_count),
     .object = &collider_object, .doc = "Solid obstacles and containers."},
    {.name = "bodies", .since = 2, .kind = KEY_LIST, .flags = KEY_OMIT, ITEMS(spate_scene, world.bodies, world.body_count),
     .object = &body_object, .doc = "Solids that the liquid moves."},
    {.name = "joints", .since = 2, .kind = KEY_LIST, .flags = KEY_OMIT, ITEMS(spate_scene, world.joints, world.joint_count),
     .object = &joint_object, .doc = "What holds bodies together."},
    {.name = "sinks", .kind = KEY_LIST, ITEMS(spate_scene, world.sinks, world.sink_count), .object = &sink_object,
     .doc = "Regions that remove liquid."},
    {.name = "forces", .since = 2, .kind = KEY_LIST, ITEMS(spate_scene, world.forces, world.force_count), .object = &force_object,
     .doc = "Wind, vortices and other forces besides gravity."},
    {.name = "probes", .kind = KEY_MAP, ITEMS(spate_scene, world.probes, world.probe_count), .object = &probe_object,
     .doc = "Measurements, by name."},
    {.name = "cameras", .kind = KEY_MAP, ITEMS(spate_scene, cameras, camera_count), .object = &camera_object,
     .doc = "Views for pictures, by name."},
    {.name = "output", .kind = KEY_OBJECT, FIELD(spate_scene, output), .object = &output_object,
     .doc = "What a run writes."},
    {.name = "runaway", .kind = KEY_CHOICE, .flags = KEY_LIVE, FIELD(spate_scene, world.runaway), .words = runaway_words,
     .doc = "How to handle particles that exceed the speed limit, leave the representable range or become NaN."},
    {.name = "speed_limit", .kind = KEY_NUMBER, .flags = KEY_ABOVE_MIN | KEY_LIVE, FIELD(spate_scene, world.speed_limit),
     RANGE(0, 1e6), .unit = "m/s", .word = "auto", .example = "200",
     .doc = "Speed above which a particle counts as a runaway; `auto` is 20 times the speed of a fall through the scene, at least 100."},
    END};

const scene_object scene_root = {.title = "Top level",
				 .doc = "A scene is a map with these keys.",
				 .size = sizeof(spate_scene),
				 .keys = root_keys,
				 .check = NULL};
