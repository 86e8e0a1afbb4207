// Estimates the size and duration of a run. The liquid's motion is guessed from how far and when it can fall; the cost follows from the
// functions that choose substeps and rounds of smoothing.
#include "base/memory.h"
#include "scene/measure.h"
#include "scene/solids.h"
#include "scene/starts.h"
#include "source/formula.h"
#include "spate/scene.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum
{
	TIMES = 64,          // samples of the run
	MOST_POINTS = 20000, // points of a fill to sample
	FORM_DETAILS = 32,   // of a mesh to fill, along its longest side
	MOST_PAIRED = 1000,  // fills to compare with each other
	MOST_FALL_STEPS = 200
};

// ns per particle on one thread of the machine of docs/check.md: fixed cost of a substep, an iteration, and a round of smoothing.
static const double step_ns = 300.0, iteration_ns = 46.0, round_ns = 45.0;
// Fraction of the iterations above the minimum that liquid takes when at rest, flowing, and falling.
static const double resting_share = 1.0, flowing_share = 0.4, falling_share = 0.1;
// Steps of an implicit viscosity solve: implicit_factor times the square root of the rounds it replaces, at most implicit_most.
static const double implicit_factor = 5.0, implicit_most = 65.0;
// Parallel efficiency on more than one core.
static const double core_share = 0.9;

// ----------------------------------------------------------------------------------------------------------- one source

// How the liquid of a source will move. Heights are along gravity, m.
typedef struct flow
{
	const spate_source_def *source;
	double bottom, middle, top; // heights when it appears
	double floor;               // height of the solid or liquid below it
	double speed;               // m/s, initial
	const fill_form *form;      // of a fill; NULL when out of memory or if its mesh was not read
	double particles;           // of a fill, without colliders
	double kept;                // fraction of its particles that is outside colliders
	int free, carried;          // it can flow away; it lies on something
	int into_liquid;            // it falls on liquid, not on a wall
} flow;

typedef struct looker
{
	const spate_scene *scene;
	const solids *around;
	const world_span *span;
	const flow *of;
	fill_form *const *forms; // by source
	double up[3], spacing;
	int free, carried, into_liquid;
} looker;

static double length_of(const double v[3])
{
	return hypot(hypot(v[0], v[1]), v[2]);
}

static float distance_at(const looker *l, const double p[3])
{
	const double *o = l->span->origin;
	return collider_set_distance(&l->around->set,
				     vec3_make((float)(p[0] - o[0]), (float)(p[1] - o[1]), (float)(p[2] - o[2])));
}

static int is_filled(const looker *l, const double p[3])
{
	const spate_world_def *world = &l->scene->world;
	const double *o = l->span->origin;
	for (uint32_t s = 0; s < world->source_count; s++)
	{
		const spate_source_def *other = &world->sources[s];
		if (!l->forms[s] || other->start != l->of->source->start)
			continue;
		vec3 q = vec3_make((float)(p[0] - o[0]), (float)(p[1] - o[1]), (float)(p[2] - o[2]));
		if (fill_form_distance(l->forms[s], q) < 0.25f * (float)l->spacing)
			return 1;
	}
	return 0;
}

// Finds what is below and beside a particle: a wall, more liquid, or nothing.
static int look_around(void *context, int64_t number, const double place[3])
{
	looker *l = context;
	double across[2][3], beside[3];
	(void)number;
	vec3_across(l->up, across[0], across[1]);
	for (int way = 0; way < 5; way++)
	{
		for (int k = 0; k < 3; k++)
			beside[k] = place[k] +
				    l->spacing * (way == 4 ? -l->up[k] : across[way / 2][k] * (way % 2 ? 1.0 : -1.0));
		int solid = (double)distance_at(l, beside) < 0.49 * l->spacing;
		l->carried |= solid && way == 4;
		l->free |= !solid && !is_filled(l, beside);
	}
	return !(l->free && l->carried);
}

