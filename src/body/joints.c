// What joints and contacts make of the response of bodies to impulses. Free bodies answer with their inverse masses, W = M^-1. With
// constraints J u = 0 the impulses of the constraints act as well, and
//
//	W = M^-1 - M^-1 J^T (J M^-1 J^T)^-1 J M^-1
//
// which is symmetric and positive semi-definite: a gate on a hinge answers by turning, and one that leans on its stop does not yield.
// Only contacts that push, and stops that hold, count; which these are is known from the velocities without the liquid.
#include "base/error.h"
#include "base/memory.h"
#include "body/body.h"

#include <string.h>

// Added to the diagonal of J M^-1 J^T, relative to it: constraints may say the same twice.
#define SOFTNESS 1e-9

// A constraint: its row of J for two bodies.
typedef struct bond
{
	uint32_t of[2]; // SPATE_BODY_WORLD for none
	double j[2][6];
} bond;

typedef struct bonds
{
	bond *items;
	size_t count, room;
	int failed;
} bonds;

static bond *add_bond(bonds *list, uint32_t a, uint32_t b)
{
	if (list->count == list->room)
	{
		size_t room = 2 * list->room + 32;
		bond *more = mem_realloc(list->items, mem_product(room, sizeof *more));
		if (!more)
		{
			list->failed = 1;
			return NULL;
		}
		list->items = more;
		list->room = room;
	}
	bond *own = &list->items[list->count++];
	*own = (bond){.of = {a, b}};
	return own;
}

