// Key table: bodies and joints.
#include "scene/key_rows.h"

FITS(spate_body_def);
FITS(spate_joint_def);

// One row, one or two lines: the layout is the table.
// clang-format off

static const scene_word flat_words[] = {{"mesh", 0, "that of its mesh"}, {"flat", 1, "a plane, however its mesh is bent"}, END};
#define RIGID .only = 1u << SPATE_BODY_RIGID
#define CLOTH .only = 1u << SPATE_BODY_CLOTH
#define SOFT .only = 1u << SPATE_BODY_SOFT
#define BENDS .only = 1u << SPATE_BODY_CLOTH | 1u << SPATE_BODY_SOFT
static const scene_word body_words[] = {{"rigid", SPATE_BODY_RIGID, "keeps its form"},
					{"cloth", SPATE_BODY_CLOTH, "is a sheet that stretches and bends"},
					{"soft", SPATE_BODY_SOFT, "is an elastic solid"},
					END};

FITS(spate_pin_def);
static const scene_key pin_keys[] = {
    {.name = "vertex", .kind = KEY_COUNT, .flags = KEY_OMIT, FIELD(spate_pin_def, vertex), RANGE(0, 4294967294.0), .example = "12",
     .doc = "Number of one vertex of the mesh, from 0; of a soft body, of one corner of its cells."},
    {.name = "top", .kind = KEY_NUMBER, .flags = KEY_OMIT, FIELD(spate_pin_def, top), RANGE(0, FAR), .unit = "m", .example = "0.01",
     .doc = "All vertices that are no further than this below the highest one."},
    {.name = "shape", .kind = KEY_OBJECT, .flags = KEY_OMIT, FIELD(spate_pin_def, shape), .object = &shape_object,
     .example = "{ box: { min: [0, 1, 0], max: [0.3, 1.2, 0.3] } }",
     .doc = "All vertices that are in a shape at the start; see [Shapes](#shapes)."},
    {.name = "to", .kind = KEY_COLLIDER, .flags = KEY_OMIT, FIELD(spate_pin_def, to), .example = "arm",
     .doc = "A collider that they move with. Without one they stay where they are."},
    END};
static void pin_defaults(void *object, spate_up up)
{
	(void)up;
	*(spate_pin_def *)object = (spate_pin_def){.vertex = SPATE_NO_VERTEX, .top = -1.0, .to = UINT32_MAX};
}
static const scene_object pin_object = {
    .title = "Pins",
    .doc = "What holds vertices of a body that bends: each has one of `vertex`, `top` and `shape`.",
    .size = sizeof(spate_pin_def),
    .keys = pin_keys,
    .defaults = pin_defaults,
    .check = check_pin};

