// Key table, part two: shapes, and the objects that have one.
#include "scene/key_rows.h"

FITS(spate_keyframe);
FITS(spate_collider_def);
FITS(spate_sink_def);
FITS(spate_shape);

// One row, one or two lines: the layout is the table.
// clang-format off

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
    CORNERS("point", "normal", "Any point on the plane.", "Normal pointing towards the liquid; its length does not matter.",
	    .flags = KEY_REQUIRED | KEY_NONZERO, RANGE(-FAR, FAR), .example = "[0, 1, 0]"),
    END};
static const scene_key box_keys[] = {
    CORNERS("min", "max", "Minimum corner.", "Maximum corner.",
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
     .doc = "An axis-aligned box."},
    {.name = "sphere", .kind = KEY_OBJECT, .object = &sphere_object, .variant = SPATE_SHAPE_SPHERE, .doc = "A sphere."},
    {.name = "plane", .kind = KEY_OBJECT, .object = &plane_object, .variant = SPATE_SHAPE_PLANE,
     .doc = "The half-space behind a plane."},
    {.name = "capsule", .kind = KEY_OBJECT, .object = &axis_object, .variant = SPATE_SHAPE_CAPSULE,
     .doc = "A cylinder with hemispherical ends, which extend beyond the axis by the radius."},
    {.name = "cylinder", .kind = KEY_OBJECT, .object = &axis_object, .variant = SPATE_SHAPE_CYLINDER,
     .doc = "A cylinder with flat ends."},
    END};
const scene_object shape_object = {
    .title = "Shapes",
    .doc = "Colliders and forces have a `shape`: a map with exactly one of these keys. Sources and sinks have more; see [Volumes](#volumes).",
    .example = "colliders:\n"
	       "  - shape: { plane: { point: [0, 0, 0], normal: [0, 1, 0] } }\n"
	       "  - shape: { sphere: { center: [0, 0.2, 0], radius: 0.2 } }\n"
	       "  - shape: { cylinder: { from: [1, 0, 0], to: [1, 0.5, 0], radius: 0.1 } }\n",
    .size = sizeof(spate_shape),
    .keys = shape_keys,
    .one_of = 1,
    .tag_offset = offsetof(spate_shape, type)};

#define ROTATION(center)                                                                                         \
	{.name = "rotation", .kind = KEY_VECTOR, FIELD(spate_shape, rotation), RANGE(-1e6, 1e6), .unit = "degrees", \
	 .example = "[0, 30, 0]", .doc = "Rotation about x, then y, then z, around the centre" center "."}

static const scene_key turned_box_keys[] = {
    CORNERS("min", "max", "Minimum corner.", "Maximum corner.",
	    SECOND_PLACE),
    ROTATION(" of the box"), END};
static const scene_key ellipsoid_keys[] = {
    {.name = "center", .kind = KEY_VECTOR, .flags = KEY_REQUIRED, FIELD(spate_shape, a), PLACE,
     .example = "[0, 0.5, 0]", .doc = "Centre."},
    {.name = "radii", .kind = KEY_VECTOR, .flags = KEY_REQUIRED, FIELD(spate_shape, b), RANGE(0, FAR), .unit = "m",
     .example = "[0.3, 0.2, 0.1]", .doc = "Half axes along x, y and z."},
    ROTATION(""), END};
static const scene_key mesh_keys[] = {
    {.name = "path", .kind = KEY_PATH, .flags = KEY_REQUIRED, FIELD(spate_shape, mesh.path), .example = "bunny.obj",
     .doc = "A file with triangles (OBJ, PLY, STL or OFF), relative to the scene file's folder."},
    {.name = "scale", .kind = KEY_NUMBER, .flags = KEY_ABOVE_MIN, FIELD(spate_shape, mesh.scale), RANGE(0, FAR),
     .example = "0.001", .doc = "Factor on the file's coordinates."},
    {.name = "rotation", .kind = KEY_VECTOR, FIELD(spate_shape, mesh.rotation), RANGE(-1e6, 1e6), .unit = "degrees",
     .example = "[0, 90, 0]", .doc = "Rotation about x, then y, then z, after scaling."},
    {.name = "position", .kind = KEY_VECTOR, FIELD(spate_shape, mesh.position), PLACE, .example = "[0, 0.5, 0]",
     .doc = "Position of the file's origin in the scene."},
    END};
