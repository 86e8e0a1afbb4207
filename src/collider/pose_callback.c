// Poses that the host gives. The pose at the beginning of a substep is the one given for the end of the substep before, so a host that
// only knows the present can steer a collider without tearing its path.
#include "base/error.h"
#include "base/memory.h"
#include "collider/pose.h"

#include <string.h>

// Accuracy of times: of a substep, and of the time itself, since times of frames are rounded.
#define SAME_TIME 1e-6
#define ROUNDING 1e-12

typedef struct given_poses
{
	spate_pose_callback *callback;
	void *context;
	char *name; // NULL for none
	double origin[3];
	// state
	int known;   // there is a last pose
	double time; // s
	spate_pose last;
} given_poses;

// Asks the host; 0 if it has no pose, or none that a collider can take.
static int ask(const given_poses *g, double time, spate_pose *pose)
{
	*pose = g->known ? g->last : spate_default_pose();
	return g->callback(g->context, time, pose) && pose_is_valid(pose);
}

static spate_result complain(const given_poses *g, double time, spate_error *error)
{
	return error_set(
	    error, SPATE_INVALID,
	    "the pose callback of %s%s%s gave no pose for time %g s: it must return 1 and a finite position, a "
	    "rotation that is not zero and a scale above 0",
	    g->name ? "collider '" : "a collider", g->name ? g->name : "", g->name ? "'" : "", time);
}

static spate_result place(void *self, double begin, double end, placement *before, placement *now, spate_error *error)
{
	given_poses *g = self;
	spate_pose first, last;
	if (g->known && fabs(g->time - begin) <= SAME_TIME * (end - begin) + ROUNDING * fabs(begin))
		first = g->last;
	else if (!ask(g, begin, &first))
		return complain(g, begin, error);
	if (end == begin)
		last = first;
	else if (!ask(g, end, &last))
		return complain(g, end, error);
	*before = placement_of_pose(&first, g->origin);
	*now = placement_of_pose(&last, g->origin);
	g->known = 1;
	g->time = end;
	g->last = last;
	return SPATE_OK;
}

static vec3 corner_of(const pose_extent *e, int corner)
{
	vec3 low = {fminf(e->a.x, e->b.x) - e->grow, fminf(e->a.y, e->b.y) - e->grow, fminf(e->a.z, e->b.z) - e->grow};
	vec3 high = {fmaxf(e->a.x, e->b.x) + e->grow, fmaxf(e->a.y, e->b.y) + e->grow, fmaxf(e->a.z, e->b.z) + e->grow};
	return vec3_make(corner & 1 ? high.x : low.x, corner & 2 ? high.y : low.y, corner & 4 ? high.z : low.z);
}

// By the displacement of the extent's corners. A pose that cannot be had is reported by place().
static double speed(const void *self, const pose_extent *extent, double begin, double end)
{
	const given_poses *g = self;
	spate_pose first = g->last, last;
	if (!(end > begin) || (!g->known && !ask(g, begin, &first)) || !ask(g, end, &last))
		return 0.0;
	placement from = placement_of_pose(&first, g->origin), to = placement_of_pose(&last, g->origin);
	rigid before = placement_rigid(&from), now = placement_rigid(&to);
	double furthest = 0.0;
	for (int corner = 0; corner < 8; corner++)
	{
		vec3 p = corner_of(extent, corner);
		vec3 way = vec3_sub(rigid_to_world(&now, p), rigid_to_world(&before, p));
		furthest = fmax(furthest, (double)vec3_length(way));
	}
	return furthest / (end - begin);
}

static void save(const void *self, double *state)
{
	const given_poses *g = self;
	state[0] = g->known;
	state[1] = g->time;
	memcpy(state + 2, g->last.position, sizeof g->last.position);
	memcpy(state + 5, g->last.rotation, sizeof g->last.rotation);
	state[9] = g->last.scale;
}

static int load(void *self, const double *state)
{
	given_poses *g = self;
	spate_pose last = {.scale = state[9]};
	memcpy(last.position, state + 2, sizeof last.position);
	memcpy(last.rotation, state + 5, sizeof last.rotation);
	if (state[0] != 0.0 && (state[0] != 1.0 || !isfinite(state[1]) || !pose_is_valid(&last)))
		return 0;
	g->known = state[0] != 0.0;
	g->time = state[1];
	g->last = last;
	return 1;
}

static void destroy(void *self)
{
	given_poses *g = self;
	if (g)
		mem_free(g->name);
	mem_free(g);
}

const pose_type pose_callback = {.name = "callback",
				 .place = place,
				 .speed = speed,
				 .state_count = 10,
				 .save = save,
				 .load = load,
				 .destroy = destroy};

spate_result pose_source_of_callback(pose_source *source, spate_pose_callback *callback, void *context,
				     const char *name, const double origin[3], spate_error *error)
{
	given_poses *g = mem_calloc(1, sizeof *g);
	if (!g || (name && !(g->name = mem_strdup(name))))
	{
		mem_free(g);
		return error_memory(error, sizeof *g);
	}
	g->callback = callback;
	g->context = context;
	memcpy(g->origin, origin, sizeof g->origin);
	// moments are about the pose's position
	*source = (pose_source){
	    .type = &pose_callback, .self = g, .moves = 1, .centre = {-origin[0], -origin[1], -origin[2]}};
	return SPATE_OK;
}
