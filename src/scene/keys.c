#include "scene/keys.h"

#include "scene/check.h"
#include "scene/presets.h"
#include "scene/read.h"

#define FITS(type) _Static_assert(sizeof(type) <= KEY_ELEMENT_BYTES, "an element is larger than the room for one")
FITS(spate_keyframe);
FITS(spate_fluid_def);
FITS(spate_source_def);
FITS(spate_collider_def);
FITS(spate_sink_def);
FITS(spate_probe_def);
FITS(spate_camera_def);

// One row, one or two lines: the layout is the table.
// clang-format off

#define FIELD(type, member) .offset = offsetof(type, member)
#define ITEMS(type, member, counter) .offset = offsetof(type, member), .count_offset = offsetof(type, counter)
#define RANGE(low, high) .min = (low), .max = (high)
// Places and lengths beyond this are slips of the keyboard, in metres.
#define FAR 1.0e6
#define PLACE RANGE(-FAR, FAR), .unit = "m"
#define END {.name = NULL}

// -------------------------------------------------------------------------------------------------------------- shapes

#define CORNERS(first, second, first_doc, second_doc, ...)                                                    \
	{.name = first, .kind = KEY_VECTOR, .flags = KEY_REQUIRED, FIELD(spate_shape, a), PLACE,              \
	 .example = "[0, 0, 0]", .doc = first_doc},                                                           \
	    {.name = second, .kind = KEY_VECTOR, FIELD(spate_shape, b), __VA_ARGS__, .doc = second_doc}
#define RADIUS                                                                                                 \
	{.name = "radius", .kind = KEY_NUMBER, .flags = KEY_REQUIRED | KEY_ABOVE_MIN, RANGE(0, FAR), .unit = "m", \
	 FIELD(spate_shape, radius), .example = "0.2", .doc = "Radius."}
#define SECOND_PLACE .flags = KEY_REQUIRED, PLACE, .example = "[1, 1, 1]"

static const scene_key plane_keys[] = {
    CORNERS("point", "normal", "Any point of the plane.", "Points to the liquid's side; its length does not matter.",
	    .flags = KEY_REQUIRED | KEY_NONZERO, RANGE(-FAR, FAR), .example = "[0, 1, 0]"),
    END};
static const scene_key box_keys[] = {
    CORNERS("min", "max", "Corner with the smallest coordinates.", "Corner with the largest coordinates.",
	    SECOND_PLACE),
    END};
static const scene_key sphere_keys[] = {
    {.name = "center", .kind = KEY_VECTOR, .flags = KEY_REQUIRED, FIELD(spate_shape, a), PLACE,
     .example = "[0, 0.5, 0]", .doc = "Centre."},
    RADIUS, END};
static const scene_key axis_keys[] = {
    CORNERS("from", "to", "One end of the axis.", "The other end.", SECOND_PLACE), RADIUS, END};

static const scene_object plane_object = {.size = sizeof(spate_shape), .keys = plane_keys};
static const scene_object box_object = {.size = sizeof(spate_shape), .keys = box_keys, .check = check_box};
static const scene_object sphere_object = {.size = sizeof(spate_shape), .keys = sphere_keys};
static const scene_object axis_object = {.size = sizeof(spate_shape), .keys = axis_keys, .check = check_axis};

static const scene_key shape_keys[] = {
    {.name = "box", .kind = KEY_OBJECT, .object = &box_object, .variant = SPATE_SHAPE_BOX,
     .doc = "A box along the axes."},
    {.name = "sphere", .kind = KEY_OBJECT, .object = &sphere_object, .variant = SPATE_SHAPE_SPHERE, .doc = "A ball."},
    {.name = "plane", .kind = KEY_OBJECT, .object = &plane_object, .variant = SPATE_SHAPE_PLANE,
     .doc = "Everything behind an endless plane."},
    {.name = "capsule", .kind = KEY_OBJECT, .object = &axis_object, .variant = SPATE_SHAPE_CAPSULE,
     .doc = "A round bar with round ends, which reach beyond the axis by the radius."},
    {.name = "cylinder", .kind = KEY_OBJECT, .object = &axis_object, .variant = SPATE_SHAPE_CYLINDER,
     .doc = "A round bar with flat ends."},
    END};
static const scene_object shape_object = {
    .title = "Shapes",
    .doc = "Sources, colliders and sinks have a `shape`: a map with exactly one of these keys.",
    .example = "colliders:\n"
	       "  - shape: { plane: { point: [0, 0, 0], normal: [0, 1, 0] } }\n"
	       "  - shape: { sphere: { center: [0, 0.2, 0], radius: 0.2 } }\n"
	       "  - shape: { cylinder: { from: [1, 0, 0], to: [1, 0.5, 0], radius: 0.1 } }\n",
    .size = sizeof(spate_shape),
    .keys = shape_keys,
    .one_of = 1,
    .tag_offset = offsetof(spate_shape, type)};

#define SHAPE(type, ...)                                                                                          \
	{.name = "shape", .kind = KEY_OBJECT, .flags = KEY_REQUIRED, FIELD(type, shape), .object = &shape_object, \
	 .example = "{ box: { min: [0, 0, 0], max: [1, 1, 1] } }", .doc = "Where it is; see [Shapes](#shapes).", __VA_ARGS__}
#define NAME(type)                                                                            \
	{.name = "name", .kind = KEY_TEXT, .flags = KEY_OMIT, FIELD(type, name), .example = "tank", \
	 .doc = "A name for messages."}

// -------------------------------------------------------------------------------------------------------------- motion

