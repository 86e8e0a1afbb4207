// Draws one frame of a sequence: particles and values from the file, solids from the scene.
#include "base/error.h"
#include "collider/collider.h"
#include "job/preview.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const vec3 obstacle_colour = {0.40f, 0.38f, 0.36f}, container_colour = {0.75f, 0.82f, 0.88f},
		  plane_colour = {0.85f, 0.80f, 0.72f}, matt_colour = {0.55f, 0.53f, 0.50f};

run_path preview_sequence_path(const spate_preview *s, size_t n)
{
	run_path path;
	if (s->single)
		snprintf(path.text, sizeof path.text, "%s", s->def.input);
	else
		path = run_frame_path(s->def.input, s->frames.data[n]);
	return path;
}

// -------------------------------------------------------------------------------------------------------------- values

static float value_of(const void *data, spate_type type, size_t row, int component)
{
	switch (type)
	{
	case SPATE_INT32:
		return (float)((const int32_t *)data)[row];
	case SPATE_INT64:
		return (float)((const int64_t *)data)[row];
	default:
		break;
	}
	int components = (int)spate_type_components(type);
	const float *v = (const float *)data + row * (size_t)components;
	if (component >= 0 || components == 1)
		return v[component > 0 ? component : 0];
	float sum = 0.0f;
	for (int k = 0; k < components; k++)
		sum += v[k] * v[k];
	return sqrtf(sum);
}

spate_result preview_sequence_values(spate_preview *s, const preview_points *frame, spate_error *error)
{
	const void *data;
	spate_type type;
	spate_result result = preview_points_channel(frame, s->scalar.channel, &type, &data, error);
	if (result != SPATE_OK)
		return result;
	size_t count = (size_t)frame->count;
	if (s->scalar.component >= (int)spate_type_components(type))
		return error_set(error, SPATE_MISSING, "channel '%s' has no such component", s->scalar.channel);
	if (!array_reserve(&s->values, count))
		return error_memory(error, count * sizeof(float));
	s->values.count = count;
	for (size_t row = 0; row < count; row++)
		s->values.data[row] = value_of(data, type, row, s->scalar.component);
	return SPATE_OK;
}

// -------------------------------------------------------------------------------------------------------------- solids

static vec3 near_origin(const double p[3], const double origin[3])
{
	return vec3_make((float)(p[0] - origin[0]), (float)(p[1] - origin[1]), (float)(p[2] - origin[2]));
}

static draw_shape shape_of(const spate_preview *s, uint32_t number, const double origin[3])
{
	const spate_collider_def *c = &s->scene.world.colliders[number];
	static const draw_shape_type types[SPATE_SHAPE_COUNT] = {
	    [SPATE_SHAPE_PLANE] = DRAW_PLANE,       [SPATE_SHAPE_BOX] = DRAW_BOX,
	    [SPATE_SHAPE_SPHERE] = DRAW_SPHERE,     [SPATE_SHAPE_CAPSULE] = DRAW_CAPSULE,
	    [SPATE_SHAPE_CYLINDER] = DRAW_CYLINDER,
	};
	int plane = c->shape.type == SPATE_SHAPE_PLANE, inside = c->mode == SPATE_COLLIDER_INSIDE;
	rigid pose = preview_pose(s, number, origin);
	draw_shape shape = {
	    .type = types[c->shape.type],
	    .a = vec3_scale(near_origin(c->shape.a, origin), pose.scale),
	    .b = vec3_scale(near_origin(c->shape.b, origin), pose.scale),
	    .radius = (float)c->shape.radius * pose.scale,
	    .container = inside && !plane,
	    .translation = pose.translation,
	    .colour = inside && !plane ? container_colour : obstacle_colour,
	};
	// a plane's b is a direction
	if (plane)
	{
		shape.b = vec3_make((float)c->shape.b[0], (float)c->shape.b[1], (float)c->shape.b[2]);
		shape.colour = plane_colour;
	}
	memcpy(shape.rotation, pose.rotation, sizeof shape.rotation);
	return shape;
}

// Adds the shapes and meshes of the colliders to the input.
static spate_result collect_solids(spate_preview *s, const double origin[3], double time, preview_input *input,
				   spate_error *error)
{
	s->shapes.count = s->meshes.count = 0;
	for (uint32_t i = 0; i < s->scene.world.collider_count; i++)
	{
		const spate_collider_def *c = &s->scene.world.colliders[i];
		draw_mesh mesh;
		if (!c->mesh.path ? !array_push(&s->shapes, shape_of(s, i, origin))
				  : preview_collider_mesh(s, i, origin, time, &mesh) && !array_push(&s->meshes, mesh))
			return error_memory(error, sizeof(draw_mesh));
	}
	input->shapes = s->shapes.data;
	input->shape_count = (int)s->shapes.count;
	input->meshes = s->meshes.data;
	input->mesh_count = (int)s->meshes.count;
	return SPATE_OK;
}

