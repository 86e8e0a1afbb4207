#include "render/preview.h"

#include "base/error.h"
#include "base/parallel.h"
#include "render/font.h"
#include "render/shade.h"
#include "render/splat.h"

#include <float.h>
#include <string.h>

enum
{
	SHADOW_SIZE = 1024 // pixels per side of the shadow map
};

// Triangles closer to the eye than this fraction of the scene size are clipped.
static const float nearest_mesh = 1e-4f;

// All data of one frame, in the order in which it is computed.
typedef struct frame
{
	const preview_settings *settings;
	const preview_input *input;
	arena *scratch;
	int threads, scale; // scale: samples per pixel side
	vec3 low, high;     // bounds of the scene
	vec3 up;
	float size; // m, diagonal of the bounds
	float range_low, range_high;
	camera_view view;
	splat_spheres spheres;
	draw_shape *shapes; // the input's, plus the floor
	draw_caster *casters;
	int shape_count;
	draw_mesh_set meshes;
	float *depth;
	uint32_t *id;
	shade_scene scene;
	vec3 *light;
} frame;

preview_settings preview_default_settings(void)
{
	return (preview_settings){
	    .width = 1280,
	    .height = 720,
	    .supersample = 2,
	    .up = {0, 1, 0},
	    .fov = 35.0f,
	    .bounds_min = {1, 1, 1},
	    .bounds_max = {-1, -1, -1},
	    .map = COLORMAP_WATER,
	    .ground = 1,
	    .ground_height = NAN,
	    .shadows = 1,
	    .occlusion = 1,
	};
}

int preview_bounds(const float *positions, size_t stride, size_t count, vec3 *low, vec3 *high)
{
	*low = vec3_make(FLT_MAX, FLT_MAX, FLT_MAX);
	*high = vec3_make(-FLT_MAX, -FLT_MAX, -FLT_MAX);
	for (size_t i = 0; i < count; i++)
	{
		const float *p = positions + i * stride;
		if (!vec3_is_finite(vec3_make(p[0], p[1], p[2])))
			continue;
		*low = vec3_make(fminf(low->x, p[0]), fminf(low->y, p[1]), fminf(low->z, p[2]));
		*high = vec3_make(fmaxf(high->x, p[0]), fmaxf(high->y, p[1]), fmaxf(high->z, p[2]));
	}
	return low->x <= high->x;
}

static spate_result check(const preview_settings *s, const preview_input *in, spate_error *error)
{
	if (s->supersample < 1 || s->supersample > 4)
		return error_set(error, SPATE_INVALID, "supersampling of %d: it must be 1 to 4", s->supersample);
	int limit = IMAGE_MAX_SIZE / s->supersample;
	if (s->width < 1 || s->height < 1 || s->width > limit || s->height > limit)
		return error_set(error, SPATE_INVALID, "a picture of %d x %d pixels: each side must be 1 to %d",
				 s->width, s->height, limit);
	if (in->count && in->stride < 3)
		return error_set(error, SPATE_INVALID, "a stride of %zu floats cannot hold three coordinates",
				 in->stride);
	if (s->colour == PREVIEW_SCALAR && in->count && !in->scalar)
		return error_set(error, SPATE_INVALID, "colouring by a channel needs the channel");
	if ((unsigned)s->map >= COLORMAP_COUNT)
		return error_set(error, SPATE_INVALID, "colour map %d does not exist", (int)s->map);
	return SPATE_OK;
}

// Bounds of particles and meshes; one metre if there are none.
static void find_box(frame *f)
{
	const preview_input *in = f->input;
	vec3 low, high;
	int particles = preview_bounds(in->positions, in->stride, in->count, &f->low, &f->high);
	if (draw_mesh_bounds(in->meshes, in->mesh_count, &low, &high))
	{
		f->low = vec3_make(fminf(f->low.x, low.x), fminf(f->low.y, low.y), fminf(f->low.z, low.z));
		f->high = vec3_make(fmaxf(f->high.x, high.x), fmaxf(f->high.y, high.y), fmaxf(f->high.z, high.z));
	}
	else if (!particles)
	{
		f->low = vec3_make(-0.5f, -0.5f, -0.5f);
		f->high = vec3_make(0.5f, 0.5f, 0.5f);
	}
}

static void find_bounds(frame *f)
{
	const preview_settings *s = f->settings;
	f->low = s->bounds_min;
	f->high = s->bounds_max;
	int given = f->low.x <= f->high.x && f->low.y <= f->high.y && f->low.z <= f->high.z;
	if (!(given && vec3_is_finite(f->low) && vec3_is_finite(f->high)))
		find_box(f);
	f->size = fmaxf(vec3_length(vec3_sub(f->high, f->low)), 1e-3f);
	f->up = vec3_normalize(s->up);
	if (!(vec3_length(f->up) > 0.5f))
		f->up = vec3_make(0, 1, 0);
}

