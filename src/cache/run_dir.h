// Layout of a run's directory:
//
//   DIR/scene.yaml                              the scene as used
//       frames/frame_000001.spate               particles, one file per frame
//       checkpoint/checkpoint_000012.spate      the last two, see checkpoint.h
//       stats.jsonl  probes.csv  bodies.csv     lines per step, see append_log.h
//       mesh/mesh_000001.ply                    surfaces of the liquid, once they are made
//       preview/frame_000001.png                pictures, once they are drawn; of surfaces in preview_mesh
//       wet/NAME_000001.png                     wet maps of colliders, see wet_files.h
//       log.txt
//       .lock                                   see lock.h
//
// For the names of temporary files see base/file.h.
#ifndef CACHE_RUN_DIR_H
#define CACHE_RUN_DIR_H

#include "base/array.h"
#include "spate/result.h"

#include <stdint.h>

#define RUN_SCENE "scene.yaml"
#define RUN_STATS "stats.jsonl"
#define RUN_PROBES "probes.csv"
#define RUN_BODIES "bodies.csv"
#define RUN_LOG "log.txt"
#define RUN_LOCK ".lock"
#define RUN_MESHES "mesh"
#define RUN_INTERFACES "interfaces" // in the place of a fluid's name: the combined mesh of all

// A path by value. Empty when it would be too long; run_dir_create() makes sure that no path of a run is.
typedef struct run_path
{
	char text[4096];
} run_path;

// DIR/NAME.
run_path run_file_path(const char *directory, const char *name);
run_path run_frame_path(const char *directory, int64_t frame);
run_path run_checkpoint_path(const char *directory, int64_t frame);

// Creates DIR and its frames and checkpoint directories, and removes temporaries that interrupted writers left there.
spate_result run_dir_create(const char *directory, spate_error *error);

// Removes all frames and checkpoints. Checkpoints go first, so that a half-removed run cannot be mistaken for a finished one.
spate_result run_dir_clear(const char *directory, spate_error *error);

typedef ARRAY(int64_t) run_numbers;

// Numbers of the existing frames or checkpoints, in ascending order; none when the directory does not exist. `numbers`
// is emptied first; free it with array_free().
spate_result run_list_frames(const char *directory, run_numbers *numbers, spate_error *error);
spate_result run_list_checkpoints(const char *directory, run_numbers *numbers, spate_error *error);

// Lists the numbers from `first` to `last` that are missing in the ascending `present`, at most a million. 0 when out of memory.
int run_numbers_missing(const run_numbers *present, int64_t first, int64_t last, run_numbers *missing);
// Removes from the ascending numbers those that are not among the ascending `present`, and adds them to `gone`. 0 when out of memory.
int run_numbers_keep(run_numbers *numbers, const run_numbers *present, run_numbers *gone);

// Path of a surface mesh, in any folder: FOLDER/mesh_000001.ply, with the given extension (".ply").
run_path run_mesh_path(const char *folder, int64_t frame, const char *extension);
// The same for one of several fluids: FOLDER/mesh_water_000001.ply; as above when the name is empty.
run_path run_fluid_mesh_path(const char *folder, const char *fluid, int64_t frame, const char *extension);
// Lists the meshes of one of several fluids, or those without a fluid's name.
spate_result run_list_meshes(const char *folder, const char *fluid, const char *extension, run_numbers *numbers,
			     spate_error *error);

// Pictures of frames: FOLDER/frame_000001.png.
run_path run_picture_path(const char *folder, int64_t frame);
spate_result run_list_pictures(const char *folder, run_numbers *numbers, spate_error *error);

#endif