// Distance down to the nearest other fill with the same start time (m).
static double liquid_below(const looker *l, const double p[3])
{
	const spate_world_def *world = &l->scene->world;
	const double *o = l->span->origin;
	double nearest = INFINITY;
	for (uint32_t s = 0; s < world->source_count; s++)
	{
		const spate_source_def *other = &world->sources[s];
		double low[3], high[3], lowest = 0.0;
		if (other == l->of->source || !l->forms[s] || other->start > l->of->source->start)
			continue;
		shape_bounds(&other->shape, low, high);
		for (int k = 0; k < 3; k++)
			lowest += fmin(low[k] * l->up[k], high[k] * l->up[k]);
		vec3 q = vec3_make((float)(p[0] - o[0]), (float)(p[1] - o[1]), (float)(p[2] - o[2]));
		if (lowest < l->of->bottom)
			nearest = fmin(nearest, (double)fill_form_distance(l->forms[s], q));
	}
	return nearest;
}

// What solids and earlier fills leave of the cells around a fill's sites.
typedef struct leaver
{
	const looker *looker;
	uint32_t source;
	double all, kept;
} leaver;

static double share_of(double distance, double spacing)
{
	return fmin(1.0, fmax(0.0, 0.5 + distance / spacing));
}

static int count_kept(void *context, int64_t number, const double place[3])
{
	leaver *c = context;
	const looker *l = c->looker;
	const spate_world_def *world = &l->scene->world;
	const double *o = l->span->origin;
	vec3 q = vec3_make((float)(place[0] - o[0]), (float)(place[1] - o[1]), (float)(place[2] - o[2]));
	double own = share_of(-(double)fill_form_distance(l->forms[c->source], q), l->spacing),
	       share = fmin(own, share_of((double)distance_at(l, place), l->spacing));
	(void)number;
	for (uint32_t s = 0; s < c->source && s < MOST_PAIRED; s++)
		if (l->forms[s] && world->sources[s].start == world->sources[c->source].start)
			share = fmin(share, share_of((double)fill_form_distance(l->forms[s], q), l->spacing));
	c->all += own;
	c->kept += share;
	return 1;
}

// Fraction of a fill that is neither in colliders nor in earlier fills, from a sample of its sites.
static double kept_by(const looker *l, uint32_t source, int64_t stride)
{
	const collider_set nothing = {.count = 0};
	leaver c = {.looker = l, .source = source};
	fill_each(l->forms[source], &nothing, stride, count_kept, &c);
	return c.all > 0.0 ? c.kept / c.all : 1.0;
}

// Distance (m) from a point to where a sink takes all that comes; INFINITY without such.
static double sink_near(const looker *l, const double p[3])
{
	const spate_world_def *world = &l->scene->world;
	const double *o = l->span->origin;
	double nearest = INFINITY;
	for (uint32_t s = 0; s < world->sink_count; s++)
	{
		const spate_sink_def *sink = &world->sinks[s];
		int some = sink->age > 0.0 || sink->speed > 0.0 || sink->flow > 0.0 || sink->isolation > 0;
		if (some || sink->outside == SPATE_SINK_EVERYWHERE || sink->shape.type > SPATE_SHAPE_CYLINDER ||
		    shape_is_turned(&sink->shape))
			continue;
		solid_shape shape = shape_make(&sink->shape, o);
		vec3 q = vec3_make((float)(p[0] - o[0]), (float)(p[1] - o[1]), (float)(p[2] - o[2]));
		double distance = (double)shape_distance(&shape, q);
		nearest = fmin(nearest, sink->outside == SPATE_SINK_OUTSIDE ? -distance : distance);
	}
	return nearest;
}

