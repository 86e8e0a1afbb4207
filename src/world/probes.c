// Probes: what an instrument at a place would read. They are evaluated at the end of a frame over all particles; only flux is
// counted in every step.
#include "base/error.h"
#include "base/kernels.h"
#include "base/parallel.h"
#include "world/fields.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

enum
{
	FORCE_COLUMNS = 18,
	MOST_COLUMNS = FORCE_COLUMNS // of a probe
};

// Columns of each kind of probe, with their units or the field that has it.
static const struct
{
	const char *name, *unit, *field;
} columns_of[SPATE_PROBE_COUNT][MOST_COLUMNS] = {
    [SPATE_PROBE_POINT] = {{"density", NULL, "density"},
			   {"pressure", NULL, "pressure"},
			   {"velocity_x", NULL, "velocity"},
			   {"velocity_y", NULL, "velocity"},
			   {"velocity_z", NULL, "velocity"}},
    [SPATE_PROBE_HEIGHT] = {{"height", "m", NULL}},
    [SPATE_PROBE_FRONT] = {{"front", "m", NULL}},
    [SPATE_PROBE_FLUX] = {{"flux", "m^3/s", NULL}},
    [SPATE_PROBE_FORCE] = {{"force_x", "N", NULL},
			   {"force_y", "N", NULL},
			   {"force_z", "N", NULL},
			   {"torque_x", "N m", NULL},
			   {"torque_y", "N m", NULL},
			   {"torque_z", "N m", NULL},
			   {"pressure_force_x", "N", NULL},
			   {"pressure_force_y", "N", NULL},
			   {"pressure_force_z", "N", NULL},
			   {"pressure_torque_x", "N m", NULL},
			   {"pressure_torque_y", "N m", NULL},
			   {"pressure_torque_z", "N m", NULL},
			   {"friction_force_x", "N", NULL},
			   {"friction_force_y", "N", NULL},
			   {"friction_force_z", "N", NULL},
			   {"friction_torque_x", "N m", NULL},
			   {"friction_torque_y", "N m", NULL},
			   {"friction_torque_z", "N m", NULL}},
};

spate_result probes_create(spate_world *w, spate_error *error)
{
	uint32_t count = w->model.def.probe_count, total = 0;
	for (uint32_t p = 0; p < count; p++)
		for (int c = 0; c < MOST_COLUMNS && columns_of[w->model.probes[p].type][c].name; c++)
			total++;
	w->model.columns = mem_calloc(total + 1u, sizeof *w->model.columns);
	w->state.values = mem_calloc(total + 1u, sizeof *w->state.values);
	w->state.flux = mem_calloc(count + 1u, sizeof *w->state.flux);
	if (!w->model.columns || !w->state.values || !w->state.flux)
		return error_memory(error, total * sizeof *w->model.columns);
	for (uint32_t p = 0; p < count; p++)
	{
		spate_probe_def *probe = &w->model.probes[p];
		for (int c = 0; c < MOST_COLUMNS && columns_of[probe->type][c].name; c++)
		{
			probe_column *column = &w->model.columns[w->model.column_count++];
			snprintf(column->name, sizeof column->name, "%.63s.%s", probe->name ? probe->name : "probe",
				 columns_of[probe->type][c].name);
			const char *field = columns_of[probe->type][c].field;
			column->unit = field ? world_field_unit(field) : columns_of[probe->type][c].unit;
		}
		double *n = probe->direction, length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
		for (int k = 0; k < 3 && length > 0.0; k++)
			n[k] /= length;
		w->model.loads |= probe->type == SPATE_PROBE_FORCE;
	}
	return SPATE_OK;
}

static void place_of(const spate_world *w, uint32_t row, double p[3])
{
	vec4 x = w->state.store->position[row];
	p[0] = (double)x.x + w->model.origin[0];
	p[1] = (double)x.y + w->model.origin[1];
	p[2] = (double)x.z + w->model.origin[2];
}

typedef struct point_reading
{
	const spate_world *world;
	const double *at; // m
	double h;
} point_reading;

enum
{
	POINT_COLUMNS = 5
};