// ------------------------------------------------------------------------------------------------------------- picture

typedef struct count_text
{
	char text[32];
} count_text;

// "102,400"
static count_text count_of(uint64_t count)
{
	count_text out;
	char digits[24];
	int length = snprintf(digits, sizeof digits, "%" PRIu64, count), used = 0;
	for (int i = 0; i < length; i++)
	{
		if (i > 0 && (length - i) % 3 == 0)
			out.text[used++] = ',';
		out.text[used++] = digits[i];
	}
	out.text[used] = '\0';
	return out;
}

int preview_shows_levels(const spate_preview *s)
{
	return strcmp(s->scalar.channel, "level") == 0;
}

int preview_map(const spate_preview *s)
{
	if (s->def.colormap != SPATE_COLORMAP_AUTO)
		return (int)s->def.colormap;
	return preview_shows_levels(s) ? COLORMAP_LEVELS : COLORMAP_TURBO;
}

static preview_settings settings_of(spate_preview *s, const double origin[3], double time)
{
	const spate_preview_def *d = &s->def;
	preview_settings settings = preview_default_settings();
	settings.width = d->width;
	settings.height = d->height;
	settings.supersample = d->supersample;
	settings.threads = d->job.threads;
	settings.scratch = &s->scratch;
	if (s->has_scene && s->scene.up == SPATE_UP_Z)
		settings.up = vec3_make(0, 0, 1);
	settings.bounds_min = near_origin(s->low, origin);
	settings.bounds_max = near_origin(s->high, origin);
	int up = s->has_scene && s->scene.up == SPATE_UP_Z ? 2 : 1;
	if (s->floor < s->low[up])
		settings.ground_height = (float)(s->floor - origin[up]);
	if (s->camera)
	{
		spate_camera_def now;
		const spate_camera_def *c = preview_camera_at(s, time, &now);
		settings.has_camera = 1;
		settings.camera = camera_make((dvec3){c->position[0], c->position[1], c->position[2]},
					      (dvec3){c->target[0], c->target[1], c->target[2]},
					      vec3_make((float)c->up[0], (float)c->up[1], (float)c->up[2]),
					      (float)c->fov, (dvec3){origin[0], origin[1], origin[2]});
	}
	if (d->color_by)
	{
		settings.colour = PREVIEW_SCALAR;
		settings.map = (colormap)preview_map(s);
		settings.range_low = s->range_low;
		settings.range_high = s->range_high;
		settings.legend_title = s->scalar.title;
		settings.legend_unit = s->scalar.unit;
	}
	return settings;
}

static spate_result read_fluid(const preview_points *frame, preview_input *input, spate_error *error)
{
	const void *data;
	spate_type type;
	spate_error none;
	spate_result result = preview_points_channel(frame, "fluid", &type, &data, &none);
	if (result == SPATE_MISSING)
		return SPATE_OK;
	if (result == SPATE_OK && type == SPATE_INT32)
		input->fluid = data;
	else if (result != SPATE_OK && error)
		*error = none;
	return result;
}

static spate_result draw_particles(spate_preview *s, const preview_points *frame, const char *path, image *out,
				   spate_error *error)
{
	const void *positions;
	spate_type type;
	const double *origin = frame->origin, time = frame->time;
	spate_result result = preview_points_channel(frame, "position", &type, &positions, error);
	if (result == SPATE_OK && type != SPATE_VEC3)
		result =
		    error_set(error, SPATE_FORMAT, "%s: channel position is %s, not vec3", path, spate_type_name(type));
	if (result != SPATE_OK)
		return result;

	preview_input input = {.positions = positions,
			       .stride = 3,
			       .count = (size_t)frame->count,
			       .radii = s->radii,
			       .colours = s->colours,
			       .fluids = s->fluids};
	result = read_fluid(frame, &input, error);
	if (result == SPATE_OK && s->def.color_by)
	{
		result = preview_sequence_values(s, frame, error);
		input.scalar = s->values.data;
		input.scalar_stride = 1;
		input.scalar_components = 1;
	}
	if (result == SPATE_OK)
		result = collect_solids(s, origin, time, &input, error);
	if (result != SPATE_OK)
		return result;

	char label[256], when[64] = "";
	preview_settings settings = settings_of(s, origin, time);
	if (frame->frame)
		snprintf(when, sizeof when, "   frame %" PRId64 "   %.3f s", frame->number, time);
	snprintf(label, sizeof label, "%s%s   %s particles", s->name, when, count_of(frame->count).text);
	settings.label = s->def.label ? label : NULL;
	return preview_frame(&settings, &input, out, error);
}