static const scene_object turned_box_object = {
    .size = sizeof(spate_shape), .keys = turned_box_keys, .check = check_box};
static const scene_object ellipsoid_object = {
    .size = sizeof(spate_shape), .keys = ellipsoid_keys, .check = check_ellipsoid};
static const scene_object enclosed_object = {
    .size = sizeof(spate_shape), .keys = mesh_keys, .check = check_enclosed};

#define PARTS(word, value, text)                                                                                 \
	{.name = word, .kind = KEY_LIST, .flags = KEY_NOT_EMPTY, ITEMS(spate_shape, parts, part_count),           \
	 .object = &volume_object, .variant = value, .doc = text}
static const scene_key volume_keys[] = {
    {.name = "box", .kind = KEY_OBJECT, .object = &turned_box_object, .variant = SPATE_SHAPE_BOX, .doc = "A box."},
    {.name = "sphere", .kind = KEY_OBJECT, .object = &sphere_object, .variant = SPATE_SHAPE_SPHERE, .doc = "A sphere."},
    {.name = "ellipsoid", .kind = KEY_OBJECT, .object = &ellipsoid_object, .variant = SPATE_SHAPE_ELLIPSOID,
     .doc = "An ellipsoid."},
    {.name = "capsule", .kind = KEY_OBJECT, .object = &axis_object, .variant = SPATE_SHAPE_CAPSULE,
     .doc = "A cylinder with hemispherical ends, which extend beyond the axis by the radius."},
    {.name = "cylinder", .kind = KEY_OBJECT, .object = &axis_object, .variant = SPATE_SHAPE_CYLINDER,
     .doc = "A cylinder with flat ends."},
    {.name = "mesh", .kind = KEY_OBJECT, .object = &enclosed_object, .variant = SPATE_SHAPE_MESH,
     .doc = "The space that a triangle mesh encloses. The mesh needs no repair, but it must have an inside."},
    {.name = "plane", .kind = KEY_OBJECT, .object = &plane_object, .variant = SPATE_SHAPE_PLANE,
     .doc = "The half-space behind a plane: of a sink, or to be taken away in a difference."},
    PARTS("union", SPATE_SHAPE_UNION, "What is in any of these shapes."),
    PARTS("difference", SPATE_SHAPE_DIFFERENCE, "What is in the first of these shapes, but in none of the others."),
    END};
static void volume_defaults(void *object, spate_up up)
{
	(void)up;
	*(spate_shape *)object = spate_default_source_def().shape;
}
const scene_object volume_object = {
    .title = "Volumes",
    .doc = "Sources and sinks have a volume for their `shape`: a map with exactly one of these keys.",
    .example = "sources:\n"
	       "  - { type: fill, fluid: water, shape: { mesh: { path: bunny.obj, scale: 2, position: [0, 0.5, 0] } }, level: 0.8 }\n"
	       "  - type: fill\n"
	       "    fluid: water\n"
	       "    shape:\n"
	       "      difference:\n"
	       "        - box: { min: [0, 0, 0], max: [1, 0.5, 1], rotation: [0, 30, 0] }\n"
	       "        - sphere: { center: [0.5, 0.5, 0.5], radius: 0.2 }\n",
    .size = sizeof(spate_shape),
    .keys = volume_keys,
    .one_of = 1,
    .tag_offset = offsetof(spate_shape, type),
    .defaults = volume_defaults};

