// Checks of sources among colliders: liquid that has no room, overlaps other liquid, is lost at once or falls forever. Meshes are
// left out, because only their distance fields know where they are solid.
#include "base/memory.h"
#include "scene/buffer.h"
#include "scene/check.h"
#include "scene/measure.h"
#include "scene/read.h"
#include "scene/solids.h"
#include "source/birth.h"
#include "source/source.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum
{
	MOST_POINTS = 1000000, // sites of a fill's lattice to test where a sample will do
	MOST_PAIRED = 1000,    // fills to compare with each other
	TIMES = 16             // times at which an emitter among moving colliders is tested
};

// ---------------------------------------------------------------------------------------------------------------- room

static int stop_at_first(void *context, int64_t number, const double point[3])
{
	(void)context;
	(void)number;
	(void)point;
	return 0;
}

// Step between the sampled points along an axis, such that a walk over the lattice takes little time.
static int64_t stride_of(const fill_form *form)
{
	double points = (double)form->cells[0] * (double)form->cells[1] * (double)form->cells[2];
	return (int64_t)fmax(1.0, ceil(cbrt(points / MOST_POINTS)));
}

static int fill_is_free(const fill_form *form, const collider_set *set)
{
	int64_t stride = stride_of(form);
	return !fill_each(form, set, stride, stop_at_first, NULL) ||
	       (stride > 1 && !fill_each(form, set, 1, stop_at_first, NULL));
}

// A source and the shape of its fill or volume; NULL for others, and where a mesh is part of it.
typedef struct origin_of
{
	const spate_source_def *source;
	const fill_form *form;
} origin_of;

// Whether a source can create any particles; -1 when out of memory. An emitter may be blocked at first and free later.
static int is_free(const scene_reader *reader, origin_of from, const double origin[3], collider_set *set, int moving)
{
	const spate_world_def *world = &reader->scene->world;
	const spate_source_def *source = from.source;
	double spacing = world->fluids[source->fluid].spacing, end = reader->scene->frames / world->fps;
	if (source->stop >= 0.0)
		end = fmin(end, source->stop);
	int emitter = source->type == SPATE_SOURCE_EMITTER, found = 0;
	int times = source->type != SPATE_SOURCE_FILL && moving ? TIMES : 1;
	for (int i = 0; i < times && found == 0; i++)
	{
		double time = source->start + (end - source->start) * i / TIMES;
		collider_set_move(set, time, time, NULL);
		found = emitter ? emitter_is_free(source, spacing, origin, set) : fill_is_free(from.form, set);
	}
	return found;
}

// "colliders.2 ('rock')"
static void name_collider(char out[PATH_CHARS], const spate_world_def *world, uint32_t number)
{
	const char *name = world->colliders[number].name;
	snprintf(out, PATH_CHARS, name ? "colliders.%u ('%.60s')" : "colliders.%u", number, name);
}

static void warn_of_solids(scene_reader *reader, const node *at, const spate_source_def *source, uint32_t culprit)
{
	const spate_world_def *world = &reader->scene->world;
	int fill = source->type != SPATE_SOURCE_EMITTER, one = culprit < world->collider_count;
	const char *what = source->type == SPATE_SOURCE_VOLUME ? "volume" : "fill";
	char name[PATH_CHARS] = "";
	if (one)
		name_collider(name, world, culprit);
	int container = one && world->colliders[culprit].mode == SPATE_COLLIDER_INSIDE &&
			world->colliders[culprit].shape.type != SPATE_SHAPE_PLANE;
	place where = node_place(at, fill ? "shape" : "position");
	if (fill && one)
		read_warning(reader, where,
			     "the %s lies completely %s %s, so it makes no particles; move or resize one of them", what,
			     container ? "outside the container" : "inside", name);
	else if (fill)
		read_warning(reader, where,
			     "the colliders leave no room for the %s, so it makes no particles; move or resize it",
			     what);
	else if (one)
		read_warning(reader, where,
			     "the emitter opens %s %s, so its liquid is pushed away at once; move one of them",
			     container ? "outside the container" : "inside", name);
	else
		read_warning(reader, where,
			     "the emitter opens inside colliders, so its liquid is pushed away at once; move it");
}

