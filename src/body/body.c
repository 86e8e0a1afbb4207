#include "body/body.h"

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

// Bodies may overlap at the start by this part of the kernel radius.
#define OVERLAP 0.1

// ------------------------------------------------------------------------------------------------------------- matrices

static void multiply(const double a[9], const double b[9], double out[9])
{
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

static void transpose(const double a[9], double out[9])
{
	for (int k = 0; k < 9; k++)
		out[k] = a[3 * (k % 3) + k / 3];
}

static void apply(const double a[9], const double v[3], double out[3])
{
	for (int k = 0; k < 3; k++)
		out[k] = a[3 * k] * v[0] + a[3 * k + 1] * v[1] + a[3 * k + 2] * v[2];
}

static void invert(const double a[9], double out[9])
{
	double c[3] = {a[4] * a[8] - a[5] * a[7], a[5] * a[6] - a[3] * a[8], a[3] * a[7] - a[4] * a[6]};
	double by = 1.0 / (a[0] * c[0] + a[1] * c[1] + a[2] * c[2]);
	const double own[9] = {c[0], a[2] * a[7] - a[1] * a[8], a[1] * a[5] - a[2] * a[4],
			       c[1], a[0] * a[8] - a[2] * a[6], a[2] * a[3] - a[0] * a[5],
			       c[2], a[1] * a[6] - a[0] * a[7], a[0] * a[4] - a[1] * a[3]};
	for (int k = 0; k < 9; k++)
		out[k] = by * own[k];
}

static void rotation_of(const double q[4], double out[9])
{
	double w = q[0], x = q[1], y = q[2], z = q[3];
	const double own[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
			       2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
			       2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
	memcpy(out, own, sizeof own);
}

// R m R^T
static void turned(const rigid_body *b, const double m[9], double out[9])
{
	double r[9], back[9], half[9];
	rotation_of(b->now.rotation, r);
	transpose(r, back);
	multiply(r, m, half);
	multiply(half, back, out);
}

void body_inverse_inertia(const rigid_body *b, double out[9])
{
	turned(b, b->inverse_inertia, out);
}

void body_inertia(const rigid_body *b, double out[9])
{
	turned(b, b->inertia, out);
}

placement body_placement(const rigid_body *b, const body_motion *at)
{
	placement p = {.scale = 1.0};
	double centre[3];
	rotation_of(at->rotation, p.rotation);
	apply(p.rotation, b->centre, centre);
	for (int k = 0; k < 3; k++)
		p.translation[k] = at->place[k] - centre[k];
	return p;
}

// Moves and turns with a constant velocity for dt.
static body_motion advance(const body_motion *from, const double u[6], double dt)
{
	body_motion to = *from;
	double turn = sqrt(u[3] * u[3] + u[4] * u[4] + u[5] * u[5]), half = 0.5 * turn * dt;
	double s = turn > 0.0 ? sin(half) / turn : 0.0;
	double a[4] = {cos(half), s * u[3], s * u[4], s * u[5]};
	const double *b = from->rotation;
	double q[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
		       a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
		       a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
		       a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
	double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
	for (int k = 0; k < 4; k++)
		to.rotation[k] = q[k] / length;
	for (int k = 0; k < 3; k++)
		to.place[k] += dt * u[k];
	return to;
}

// ------------------------------------------------------------------------------------------------------ pose provider

static spate_result place(void *self, double begin, double end, placement *before, placement *now, spate_error *error)
{
	(void)error;
	const rigid_body *b = self;
	*before = *now = body_placement(b, &b->now);
	if (begin == end || b->begin != begin || b->end != end)
		return SPATE_OK;
	*before = b->before;
	*now = b->set->couples && !b->held ? b->before : b->after;
	return SPATE_OK;
}

// What gravity adds to it counts, the liquid is not faster itself.
static double speed(const void *self, const pose_extent *extent, double begin, double end)
{
	(void)extent;
	const rigid_body *b = self;
	const double *v = b->now.velocity, *g = b->set->gravity;
	double fall = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) * (end - begin);
	if (begin < b->def.release && b->motion.moves)
		return b->motion.type->speed(b->motion.self, extent, begin, end);
	return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) +
	       sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5]) * (double)b->reach + (b->held ? 0.0 : fall);
}