// Meshes are in world coordinates, so the origin is zero.
static spate_result draw_surface(spate_preview *s, size_t n, image *out, spate_error *error)
{
	static const double zero[3];
	double time = preview_surface_time(s, n);
	preview_input input = {0};
	spate_result result = preview_read_surfaces(s, n, error);
	if (result == SPATE_OK)
		result = preview_place(s, n, NULL, error);
	if (result == SPATE_OK)
		result = collect_solids(s, zero, time, &input, error);
	if (result != SPATE_OK)
		return result;
	uint64_t triangles = 0;
	for (size_t i = 0; i < s->surfaces_read.count; i++)
	{
		const preview_surface *from = &s->surfaces_read.data[i];
		// with the matt look a single liquid is grey; several keep their colours
		int grey = s->def.look == SPATE_PREVIEW_MATT && s->surfaces_read.count == 1;
		draw_mesh surface = {.model = &from->of.model,
				     .look = (draw_mesh_look)s->def.look,
				     .colour = grey ? matt_colour : s->colours[from->fluid % s->fluids]};
		triangles += from->of.mesh->triangle_count;
		if (!array_push(&s->meshes, surface))
			return error_memory(error, sizeof surface);
	}
	input.meshes = s->meshes.data;
	input.mesh_count = (int)s->meshes.count;

	char label[256], when[64] = "";
	preview_settings settings = settings_of(s, zero, time);
	if (!s->single)
		snprintf(when, sizeof when, "   frame %" PRId64 "   %.3f s", s->frames.data[n], time);
	if (triangles > 0)
		snprintf(label, sizeof label, "%s%s   %s triangles", s->name, when, count_of(triangles).text);
	else
		snprintf(label, sizeof label, "%s%s   empty", s->name, when);
	settings.label = s->def.label ? label : NULL;
	return preview_frame(&settings, &input, out, error);
}

// The frame of a run tells the time and where colliders are.
static spate_result draw_forces(spate_preview *s, size_t n, image *out, spate_error *error)
{
	static const double zero[3];
	spate_frame *frame = NULL;
	spate_result result = SPATE_OK;
	if (!s->single)
		result = spate_frame_open(preview_sequence_path(s, n).text, &frame, error);
	double time = frame ? spate_frame_time(frame) : 0.0;
	preview_input input = {0};
	float largest = 0.0f;
	if (result == SPATE_OK)
		result = preview_place(s, n, frame, error);
	spate_frame_close(frame);
	if (result == SPATE_OK)
		result = collect_solids(s, zero, time, &input, error);
	if (result == SPATE_OK)
		result = preview_add_forces(s, zero, time, &largest, error);
	if (result != SPATE_OK)
		return result;
	input.shapes = s->shapes.data;
	input.shape_count = (int)s->shapes.count;
	char label[256];
	preview_settings settings = settings_of(s, zero, time);
	snprintf(label, sizeof label, "%s   %.3f s   longest arrow %.3g m/s^2", s->name, time, (double)largest);
	settings.label = label;
	settings.shadows = 0;
	settings.colour = PREVIEW_SCALAR;
	settings.map = (colormap)preview_map(s);
	settings.range_low = 0.0f;
	settings.range_high = largest > 0.0f ? largest : 1.0f;
	settings.legend_title = "acceleration";
	settings.legend_unit = "m/s^2";
	return preview_frame(&settings, &input, out, error);
}

spate_result preview_sequence_draw(spate_preview *s, size_t n, image *out, spate_error *error)
{
	if (s->def.forces)
		return draw_forces(s, n, out, error);
	if (s->surfaces)
		return draw_surface(s, n, out, error);
	run_path path = preview_sequence_path(s, n);
	preview_points frame;
	spate_result result = preview_points_open(&frame, path.text, error);
	if (result == SPATE_OK)
		result = preview_place(s, n, frame.frame, error);
	if (result == SPATE_OK)
		result = draw_particles(s, &frame, path.text, out, error);
	preview_points_close(&frame);
	return result;
}