// What each row adds to the columns, and its weight behind them.
static void weigh_rows(void *context, size_t begin, size_t end, double (*terms)[PARALLEL_TERMS])
{
	const point_reading *r = context;
	const spate_store *store = r->world->state.store;
	for (size_t row = begin; row < end; row++)
	{
		double p[3];
		place_of(r->world, (uint32_t)row, p);
		double dx = p[0] - r->at[0], dy = p[1] - r->at[1], dz = p[2] - r->at[2];
		double r2 = dx * dx + dy * dy + dz * dz;
		int far = r2 >= r->h * r->h || store->dead[row];
		double k = far ? 0.0 : (double)poly6_value((float)sqrt(r2), (float)r->h);
		vec4 v = store->velocity[row];
		const double values[] = {store->density[row], store->pressure[row], v.x, v.y, v.z, 1.0};
		for (int c = 0; c <= POINT_COLUMNS; c++)
			terms[c][row - begin] = far ? 0.0 : k * values[c];
	}
}

// Shepard-normalised means over the kernel.
static void read_point(const spate_world *w, const spate_probe_def *probe, double *out)
{
	point_reading r = {w, probe->a, probe->radius > 0.0 ? probe->radius : (double)w->model.radius};
	double sums[POINT_COLUMNS + 1];
	parallel_sums(w->model.threads, w->state.store->rows, POINT_COLUMNS + 1, weigh_rows, &r, sums);
	double weight = sums[POINT_COLUMNS];
	for (int c = 0; c < POINT_COLUMNS; c++)
		out[c] = weight > 0.0 ? sums[c] / weight : 0.0;
}

enum
{
	GAUGE_BINS = 4096
};

// Walks from `a` over the particles near the line, in bins by their place along it, to the first dry gap of more than two spacings.
static double read_height(const spate_world *w, const spate_probe_def *probe)
{
	double axis[3], length = 0.0, spacing = (double)w->model.spacing;
	double reach = probe->radius > 0.0 ? probe->radius : spacing;
	for (int k = 0; k < 3; k++)
		length += (probe->b[k] - probe->a[k]) * (probe->b[k] - probe->a[k]);
	length = sqrt(length);
	if (length <= 0.0)
		return 0.0;
	double ends[GAUGE_BINS] = {0}; // how far the particles of a bin reach, 0 for an empty bin
	double bin = (length + spacing) / GAUGE_BINS;
	for (int k = 0; k < 3; k++)
		axis[k] = (probe->b[k] - probe->a[k]) / length;
	for (uint32_t row = 0; row < w->state.store->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		double d[3] = {p[0] - probe->a[0], p[1] - probe->a[1], p[2] - probe->a[2]};
		double along = d[0] * axis[0] + d[1] * axis[1] + d[2] * axis[2];
		double away2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] - along * along;
		// a particle fills half a spacing to both sides
		double place = along + 0.5 * spacing;
		if (!(away2 <= reach * reach) || !(place > 0.0 && place < length + spacing) ||
		    w->state.store->dead[row])
			continue;
		int b = (int)fmin(place / bin, GAUGE_BINS - 1);
		ends[b] = fmax(ends[b], place);
	}
	double top = 0.0;
	for (int b = 0; b < GAUGE_BINS && b * bin - spacing <= top + 2.0 * spacing; b++)
		top = fmax(top, ends[b]);
	return fmin(top, length);
}

// Density, relative to the rest density and without the walls' part, from which on a particle counts as part of the front. Two
// particles in free flight have 0.28; the tip of a sheet one particle thick has 0.49.
#define COMPANY 0.4

// The furthest particle along the direction that has neighbours. Before the first step neighbours are unknown, and all particles count.
static double read_front(const spate_world *w, const spate_probe_def *probe)
{
	double front = -INFINITY;
	for (uint32_t row = 0; row < w->state.store->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		double along = p[0] * probe->direction[0] + p[1] * probe->direction[1] + p[2] * probe->direction[2];
		if (w->state.store->dead[row] || !(along > front))
			continue;
		// a wall contributes to the density, but is not a neighbour
		vec4 x = w->state.store->position[row];
		float wall_share = collider_set_wall(&w->state.colliders, vec3_make(x.x, x.y, x.z), w->model.radius).w;
		double density = (double)w->state.store->density[row] / world_rest_density(w, row) - (double)wall_share;
		if (w->state.counters.step == 0 || density >= COMPANY)
			front = along;
	}
	return isfinite(front) ? front + 0.5 * (double)w->model.spacing : 0.0;
}