static void cross(const double a[3], const double b[3], double out[3])
{
	out[0] = a[1] * b[2] - a[2] * b[1];
	out[1] = a[2] * b[0] - a[0] * b[2];
	out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// A direction in which two bodies do not move relative to each other, at places relative to their centres.
static void bind_way(bonds *list, const uint32_t of[2], const double at[2][3], const double way[3])
{
	bond *own = add_bond(list, of[0], of[1]);
	for (int k = 0; k < 2 && own; k++)
	{
		double turn[3];
		cross(at[k], way, turn);
		for (int i = 0; i < 3; i++)
		{
			own->j[k][i] = k ? -way[i] : way[i];
			own->j[k][3 + i] = k ? -turn[i] : turn[i];
		}
	}
}

// An axis about which two bodies do not turn relative to each other.
static void bind_turn(bonds *list, const uint32_t of[2], const double axis[3])
{
	bond *own = add_bond(list, of[0], of[1]);
	for (int i = 0; i < 3 && own; i++)
	{
		own->j[0][3 + i] = axis[i];
		own->j[1][3 + i] = -axis[i];
	}
}

static void rotate(const double q[4], const double v[3], double out[3])
{
	double u[3] = {q[1], q[2], q[3]}, a[3], b[3];
	cross(u, v, a);
	cross(u, a, b);
	for (int k = 0; k < 3; k++)
		out[k] = v[k] + 2.0 * (q[0] * a[k] + b[k]);
}

// Two directions across an axis.
static void across(const double axis[3], double out[2][3])
{
	double helper[3] = {0, 0, 0}, length;
	helper[fabs(axis[0]) < 0.6 ? 0 : 1] = 1.0;
	cross(axis, helper, out[0]);
	length = sqrt(dot(out[0], out[0]));
	for (int k = 0; k < 3; k++)
		out[0][k] /= length;
	cross(axis, out[0], out[1]);
}

// Where a point of the joint, as defined, is with a body, relative to the body's centre.
static void joint_arm(const body_set *set, uint32_t number, const double point[3], double out[3], double place[3])
{
	double r[3] = {point[0] - set->origin[0], point[1] - set->origin[1], point[2] - set->origin[2]};
	memcpy(out, r, sizeof r);
	memcpy(place, r, sizeof r);
	if (number == SPATE_BODY_WORLD)
		return;
	const rigid_body *b = &set->bodies[number];
	double arm[3] = {r[0] - b->start.place[0], r[1] - b->start.place[1], r[2] - b->start.place[2]}, local[3];
	const double back[4] = {b->start.rotation[0], -b->start.rotation[1], -b->start.rotation[2],
				-b->start.rotation[3]};
	rotate(back, arm, local);
	rotate(b->now.rotation, local, out);
	for (int k = 0; k < 3; k++)
		place[k] = out[k] + b->now.place[k];
}

// The axis of a joint, carried by its first body, or by its second if that is the world.
static void joint_axis(const body_set *set, const spate_joint_def *j, double out[3])
{
	uint32_t carrier = j->bodies[0] != SPATE_BODY_WORLD ? j->bodies[0] : j->bodies[1];
	double length = sqrt(dot(j->axis, j->axis)), axis[3], local[3];
	for (int k = 0; k < 3; k++)
		axis[k] = j->axis[k] / length;
	const rigid_body *b = &set->bodies[carrier];
	const double back[4] = {b->start.rotation[0], -b->start.rotation[1], -b->start.rotation[2],
				-b->start.rotation[3]};
	rotate(back, axis, local);
	rotate(b->now.rotation, local, out);
}

static void bind_joint(bonds *list, const body_set *set, uint32_t number)
{
	const spate_joint_def *j = &set->joints[number];
	static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
	double arms[2][3], places[2][3], axis[3] = {0, 0, 1}, sides[2][3];
	if (j->type == SPATE_JOINT_HINGE || j->type == SPATE_JOINT_SLIDER)
		joint_axis(set, j, axis);
	across(axis, sides);
	for (int k = 0; k < 2; k++)
		joint_arm(set, j->bodies[k], j->anchor, arms[k], places[k]);
	if (j->type == SPATE_JOINT_SLIDER || j->type == SPATE_JOINT_FIXED)
		// about the same point, wherever it is
		for (int i = 0; i < 3 && j->bodies[1] != SPATE_BODY_WORLD; i++)
			arms[1][i] = arms[0][i] +
				     (j->bodies[0] == SPATE_BODY_WORLD ? 0.0 : set->bodies[j->bodies[0]].now.place[i]) -
				     set->bodies[j->bodies[1]].now.place[i];
	for (int k = 0; k < 3; k++)
	{
		if (j->type != SPATE_JOINT_SLIDER)
			bind_way(list, j->bodies, arms, axes[k]);
		if (j->type == SPATE_JOINT_SLIDER || j->type == SPATE_JOINT_FIXED)
			bind_turn(list, j->bodies, axes[k]);
	}
	for (int k = 0; k < 2; k++)
	{
		if (j->type == SPATE_JOINT_HINGE)
			bind_turn(list, j->bodies, sides[k]);
		if (j->type == SPATE_JOINT_SLIDER)
			bind_way(list, j->bodies, arms, sides[k]);
	}
	double angle, rate;
	if (!(j->low <= j->high) || (j->type != SPATE_JOINT_HINGE && j->type != SPATE_JOINT_SLIDER))
		return;
	body_joint_state(set, number, 1, &angle, &rate);
	double unit = j->type == SPATE_JOINT_HINGE ? 0.017453292519943295 : 1.0;
	int low = angle <= unit * j->low && rate <= 1e-9, high = angle >= unit * j->high && rate >= -1e-9;
	if ((low || high) && j->type == SPATE_JOINT_HINGE)
		bind_turn(list, j->bodies, axis);
	else if (low || high)
		bind_way(list, j->bodies, arms, axis);
}

static void bind_contact(bonds *list, const body_set *set, const body_contact *c)
{
	const uint32_t of[2] = {c->a, c->b};
	double arms[2][3] = {{0}};
	for (int k = 0; k < 2; k++)
		for (int i = 0; i < 3 && of[k] != SPATE_BODY_WORLD; i++)
			arms[k][i] = c->place[i] - set->bodies[of[k]].now.place[i];
	bind_way(list, of, arms, c->normal);
}

static int yields(const body_set *set, uint32_t number)
{
	return number != SPATE_BODY_WORLD && !set->bodies[number].held;
}

// A row of J M^-1 over all bodies.
static void respond_alone(const body_set *set, const double *inverse, const bond *own, double *out)
{
	memset(out, 0, 6 * set->count * sizeof *out);
	for (int k = 0; k < 2; k++)
	{
		if (!yields(set, own->of[k]))
			continue;
		const double *m = inverse + (size_t)9 * own->of[k], *j = own->j[k];
		double *to = out + (size_t)6 * own->of[k];
		for (int i = 0; i < 3; i++)
		{
			to[i] += j[i] / set->bodies[own->of[k]].mass;
			to[3 + i] += m[3 * i] * j[3] + m[3 * i + 1] * j[4] + m[3 * i + 2] * j[5];
		}
	}
}

// Cholesky's L of J M^-1 J^T, and the rows L^-1 J M^-1 in place of J M^-1. W is M^-1 less the sum of their squares.
static void constrain(const body_set *set, const bonds *list, double *rows, double *factor)
{
	size_t n = list->count, width = 6 * (size_t)set->count;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k <= i; k++)
		{
			double sum = 0.0;
			for (int side = 0; side < 2; side++)
				for (int d = 0; d < 6 && list->items[i].of[side] != SPATE_BODY_WORLD; d++)
					sum += list->items[i].j[side][d] *
					       rows[k * width + (size_t)6 * list->items[i].of[side] + (size_t)d];
			factor[i * n + k] = sum;
		}
	for (size_t i = 0; i < n; i++)
	{
		double softness = SOFTNESS * factor[i * n + i];
		for (size_t k = 0; k < i; k++)
		{
			double sum = factor[i * n + k];
			for (size_t m = 0; m < k; m++)
				sum -= factor[i * n + m] * factor[k * n + m];
			factor[i * n + k] = factor[k * n + k] > 0.0 ? sum / factor[k * n + k] : 0.0;
		}
		double pivot = factor[i * n + i] + softness;
		for (size_t m = 0; m < i; m++)
			pivot -= factor[i * n + m] * factor[i * n + m];
		factor[i * n + i] = pivot > 0.0 ? sqrt(pivot) : 0.0;
	}
	for (size_t i = 0; i < n; i++)
	{
		double *row = rows + i * width, by = factor[i * n + i] > 0.0 ? 1.0 / factor[i * n + i] : 0.0;
		for (size_t k = 0; k < i; k++)
			for (size_t d = 0; d < width; d++)
				row[d] -= factor[i * n + k] * rows[k * width + d];
		for (size_t d = 0; d < width; d++)
			row[d] *= by;
	}
}

