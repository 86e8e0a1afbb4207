// Velocities of bodies under gravity, joints and contacts, by the Open Dynamics Engine. Its exact stepper (dWorldStep) is used, on one
// thread: it has no random numbers and keeps no impulses, so that the velocities follow from poses and velocities alone. Bodies that
// nothing holds or touches do not need it.
#include "base/build.h"
#include "base/error.h"
#include "base/memory.h"
#include "body/body.h"

#include <string.h>

// Speed (m/s) at which solids that overlap part at most; softness of constraints, how much softer they become if they contradict each other,
// and how often; factor on the speed that bodies may gain by touching, since a lever turns a long way into a short one.
#define PART_SPEED 0.5
#define SOFT 1e-10
#define SOFTER 1e3
#define FASTER 4.0

enum
{
	SOFTENINGS = 3
};

#ifdef SPATE_ODE
#include <ode/ode.h>
#include <stdarg.h>
#include <threads.h>

// Part of the error of a joint or contact that a substep corrects.
#define CORRECT 0.2

struct body_ode
{
	dWorldID world;
	dJointGroupID contacts;
	dBodyID *bodies;
	dJointID *joints;
	dJointFeedback *pushes; // of the contacts
	uint32_t room;
};

static once_flag started = ONCE_FLAG_INIT; // ODE is started once in a process

static void ignore(int number, const char *text, va_list arguments)
{
	(void)number, (void)text, (void)arguments;
}

static void start(void)
{
	dInitODE2(0);
	dSetMessageHandler(ignore); // ODE would print
}

static void set_motion(const rigid_body *b, dBodyID to)
{
	const body_motion *at = &b->now;
	const double *v = b->held ? b->predicted : at->velocity;
	dBodySetPosition(to, at->place[0], at->place[1], at->place[2]);
	dBodySetQuaternion(to, at->rotation);
	dBodySetLinearVel(to, v[0], v[1], v[2]);
	dBodySetAngularVel(to, v[3], v[4], v[5]);
}

static void make_body(body_set *set, uint32_t number)
{
	const rigid_body *b = &set->bodies[number];
	dBodyID own = set->ode->bodies[number] = dBodyCreate(set->ode->world);
	dMass mass;
	const double *i = b->inertia;
	dMassSetParameters(&mass, b->mass, 0, 0, 0, i[0], i[4], i[8], i[1], i[2], i[5]);
	dBodySetMass(own, &mass);
	dBodySetAutoDisableFlag(own, 0);
	dBodySetGyroscopicMode(own, 0); // angular momentum is kept by body_set_finish()
	set_motion(b, own);
}

static void make_joint(body_set *set, uint32_t number)
{
	const spate_joint_def *j = &set->joints[number];
	struct body_ode *o = set->ode;
	dWorldID w = o->world;
	dJointID own = j->type == SPATE_JOINT_HINGE    ? dJointCreateHinge(w, 0)
		       : j->type == SPATE_JOINT_BALL   ? dJointCreateBall(w, 0)
		       : j->type == SPATE_JOINT_SLIDER ? dJointCreateSlider(w, 0)
						       : dJointCreateFixed(w, 0);
	o->joints[number] = own;
	dBodyID of[2];
	for (int k = 0; k < 2; k++)
		of[k] = j->bodies[k] == SPATE_BODY_WORLD ? 0 : o->bodies[j->bodies[k]];
	dJointAttach(own, of[0], of[1]);
	double x = j->anchor[0] - set->origin[0], y = j->anchor[1] - set->origin[1], z = j->anchor[2] - set->origin[2];
	const double *a = j->axis;
	if (j->type == SPATE_JOINT_HINGE)
	{
		dJointSetHingeAnchor(own, x, y, z);
		dJointSetHingeAxis(own, a[0], a[1], a[2]);
	}
	else if (j->type == SPATE_JOINT_BALL)
		dJointSetBallAnchor(own, x, y, z);
	else if (j->type == SPATE_JOINT_SLIDER)
		dJointSetSliderAxis(own, a[0], a[1], a[2]);
	else
		dJointSetFixed(own);
	int limited = j->low <= j->high, hinge = j->type == SPATE_JOINT_HINGE;
	double unit = hinge ? 0.017453292519943295 : 1.0;
	void (*set_value)(dJointID, int, dReal) = hinge ? dJointSetHingeParam : dJointSetSliderParam;
	if (j->type != SPATE_JOINT_HINGE && j->type != SPATE_JOINT_SLIDER)
		return;
	if (limited)
	{
		// twice, since a lower limit above the upper one is refused
		for (int k = 0; k < 2; k++)
		{
			set_value(own, dParamLoStop, unit * j->low);
			set_value(own, dParamHiStop, unit * j->high);
		}
	}
	if (j->power > 0.0)
	{
		set_value(own, dParamVel, j->speed);
		set_value(own, dParamFMax, j->power);
	}
}

