// Validation of a world's definition. Every problem is reported as one sentence that names the offending item.
#include "base/error.h"
#include "force/region.h"
#include "mesh/sequence.h"
#include "world/fields.h"
#include "world/world.h"

#include <string.h>

// Upper limit of all numbers: single precision must hold them and their squares.
#define TOO_LARGE 1e15

// Range of spacings in which squared distances to the solver's far-away dummy particles do not overflow.
#define MIN_SPACING 1e-7
#define MAX_SPACING 1e6

// Limit of particle layers that an emitter creates in one frame.
#define MAX_LAYERS 1e5

// Limit of unions and differences within each other.
#define MAX_DEPTH 32

// Limit of texels along a side of a wet map.
#define MAX_TEXELS 16384

static int usable(const double *v, int count)
{
	for (int k = 0; k < count; k++)
		if (!(fabs(v[k]) <= TOO_LARGE))
			return 0;
	return 1;
}

static int is_zero(const double v[3])
{
	return v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0;
}

// Problem of a shape that colliders may have; fills may have no planes.
static const char *shape_problem(const spate_shape *s, int planes)
{
	if ((unsigned)s->type > SPATE_SHAPE_CYLINDER || (s->type == SPATE_SHAPE_PLANE && !planes))
		return "its shape type is not allowed here";
	if (!usable(s->a, 3) || !usable(s->b, 3) || !usable(&s->radius, 1) || !usable(s->rotation, 3))
		return "its shape has a number that is not finite or too large";
	int box = s->type == SPATE_SHAPE_BOX, ball = s->type == SPATE_SHAPE_SPHERE,
	    plane = s->type == SPATE_SHAPE_PLANE;
	if (box && !(s->a[0] < s->b[0] && s->a[1] < s->b[1] && s->a[2] < s->b[2]))
		return "its box has a maximum that is not above its minimum";
	if (!box && !plane && !(s->radius > 0.0))
		return "its radius is not positive";
	if (plane && is_zero(s->b))
		return "its normal is zero";
	if (!box && !ball && !plane && s->a[0] == s->b[0] && s->a[1] == s->b[1] && s->a[2] == s->b[2])
		return "its axis has zero length";
	return NULL;
}

// The same for colliders, which do not turn.
static const char *still_shape_problem(const spate_shape *s)
{
	const char *problem = shape_problem(s, 1);
	return !problem && shape_is_turned(s) ? "its shape is rotated; only those of sources and sinks can be"
					      : problem;
}

static const char *motion_problem(const spate_motion *m)
{
	if (m->keyframe_count > 0 && !m->keyframes)
		return "its keyframes are NULL but have a count";
	for (uint32_t k = 0; k < m->keyframe_count; k++)
	{
		const spate_keyframe *key = &m->keyframes[k];
		if (!usable(&key->time, 1) || !usable(key->position, 3) || !usable(key->rotation, 3) ||
		    !usable(&key->scale, 1))
			return "a keyframe has a number that is not finite or too large";
		if (key->scale < 0.0)
			return "a keyframe has a scale below 0";
		if (k > 0 && !(key->time > m->keyframes[k - 1].time))
			return "the times of its keyframes do not increase";
	}
	const double numbers[8] = {m->amplitude, m->frequency,      m->phase,      m->start,
				   m->turn,      m->turn_frequency, m->turn_phase, m->turn_start};
	if (!usable(numbers, 8) || !usable(m->direction, 3) || !usable(m->axis, 3) || !usable(m->pivot, 3))
		return "its motion has a number that is not finite or too large";
	if (m->amplitude != 0.0 && is_zero(m->direction))
		return "its oscillation has a direction of zero length";
	if (m->turn != 0.0 && is_zero(m->axis))
		return "its swing has an axis of zero length";
	if (m->between != SPATE_BETWEEN_LINEAR && m->between != SPATE_BETWEEN_SMOOTH &&
	    m->between != SPATE_BETWEEN_STEP)
		return "its motion has an unknown interpolation";
	return NULL;
}