#define SHAPE(type, ...)                                                                                          \
	{.name = "shape", .kind = KEY_OBJECT, .flags = KEY_REQUIRED, FIELD(type, shape), .object = &shape_object, \
	 .example = "{ box: { min: [0, 0, 0], max: [1, 1, 1] } }", .doc = "Its geometry; see [Shapes](#shapes).", __VA_ARGS__}

// -------------------------------------------------------------------------------------------------------------- motion

const scene_word between_words[] = {{"linear", SPATE_BETWEEN_LINEAR, "evenly"},
				    {"smooth", SPATE_BETWEEN_SMOOTH, "slowly at both ends"},
				    {"step", SPATE_BETWEEN_STEP, "jumps at the next keyframe"},
				    END};

static const scene_key keyframe_keys[] = {
    {.name = "time", .kind = KEY_NUMBER, .flags = KEY_REQUIRED, FIELD(spate_keyframe, time), RANGE(0, 1e6), .unit = "s",
     .example = "0.5", .doc = "Time of the keyframe; times must increase."},
    {.name = "position", .kind = KEY_VECTOR, FIELD(spate_keyframe, position), PLACE, .example = "[0, 0.1, 0]",
     .doc = "Offset added to the collider's position."},
    {.name = "rotation", .kind = KEY_VECTOR, FIELD(spate_keyframe, rotation), RANGE(-1e6, 1e6), .unit = "degrees",
     .example = "[0, 90, 0]", .doc = "Rotation about x, then y, then z, around the pivot."},
    {.name = "scale", .kind = KEY_NUMBER, .flags = KEY_ABOVE_MIN, FIELD(spate_keyframe, scale), RANGE(0, 1000),
     .example = "1.5", .doc = "Scale around the pivot; 1 keeps the size."},
    END};
static void keyframe_defaults(void *object, spate_up up)
{
	(void)up;
	*(spate_keyframe *)object = (spate_keyframe){.scale = 1.0};
}
static const scene_object keyframe_object = {
    .title = "Keyframes",
    .doc = "Where a collider is at given times; `between` says how it gets from one to the next. It stays still before the first and after the last.",
    .size = sizeof(spate_keyframe),
    .keys = keyframe_keys,
    .defaults = keyframe_defaults};

static const scene_key sine_keys[] = {
    {.name = "direction", .kind = KEY_VECTOR, .flags = KEY_REQUIRED | KEY_NONZERO, FIELD(spate_motion, direction),
     RANGE(-FAR, FAR), .example = "[1, 0, 0]", .doc = "Direction of the oscillation; its length does not matter."},
    {.name = "amplitude", .kind = KEY_NUMBER, .flags = KEY_REQUIRED | KEY_ABOVE_MIN, FIELD(spate_motion, amplitude),
     RANGE(0, FAR), .unit = "m", .example = "0.05", .doc = "Maximum distance from the centre."},
    {.name = "frequency", .kind = KEY_NUMBER, .flags = KEY_ABOVE_MIN, FIELD(spate_motion, frequency), RANGE(0, 1000),
     .unit = "Hz", .example = "0.8", .doc = "Oscillations per second."},
    {.name = "phase", .kind = KEY_NUMBER, FIELD(spate_motion, phase), RANGE(-1e6, 1e6), .unit = "degrees",
     .example = "90", .doc = "Phase at `start`; the offset is zero there."},
    {.name = "start", .kind = KEY_NUMBER, FIELD(spate_motion, start), RANGE(0, 1e6), .unit = "s", .example = "1",
     .doc = "Time at which the oscillation starts. The collider stays still until then."},
    END};
static const scene_object sine_object = {
    .title = "Sine",
    .doc = "An oscillation, added to the keyframes: offset = direction * amplitude * (sin(2 pi * frequency * (t - start) + phase) - sin(phase)).",
    .size = sizeof(spate_motion),
    .keys = sine_keys};