spate_result body_ode_create(body_set *set, spate_error *error)
{
	call_once(&started, start);
	struct body_ode *o = set->ode = mem_calloc(1, sizeof *o);
	if (!o)
		return error_memory(error, sizeof *o);
	o->bodies = mem_calloc(set->count, sizeof *o->bodies);
	o->joints = mem_calloc(set->joint_count + (size_t)1, sizeof *o->joints);
	o->world = dWorldCreate();
	o->contacts = dJointGroupCreate(0);
	if (!o->bodies || !o->joints)
		return error_memory(error, set->count * sizeof *o->bodies);
	dWorldSetAutoDisableFlag(o->world, 0);
	dWorldSetContactMaxCorrectingVel(o->world, PART_SPEED);
	for (uint32_t b = 0; b < set->count; b++)
		make_body(set, b);
	for (uint32_t j = 0; j < set->joint_count; j++)
		make_joint(set, j);
	return SPATE_OK;
}

void body_ode_destroy(body_set *set)
{
	struct body_ode *o = set->ode;
	if (!o)
		return;
	dJointGroupDestroy(o->contacts);
	dWorldDestroy(o->world);
	mem_free(o->bodies);
	mem_free(o->joints);
	mem_free(o->pushes);
	mem_free(o);
	set->ode = NULL;
}

static void make_contact(body_set *set, uint32_t number)
{
	const body_contact *c = &set->contacts[number];
	struct body_ode *o = set->ode;
	dContact own;
	memset(&own, 0, sizeof own);
	own.surface.mode = dContactApprox1;
	own.surface.mu = c->friction;
	if (c->bounce > 0.0)
	{
		own.surface.mode |= dContactBounce;
		own.surface.bounce = c->bounce;
		own.surface.bounce_vel = 0.05;
	}
	for (int k = 0; k < 3; k++)
	{
		own.geom.pos[k] = c->place[k];
		own.geom.normal[k] = c->normal[k];
	}
	own.geom.depth = c->depth;
	dJointID joint = dJointCreateContact(o->world, o->contacts, &own);
	dJointAttach(joint, o->bodies[c->a], c->b == SPATE_BODY_WORLD ? 0 : o->bodies[c->b]);
	dJointSetFeedback(joint, &o->pushes[number]);
}

// Inertia of a joint's body for its motion: about the axis through the anchor, or along the axis.
static double weight_of(const body_set *set, const spate_joint_def *j, uint32_t number)
{
	const rigid_body *b = &set->bodies[number];
	double inertia[9], r[3], way[3], length = 0.0, sum = 0.0, square = 0.0, along = 0.0;
	if (j->type == SPATE_JOINT_SLIDER)
		return b->mass;
	body_inertia(b, inertia);
	for (int k = 0; k < 3; k++)
		length += j->axis[k] * j->axis[k];
	for (int k = 0; k < 3; k++)
	{
		way[k] = j->axis[k] / sqrt(length);
		r[k] = j->anchor[k] - set->origin[k] - b->start.place[k];
		square += r[k] * r[k];
		along += r[k] * way[k];
	}
	for (int k = 0; k < 9; k++)
		sum += way[k / 3] * inertia[k] * way[k % 3];
	return sum + b->mass * (square - along * along);
}