static const scene_key body_keys[] = {
    {.name = "type", .kind = KEY_CHOICE, FIELD(spate_body_def, type), .words = body_words, .doc = "What it is made of."},
    {.name = "name", .kind = KEY_TEXT, .flags = KEY_OMIT, FIELD(spate_body_def, name), .example = "crate",
     .doc = "A name for joints, probes, messages and `bodies.csv`."},
    {.name = "shape", .kind = KEY_OBJECT, .flags = KEY_OMIT, FIELD(spate_body_def, shape), .object = &shape_object, RIGID,
     .example = "{ box: { min: [0, 1, 0], max: [0.3, 1.2, 0.3] } }",
     .doc = "Its geometry where it begins; see [Shapes](#shapes). Either this or `mesh`, and no plane."},
    {.name = "mesh", .kind = KEY_PATH, .flags = KEY_OMIT, FIELD(spate_body_def, mesh.path), .example = "duck.obj",
     .doc = "A triangle mesh (OBJ, PLY, STL or OFF) instead, which must enclose space. The path is relative to the scene file's folder."},
    {.name = "scale", .kind = KEY_NUMBER, .flags = KEY_ABOVE_MIN | KEY_OMIT, FIELD(spate_body_def, mesh.scale), RANGE(0, FAR),
     .example = "0.001", .doc = "Factor on the file's coordinates."},
    {.name = "rotation", .kind = KEY_VECTOR, .flags = KEY_OMIT, FIELD(spate_body_def, mesh.rotation), RANGE(-1e6, 1e6),
     .unit = "degrees", .example = "[0, 90, 0]", .doc = "Rotation of the mesh about x, then y, then z, after scaling."},
    {.name = "position", .kind = KEY_VECTOR, .flags = KEY_OMIT, FIELD(spate_body_def, mesh.position), PLACE,
     .example = "[1.2, 0, 0.25]", .doc = "Position of the file's origin in the scene."},
    {.name = "field", .kind = KEY_OBJECT, .flags = KEY_OMIT, FIELD(spate_body_def, mesh), .object = &field_object, RIGID,
     .doc = "Resolution of the mesh's distance field; see [Distance field](#distance-field)."},
    {.name = "density", .kind = KEY_NUMBER, FIELD(spate_body_def, density), .flags = KEY_ABOVE_MIN, RANGE(0, 1e6), .unit = "kg/m^3",
     .word = "auto", .word_value = -1, .example = "500", .only = 1u << SPATE_BODY_RIGID | 1u << SPATE_BODY_SOFT,
     .doc = "Density; `auto` follows from `mass`."},
    {.name = "area_density", .kind = KEY_NUMBER, FIELD(spate_body_def, area_density), .flags = KEY_ABOVE_MIN, RANGE(0, 1e6),
     .unit = "kg/m^2", .example = "0.2", CLOTH, .doc = "Mass per area of the sheet."},
    {.name = "stiffness", .kind = KEY_NUMBER, FIELD(spate_body_def, stiffness), .flags = KEY_ABOVE_MIN, RANGE(0, 1e12),
     .unit = "N/m or Pa", .word = "auto", .word_value = -1, .example = "2.0e4", BENDS,
     .doc = "Young's modulus of a soft body (Pa), or that of cloth times its thickness (N/m); `auto` is 2e4 Pa or 2000 N/m."},
    {.name = "bending", .kind = KEY_NUMBER, FIELD(spate_body_def, bending), RANGE(0, 1e9), .unit = "N m", .example = "0.001", CLOTH,
     .doc = "Flexural rigidity: moment per width and curvature."},
    {.name = "rest", .kind = KEY_CHOICE, FIELD(spate_body_def, flat), .words = flat_words, CLOTH,
     .doc = "Which form it takes without forces."},
    {.name = "poisson", .kind = KEY_NUMBER, FIELD(spate_body_def, poisson), RANGE(0, 0.49), .word = "auto", .word_value = -1,
     .example = "0.45", BENDS, .doc = "Poisson's ratio; `auto` is 0.3 for cloth and 0.45 for soft bodies."},
    {.name = "damping", .kind = KEY_NUMBER, FIELD(spate_body_def, damping), RANGE(0, 100), .unit = "s", .example = "0.01", BENDS,
     .doc = "Internal friction: stress grows by this times its rate of change."},
    {.name = "thickness", .kind = KEY_NUMBER, FIELD(spate_body_def, thickness), RANGE(0, FAR), .unit = "m", .word = "auto",
     .word_value = -1, .example = "0.002", BENDS,
     .doc = "Distance that parts of cloth keep from each other; from walls half of it. 0 is no contacts of parts; `auto` follows from the triangles."},
    {.name = "cell", .kind = KEY_NUMBER, FIELD(spate_body_def, cell), RANGE(0, FAR), .unit = "m", .word = "auto", .word_value = 0,
     .example = "0.01", SOFT, .doc = "Edge of the cells that it is divided into; `auto` is a tenth of its longest side."},
    {.name = "pins", .kind = KEY_LIST, .flags = KEY_OMIT, ITEMS(spate_body_def, pins, pin_count), .object = &pin_object, BENDS,
     .doc = "Vertices that are held; see [Pins](#pins)."},
    {.name = "mass", .kind = KEY_NUMBER, FIELD(spate_body_def, mass), .flags = KEY_ABOVE_MIN, RANGE(0, 1e12), .unit = "kg",
     .word = "auto", .word_value = -1, .example = "0.2", RIGID, .doc = "Mass; `auto` follows from `density`. If it is given, `density` is `auto`."},
    {.name = "ballast", .kind = KEY_VECTOR, FIELD(spate_body_def, ballast), PLACE, .example = "[0, -0.02, 0]", RIGID,
     .doc = "How far its centre of mass is from that of its volume, in the axes as it is defined: downwards keeps it upright."},
    {.name = "tilt", .kind = KEY_VECTOR, FIELD(spate_body_def, tilt), RANGE(-1e6, 1e6), .unit = "degrees", .example = "[0, 0, 20]", RIGID,
     .doc = "Rotation at the start about x, then y, then z, around the centre of mass."},
    {.name = "velocity", .kind = KEY_VECTOR, FIELD(spate_body_def, velocity), RANGE(-1e4, 1e4), .unit = "m/s", .example = "[0, -1, 0]",
     .doc = "Velocity with which it starts, or is released."},
    {.name = "spin", .kind = KEY_VECTOR, FIELD(spate_body_def, spin), RANGE(-1e4, 1e4), .unit = "rad/s", .example = "[0, 2, 0]", RIGID,
     .doc = "Angular velocity with which it starts, or is released."},
    {.name = "friction", .kind = KEY_NUMBER, FIELD(spate_body_def, friction), RANGE(0, 100), .example = "0.3",
     .doc = "Coulomb friction coefficient where it touches other solids; of two bodies the geometric mean counts."},
    {.name = "bounce", .kind = KEY_NUMBER, FIELD(spate_body_def, bounce), RANGE(0, 1), .example = "0.2", RIGID,
     .doc = "Coefficient of restitution where it touches other solids."},
    {.name = "wall", .kind = KEY_OBJECT, .flags = KEY_OMIT, FIELD(spate_body_def, wall), .object = &wall_object,
     .doc = "How it acts on liquid that touches it: `friction`, `bounce`, `stickiness`, `contact_angle` and `slip` as those of colliders."},
    {.name = "motion", .kind = KEY_OBJECT, .flags = KEY_OMIT, FIELD(spate_body_def, motion), .object = &motion_object, RIGID,
     .doc = "How it moves until it is released; see [Motion](#motion). It keeps the velocity that it has then."},
    {.name = "release", .kind = KEY_NUMBER, FIELD(spate_body_def, release), RANGE(0, 1e6), .unit = "s", .example = "1.5",
     .word = "never", .word_value = SPATE_NEVER_RELEASED, RIGID,
     .doc = "Until then it stays where it is, or follows its `motion`; from then on it is free."},
    END};
