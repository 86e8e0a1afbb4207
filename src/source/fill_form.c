// The shape of a fill and the lattice in it.
#include "base/error.h"
#include "collider/motion.h"
#include "source/source_work.h"

#include <string.h>

static int has_level(const spate_source_def *def)
{
	const double *up = def->level_up;
	return fabs(def->level) < INFINITY && (up[0] != 0.0 || up[1] != 0.0 || up[2] != 0.0);
}

// Cuts the box at the level if that lies across an axis of it.
static void cut_box(fill_form *f, const double up[3], double level)
{
	for (int k = 0; k < 3; k++)
		if (fabs(up[k]) == 1.0)
		{
			double at = up[k] * level;
			if (up[k] > 0.0)
				f->high[k] = fmin(f->high[k], fmax(at, f->low[k]));
			else
				f->low[k] = fmax(f->low[k], fmin(at, f->high[k]));
		}
}

static void set_level(fill_form *f, const spate_source_def *def)
{
	double up[3] = {def->level_up[0], def->level_up[1], def->level_up[2]};
	if (!has_level(def))
		return;
	source_normalize(up);
	f->level = def->level;
	for (int k = 0; k < 3; k++)
		f->level -= up[k] * f->origin[k];
	f->up = vec3_make((float)up[0], (float)up[1], (float)up[2]);
	if (!f->turned)
		cut_box(f, up, def->level);
}

spate_result fill_form_create(fill_form **form, const spate_source_def *def, double spacing, double detail,
			      const collider_world *world, spate_error *error)
{
	*form = NULL;
	fill_form *f = mem_calloc(1, sizeof *f);
	if (!f)
		return error_memory(error, sizeof *f);
	f->spacing = spacing;
	memcpy(f->origin, world->origin, sizeof f->origin);
	spate_error why = {0};
	spate_result result = region_create(&f->space, &def->shape, world, detail, &why);
	if (result != SPATE_OK)
	{
		mem_free(f);
		return error_set(error, result, "%s", why.text);
	}
	region_bounds(f->space, f->low, f->high);
	f->turned = def->shape.type == SPATE_SHAPE_BOX && shape_is_turned(&def->shape);
	for (int k = 0; k < 3; k++)
		f->middle[k] = 0.5 * (f->low[k] + f->high[k]);
	if (f->turned)
	{
		shape_turn(&def->shape, f->turn, f->centre);
		memcpy(f->low, def->shape.a, sizeof f->low);
		memcpy(f->high, def->shape.b, sizeof f->high);
	}
	set_level(f, def);
	for (int k = 0; k < 3; k++)
		f->cells[k] = (int64_t)floor((f->high[k] - f->low[k]) / spacing + 1e-4);
	*form = f;
	return SPATE_OK;
}

void fill_form_destroy(fill_form *f)
{
	if (!f)
		return;
	region_destroy(f->space);
	mem_free(f);
}

float fill_form_distance(const fill_form *f, vec3 p)
{
	float s = region_distance(f->space, p);
	if (f->up.x == 0.0f && f->up.y == 0.0f && f->up.z == 0.0f)
		return s;
	return fmaxf(s, (float)((double)p.x * (double)f->up.x + (double)p.y * (double)f->up.y +
				(double)p.z * (double)f->up.z - f->level));
}

void fill_form_place(const fill_form *f, double x, double y, double z, double place[3])
{
	double own[3] = {f->low[0] + x * f->spacing, f->low[1] + y * f->spacing, f->low[2] + z * f->spacing};
	for (int k = 0; k < 3; k++)
		place[k] = own[k];
	if (!f->turned)
		return;
	for (int k = 0; k < 3; k++)
		place[k] = f->centre[k] + f->turn[3 * k] * (own[0] - f->centre[0]) +
			   f->turn[3 * k + 1] * (own[1] - f->centre[1]) + f->turn[3 * k + 2] * (own[2] - f->centre[2]);
}

int fill_each(const fill_form *f, const collider_set *colliders, int64_t stride, fill_visit *visit, void *context)
{
	const int64_t *cells = f->cells;
	for (int64_t z = 0; z < cells[2]; z += stride)
		for (int64_t y = 0; y < cells[1]; y += stride)
			for (int64_t x = 0; x < cells[0]; x += stride)
			{
				double place[3];
				fill_form_place(f, (double)x + 0.5, (double)y + 0.5, (double)z + 0.5, place);
				vec3 p = source_relative(f->origin, place);
				if (fill_form_distance(f, p) > 0.0f ||
				    collider_set_distance(colliders, p) < FILL_WALL * (float)f->spacing)
					continue;
				if (!visit(context, (z * cells[1] + y) * cells[0] + x, place))
					return 0;
			}
	return 1;
}

void fill_velocity(const spate_source_def *def, const double middle[3], const double place[3], double velocity[3])
{
	for (int k = 0; k < 3; k++)
	{
		int u = (k + 1) % 3, v = (k + 2) % 3;
		velocity[k] =
		    def->velocity[k] + def->spin[u] * (place[v] - middle[v]) - def->spin[v] * (place[u] - middle[u]);
	}
}

// A fill is created by the first step that begins at its start time or later.
int fill_can_be(const spate_source_def *def, const source_state *state, double now, double last_dt)
{
	double rounding = 1e-9 * (1.0 + now);
	if (state->turns == 0)
		return state->emitted == 0 && (now <= 0.0 || def->start > now - last_dt - rounding);
	return state->turns == 1 && def->start <= now + rounding;
}

double fill_speed(const spate_source_def *def, const fill_form *form, const fill_file *file)
{
	const double *v = def->velocity, *w = def->spin;
	double low[3], high[3], half2 = 0.0, own = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
	if (def->from)
		return own + (file ? file->fastest : 0.0);
	if (form)
		region_bounds(form->space, low, high);
	else
		shape_bounds(&def->shape, low, high);
	for (int k = 0; k < 3; k++)
		half2 += 0.25 * (high[k] - low[k]) * (high[k] - low[k]);
	return own + sqrt((w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) * half2);
}