static const scene_key keyframe_keys[] = {
    {.name = "time", .kind = KEY_NUMBER, .flags = KEY_REQUIRED, FIELD(spate_keyframe, time), RANGE(0, 1e6), .unit = "s",
     .example = "0.5", .doc = "When; later than the keyframe before."},
    {.name = "position", .kind = KEY_VECTOR, FIELD(spate_keyframe, position), PLACE, .example = "[0, 0.1, 0]",
     .doc = "Added to the shape's own place."},
    {.name = "rotation", .kind = KEY_VECTOR, FIELD(spate_keyframe, rotation), RANGE(-1e6, 1e6), .unit = "degrees",
     .example = "[0, 90, 0]", .doc = "About x, then y, then z, around the pivot."},
    {.name = "scale", .kind = KEY_NUMBER, .flags = KEY_ABOVE_MIN, FIELD(spate_keyframe, scale), RANGE(0, 1000),
     .example = "1.5", .doc = "Size, around the pivot; 1 is the shape's own."},
    END};
static void keyframe_defaults(void *object, spate_up up)
{
	(void)up;
	*(spate_keyframe *)object = (spate_keyframe){.scale = 1.0};
}
static const scene_object keyframe_object = {
    .title = "Keyframes",
    .doc = "Between keyframes the motion is a straight line; before the first and after the last it rests.",
    .size = sizeof(spate_keyframe),
    .keys = keyframe_keys,
    .defaults = keyframe_defaults};

static const scene_key sine_keys[] = {
    {.name = "direction", .kind = KEY_VECTOR, .flags = KEY_REQUIRED | KEY_NONZERO, FIELD(spate_motion, direction),
     RANGE(-FAR, FAR), .example = "[1, 0, 0]", .doc = "Which way; its length does not matter."},
    {.name = "amplitude", .kind = KEY_NUMBER, .flags = KEY_REQUIRED | KEY_ABOVE_MIN, FIELD(spate_motion, amplitude),
     RANGE(0, FAR), .unit = "m", .example = "0.05", .doc = "Furthest distance from the middle."},
    {.name = "frequency", .kind = KEY_NUMBER, .flags = KEY_ABOVE_MIN, FIELD(spate_motion, frequency), RANGE(0, 1000),
     .unit = "Hz", .example = "0.8", .doc = "Swings per second."},
    {.name = "phase", .kind = KEY_NUMBER, FIELD(spate_motion, phase), RANGE(-1e6, 1e6), .unit = "degrees",
     .example = "90", .doc = "Where in the swing it starts; the shape's own place is there."},
    {.name = "start", .kind = KEY_NUMBER, FIELD(spate_motion, start), RANGE(0, 1e6), .unit = "s", .example = "1",
     .doc = "It rests before."},
    END};
static const scene_object sine_object = {
    .title = "Sine",
    .doc = "On top of the keyframes: offset = direction * amplitude * (sin(2 pi * frequency * (t - start) + phase) - sin(phase)).",
    .size = sizeof(spate_motion),
    .keys = sine_keys};

static const scene_key motion_keys[] = {
    {.name = "keyframes", .kind = KEY_LIST, .flags = KEY_OMIT | KEY_NOT_EMPTY,
     ITEMS(spate_motion, keyframes, keyframe_count), .object = &keyframe_object, .doc = "Places along the way."},
    {.name = "sine", .kind = KEY_OBJECT, .flags = KEY_OMIT, .object = &sine_object, .doc = "A swing."},
    {.name = "pivot", .kind = KEY_VECTOR, FIELD(spate_motion, pivot), PLACE, .example = "[0, 0, 0]",
     .doc = "Centre of rotation."},
    END};
static const scene_object motion_object = {
    .title = "Motion",
    .doc = "How a collider moves. The liquid feels its speed.",
    .example = "colliders:\n"
	       "  - name: paddle\n"
	       "    shape: { box: { min: [0, 0, 0], max: [0.05, 1, 0.5] } }\n"
	       "    motion:\n"
	       "      keyframes:\n"
	       "        - { time: 0, position: [0, 0, 0] }\n"
	       "        - { time: 2, position: [0.5, 0, 0], rotation: [0, 90, 0] }\n"
	       "      sine: { direction: [1, 0, 0], amplitude: 0.05, frequency: 0.8, start: 2 }\n",
    .size = sizeof(spate_motion),
    .keys = motion_keys,
    .check = check_motion};

// -------------------------------------------------------------------------------------------------------------- solver

static const scene_word solver_words[] = {{"pbf", SPATE_SOLVER_PBF, "position based fluids"}, END};
static const scene_word quality_words[] = {{"draft", SPATE_QUALITY_DRAFT, "fast, for looking"},
					   {"normal", SPATE_QUALITY_NORMAL, "for most shots"},
					   {"high", SPATE_QUALITY_HIGH, "small density error, small steps"},
					   END};

static const scene_word viscosity_words[] = {
    {"xsph", SPATE_VISCOSITY_XSPH, "all of the velocity difference; robust, but slows rotation down"},
    {"pairwise", SPATE_VISCOSITY_PAIRWISE, "only along the line between two particles; keeps angular momentum"},
    END};
