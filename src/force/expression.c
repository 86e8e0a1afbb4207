// An acceleration as three formulas of place, time and velocity.
#include "bridge/expression.h"

#include "base/error.h"
#include "base/memory.h"
#include "force/expression.h"
#include "force/force.h"

const char *const force_variables[FORCE_VARIABLES] = {"x", "y", "z", "t", "vx", "vy", "vz"};

enum
{
	TIME = 3,
	VELOCITY
};

typedef struct formulas
{
	expression *parts[3];
	int uses[FORCE_VARIABLES];
} formulas;

static void unmake(void *asset)
{
	formulas *f = asset;
	for (int k = 0; k < 3 && f; k++)
		expression_free(f->parts[k]);
	mem_free(f);
}

static spate_result make(const spate_force_def *own, void **asset, spate_error *error)
{
	formulas *f = mem_calloc(1, sizeof *f);
	*asset = f;
	if (!f)
		return error_memory(error, sizeof *f);
	for (int k = 0; k < 3; k++)
	{
		uint32_t column = 0;
		spate_error problem = {0};
		const char *text = own->acceleration[k] ? own->acceleration[k] : "0";
		spate_result result =
		    expression_make(&f->parts[k], text, force_variables, FORCE_VARIABLES, &column, &problem);
		if (result != SPATE_OK)
			return error_set(error, result, "the acceleration along %c of a force, column %u: %s", 'x' + k,
					 column, problem.text);
		for (uint32_t n = 0; n < FORCE_VARIABLES; n++)
			f->uses[n] |= expression_uses(f->parts[k], n);
	}
	return SPATE_OK;
}

static int setup(const spate_world_def *def, const spate_force_def *own, double *values)
{
	(void)def, (void)own, (void)values;
	return 1;
}

static force_bound bound(const force_entry *force, double speed)
{
	(void)speed;
	const formulas *f = force->asset;
	int moving = f && (f->uses[VELOCITY] || f->uses[VELOCITY + 1] || f->uses[VELOCITY + 2]);
	return (force_bound){.unknown = 1, .by_velocity = moving};
}

static void fill(const formulas *f, const force_rows *rows, double (*columns)[FORCE_ROWS])
{
	for (size_t row = 0; row < rows->count; row++)
	{
		vec4 x = rows->positions[row];
		columns[0][row] = (double)x.x + rows->origin[0];
		columns[1][row] = (double)x.y + rows->origin[1];
		columns[2][row] = (double)x.z + rows->origin[2];
		columns[TIME][row] = rows->time;
	}
	if (!f->uses[VELOCITY] && !f->uses[VELOCITY + 1] && !f->uses[VELOCITY + 2])
		return;
	for (size_t row = 0; row < rows->count; row++)
	{
		vec4 v = rows->velocities[row];
		columns[VELOCITY][row] = (double)v.x;
		columns[VELOCITY + 1][row] = (double)v.y;
		columns[VELOCITY + 2][row] = (double)v.z;
	}
}

static void accelerate(const force_entry *force, const force_rows *rows, const float *weights, const force_sum *sum)
{
	const formulas *f = force->asset;
	double columns[FORCE_VARIABLES][FORCE_ROWS], out[3][FORCE_ROWS];
	const double *values[FORCE_VARIABLES];
	for (int n = 0; n < FORCE_VARIABLES; n++)
		values[n] = columns[n];
	fill(f, rows, columns);
	for (int k = 0; k < 3; k++)
		expression_evaluate(f->parts[k], values, rows->count, out[k]);
	// what is not defined somewhere does no harm where the force does not act
	for (size_t row = 0; row < rows->count; row++)
		if (weights[row] > 0.0f)
			sum->accelerations[row] = vec3_add_scaled(
			    sum->accelerations[row],
			    vec3_make((float)out[0][row], (float)out[1][row], (float)out[2][row]), weights[row]);
}

const force_type force_expression = {
    .setup = setup, .bound = bound, .accelerate = accelerate, .make = make, .unmake = unmake};
