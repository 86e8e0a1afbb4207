// XML polydata of VTK and ParaView, with appended little-endian arrays.
#include "export/particle_table.h"
#include "export/stream.h"
#include "mesh/format.h"

#include <inttypes.h>

static void write_xml_name(const char *name, stream *s)
{
	for (const unsigned char *at = (const unsigned char *)name; *at; at++)
		if (*at < ' ' || *at == '<' || *at == '>' || *at == '&' || *at == '"')
			stream_text(s, "&#%u;", *at < ' ' ? '_' : *at);
		else
			stream_text(s, "%c", *at);
}

// Writes the tag of an array; its data follows later, after a count of eight bytes.
static void write_tag(stream *s, const char *type, const char *name, uint32_t components, uint64_t *offset,
		      uint64_t bytes)
{
	stream_text(s, "<DataArray type=\"%s\" Name=\"", type);
	write_xml_name(name, s);
	stream_text(s, "\" NumberOfComponents=\"%u\" format=\"appended\" offset=\"%" PRIu64 "\"/>\n", components,
		    *offset);
	*offset += 8 + bytes;
}

static void write_floats(stream *s, const float *values, size_t count)
{
	stream_u64(s, 4 * (uint64_t)count);
	for (size_t i = 0; i < count; i++)
		stream_float(s, values[i]);
}

static void write_start(stream *s)
{
	stream_text(s, "<?xml version=\"1.0\"?>\n");
	if (*s->note)
		stream_text(s, "<!-- by spate %s -->\n", s->note);
	stream_text(s, "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
		       "header_type=\"UInt64\">\n<PolyData>\n");
}

static spate_result write_mesh(const spate_mesh *mesh, stream *s)
{
	uint64_t offset = 0, vertices = mesh->vertex_count, triangles = mesh->triangle_count;
	write_start(s);
	stream_text(s,
		    "<Piece NumberOfPoints=\"%" PRIu64
		    "\" NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
		    "NumberOfPolys=\"%" PRIu64 "\">\n",
		    vertices, triangles);
	stream_text(s, "<PointData>\n");
	for (uint32_t n = 0; n < mesh->channel_count; n++)
	{
		const spate_mesh_channel *c = &mesh->channels[n];
		write_tag(s, "Float32", c->name, c->components, &offset, 4 * vertices * c->components);
	}
	stream_text(s, "</PointData>\n<Points>\n");
	write_tag(s, "Float32", "Points", 3, &offset, 12 * vertices);
	stream_text(s, "</Points>\n<Polys>\n");
	write_tag(s, "UInt32", "connectivity", 1, &offset, 12 * triangles);
	write_tag(s, "Int64", "offsets", 1, &offset, 8 * triangles);
	stream_text(s, "</Polys>\n<CellData>\n");
	if (mesh->sides)
		write_tag(s, "UInt8", "sides", 2, &offset, 2 * triangles);
	stream_text(s, "</CellData>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");

	for (uint32_t n = 0; n < mesh->channel_count; n++)
		write_floats(s, mesh->channels[n].values, (size_t)vertices * mesh->channels[n].components);
	write_floats(s, mesh->positions, 3 * (size_t)vertices);
	stream_u64(s, 12 * triangles);
	for (size_t i = 0; i < 3 * (size_t)triangles; i++)
		stream_u32(s, mesh->triangles[i]);
	stream_u64(s, 8 * triangles);
	for (uint64_t t = 1; t <= triangles; t++)
		stream_u64(s, 3 * t);
	if (mesh->sides)
	{
		stream_u64(s, 2 * triangles);
		stream_bytes(s, mesh->sides, 2 * (size_t)triangles);
	}
	stream_text(s, "\n</AppendedData>\n</VTKFile>\n");
	return SPATE_OK;
}

// ParaView takes the time of a file from TimeValue.
static void write_fact(stream *s, const char *type, const char *name, double value)
{
	stream_text(s, "<DataArray type=\"%s\" Name=\"%s\" NumberOfTuples=\"1\" format=\"ascii\">", type, name);
	stream_double(s, value);
	stream_text(s, "</DataArray>\n");
}

static void write_facts(stream *s, const file_extras *extras)
{
	stream_text(s, "<FieldData>\n");
	if (extras->frame >= 0)
	{
		write_fact(s, "Float64", "TimeValue", extras->time);
		write_fact(s, "Int64", "frame", (double)extras->frame);
	}
	if (extras->fps > 0.0)
		write_fact(s, "Float64", "fps", extras->fps);
	stream_text(s, "</FieldData>\n");
}

// All points are one cell, because what belongs to no cell is not drawn.
static spate_result write_particles(const particle_table *table, const file_extras *extras, stream *s)
{
	static const char *const taken[] = {"Points", NULL};
	uint64_t offset = 0, count = table->count, cells = count > 0;
	spate_result result = particle_check_names(table, "vtp", NULL, taken, s->error);
	if (result != SPATE_OK)
		return result;
	write_start(s);
	write_facts(s, extras);
	stream_text(s,
		    "<Piece NumberOfPoints=\"%" PRIu64 "\" NumberOfVerts=\"%" PRIu64
		    "\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n<PointData>\n",
		    count, cells);
	for (size_t n = 0; n < table->columns.count; n++)
	{
		const particle_column *c = &table->columns.data[n];
		const char *type = c->type == SPATE_INT32 ? "Int32" : c->type == SPATE_INT64 ? "Int64" : "Float32";
		write_tag(s, type, c->name, spate_type_components(c->type), &offset, count * spate_type_size(c->type));
	}
	stream_text(s, "</PointData>\n<Points>\n");
	write_tag(s, "Float32", "Points", 3, &offset, 12 * count);
	stream_text(s, "</Points>\n<Verts>\n");
	write_tag(s, "UInt32", "connectivity", 1, &offset, 4 * count);
	write_tag(s, "Int64", "offsets", 1, &offset, 8 * cells);
	stream_text(s, "</Verts>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");

	for (size_t n = 0; n < table->columns.count; n++)
	{
		const particle_column *c = &table->columns.data[n];
		stream_u64(s, count * spate_type_size(c->type));
		stream_bytes(s, c->data, count * spate_type_size(c->type));
	}
	stream_u64(s, 12 * count);
	stream_bytes(s, table->positions, 12 * count);
	stream_u64(s, 4 * count);
	for (uint32_t i = 0; i < count; i++)
		stream_u32(s, i);
	stream_u64(s, 8 * cells);
	if (cells)
		stream_u64(s, count);
	stream_text(s, "\n</AppendedData>\n</VTKFile>\n");
	return SPATE_OK;
}

const file_format file_format_vtp = {
    .about = {.name = "vtp",
	      .suffix = ".vtp",
	      .title = "VTP",
	      .text = "XML polydata of VTK and ParaView, with raw arrays",
	      .writes = SPATE_FORMAT_PARTICLES | SPATE_FORMAT_TRIANGLES | SPATE_FORMAT_CHANNELS | SPATE_FORMAT_SIDES},
    .rank = 5,
    .write = write_mesh,
    .write_particles = write_particles,
};
