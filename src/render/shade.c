#include "render/shade.h"

#include "base/parallel.h"
#include "render/colormap.h"

// Lighting in linear values: a warm key light, a cool sky, and a little light reflected from the floor.
static const vec3 key_light = {1.50f, 1.42f, 1.30f};
static const vec3 sky_light = {0.40f, 0.49f, 0.60f};
static const vec3 floor_light = {0.13f, 0.13f, 0.13f};
static const vec3 backdrop_top = {0.016f, 0.022f, 0.031f};
static const vec3 backdrop_horizon = {0.100f, 0.124f, 0.152f};
static const vec3 floor_colour = {0.105f, 0.118f, 0.132f};

typedef struct shade_job
{
	const shade_scene *scene;
	vec3 *light;
	vec3 key;        // towards the light
	float grid_step; // m
} shade_job;

// A visible point.
typedef struct surface
{
	vec3 place, normal, towards; // world; `towards` is the direction to the eye
	float open, lit;             // occlusion and shadow
} surface;

static vec3 mix(vec3 a, vec3 b, float t)
{
	return vec3_add_scaled(vec3_scale(a, 1.0f - t), b, t);
}

static vec3 multiply(vec3 a, vec3 b)
{
	return vec3_make(a.x * b.x, a.y * b.y, a.z * b.z);
}

// plain comparisons, which compile to one instruction where fminf and fmaxf are calls
static float least(float a, float b)
{
	return a < b ? a : b;
}

static float most(float a, float b)
{
	return a > b ? a : b;
}