static const scene_key solver_keys[] = {
    {.name = "type", .kind = KEY_CHOICE, FIELD(spate_solver_def, type), .words = solver_words,
     .doc = "The method that keeps the liquid's volume."},
    {.name = "quality", .kind = KEY_CHOICE, FIELD(spate_solver_def, quality), .words = quality_words,
     .doc = "Chooses everything that is `auto` below."},
    {.name = "substeps", .kind = KEY_COUNT, FIELD(spate_solver_def, substeps), RANGE(1, 10000), .word = "auto",
     .example = "4", .doc = "Steps per frame; `auto` takes as many as the speeds ask for."},
    {.name = "max_substeps", .kind = KEY_COUNT, FIELD(spate_solver_def, max_substeps), RANGE(1, 10000), .example = "64",
     .doc = "Limit of the automatic choice."},
    {.name = "iterations", .kind = KEY_COUNT, FIELD(spate_solver_def, iterations), RANGE(1, 1000), .word = "auto",
     .example = "4", .doc = "Solver rounds per step at most."},
    {.name = "min_iterations", .kind = KEY_COUNT, FIELD(spate_solver_def, min_iterations), RANGE(1, 1000),
     .example = "2", .doc = "Solver rounds per step at least."},
    {.name = "tolerance", .kind = KEY_NUMBER, .flags = KEY_ABOVE_MIN, FIELD(spate_solver_def, tolerance), RANGE(0, 1),
     .word = "auto", .example = "0.01", .doc = "Average density error at which a step is good; 0.01 is one percent."},
    {.name = "cfl", .kind = KEY_NUMBER, .flags = KEY_ABOVE_MIN, FIELD(spate_solver_def, cfl), RANGE(0, 10),
     .word = "auto", .example = "0.4", .doc = "Furthest travel per step, in kernel radii."},
    {.name = "acceleration", .kind = KEY_NUMBER, FIELD(spate_solver_def, acceleration), RANGE(0, 0.99), .word = "auto",
     .word_value = -1, .example = "0.9",
     .doc = "Chebyshev acceleration of the iterations, 0 for none; `auto` takes what is stable for their number."},
    {.name = "warm_start", .kind = KEY_NUMBER, FIELD(spate_solver_def, warm_start), RANGE(0, 0.5), .example = "0.3",
     .doc = "Share of the last step's pressure that a step starts from."},
    {.name = "list_margin", .kind = KEY_NUMBER, FIELD(spate_solver_def, list_margin), RANGE(0, 0.5), .word = "auto",
     .word_value = -1, .example = "0.04",
     .doc = "How much further than needed neighbours are listed, in kernel radii, so that the lists serve several steps; 0 lists "
	    "anew in every step, `auto` takes what is fastest."},
    {.name = "viscosity_model", .kind = KEY_CHOICE, FIELD(spate_solver_def, viscosity_model), .words = viscosity_words,
     .doc = "How particles exchange momentum."},
    END};
static const scene_object solver_object = {.title = "Solver",
					   .doc = "How the motion is computed. `quality` is usually enough.",
					   .example = "solver: { quality: high, max_substeps: 32 }\n",
					   .size = sizeof(spate_solver_def),
					   .keys = solver_keys,
					   .check = check_solver};

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

static const scene_key fluid_keys[] = {
    {.name = "preset", .kind = KEY_CHOICE, .flags = KEY_NOT_STORED, .words = preset_words, .apply = apply_preset,
     .example = "honey", .doc = "A liquid from the [list](#presets); the keys beside it override its values."},
    {.name = "spacing", .kind = KEY_NUMBER, .flags = KEY_REQUIRED | KEY_ABOVE_MIN, FIELD(spate_fluid_def, spacing),
     RANGE(0, 100), .unit = "m", .example = "0.01",
     .doc = "Distance of particles at rest. Half of it means eight times the particles."},
    {.name = "density", .kind = KEY_NUMBER, .flags = KEY_ABOVE_MIN, FIELD(spate_fluid_def, density), RANGE(0, 1e5),
     .unit = "kg/m^3", .example = "1000", .doc = "Density at rest."},
    {.name = "viscosity", .kind = KEY_NUMBER, FIELD(spate_fluid_def, viscosity), RANGE(0, 1e3), .unit = "m^2/s",
     .example = "1.0e-6", .doc = "Kinematic viscosity: dynamic viscosity divided by density."},
    {.name = "damping", .kind = KEY_NUMBER, FIELD(spate_fluid_def, damping), RANGE(0, 1e6), .word = "none",
     .word_value = -1, .example = "0.05",
     .doc = "Raw XSPH coefficient per step, for tuning by eye; replaces viscosity when set."},
    {.name = "surface_tension", .kind = KEY_NUMBER, FIELD(spate_fluid_def, surface_tension), RANGE(0, 1),
     .example = "0.1", .doc = "How strongly drops pull together: 0 not at all, 0.1 like water."},
    {.name = "pull", .kind = KEY_NUMBER, FIELD(spate_fluid_def, pull), RANGE(0, 100), .example = "2",
     .doc = "Factor of the attraction behind `surface_tension`, to vary it alone."},
    {.name = "push", .kind = KEY_NUMBER, FIELD(spate_fluid_def, push), RANGE(0, 100), .example = "0.5",
     .doc = "Factor of the repulsion that keeps attracted particles apart."},
    {.name = "adhesion", .kind = KEY_NUMBER, FIELD(spate_fluid_def, adhesion), RANGE(0, 1), .example = "0.2",
     .doc = "How much colliders attract the liquid, in the unit of `surface_tension`."},
    {.name = "vorticity", .kind = KEY_NUMBER, FIELD(spate_fluid_def, vorticity), RANGE(0, 1), .example = "0.5",
     .doc = "Share of the energy lost to smoothing that is given back to vortices; 0 leaves them alone."},
    {.name = "color", .kind = KEY_COLOR, FIELD(spate_fluid_def, color), .example = "\"#3b82c4\"",
     .doc = "Colour in pictures, sRGB."},
    END};
static void fluid_defaults(void *object, spate_up up)
{
	(void)up;
	*(spate_fluid_def *)object = spate_default_fluid_def();
}
static const scene_object fluid_object = {.title = "Fluids",
					  .doc = "The liquids, by name. Only `spacing` must be given.",
					  .example = "fluids:\n"
						     "  water: { preset: water, spacing: 0.01 }\n"
						     "  ink: { preset: water, spacing: 0.01, color: \"#1b1b3a\" }\n",
					  .size = sizeof(spate_fluid_def),
					  .keys = fluid_keys,
					  .name_offset = offsetof(spate_fluid_def, name),
					  .defaults = fluid_defaults};

