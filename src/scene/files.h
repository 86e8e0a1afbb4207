// The files that a scene names: where they are, where the scene says so, and what is in the meshes.
#ifndef SCENE_FILES_H
#define SCENE_FILES_H

#include "scene/read.h"

// One mention of a file in the scene.
typedef struct scene_file
{
	const char *path; // absolute; the very pointer that the definition holds
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
	spate_mesh_report *meshes; // one per collider once they were read, else NULL
};

// The absolute path for a value: from the scene file's folder, or from the current one where an override or a scene in memory says
// it. NULL when out of memory or with the reason in *problem.
const char *files_absolute(scene_reader *reader, const node *n, const char **problem);
// Remembers who named a file, and where.
void files_mention(scene_reader *reader, const node *n, const char *path);
// The mention that gave a definition its path; NULL when the definition was not read from a scene.
const scene_file *files_find(const spate_scene *scene, const char *path);
// Problems for all files that are not there or cannot be read, one for each file.
void files_check(const spate_scene *scene, problem_list *problems);
// Problems for what a run needs and a build with these libraries lacks; see spate_build_libraries().
void files_check_build(const spate_scene *scene, unsigned libraries, problem_list *problems);

#endif
