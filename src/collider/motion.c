#include "collider/motion.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

static double scale_of(const spate_keyframe *k)
{
	return k->scale > 0.0 ? k->scale : 1.0;
}

double motion_ease(spate_between between, double s)
{
	switch (between)
	{
	case SPATE_BETWEEN_LINEAR:
		return s;
	case SPATE_BETWEEN_SMOOTH:
		return s * s * (3.0 - 2.0 * s);
	case SPATE_BETWEEN_STEP:
		break;
	}
	return 0.0;
}

int motion_moves(const spate_motion *m)
{
	int moves = (m->amplitude != 0.0 && m->frequency != 0.0) || (m->turn != 0.0 && m->turn_frequency != 0.0);
	for (uint32_t k = 1; k < m->keyframe_count; k++)
	{
		moves |= scale_of(&m->keyframes[k]) != scale_of(&m->keyframes[0]);
		for (int axis = 0; axis < 3; axis++)
			moves |= m->keyframes[k].position[axis] != m->keyframes[0].position[axis] ||
				 m->keyframes[k].rotation[axis] != m->keyframes[0].rotation[axis];
	}
	return moves;
}

// Position (m), rotation (degrees) and scale of the keyframes at a time.
static spate_keyframe interpolate(const spate_motion *m, double time)
{
	spate_keyframe at = {.scale = 1.0};
	if (m->keyframe_count == 0)
		return at;
	uint32_t next = 0;
	while (next < m->keyframe_count && m->keyframes[next].time <= time)
		next++;
	const spate_keyframe *a = &m->keyframes[next > 0 ? next - 1 : 0];
	const spate_keyframe *b = &m->keyframes[next < m->keyframe_count ? next : m->keyframe_count - 1];
	double t = b->time > a->time ? motion_ease(m->between, (time - a->time) / (b->time - a->time)) : 0.0;
	for (int k = 0; k < 3; k++)
	{
		at.position[k] = a->position[k] + t * (b->position[k] - a->position[k]);
		at.rotation[k] = a->rotation[k] + t * (b->rotation[k] - a->rotation[k]);
	}
	at.scale = scale_of(a) + t * (scale_of(b) - scale_of(a));
	return at;
}

void motion_rotation(const double degrees[3], double r[9])
{
	double c[3], s[3];
	for (int k = 0; k < 3; k++)
	{
		c[k] = cos(degrees[k] * pi / 180.0);
		s[k] = sin(degrees[k] * pi / 180.0);
	}
	r[0] = c[1] * c[2];
	r[1] = s[0] * s[1] * c[2] - c[0] * s[2];
	r[2] = c[0] * s[1] * c[2] + s[0] * s[2];
	r[3] = c[1] * s[2];
	r[4] = s[0] * s[1] * s[2] + c[0] * c[2];
	r[5] = c[0] * s[1] * s[2] - s[0] * c[2];
	r[6] = -s[1];
	r[7] = s[0] * c[1];
	r[8] = c[0] * c[1];
}

// A swing at a time, relative to its rest: it starts there, so what the phase adds is taken off.
static double swing(double amplitude, double frequency, double phase, double since)
{
	return amplitude * (sin(2.0 * pi * frequency * since + phase * pi / 180.0) - sin(phase * pi / 180.0));
}

// Turns the rotation r of the keyframes further, by an angle (rad) about an axis.
static void turn_about(const double axis[3], double angle, double r[9])
{
	double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]), t[9], old[9];
	if (!(length > 0.0))
		return;
	const double a[3] = {axis[0] / length, axis[1] / length, axis[2] / length};
	double c = cos(angle), s = sin(angle);
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 3; k++)
			t[3 * i + k] = (1.0 - c) * a[i] * a[k] + (i == k ? c : 0.0);
	t[1] -= s * a[2];
	t[2] += s * a[1];
	t[3] += s * a[2];
	t[5] -= s * a[0];
	t[6] -= s * a[1];
	t[7] += s * a[0];
	memcpy(old, r, sizeof old);
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 3; k++)
			r[3 * i + k] = t[3 * i] * old[k] + t[3 * i + 1] * old[3 + k] + t[3 * i + 2] * old[6 + k];
}

// Where the keyframes of one time and the swings of another put it.
static placement place_at(const spate_motion *m, const double origin[3], double keyed, double time)
{
	spate_keyframe at = interpolate(m, keyed);
	if (m->amplitude != 0.0 && time >= m->start)
	{
		double length = sqrt(m->direction[0] * m->direction[0] + m->direction[1] * m->direction[1] +
				     m->direction[2] * m->direction[2]);
		double offset = swing(m->amplitude, m->frequency, m->phase, time - m->start);
		for (int k = 0; k < 3 && length > 0.0; k++)
			at.position[k] += offset * m->direction[k] / length;
	}
	placement pose = {.scale = at.scale};
	motion_rotation(at.rotation, pose.rotation);
	if (m->turn != 0.0 && time >= m->turn_start)
		turn_about(m->axis, swing(m->turn * pi / 180.0, m->turn_frequency, m->turn_phase, time - m->turn_start),
			   pose.rotation);
	const double *r = pose.rotation,
		     pivot[3] = {m->pivot[0] - origin[0], m->pivot[1] - origin[1], m->pivot[2] - origin[2]};
	for (int k = 0; k < 3; k++)
		pose.translation[k] =
		    pivot[k] + at.position[k] -
		    at.scale * (r[3 * k] * pivot[0] + r[3 * k + 1] * pivot[1] + r[3 * k + 2] * pivot[2]);
	return pose;
}