static const scene_key rotary_keys[] = {
    {.name = "axis", .kind = KEY_VECTOR, .flags = KEY_REQUIRED | KEY_NONZERO, FIELD(spate_motion, axis), RANGE(-FAR, FAR),
     .example = "[0, 0, 1]", .doc = "Axis of the swing, through the pivot; its length does not matter."},
    {.name = "amplitude", .kind = KEY_NUMBER, .flags = KEY_REQUIRED | KEY_ABOVE_MIN, FIELD(spate_motion, turn), RANGE(0, 1e6),
     .unit = "degrees", .example = "10", .doc = "Maximum angle from the middle."},
    {.name = "frequency", .kind = KEY_NUMBER, .flags = KEY_ABOVE_MIN, FIELD(spate_motion, turn_frequency), RANGE(0, 1000),
     .unit = "Hz", .example = "0.8", .doc = "Swings per second."},
    {.name = "phase", .kind = KEY_NUMBER, FIELD(spate_motion, turn_phase), RANGE(-1e6, 1e6), .unit = "degrees",
     .example = "90", .doc = "Phase at `start`; the angle is zero there."},
    {.name = "start", .kind = KEY_NUMBER, FIELD(spate_motion, turn_start), RANGE(0, 1e6), .unit = "s", .example = "1",
     .doc = "Time at which the swing starts. The collider stays still until then."},
    END};
static const scene_object rotary_object = {
    .title = "Rotary",
    .doc = "A swing about an axis, on top of the keyframes: angle = amplitude * (sin(2 pi * frequency * (t - start) + phase) - sin(phase)).",
    .size = sizeof(spate_motion),
    .keys = rotary_keys};

static const scene_key motion_keys[] = {
    {.name = "keyframes", .kind = KEY_LIST, .flags = KEY_OMIT | KEY_NOT_EMPTY,
     ITEMS(spate_motion, keyframes, keyframe_count), .object = &keyframe_object, .doc = "Positions, rotations and scales over time."},
    {.name = "between", .kind = KEY_CHOICE, FIELD(spate_motion, between), .words = between_words,
     .doc = "From one keyframe to the next. A jump has no velocity: it does not throw the liquid."},
    {.name = "sine", .kind = KEY_OBJECT, .flags = KEY_OMIT, .object = &sine_object, .doc = "An oscillation."},
    {.name = "rotary", .kind = KEY_OBJECT, .flags = KEY_OMIT, .object = &rotary_object, .doc = "A swing about an axis."},
    {.name = "pivot", .kind = KEY_VECTOR, FIELD(spate_motion, pivot), PLACE, .example = "[0, 0, 0]",
     .doc = "Centre of rotation and scale."},
    END};
