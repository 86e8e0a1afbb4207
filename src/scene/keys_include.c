// The keys of `include`.
#include "scene/include.h"
#include "scene/key_rows.h"

FITS(include_def);
FITS(include_fluid);

// clang-format off

static const scene_key fluid_keys[] = {
    {.name = "fluid", .kind = KEY_TEXT, .flags = KEY_REQUIRED, FIELD(include_fluid, to), .example = "water",
     .doc = "The fluid of this scene that takes its place."},
    END};
static void fluid_defaults(void *object, spate_up up)
{
	(void)up;
	*(include_fluid *)object = (include_fluid){0};
}
static const scene_object fluid_object = {.size = sizeof(include_fluid), .keys = fluid_keys, .bare = 1,
					  .name_offset = offsetof(include_fluid, from), .defaults = fluid_defaults};

static const scene_key include_keys[] = {
    {.name = "file", .kind = KEY_PATH, .flags = KEY_REQUIRED | KEY_NOT_STORED, FIELD(include_def, file), .example = "jet.yaml",
     .doc = "A scene file of version 2, relative to the folder of this one."},
    {.name = "as", .kind = KEY_TEXT, .flags = KEY_NOT_STORED, FIELD(include_def, as), .example = "left",
     .doc = "What its names begin with: `water` becomes `left_water`. The name of the file without `.yaml` unless given."},
    {.name = "fluids", .kind = KEY_MAP, .flags = KEY_NOT_STORED, ITEMS(include_def, fluids, fluid_count), .object = &fluid_object,
     .example = "{ water: sea }", .doc = "Fluids of the file that fluids of this scene replace, whatever they are like: its name and that of this scene."},
    {.name = "set", .kind = KEY_VALUES, .flags = KEY_NOT_STORED, .example = "{ sources.nozzle.speed: 2 }",
     .doc = "Values of the file that are different here, by the path of their key: `{ sources.nozzle.speed: 2 }`. Names are those within the file."},
    END};
static void include_defaults(void *object, spate_up up)
{
	(void)up;
	*(include_def *)object = (include_def){0};
}
const scene_object include_object = {
    .title = "Include",
    .doc = "Other scene files whose fluids, sources, channels, colliders, bodies, joints, sinks, forces, probes and cameras are part of this one. An element\n"
	   "is the path of a file or a map with these keys, as in `include: [pool.yaml, { file: jet.yaml, as: left }]`. Names get the name of\n"
	   "the file and `_` in front: `nozzle` of `jet.yaml` is `jet_nozzle`. See [guide.md](guide.md#chain-scenes).",
    .size = sizeof(include_def),
    .keys = include_keys,
    .or_path = 1,
    .defaults = include_defaults};