DEFAULTS(body)
const scene_object body_object = {
    .title = "Bodies",
    .doc = "Solids that float, sink and splash: the liquid moves them, and they move the liquid. Each has either a `shape` or a `mesh`. A body is\n"
	   "a collider as well: probes and emitters can name it. See [bodies.md](bodies.md).",
    .example = "bodies:\n"
	       "  - { name: crate, shape: { box: { min: [0, 1, 0], max: [0.3, 1.2, 0.3] } }, density: 500, friction: 0.3 }\n"
	       "  - { name: duck, mesh: duck.obj, scale: 0.1, position: [1, 1, 0], mass: 0.2, velocity: [0, -1, 0], spin: [0, 2, 0] }\n",
    .size = sizeof(spate_body_def),
    .keys = body_keys,
    .tagged = 1,
    .tag_offset = offsetof(spate_body_def, type),
    .defaults = body_defaults,
    .check = check_body};

#define AXIS .only = 1u << SPATE_JOINT_HINGE | 1u << SPATE_JOINT_SLIDER
static const scene_word joint_words[] = {{"hinge", SPATE_JOINT_HINGE, "turns about an axis"},
					 {"ball", SPATE_JOINT_BALL, "turns about a point"},
					 {"slider", SPATE_JOINT_SLIDER, "slides along an axis, without turning"},
					 {"fixed", SPATE_JOINT_FIXED, "neither turns nor slides"},
					 END};
