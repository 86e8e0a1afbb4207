// Bodies as a part of the world: their place in a substep, their state, and what callers see of them.
#include "base/error.h"
#include "world/sections.h"

spate_result bodies_predict(spate_world *w, double dt, spate_error *error)
{
	double begin = spate_world_time(w);
	if (w->state.bodies.count == 0)
		return SPATE_OK;
	return body_set_predict(&w->state.bodies, begin, begin + dt, w->model.def.gravity, error);
}

spate_result bending_predict(spate_world *w, double dt, spate_error *error)
{
	double begin = spate_world_time(w);
	if (w->state.bending.count == 0)
		return SPATE_OK;
	return bend_set_predict(&w->state.bending, begin, begin + dt, w->model.def.gravity, error);
}

spate_result bodies_finish(spate_world *w, spate_error *error)
{
	spate_result result = w->state.bodies.count == 0 ? SPATE_OK : body_set_finish(&w->state.bodies, error);
	return result == SPATE_OK && w->state.bending.count > 0 ? bend_set_finish(&w->state.bending, error) : result;
}

// ---------------------------------------------------------------------------------------------------------------- state

static const byte_field motion_numbers[] = {
    BYTE_FIELD(body_motion, place[0]),    BYTE_FIELD(body_motion, place[1]),    BYTE_FIELD(body_motion, place[2]),
    BYTE_FIELD(body_motion, rotation[0]), BYTE_FIELD(body_motion, rotation[1]), BYTE_FIELD(body_motion, rotation[2]),
    BYTE_FIELD(body_motion, rotation[3]), BYTE_FIELD(body_motion, velocity[0]), BYTE_FIELD(body_motion, velocity[1]),
    BYTE_FIELD(body_motion, velocity[2]), BYTE_FIELD(body_motion, velocity[3]), BYTE_FIELD(body_motion, velocity[4]),
    BYTE_FIELD(body_motion, velocity[5]), BYTE_FIELD(body_motion, stopped),
};

static void save_bodies(const spate_world *w, byte_writer *to)
{
	const body_set *set = &w->state.bodies;
	bytes_put_u32(to, set->count);
	bytes_put_u64(to, set->runaways);
	for (uint32_t b = 0; b < set->count; b++)
		bytes_put_fields(to, motion_numbers, COUNT(motion_numbers), &set->bodies[b].now);
}

static int is_possible(const spate_world *w, const body_motion *at)
{
	double length = 0.0, sum = 0.0;
	for (int k = 0; k < 4; k++)
		length += at->rotation[k] * at->rotation[k];
	for (int k = 0; k < 6; k++)
		sum += fabs(at->velocity[k]);
	for (int k = 0; k < 3; k++)
		if (!(fabs(at->place[k]) <= 2.0 * w->state.bodies.place_limit))
			return 0;
	return fabs(length - 1.0) < 1e-9 && isfinite(sum) && at->stopped <= 1;
}

static spate_result load_bodies(spate_world *w, const state_source *from, uint32_t version, byte_reader *reader,
				spate_error *error)
{
	(void)from, (void)version;
	body_set *set = &w->state.bodies;
	uint32_t count = bytes_get_u32(reader);
	set->runaways = bytes_get_u64(reader);
	if (!reader->ran_out && count != set->count)
		return error_set(error, SPATE_FORMAT, "it has %u bodies, the scene has %u", count, set->count);
	for (uint32_t b = 0; b < count && !reader->ran_out; b++)
	{
		body_motion at = {{0}};
		bytes_get_fields(reader, motion_numbers, COUNT(motion_numbers), &at);
		if (reader->ran_out)
			break;
		if (!is_possible(w, &at))
			return error_set(error, SPATE_FORMAT, "the motion of body %u is impossible", b);
		set->bodies[b].now = at;
	}
	body_set_place(set);
	return SPATE_OK;
}

const state_section section_bodies = {"bodies", 1, save_bodies, load_bodies};

static void save_bending(const spate_world *w, byte_writer *to)
{
	bend_set_save(&w->state.bending, to);
}