static const char *triangles_problem(const spate_mesh *mesh)
{
	if (mesh->vertex_count == 0 || mesh->triangle_count == 0 || !mesh->positions || !mesh->triangles)
		return "its mesh has no triangles";
	for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
		if (mesh->triangles[i] >= mesh->vertex_count)
			return "its mesh has a triangle with a vertex that does not exist";
	for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++)
		if (!(fabs((double)mesh->positions[i]) <= TOO_LARGE))
			return "its mesh has a vertex that is not finite or too far away";
	return NULL;
}

static const char *mesh_problem(const spate_mesh_def *m)
{
	const double numbers[6] = {m->scale, m->fps, m->start, m->cell, m->band, m->offset};
	if (!usable(numbers, 6) || !usable(m->rotation, 3) || !usable(m->position, 3))
		return "its mesh has a number that is not finite or too large";
	if (!(m->scale > 0.0))
		return "its scale is not positive";
	if (m->fps < 0.0)
		return "its sequence has a frame rate below 0";
	if (m->cell < 0.0 || m->band < 0.0 || m->offset < 0.0)
		return "its distance field has a negative cell, band or offset";
	if (m->mesh)
		return triangles_problem(m->mesh);
	if (!m->path[0])
		return "its path is empty";
	return sequence_is_pattern(m->path) && m->last < m->first ? "the last frame of its sequence is before the first"
								  : NULL;
}

static const char *map_problem(const spate_map_def *map, int has_mesh)
{
	if (!has_mesh && (map->texture || map->channel))
		return "it has a map but no mesh";
	return map->texture && map->channel ? "a map has both a texture and a channel" : NULL;
}

// Problem of a collider's surface maps and wet map, both of which need a mesh.
static const char *surface_problem(const spate_collider_def *c, int has_mesh)
{
	const spate_map_def *maps[3] = {&c->friction_map, &c->bounce_map, &c->stickiness_map};
	for (int k = 0; k < 3; k++)
	{
		const char *problem = map_problem(maps[k], has_mesh);
		if (problem)
			return problem;
	}
	if (c->wet.size == 0)
		return NULL;
	if (!has_mesh)
		return "it has a wet map but no mesh";
	if (c->wet.size > MAX_TEXELS)
		return "its wet map has more than 16384 texels along a side";
	if (!(c->wet.drying >= 0.0) || !usable(&c->wet.drying, 1))
		return "its wet map has a drying time that is negative or not a number";
	return c->wet.format != SPATE_IMAGE_PNG && c->wet.format != SPATE_IMAGE_EXR
		   ? "its wet map has an unknown format"
		   : NULL;
}

static const char *collider_problem(const spate_collider_def *c)
{
	int has_mesh = c->mesh.path || c->mesh.mesh;
	int has_shape = !is_zero(c->shape.a) || !is_zero(c->shape.b) || c->shape.radius != 0.0;
	if (has_mesh && has_shape)
		return "it has both a shape and a mesh";
	if (c->mode != SPATE_COLLIDER_OUTSIDE && c->mode != SPATE_COLLIDER_INSIDE &&
	    !(c->mode == SPATE_COLLIDER_SHELL && has_mesh))
		return c->mode == SPATE_COLLIDER_SHELL ? "its mode is shell, which is for meshes"
						       : "its mode is unknown";
	if (!(c->friction >= 0.0) || !usable(&c->friction, 1))
		return "its friction is negative or not a number";
	if (!(c->contact_angle >= 0.0 && c->contact_angle <= 180.0))
		return "its contact angle is not between 0 and 180 degrees";
	if (!usable(&c->slip, 1))
		return "its slip length is not a number";
	if (!(c->bounce >= 0.0 && c->bounce <= 1.0))
		return "its bounce is not between 0 and 1";
	if (!(c->stickiness >= 0.0 && c->stickiness <= 1.0))
		return "its stickiness is not between 0 and 1";
	if (c->mesh.path && c->mesh.mesh)
		return "it has both a mesh and the path of one";
	const char *problem = has_mesh ? mesh_problem(&c->mesh) : still_shape_problem(&c->shape);
	if (!problem)
		problem = surface_problem(c, has_mesh);
	return problem ? problem : motion_problem(&c->motion);
}