// ------------------------------------------------------------------------------------------------------------- sources

#define FILL (1u << SPATE_SOURCE_FILL)
#define EMITTER (1u << SPATE_SOURCE_EMITTER)

static const scene_word source_words[] = {{"fill", SPATE_SOURCE_FILL, "fills a shape once"},
					  {"emitter", SPATE_SOURCE_EMITTER, "pours out of a rectangle or disc"},
					  END};
static const scene_key source_keys[] = {
    {.name = "type", .kind = KEY_CHOICE, .flags = KEY_REQUIRED, FIELD(spate_source_def, type), .words = source_words,
     .doc = "What kind of source."},
    NAME(spate_source_def),
    {.name = "fluid", .kind = KEY_FLUID, .flags = KEY_REQUIRED, FIELD(spate_source_def, fluid), .example = "water",
     .doc = "Name of the fluid."},
    {.name = "start", .kind = KEY_NUMBER, FIELD(spate_source_def, start), RANGE(0, 1e6), .unit = "s", .example = "0.5",
     .doc = "When it appears or begins to pour."},
    {.name = "viscosity", .kind = KEY_NUMBER, .flags = KEY_OMIT, FIELD(spate_source_def, material.viscosity),
     RANGE(0, 1e3), .unit = "m^2/s", .example = "0.01",
     .doc = "Of the source's particles, instead of their fluid's; likewise the next three."},
    {.name = "damping", .kind = KEY_NUMBER, .flags = KEY_OMIT, FIELD(spate_source_def, material.damping),
     RANGE(0, 1e6), .example = "0.05", .doc = "Raw XSPH coefficient per step; replaces viscosity when set."},
    {.name = "surface_tension", .kind = KEY_NUMBER, .flags = KEY_OMIT,
     FIELD(spate_source_def, material.surface_tension), RANGE(0, 1), .example = "0.1",
     .doc = "How strongly its drops pull together."},
    {.name = "density", .kind = KEY_NUMBER, .flags = KEY_OMIT | KEY_ABOVE_MIN,
     FIELD(spate_source_def, material.density), RANGE(0, 1e5), .unit = "kg/m^3", .example = "1000",
     .doc = "Density at rest; frames can hold it as `rest_density`."},
    {.name = "shape", .kind = KEY_OBJECT, .flags = KEY_REQUIRED, FIELD(spate_source_def, shape),
     .object = &shape_object, .only = FILL, .example = "{ box: { min: [0, 0, 0], max: [1, 1, 1] } }",
     .doc = "What is filled; see [Shapes](#shapes). Not a plane."},
    {.name = "velocity", .kind = KEY_VECTOR, FIELD(spate_source_def, velocity), RANGE(-1e4, 1e4), .unit = "m/s",
     .only = FILL, .example = "[1, 0, 0]", .doc = "Velocity at the beginning."},
    {.name = "spin", .kind = KEY_VECTOR, FIELD(spate_source_def, spin), RANGE(-1e4, 1e4), .unit = "rad/s", .only = FILL,
     .example = "[0, 2, 0]", .doc = "Rotation at the beginning, about the middle of the shape."},
    {.name = "jitter", .kind = KEY_NUMBER, FIELD(spate_source_def, jitter), RANGE(0, 0.5), .only = FILL,
     .example = "0.1", .doc = "Random shift of each particle, in spacings; breaks up the lattice."},
    {.name = "stop", .kind = KEY_NUMBER, FIELD(spate_source_def, stop), RANGE(0, 1e6), .unit = "s", .word = "never",
     .word_value = -1, .only = EMITTER, .example = "2.5", .doc = "When it stops pouring."},
    {.name = "position", .kind = KEY_VECTOR, .flags = KEY_REQUIRED, FIELD(spate_source_def, position), PLACE,
     .only = EMITTER, .example = "[0, 1, 0]", .doc = "Centre of the opening."},
    {.name = "direction", .kind = KEY_VECTOR, .flags = KEY_REQUIRED | KEY_NONZERO, FIELD(spate_source_def, direction),
     RANGE(-FAR, FAR), .only = EMITTER, .example = "[0, -1, 0]",
     .doc = "Out of the opening; its length does not matter."},
    {.name = "speed", .kind = KEY_NUMBER, .flags = KEY_REQUIRED | KEY_ABOVE_MIN, FIELD(spate_source_def, speed),
     RANGE(0, 1e4), .unit = "m/s", .only = EMITTER, .example = "1.5", .doc = "Speed of the jet."},
    {.name = "radius", .kind = KEY_NUMBER, .flags = KEY_OMIT | KEY_ABOVE_MIN, FIELD(spate_source_def, radius),
     RANGE(0, FAR), .unit = "m", .only = EMITTER, .example = "0.05", .doc = "Of a round opening."},
    {.name = "width", .kind = KEY_NUMBER, .flags = KEY_OMIT | KEY_ABOVE_MIN, FIELD(spate_source_def, width),
     RANGE(0, FAR), .unit = "m", .only = EMITTER, .example = "0.2",
     .doc = "Of a rectangular opening, together with `height`."},
    {.name = "height", .kind = KEY_NUMBER, .flags = KEY_OMIT | KEY_ABOVE_MIN, FIELD(spate_source_def, height),
     RANGE(0, FAR), .unit = "m", .only = EMITTER, .example = "0.1", .doc = "Of a rectangular opening."},
    {.name = "limit", .kind = KEY_COUNT64, FIELD(spate_source_def, limit), RANGE(1, 2147483648.0), .word = "none",
     .only = EMITTER, .example = "100000", .doc = "Particles at most."},
    END};
