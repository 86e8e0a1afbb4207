// OpenVDB files: the signed distance to a mesh as a level set. `spate info` reads them through the bridge.
#include "base/error.h"
#include "base/file.h"
#include "bridge/vdb_surface.h"
#include "mesh/format.h"

static spate_result write_field(const spate_mesh *mesh, const file_extras *extras, const char *path, spate_error *error)
{
	file_writer writer;
	spate_result result = file_begin(&writer, path, error);
	if (result != SPATE_OK)
		return result;
	// OpenVDB opens the temporary file by name
	result = vdb_write_level_set(mesh, extras->origin, extras->cell, extras->threads, extras->note,
				     writer.temporary, error);
	if (result == SPATE_OK)
		return file_commit(&writer, error);
	// its message names the temporary, so report the target instead
	if (result == SPATE_IO)
		result = error_set(error, result, "cannot write %s; is the disk full?", path);
	file_abandon(&writer);
	return result;
}

const file_format file_format_vdb = {
    .about = {.name = "vdb",
	      .suffix = ".vdb",
	      .title = "VDB",
	      .text = "Level sets of OpenVDB",
	      .reads = SPATE_FORMAT_FIELD,
	      .writes = SPATE_FORMAT_FIELD},
    .rank = 9,
    .write_field = write_field,
};