// How far liquid can fall from a point until it is below a mesh: where it is solid is not known. 0 if there is no mesh below.
static double fall_past_meshes(const looker *l, const double from[3])
{
	double furthest = 0.0;
	for (uint32_t c = 0; c < l->scene->world.collider_count; c++)
	{
		const spate_mesh_report *r = spate_scene_mesh_report(l->scene, c);
		double enter = 0.0, leave = r ? INFINITY : 0.0;
		for (int k = 0; k < 3 && r; k++)
		{
			double a = (from[k] - r->low[k]) / l->up[k], b = (from[k] - r->high[k]) / l->up[k];
			int across = fabs(l->up[k]) < 1e-12;
			if (across && !(from[k] > r->low[k] && from[k] < r->high[k]))
				leave = 0.0;
			enter = across ? enter : fmax(enter, fmin(a, b));
			leave = across ? leave : fmin(leave, fmax(a, b));
		}
		furthest = fmax(furthest, leave > enter && leave < INFINITY ? leave : 0.0);
	}
	return furthest;
}

// Distance down from a point to a solid, to other liquid or to a sink, at most `most` (m).
static double fall_from(looker *l, const double from[3], double most)
{
	double fallen = 0.0;
	for (int i = 0; i < MOST_FALL_STEPS && fallen < most; i++)
	{
		double p[3];
		for (int k = 0; k < 3; k++)
			p[k] = from[k] - fallen * l->up[k];
		double solid = (double)distance_at(l, p), liquid = liquid_below(l, p),
		       room = fmin(fmin(solid, liquid), sink_near(l, p));
		l->into_liquid = liquid < solid;
		if (room < 0.25 * l->spacing)
			break;
		fallen += room;
	}
	double past = fallen < most ? 0.0 : fall_past_meshes(l, from);
	return fmin(past > 0.0 ? past : fallen, most);
}

static double fill_speed(const spate_source_def *source)
{
	double low[3], high[3], fastest = 0.0;
	source_formulas formulas;
	shape_bounds(&source->shape, low, high);
	if (formulas_make(&formulas, source->velocity_formulas, 3, "velocity", NULL) != SPATE_OK)
		formulas_free(&formulas);
	for (unsigned corner = 0; corner < 8; corner++)
	{
		double p[3], v[3];
		for (unsigned k = 0; k < 3; k++)
			p[k] = corner >> k & 1 ? high[k] : low[k];
		double middle[3] = {0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2])};
		fill_velocity(source, middle, p, v);
		static const float here[3];
		double more[3];
		if (formulas.count > 0 &&
		    formulas_evaluate(&formulas, here, 3, 1, p, source->start, "velocity", more, NULL) == SPATE_OK)
			for (int k = 0; k < 3; k++)
				v[k] += more[k];
		fastest = fmax(fastest, length_of(v));
	}
	formulas_free(&formulas);
	return fastest;
}

// Particles of a file: liquid on its way, or at rest on what carries it.
static flow look_at_start(const looker *l, uint32_t number)
{
	const scene_start *start = starts_find(l->scene, number);
	flow f = {.source = &l->scene->world.sources[number], .free = 1, .carried = 1, .kept = 1.0};
	if (!start)
		return f;
	double half = 0.0;
	for (int k = 0; k < 3; k++)
	{
		f.middle += 0.5 * (start->low[k] + start->high[k]) * l->up[k];
		half += 0.5 * (start->high[k] - start->low[k]) * fabs(l->up[k]);
	}
	f.floor = f.bottom = f.middle - half;
	f.top = f.middle + half;
	f.speed = start->fastest;
	f.particles = start->total;
	return f;
}