static const char *fill_shape_problem(const spate_shape *s, int planes, int depth)
{
	if (s->type == SPATE_SHAPE_MESH)
		return s->mesh.path || s->mesh.mesh ? mesh_problem(&s->mesh)
						    : "its shape has neither a mesh nor the path of one";
	if (s->type == SPATE_SHAPE_ELLIPSOID)
	{
		if (!usable(s->a, 3) || !usable(s->b, 3) || !usable(s->rotation, 3))
			return "its shape has a number that is not finite or too large";
		return s->b[0] > 0.0 && s->b[1] > 0.0 && s->b[2] > 0.0 ? NULL : "its half axes are not positive";
	}
	if (s->type != SPATE_SHAPE_UNION && s->type != SPATE_SHAPE_DIFFERENCE)
		return shape_problem(s, planes);
	if (s->part_count == 0 || !s->parts || depth == 0)
		return depth == 0 ? "its shape has parts within parts too deep" : "its shape has no parts";
	const char *problem = NULL;
	for (uint32_t n = 0; n < s->part_count && !problem; n++)
		// what is taken away may be infinite
		problem =
		    fill_shape_problem(&s->parts[n], planes || (s->type == SPATE_SHAPE_DIFFERENCE && n > 0), depth - 1);
	return problem;
}

// Limits that keep what pours within what a world can hold.
static const char *pouring_problem(const spate_source_def *s, const spate_world_def *def)
{
	const double numbers[3] = {s->speed, s->flow, s->jitter};
	if (!usable(numbers, 3) || !usable(s->direction, 3) || !usable(s->velocity, 3))
		return "it has a number that is not finite or too large";
	if (s->flow >= 0.0 && s->count > 0)
		return "an emitter has either a flow or a count";
	if (s->count > 0 && !(s->stop > s->start))
		return "an emitter with a count needs a stop after its start";
	if (!(s->jitter >= 0.0 && s->jitter <= 0.5))
		return "its jitter is not between 0 and 0.5";
	return s->follow != SPATE_NO_COLLIDER && s->follow >= def->collider_count
		   ? "the collider that it follows does not exist"
		   : NULL;
}

static const char *surface_source_problem(const spate_source_def *s, const spate_world_def *def)
{
	double spacing = def->fluids[s->fluid].spacing;
	const char *problem = pouring_problem(s, def);
	if (problem)
		return problem;
	if (!(s->speed >= 0.0 || s->flow >= 0.0 || s->count > 0))
		return "a surface needs a speed, a flow or a count";
	if (s->shape.type != SPATE_SHAPE_MESH)
		return "only a mesh has a surface to pour from";
	if (emitter_fastest(s, spacing) / (def->fps * spacing) > MAX_LAYERS)
		return "it would create more particles than a world can hold";
	return fill_shape_problem(&s->shape, 0, MAX_DEPTH);
}

// Whether a lattice in the box around a shape has more sites than a world can hold.
static const char *lattice_problem(const spate_shape *shape, double spacing)
{
	double low[3], high[3], cells = 1.0;
	shape_bounds(shape, low, high);
	for (int k = 0; k < 3; k++)
		cells *= (high[k] - low[k]) / spacing;
	return cells > (double)STORE_MAX_ROWS ? "it would create more particles than a world can hold" : NULL;
}

static const char *volume_problem(const spate_source_def *s, const spate_world_def *def)
{
	double spacing = def->fluids[s->fluid].spacing;
	const char *problem = pouring_problem(s, def);
	if (!problem && !(s->flow >= 0.0 || s->count > 0))
		problem = "a volume needs a flow or a count";
	if (!problem)
		problem = fill_shape_problem(&s->shape, 0, MAX_DEPTH);
	return problem ? problem : lattice_problem(&s->shape, spacing);
}

static const char *fill_problem(const spate_source_def *s, double spacing)
{
	if (!usable(s->velocity, 3))
		return "its velocity is not finite or too large";
	if (s->from)
		return usable(s->position, 3) ? NULL : "its position is not finite or too large";
	const char *problem = fill_shape_problem(&s->shape, 0, MAX_DEPTH);
	if (problem)
		return problem;
	if (!usable(s->level_up, 3) || isnan(s->level))
		return "its level is not a number";
	if ((unsigned)s->layout >= SPATE_LAYOUT_COUNT)
		return "its layout is unknown";
	if (!(s->jitter >= 0.0 && s->jitter <= 0.5))
		return "its jitter is not between 0 and 0.5";
	return lattice_problem(&s->shape, spacing);
}

