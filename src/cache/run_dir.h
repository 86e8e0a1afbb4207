// What is where in the directory of a run:
//
//   DIR/scene.yaml                              the scene as used
//       frames/frame_000001.spate               particles, one file per frame
//       checkpoint/checkpoint_000012.spate      the last two, see checkpoint.h
//       stats.jsonl  probes.csv                 lines per step, see append_log.h
//       mesh/mesh_000001.ply                    surfaces of the liquid, once they are made
//       preview/frame_000001.png                pictures, once they are drawn; of surfaces in preview_mesh
//       wet/NAME_000001.png                     wet maps of colliders, see wet_files.h
//       log.txt
//       .lock                                   see lock.h
//
// Temporaries of writers, here and everywhere, have names of their own, see base/file.h.
#ifndef CACHE_RUN_DIR_H
#define CACHE_RUN_DIR_H

#include "base/array.h"
#include "spate/result.h"

#include <stdint.h>

#define RUN_SCENE "scene.yaml"
#define RUN_STATS "stats.jsonl"
#define RUN_PROBES "probes.csv"
#define RUN_LOG "log.txt"
#define RUN_LOCK ".lock"
#define RUN_MESHES "mesh"
#define RUN_INTERFACES "interfaces" // in the place of a fluid's name: the combined mesh of all

// A path by value. Empty when it would be too long, which run_dir_create() rules out for everything that a run writes.
typedef struct run_path
{
	char text[4096];
} run_path;

// DIR/NAME.
run_path run_file_path(const char *directory, const char *name);
run_path run_frame_path(const char *directory, int64_t frame);
run_path run_checkpoint_path(const char *directory, int64_t frame);

// Makes DIR, its frames and its checkpoint directory, and removes what interrupted writers left there.
spate_result run_dir_create(const char *directory, spate_error *error);

// Removes all frames and checkpoints, the checkpoints first: what is left half-removed cannot be taken for a finished run.
spate_result run_dir_clear(const char *directory, spate_error *error);

typedef ARRAY(int64_t) run_numbers;

// Numbers of the frames or checkpoints present, in ascending order; none when the directory is not there. `numbers` is
// emptied first, and to be freed with array_free().
spate_result run_list_frames(const char *directory, run_numbers *numbers, spate_error *error);
spate_result run_list_checkpoints(const char *directory, run_numbers *numbers, spate_error *error);

// The same for surfaces, which may be anywhere: FOLDER/mesh_000001.ply, with the extension given (".ply").
run_path run_mesh_path(const char *folder, int64_t frame, const char *extension);
// That of one of several liquids: FOLDER/mesh_water_000001.ply; as above when the name is empty.
run_path run_fluid_mesh_path(const char *folder, const char *fluid, int64_t frame, const char *extension);
// Those of one of several liquids, or those without a name.
spate_result run_list_meshes(const char *folder, const char *fluid, const char *extension, run_numbers *numbers,
			     spate_error *error);

// Pictures of frames: FOLDER/frame_000001.png.
run_path run_picture_path(const char *folder, int64_t frame);
spate_result run_list_pictures(const char *folder, run_numbers *numbers, spate_error *error);

#endif