static flow look_at(looker *l, uint32_t number, double most)
{
	const spate_world_def *world = &l->scene->world;
	const spate_source_def *source = &world->sources[number];
	flow f = {.source = source, .form = l->forms[number], .free = 1, .kept = 1.0};
	int fill = source->type == SPATE_SOURCE_FILL;
	double low[3], high[3], centre[3], half = 0.0;
	if (source->type == SPATE_SOURCE_EMITTER || !shape_bounds(&source->shape, low, high))
	{
		memcpy(low, source->position, sizeof low);
		memcpy(high, source->position, sizeof high);
	}
	for (int k = 0; k < 3; k++)
	{
		centre[k] = 0.5 * (low[k] + high[k]);
		half += 0.5 * (high[k] - low[k]) * fabs(l->up[k]);
		f.middle += centre[k] * l->up[k];
	}
	f.bottom = f.middle - half;
	f.top = f.middle + half;
	f.speed = fill ? fill_speed(source) : emitter_fastest(source, world->fluids[source->fluid].spacing);
	l->of = &f;
	l->spacing = world->fluids[source->fluid].spacing;
	f.floor = fmin(f.bottom, f.middle - fall_from(l, centre, most));
	f.into_liquid = l->into_liquid;
	f.particles = fill ? source_particles(source, &world->fluids[source->fluid], source->start) : 0.0;
	int64_t stride = (int64_t)fmax(1.0, ceil(cbrt(f.particles / MOST_POINTS)));
	if (f.form)
		f.kept = kept_by(l, number, stride);
	if (f.form && length_of(l->up) > 0.0)
	{
		l->free = l->carried = 0;
		fill_each(f.form, &l->around->set, stride, look_around, l);
		f.free = l->free;
		f.carried = l->carried;
	}
	return f;
}

// Time (s) from which a fill calms down: it sloshes for about three times the duration of its fall, then slows down over a similar
// time.
static double calm_after(const flow *f, double gravity)
{
	double fall = gravity > 0.0 ? sqrt(2.0 * fmax(0.0, f->top - f->floor) / gravity) : 0.0;
	return f->free && f->source->type == SPATE_SOURCE_FILL && fall > 0.0 ? f->source->start + 3.0 * fall : INFINITY;
}

// Time at which the liquid at a height of a falling fill reaches the floor (s); 0 for a fill that lies on something.
static double landing(const flow *f, double gravity, double height)
{
	double fall = fmax(0.0, height - f->floor), v = f->speed;
	if (f->carried)
		return 0.0;
	if (f->source->type != SPATE_SOURCE_FILL || !(gravity > 0.0))
		return INFINITY;
	return f->source->start + (sqrt(v * v + 2.0 * gravity * fall) - v) / gravity;
}

// Speed of the liquid (m/s) at a time: free fall, down to the floor.
static double speed_at(const flow *f, double gravity, double time)
{
	double since = time - f->source->start, calm = calm_after(f, gravity);
	if (since < 0.0)
		return 0.0;
	double most = sqrt(f->speed * f->speed + 2.0 * gravity * fmax(0.0, f->top - f->floor));
	double speed = f->free ? fmin(f->speed + gravity * since, most) : f->speed;
	// a wall only deflects it; liquid halves its speed
	if (f->into_liquid && !f->carried && time > landing(f, gravity, f->top))
		speed *= 0.5;
	return time > calm ? speed * exp(3.0 * (calm - time) / (calm - f->source->start)) : speed;
}

// Fraction of the iterations that it needs; `calm` when all liquid has come to rest. Without gravity, surface tension compresses the
// liquid all the time, as its weight does in a tank.
static double share_at(const flow *f, double gravity, double time, int calm)
{
	if (!(gravity > 0.0))
		return resting_share;
	return time < landing(f, gravity, f->bottom) ? falling_share : calm ? resting_share : flowing_share;
}

// ------------------------------------------------------------------------------------------------------------ the whole

typedef struct estimator
{
	const spate_scene *scene;    // with the means of what changes
	const spate_scene *changing; // as it is
	solids around;
	world_span span;
	material extremes;
	const solver_type *type;
	void *solver;
	force_set forces;
	float *radii; // m, of each fluid
	flow *flows;
	fill_form **forms;         // by source; NULL for emitters
	double gravity;            // m/s^2, bound of the forces
	double age;                // s, at which sinks remove all particles; INFINITY for never
	spate_solver_def settings; // of the scene, with all defaults
} estimator;