// Spring and damper, implicit in the length of the substep so that no stiffness is unstable.
static void add_spring(body_set *set, uint32_t number)
{
	const spate_joint_def *j = &set->joints[number];
	struct body_ode *o = set->ode;
	double angle, rate, inverse = 0.0, dt = set->dt;
	if (!(j->stiffness > 0.0 || j->damping > 0.0) ||
	    (j->type != SPATE_JOINT_HINGE && j->type != SPATE_JOINT_SLIDER))
		return;
	body_joint_state(set, number, 0, &angle, &rate);
	for (int k = 0; k < 2; k++)
		if (j->bodies[k] != SPATE_BODY_WORLD && !set->bodies[j->bodies[k]].held)
			inverse += 1.0 / weight_of(set, j, j->bodies[k]);
	double given = -(j->stiffness * (angle + dt * rate) + j->damping * rate) /
		       (1.0 + dt * (j->damping + dt * j->stiffness) * inverse);
	if (j->type == SPATE_JOINT_HINGE)
		dJointAddHingeTorque(o->joints[number], given);
	else
		dJointAddSliderForce(o->joints[number], given);
}

// What corrects places is no velocity that stays: it is only in those without impulses, which poses follow.
static void set_correction(body_set *set, double part)
{
	dWorldSetERP(set->ode->world, part);
	for (uint32_t j = 0; j < set->joint_count; j++)
		if (set->joints[j].type == SPATE_JOINT_HINGE)
			dJointSetHingeParam(set->ode->joints[j], dParamStopERP, part);
		else if (set->joints[j].type == SPATE_JOINT_SLIDER)
			dJointSetSliderParam(set->ode->joints[j], dParamStopERP, part);
		else if (set->joints[j].type == SPATE_JOINT_FIXED)
			dJointSetFixedParam(set->ode->joints[j], dParamERP, part);
}

// Room for what ODE tells of each contact; 0 when out of memory.
static int make_room(body_set *set)
{
	struct body_ode *o = set->ode;
	if (set->contact_count <= o->room)
		return 1;
	dJointFeedback *more = mem_realloc(o->pushes, mem_product(set->contact_room, sizeof *more));
	if (!more)
		return 0;
	o->pushes = more;
	o->room = set->contact_room;
	return 1;
}

static void run(body_set *set, double softness, const double *impulses, double *velocities)
{
	struct body_ode *o = set->ode;
	dWorldSetCFM(o->world, softness);
	set_correction(set, impulses ? 0.0 : CORRECT);
	dWorldSetGravity(o->world, set->gravity[0], set->gravity[1], set->gravity[2]);
	for (uint32_t k = 0; k < set->count; k++)
	{
		const rigid_body *b = &set->bodies[k];
		dBodyID own = o->bodies[k];
		if (b->held)
			dBodySetKinematic(own);
		else
			dBodySetDynamic(own);
		set_motion(b, own);
		dBodySetForce(own, 0, 0, 0);
		dBodySetTorque(own, 0, 0, 0);
		const double *p = impulses ? impulses + (size_t)6 * k : NULL;
		if (p && !b->held)
		{
			dBodyAddForce(own, p[0] / set->dt, p[1] / set->dt, p[2] / set->dt);
			dBodyAddTorque(own, p[3] / set->dt, p[4] / set->dt, p[5] / set->dt);
		}
	}
	for (uint32_t j = 0; j < set->joint_count; j++)
		add_spring(set, j);
	for (uint32_t c = 0; c < set->contact_count; c++)
		make_contact(set, c);
	dWorldStep(o->world, set->dt);
	for (uint32_t k = 0; k < set->count; k++)
	{
		const dReal *v = dBodyGetLinearVel(o->bodies[k]), *w = dBodyGetAngularVel(o->bodies[k]);
		for (int i = 0; i < 3; i++)
		{
			velocities[(size_t)6 * k + (size_t)i] = v[i];
			velocities[(size_t)6 * k + 3 + (size_t)i] = w[i];
		}
	}
	for (uint32_t c = 0; c < set->contact_count; c++)
	{
		const dReal *f = o->pushes[c].f1;
		const double *n = set->contacts[c].normal;
		set->contacts[c].active = f[0] * n[0] + f[1] * n[1] + f[2] * n[2] > 0.0;
	}
	dJointGroupEmpty(o->contacts);
}

#else // without ODE

spate_result body_ode_create(body_set *set, spate_error *error)
{
	(void)set;
	return build_lack(SPATE_LIBRARY_ODE, "bodies need", error);
}

void body_ode_destroy(body_set *set)
{
	(void)set;
}

static int make_room(body_set *set)
{
	(void)set;
	return 1;
}

static void run(body_set *set, double softness, const double *impulses, double *velocities)
{
	(void)set, (void)softness, (void)impulses, (void)velocities;
}

#endif

