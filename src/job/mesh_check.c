// The definition of a meshing job: its defaults, and whether its settings fit together.
#include "base/error.h"
#include "job/mesh_job.h"

#include <string.h>

spate_mesh_job_def spate_default_mesh_job_def(void)
{
	return (spate_mesh_job_def){.surface = spate_default_surface_def()};
}

static spate_result check_channels(const spate_mesh_job_def *d, spate_error *error)
{
	uint32_t count = d->channels ? d->channel_count : 0;
	int good = count <= SPATE_MESH_JOB_MAX_CHANNELS;
	for (uint32_t i = 0; i < count && good; i++)
		good = strlen(d->channels[i]) < sizeof((spate_mesh_channel *)0)->name;
	if (!good)
		return error_set(error, SPATE_INVALID, "`channels` takes at most %d names of up to 31 letters",
				 (int)SPATE_MESH_JOB_MAX_CHANNELS);
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < i; k++)
			if (strcmp(d->channels[i], d->channels[k]) == 0)
				return error_set(error, SPATE_INVALID, "`channels` names %s twice", d->channels[i]);
	return SPATE_OK;
}

static spate_result check_format(const spate_mesh_job_def *d, spate_error *error)
{
	const spate_format *format = d->format ? spate_format_find(d->format) : NULL;
	if (!d->format)
		return SPATE_OK;
	if (!format || !(format->writes & SPATE_FORMAT_TRIANGLES))
		return error_set(error, SPATE_INVALID, "`format` takes %s, not '%s'",
				 file_formats_writing(SPATE_FORMAT_TRIANGLES, 0).text, d->format);
	if (d->interfaces != SPATE_MESH_INTERFACES_NONE && !(format->writes & SPATE_FORMAT_SIDES))
		return error_set(error, SPATE_INVALID, "`format` %s cannot store the two fluids of a triangle; use %s",
				 d->format, file_formats_writing(SPATE_FORMAT_SIDES, 0).text);
	if (d->marks && !(format->writes & SPATE_FORMAT_PARTICLES))
		return error_set(error, SPATE_INVALID, "`format` %s cannot store marked particles; use %s", d->format,
				 file_formats_writing(SPATE_FORMAT_PARTICLES, 0).text);
	return SPATE_OK;
}

// Settings that have no effect because of another one.
static spate_result check_together(const spate_mesh_job_def *d, spate_error *error)
{
	const spate_surface_def usual = spate_default_surface_def(), *s = &d->surface;
	const int many = d->interfaces != SPATE_MESH_INTERFACES_NONE;
	const int chromatic = d->interfaces == SPATE_MESH_INTERFACES_CHROMATIC;
	const char *mode = d->marks ? "`marks`" : chromatic ? "`interfaces` chromatic" : "`interfaces`";
	const struct
	{
		const char *member;
		int given, refused;
	} pairs[] = {
	    {"interfaces", many, d->marks},
	    {"fluid", d->fluid != NULL, many},
	    {"refine", s->refine != usual.refine, many || d->marks},
	    {"min_blob", s->min_blob != usual.min_blob, d->marks},
	    {"min_cavity", s->min_cavity != usual.min_cavity, d->marks},
	    {"decimate", s->decimate != usual.decimate, many || d->marks},
	    {"method", s->method != usual.method, chromatic || d->marks},
	    {"cell", s->cell != usual.cell, chromatic || d->marks},
	    {"kernel", s->kernel != usual.kernel, chromatic || d->marks},
	    {"offset", s->offset != usual.offset, chromatic || d->marks},
	    {"smoothing", s->smoothing != usual.smoothing, d->marks},
	    {"normals", s->normals != usual.normals, d->marks},
	    {"clip", s->clip, d->marks},
	    {"clip_colliders", d->clip_colliders, d->marks},
	    {"vdb", d->vdb, d->marks},
	};
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		if (pairs[i].given && pairs[i].refused)
			return error_set(error, SPATE_INVALID, "`%s` cannot be combined with %s", pairs[i].member,
					 mode);
	return SPATE_OK;
}

spate_result spate_mesh_job_check(const spate_mesh_job_def *def, spate_error *error)
{
	if (!def->input)
		return error_set(error, SPATE_INVALID, "`input` is missing");
	if (def->up != SPATE_EXPORT_UP_Y && def->up != SPATE_EXPORT_UP_Z)
		return error_set(error, SPATE_INVALID, "`up` is %d, which is unknown", (int)def->up);
	spate_result result = check_channels(def, error);
	if (result == SPATE_OK)
		result = check_together(def, error);
	return result == SPATE_OK ? check_format(def, error) : result;
}