// The shapes of the fills, as coarse as the sampling allows. Without one, a fill counts as in the air.
static void make_forms(estimator *e)
{
	const spate_world_def *world = &e->scene->world;
	collider_world here = solids_world(world, &e->span);
	for (uint32_t s = 0; s < world->source_count; s++)
	{
		const spate_source_def *source = &world->sources[s];
		double low[3], high[3], size = 0.0;
		if (source->type != SPATE_SOURCE_FILL || source->fluid >= world->fluid_count || source->from ||
		    shape_is_unread(&source->shape) || !shape_bounds(&source->shape, low, high))
			continue;
		for (int k = 0; k < 3; k++)
			size = fmax(size, high[k] - low[k]);
		double spacing = world->fluids[source->fluid].spacing, detail = fmax(spacing, size / FORM_DETAILS);
		// it stays NULL on failure
		fill_form_create(&e->forms[s], source, spacing, detail, &here, NULL);
	}
}

// Whether a sink removes everything of some age, and nothing else.
static int is_by_age(const spate_sink_def *sink)
{
	return sink->outside == SPATE_SINK_EVERYWHERE && sink->age > 0.0 && !(sink->speed > 0.0) && !(sink->flow > 0.0);
}

static int estimator_init(estimator *e, const spate_scene *scene, const spate_scene *changing)
{
	const spate_world_def *world = &scene->world;
	*e = (estimator){.scene = scene,
			 .changing = changing,
			 .span = world_span_of(world),
			 .type = solver_table(world->solver.type)};
	e->settings = world->solver;
	solver_fill_settings(e->type, &e->settings);
	force_set_make(&e->forces, world, NULL, NULL, 0, 0.0);
	e->gravity = e->forces.most;
	e->age = INFINITY;
	for (uint32_t s = 0; s < world->sink_count; s++)
		if (is_by_age(&world->sinks[s]))
			e->age = fmin(e->age, world->sinks[s].age);
	e->radii = mem_calloc(world->fluid_count + 1, sizeof *e->radii);
	e->flows = mem_calloc(world->source_count + 1, sizeof *e->flows);
	e->forms = mem_calloc(world->source_count + 1, sizeof *e->forms);
	if (!e->radii || !e->flows || !e->forms || !solids_make(&e->around, scene, &e->span, 1) ||
	    (e->type->create && e->type->create(&e->solver, NULL) != SPATE_OK))
		return 0;
	for (material_id id = 0; id < MATERIAL_COUNT; id++)
	{
		e->extremes.low[id] = INFINITY;
		e->extremes.high[id] = -1.0;
		for (uint32_t s = 0; s < world->source_count; s++)
			material_include(&e->extremes, id, material_of_source(&world->sources[s], id));
	}
	for (uint32_t f = 0; f < world->fluid_count; f++)
		e->radii[f] = (float)(e->type->radius * world->fluids[f].spacing);
	make_forms(e);
	looker l = {.scene = scene, .around = &e->around, .span = &e->span, .forms = e->forms};
	memcpy(l.up, e->forces.up, sizeof l.up);
	double end = scene->frames / world->fps;
	for (uint32_t s = 0; s < world->source_count; s++)
		if (world->sources[s].from)
			e->flows[s] = look_at_start(&l, s);
		else if (world->sources[s].fluid < world->fluid_count)
			e->flows[s] = look_at(&l, s, 0.5 * e->gravity * end * end);
	return 1;
}

static void estimator_free(estimator *e)
{
	solids_free(&e->around);
	if (e->solver && e->type->destroy)
		e->type->destroy(e->solver);
	for (uint32_t s = 0; e->forms && s < e->scene->world.source_count; s++)
		fill_form_destroy(e->forms[s]);
	mem_free(e->radii);
	mem_free(e->flows);
	mem_free(e->forms);
}

// The liquid at a time.
typedef struct moment
{
	step_state state;
	double particles;
	double share; // fraction of the iterations that is used
} moment;