static void find_range(frame *f)
{
	const preview_input *in = f->input;
	f->range_low = f->settings->range_low;
	f->range_high = f->settings->range_high;
	if (f->settings->colour != PREVIEW_SCALAR || f->range_low < f->range_high)
		return;
	float low = FLT_MAX, high = -FLT_MAX;
	for (size_t i = 0; i < in->count; i++)
	{
		const float *v = in->scalar + i * in->scalar_stride;
		float value = in->scalar_components == 3 ? vec3_length(vec3_make(v[0], v[1], v[2])) : v[0];
		if (isfinite(value))
		{
			low = fminf(low, value);
			high = fmaxf(high, value);
		}
	}
	f->range_low = low <= high ? low : 0.0f;
	f->range_high = low < high ? high : f->range_low + 1.0f;
}

static void set_camera(frame *f)
{
	const preview_settings *s = f->settings;
	camera eye = s->camera;
	if (!s->has_camera)
		eye = camera_frame(f->low, f->high, f->up, s->fov, (float)s->width / (float)s->height);
	f->view = camera_look(&eye, s->width * f->scale, s->height * f->scale);
}

// Collects the input's shapes, and adds the floor unless one of them is a floor.
static spate_result collect_shapes(frame *f, spate_error *error)
{
	const preview_input *in = f->input;
	size_t room = (size_t)in->shape_count + 1;
	f->shapes = arena_alloc(f->scratch, room * sizeof *f->shapes);
	f->casters = arena_alloc(f->scratch, room * sizeof *f->casters);
	if (!f->shapes || !f->casters)
		return error_memory(error, room * (sizeof *f->shapes + sizeof *f->casters));
	int floor = f->settings->ground;
	for (int k = 0; k < in->shape_count; k++)
	{
		f->shapes[f->shape_count++] = in->shapes[k];
		vec3 normal = draw_shape_to_world(&in->shapes[k], vec3_normalize(in->shapes[k].b));
		if (in->shapes[k].type == DRAW_PLANE && vec3_dot(normal, f->up) > 0.99f)
			floor = 0;
	}
	if (floor)
	{
		// slightly below the liquid, so that both can be distinguished
		float bottom = fminf(vec3_dot(f->low, f->up), vec3_dot(f->high, f->up)) - 1e-3f * f->size;
		float height = isfinite(f->settings->ground_height) ? f->settings->ground_height : bottom;
		f->shapes[f->shape_count++] =
		    (draw_shape){.type = DRAW_PLANE, .a = vec3_scale(f->up, height), .b = f->up, .colour = {1, 1, 1}};
	}
	for (int k = 0; k < f->shape_count; k++)
		f->casters[k] = draw_caster_make(&f->shapes[k], &f->view);
	return SPATE_OK;
}

static spate_result draw_depth(frame *f, spate_error *error)
{
	size_t pixels = (size_t)f->view.width * (size_t)f->view.height;
	f->depth = arena_alloc(f->scratch, pixels * sizeof *f->depth);
	f->id = arena_alloc(f->scratch, pixels * sizeof *f->id);
	if (!f->depth || !f->id)
		return error_memory(error, pixels * (sizeof *f->depth + sizeof *f->id));
	const preview_input *in = f->input;
	f->spheres = (splat_spheres){.positions = in->positions,
				     .stride = in->stride,
				     .count = in->count,
				     .radii = in->radii,
				     .kinds = in->fluids,
				     .kind = in->fluid};
	splat_target target = {f->depth, f->id};
	spate_result result = splat_render(&f->view, &f->spheres, 0.7f, f->threads, f->scratch, &target, error);
	if (result == SPATE_OK)
		result = draw_mesh_set_place(&f->meshes, &f->view, in->meshes, in->mesh_count, nearest_mesh * f->size,
					     f->threads, f->scratch, error);
	if (result == SPATE_OK)
		result =
		    draw_mesh_set_depth(&f->meshes, DRAW_MESH_SOLIDS, f->threads, f->scratch, f->depth, f->id, error);
	if (result == SPATE_OK)
		draw_shapes_depth(&f->view, f->casters, f->shape_count, 1, f->threads, f->depth, f->id);
	return result;
}

static float largest_radius(const preview_input *in)
{
	float largest = 0.0f;
	for (int k = 0; k < in->fluids; k++)
		largest = fmaxf(largest, in->radii[k]);
	return largest;
}