spate_result body_response_make(body_set *set, spate_error *error)
{
	size_t width = 6 * (size_t)set->count;
	bonds list = {0};
	for (uint32_t j = 0; j < set->joint_count; j++)
		if (yields(set, set->joints[j].bodies[0]) || yields(set, set->joints[j].bodies[1]))
			bind_joint(&list, set, j);
	for (uint32_t c = 0; c < set->contact_count; c++)
		if (set->contacts[c].active)
			bind_contact(&list, set, &set->contacts[c]);
	size_t numbers = 9 * (size_t)set->count + list.count * (width + list.count);
	double *inverse = list.failed ? NULL : mem_calloc(numbers + 1, sizeof *inverse);
	if (!inverse)
	{
		mem_free(list.items);
		return error_memory(error, numbers * sizeof *inverse);
	}
	memset(set->response, 0, width * width * sizeof *set->response);
	for (uint32_t k = 0; k < set->count; k++)
	{
		const rigid_body *b = &set->bodies[k];
		body_inverse_inertia(b, inverse + (size_t)9 * k);
		size_t at = 6 * (size_t)k;
		for (size_t i = 0; i < 3 && !b->held; i++)
		{
			set->response[(at + i) * width + at + i] = 1.0 / b->mass;
			for (size_t j = 0; j < 3; j++)
				set->response[(at + 3 + i) * width + at + 3 + j] = inverse[(size_t)9 * k + 3 * i + j];
		}
	}
	double *rows = inverse + (size_t)9 * set->count;
	for (size_t i = 0; i < list.count; i++)
		respond_alone(set, inverse, &list.items[i], rows + i * width);
	constrain(set, &list, rows, rows + list.count * width);
	for (size_t i = 0; i < list.count; i++)
		for (size_t a = 0; a < width; a++)
			for (size_t b = 0; b < width && rows[i * width + a] != 0.0; b++)
				set->response[a * width + b] -= rows[i * width + a] * rows[i * width + b];
	mem_free(inverse);
	mem_free(list.items);
	return SPATE_OK;
}

// The part of a relative rotation that is about an axis.
static double angle_about(const double q[4], const double axis[3])
{
	double along = q[1] * axis[0] + q[2] * axis[1] + q[3] * axis[2];
	double angle = 2.0 * atan2(along, q[0]);
	return angle > 3.14159265358979323846    ? angle - 6.28318530717958647692
	       : angle < -3.14159265358979323846 ? angle + 6.28318530717958647692
						 : angle;
}

static void multiply(const double a[4], const double b[4], double out[4])
{
	out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
	out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
	out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
	out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

// The rotation of a body since the start.
static void turned_since(const body_set *set, uint32_t number, double out[4])
{
	const double none[4] = {1, 0, 0, 0};
	memcpy(out, none, sizeof none);
	if (number == SPATE_BODY_WORLD)
		return;
	const rigid_body *b = &set->bodies[number];
	const double back[4] = {b->start.rotation[0], -b->start.rotation[1], -b->start.rotation[2],
				-b->start.rotation[3]};
	multiply(b->now.rotation, back, out);
}

void body_joint_state(const body_set *set, uint32_t number, int predicted, double *angle, double *rate)
{
	const spate_joint_def *j = &set->joints[number];
	double axis[3], first[4], second[4], relative[4], arms[2][3], places[2][3];
	joint_axis(set, j, axis);
	*angle = *rate = 0.0;
	turned_since(set, j->bodies[0], first);
	turned_since(set, j->bodies[1], second);
	const double back[4] = {second[0], -second[1], -second[2], -second[3]};
	multiply(first, back, relative);
	for (int k = 0; k < 2; k++)
		joint_arm(set, j->bodies[k], j->anchor, arms[k], places[k]);
	int turns = j->type == SPATE_JOINT_HINGE;
	for (int i = 0; i < 3 && !turns; i++)
		*angle += axis[i] * (places[0][i] - places[1][i]);
	if (turns)
		*angle = angle_about(relative, axis);
	for (int k = 0; k < 2; k++)
	{
		const rigid_body *b = j->bodies[k] != SPATE_BODY_WORLD ? &set->bodies[j->bodies[k]] : NULL;
		for (int i = 0; i < 3 && b; i++)
			*rate += (k ? -1.0 : 1.0) * axis[i] *
				 (predicted || b->held ? b->predicted : b->now.velocity)[turns ? 3 + i : i];
	}
}