// What a source has made until a time.
static double made_until(const estimator *e, uint32_t source, double time)
{
	const flow *f = &e->flows[source];
	if (f->source->type == SPATE_SOURCE_FILL)
		return time < f->source->start ? 0.0 : f->kept * f->particles;
	spate_source_def mean = *f->source;
	tracks_mean(e->changing, source, time, &mean);
	return f->kept * source_particles(&mean, &e->scene->world.fluids[mean.fluid], time);
}

static double particles_at(const estimator *e, uint32_t source, double time)
{
	return made_until(e, source, time) - made_until(e, source, time - e->age);
}

static moment moment_at(const estimator *e, double time)
{
	const spate_world_def *world = &e->scene->world;
	moment m = {.state.time = time};
	double height = 0.0, lowest = INFINITY;
	int calm = 1;
	for (uint32_t s = 0; s < world->source_count; s++)
		calm &= !e->flows[s].free || time > calm_after(&e->flows[s], e->gravity);
	for (uint32_t s = 0; s < world->source_count; s++)
	{
		const flow *f = &e->flows[s];
		double count = particles_at(e, s, time);
		if (!(count > 0.0))
			continue;
		int emitter = f->source->type != SPATE_SOURCE_FILL;
		double bottom = emitter ? f->floor : f->bottom,
		       middle = emitter ? 0.5 * (f->top + f->floor) : f->middle;
		m.particles += count;
		m.share += count * share_at(f, e->gravity, time, calm);
		// once spread out, it is about half as deep
		if (time > calm_after(f, e->gravity))
			middle = 0.5 * (middle + bottom);
		height += count * middle;
		lowest = fmin(lowest, bottom);
		m.state.bulk_speed = fmax(m.state.bulk_speed, speed_at(f, e->gravity, time));
	}
	if (m.particles > 0.0)
	{
		m.share /= m.particles;
		m.state.depth = 2.0 * (height / m.particles - lowest);
	}
	m.state.speed_max = m.state.bulk_speed;
	double until = time + 1.0 / (16.0 * world->fps);
	m.state.outer_speed = collider_set_speed(&e->around.set, time, until);
	return m;
}

// A substep of dt as far as the definition describes it.
static step_view view_of(const estimator *e, double dt)
{
	const spate_world_def *world = &e->scene->world;
	return (step_view){.settings = &e->settings,
			   .fluids = world->fluids,
			   .fluid_count = world->fluid_count,
			   .interfaces = world->interfaces,
			   .interface_count = world->interface_count,
			   .radii = e->radii,
			   .forces = &e->forces,
			   .calms = e->type->calms,
			   .tension = e->type->tension,
			   .shear = e->type->shear,
			   .contrast = e->type->contrast,
			   .material = &e->extremes,
			   .dt = (float)dt};
}

static double substeps_at(const estimator *e, const moment *m)
{
	const spate_world_def *world = &e->scene->world;
	if (world->solver.substeps > 0)
		return world->solver.substeps;
	step_view view = view_of(e, 0.0);
	double longest = e->type->longest_step(e->solver, &view, &m->state);
	return fmin(fmax(1.0, ceil(1.0 / (world->fps * longest))), world->solver.max_substeps);
}

// Rounds of smoothing of one substep. The steps of conjugate gradients grow with the square root of the condition number.
static double smoothing_of(const solver_cost *cost)
{
	return cost->implicit ? fmin(implicit_most, implicit_factor * sqrt(cost->rounds)) : cost->rounds;
}

