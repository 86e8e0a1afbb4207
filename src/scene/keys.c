#include "scene/key_rows.h"
#include "scene/presets.h"

FITS(spate_fluid_def);
FITS(spate_source_def);
FITS(spate_probe_def);
FITS(spate_camera_def);

// One row, one or two lines: the layout is the table.
// clang-format off

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
DEFAULTS(fluid)
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
DEFAULTS(source)
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
DEFAULTS(probe)
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
     .example = "[velocity, density]", .doc = "What a frame holds beside ids and positions; a scene with several fluids adds `fluid` unless the list is given."},
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