// The collider that blocks a source, if it is a single one.
static uint32_t find_culprit(const scene_reader *reader, const solids *s, origin_of from, const world_span *span)
{
	const spate_world_def *world = &reader->scene->world;
	for (size_t c = 0; c < s->defs.count; c++)
	{
		collider_set alone;
		collider_world here = solids_world(world, span);
		if (collider_set_create(&alone, &s->defs.data[c], 1, &here, NULL) != SPATE_OK)
			break;
		int found = is_free(reader, from, span->origin, &alone, s->moving);
		collider_set_destroy(&alone);
		if (found == 0)
			return s->numbers.data[c];
	}
	return UINT32_MAX;
}

static void check_room(scene_reader *reader, const node *at, origin_of from, solids *s, const world_span *span)
{
	if (from.source->type != SPATE_SOURCE_EMITTER && !from.form)
		return;
	int found = is_free(reader, from, span->origin, &s->set, s->moving);
	reader->problems->failed |= found < 0;
	if (found == 0)
		warn_of_solids(reader, at, from.source, find_culprit(reader, s, from, span));
}

// Sites of a fill that are outside of a container.
typedef struct outsider
{
	const fill_form *form;
	const collider_set *tank;
	double all, outside;
} outsider;

static int count_outside(void *context, int64_t number, const double point[3])
{
	outsider *o = context;
	const double *origin = o->form->origin;
	vec3 p = vec3_make((float)(point[0] - origin[0]), (float)(point[1] - origin[1]), (float)(point[2] - origin[2]));
	(void)number;
	o->all += 1.0;
	o->outside += collider_set_distance(o->tank, p) < 0.0f;
	return 1;
}

// Whether a fill is longer than a container along some axis, by more than half a spacing.
static int is_longer(const fill_form *form, const spate_shape *tank)
{
	double low[3], high[3], tank_low[3], tank_high[3];
	int longer = 0;
	region_bounds(form->space, low, high);
	shape_bounds(tank, tank_low, tank_high);
	for (int k = 0; k < 3; k++)
	{
		double most = form->turned ? high[k] : fmin(high[k], form->high[k]);
		longer |= most - low[k] > tank_high[k] - tank_low[k] + 0.5 * form->spacing;
	}
	return longer;
}

// Warns of a fill that is larger than the container it is in.
static void check_tanks(scene_reader *reader, const node *at, const fill_form *form, const solids *s,
			const world_span *span)
{
	const collider_set nothing = {.count = 0};
	for (size_t c = 0; c < s->defs.count; c++)
	{
		const spate_collider_def *def = &s->defs.data[c];
		collider_set alone;
		collider_world here = solids_world(&reader->scene->world, span);
		if (def->mode != SPATE_COLLIDER_INSIDE || def->shape.type == SPATE_SHAPE_PLANE ||
		    !is_longer(form, &def->shape))
			continue;
		if (collider_set_create(&alone, def, 1, &here, NULL) != SPATE_OK)
			return;
		outsider o = {.form = form, .tank = &alone};
		fill_each(form, &nothing, stride_of(form), count_outside, &o);
		collider_set_destroy(&alone);
		char name[PATH_CHARS];
		name_collider(name, &reader->scene->world, s->numbers.data[c]);
		if (o.outside > 0.0 && o.outside < o.all)
		{
			read_warning(
			    reader, node_place(at, "shape"),
			    "the fill is larger than its tank: %.2g percent of it lie outside of %s and are left "
			    "out; make the fill smaller if that is not intended",
			    100.0 * o.outside / o.all, name);
			return;
		}
	}
}

// ------------------------------------------------------------------------------------------------------ speed and reach

typedef struct fastest
{
	const spate_source_def *source;
	const double *middle; // m
	double speed;         // m/s
	// formulas that are evaluated at all places, and what went wrong there
	const source_formulas *formulas;
	const char *what;
	int velocities; // the formulas give velocities, which are added
	spate_error why;
} fastest;

static int is_defined(fastest *f, const double point[3], double out[3])
{
	static const float here[3];
	return formulas_evaluate(f->formulas, here, 3, 1, point, f->source->start, f->what, out, &f->why) == SPATE_OK;
}

static int keep_fastest(void *context, int64_t number, const double point[3])
{
	fastest *f = context;
	double v[3], more[3] = {0};
	(void)number;
	if (f->formulas && !is_defined(f, point, more))
		return 0;
	fill_velocity(f->source, f->middle, point, v);
	for (int k = 0; k < 3 && f->velocities; k++)
		v[k] += more[k];
	f->speed = fmax(f->speed, hypot(hypot(v[0], v[1]), v[2]));
	return 1;
}