static const char *emitter_problem(const spate_source_def *s, const spate_world_def *def)
{
	double spacing = def->fluids[s->fluid].spacing;
	const double numbers[3] = {s->width, s->height, s->radius};
	const char *problem = pouring_problem(s, def);
	if (!usable(numbers, 3) || !usable(s->position, 3) || !usable(s->across, 3))
		return "it has a number that is not finite or too large";
	if (is_zero(s->direction))
		return "its direction has zero length";
	if (!(s->speed >= 0.0 || s->flow >= 0.0 || s->count > 0))
		return "an emitter needs a speed, a flow or a count";
	if (problem)
		return problem;
	if (s->radius < 0.0 || s->height < 0.0 || (s->radius == 0.0 && !(s->width > 0.0)))
		return "an emitter needs a radius or a width";
	if (s->profile != SPATE_PROFILE_FLAT && s->profile != SPATE_PROFILE_PARABOLIC)
		return "its profile is unknown";
	double across = s->radius > 0.0 ? 4.0 * s->radius * s->radius : s->width * fmax(s->height, spacing);
	if (across / (spacing * spacing) > (double)STORE_MAX_ROWS ||
	    emitter_fastest(s, spacing) / (def->fps * spacing) > MAX_LAYERS)
		return "it would create more particles than a world can hold";
	return NULL;
}

// A value below 0 selects the fluid's own value. NaN is never allowed.
static const char *material_problem(const spate_material_def *m)
{
	const double numbers[4] = {m->viscosity, m->damping, m->cohesion, m->density};
	if (!usable(numbers, 4))
		return "its material has a number that is not finite or too large";
	if (m->cohesion > 1.0)
		return "its cohesion is above 1";
	return m->density == 0.0 ? "its density is not positive" : NULL;
}

static const char *source_problem(const spate_source_def *s, const spate_world_def *def)
{
	if ((unsigned)s->type >= SPATE_SOURCE_COUNT)
		return "its type is unknown";
	int by_name = s->type == SPATE_SOURCE_FILL && s->from && s->fluid == SPATE_FLUID_BY_NAME;
	if (s->fluid >= def->fluid_count && !by_name)
		return "its fluid does not exist";
	if (!usable(s->color, 3))
		return "its color is not finite";
	if (!(s->start >= 0.0) || !usable(&s->start, 1) || !usable(&s->stop, 1))
		return "its start is negative or not a number, or its stop is not a number";
	const char *problem = material_problem(&s->material);
	if (problem)
		return problem;
	double spacing = by_name ? 1.0 : def->fluids[s->fluid].spacing;
	switch (s->type)
	{
	case SPATE_SOURCE_FILL:
		return fill_problem(s, spacing);
	case SPATE_SOURCE_SURFACE:
		return surface_source_problem(s, def);
	case SPATE_SOURCE_VOLUME:
		return volume_problem(s, def);
	default:
		return emitter_problem(s, def);
	}
}

static const char *shaped_force_problem(const spate_force_def *f, uint32_t fluids)
{
	const char *problem = force_problem(f, fluids);
	return problem || !region_is_limited(f) ? problem : shape_problem(&f->shape, 1);
}

static const char *sink_problem(const spate_sink_def *s)
{
	const double numbers[4] = {s->age, s->speed, s->flow, s->isolated_for};
	if (!usable(numbers, 4) || s->age < 0.0 || s->speed < 0.0 || s->flow < 0.0 || s->isolated_for < 0.0)
		return "its age, speed, flow or time of isolation is negative or not a number";
	if (s->isolated_for > 0.0 && s->isolation == 0)
		return "it has a time of isolation, but no isolation";
	if ((unsigned)s->outside > SPATE_SINK_EVERYWHERE)
		return "it is neither inside nor outside of its shape nor everywhere";
	return s->outside == SPATE_SINK_EVERYWHERE ? NULL : fill_shape_problem(&s->shape, 1, MAX_DEPTH);
}

// Particles have one time of isolation, which is that of one number of neighbours.
static const char *isolation_problem(const spate_world_def *def, uint32_t sink)
{
	const spate_sink_def *own = &def->sinks[sink];
	for (uint32_t s = 0; s < sink && own->isolated_for > 0.0; s++)
		if (def->sinks[s].isolated_for > 0.0 && def->sinks[s].isolation != own->isolation)
			return "another sink with a time of isolation has another isolation";
	return NULL;
}

