// Writes meshes: chooses the format, and implements the two short ones, OBJ and STL.
#include "export/mesh_write.h"

#include "base/error.h"
#include "mesh/stl.h"
#include "mesh/weld.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct mesh_writer
{
	const char *ending;
	spate_result (*write)(const spate_mesh *mesh, stream *s);
} mesh_writer;

static const mesh_writer writers[] = {{"obj", mesh_write_obj},
				      {"ply", mesh_write_ply},
				      {"stl", mesh_write_stl},
				      {"vtk", mesh_write_vtk},
				      {"vtp", mesh_write_vtp}};

static spate_result write_with(const mesh_writer *writer, const spate_mesh *mesh, const char *note, const char *path,
			       spate_error *error)
{
	stream s;
	stream_open(&s, path, error);
	s.note = note;
	spate_result result = s.result == SPATE_OK ? writer->write(mesh, &s) : s.result;
	if (result != SPATE_OK && s.result == SPATE_OK)
	{
		file_abandon(&s.file);
		s.result = result;
	}
	return stream_close(&s);
}

spate_result mesh_write_noted(const spate_mesh *mesh, const char *note, const char *path, spate_error *error)
{
	const char *dot = strrchr(path, '.');
	for (size_t i = 0; dot && i < sizeof writers / sizeof *writers; i++)
		if (strcasecmp(dot + 1, writers[i].ending) == 0)
			return write_with(&writers[i], mesh, note, path, error);
	return error_set(error, SPATE_INVALID, "cannot write %s: meshes end in .obj, .ply, .stl, .vtk or .vtp", path);
}

spate_result spate_mesh_write(const spate_mesh *mesh, const char *path, spate_error *error)
{
	return mesh_write_noted(mesh, "", path, error);
}

static void write_line(stream *s, const char *word, const float *values, size_t count)
{
	stream_text(s, "%s", word);
	for (size_t k = 0; k < count; k++)
		stream_number(s, values[k]);
	stream_text(s, "\n");
}

// Corners with the same uv share a line.
static spate_result write_uvs(const spate_mesh *mesh, stream *s, uint32_t *numbers)
{
	weld w = {.slots = NULL};
	int good = 1;
	for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count && good; i++)
		good = weld_add(&w, (const float[3]){mesh->uvs[2 * i], mesh->uvs[2 * i + 1], 0.0f}, &numbers[i]);
	for (size_t i = 0; i < w.points.count && good; i += 3)
		write_line(s, "vt", w.points.data + i, 2);
	spate_result result = good ? SPATE_OK : error_memory(s->error, w.points.count * sizeof(float));
	weld_free(&w);
	return result;
}

spate_result mesh_write_obj(const spate_mesh *mesh, stream *s)
{
	const spate_mesh_channel *color = spate_mesh_find_channel(mesh, "color");
	const spate_mesh_channel *normal = spate_mesh_find_channel(mesh, "normal");
	size_t corners = 3 * (size_t)mesh->triangle_count;
	if (color && color->components < 3)
		color = NULL;
	if (normal && normal->components != 3)
		normal = NULL;
	if (*s->note)
		stream_text(s, "# by spate %s\n", s->note);
	for (size_t i = 0; i < mesh->vertex_count; i++)
	{
		float v[6];
		memcpy(v, mesh->positions + 3 * i, 3 * sizeof *v);
		if (color)
			memcpy(v + 3, color->values + color->components * i, 3 * sizeof *v);
		write_line(s, "v", v, color ? 6 : 3);
	}
	for (size_t i = 0; i < mesh->vertex_count && normal; i++)
		write_line(s, "vn", normal->values + 3 * i, 3);
	uint32_t *uvs = NULL;
	if (mesh->uvs && corners > 0)
	{
		if (!(uvs = mem_alloc(corners * sizeof *uvs)))
			return error_memory(s->error, corners * sizeof *uvs);
		spate_result result = write_uvs(mesh, s, uvs);
		if (result != SPATE_OK)
		{
			mem_free(uvs);
			return result;
		}
	}
	for (size_t i = 0; i < corners; i++)
	{
		uint32_t v = mesh->triangles[i] + 1, t = uvs ? uvs[i] + 1 : 0;
		const uint8_t *side = mesh->sides ? mesh->sides + i / 3 * 2 : NULL;
		if (side && i % 3 == 0 && (i == 0 || memcmp(side, side - 2, 2) != 0))
			stream_text(s, "g %u_%u\n", side[0], side[1]);
		stream_text(s, i % 3 ? " %u" : "f %u", v);
		if (uvs)
			stream_text(s, "/%u", t);
		if (normal)
			stream_text(s, uvs ? "/%u" : "//%u", v);
		if (i % 3 == 2)
			stream_text(s, "\n");
	}
	mem_free(uvs);
	return SPATE_OK;
}

spate_result mesh_write_stl(const spate_mesh *mesh, stream *s)
{
	// not "solid", which marks text files
	char header[STL_HEADER] = {0};
	snprintf(header, sizeof header, "binary STL by spate%s%s", *s->note ? " " : "", s->note);
	stream_bytes(s, header, sizeof header);
	stream_u32(s, mesh->triangle_count);
	for (size_t t = 0; t < mesh->triangle_count; t++)
	{
		const float *p[3];
		for (size_t k = 0; k < 3; k++)
			p[k] = mesh->positions + 3 * (size_t)mesh->triangles[3 * t + k];
		double u[3], v[3];
		for (int k = 0; k < 3; k++)
		{
			u[k] = (double)p[1][k] - (double)p[0][k];
			v[k] = (double)p[2][k] - (double)p[0][k];
		}
		double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
		double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
		for (int k = 0; k < 3; k++)
			stream_float(s, length > 0.0 ? (float)(n[k] / length) : 0.0f);
		for (int i = 0; i < 9; i++)
			stream_float(s, p[i / 3][i % 3]);
		stream_bytes(s, "\0", 2);
	}
	return SPATE_OK;
}