static void estimate_time(const estimator *e, spate_estimate *out)
{
	const spate_scene *scene = e->scene;
	double end = scene->frames / scene->world.fps, frames = (double)scene->frames / TIMES, smoothing = 0.0;
	for (int i = 0; i < TIMES; i++)
	{
		moment m = moment_at(e, end * (i + 0.5) / TIMES);
		double substeps = substeps_at(e, &m), work = m.particles * substeps * frames;
		step_view view = view_of(e, 1.0 / (scene->world.fps * substeps));
		solver_cost cost = e->type->cost(e->solver, &view, m.share);
		out->substeps += substeps / TIMES;
		out->particle_substeps += work;
		out->particle_iterations += work * cost.iterations;
		smoothing += work * smoothing_of(&cost);
	}
	if (out->particle_substeps > 0.0)
	{
		out->iterations = out->particle_iterations / out->particle_substeps;
		out->smoothing = smoothing / out->particle_substeps;
	}
	out->cpu_seconds =
	    1e-9 * (out->particle_substeps * step_ns + out->particle_iterations * iteration_ns + smoothing * round_ns);
	double cores = (double)sysconf(_SC_NPROCESSORS_ONLN);
	out->seconds = out->cpu_seconds / (cores > 1.0 ? core_share * cores : 1.0);
}

static double all_at(const estimator *e, double time)
{
	double particles = 0.0;
	for (uint32_t s = 0; s < e->scene->world.source_count; s++)
		if (e->scene->world.sources[s].fluid < e->scene->world.fluid_count)
			particles += particles_at(e, s, time);
	return particles;
}

// The number of particles over time. It is largest at the end, when an emitter stops, or just before a fill gets too old.
static void estimate_count(const estimator *e, spate_estimate *out)
{
	const spate_world_def *world = &e->scene->world;
	double end = e->scene->frames / world->fps;
	for (int i = 0; i < SPATE_ESTIMATE_TIMES; i++)
	{
		out->times[i] = end * i / (SPATE_ESTIMATE_TIMES - 1);
		out->alive[i] = all_at(e, out->times[i]);
		out->most = fmax(out->most, out->alive[i]);
	}
	for (uint32_t s = 0; s < world->source_count; s++)
	{
		const spate_source_def *source = &world->sources[s];
		double old = (source->start + e->age) * (1.0 - 1e-9), times[] = {source->start, source->stop, old};
		for (size_t i = 0; i < sizeof times / sizeof *times; i++)
			if (times[i] >= 0.0 && times[i] < end)
				out->most = fmax(out->most, all_at(e, times[i]));
	}
	for (uint32_t s = 0; s < world->sink_count; s++)
		out->open_sinks += !is_by_age(&world->sinks[s]);
}

static double particles_of(const estimator *e, uint32_t fluid)
{
	const spate_world_def *world = &e->scene->world;
	double particles = 0.0, end = e->scene->frames / world->fps;
	for (uint32_t s = 0; s < world->source_count; s++)
		if (world->sources[s].from && world->sources[s].start <= end)
			particles += starts_particles(e->scene, s, fluid);
		else if (world->sources[s].fluid == fluid && fluid < world->fluid_count)
			particles += particles_at(e, s, end);
	return particles;
}

double spate_scene_estimate_fluid(const spate_scene *scene, uint32_t fluid)
{
	estimator e;
	spate_scene typical = tracks_typical(scene);
	double particles =
	    estimator_init(&e, &typical, scene) ? particles_of(&e, fluid) : scene_particles(&typical, fluid);
	estimator_free(&e);
	tracks_free_typical(scene, &typical);
	return particles;
}

void spate_scene_estimate(const spate_scene *scene, spate_estimate *estimate)
{
	*estimate = (spate_estimate){0};
	estimator e;
	spate_scene typical = tracks_typical(scene);
	// out of memory: the estimated time stays 0
	int made = estimator_init(&e, &typical, scene);
	for (uint32_t f = 0; f < scene->world.fluid_count; f++)
		estimate->particles += made ? particles_of(&e, f) : scene_particles(&typical, f);
	estimate->most = estimate->particles;
	if (made)
	{
		estimate_count(&e, estimate);
		estimate_time(&e, estimate);
	}
	estimate->bytes = estimate->most * SPATE_ESTIMATE_BYTES;
	estimator_free(&e);
	tracks_free_typical(scene, &typical);
}