static void receive(void *self, const collider_load *load)
{
	((rigid_body *)self)->load = *load;
}

static void forget(void *self)
{
	(void)self;
}

static const pose_type pose_body = {
    .name = "body", .place = place, .speed = speed, .receive = receive, .destroy = forget};

// -------------------------------------------------------------------------------------------------------------- making

static const char *name_of(const rigid_body *b, char out[80])
{
	if (b->def.name)
		snprintf(out, 80, "body '%.60s'", b->def.name);
	else
		snprintf(out, 80, "body %u", b->number);
	return out;
}

// The box around a solid, as defined.
static void bounds_of(const collider *solid, vec3 *low, vec3 *high)
{
	const solid_shape *s = &solid->shape;
	if (solid->mesh)
	{
		mesh_solid_bounds(solid->mesh, low, high);
		return;
	}
	vec3 b = s->type == SPATE_SHAPE_SPHERE ? s->a : s->b;
	float r = s->type == SPATE_SHAPE_BOX ? 0.0f : s->radius;
	*low = vec3_make(fminf(s->a.x, b.x) - r, fminf(s->a.y, b.y) - r, fminf(s->a.z, b.z) - r);
	*high = vec3_make(fmaxf(s->a.x, b.x) + r, fmaxf(s->a.y, b.y) + r, fmaxf(s->a.z, b.z) + r);
}

enum
{
	SIDE = 8,          // points of a shape's samples along each side of its box
	MOST_SAMPLES = 600 // of a mesh
};

// The point of a convex shape's surface below or above a point of its box: nearest_of() of the shape gives the way.
static vec3 onto_surface(const collider *solid, vec3 p)
{
	for (int k = 0; k < 4; k++)
	{
		wall w = shape_nearest_wall(&solid->shape, SPATE_COLLIDER_OUTSIDE, p);
		p = vec3_add_scaled(p, w.normal, -w.distance);
	}
	return p;
}

static int sample_shape(rigid_body *b, const collider *solid)
{
	vec3 low, high;
	bounds_of(solid, &low, &high);
	b->samples = mem_alloc(SIDE * SIDE * SIDE * sizeof *b->samples);
	if (!b->samples)
		return 0;
	for (int k = 0; k < SIDE * SIDE * SIDE; k++)
	{
		int x = k % SIDE, y = k / SIDE % SIDE, z = k / (SIDE * SIDE);
		if (x % (SIDE - 1) && y % (SIDE - 1) && z % (SIDE - 1))
			continue; // within the box
		float t = 1.0f / (SIDE - 1);
		vec3 p = {low.x + (high.x - low.x) * t * (float)x, low.y + (high.y - low.y) * t * (float)y,
			  low.z + (high.z - low.z) * t * (float)z};
		b->samples[b->sample_count++] = onto_surface(solid, p);
	}
	return 1;
}