// Whether a joint or a contact has a say in the velocity of each body.
static int is_bound(const body_set *set, uint32_t number)
{
	for (uint32_t j = 0; j < set->joint_count; j++)
		if (set->joints[j].bodies[0] == number || set->joints[j].bodies[1] == number)
			return 1;
	for (uint32_t c = 0; c < set->contact_count; c++)
		if (set->contacts[c].a == number || set->contacts[c].b == number)
			return 1;
	return 0;
}

// Fastest point of the bodies (m/s).
static double fastest(const body_set *set, const double *velocities)
{
	double most = 0.0;
	for (uint32_t k = 0; k < set->count; k++)
	{
		const double *v = velocities + (size_t)6 * k;
		double way = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]),
		       turn = sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5]);
		most = fmax(most, way + turn * (double)set->bodies[k].reach);
	}
	return isfinite(most) ? most : INFINITY;
}

// Speed (m/s) that the bodies can have at most after a substep: contacts and joints may pass on speeds, but make none.
static double plausible(const body_set *set, const double *impulses)
{
	double most = 0.0, inverse[9];
	for (uint32_t k = 0; k < set->count; k++)
	{
		const rigid_body *b = &set->bodies[k];
		const double *v = b->held ? b->predicted : b->now.velocity,
			     *p = impulses ? impulses + (size_t)6 * k : NULL;
		double u[6];
		body_inverse_inertia(b, inverse);
		for (int i = 0; i < 6; i++)
			u[i] = v[i];
		for (int i = 0; i < 3 && p && !b->held; i++)
		{
			u[i] += p[i] / b->mass;
			u[3 + i] += inverse[3 * i] * p[3] + inverse[3 * i + 1] * p[4] + inverse[3 * i + 2] * p[5];
		}
		most = fmax(most, sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) +
				      sqrt(u[3] * u[3] + u[4] * u[4] + u[5] * u[5]) * (double)b->reach);
	}
	for (uint32_t j = 0; j < set->joint_count; j++)
		most += fabs(set->joints[j].speed) * (set->joints[j].power > 0.0 ? 1.0 : 0.0);
	double g = sqrt(set->gravity[0] * set->gravity[0] + set->gravity[1] * set->gravity[1] +
			set->gravity[2] * set->gravity[2]);
	return most + g * set->dt;
}

// Contacts that contradict each other have no solution, and ODE's is then of any size: softer ones give way instead.
static void run_softer(body_set *set, const double *impulses, double *velocities)
{
	double limit = FASTER * plausible(set, impulses) + PART_SPEED;
	double softness = SOFT;
	for (int tries = 0; tries < SOFTENINGS; tries++, softness *= SOFTER)
	{
		run(set, softness, impulses, velocities);
		if (fastest(set, velocities) <= limit)
			return;
	}
	// at last as if nothing touched
	for (uint32_t c = 0; c < set->contact_count; c++)
		set->contacts[c].active = 0;
	for (uint32_t k = 0; k < set->count; k++)
	{
		const rigid_body *b = &set->bodies[k];
		memcpy(velocities + (size_t)6 * k, b->held ? b->predicted : b->now.velocity, 6 * sizeof *velocities);
	}
}

spate_result body_ode_step(body_set *set, const double *impulses, double *velocities, spate_error *error)
{
	const double none[6] = {0};
	if (!make_room(set))
		return error_memory(error, set->contact_room * sizeof *set->contacts);
	if (set->contact_count > 0 || set->joint_count > 0)
		run_softer(set, impulses, velocities);
	for (uint32_t k = 0; k < set->count; k++)
	{
		const rigid_body *b = &set->bodies[k];
		double *u = velocities + (size_t)6 * k, inverse[9];
		const double *p = impulses ? impulses + (size_t)6 * k : none;
		if (b->held)
			memcpy(u, b->predicted, 6 * sizeof *u);
		if (b->held || is_bound(set, k))
			continue;
		body_inverse_inertia(b, inverse);
		for (int i = 0; i < 3; i++)
		{
			u[i] = b->now.velocity[i] + set->dt * set->gravity[i] + p[i] / b->mass;
			u[3 + i] = b->now.velocity[3 + i] + inverse[3 * i] * p[3] + inverse[3 * i + 1] * p[4] +
				   inverse[3 * i + 2] * p[5];
		}
	}
	return SPATE_OK;
}