static void source_defaults(void *object, spate_up up)
{
	(void)up;
	*(spate_source_def *)object = spate_default_source_def();
}
static const scene_object source_object = {
    .title = "Sources",
    .doc = "Where liquid comes from: a list. `type` says which of the keys apply.",
    .example = "sources:\n"
	       "  - { type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [0.5, 0.5, 0.5] } } }\n"
	       "  - type: emitter\n"
	       "    fluid: water\n"
	       "    position: [0, 1, 0]\n"
	       "    direction: [0, -1, 0]\n"
	       "    radius: 0.05\n"
	       "    speed: 1.5\n"
	       "    stop: 3\n",
    .size = sizeof(spate_source_def),
    .keys = source_keys,
    .tagged = 1,
    .tag_offset = offsetof(spate_source_def, type),
    .defaults = source_defaults,
    .check = check_source};

// ------------------------------------------------------------------------------------------------- colliders and sinks

static const scene_word mode_words[] = {
    {"outside", SPATE_COLLIDER_OUTSIDE, "an obstacle: liquid stays out of it"},
    {"inside", SPATE_COLLIDER_INSIDE, "a container: liquid stays in it"},
    {"shell", SPATE_COLLIDER_SHELL, "a mesh's surface alone: liquid stays on the side where it is"},
    END};

static const scene_key sequence_keys[] = {
    {.name = "first", .kind = KEY_COUNT, FIELD(spate_mesh_def, first), RANGE(0, 1e6), .example = "1",
     .doc = "Number of the first file."},
    {.name = "last", .kind = KEY_COUNT, .flags = KEY_REQUIRED, FIELD(spate_mesh_def, last), RANGE(0, 1e6),
     .example = "40", .doc = "Number of the last file."},
    {.name = "fps", .kind = KEY_NUMBER, .flags = KEY_ABOVE_MIN, FIELD(spate_mesh_def, fps), RANGE(0, 100000),
     .word = "auto", .example = "24", .doc = "Files per second; `auto` is the scene's `fps`."},
    {.name = "start", .kind = KEY_NUMBER, FIELD(spate_mesh_def, start), RANGE(-1e6, 1e6), .unit = "s", .example = "0",
     .doc = "When the first file is shown."},
    END};
static const scene_object sequence_object = {
    .title = "Sequences",
    .doc = "A mesh whose vertices move, one file per frame: `mesh: cloth_%04d.obj`, where `%04d` stands for the number in four\n"
	   "digits. It holds the first file before `start` and the last one after its end. The liquid feels the speed of the\n"
	   "surface, for which all files must have the same triangles.",
    .size = sizeof(spate_mesh_def),
    .keys = sequence_keys,
    .check = check_sequence};

static const scene_key field_keys[] = {
    {.name = "cell", .kind = KEY_NUMBER, .flags = KEY_ABOVE_MIN, FIELD(spate_mesh_def, cell), RANGE(0, FAR), .unit = "m",
     .word = "auto", .example = "0.005", .doc = "Width of a cell; `auto` is half of the finest spacing."},
    {.name = "band", .kind = KEY_NUMBER, .flags = KEY_ABOVE_MIN, FIELD(spate_mesh_def, band), RANGE(0, FAR), .unit = "m",
     .word = "auto", .example = "0.03",
     .doc = "How far from the surface distances are known; `auto` is what the solver needs."},
    {.name = "offset", .kind = KEY_NUMBER, FIELD(spate_mesh_def, offset), RANGE(0, FAR), .unit = "m",
     .example = "0.002", .doc = "By how much the surface is thicker than the triangles."},
    END};
static const scene_object field_object = {
    .title = "Distance field",
    .doc = "Meshes become grids of distances, which are kept between runs. Finer cells keep finer details and take more memory.",
    .size = sizeof(spate_mesh_def),
    .keys = field_keys,
    .check = check_field};

enum
{
	BY_TEXTURE,
	BY_CHANNEL
};
static const scene_word map_variants[] = {{"texture", BY_TEXTURE, "a picture"}, {"channel", BY_CHANNEL, "vertices"}, END};
static int map_variant(const void *object)
{
	return ((const spate_map_def *)object)->texture ? BY_TEXTURE : BY_CHANNEL;
}
static const scene_key map_keys[] = {
    {.name = "texture", .kind = KEY_PATH, .flags = KEY_REQUIRED, FIELD(spate_map_def, texture), .only = 1u << BY_TEXTURE,
     .example = "rough.png", .doc = "A PNG, looked up by the mesh's UVs; black is 0 and white is 1."},
    {.name = "channel", .kind = KEY_TEXT, .flags = KEY_REQUIRED, FIELD(spate_map_def, channel), .only = 1u << BY_CHANNEL,
     .example = "friction", .doc = "Values at the mesh's vertices, by name, as PLY files have them."},
    END};
static const scene_object map_object = {
    .title = "Maps",
    .doc = "Where on a mesh a number holds: it is multiplied by what is found there. Exactly one of the keys.",
    .size = sizeof(spate_map_def),
    .keys = map_keys,
    .variants = map_variants,
    .variant_of = map_variant};

static const scene_word image_words[] = {{"png", SPATE_IMAGE_PNG, "16 bits, from 0 to 1"},
					 {"exr", SPATE_IMAGE_EXR, "floating point"},
					 END};
static const scene_key wet_keys[] = {
    {.name = "size", .kind = KEY_COUNT, .flags = KEY_REQUIRED, FIELD(spate_wet_def, size), RANGE(1, 16384),
     .example = "1024", .doc = "Texels along each side."},
    {.name = "drying", .kind = KEY_NUMBER, FIELD(spate_wet_def, drying), RANGE(0, 1e6), .unit = "s", .word = "never",
     .example = "2", .doc = "How long until wetness has fallen to 37 percent."},
    {.name = "channel", .kind = KEY_TEXT, .flags = KEY_OMIT, FIELD(spate_wet_def, channel), .example = "temperature",
     .doc = "A channel of the particles, averaged where they touch; wetness alone unless given."},
    {.name = "format", .kind = KEY_CHOICE, FIELD(spate_wet_def, format), .words = image_words, .doc = "Of the pictures."},
    END};