// The light is far away, so that its rays are nearly parallel, and covers a ball around the bounds.
static spate_result draw_shadow(frame *f, spate_error *error)
{
	shade_shadow *shadow = &f->scene.shadow;
	float radius = 0.55f * f->size, distance = 16.0f * radius;
	vec3 middle = vec3_scale(vec3_add(f->low, f->high), 0.5f), key = shade_key_direction(&f->view, f->up);
	camera lamp = {.position = vec3_add_scaled(middle, key, distance),
		       .target = middle,
		       .up = f->view.right,
		       .fov = 2.0f * atanf(radius / distance) * 57.29578f};
	shadow->view = camera_look(&lamp, SHADOW_SIZE, SHADOW_SIZE);

	size_t pixels = (size_t)SHADOW_SIZE * SHADOW_SIZE;
	float *depth = arena_alloc(f->scratch, pixels * sizeof *depth);
	uint32_t *id = arena_alloc(f->scratch, pixels * sizeof *id);
	draw_caster *casters = arena_alloc(f->scratch, ((size_t)f->shape_count + 1) * sizeof *casters);
	if (!depth || !id || !casters)
		return error_memory(error, pixels * (sizeof *depth + sizeof *id));
	splat_target target = {depth, id};
	draw_mesh_set meshes;
	spate_result result = splat_render(&shadow->view, &f->spheres, 0.7f, f->threads, f->scratch, &target, error);
	if (result == SPATE_OK)
		result = draw_mesh_set_place(&meshes, &shadow->view, f->input->meshes, f->input->mesh_count,
					     nearest_mesh * f->size, f->threads, f->scratch, error);
	if (result == SPATE_OK)
		result = draw_mesh_set_depth(&meshes, DRAW_MESH_SHADOW, f->threads, f->scratch, depth, id, error);
	if (result != SPATE_OK)
		return result;
	for (int k = 0; k < f->shape_count; k++)
		casters[k] = draw_caster_make(&f->shapes[k], &shadow->view);
	draw_shapes_depth(&shadow->view, casters, f->shape_count, 0, f->threads, depth, id);
	shadow->depth = depth;
	shadow->bias = 1.5f * largest_radius(f->input) + 2.0f * f->size / SHADOW_SIZE;
	shadow->softness = 0.05f * f->size;
	return SPATE_OK;
}

static spate_result draw_light(frame *f, spate_error *error)
{
	size_t pixels = (size_t)f->view.width * (size_t)f->view.height;
	f->light = arena_alloc(f->scratch, pixels * sizeof *f->light);
	vec3 *table = arena_alloc(f->scratch, (COLORMAP_TABLE + 1) * sizeof *table);
	if (!f->light || !table)
		return error_memory(error, pixels * sizeof *f->light);
	colormap_table(f->settings->map, table);

	shade_scene *scene = &f->scene;
	scene->view = &f->view;
	scene->spheres = &f->spheres;
	scene->casters = f->casters;
	scene->meshes = &f->meshes;
	scene->depth = f->depth;
	scene->id = f->id;
	scene->up = f->up;
	scene->size = f->size;
	scene->colours = (shade_colours){
	    .scalar = f->settings->colour == PREVIEW_SCALAR ? f->input->scalar : NULL,
	    .stride = f->input->scalar_stride,
	    .components = f->input->scalar_components,
	    .low = f->range_low,
	    .high = f->range_high,
	    .table = table,
	    .kinds = f->input->colours,
	};
	spate_result shaped = relief_make(&scene->relief, &f->view, f->depth, f->id, 4 * f->scale,
					  6.0f * largest_radius(f->input), f->threads, f->scratch, error);
	if (shaped != SPATE_OK)
		return shaped;
	if (f->settings->occlusion)
	{
		float reach = fmaxf(0.035f * f->size, 4.0f * largest_radius(f->input));
		spate_result result = occlusion_make(&scene->occlusion, &f->view, f->depth, f->scale, reach, f->threads,
						     f->scratch, error);
		if (result != SPATE_OK)
			return result;
	}
	if (f->settings->shadows)
	{
		spate_result result = draw_shadow(f, error);
		if (result != SPATE_OK)
			return result;
	}
	shade_picture(scene, f->threads, f->light);
	return SPATE_OK;
}