static const char *probe_problem(const spate_probe_def *p, uint32_t colliders)
{
	if ((unsigned)p->type >= SPATE_PROBE_COUNT)
		return "its type is unknown";
	const double numbers[3] = {p->width, p->height, p->radius};
	if (!usable(p->a, 3) || !usable(p->b, 3) || !usable(p->direction, 3) || !usable(numbers, 3))
		return "it has a number that is not finite or too large";
	if (p->radius < 0.0)
		return "its radius is negative";
	if ((p->type == SPATE_PROBE_FRONT || p->type == SPATE_PROBE_FLUX) && is_zero(p->direction))
		return "its direction has zero length";
	if (p->type == SPATE_PROBE_FLUX && !(p->width > 0.0 && p->height > 0.0))
		return "it needs a width and a height";
	if (p->type == SPATE_PROBE_FORCE && p->collider >= colliders)
		return "its collider does not exist";
	if (p->type == SPATE_PROBE_HEIGHT && p->a[0] == p->b[0] && p->a[1] == p->b[1] && p->a[2] == p->b[2])
		return "its line has zero length";
	return NULL;
}

static const char *bending_problem(const spate_world_def *def, const spate_body_def *b, const spate_collider_def *c)
{
	const double numbers[] = {b->area_density, b->density,   b->stiffness, b->bending, b->poisson,
				  b->damping,      b->thickness, b->cell,      b->friction};
	if (c->mode != (b->type == SPATE_BODY_CLOTH ? SPATE_COLLIDER_SHELL : SPATE_COLLIDER_OUTSIDE))
		return b->type == SPATE_BODY_CLOTH ? "its collider is cloth, so the mode must be shell"
						   : "its collider is not an obstacle: the mode is not outside";
	if ((!c->mesh.path && !c->mesh.mesh) || (c->mesh.path && sequence_is_pattern(c->mesh.path)))
		return "it bends, so it needs a mesh that is no sequence";
	if (c->motion.keyframe_count > 0)
		return "it bends, so its collider cannot have a motion; pins can";
	if (!usable(numbers, sizeof numbers / sizeof *numbers) || !usable(b->velocity, 3))
		return "it has a number that is not finite or too large";
	if (!((b->type == SPATE_BODY_CLOTH ? b->area_density : b->density) > 0.0))
		return "its density is not positive";
	if (b->stiffness == 0.0 || b->bending < 0.0 || b->poisson >= 0.5 || b->damping < 0.0 || b->friction < 0.0)
		return "its stiffness, bending, Poisson's ratio, damping or friction is out of range";
	for (uint32_t p = 0; p < b->pin_count; p++)
		if (b->pins[p].to != UINT32_MAX && b->pins[p].to >= def->collider_count)
			return "a pin moves with a collider that does not exist";
	return NULL;
}

static const char *body_problem(const spate_world_def *def, uint32_t index)
{
	const spate_body_def *b = &def->bodies[index];
	const double numbers[5] = {b->density, b->mass, b->friction, b->bounce,
				   b->release == SPATE_NEVER_RELEASED ? 0 : b->release};
	if ((unsigned)b->type >= SPATE_BODY_TYPE_COUNT)
		return "its type is unknown";
	if (b->collider >= def->collider_count)
		return "its collider does not exist";
	for (uint32_t other = 0; other < index; other++)
		if (def->bodies[other].collider == b->collider)
			return "its collider is that of another body";
	const spate_collider_def *c = &def->colliders[b->collider];
	if (b->type != SPATE_BODY_RIGID)
		return bending_problem(def, b, c);
	if (c->mode != SPATE_COLLIDER_OUTSIDE)
		return "its collider is not an obstacle: the mode is not outside";
	if (!c->mesh.path && !c->mesh.mesh && c->shape.type == SPATE_SHAPE_PLANE)
		return "a plane has no volume";
	if (c->mesh.path && sequence_is_pattern(c->mesh.path))
		return "its mesh is a sequence, which deforms";
	for (uint32_t k = 0; k < c->motion.keyframe_count; k++)
		if (c->motion.keyframes[k].scale != 0.0 && c->motion.keyframes[k].scale != 1.0)
			return "its motion changes its scale";
	if (!usable(numbers, 5) || !usable(b->tilt, 3) || !usable(b->ballast, 3) || !usable(b->velocity, 3) ||
	    !usable(b->spin, 3))
		return "it has a number that is not finite or too large";
	if (!(b->mass > 0.0) && !(b->density > 0.0))
		return "neither its density nor its mass is positive";
	return b->friction < 0.0 || b->bounce < 0.0 || b->bounce > 1.0 || b->release < 0.0
		   ? "its friction or release is negative, or its bounce is not between 0 and 1"
		   : NULL;
}