const scene_object motion_object = {
    .title = "Motion",
    .doc = "How a collider moves. Moving walls push and drag the liquid.",
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

// ------------------------------------------------------------------------------------------------- colliders and sinks

static const scene_word mode_words[] = {
    {"outside", SPATE_COLLIDER_OUTSIDE, "an obstacle: liquid stays out of it"},
    {"inside", SPATE_COLLIDER_INSIDE, "a container: liquid stays in it"},
    {"shell", SPATE_COLLIDER_SHELL, "a thin wall along a mesh's triangles: liquid stays on its side"},
    END};

static const scene_key sequence_keys[] = {
    {.name = "first", .kind = KEY_COUNT, FIELD(spate_mesh_def, first), RANGE(0, 1e6), .example = "1",
     .doc = "Number of the first file."},
    {.name = "last", .kind = KEY_COUNT, .flags = KEY_REQUIRED, FIELD(spate_mesh_def, last), RANGE(0, 1e6),
     .example = "40", .doc = "Number of the last file."},
    {.name = "fps", .kind = KEY_NUMBER, .flags = KEY_ABOVE_MIN, FIELD(spate_mesh_def, fps), RANGE(0, 100000),
     .word = "auto", .example = "24", .doc = "Files per second; `auto` is the scene's `fps`."},
    {.name = "start", .kind = KEY_NUMBER, FIELD(spate_mesh_def, start), RANGE(-1e6, 1e6), .unit = "s", .example = "0",
     .doc = "Time of the first file."},
    END};
static const scene_object sequence_object = {
    .title = "Sequences",
    .doc = "A deforming mesh, one file per frame: `mesh: cloth_%04d.obj`, where `%04d` is replaced by the four-digit file number.\n"
	   "The first file holds before `start`, the last one after the end. All files must have the same triangles: the\n"
	   "velocity of the surface is computed from the motion of its vertices.",
    .size = sizeof(spate_mesh_def),
    .keys = sequence_keys,
    .check = check_sequence};

static const scene_key field_keys[] = {
    {.name = "cell", .kind = KEY_NUMBER, .flags = KEY_ABOVE_MIN, FIELD(spate_mesh_def, cell), RANGE(0, FAR), .unit = "m",
     .word = "auto", .example = "0.005", .doc = "Cell size; `auto` is half the finest spacing."},
    {.name = "band", .kind = KEY_NUMBER, .flags = KEY_ABOVE_MIN, FIELD(spate_mesh_def, band), RANGE(0, FAR), .unit = "m",
     .word = "auto", .example = "0.03",
     .doc = "Half-width of the narrow band in which distances are stored; `auto` is what the solver needs."},
    {.name = "offset", .kind = KEY_NUMBER, FIELD(spate_mesh_def, offset), RANGE(0, FAR), .unit = "m",
     .example = "0.002", .doc = "Distance by which the surface is moved outwards from the triangles."},
    END};
const scene_object field_object = {
    .title = "Distance field",
    .doc = "Each mesh is converted to a distance field, which is cached between runs. Smaller cells resolve finer details and take more memory.",
    .size = sizeof(spate_mesh_def),
    .keys = field_keys,
    .check = check_field};

enum
{
	BY_TEXTURE,
	BY_CHANNEL
};
static const scene_word map_variants[] = {{"texture", BY_TEXTURE, "an image"}, {"channel", BY_CHANNEL, "vertex values"}, END};
static int map_variant(const void *object)
{
	return ((const spate_map_def *)object)->texture ? BY_TEXTURE : BY_CHANNEL;
}
static const scene_key map_keys[] = {
    {.name = "texture", .kind = KEY_PATH, .flags = KEY_REQUIRED, FIELD(spate_map_def, texture), .only = 1u << BY_TEXTURE,
     .example = "rough.png", .doc = "A PNG image, mapped by the mesh's UVs; black is 0 and white is 1."},
    {.name = "channel", .kind = KEY_TEXT, .flags = KEY_REQUIRED, FIELD(spate_map_def, channel), .only = 1u << BY_CHANNEL,
     .example = "friction", .doc = "Name of a vertex channel of the mesh, such as a PLY property."},
    END};
static const scene_object map_object = {
    .title = "Maps",
    .doc = "Varies a coefficient over a mesh: the coefficient is multiplied by the value of the map. Give exactly one of the keys.",
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
     .example = "2", .doc = "Time in which wetness falls to 37 percent (1/e)."},
    {.name = "channel", .kind = KEY_TEXT, .flags = KEY_OMIT, FIELD(spate_wet_def, channel), .example = "temperature",
     .doc = "Particle channel to record as well, averaged over the touching particles."},
    {.name = "format", .kind = KEY_CHOICE, FIELD(spate_wet_def, format), .words = image_words, .doc = "Image format."},
    END};
static const scene_object wet_object = {
    .title = "Wet maps",
    .doc = "An image of where the liquid has touched a mesh, laid out by its UVs and written after every frame.",
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
	 .object = &map_object, .doc = "Varies `" what "` over the surface; see [Maps](#maps)."}