static const scene_object wet_object = {
    .title = "Wet maps",
    .doc = "Particles that touch a mesh leave a trace in a picture of its surface, laid out by its UVs and written at every frame.",
    .size = sizeof(spate_wet_def),
    .keys = wet_keys};

enum
{
	BY_SHAPE,
	BY_MESH
};
#define MESHED .only = 1u << BY_MESH
static const scene_word collider_variants[] = {{"shape", BY_SHAPE, "a simple shape"}, {"mesh", BY_MESH, "triangles"}, END};
static int collider_variant(const void *object)
{
	return ((const spate_collider_def *)object)->mesh.path ? BY_MESH : BY_SHAPE;
}
#define MAP(what, member)                                                                                             \
	{.name = what "_map", .kind = KEY_OBJECT, .flags = KEY_OMIT, FIELD(spate_collider_def, member), MESHED,        \
	 .object = &map_object, .doc = "Multiplies `" what "` from place to place; see [Maps](#maps)."}
static const scene_key collider_keys[] = {
    NAME(spate_collider_def),
    SHAPE(spate_collider_def, .only = 1u << BY_SHAPE),
    {.name = "mesh", .kind = KEY_PATH, .flags = KEY_REQUIRED, FIELD(spate_collider_def, mesh.path), MESHED,
     .example = "bunny.obj",
     .doc = "A file of triangles (OBJ, PLY, STL or OFF) instead of a shape, relative to the scene file's folder."},
    {.name = "scale", .kind = KEY_NUMBER, .flags = KEY_ABOVE_MIN, FIELD(spate_collider_def, mesh.scale), RANGE(0, FAR), MESHED,
     .example = "0.001", .doc = "Of the file's coordinates; 0.001 turns millimetres into metres."},
    {.name = "rotation", .kind = KEY_VECTOR, FIELD(spate_collider_def, mesh.rotation), RANGE(-1e6, 1e6), MESHED,
     .unit = "degrees", .example = "[0, 90, 0]", .doc = "About x, then y, then z, after scaling."},
    {.name = "position", .kind = KEY_VECTOR, FIELD(spate_collider_def, mesh.position), PLACE, MESHED,
     .example = "[1.2, 0, 0.25]", .doc = "Where the file's zero comes to lie."},
    {.name = "sequence", .kind = KEY_OBJECT, .flags = KEY_OMIT, FIELD(spate_collider_def, mesh), MESHED,
     .object = &sequence_object, .doc = "A file per frame; see [Sequences](#sequences)."},
    {.name = "field", .kind = KEY_OBJECT, FIELD(spate_collider_def, mesh), MESHED, .object = &field_object,
     .doc = "How finely the mesh is resolved; see [Distance field](#distance-field)."},
    {.name = "mode", .kind = KEY_CHOICE, FIELD(spate_collider_def, mode), .words = mode_words,
     .doc = "On which side the liquid stays."},
    {.name = "friction", .kind = KEY_NUMBER, FIELD(spate_collider_def, friction), RANGE(0, 100), .example = "0.05",
     .doc = "Coulomb coefficient; 0 lets the liquid slide freely."},
    {.name = "bounce", .kind = KEY_NUMBER, FIELD(spate_collider_def, bounce), RANGE(0, 1), .example = "0",
     .doc = "Share of the normal speed that comes back."},
    {.name = "stickiness", .kind = KEY_NUMBER, FIELD(spate_collider_def, stickiness), RANGE(0, 1), .example = "0.5",
     .doc = "How much liquid that touches is slowed down to the collider's speed; 1 holds it."},
    MAP("friction", friction_map),
    MAP("bounce", bounce_map),
    MAP("stickiness", stickiness_map),
    {.name = "wet_map", .kind = KEY_OBJECT, .flags = KEY_OMIT, FIELD(spate_collider_def, wet), MESHED,
     .object = &wet_object, .doc = "A picture of where it is wet; see [Wet maps](#wet-maps)."},
    {.name = "motion", .kind = KEY_OBJECT, .flags = KEY_OMIT, FIELD(spate_collider_def, motion),
     .object = &motion_object, .doc = "How it moves; see [Motion](#motion)."},
    END};
static void collider_defaults(void *object, spate_up up)
{
	(void)up;
	*(spate_collider_def *)object = spate_default_collider_def();
}
static const scene_object collider_object = {
    .title = "Colliders",
    .doc = "Solid things, as a list. Each has either a `shape` or a `mesh`. A mesh may be as dirty as it comes; where it does not\n"
	   "enclose space, it is treated like a shell. `spate check` tells what is in the file and how large it is in the scene.",
    .example = "colliders:\n"
	       "  - { name: tank, shape: { box: { min: [0, 0, 0], max: [2, 1, 0.5] } }, mode: inside, friction: 0.1 }\n"
	       "  - { name: rock, shape: { sphere: { center: [1.2, 0, 0.25], radius: 0.15 } } }\n"
	       "  - name: bunny\n"
	       "    mesh: bunny.obj\n"
	       "    scale: 2\n"
	       "    rotation: [0, 90, 0]\n"
	       "    position: [1.2, 0, 0.25]\n"
	       "    field: { cell: 0.005 }\n"
	       "    friction: 0.3\n"
	       "    friction_map: { texture: rough.png }\n"
	       "    wet_map: { size: 1024, drying: 2 }\n"
	       "  - { name: cloth, mesh: cloth_%04d.obj, sequence: { first: 1, last: 40, fps: 24 }, mode: shell }\n",
    .size = sizeof(spate_collider_def),
    .keys = collider_keys,
    .variants = collider_variants,
    .variant_of = collider_variant,
    .defaults = collider_defaults,
    .check = check_collider};