static const char *joint_problem(const spate_world_def *def, uint32_t index)
{
	const spate_joint_def *j = &def->joints[index];
	const double numbers[6] = {j->low, j->high, j->speed, j->power, j->stiffness, j->damping};
	if ((unsigned)j->type >= SPATE_JOINT_TYPE_COUNT)
		return "its type is unknown";
	for (int k = 0; k < 2; k++)
		if (j->bodies[k] != SPATE_BODY_WORLD && j->bodies[k] >= def->body_count)
			return "one of its bodies does not exist";
	if (j->bodies[0] == j->bodies[1])
		return "both of its bodies are the same";
	if (!usable(j->anchor, 3) || !usable(j->axis, 3) || !usable(numbers, 6))
		return "it has a number that is not finite or too large";
	if ((j->type == SPATE_JOINT_HINGE || j->type == SPATE_JOINT_SLIDER) && is_zero(j->axis))
		return "its axis has zero length";
	if (j->low <= j->high && (j->low > 0.0 || j->high < 0.0))
		return "it does not start between its limits";
	return j->power < 0.0 || j->stiffness < 0.0 || j->damping < 0.0 ? "its power, stiffness or damping is negative"
									: NULL;
}

static const char *fluid_problem(const spate_fluid_def *f)
{
	if (!(f->spacing >= MIN_SPACING && f->spacing <= MAX_SPACING))
		return "its spacing is not between 1e-7 and 1e6 m";
	if (!(f->density > 0.0) || !usable(&f->density, 1))
		return "its density is not positive";
	if (!(f->viscosity >= 0.0) || !usable(&f->viscosity, 1))
		return "its viscosity is negative or not a number";
	if (!usable(&f->damping, 1))
		return "its damping is not a number";
	if (!(f->pull >= 0.0) || !(f->push >= 0.0) || !usable(&f->pull, 1) || !usable(&f->push, 1))
		return "its pull or push is negative or not a number";
	if (!(f->adhesion >= 0.0 && f->adhesion <= 1.0))
		return "its adhesion is not between 0 and 1";
	if (!(f->surface_tension >= 0.0) || !usable(&f->surface_tension, 1))
		return "its surface tension is negative or not a number";
	if (!(f->cohesion <= 1.0) || !usable(&f->cohesion, 1))
		return "its cohesion is above 1 or not a number";
	if (!(f->vorticity >= 0.0 && f->vorticity <= 1.0))
		return "its vorticity is not between 0 and 1";
	if (!usable(f->color, 3))
		return "its color is not finite";
	return NULL;
}

static const char *interface_problem(const spate_world_def *def, uint32_t index)
{
	const spate_interface_def *a = &def->interfaces[index];
	if (a->fluids[0] >= def->fluid_count || a->fluids[1] >= def->fluid_count)
		return "one of its fluids does not exist";
	if (a->fluids[0] == a->fluids[1])
		return "both of its fluids are the same";
	if (!(a->surface_tension >= 0.0) || !usable(&a->surface_tension, 1))
		return "its surface tension is negative or not a number";
	for (uint32_t n = 0; n < index; n++)
	{
		const spate_interface_def *b = &def->interfaces[n];
		if ((a->fluids[0] == b->fluids[0] && a->fluids[1] == b->fluids[1]) ||
		    (a->fluids[0] == b->fluids[1] && a->fluids[1] == b->fluids[0]))
			return "its fluids have an interface already";
	}
	return NULL;
}