static void check_speed(scene_reader *reader, const node *at, origin_of from, const solids *s, const world_span *span)
{
	const spate_source_def *source = from.source;
	static const double nowhere[3];
	static const char *const fate[] = {[SPATE_RUNAWAY_REMOVE] = "are removed at once",
					   [SPATE_RUNAWAY_CLAMP] = "are slowed down to it",
					   [SPATE_RUNAWAY_STOP] = "end the run"};
	const spate_world_def *world = &reader->scene->world;
	const double *w = source->spin;
	int emitter = source->type == SPATE_SOURCE_EMITTER || source->type == SPATE_SOURCE_SURFACE;
	fastest f = {source, from.form ? from.form->middle : nowhere,
		     emitter ? emitter_fastest(source, world->fluids[source->fluid].spacing) : 0.0};
	source_formulas formulas = {0};
	if (!emitter && formulas_make(&formulas, source->velocity_formulas, 3, "velocity", NULL) != SPATE_OK)
		reader->problems->failed = 1;
	f.formulas = formulas.count > 0 ? &formulas : NULL;
	f.velocities = formulas.count > 0;
	f.what = "velocity";
	if (from.form && (w[0] != 0.0 || w[1] != 0.0 || w[2] != 0.0 || f.formulas))
		fill_each(from.form, &s->set, stride_of(from.form), keep_fastest, &f);
	else if (!emitter && !f.formulas)
		keep_fastest(&f, 0, f.middle);
	formulas_free(&formulas);
	if (f.why.text[0])
		read_error(reader, node_place(at, "velocity"), "%s", f.why.text);
	const char *key = emitter                    ? (node_get(at, "speed") ? "speed" : "flow")
			  : node_get(at, "velocity") ? "velocity"
						     : "spin";
	if (f.speed > span->speed_limit)
		read_warning(
		    reader, node_place(at, key),
		    "its particles start at %.4g m/s, above the speed limit of %.4g m/s, and %s; start them slower or raise "
		    "speed_limit",
		    f.speed, span->speed_limit, fate[world->runaway]);
}

// Finds formulas of channels that have no value where the source's particles come.
static void check_formulas(scene_reader *reader, origin_of from, const solids *s)
{
	static const double nowhere[3];
	const spate_world_def *world = &reader->scene->world;
	const node *channels = node_get(reader->root, "channels");
	for (uint32_t c = 0; channels && c < world->channel_count; c++)
	{
		const spate_channel_def *channel = &world->channels[c];
		const char *const *texts = birth_formulas(channel, from.source);
		const node *at = node_get(channels, channel->name), *sources = at ? node_get(at, "sources") : NULL;
		int own = sources && from.source->name && node_get(sources, from.source->name);
		source_formulas formulas;
		fastest f = {.source = from.source, .middle = nowhere, .formulas = &formulas, .what = "it"};
		if (!texts || !at)
			continue;
		if (formulas_make(&formulas, texts, channel->type == SPATE_CHANNEL_VECTOR ? 3 : 1, "it", NULL) !=
		    SPATE_OK)
			reader->problems->failed = 1;
		else if (from.form)
			fill_each(from.form, &s->set, stride_of(from.form), keep_fastest, &f);
		else if (from.source->type == SPATE_SOURCE_EMITTER)
			keep_fastest(&f, 0, from.source->position);
		formulas_free(&formulas);
		char path[PATH_CHARS];
		snprintf(path, sizeof path, "%s", reader->path);
		snprintf(reader->path, PATH_CHARS, "channels.%.63s", channel->name);
		if (f.why.text[0])
			read_error(reader, own ? node_place(sources, from.source->name) : node_place(at, "default"),
				   "%s", f.why.text);
		snprintf(reader->path, PATH_CHARS, "%s", path);
	}
}

static void source_bounds(const spate_source_def *source, double low[3], double high[3])
{
	if (source->type != SPATE_SOURCE_EMITTER)
		shape_bounds(&source->shape, low, high);
	else
		for (int k = 0; k < 3; k++)
			low[k] = high[k] = source->position[k];
}

// The neighbour search has a limited number of cells around the middle of the scene.
static void check_reach(scene_reader *reader, const node *at, const spate_source_def *source, const world_span *span)
{
	double low[3], high[3], away = 0.0;
	source_bounds(source, low, high);
	for (int k = 0; k < 3; k++)
		away = fmax(away, fmax(high[k] - span->origin[k], span->origin[k] - low[k]));
	if (away > (double)span->reach)
		read_warning(
		    reader, node_place(at, source->type == SPATE_SOURCE_EMITTER ? "position" : "shape"),
		    "it reaches %.6g m from the middle of the scene at [%g, %g, %g], and with this spacing particles are lost beyond "
		    "%.6g m; move the sources closer together, or simulate them in scenes of their own",
		    away, span->origin[0], span->origin[1], span->origin[2], (double)span->reach);
}