placement motion_placement(const spate_motion *m, const double origin[3], double time)
{
	return place_at(m, origin, time, time);
}

rigid motion_pose(const spate_motion *m, const double origin[3], double time)
{
	placement pose = motion_placement(m, origin, time);
	return placement_rigid(&pose);
}

// Bound of the speed of a swing during an interval, in units of its amplitude per second.
static double swing_speed(double amplitude, double frequency, double phase, double start, double begin, double end)
{
	double first = fmax(begin, start);
	if (!(first < end))
		return 0.0;
	// it is fastest where its phase is a multiple of pi
	double from = 2.0 * frequency * (first - start) + phase / 180.0;
	double to = 2.0 * frequency * (end - start) + phase / 180.0;
	double most = floor(from) != floor(to) ? 1.0 : fmax(fabs(cos(pi * from)), fabs(cos(pi * to)));
	return fabs(2.0 * pi * frequency * amplitude) * most;
}

double motion_speed(const spate_motion *m, double arm, double begin, double end)
{
	double fastest = 0.0, largest = 1.0;
	// the steepest slope of what is between two keyframes
	const double steepest = m->between == SPATE_BETWEEN_SMOOTH ? 1.5 : m->between == SPATE_BETWEEN_STEP ? 0.0 : 1.0;
	for (uint32_t k = 0; k < m->keyframe_count; k++)
		largest = fmax(k > 0 ? largest : 0.0, scale_of(&m->keyframes[k]));
	for (uint32_t k = 1; k < m->keyframe_count; k++)
	{
		const spate_keyframe *a = &m->keyframes[k - 1], *b = &m->keyframes[k];
		double line = 0.0, turned = 0.0;
		if (b->time <= begin || a->time >= end || b->time <= a->time)
			continue;
		for (int c = 0; c < 3; c++)
		{
			line += (b->position[c] - a->position[c]) * (b->position[c] - a->position[c]);
			turned += fabs(b->rotation[c] - a->rotation[c]) * pi / 180.0;
		}
		double grown = fmax(scale_of(a), scale_of(b)) * turned + fabs(scale_of(b) - scale_of(a));
		fastest = fmax(fastest, steepest * (sqrt(line) + grown * arm) / (b->time - a->time));
	}
	if (m->amplitude != 0.0)
		fastest += swing_speed(m->amplitude, m->frequency, m->phase, m->start, begin, end);
	if (m->turn != 0.0)
		fastest += swing_speed(m->turn * pi / 180.0 * largest * arm, m->turn_frequency, m->turn_phase,
				       m->turn_start, begin, end);
	return fastest;
}

// ------------------------------------------------------------------------------------------------------------- provider

typedef struct motion_source
{
	spate_motion motion;
	double origin[3];
	spate_keyframe keyframes[]; // the motion's
} motion_source;

static spate_result place(void *self, double begin, double end, placement *before, placement *now, spate_error *error)
{
	(void)error;
	const motion_source *m = self;
	// a jump moves it without a velocity
	int jumps = m->motion.between == SPATE_BETWEEN_STEP;
	*before = place_at(&m->motion, m->origin, jumps ? end : begin, begin);
	*now = motion_placement(&m->motion, m->origin, end);
	return SPATE_OK;
}

// Upper bound on the distance from the pivot to any point of an extent (m).
static double furthest_arm(const motion_source *m, const pose_extent *e)
{
	vec3 pivot = {(float)(m->motion.pivot[0] - m->origin[0]), (float)(m->motion.pivot[1] - m->origin[1]),
		      (float)(m->motion.pivot[2] - m->origin[2])};
	vec3 p = vec3_sub(e->a, pivot), q = vec3_sub(e->b, pivot);
	vec3 furthest = {fmaxf(fabsf(p.x), fabsf(q.x)) + e->grow, fmaxf(fabsf(p.y), fabsf(q.y)) + e->grow,
			 fmaxf(fabsf(p.z), fabsf(q.z)) + e->grow};
	return (double)vec3_length(furthest);
}

static double speed(const void *self, const pose_extent *extent, double begin, double end)
{
	const motion_source *m = self;
	return motion_speed(&m->motion, furthest_arm(m, extent), begin, end);
}

const pose_type pose_keyframes = {.name = "keyframes", .place = place, .speed = speed, .destroy = mem_free};

static void *copy_motion(const spate_motion *motion, const double origin[3])
{
	size_t bytes = motion->keyframe_count * sizeof *motion->keyframes;
	motion_source *m = mem_alloc(sizeof *m + bytes);
	if (!m)
		return NULL;
	m->motion = *motion;
	m->motion.keyframes = m->keyframes;
	memcpy(m->origin, origin, sizeof m->origin);
	if (bytes > 0)
		memcpy(m->keyframes, motion->keyframes, bytes);
	return m;
}

static void *copy_placement(const spate_motion *motion, const double origin[3])
{
	placement *at = mem_alloc(sizeof *at);
	if (at)
		*at = motion_placement(motion, origin, 0.0);
	return at;
}

spate_result pose_source_of_motion(pose_source *source, const spate_motion *motion, const double origin[3],
				   spate_error *error)
{
	int moves = motion_moves(motion);
	*source = (pose_source){.type = moves ? &pose_keyframes : &pose_fixed,
				.self = (moves ? copy_motion : copy_placement)(motion, origin),
				.moves = moves};
	for (int k = 0; k < 3; k++)
		source->centre[k] = motion->pivot[k] - origin[k];
	return source->self ? SPATE_OK : error_memory(error, sizeof(motion_source));
}