static const scene_word remove_words[] = {{"inside", 0, "what enters the shape, like a drain"},
					  {"outside", 1, "what leaves the shape: it bounds the simulated domain"},
					  END};
static const scene_key sink_keys[] = {
    NAME(spate_sink_def),
    SHAPE(spate_sink_def, .only = 0),
    {.name = "remove", .kind = KEY_CHOICE, FIELD(spate_sink_def, outside), .words = remove_words,
     .doc = "Which particles are taken away."},
    END};
static void sink_defaults(void *object, spate_up up)
{
	(void)up;
	*(spate_sink_def *)object = spate_default_sink_def();
}
static const scene_object sink_object = {
    .title = "Sinks",
    .doc = "Where liquid goes away, as a list.",
    .example = "sinks:\n"
	       "  - { name: drain, shape: { sphere: { center: [1, 0, 0.25], radius: 0.05 } } }\n"
	       "  - { name: domain, shape: { box: { min: [-5, -1, -5], max: [5, 5, 5] } }, remove: outside }\n",
    .size = sizeof(spate_sink_def),
    .keys = sink_keys,
    .defaults = sink_defaults};

// -------------------------------------------------------------------------------------------------------------- probes

#define POINT (1u << SPATE_PROBE_POINT)
#define HEIGHT (1u << SPATE_PROBE_HEIGHT)
#define FRONT (1u << SPATE_PROBE_FRONT)
#define FLUX (1u << SPATE_PROBE_FLUX)

static const scene_word probe_words[] = {
    {"point", SPATE_PROBE_POINT, "density, pressure and velocity at a point"},
    {"height", SPATE_PROBE_HEIGHT, "how far the liquid reaches along a line, in m from its beginning"},
    {"front", SPATE_PROBE_FRONT, "how far the liquid has come in a direction, in m, stray drops left out"},
    {"flux", SPATE_PROBE_FLUX, "volume per second through a rectangle, in m^3/s"},
    END};
static const scene_key probe_keys[] = {
    {.name = "type", .kind = KEY_CHOICE, .flags = KEY_REQUIRED, FIELD(spate_probe_def, type), .words = probe_words,
     .doc = "What is measured."},
    {.name = "position", .kind = KEY_VECTOR, .flags = KEY_REQUIRED, FIELD(spate_probe_def, a), PLACE,
     .only = POINT | FLUX, .example = "[1, 0, 0.25]", .doc = "The point, or the rectangle's centre."},
    {.name = "from", .kind = KEY_VECTOR, .flags = KEY_REQUIRED, FIELD(spate_probe_def, a), PLACE, .only = HEIGHT,
     .example = "[1, 0, 0.25]", .doc = "Beginning of the line, usually on the ground."},
    {.name = "to", .kind = KEY_VECTOR, .flags = KEY_REQUIRED, FIELD(spate_probe_def, b), PLACE, .only = HEIGHT,
     .example = "[1, 1, 0.25]", .doc = "End of the line."},
    {.name = "direction", .kind = KEY_VECTOR, .flags = KEY_REQUIRED | KEY_NONZERO, FIELD(spate_probe_def, direction),
     RANGE(-FAR, FAR), .only = FRONT | FLUX, .example = "[1, 0, 0]", .doc = "Which way counts as forward."},
    {.name = "width", .kind = KEY_NUMBER, .flags = KEY_REQUIRED | KEY_ABOVE_MIN, FIELD(spate_probe_def, width),
     RANGE(0, FAR), .unit = "m", .only = FLUX, .example = "0.5", .doc = "Of the rectangle."},
    {.name = "height", .kind = KEY_NUMBER, .flags = KEY_REQUIRED | KEY_ABOVE_MIN, FIELD(spate_probe_def, height),
     RANGE(0, FAR), .unit = "m", .only = FLUX, .example = "0.5", .doc = "Of the rectangle."},
    {.name = "radius", .kind = KEY_NUMBER, .flags = KEY_ABOVE_MIN, FIELD(spate_probe_def, radius), RANGE(0, FAR),
     .unit = "m", .word = "auto", .only = POINT | HEIGHT, .example = "0.02",
     .doc = "How far around it looks; `auto` is the kernel radius for a point and a spacing for a height."},
    END};