// 1 when a row went through the rectangle along its normal, -1 against it, and 0 when it did not.
static int crossing(const spate_world *w, const spate_probe_def *probe, uint32_t row, vec4 moved)
{
	double p[3], d[3], u[3], v[3], m[3] = {(double)moved.x, (double)moved.y, (double)moved.z};
	place_of(w, row, p);
	double after = 0.0, step = 0.0;
	for (int k = 0; k < 3; k++)
	{
		d[k] = p[k] - probe->a[k];
		after += d[k] * probe->direction[k];
		step += m[k] * probe->direction[k];
	}
	double before = after - step;
	if ((before < 0.0) == (after < 0.0))
		return 0;
	double back = after / step, a = 0.0, b = 0.0; // from the end back to the plane
	vec3_across(probe->direction, u, v);
	for (int k = 0; k < 3; k++)
	{
		a += (d[k] - back * m[k]) * u[k];
		b += (d[k] - back * m[k]) * v[k];
	}
	if (fabs(a) > 0.5 * probe->width || fabs(b) > 0.5 * probe->height)
		return 0;
	return after > before ? 1 : -1;
}

void probes_count_flux(spate_world *w, const vec4 *moved)
{
	const world_model *model = &w->model;
	for (uint32_t n = 0; n < model->def.probe_count; n++)
	{
		const spate_probe_def *probe = &model->probes[n];
		if (probe->type != SPATE_PROBE_FLUX)
			continue;
		// particles of a class have the same volume, and their number does not depend on the order of the rows
		int64_t through[SPACE_MAX_CLASSES] = {0};
		double volumes[SPACE_MAX_CLASSES] = {0};
		for (uint32_t row = 0; row < w->state.store->rows; row++)
			through[model->classes[w->state.store->fluid[row]]] += crossing(w, probe, row, moved[row]);
		for (uint32_t f = 0; f < model->def.fluid_count; f++)
			volumes[model->classes[f]] =
			    model->fluids[f].spacing * model->fluids[f].spacing * model->fluids[f].spacing;
		for (uint32_t c = 0; c < w->work.index.class_count; c++)
			w->state.flux[n] += (double)through[c] * volumes[c];
	}
}

// Means over the frame: force and torque, all of it, what pressure and contact did, what friction did.
static void read_force(const spate_world *w, const spate_probe_def *probe, double out[FORCE_COLUMNS])
{
	const collider_load *load = &w->state.frame_loads[probe->collider];
	for (int k = 0; k < 3; k++)
	{
		out[k] = load->dt > 0.0 ? load->linear[k] / load->dt : 0.0;
		out[3 + k] = load->dt > 0.0 ? load->angular[k] / load->dt : 0.0;
		out[12 + k] = load->dt > 0.0 ? load->friction_linear[k] / load->dt : 0.0;
		out[15 + k] = load->dt > 0.0 ? load->friction_angular[k] / load->dt : 0.0;
		out[6 + k] = out[k] - out[12 + k];
		out[9 + k] = out[3 + k] - out[15 + k];
	}
}

void probes_read(spate_world *w)
{
	double *out = w->state.values;
	for (uint32_t p = 0; p < w->model.def.probe_count; p++)
	{
		const spate_probe_def *probe = &w->model.probes[p];
		switch (probe->type)
		{
		case SPATE_PROBE_POINT:
			read_point(w, probe, out);
			out += POINT_COLUMNS;
			break;
		case SPATE_PROBE_HEIGHT:
			*out++ = read_height(w, probe);
			break;
		case SPATE_PROBE_FRONT:
			*out++ = read_front(w, probe);
			break;
		case SPATE_PROBE_FLUX:
			*out++ = w->state.flux[p] * w->model.def.fps;
			w->state.flux[p] = 0.0;
			break;
		case SPATE_PROBE_FORCE:
			read_force(w, probe, out);
			out += FORCE_COLUMNS;
			break;
		case SPATE_PROBE_COUNT:
			break;
		}
	}
}