// Some of the vertices, evenly by number, and the extreme ones along the axes and diagonals.
static int sample_mesh(rigid_body *b, const mesh_solid *solid)
{
	const spate_mesh *mesh = mesh_solid_mesh(solid);
	uint32_t every = (mesh->vertex_count + MOST_SAMPLES - 1) / MOST_SAMPLES;
	every = every < 1 ? 1 : every;
	b->samples = mem_alloc((mesh->vertex_count / every + 27 + 1) * sizeof *b->samples);
	if (!b->samples)
		return 0;
	const float *p = mesh->positions;
	for (uint32_t v = 0; v < mesh->vertex_count; v += every)
		b->samples[b->sample_count++] = vec3_make(p[3 * (size_t)v], p[3 * (size_t)v + 1], p[3 * (size_t)v + 2]);
	for (int k = 0; k < 27 && every > 1; k++)
	{
		vec3 way = {(float)(k % 3 - 1), (float)(k / 3 % 3 - 1), (float)(k / 9 - 1)};
		uint32_t best = 0;
		float most = -INFINITY;
		for (uint32_t v = 0; v < mesh->vertex_count; v++)
		{
			const float *q = p + 3 * (size_t)v;
			float far = way.x * q[0] + way.y * q[1] + way.z * q[2];
			best = far > most ? v : best;
			most = far > most ? far : most;
		}
		b->samples[b->sample_count++] =
		    vec3_make(p[3 * (size_t)best], p[3 * (size_t)best + 1], p[3 * (size_t)best + 2]);
	}
	return 1;
}

// A quaternion of a rotation matrix, by the pose of it.
static void quaternion_of(const double rotation[9], double q[4])
{
	placement at = {.scale = 1.0};
	memcpy(at.rotation, rotation, sizeof at.rotation);
	spate_pose pose = placement_to_pose(&at, (const double[3]){0, 0, 0});
	memcpy(q, pose.rotation, sizeof pose.rotation);
}

// Where the motion of the definition has a body at a time.
static body_motion motion_at(const rigid_body *b, double time)
{
	placement before, now;
	double tilt[9], rotation[9], centre[3];
	body_motion at = {{0}};
	b->motion.type->place(b->motion.self, time, time, &before, &now, NULL);
	motion_rotation(b->def.tilt, tilt);
	multiply(now.rotation, tilt, rotation);
	quaternion_of(rotation, at.rotation);
	apply(now.rotation, b->centre, centre);
	for (int k = 0; k < 3; k++)
		at.place[k] = now.translation[k] + now.scale * centre[k];
	return at;
}

static pose_source solid_motion(const body_set *set, const rigid_body *b)
{
	return set->colliders->colliders[b->collider].defined;
}