static const scene_key joint_keys[] = {
    {.name = "type", .kind = KEY_CHOICE, .flags = KEY_REQUIRED, FIELD(spate_joint_def, type), .words = joint_words,
     .doc = "What the joint allows."},
    NAME(spate_joint_def),
    {.name = "bodies", .kind = KEY_BODIES, .flags = KEY_REQUIRED, FIELD(spate_joint_def, bodies), .example = "[gate, world]",
     .doc = "The names of the two bodies; `world` is what never moves."},
    {.name = "anchor", .kind = KEY_VECTOR, FIELD(spate_joint_def, anchor), .flags = KEY_REQUIRED, PLACE,
     .only = 1u << SPATE_JOINT_HINGE | 1u << SPATE_JOINT_BALL, .example = "[0, 1, 0]", .doc = "A point on the axis, or the point, at the start."},
    {.name = "axis", .kind = KEY_VECTOR, FIELD(spate_joint_def, axis), .flags = KEY_REQUIRED | KEY_NONZERO, RANGE(-FAR, FAR), AXIS,
     .example = "[0, 0, 1]", .doc = "The axis, at the start; its length does not matter."},
    {.name = "low", .kind = KEY_NUMBER, FIELD(spate_joint_def, low), RANGE(-FAR, 0), .word = "none", .word_value = 1, AXIS, .example = "-90",
     .doc = "How far the first body can turn (degrees) or slide (m) backwards, from the start."},
    {.name = "high", .kind = KEY_NUMBER, FIELD(spate_joint_def, high), RANGE(0, FAR), .word = "none", .word_value = -1, AXIS, .example = "30",
     .doc = "Likewise forwards: to the right about the axis, or along it."},
    {.name = "speed", .kind = KEY_NUMBER, FIELD(spate_joint_def, speed), RANGE(-1e4, 1e4), AXIS, .example = "3",
     .doc = "Speed that a motor gives the first body, in rad/s or m/s."},
    {.name = "power", .kind = KEY_NUMBER, FIELD(spate_joint_def, power), RANGE(0, 1e12), AXIS, .example = "0.5",
     .doc = "Largest torque (N m) or force (N) of the motor. With a `speed` of 0 it is a brake."},
    {.name = "stiffness", .kind = KEY_NUMBER, FIELD(spate_joint_def, stiffness), RANGE(0, 1e12), AXIS, .example = "2",
     .doc = "Spring that draws the joint to where it started, in N m/rad or N/m."},
    {.name = "damping", .kind = KEY_NUMBER, FIELD(spate_joint_def, damping), RANGE(0, 1e12), AXIS, .example = "0.1",
     .doc = "Damper beside the spring, in N m s/rad or N s/m."},
    END};
DEFAULTS(joint)
const scene_object joint_object = {
    .title = "Joints",
    .doc = "What holds two bodies together, or a body to the world.",
    .example = "bodies:\n"
	       "  - { name: gate, shape: { box: { min: [0, 0, 0], max: [0.05, 1, 0.5] } }, density: 800 }\n"
	       "joints:\n"
	       "  - { type: hinge, bodies: [gate, world], anchor: [0, 1, 0], axis: [0, 0, 1] }\n",
    .size = sizeof(spate_joint_def),
    .keys = joint_keys,
    .tagged = 1,
    .tag_offset = offsetof(spate_joint_def, type),
    .defaults = joint_defaults,
    .check = check_joint};