static void probe_defaults(void *object, spate_up up)
{
	(void)up;
	*(spate_probe_def *)object = spate_default_probe_def();
}
static const scene_object probe_object = {
    .title = "Probes",
    .doc = "Gauges, by name, written to `probes.csv` at every frame. `type` says which of the keys apply.",
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
    {.name = "position", .kind = KEY_VECTOR, .flags = KEY_REQUIRED, FIELD(spate_camera_def, position), PLACE,
     .example = "[1, 1, 3]", .doc = "Where the camera stands."},
    {.name = "target", .kind = KEY_VECTOR, FIELD(spate_camera_def, target), PLACE, .example = "[1, 0.3, 0.25]",
     .doc = "The point in the middle of the picture."},
    {.name = "up", .kind = KEY_VECTOR, .flags = KEY_NONZERO, FIELD(spate_camera_def, up), RANGE(-FAR, FAR),
     .example = "[0, 1, 0]", .doc = "Which way is up in the picture; follows the scene's `up` unless given."},
    {.name = "fov", .kind = KEY_NUMBER, FIELD(spate_camera_def, fov), RANGE(1, 170), .unit = "degrees", .example = "35",
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
					   .doc = "Views for pictures, by name.",
					   .example = "cameras:\n"
						      "  main: { position: [1, 1, 3], target: [1, 0.3, 0], fov: 35 }\n",
					   .size = sizeof(spate_camera_def),
					   .keys = camera_keys,
					   .name_offset = offsetof(spate_camera_def, name),
					   .defaults = camera_defaults,
					   .check = check_camera};

static const scene_word channel_words[] = {{"velocity", 0, "m/s"},
					   {"density", 0, "kg/m^3"},
					   {"pressure", 0, "Pa"},
					   {"fluid", 0, "number of the fluid, counted from 0"},
					   {"viscosity", 0, "m^2/s, where a source sets it"},
					   {"damping", 0, "likewise"},
					   {"surface_tension", 0, "likewise"},
					   {"rest_density", 0, "kg/m^3, where a source sets `density`"},
					   END};
static const scene_key output_keys[] = {
    {.name = "channels", .kind = KEY_CHOICES, ITEMS(spate_output_def, channels, channel_count), .words = channel_words,
     .example = "[velocity, density]", .doc = "What a frame holds beside ids and positions."},
    {.name = "checkpoint_every", .kind = KEY_COUNT, FIELD(spate_output_def, checkpoint_every), RANGE(0, 1000000),
     .example = "10", .doc = "Frames between checkpoints; 0 writes one only at the end and on interruption."},
    END};
static const scene_object output_object = {.title = "Output",
					   .doc = "What is written.",
					   .example = "output: { channels: [velocity, fluid], checkpoint_every: 5 }\n",
					   .size = sizeof(spate_output_def),
					   .keys = output_keys};

// ---------------------------------------------------------------------------------------------------------------- root

static const scene_word up_words[] = {{"y", SPATE_UP_Y, "y is up"}, {"z", SPATE_UP_Z, "z is up"}, END};
static const scene_word runaway_words[] = {
    {"remove", SPATE_RUNAWAY_REMOVE, "count, report and remove them"},
    {"clamp", SPATE_RUNAWAY_CLAMP, "slow them down to the limit"},
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

// `up` stands before what it gives defaults to, `fluids` before what refers to them.
static const scene_key root_keys[] = {
    {.name = "spate", .kind = KEY_VERSION, .flags = KEY_REQUIRED | KEY_NOT_STORED, RANGE(1, 1), .example = "1",
     .doc = "Version of the scene format."},
    {.name = "name", .kind = KEY_TEXT, FIELD(spate_scene, name), .example = "dam_break",
     .doc = "Names the output directory; the file's name unless given."},
    {.name = "frames", .kind = KEY_COUNT, FIELD(spate_scene, frames), RANGE(1, 1000000), .example = "120",
     .doc = "Length of the run."},
    {.name = "fps", .kind = KEY_NUMBER, .flags = KEY_ABOVE_MIN, FIELD(spate_scene, world.fps), RANGE(0, 100000),
     .example = "24", .doc = "Frames per second."},
    {.name = "up", .kind = KEY_CHOICE, FIELD(spate_scene, up), .words = up_words, .apply = apply_up,
     .doc = "Which axis points up: the default of gravity and of cameras follows it."},
    {.name = "gravity", .kind = KEY_VECTOR, FIELD(spate_scene, world.gravity), RANGE(-1e4, 1e4), .unit = "m/s^2",
     .example = "[0, -9.81, 0]", .doc = "Acceleration of everything."},
    {.name = "seed", .kind = KEY_COUNT64, FIELD(spate_scene, world.seed), .example = "1",
     .doc = "Of all random numbers; the same seed gives the same run."},
    {.name = "solver", .kind = KEY_OBJECT, FIELD(spate_scene, world.solver), .object = &solver_object,
     .doc = "How the motion is computed."},
    {.name = "fluids", .kind = KEY_MAP, .flags = KEY_REQUIRED | KEY_NOT_EMPTY,
     ITEMS(spate_scene, world.fluids, world.fluid_count), .object = &fluid_object, .doc = "The liquids, by name."},
    {.name = "sources", .kind = KEY_LIST, ITEMS(spate_scene, world.sources, world.source_count),
     .object = &source_object, .doc = "Where liquid comes from."},
    {.name = "colliders", .kind = KEY_LIST, ITEMS(spate_scene, world.colliders, world.collider_count),
     .object = &collider_object, .doc = "Solid things."},
    {.name = "sinks", .kind = KEY_LIST, ITEMS(spate_scene, world.sinks, world.sink_count), .object = &sink_object,
     .doc = "Where liquid goes away."},
    {.name = "probes", .kind = KEY_MAP, ITEMS(spate_scene, world.probes, world.probe_count), .object = &probe_object,
     .doc = "Gauges, by name."},
    {.name = "cameras", .kind = KEY_MAP, ITEMS(spate_scene, cameras, camera_count), .object = &camera_object,
     .doc = "Views for pictures, by name."},
    {.name = "output", .kind = KEY_OBJECT, FIELD(spate_scene, output), .object = &output_object,
     .doc = "What is written."},
    {.name = "runaway", .kind = KEY_CHOICE, FIELD(spate_scene, world.runaway), .words = runaway_words,
     .doc = "What happens to particles that leave all limits."},
    {.name = "speed_limit", .kind = KEY_NUMBER, .flags = KEY_ABOVE_MIN, FIELD(spate_scene, world.speed_limit),
     RANGE(0, 1e6), .unit = "m/s", .word = "auto", .example = "200",
     .doc = "Faster particles are runaways; `auto` is 20 times the speed of a fall through the scene, at least 100."},
    END};

const scene_object scene_root = {.title = "Top level",
				 .doc = "A scene is a map with these keys.",
				 .size = sizeof(spate_scene),
				 .keys = root_keys,
				 .check = NULL};
