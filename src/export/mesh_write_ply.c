// PLY, binary little endian: channels as vertex properties under their common names, uvs as a list per face, the fluids
// on both sides as two bytes per face.
#include "export/mesh_write.h"

#include <ctype.h>
#include <string.h>

// Writes the names of a channel's components: the common names, NAME, or NAME_x and so on. Blanks are replaced, since
// they end a name.
static void write_properties(const spate_mesh_channel *c, stream *s)
{
	static const char *const colors[] = {"red", "green", "blue", "alpha"};
	static const char *const normals[] = {"nx", "ny", "nz"};
	char name[sizeof c->name];
	memcpy(name, c->name, sizeof name);
	for (char *at = name; *at; at++)
		if (!isgraph((unsigned char)*at))
			*at = '_';
	for (uint32_t k = 0; k < c->components; k++)
		if (strcmp(name, "color") == 0 && c->components >= 3)
			stream_text(s, "property float %s\n", colors[k]);
		else if (strcmp(name, "normal") == 0 && c->components == 3)
			stream_text(s, "property float %s\n", normals[k]);
		else if (c->components == 1)
			stream_text(s, "property float %s\n", name);
		else
			stream_text(s, "property float %s_%c\n", name, "xyzw"[k]);
}

spate_result mesh_write_ply(const spate_mesh *mesh, stream *s)
{
	stream_text(s, "ply\nformat binary_little_endian 1.0\ncomment by spate%s%s\nelement vertex %u\n",
		    *s->note ? " " : "", s->note, mesh->vertex_count);
	stream_text(s, "property float x\nproperty float y\nproperty float z\n");
	for (uint32_t i = 0; i < mesh->channel_count; i++)
		write_properties(&mesh->channels[i], s);
	stream_text(s, "element face %u\nproperty list uchar uint vertex_indices\n", mesh->triangle_count);
	if (mesh->uvs)
		stream_text(s, "property list uchar float texcoord\n");
	if (mesh->sides)
		stream_text(s, "property uchar side_a\nproperty uchar side_b\n");
	stream_text(s, "end_header\n");

	for (size_t v = 0; v < mesh->vertex_count; v++)
	{
		for (size_t k = 0; k < 3; k++)
			stream_float(s, mesh->positions[3 * v + k]);
		for (uint32_t i = 0; i < mesh->channel_count; i++)
		{
			const spate_mesh_channel *c = &mesh->channels[i];
			for (uint32_t k = 0; k < c->components; k++)
				stream_float(s, c->values[v * c->components + k]);
		}
	}
	for (size_t t = 0; t < mesh->triangle_count; t++)
	{
		stream_u8(s, 3);
		for (size_t k = 0; k < 3; k++)
			stream_u32(s, mesh->triangles[3 * t + k]);
		if (mesh->uvs)
			stream_u8(s, 6);
		for (size_t k = 0; k < 6 && mesh->uvs; k++)
			stream_float(s, mesh->uvs[6 * t + k]);
		for (size_t k = 0; k < 2 && mesh->sides; k++)
			stream_u8(s, mesh->sides[2 * t + k]);
	}
	return SPATE_OK;
}