static spate_result make(body_set *set, uint32_t number, const spate_world_def *def, spate_error *error)
{
	rigid_body *b = &set->bodies[number];
	char name[80];
	*b = (rigid_body){
	    .set = set, .number = number, .collider = def->bodies[number].collider, .def = def->bodies[number]};
	b->def.name = NULL;
	if (def->bodies[number].name && !(b->def.name = mem_strdup(def->bodies[number].name)))
		return error_memory(error, strlen(def->bodies[number].name));
	if (b->def.type != SPATE_BODY_RIGID)
	{
		b->bends = b->held = 1;
		b->mass = 1.0;
		b->def.release = SPATE_NEVER_RELEASED;
		b->now.rotation[0] = b->start.rotation[0] = 1.0;
		for (int k = 0; k < 3; k++)
			b->inertia[4 * k] = b->inverse_inertia[4 * k] = 1.0;
		b->motion = solid_motion(set, b);
		set->bodies_of[b->collider] = 0;
		return SPATE_OK;
	}
	collider *solid = &set->colliders->colliders[b->collider];
	body_mass m = body_mass_of(solid);
	if (!(m.volume > 0.0))
		return error_set(error, SPATE_INVALID, "%s has no volume: its mesh encloses nothing", name_of(b, name));
	b->mass = b->def.mass > 0.0 ? b->def.mass : b->def.density * m.volume;
	double density = b->mass / m.volume;
	for (int k = 0; k < 3; k++)
		b->centre[k] = m.centre[k] + b->def.ballast[k];
	const int at[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
	for (int k = 0; k < 9; k++)
		b->inertia[k] = density * m.moment[at[k]];
	invert(b->inertia, b->inverse_inertia);
	vec3 low, high;
	bounds_of(solid, &low, &high);
	for (int corner = 0; corner < 8; corner++)
	{
		vec3 p = {corner & 1 ? high.x : low.x, corner & 2 ? high.y : low.y, corner & 4 ? high.z : low.z};
		vec3 c = {(float)b->centre[0], (float)b->centre[1], (float)b->centre[2]};
		b->reach = fmaxf(b->reach, vec3_length(vec3_sub(p, c)));
	}
	if (!(solid->mesh ? sample_mesh(b, solid->mesh) : sample_shape(b, solid)))
		return error_memory(error, MOST_SAMPLES * sizeof *b->samples);
	b->motion = solid->defined;
	b->held = b->def.release > 0.0;
	b->now = b->start = motion_at(b, 0.0);
	for (int k = 0; k < 3 && !b->held; k++)
	{
		b->now.velocity[k] = b->def.velocity[k];
		b->now.velocity[3 + k] = b->def.spin[k];
	}
	pose_source own = {.type = &pose_body, .self = b, .moves = 1};
	memcpy(own.centre, b->centre, sizeof own.centre);
	collider_set_attach(set->colliders, b->collider, own);
	return SPATE_OK;
}

static spate_result refuse_overlaps(const body_set *set, spate_error *error)
{
	for (uint32_t b = 1; b < set->count; b++)
		for (uint32_t a = 0; a < b; a++)
		{
			char one[80], other[80];
			double deep = set->bodies[a].bends || set->bodies[b].bends ? 0.0 : body_overlap(set, a, b);
			if (deep > OVERLAP * set->radius)
				return error_set(error, SPATE_INVALID,
						 "%s and %s overlap at the start by %.2g m; move one of them away",
						 name_of(&set->bodies[a], one), name_of(&set->bodies[b], other), deep);
		}
	return SPATE_OK;
}

spate_result body_set_create(body_set *set, const spate_world_def *def, collider_set *colliders, double spacing,
			     spate_error *error)
{
	uint32_t count = def->body_count;
	*set = (body_set){.colliders = colliders, .radius = spacing, .policy = def->runaway};
	memcpy(set->origin, colliders->origin, sizeof set->origin);
	memcpy(set->gravity, def->gravity, sizeof set->gravity);
	if (count == 0)
		return SPATE_OK;
	set->bodies = mem_calloc(count, sizeof *set->bodies);
	set->joints = mem_calloc(def->joint_count + (size_t)1, sizeof *set->joints);
	set->bodies_of = mem_calloc(colliders->count, sizeof *set->bodies_of);
	set->response = mem_calloc(mem_product(6 * (size_t)count, 6 * (size_t)count), sizeof *set->response);
	if (!set->bodies || !set->joints || !set->bodies_of || !set->response)
		return error_memory(error, mem_product(36 * (size_t)count, count * sizeof(double)));
	if (def->joint_count > 0)
		memcpy(set->joints, def->joints, def->joint_count * sizeof *set->joints);
	set->joint_count = def->joint_count;
	for (uint32_t j = 0; j < set->joint_count; j++)
	{
		uint32_t *of = set->joints[j].bodies;
		if (of[0] == SPATE_BODY_WORLD) // the world comes second
		{
			of[0] = of[1];
			of[1] = SPATE_BODY_WORLD;
		}
	}
	spate_result result = SPATE_OK;
	for (uint32_t b = 0; b < count && result == SPATE_OK; b++)
	{
		set->count = b + 1;
		set->bodies_of[def->bodies[b].collider] = b + 1;
		result = make(set, b, def, error);
	}
	if (result != SPATE_OK)
		return result;
	body_set_place(set);
	result = refuse_overlaps(set, error);
	return result == SPATE_OK ? body_ode_create(set, error) : result;
}

void body_set_destroy(body_set *set)
{
	body_ode_destroy(set);
	for (uint32_t b = 0; b < set->count; b++)
	{
		mem_free(set->bodies[b].samples);
		mem_free((char *)(uintptr_t)set->bodies[b].def.name);
	}
	mem_free(set->bodies);
	mem_free(set->joints);
	mem_free(set->bodies_of);
	mem_free(set->response);
	mem_free(set->contacts);
	mem_free(set->scratch);
	*set = (body_set){0};
}

// ------------------------------------------------------------------------------------------------------------ a substep

void body_set_place(body_set *set)
{
	for (uint32_t b = 0; b < set->count; b++)
	{
		rigid_body *own = &set->bodies[b];
		placement at = body_placement(own, &own->now);
		own->begin = own->end = NAN;
		collider_set_put(set->colliders, own->collider, &at, &at);
	}
}

// The velocity of a held body's motion from its pose to the one at the end.
static void follow_motion(rigid_body *b, double dt)
{
	body_motion to = motion_at(b, b->end);
	double now[9], then[9], back[9], by[9], q[4];
	rotation_of(b->now.rotation, now);
	rotation_of(to.rotation, then);
	transpose(now, back);
	multiply(then, back, by);
	quaternion_of(by, q);
	double s = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), angle = 2.0 * atan2(s, q[0]);
	for (int k = 0; k < 3; k++)
	{
		b->predicted[k] = (to.place[k] - b->now.place[k]) / dt;
		b->predicted[3 + k] = s > 0.0 ? angle * q[1 + k] / (s * dt) : 0.0;
	}
}

