// The files that a scene names: their paths, the places in the scene that name them, and reports on the meshes.
#ifndef SCENE_FILES_H
#define SCENE_FILES_H

#include "scene/read.h"

// One mention of a file in the scene.
typedef struct scene_file
{
	const char *path; // absolute; the same pointer as in the definition
	place at;
	char owner[PATH_CHARS]; // the object that names it, "colliders.0.friction_map"
	struct scene_file *next;
} scene_file;

typedef struct scene_files
{
	scene_file *first, *last;
} scene_files;

struct scene_memory
{
	node_pool pool;
	scene_files files;
	struct scene_track *tracks; // values over time
	spate_mesh_report *meshes;  // one per collider; NULL until the meshes are read
	struct scene_start *starts; // by source: files that fills start from; NULL until they are read
	ARRAY(spate_mesh *) filled; // those of the shapes of fills that were read
};

// A path that starts from the folder of the file that a place is in, as seen from the current folder. NULL when out of memory.
const char *files_beside(const scene_reader *reader, place at, const char *path);
// The absolute path of a value, relative to the folder of the file that it is in, or to the current folder if it comes from an override
// or from a scene in memory. NULL when out of memory, or with the reason in *problem.
const char *files_absolute(scene_reader *reader, const node *n, const char **problem);
// Records which object names a file, and where.
void files_mention(scene_reader *reader, const node *n, const char *path);
// The mention that gave a definition its path; NULL when the definition was not read from a scene.
const scene_file *files_find(const spate_scene *scene, const char *path);
// Adds a problem for every file that is missing or cannot be read.
void files_check(const spate_scene *scene, problem_list *problems);
// Adds a problem for everything that a run needs but a build with these libraries lacks; see spate_build_libraries().
void files_check_build(const spate_scene *scene, unsigned libraries, problem_list *problems);

#endif