// ------------------------------------------------------------------------------------------------------------- overlaps

static int shapes_apart(const spate_shape *a, const spate_shape *b)
{
	double a_low[3], a_high[3], b_low[3], b_high[3];
	if (!shape_bounds(a, a_low, a_high) || !shape_bounds(b, b_low, b_high))
		return 0;
	for (int i = 0; i < 3; i++)
		if (a_high[i] <= b_low[i] || b_high[i] <= a_low[i])
			return 1;
	return 0;
}

static int same_shape(const spate_shape *a, const spate_shape *b)
{
	int same = a->type == b->type && a->radius == b->radius && a->part_count == 0;
	for (int k = 0; k < 3; k++)
		same = same && a->a[k] == b->a[k] && a->b[k] == b->b[k] && a->rotation[k] == b->rotation[k];
	return same;
}

typedef struct overlap
{
	const fill_form *form, *other;
	float depth;  // m, least depth of an overlap that counts
	double count; // overlapping particles
} overlap;

static int count_inside(void *context, int64_t number, const double point[3])
{
	overlap *o = context;
	const double *origin = o->form->origin;
	vec3 p = vec3_make((float)(point[0] - origin[0]), (float)(point[1] - origin[1]), (float)(point[2] - origin[2]));
	(void)number;
	o->count += fill_form_distance(o->other, p) < -o->depth;
	return 1;
}

// Finds a fill that overlaps an earlier one with the same start time.
static int check_overlap(scene_reader *reader, const node *at, uint32_t first, uint32_t second, fill_form *const *forms,
			 solids *s)
{
	const spate_world_def *world = &reader->scene->world;
	const spate_source_def *a = &world->sources[first], *b = &world->sources[second];
	if (!forms[first] || !forms[second] || a->type != SPATE_SOURCE_FILL || b->type != SPATE_SOURCE_FILL ||
	    a->start != b->start || shapes_apart(&a->shape, &b->shape))
		return 0;
	int64_t stride = stride_of(forms[second]);
	overlap o = {
	    .form = forms[second], .other = forms[first], .depth = (float)(0.5 * world->fluids[b->fluid].spacing)};
	collider_set_move(&s->set, b->start, b->start, NULL);
	fill_each(forms[second], &s->set, stride, count_inside, &o);
	char count[NUMBER_CHARS];
	if (o.count == 0.0)
		return 0;
	say_count(count, o.count * (double)(stride * stride * stride));
	if (same_shape(&a->shape, &b->shape))
		read_warning(reader, node_place(at, "shape"),
			     "the fill is the same as sources.%u, which leaves no room for it; remove one of them",
			     first);
	else
		read_warning(
		    reader, node_place(at, "shape"),
		    "about %s particles of the fill are left out, because they lie inside of sources.%u, which is "
		    "filled first; move the fills apart if that is not intended",
		    count, first);
	return 1;
}

// ------------------------------------------------------------------------------------------------------------ the whole

static int falls(const spate_world_def *world)
{
	const double *g = world->gravity;
	return g[0] != 0.0 || g[1] != 0.0 || g[2] != 0.0;
}

static void check_fall(scene_reader *reader)
{
	const spate_world_def *world = &reader->scene->world;
	const node *sources = node_get(reader->root, "sources");
	if (falls(world) && sources && world->source_count > 0 && world->collider_count == 0 && world->sink_count == 0)
		read_warning(
		    reader, sources->named_at,
		    "there is neither a collider nor a sink, so the liquid falls forever; add a floor, a sink or gravity: "
		    "[0, 0, 0]");
}