spate_result body_set_predict(body_set *set, double begin, double end, const double gravity[3], spate_error *error)
{
	memcpy(set->gravity, gravity, sizeof set->gravity);
	set->dt = end - begin;
	for (uint32_t k = 0; k < set->count; k++)
	{
		rigid_body *b = &set->bodies[k];
		b->begin = begin;
		b->end = end;
		b->is_carried = 0;
		b->load = (collider_load){.dt = set->dt};
		// a substep that ends at the release is still of the motion
		b->held = b->bends || b->now.stopped || begin < b->def.release * (1.0 - 1e-12);
		memset(b->predicted, 0, sizeof b->predicted);
		if (b->held && !b->now.stopped && b->motion.moves)
			follow_motion(b, set->dt);
	}
	spate_result result = body_contacts_find(set, error);
	if (result != SPATE_OK)
		return result;
	size_t numbers = 6 * (size_t)set->count;
	double *velocities = mem_alloc(numbers * sizeof *velocities);
	if (!velocities)
		return error_memory(error, numbers * sizeof *velocities);
	result = body_ode_step(set, NULL, velocities, error);
	for (uint32_t k = 0; k < set->count && result == SPATE_OK; k++)
	{
		rigid_body *b = &set->bodies[k];
		if (!b->held)
			memcpy(b->predicted, velocities + (size_t)6 * k, sizeof b->predicted);
		memcpy(b->carried, b->predicted, sizeof b->carried);
		body_motion after = advance(&b->now, b->predicted, set->dt);
		b->before = body_placement(b, &b->now);
		b->after = body_placement(b, &after);
	}
	mem_free(velocities);
	return result == SPATE_OK ? body_response_make(set, error) : result;
}

void body_set_respond(const body_set *set, const double *impulses, double *out)
{
	size_t n = 6 * (size_t)set->count;
	for (size_t i = 0; i < n; i++)
	{
		const double *row = set->response + i * n;
		double sum = 0.0;
		for (size_t j = 0; j < n; j++)
			sum += row[j] * impulses[j];
		out[i] = sum;
	}
}

void body_set_carry(body_set *set, const double *velocities)
{
	for (uint32_t k = 0; k < set->count; k++)
	{
		rigid_body *b = &set->bodies[k];
		if (b->held)
			continue;
		memcpy(b->carried, velocities + (size_t)6 * k, sizeof b->carried);
		body_motion after = advance(&b->now, b->carried, set->dt);
		b->after = body_placement(b, &after);
		b->is_carried = 1;
		collider_set_put(set->colliders, b->collider, &b->before, &b->after);
	}
}