static spate_result load_bending(spate_world *w, const state_source *from, uint32_t version, byte_reader *reader,
				 spate_error *error)
{
	(void)from, (void)version;
	if (!bend_set_load(&w->state.bending, reader))
		return reader->ran_out ? SPATE_OK
				       : error_set(error, SPATE_FORMAT, "the shape of a body that bends is impossible");
	return bend_set_place(&w->state.bending, error);
}

const state_section section_bending = {"bending", 1, save_bending, load_bending};

// -------------------------------------------------------------------------------------------------------------- callers

uint32_t spate_world_body_count(const spate_world *w)
{
	return w ? w->state.bodies.count : 0;
}

uint64_t spate_world_body_runaways(const spate_world *w)
{
	return w ? w->state.bodies.runaways : 0;
}

static void cross(const double a[3], const double b[3], double out[3])
{
	out[0] = a[1] * b[2] - a[2] * b[1];
	out[1] = a[2] * b[0] - a[0] * b[2];
	out[2] = a[0] * b[1] - a[1] * b[0];
}

// A body that bends: its centre of mass, what its nodes have together, and no rotation.
static void describe_bending(const spate_world *w, uint32_t number, spate_body_state *out)
{
	const collider_load *load = &w->state.frame_loads[number];
	deformable *own = w->state.bending.bodies[w->state.bending.bodies_of[number] - 1].own;
	const double *x = deformable_places(own), *v = deformable_velocities(own), *m = deformable_masses(own);
	*out = (spate_body_state){.mass = deformable_mass(own), .rotation = {1, 0, 0, 0}};
	for (uint32_t n = 0; n < deformable_count(own); n++, x += 3, v += 3)
	{
		double place[3], push[3], moment[3];
		for (int k = 0; k < 3; k++)
		{
			place[k] = x[k] + w->model.origin[k];
			push[k] = m[n] * v[k];
			out->position[k] += m[n] * place[k];
			out->momentum[k] += push[k];
		}
		cross(place, push, moment);
		for (int k = 0; k < 3; k++)
			out->angular_momentum[k] += moment[k];
	}
	for (int k = 0; k < 3; k++)
	{
		out->position[k] /= out->mass;
		out->velocity[k] = out->momentum[k] / out->mass;
		if (load->dt > 0.0)
		{
			out->force[k] = load->linear[k] / load->dt;
			out->torque[k] = load->angular[k] / load->dt;
		}
	}
}

spate_result spate_world_body(const spate_world *w, uint32_t number, spate_body_state *out, spate_error *error)
{
	if (!w || !out)
		return error_set(error, SPATE_INVALID,
				 "spate_world_body needs a world and room for the state, not NULL");
	if (number >= w->state.bodies.count)
		return error_set(error, SPATE_INVALID, "spate_world_body: there is no body %u, the world has %u",
				 number, w->state.bodies.count);
	const rigid_body *b = &w->state.bodies.bodies[number];
	const collider_load *load = &w->state.frame_loads[b->collider];
	if (b->bends)
	{
		describe_bending(w, b->collider, out);
		return SPATE_OK;
	}
	*out = (spate_body_state){.mass = b->mass, .held = b->held || b->now.stopped};
	double inertia[9], moment[3];
	body_inertia(b, inertia);
	for (int k = 0; k < 4; k++)
		out->rotation[k] = b->now.rotation[k];
	for (int k = 0; k < 3; k++)
	{
		out->position[k] = b->now.place[k] + w->model.origin[k];
		out->velocity[k] = b->now.velocity[k];
		out->spin[k] = b->now.velocity[3 + k];
		out->momentum[k] = b->mass * out->velocity[k];
		if (load->dt > 0.0)
		{
			out->force[k] = load->linear[k] / load->dt;
			out->torque[k] = load->angular[k] / load->dt;
		}
	}
	cross(out->position, out->momentum, moment);
	for (int k = 0; k < 3; k++)
		out->angular_momentum[k] = moment[k] + inertia[3 * k] * out->spin[0] +
					   inertia[3 * k + 1] * out->spin[1] + inertia[3 * k + 2] * out->spin[2];
	return SPATE_OK;
}
