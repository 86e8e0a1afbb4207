#define _GNU_SOURCE
#include "scene/files.h"

#include "base/build.h"
#include "bridge/vdb_vectors.h"
#include "mesh/sequence.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *past_dots(const char *text)
{
	while (text[0] == '.' && text[1] == '/')
		for (text += 2; *text == '/';)
			text++;
	return text;
}

// The folder that paths of a place start from, with a slash at its end; "" for the current one.
static const char *folder_of(const scene_reader *reader, place at)
{
	if (at.origin)
		return "";
	if (!at.file)
		return reader->folder ? reader->folder : "";
	const char *slash = strrchr(at.file, '/');
	char *folder = slash ? node_pool_strdup(reader->memory, at.file, (size_t)(slash + 1 - at.file)) : NULL;
	return folder ? folder : "";
}

const char *files_beside(const scene_reader *reader, place at, const char *path)
{
	const char *folder = path[0] == '/' ? "" : folder_of(reader, at);
	size_t length = strlen(folder);
	char *whole = node_pool_alloc(reader->memory, length + strlen(path) + 1);
	if (whole)
	{
		memcpy(whole, folder, length);
		memcpy(whole + length, path, strlen(path));
	}
	return whole;
}

const char *files_absolute(scene_reader *reader, const node *n, const char **problem)
{
	for (const char *c = n->text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*problem = "it must be one line of printable characters";
	if (*problem)
		return NULL;
	char path[PATH_MAX], here[PATH_MAX];
	const char *folder = past_dots(folder_of(reader, n->at));
	int absolute = n->text[0] == '/', length;
	if (!absolute && folder[0] != '/' && !getcwd(here, sizeof here))
	{
		*problem = "the current folder cannot be found";
		return NULL;
	}
	if (absolute)
		length = snprintf(path, sizeof path, "%s", n->text);
	else if (folder[0] == '/')
		length = snprintf(path, sizeof path, "%s%s", folder, past_dots(n->text));
	else
		length = snprintf(path, sizeof path, "%s/%s%s", here, folder, past_dots(n->text));
	if (length < 0 || (size_t)length >= sizeof path)
	{
		*problem = "it is too long";
		return NULL;
	}
	return node_pool_strdup(reader->memory, path, (size_t)length);
}

void files_mention(scene_reader *reader, const node *n, const char *path)
{
	scene_file *file = node_pool_alloc(reader->memory, sizeof *file);
	if (!file)
		return;
	*file = (scene_file){.path = path, .at = n->at};
	// the override's text is freed with the tree
	if (n->at.origin)
		file->at.origin = node_pool_strdup(reader->memory, n->at.origin, strlen(n->at.origin));
	snprintf(file->owner, sizeof file->owner, "%s", reader->path);
	if (reader->files->last)
		reader->files->last->next = file;
	else
		reader->files->first = file;
	reader->files->last = file;
}

const scene_file *files_find(const spate_scene *scene, const char *path)
{
	const scene_file *file = scene->memory ? scene->memory->files.first : NULL;
	while (file && file->path != path)
		file = file->next;
	return file;
}

// Why a file cannot be read; NULL when it can.
static const char *trouble(const char *path)
{
	struct stat info;
	if (stat(path, &info) != 0)
		return strerror(errno);
	if (!S_ISREG(info.st_mode))
		return S_ISDIR(info.st_mode) ? "it is a directory" : "it is not a regular file";
	return access(path, R_OK) == 0 ? NULL : strerror(errno);
}

static int is_first_mention(const scene_files *files, const scene_file *file)
{
	const scene_file *other = files->first;
	while (other != file && strcmp(other->path, file->path) != 0)
		other = other->next;
	return other == file;
}

static const spate_mesh_def *mesh_of(const spate_world_def *world, const scene_file *file)
{
	for (uint32_t c = 0; c < world->collider_count; c++)
		if (world->colliders[c].mesh.path == file->path)
			return &world->colliders[c].mesh;
	return NULL;
}

// The grids of vectors that forces take from files.
static void check_grids(const spate_scene *scene, problem_list *problems)
{
	const spate_world_def *world = &scene->world;
	for (uint32_t f = 0; f < world->force_count; f++)
	{
		const spate_force_def *force = &world->forces[f];
		const scene_file *file = force->field ? files_find(scene, force->field) : NULL;
		spate_error why = {0};
		if (file && !trouble(file->path) && vdb_find_vectors(file->path, force->grid, &why) != SPATE_OK)
			problem_add(problems, 0, file->at, file->owner, "%.400s", why.text);
	}
}

void files_check(const spate_scene *scene, problem_list *problems)
{
	const scene_files *files = &scene->memory->files;
	for (const scene_file *file = files->first; file; file = file->next)
	{
		const spate_mesh_def *mesh = mesh_of(&scene->world, file);
		int sequence = mesh && sequence_is_pattern(file->path);
		// of a sequence, only the first bad file is reported
		uint32_t number = sequence ? mesh->first : 0, last = sequence ? mesh->last : 0;
		char path[PATH_MAX];
		snprintf(path, sizeof path, "%s", file->path);
		const char *why = NULL;
		if (!sequence && !is_first_mention(files, file))
			continue;
		for (; number <= last && !why; number++)
			if (sequence && sequence_path(path, sizeof path, file->path, number, NULL) != SPATE_OK)
				why = "its name is too long";
			else
				why = trouble(path);
		if (why)
			problem_add(problems, 0, file->at, file->owner, "cannot read %s%.380s: %s",
				    sequence ? "a file of the sequence, " : "", path, why);
	}
	check_grids(scene, problems);
}

static void check_fill_build(const spate_scene *scene, const spate_shape *shape, unsigned libraries,
			     problem_list *problems)
{
	const scene_file *file = shape->mesh.path ? files_find(scene, shape->mesh.path) : NULL;
	char text[BUILD_TEXT_CHARS];
	if (file && !(libraries >> SPATE_LIBRARY_OPENVDB & 1))
	{
		build_lack_text(text, SPATE_LIBRARY_OPENVDB, "fills made of meshes need");
		problem_add(problems, 0, file->at, file->owner, "the scene cannot run: %s", text);
	}
	for (uint32_t n = 0; n < shape->part_count; n++)
		check_fill_build(scene, &shape->parts[n], libraries, problems);
}

void files_check_build(const spate_scene *scene, unsigned libraries, problem_list *problems)
{
	const spate_world_def *world = &scene->world;
	if (world->body_count > 0 && !(libraries >> SPATE_LIBRARY_ODE & 1))
	{
		char text[BUILD_TEXT_CHARS];
		build_lack_text(text, SPATE_LIBRARY_ODE, "bodies need");
		problem_add(problems, 0, (place){0}, "bodies", "the scene cannot run: %s", text);
	}
	for (uint32_t s = 0; s < world->source_count; s++)
		check_fill_build(scene, &world->sources[s].shape, libraries, problems);
	for (uint32_t c = 0; c < world->collider_count; c++)
	{
		const spate_collider_def *collider = &world->colliders[c];
		const scene_file *file = collider->mesh.path ? files_find(scene, collider->mesh.path) : NULL;
		int exr = collider->wet.size > 0 && collider->wet.format == SPATE_IMAGE_EXR;
		const struct
		{
			spate_library library;
			int needed;
			const char *needs;
		} rows[] = {{SPATE_LIBRARY_OPENVDB, 1, "colliders made of meshes need"},
			    {SPATE_LIBRARY_OPENEXR, exr, "a wet_map with format: exr needs"}};
		for (size_t i = 0; i < sizeof rows / sizeof *rows && file; i++)
		{
			char text[BUILD_TEXT_CHARS];
			if (!rows[i].needed || libraries >> rows[i].library & 1)
				continue;
			build_lack_text(text, rows[i].library, rows[i].needs);
			problem_add(problems, 0, file->at, file->owner, "the scene cannot run: %s", text);
		}
	}
}