static const char *solver_problem(const spate_solver_def *s)
{
	if ((unsigned)s->quality >= SPATE_QUALITY_COUNT)
		return "its quality is unknown";
	if (s->substeps == 0 && s->max_substeps == 0)
		return "max_substeps is 0 while substeps are chosen automatically";
	if (!(s->cfl >= 0.0) || !usable(&s->cfl, 1))
		return "its cfl is negative or not a number";
	if ((unsigned)s->viscosity_model >= SPATE_VISCOSITY_COUNT)
		return "its viscosity model is unknown";
	if (!(s->list_margin == -1.0 || (s->list_margin >= 0.0 && s->list_margin <= 0.5)))
		return "its list margin is neither -1 nor between 0 and 0.5";
	return NULL;
}

static int channel_value_is_good(const spate_channel_def *c, const double value[3])
{
	if (!usable(value, c->type == SPATE_CHANNEL_VECTOR ? 3 : 1))
		return 0;
	return c->type != SPATE_CHANNEL_INT ||
	       (value[0] == floor(value[0]) && value[0] >= INT32_MIN && value[0] <= INT32_MAX);
}

static int has_source(const spate_world_def *def, const char *name)
{
	for (uint32_t s = 0; s < def->source_count; s++)
		if (name && def->sources[s].name && strcmp(def->sources[s].name, name) == 0)
			return 1;
	return 0;
}

static const char *channel_problem(const spate_channel_def *c, const spate_world_def *def)
{
	world_field field;
	if (!c->name)
		return "it has no name";
	if (world_field_find(c->name, &field))
		return "its name is that of a built-in field";
	if ((unsigned)c->type > SPATE_CHANNEL_VECTOR)
		return "its type is unknown";
	if (c->value_count > 0 && !c->values)
		return "its values are NULL but have a count";
	int good = channel_value_is_good(c, c->initial);
	for (uint32_t v = 0; v < c->value_count; v++)
	{
		if (!has_source(def, c->values[v].source))
			return "one of its values is for a source that does not exist";
		good = good && channel_value_is_good(c, c->values[v].value);
	}
	return good ? NULL : "a value is not finite, is too large, or has a fraction though it is an int";
}

// A camera looks somewhere; what else is odd about it is corrected.
static const char *camera_problem(const spate_camera_def *c)
{
	if (!usable(c->position, 3) || !usable(c->target, 3) || !usable(c->up, 3) || !usable(&c->fov, 1))
		return "a number is not finite or too large";
	if (c->position[0] == c->target[0] && c->position[1] == c->target[1] && c->position[2] == c->target[2])
		return "its position is its target";
	return NULL;
}

// The first camera that the solver names and the world does not have; NULL for none.
static const char *missing_camera(const spate_world_def *def)
{
	for (uint32_t n = 0; n < def->solver.camera_count; n++)
	{
		uint32_t c = 0;
		while (c < def->camera_count &&
		       !(def->cameras[c].name && strcmp(def->cameras[c].name, def->solver.cameras[n]) == 0))
			c++;
		if (c == def->camera_count)
			return def->solver.cameras[n];
	}
	return NULL;
}

static const char *spacing_problem(const spate_world_def *def)
{
	const solver_type *type = solver_table(def->solver.type);
	for (uint32_t f = 1; f < def->fluid_count && type && type->one_spacing; f++)
		if (def->fluids[f].spacing != def->fluids[0].spacing)
			return "its solver needs the same spacing in all fluids";
	return NULL;
}

static const char *world_problem(const spate_world_def *def)
{
	if (!usable(def->gravity, 3))
		return "its gravity is not finite or too large";
	if (!(def->fps > 0.0) || !usable(&def->fps, 1))
		return "its frame rate is not positive";
	if (!(def->speed_limit >= 0.0) || !usable(&def->speed_limit, 1))
		return "its speed limit is negative or not a number";
	if (def->runaway != SPATE_RUNAWAY_REMOVE && def->runaway != SPATE_RUNAWAY_CLAMP &&
	    def->runaway != SPATE_RUNAWAY_STOP)
		return "its runaway policy is unknown";
	if (def->threads < 0)
		return "its number of threads is negative";
	if (def->fluid_count == 0 || !def->fluids)
		return "it has no fluid";
	if ((def->collider_count && !def->colliders) || (def->source_count && !def->sources) ||
	    (def->sink_count && !def->sinks) || (def->force_count && !def->forces) ||
	    (def->probe_count && !def->probes) || (def->interface_count && !def->interfaces) ||
	    (def->camera_count && !def->cameras) || (def->channel_count && !def->channels) ||
	    (def->body_count && !def->bodies) || (def->joint_count && !def->joints) ||
	    (def->wanted_count && !def->wanted) || (def->solver.camera_count && !def->solver.cameras))
		return "a list of interfaces, colliders, sources, sinks, forces, probes, cameras, channels, bodies, joints or wanted fields is NULL but has a count";
	return def->force_count > SPATE_MOST_FORCES ? "it has more than 48 forces" : NULL;
}