// Turns the velocity with the body so that its angular momentum stays.
static void keep_spin(rigid_body *b, const body_motion *after, double velocity[6])
{
	double inertia[9], inverse[9], l[3], w[3];
	body_inertia(b, inertia);
	apply(inertia, velocity + 3, l);
	body_motion before = b->now;
	b->now = *after;
	body_inverse_inertia(b, inverse);
	b->now = before;
	apply(inverse, l, w);
	memcpy(velocity + 3, w, sizeof w);
}

// Whether a body is where it cannot be. Written so that NaN counts.
static int is_lost(const body_set *set, const body_motion *at)
{
	double speed = 0.0, place = 0.0;
	for (int k = 0; k < 3; k++)
	{
		speed += at->velocity[k] * at->velocity[k];
		place = fmax(place, fabs(at->place[k]));
	}
	double sum = at->velocity[3] + at->velocity[4] + at->velocity[5] + at->rotation[0] + at->place[0] +
		     at->place[1] + at->place[2];
	return !(speed <= set->speed_limit * set->speed_limit) || !(place < set->place_limit) || !isfinite(sum);
}

// Stops a lost body at its last sound place, or slows it down.
static spate_result handle_lost(body_set *set, rigid_body *b, body_motion *at, spate_error *error)
{
	char name[80];
	double speed = sqrt(at->velocity[0] * at->velocity[0] + at->velocity[1] * at->velocity[1] +
			    at->velocity[2] * at->velocity[2]);
	if (set->policy == SPATE_RUNAWAY_STOP)
		return error_set(error, SPATE_DIVERGED, "%s left the world or became too fast (%g m/s)",
				 name_of(b, name), speed);
	set->runaways++;
	if (set->policy == SPATE_RUNAWAY_CLAMP && isfinite(speed) && speed > 0.0)
	{
		body_motion slow = *at;
		for (int k = 0; k < 6; k++)
			slow.velocity[k] *= 0.999 * fmin(set->speed_limit / speed, 1.0);
		if (!is_lost(set, &slow))
		{
			*at = slow;
			return SPATE_OK;
		}
	}
	log_warning("%s left the world or became too fast; it is stopped where it was at %g s", name_of(b, name),
		    b->begin);
	*at = b->now;
	memset(at->velocity, 0, sizeof at->velocity);
	at->stopped = 1;
	return SPATE_OK;
}

spate_result body_set_finish(body_set *set, spate_error *error)
{
	size_t numbers = 6 * (size_t)set->count;
	double *memory = mem_alloc(2 * numbers * sizeof *memory + 1), *velocities = memory + numbers;
	spate_result result = SPATE_OK;
	if (!memory)
		return error_memory(error, 2 * numbers * sizeof *memory);
	for (uint32_t k = 0; k < set->count; k++)
	{
		memcpy(memory + (size_t)6 * k, set->bodies[k].load.linear, 3 * sizeof *memory);
		memcpy(memory + (size_t)6 * k + 3, set->bodies[k].load.angular, 3 * sizeof *memory);
	}
	result = body_ode_step(set, memory, velocities, error);
	for (uint32_t k = 0; k < set->count && result == SPATE_OK; k++)
	{
		rigid_body *b = &set->bodies[k];
		body_motion after = advance(&b->now, b->carried, set->dt);
		memcpy(after.velocity, b->held ? b->predicted : velocities + (size_t)6 * k, sizeof after.velocity);
		if (!b->held)
			keep_spin(b, &after, after.velocity);
		else if (!b->now.stopped && b->def.release <= b->end * (1.0 + 1e-12))
			for (int i = 0; i < 3; i++)
			{
				after.velocity[i] += b->def.velocity[i];
				after.velocity[3 + i] += b->def.spin[i];
			}
		if (is_lost(set, &after))
			result = handle_lost(set, b, &after, error);
		b->now = after;
	}
	mem_free(memory);
	body_set_place(set);
	return result;
}