// Whether a sink takes what comes in a box as soon as it comes.
static int takes_all(const spate_sink_def *sink, const double low[3], const double high[3])
{
	static const double zero[3];
	int some = sink->age > 0.0 || sink->speed > 0.0 || sink->flow > 0.0 || sink->isolation > 0;
	if (some || sink->outside == SPATE_SINK_EVERYWHERE || sink->shape.type > SPATE_SHAPE_CYLINDER ||
	    shape_is_turned(&sink->shape))
		return 0;
	solid_shape shape = shape_make(&sink->shape, zero);
	for (unsigned corner = 0; corner < 8; corner++)
	{
		vec3 p = vec3_make((float)(corner & 1 ? high : low)[0], (float)(corner & 2 ? high : low)[1],
				   (float)(corner & 4 ? high : low)[2]);
		double distance = (double)shape_distance(&shape, p);
		if (sink->outside == SPATE_SINK_OUTSIDE ? distance <= 0.0 : distance >= 0.0)
			return 0;
	}
	// what is around a shape may have all corners of its box outside of it
	spate_shape box = {.type = SPATE_SHAPE_BOX};
	memcpy(box.a, low, sizeof box.a);
	memcpy(box.b, high, sizeof box.b);
	return sink->outside != SPATE_SINK_OUTSIDE || sink->shape.type == SPATE_SHAPE_PLANE ||
	       shapes_apart(&box, &sink->shape);
}

static void check_sinks(scene_reader *reader, const node *at, const spate_source_def *source)
{
	const spate_world_def *world = &reader->scene->world;
	int emitter = source->type == SPATE_SOURCE_EMITTER;
	double low[3], high[3];
	if (source->from || source->follow < world->collider_count || (!emitter && shape_is_unread(&source->shape)))
		return;
	source_bounds(source, low, high);
	for (uint32_t n = 0; n < world->sink_count; n++)
		if (takes_all(&world->sinks[n], low, high))
		{
			int plane = world->sinks[n].shape.type == SPATE_SHAPE_PLANE;
			read_warning(reader, node_place(at, emitter ? "position" : "shape"),
				     "sinks.%u takes all of its liquid as soon as it comes; %s", n,
				     plane ? "the normal of a plane points to what stays" : "move one of them");
			return;
		}
}

// The shapes of the fills and volumes that start before the end, as far as they are known without their meshes. 0 when out of memory.
static int make_forms(const scene_reader *reader, const world_span *span, fill_form **forms)
{
	const spate_world_def *world = &reader->scene->world;
	collider_world here = solids_world(world, span);
	for (uint32_t n = 0; n < world->source_count; n++)
	{
		const spate_source_def *source = &world->sources[n];
		if (source->type == SPATE_SOURCE_FILL && source->from)
			continue;
		double spacing = world->fluids[source->fluid].spacing;
		// what follows a collider is elsewhere by then
		int filled = source->type == SPATE_SOURCE_FILL ||
			     (source->type == SPATE_SOURCE_VOLUME && source->follow >= world->collider_count);
		if (filled && !shape_is_unread(&source->shape) &&
		    fill_form_create(&forms[n], source, spacing, spacing, &here, NULL) != SPATE_OK)
			return 0;
	}
	return 1;
}

static void check_sources(scene_reader *reader, const world_span *span, solids *s, fill_form *const *forms)
{
	const spate_world_def *world = &reader->scene->world;
	const node *sources = node_get(reader->root, "sources");
	for (uint32_t n = 0; n < world->source_count; n++)
	{
		const spate_source_def *source = &world->sources[n];
		const origin_of from = {source, forms[n]};
		const node *at = node_item(sources, n);
		if (source->start >= reader->scene->frames / world->fps)
			continue;
		snprintf(reader->path, PATH_CHARS, "sources.%u", n);
		if (!source->from)
			check_reach(reader, at, source, span);
		check_room(reader, at, from, s, span);
		check_sinks(reader, at, source);
		if (forms[n] && source->type == SPATE_SOURCE_FILL)
			check_tanks(reader, at, forms[n], s, span);
		check_speed(reader, at, from, s, span);
		check_formulas(reader, from, s);
		// one warning per fill is enough
		for (uint32_t before = 0; before < n && n < MOST_PAIRED; before++)
			if (check_overlap(reader, at, before, n, forms, s))
				break;
		reader->path[0] = '\0';
	}
}

void check_liquid(scene_reader *reader)
{
	const spate_world_def *world = &reader->scene->world;
	world_span span = world_span_of(world);
	solids s;
	fill_form **forms = mem_calloc(world->source_count + (size_t)1, sizeof *forms);
	int made = forms && make_forms(reader, &span, forms);
	made &= solids_make(&s, reader->scene, &span, 0);
	reader->problems->failed |= !made;
	if (made)
		check_sources(reader, &span, &s, forms);
	for (uint32_t n = 0; forms && n < world->source_count; n++)
		fill_form_destroy(forms[n]);
	mem_free(forms);
	solids_free(&s);
	check_fall(reader);
}