const char *world_part_problem(const spate_world_def *def, world_part part, uint32_t index)
{
	const char *problem = NULL;
	switch (part)
	{
	case WORLD_PART_WORLD:
		problem = world_problem(def);
		return problem ? problem : solver_problem(&def->solver);
	case WORLD_PART_FLUID:
		return fluid_problem(&def->fluids[index]);
	case WORLD_PART_INTERFACE:
		return interface_problem(def, index);
	case WORLD_PART_SOURCE:
		return source_problem(&def->sources[index], def);
	case WORLD_PART_FORCE:
		return shaped_force_problem(&def->forces[index], def->fluid_count);
	case WORLD_PART_CAMERA:
		return camera_problem(&def->cameras[index]);
	case WORLD_PART_COLLIDER: // the range of each key says it all
	case WORLD_PART_SINK:
		break;
	}
	return NULL;
}

static spate_result refuse(spate_error *error, const char *what, uint32_t number, const char *problem)
{
	return error_set(error, SPATE_INVALID, "%s %u is invalid: %s", what, number, problem);
}

spate_result world_check(const spate_world_def *def, spate_error *error)
{
	const char *problem = world_problem(def);
	if (problem)
		return error_set(error, SPATE_INVALID, "the world is invalid: %s", problem);
	if ((problem = solver_problem(&def->solver)))
		return error_set(error, SPATE_INVALID, "the solver is invalid: %s", problem);
	for (uint32_t c = 0; c < def->camera_count; c++)
		if ((problem = camera_problem(&def->cameras[c])))
			return refuse(error, "camera", c, problem);
	if ((problem = missing_camera(def)))
		return error_set(error, SPATE_INVALID, "the solver is invalid: there is no camera '%.60s'", problem);
	for (uint32_t f = 0; f < def->fluid_count; f++)
		if ((problem = fluid_problem(&def->fluids[f])))
			return refuse(error, "fluid", f, problem);
	if ((problem = spacing_problem(def)))
		return error_set(error, SPATE_INVALID, "the world is invalid: %s", problem);
	for (uint32_t n = 0; n < def->interface_count; n++)
		if ((problem = interface_problem(def, n)))
			return refuse(error, "interface", n, problem);
	for (uint32_t c = 0; c < def->collider_count; c++)
		if ((problem = collider_problem(&def->colliders[c])))
			return refuse(error, "collider", c, problem);
	for (uint32_t b = 0; b < def->body_count; b++)
		if ((problem = body_problem(def, b)))
			return refuse(error, "body", b, problem);
	for (uint32_t j = 0; j < def->joint_count; j++)
		if ((problem = joint_problem(def, j)))
			return refuse(error, "joint", j, problem);
	for (uint32_t s = 0; s < def->source_count; s++)
		if ((problem = source_problem(&def->sources[s], def)))
			return refuse(error, "source", s, problem);
	for (uint32_t s = 0; s < def->sink_count; s++)
		if ((problem = sink_problem(&def->sinks[s])) || (problem = isolation_problem(def, s)))
			return refuse(error, "sink", s, problem);
	for (uint32_t f = 0; f < def->force_count; f++)
		if ((problem = shaped_force_problem(&def->forces[f], def->fluid_count)))
			return refuse(error, "force", f, problem);
	for (uint32_t p = 0; p < def->probe_count; p++)
		if ((problem = probe_problem(&def->probes[p], def->collider_count)))
			return refuse(error, "probe", p, problem);
	for (uint32_t c = 0; c < def->channel_count; c++)
		if ((problem = channel_problem(&def->channels[c], def)))
			return refuse(error, "channel", c, problem);
	return SPATE_OK;
}