// How a wall acts on liquid that touches it.
#define RESPONSE(type, flag) \
    {.name = "friction", .kind = KEY_NUMBER, .flags = (flag), FIELD(type, friction), RANGE(0, 100), .example = "0.05", \
     .doc = "Coulomb friction coefficient; 0 lets the liquid slide freely."}, \
    {.name = "bounce", .kind = KEY_NUMBER, .flags = (flag), FIELD(type, bounce), RANGE(0, 1), .example = "0", \
     .doc = "Coefficient of restitution: the fraction of the normal speed that is reflected."}, \
    {.name = "stickiness", .kind = KEY_NUMBER, .flags = (flag), FIELD(type, stickiness), RANGE(0, 1), .example = "0.5", \
     .doc = "How strongly touching liquid is dragged to the collider's velocity; 1 is no-slip."}, \
    {.name = "contact_angle", .kind = KEY_NUMBER, .flags = (flag), FIELD(type, contact_angle), RANGE(0, 180), \
     .unit = "degrees", .example = "60", \
     .doc = "Angle at which the surface of a drop at rest meets it, through the liquid: below 90, liquid spreads. Needs surface tension in N/m."}, \
    {.name = "slip", .kind = KEY_NUMBER, .flags = (flag), FIELD(type, slip), RANGE(0, FAR), .word = "free", .word_value = -1, \
     .unit = "m", .example = "0", \
     .doc = "Slip length: how far behind the wall the velocity of the liquid along it would come to rest. 0 is no slip; `free` is no wall shear."}
static const scene_key wall_keys[] = {RESPONSE(spate_wall_def, 0), END};
const scene_object wall_object = {
    .title = "Walls of fills",
    .doc = "With `collide`, the shape of a fill is a collider as well, with these keys of [colliders](#colliders).",
    .example = "sources:\n"
	       "  - { type: fill, name: flask, fluid: water, shape: { mesh: { path: flask.obj } }, level: 0.1, collide: true, wall: { stickiness: 0.3 } }\n",
    .size = sizeof(spate_wall_def),
    .keys = wall_keys};

static const scene_key collider_keys[] = {
    NAME(spate_collider_def),
    SHAPE(spate_collider_def, .only = 1u << BY_SHAPE),
    {.name = "mesh", .kind = KEY_PATH, .flags = KEY_REQUIRED, FIELD(spate_collider_def, mesh.path), MESHED,
     .example = "bunny.obj",
     .doc = "A triangle mesh (OBJ, PLY, STL or OFF) instead of a shape. The path is relative to the scene file's folder."},
    {.name = "scale", .kind = KEY_NUMBER, .flags = KEY_ABOVE_MIN, FIELD(spate_collider_def, mesh.scale), RANGE(0, FAR), MESHED,
     .example = "0.001", .doc = "Factor on the file's coordinates; 0.001 converts millimetres to metres."},
    {.name = "rotation", .kind = KEY_VECTOR, FIELD(spate_collider_def, mesh.rotation), RANGE(-1e6, 1e6), MESHED,
     .unit = "degrees", .example = "[0, 90, 0]", .doc = "Rotation about x, then y, then z, after scaling."},
    {.name = "position", .kind = KEY_VECTOR, FIELD(spate_collider_def, mesh.position), PLACE, MESHED,
     .example = "[1.2, 0, 0.25]", .doc = "Position of the file's origin in the scene."},
    {.name = "sequence", .kind = KEY_OBJECT, .flags = KEY_OMIT, FIELD(spate_collider_def, mesh), MESHED,
     .object = &sequence_object, .doc = "A file per frame; see [Sequences](#sequences)."},
    {.name = "field", .kind = KEY_OBJECT, FIELD(spate_collider_def, mesh), MESHED, .object = &field_object,
     .doc = "Resolution of the mesh's distance field; see [Distance field](#distance-field)."},
    {.name = "mode", .kind = KEY_CHOICE, FIELD(spate_collider_def, mode), .words = mode_words,
     .doc = "Which side the liquid stays on."},
    RESPONSE(spate_collider_def, KEY_LIVE),
    MAP("friction", friction_map),
    MAP("bounce", bounce_map),
    MAP("stickiness", stickiness_map),
    {.name = "wet_map", .kind = KEY_OBJECT, .flags = KEY_OMIT, FIELD(spate_collider_def, wet), MESHED,
     .object = &wet_object, .doc = "An image of where the surface is wet; see [Wet maps](#wet-maps)."},
    {.name = "motion", .kind = KEY_OBJECT, .flags = KEY_OMIT, FIELD(spate_collider_def, motion),
     .object = &motion_object, .doc = "How it moves; see [Motion](#motion)."},
    END};