static float clamp01(float x)
{
	return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

vec3 shade_key_direction(const camera_view *view, vec3 up)
{
	vec3 back = vec3_scale(view->forward, -1.0f);
	back = vec3_normalize(vec3_add_scaled(back, up, -vec3_dot(back, up)));
	vec3 side = vec3_add(vec3_scale(view->right, -0.62f), vec3_scale(back, 0.25f));
	return vec3_normalize(vec3_add_scaled(side, up, 1.0f));
}

static vec3 backdrop(const shade_job *job, vec3 ray)
{
	// by the elevation of the ray, so that the gradient is fixed in the world, not in the picture
	vec3 world = vec3_normalize(camera_to_world(job->scene->view, ray));
	float rise = clamp01(0.5f + 1.1f * vec3_dot(world, job->scene->up));
	float t = clamp01(2.0f * rise - 0.9f);
	return mix(backdrop_horizon, backdrop_top, t * t * (3.0f - 2.0f * t));
}

static vec3 ambient(const shade_job *job, vec3 normal)
{
	return mix(floor_light, sky_light, 0.5f + 0.5f * vec3_dot(normal, job->scene->up));
}

// Fraction of the key light that arrives: nine pixels of the shadow map around the point, each with a soft transition
// in depth.
static float shadow_at(const shade_scene *scene, vec3 place)
{
	const shade_shadow *shadow = &scene->shadow;
	vec3 pixel;
	if (!shadow->depth || !camera_project(&shadow->view, place, &pixel))
		return 1.0f;
	float right = (float)shadow->view.width - 1.0f, bottom = (float)shadow->view.height - 1.0f;
	if (!(pixel.x >= 1.0f && pixel.y >= 1.0f && pixel.x < right && pixel.y < bottom))
		return 1.0f;
	int x = (int)pixel.x, y = (int)pixel.y;

	// the window of pixels moves with the point: a bilinear 3 x 3 mean
	float fx = pixel.x - (float)x, fy = pixel.y - (float)y, lit = 0.0f;
	const float wx[3] = {1.0f - fx, 1.0f, fx}, wy[3] = {1.0f - fy, 1.0f, fy};
	for (int row = 0; row < 3; row++)
	{
		const float *depth =
		    shadow->depth + (size_t)(y + row - 1) * (size_t)shadow->view.width + (size_t)(x - 1);
		for (int column = 0; column < 3; column++)
		{
			float behind = pixel.z - depth[column] - shadow->bias;
			float through = behind > 0.0f ? shadow->softness / (shadow->softness + behind) : 1.0f;
			lit += wx[column] * wy[row] * through;
		}
	}
	return lit * 0.25f;
}

static vec3 particle_colour(const shade_scene *scene, uint32_t index)
{
	const shade_colours *c = &scene->colours;
	if (!c->scalar)
		return c->kinds[scene->spheres->kind ? scene->spheres->kind[index] : 0];
	const float *value = c->scalar + index * c->stride;
	float number = c->components == 3 ? vec3_length(vec3_make(value[0], value[1], value[2])) : value[0];
	return c->table[colormap_index(number, c->low, c->high)];
}

// Light scattered inside the liquid, a bright rim, and a highlight.
static vec3 shade_particle(const shade_job *job, const surface *s, vec3 colour, int is_data)
{
	vec3 key = job->key, half = vec3_normalize(vec3_add(key, s->towards));
	float facing = clamp01(vec3_dot(s->normal, s->towards)),
	      wrap = clamp01((vec3_dot(s->normal, key) + 0.3f) / 1.3f);
	vec3 sky = ambient(job, s->normal);
	vec3 light = vec3_add_scaled(vec3_scale(sky, s->open * s->open), key_light,
				     0.62f * wrap * s->lit * (0.35f + 0.65f * s->open));
	vec3 out = multiply(colour, light);

	// data colours must match the legend: reduce rim and highlight
	float strength = is_data ? 0.25f : 1.0f, rim = 1.0f - facing;
	rim = rim * rim;
	rim = 0.02f + 0.42f * rim * rim;
	out = vec3_add_scaled(out, sky_light, strength * rim * s->open * (0.4f + 0.6f * s->lit));
	float shine = clamp01(vec3_dot(s->normal, half));
	shine = shine * shine;
	shine = shine * shine;
	shine = shine * shine;
	shine = shine * shine * shine; // power 24
	return vec3_add_scaled(out, key_light, strength * 0.22f * shine * s->lit * s->open);
}

static vec3 shade_solid(const shade_job *job, const surface *s, vec3 colour)
{
	float direct = clamp01((vec3_dot(s->normal, job->key) + 0.1f) / 1.1f);
	vec3 light = vec3_add_scaled(vec3_scale(ambient(job, s->normal), s->open), key_light, direct * s->lit * 0.62f);
	float rim = 1.0f - clamp01(vec3_dot(s->normal, s->towards));
	return vec3_add_scaled(multiply(colour, light), sky_light, 0.10f * rim * rim * rim * s->open);
}

// What a liquid surface reflects: a dark floor, a bright horizon, a fading sky, and two soft lamps.
static vec3 mirrored(const shade_job *job, vec3 direction)
{
	static const vec3 below = {0.045f, 0.060f, 0.075f}, horizon = {0.78f, 0.86f, 0.94f},
			  zenith = {0.20f, 0.31f, 0.46f};
	float rise = vec3_dot(direction, job->scene->up), lamp = clamp01(vec3_dot(direction, job->key));
	float t = clamp01(1.0f - rise), dip = clamp01(1.0f + 5.0f * rise);
	vec3 sky = rise > 0.0f ? mix(zenith, horizon, t * t * t * t) : mix(below, horizon, dip * dip * dip);

	// the key light is a wide lamp with a bright centre
	float wide = lamp * lamp;
	wide = wide * wide * wide;
	float narrow = wide * wide * wide;
	narrow = narrow * narrow * narrow; // power 162
	return vec3_add_scaled(sky, key_light, 0.35f * wide + 5.0f * narrow);
}

// Direction of the light seen through a drop, refracted once on entry and equally on exit.
static vec3 bent(vec3 normal, vec3 towards, float facing)
{
	const float ratio = 1.0f / 1.33f; // air into water
	float along = sqrtf(1.0f - ratio * ratio * (1.0f - facing * facing));
	vec3 in = vec3_add_scaled(vec3_scale(towards, -ratio), normal, ratio * facing - along);
	return vec3_normalize(vec3_add(vec3_scale(in, 2.0f), towards));
}

// A liquid surface: transmitted light takes on its colour, its body scatters some light, and its surface reflects by
// Schlick's approximation of Fresnel's law for water.
static vec3 shade_water(const shade_job *job, const surface *s, vec3 colour)
{
	float facing = clamp01(vec3_dot(s->normal, s->towards)), slant = 1.0f - facing,
	      wrap = clamp01((vec3_dot(s->normal, job->key) + 0.5f) / 1.5f);
	float lit = s->open * (0.45f + 0.55f * s->lit);
	vec3 light = vec3_add_scaled(vec3_scale(ambient(job, s->normal), 0.9f * s->open), key_light,
				     0.55f * wrap * s->lit * (0.35f + 0.65f * s->open));
	vec3 scattered = multiply(multiply(colour, mix(colour, vec3_make(1, 1, 1), 0.55f)), light);
	vec3 through =
	    multiply(mix(colour, vec3_make(1, 1, 1), 0.25f), mirrored(job, bent(s->normal, s->towards, facing)));
	vec3 body = vec3_add_scaled(vec3_scale(scattered, 0.72f), through, 0.42f * lit);

	vec3 back = vec3_sub(vec3_scale(s->normal, 2.0f * facing), s->towards);
	float fifth = slant * slant * slant * slant * slant, mirror = 0.04f + 0.76f * fifth;
	return vec3_add_scaled(vec3_scale(body, 1.0f - mirror), mirrored(job, back), mirror * lit);
}

// A solid under a film of water: darker, because light is trapped below the film, and with the film's reflection on
// top.
static vec3 shade_wet(const shade_job *job, const surface *s, vec3 colour, float wet)
{
	vec3 body = shade_solid(job, s, vec3_scale(colour, 1.0f - 0.55f * wet));
	float facing = clamp01(vec3_dot(s->normal, s->towards)), slant = 1.0f - facing,
	      mirror = wet * (0.03f + 0.40f * slant * slant * slant * slant * slant);
	vec3 back = vec3_sub(vec3_scale(s->normal, 2.0f * facing), s->towards);
	return vec3_add_scaled(vec3_scale(body, 1.0f - mirror), mirrored(job, back), mirror * s->open);
}

// Coverage by grid lines at least a pixel wide, fading out before they get that close to each other.
static float grid_line(float place, float step, float pixel)
{
	float cell = place / step, off = fabsf(cell - (float)lrintf(cell)) * step, width = 0.006f * step;
	float line = clamp01((width + 0.5f * pixel - off) / pixel) * least(1.0f, 2.0f * width / pixel + 0.25f);
	return line * clamp01(1.5f - 6.0f * pixel / step);
}

static vec3 shade_plane(const shade_job *job, const surface *s, const draw_shape *shape, vec3 ray, float depth)
{
	const shade_scene *scene = job->scene;
	vec3 own = draw_shape_to_own(shape, s->place), n = vec3_normalize(shape->b);

	// the two coordinates perpendicular to the normal's largest axis
	float u = fabsf(n.x) > 0.7f ? own.y : own.x, v = fabsf(n.z) > 0.7f ? own.y : own.z;
	float slant = most(fabsf(vec3_dot(s->normal, s->towards)), 0.02f);
	float pixel = depth * vec3_length(ray) / scene->view->focal / slant;
	float line = most(grid_line(u, job->grid_step, pixel), grid_line(v, job->grid_step, pixel));
	float coarse = most(grid_line(u, 5.0f * job->grid_step, pixel), grid_line(v, 5.0f * job->grid_step, pixel));
	vec3 colour = mix(multiply(shape->colour, floor_colour), vec3_make(0.30f, 0.33f, 0.36f),
			  most(0.25f * line, 0.5f * coarse));

	// haze: the floor fades into the backdrop with distance, so that there is no horizon line
	vec3 light = vec3_add_scaled(vec3_scale(ambient(job, s->normal), s->open), key_light,
				     0.55f * s->lit * clamp01(vec3_dot(s->normal, job->key)));
	float distance = depth * vec3_length(ray) / scene->size;
	float clear = 1.0f / (1.0f + 0.006f * distance * distance * distance);
	return mix(backdrop(job, ray), multiply(colour, light), clear);
}

// Compresses highlights towards white instead of clipping them.
static float shoulder(float x)
{
	const float knee = 0.75f;
	return x <= knee ? x : 1.0f - (1.0f - knee) * (1.0f - knee) / (x - 2.0f * knee + 1.0f);
}

static vec3 shade_pixel(const shade_job *job, int x, int y)
{
	const shade_scene *scene = job->scene;
	const camera_view *view = scene->view;
	size_t at = (size_t)y * (size_t)view->width + (size_t)x;
	uint32_t id = scene->id[at];
	vec3 ray = camera_ray(view, (float)x + 0.5f, (float)y + 0.5f);
	if (id == SPLAT_NONE)
		return backdrop(job, ray);

	float depth = scene->depth[at];
	vec3 world_ray = camera_to_world(view, ray);
	surface s = {.place = vec3_add_scaled(view->eye, world_ray, depth), .open = 1.0f};
	if (scene->occlusion.open)
		s.open = occlusion_at(&scene->occlusion, x, y);
	s.towards = vec3_scale(world_ray, -1.0f / vec3_length(world_ray));
	s.lit = shadow_at(scene, s.place);
	if (!(id & DRAW_SHAPE_ID))
	{
		const float *p = scene->spheres->positions + id * scene->spheres->stride;
		s.normal = vec3_normalize(vec3_sub(s.place, vec3_make(p[0], p[1], p[2])));
		// half sphere, half surface: single particles remain visible, and the whole is lit like liquid
		if (scene->relief.cells)
		{
			vec3 smooth = camera_to_world(view, relief_normal(&scene->relief, x, y, depth));
			s.normal = vec3_normalize(vec3_add_scaled(s.normal, smooth, 1.4f));
		}
		return shade_particle(job, &s, particle_colour(scene, id), scene->colours.scalar != NULL);
	}

	if (draw_mesh_is(id))
	{
		draw_mesh_hit hit = draw_mesh_set_hit(scene->meshes, id, ray);
		s.normal = hit.normal;
		if (hit.mesh->look == DRAW_MESH_WATER)
			return shade_water(job, &s, hit.colour);
		return hit.wet > 0.0f ? shade_wet(job, &s, hit.colour, hit.wet) : shade_solid(job, &s, hit.colour);
	}
	const draw_caster *caster = scene->casters + (id & ~DRAW_SHAPE_ID);
	draw_hit hit;
	if (!draw_caster_hit(caster, ray.x, ray.y, &hit))
		return backdrop(job, ray);
	vec3 own = hit.enter > 0.0f ? hit.enter_normal : vec3_scale(hit.leave_normal, -1.0f);
	s.normal = draw_shape_to_world(caster->shape, own);
	return caster->shape->type == DRAW_PLANE ? shade_plane(job, &s, caster->shape, ray, depth)
						 : shade_solid(job, &s, caster->shape->colour);
}

static void shade_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const shade_job *job = context;
	int width = job->scene->view->width;
	for (int y = (int)begin; y < (int)end; y++)
		for (int x = 0; x < width; x++)
		{
			vec3 c = shade_pixel(job, x, y);
			job->light[(size_t)y * (size_t)width + (size_t)x] =
			    vec3_make(shoulder(c.x), shoulder(c.y), shoulder(c.z));
		}
}

void shade_picture(const shade_scene *scene, int threads, vec3 *light)
{
	shade_job job = {.scene = scene, .light = light, .key = shade_key_direction(scene->view, scene->up)};

	// a grid of about ten lines across the scene, at a round spacing
	float power = powf(10.0f, floorf(log10f(scene->size / 8.0f))), ratio = scene->size / 8.0f / power;
	job.grid_step = power * (ratio < 2.0f ? 1.0f : ratio < 5.0f ? 2.0f : 5.0f);
	parallel_for(threads, (size_t)scene->view->height, 8, shade_rows, &job);
}