static spate_result draw_containers(frame *f, spate_error *error)
{
	int any = 0, glass = 0;
	for (int k = 0; k < f->input->mesh_count; k++)
		glass |= f->input->meshes[k].container;
	if (glass)
	{
		spate_result result = draw_mesh_glass(&f->meshes, f->depth, f->threads, f->scratch, f->light, error);
		if (result != SPATE_OK)
			return result;
	}
	for (int k = 0; k < f->shape_count; k++)
		any |= f->shapes[k].container;
	if (!any)
		return SPATE_OK;
	size_t bytes = (size_t)f->view.width * (size_t)f->view.height * sizeof(float);
	float *coverage = arena_alloc(f->scratch, bytes);
	if (!coverage)
		return error_memory(error, bytes);
	memset(coverage, 0, bytes);
	float width = fmaxf(1.2f, (float)f->settings->height / 540.0f) * (float)f->scale;
	for (int k = 0; k < f->shape_count; k++)
		if (f->shapes[k].container)
			draw_container(&f->casters[k], &f->view, f->depth, width, f->threads, coverage, f->light);
	return SPATE_OK;
}

typedef struct resolve_job
{
	const frame *frame;
	image *out;
	srgb_table srgb;
} resolve_job;

// The samples of a pixel are averaged in linear light and encoded once.
static void resolve_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	resolve_job *job = context;
	const frame *f = job->frame;
	int scale = f->scale;
	float weight = 1.0f / (float)(scale * scale);
	for (size_t y = begin; y < end; y++)
		for (size_t x = 0; x < (size_t)job->out->width; x++)
		{
			vec3 sum = {0, 0, 0};
			for (size_t sy = 0; sy < (size_t)scale; sy++)
				for (size_t sx = 0; sx < (size_t)scale; sx++)
					sum = vec3_add(sum, f->light[(y * (size_t)scale + sy) * (size_t)f->view.width +
								     x * (size_t)scale + sx]);
			uint8_t *pixel = job->out->pixels + 4 * (y * (size_t)job->out->width + x);
			pixel[0] = srgb_table_level(&job->srgb, sum.x * weight);
			pixel[1] = srgb_table_level(&job->srgb, sum.y * weight);
			pixel[2] = srgb_table_level(&job->srgb, sum.z * weight);
			pixel[3] = 255;
		}
}

static void draw_texts(const frame *f, image *out)
{
	const preview_settings *s = f->settings;
	int scale = out->height >= 1000 ? 3 : out->height >= 400 ? 2 : 1, margin = 8 * scale, pad = 5 * scale;
	if (s->label && *s->label)
	{
		int lines = 1;
		for (const char *c = s->label; *c; c++)
			lines += *c == '\n';
		int height = (lines - 1) * FONT_LINE_HEIGHT * scale + FONT_ROWS * scale;
		int top = out->height - margin - height - 2 * pad;
		image_blend_rectangle(out, margin, top, font_width(s->label, scale) + 2 * pad, height + 2 * pad,
				      (vec4){0.005f, 0.007f, 0.01f, 0.8f});
		font_draw(out, margin + pad, top + pad + scale, s->label, scale,
			  colour_opaque(colour_from_hex(0xf2f5f8)));
	}
	if (s->colour == PREVIEW_SCALAR)
		colormap_draw_legend(out, s->map, f->range_low, f->range_high, s->legend_title, s->legend_unit,
				     out->width - margin, out->height / 2, out->height * 45 / 100, scale);
}

static spate_result draw_frame(frame *f, image *out, spate_error *error)
{
	find_bounds(f);
	find_range(f);
	set_camera(f);
	spate_result result = collect_shapes(f, error);
	if (result == SPATE_OK)
		result = draw_depth(f, error);
	if (result == SPATE_OK)
		result = draw_light(f, error);
	if (result == SPATE_OK)
		result = draw_containers(f, error);
	if (result != SPATE_OK)
		return result;

	if (out->width != f->settings->width || out->height != f->settings->height)
	{
		image_free(out);
		result = image_init(out, f->settings->width, f->settings->height, error);
		if (result != SPATE_OK)
			return result;
	}
	resolve_job job = {.frame = f, .out = out};
	srgb_table_init(&job.srgb);
	parallel_for(f->threads, (size_t)out->height, 16, resolve_rows, &job);
	draw_texts(f, out);
	return SPATE_OK;
}

spate_result preview_frame(const preview_settings *settings, const preview_input *input, image *out, spate_error *error)
{
	spate_result result = check(settings, input, error);
	if (result != SPATE_OK)
		return result;
	arena own;
	arena_init(&own);
	frame f = {.settings = settings, .input = input, .scale = settings->supersample};
	f.scratch = settings->scratch ? settings->scratch : &own;
	f.threads = settings->threads > 0 ? settings->threads : parallel_default_threads();
	arena_reset(f.scratch);
	result = draw_frame(&f, out, error);
	arena_free(&own);
	return result;
}
