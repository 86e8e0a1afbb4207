// The world's own copy of what its definition points to. Reading and changing keys needs it after the caller's arrays are gone.
#include "base/error.h"
#include "world/world.h"

#include <string.h>

static int keep_text(spate_world *w, const char **text)
{
	if (!*text)
		return 1;
	size_t bytes = strlen(*text) + 1;
	char *own = arena_alloc(&w->model.texts, bytes);
	if (own)
		memcpy(own, *text, bytes);
	*text = own;
	return own != NULL;
}

static int keep_texts(spate_world *w, const char *texts[3])
{
	return keep_text(w, &texts[0]) && keep_text(w, &texts[1]) && keep_text(w, &texts[2]);
}

// Meshes, maps and keyframes stay with the collider set; the definition keeps the numbers and the texts that name things.
static int keep_collider(spate_world *w, spate_collider_def *c)
{
	if (c->mesh.mesh)
		c->mesh.path = ""; // still a mesh, though not one of a file
	c->mesh.mesh = NULL;
	c->friction_map = c->bounce_map = c->stickiness_map = (spate_map_def){0};
	c->wet.channel = NULL;
	c->motion.keyframes = NULL;
	c->motion.keyframe_count = 0;
	return keep_text(w, &c->name) && keep_text(w, &c->mesh.path);
}

static int keep_channel(spate_world *w, spate_channel_def *channel)
{
	size_t bytes = channel->value_count * sizeof *channel->values;
	spate_channel_value *values = arena_alloc(&w->model.texts, bytes + 1);
	int kept = values && keep_text(w, &channel->name) && keep_texts(w, channel->formulas);
	if (kept && bytes)
		memcpy(values, channel->values, bytes);
	for (uint32_t v = 0; v < channel->value_count && kept; v++)
		kept = keep_text(w, &values[v].source) && keep_texts(w, values[v].formulas);
	channel->values = values;
	return kept;
}

static spate_result keep_channels(spate_world *w, spate_error *error)
{
	spate_world_def *def = &w->model.def;
	size_t bytes = def->channel_count * sizeof *w->model.channels;
	w->model.channels = mem_alloc(bytes + 1);
	int kept = w->model.channels != NULL;
	if (kept && bytes)
		memcpy(w->model.channels, def->channels, bytes);
	for (uint32_t c = 0; c < def->channel_count && kept; c++)
		kept = keep_channel(w, &w->model.channels[c]);
	def->channels = w->state.sources.channels = w->model.channels;
	def->wanted = NULL; // the fields are made
	def->wanted_count = 0;
	return kept ? SPATE_OK : error_memory(error, bytes);
}

static int keep_force(spate_world *w, spate_force_def *f)
{
	int kept = keep_text(w, &f->name) && keep_text(w, &f->field) && keep_text(w, &f->grid) &&
		   keep_texts(w, f->acceleration);
	if (!kept || f->fluid_count == 0)
		return kept;
	uint32_t *fluids = arena_alloc(&w->model.texts, f->fluid_count * sizeof *fluids);
	if (fluids)
		memcpy(fluids, f->fluids, f->fluid_count * sizeof *fluids);
	f->fluids = fluids;
	return fluids != NULL;
}

// The triangles were needed to make what sources and sinks have of them.
static int keep_shape(spate_world *w, spate_shape *shape)
{
	spate_shape *parts = NULL;
	if (shape->mesh.mesh && !shape->mesh.path)
		shape->mesh.path = "";
	shape->mesh.mesh = NULL;
	if (shape->part_count > 0)
		parts = arena_alloc(&w->model.texts, shape->part_count * sizeof *parts);
	if (shape->part_count > 0 && !parts)
		return 0;
	if (parts)
		memcpy(parts, shape->parts, shape->part_count * sizeof *parts);
	shape->parts = parts;
	int kept = keep_text(w, &shape->mesh.path);
	for (uint32_t n = 0; n < shape->part_count && kept; n++)
		kept = keep_shape(w, &parts[n]);
	return kept;
}

static int keep_source(spate_world *w, spate_source_def *source)
{
	return keep_text(w, &source->name) && keep_text(w, &source->from) && keep_texts(w, source->velocity_formulas) &&
	       keep_shape(w, &source->shape);
}

static int is_used(const spate_solver_def *solver, const char *name)
{
	int used = solver->camera_count == 0;
	for (uint32_t n = 0; n < solver->camera_count && name; n++)
		used |= strcmp(solver->cameras[n], name) == 0;
	return used;
}

spate_result world_take_cameras(spate_world *w, spate_error *error)
{
	spate_world_def *def = &w->model.def;
	uint32_t used = 0;
	w->model.cameras = mem_calloc(def->camera_count + (size_t)1, sizeof *w->model.cameras);
	if (!w->model.cameras)
		return error_memory(error, def->camera_count * sizeof *w->model.cameras);
	for (uint32_t c = 0; c < def->camera_count; c++)
		if (is_used(&def->solver, def->cameras[c].name))
		{
			w->model.cameras[used] = def->cameras[c];
			if (!keep_text(w, &w->model.cameras[used++].name))
				return error_memory(error, 64);
		}
	def->cameras = w->model.cameras;
	def->camera_count = used;
	def->solver.cameras = NULL;
	def->solver.camera_count = 0;
	return SPATE_OK;
}

spate_result world_keep_definition(spate_world *w, spate_error *error)
{
	spate_world_def *def = &w->model.def;
	size_t bytes = def->collider_count * sizeof *w->model.colliders;
	w->model.colliders = mem_alloc(bytes ? bytes : 1);
	int kept = w->model.colliders != NULL;
	if (kept && bytes)
		memcpy(w->model.colliders, def->colliders, bytes);
	for (uint32_t c = 0; c < def->collider_count && kept; c++)
		kept = keep_collider(w, &w->model.colliders[c]);
	for (uint32_t f = 0; f < def->fluid_count && kept; f++)
		kept = keep_text(w, &w->model.fluids[f].name);
	for (uint32_t s = 0; s < def->source_count && kept; s++)
		kept = keep_source(w, &w->state.sources.defs[s]);
	for (uint32_t s = 0; s < def->sink_count && kept; s++)
		kept = keep_text(w, &w->model.sinks[s].name) && keep_shape(w, &w->model.sinks[s].shape);
	for (uint32_t f = 0; f < def->force_count && kept; f++)
		kept = keep_force(w, &w->model.force_defs[f]);
	for (uint32_t p = 0; p < def->probe_count && kept; p++)
		kept = keep_text(w, &w->model.probes[p].name);
	def->colliders = w->model.colliders;
	def->bodies = NULL; // the set of bodies has them
	def->joints = NULL;
	def->sources = w->state.sources.defs;
	def->field_folder = NULL;
	return kept ? keep_channels(w, error) : error_memory(error, bytes);
}