DEFAULTS(collider)
const scene_object collider_object = {
    .title = "Colliders",
    .doc = "Solid obstacles and containers, as a list. Each has either a `shape` or a `mesh`. Meshes need no repair; where a mesh\n"
	   "does not enclose space, it acts as a shell. `spate check` reports what a mesh file contains and its size in the scene.",
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

static const scene_word remove_words[] = {{"inside", 0, "particles inside the shape, like a drain"},
					  {"outside", 1, "particles outside the shape, which bounds the domain"},
					  {"everywhere", SPATE_SINK_EVERYWHERE, "particles anywhere; the sink has no shape"},
					  END};
static const scene_key sink_keys[] = {
    NAME(spate_sink_def),
    {.name = "shape", .kind = KEY_OBJECT, .flags = KEY_OMIT, FIELD(spate_sink_def, shape), .object = &volume_object,
     .example = "{ box: { min: [0, 0, 0], max: [1, 1, 1] } }",
     .doc = "Its geometry; see [Volumes](#volumes). Required unless `remove` is `everywhere`."},
    {.name = "remove", .kind = KEY_CHOICE, FIELD(spate_sink_def, outside), .words = remove_words,
     .doc = "Which particles are removed."},
    {.name = "age", .kind = KEY_NUMBER, FIELD(spate_sink_def, age), RANGE(0, 1e6), .flags = KEY_ABOVE_MIN, .unit = "s",
     .word = "any", .example = "5", .doc = "Removes only particles that are at least this old."},
    {.name = "speed", .kind = KEY_NUMBER, FIELD(spate_sink_def, speed), RANGE(0, 1e4), .flags = KEY_ABOVE_MIN | KEY_LIVE, .unit = "m/s",
     .word = "any", .example = "8", .doc = "Removes only particles that are at least this fast."},
    {.name = "flow", .kind = KEY_NUMBER, FIELD(spate_sink_def, flow), RANGE(0, 1e9), .flags = KEY_ABOVE_MIN | KEY_LIVE, .unit = "m^3/s",
     .word = "any", .example = "2.0e-4",
     .doc = "Removes at most this volume per second, what is deepest in the sink first: a drain."},
    {.name = "isolation", .kind = KEY_COUNT, FIELD(spate_sink_def, isolation), RANGE(1, 1000), .word = "any", .example = "3",
     .doc = "Removes only particles with fewer neighbours than this within the kernel radius: stray drops."},
    {.name = "isolated_for", .kind = KEY_NUMBER, FIELD(spate_sink_def, isolated_for), RANGE(0, 1e6), .unit = "s", .example = "0.5",
     .doc = "Removes them only when they have had so few neighbours for this long without a break."},
    END};
DEFAULTS(sink)
const scene_object sink_object = {
    .title = "Sinks",
    .doc = "Regions that remove liquid, as a list.",
    .example = "sinks:\n"
	       "  - { name: drain, shape: { sphere: { center: [1, 0, 0.25], radius: 0.05 } } }\n"
	       "  - { name: domain, shape: { box: { min: [-5, -1, -5], max: [5, 5, 5] } }, remove: outside }\n"
	       "  - { name: old, remove: everywhere, age: 10 }\n"
	       "  - { name: stray, remove: everywhere, isolation: 2, isolated_for: 0.2 }\n",
    .size = sizeof(spate_sink_def),
    .keys = sink_keys,
    .defaults = sink_defaults,
    .check = check_sink};
