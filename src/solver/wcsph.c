// Weakly compressible SPH (docs/theory/wcsph.md): pressure follows from density by an equation of state, stiff enough that density changes
// little. Mueller, Charypar, Gross: Particle-based fluid simulation for interactive applications, 2003; the stiffness after Becker,
// Teschner: Weakly compressible SPH for free surface flows, 2007.
//
//   walls and images, C and its rate  <-  places at the start of the substep
//   p  = K C, or K / 7 ((1 + C)^7 - 1);  K = density c^2
//   v += dt (g - grad p / density), viscosity;  x += dt v
#include "base/error.h"
#include "base/parallel.h"
#include "solver/motion.h"
#include "solver/pairs.h"
#include "solver/sph.h"
#include "solver/tension.h"
#include "solver/viscosity.h"

// Rows of the settings.
enum
{
	EQUATION,
	INTEGRATOR,
	COMPRESSION,
	SOUND_SPEED,
	COURANT,
	SOUND_DAMPING,
	CALMING,
	SUCTION,
	SETTING_COUNT
};

enum
{
	EQUATION_GAS,
	EQUATION_TAIT
};

enum
{
	INTEGRATOR_EULER,
	INTEGRATOR_LEAPFROG
};

// Exponent of Tait's equation, and the compression from which on it goes on straight: it would be too stiff for the substep.
#define TAIT_EXPONENT 7
#define TAIT_STRAIGHT 0.1f

// Longest substep that pressure is stable with, in units of spacing / speed of sound. The lattice allows twice as much.
#define MOST_STRIDE 0.7

// Change of the speed of sound from one substep to the next: liquid under pressure must not feel it.
#define MOST_RISE 1.03
#define MOST_FALL 0.998

// Liquid that gravity begins to compress swings about its weight. Stiffer liquid at the start has a smaller swing, which shrinks further while
// the speed of sound falls slowly.
#define START 3.0

// Lowest speed of sound (m/s).
#define LEAST_SOUND 0.1

// Travel of liquid in a substep, in kernel radii.
#define CFL 0.2

typedef struct wcsph
{
	sph_lattice lattice;
	double sound; // m/s, in the densest liquid in the last substep; 0 before the first
	double dt;    // s, of the last substep
} wcsph;

static spate_result create(void **solver, spate_error *error)
{
	wcsph *s = mem_alloc(sizeof *s);
	if (!s)
		return error_memory(error, sizeof *s);
	*s = (wcsph){.lattice = sph_lattice_make()};
	*solver = s;
	return SPATE_OK;
}

static void destroy(void *solver)
{
	mem_free(solver);
}

static void save(const void *solver, byte_writer *to)
{
	const wcsph *own = solver;
	bytes_put_double(to, own->sound);
	bytes_put_double(to, own->dt);
}

static spate_result load(void *solver, uint32_t version, byte_reader *reader, spate_error *error)
{
	(void)version;
	wcsph *own = solver;
	own->sound = bytes_get_double(reader);
	own->dt = bytes_get_double(reader);
	if (!(own->sound >= 0.0 && own->sound < 1e9 && own->dt >= 0.0 && own->dt < 1e9))
		return error_set(error, SPATE_FORMAT, "its speed of sound or last substep is impossible");
	return SPATE_OK;
}

static const solver_state state = {.name = "wcsph", .version = 1, .save = save, .load = load};

// ------------------------------------------------------------------------------------------------------ speed of sound

static double compression_of(const step_view *s)
{
	static const double table[SPATE_QUALITY_COUNT] = {
	    [SPATE_QUALITY_DRAFT] = 0.02, [SPATE_QUALITY_NORMAL] = 0.01, [SPATE_QUALITY_HIGH] = 0.005};
	double own = s->settings->own[COMPRESSION];
	return own > 0.0 ? own : table[s->settings->quality];
}

// The speed of sound at which liquid that moves with a speed or falls through its depth is compressed as little as is asked for.
static double wanted_sound(const step_view *s, double depth, double speed)
{
	if (s->settings->own[SOUND_SPEED] > 0.0)
		return s->settings->own[SOUND_SPEED];
	double fall = sqrt(2.0 * s->forces->most * fmax(depth, sph_finest(s)));
	return fmax(fmax(sph_speed(s, speed), fall) / sqrt(compression_of(s)), LEAST_SOUND);
}

// That of the next substep.
static double next_sound(const wcsph *own, const step_view *s, double depth, double speed)
{
	double wanted = wanted_sound(s, depth, speed);
	if (s->settings->own[SOUND_SPEED] > 0.0)
		return wanted;
	return own->sound > 0.0 ? fmin(fmax(wanted, MOST_FALL * own->sound), MOST_RISE * own->sound) : START * wanted;
}

// Speed of sound of the lightest liquid relative to that of the densest: all have the same stiffness.
static double lightness(const step_view *s)
{
	return sqrt(pairs_density_ratio(s));
}

static double longest_step(const void *solver, const step_view *s, const step_state *now)
{
	double speed = fmax(now->bulk_speed, now->outer_speed);
	double sound = next_sound(solver, s, now->depth, speed) * lightness(s);
	double h = SPH_RADIUS * sph_finest(s), cfl = s->settings->cfl > 0.0 ? s->settings->cfl : CFL;
	double waves = s->settings->own[COURANT] * h / (sound + speed);
	return fmin(waves, fmin(motion_longest_step(s, now, cfl), tension_longest_step(s)));
}

// ---------------------------------------------------------------------------------------------------------------- step

// Time for which forces act: that between the middles of the last substep and of this one, if velocities are those of middles.
static double kick_of(const wcsph *own, const step_view *s)
{
	double dt = (double)s->dt;
	return s->settings->own[INTEGRATOR] == INTEGRATOR_LEAPFROG ? 0.5 * (own->dt + dt) : dt;
}

static spate_result prepare(const void *solver, const step_view *s, int *runaways, spate_error *error)
{
	(void)error;
	step_view view = *s;
	view.dt = (float)kick_of(solver, s);
	*runaways = motion_accelerate(&view);
	return SPATE_OK;
}

typedef struct press_task
{
	sph_work *work;
	float stiffness; // Pa
	float damping;   // Pa s, times the rate of compression
	float suction;
	int tait;
} press_task;

static float tait(float c)
{
	float x = 1.0f + fminf(c, TAIT_STRAIGHT), x2 = x * x, x6 = x2 * x2 * x2;
	return (x6 * x - 1.0f) / (float)TAIT_EXPONENT + x6 * fmaxf(c - TAIT_STRAIGHT, 0.0f);
}

static void press_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const press_task *t = context;
	sph_work *w = t->work;
	for (size_t row = begin; row < end; row++)
	{
		float c = w->errors[row], p = t->stiffness * (t->tait ? tait(fmaxf(c, -1.0f)) : c);
		// what is damped is sound, not the splash of liquid that meets liquid
		w->pressure[row] = p > 0.0f ? fmaxf(p + t->damping * w->rates[row], 0.0f) : t->suction * p;
	}
}

static void press(sph_work *w, const wcsph *own)
{
	const step_view *s = w->view;
	const double *settings = s->settings->own;
	double densest = pairs_densest(s), h = SPH_RADIUS * sph_finest(s);
	press_task t = {.work = w,
			.stiffness = (float)(densest * own->sound * own->sound),
			.damping = (float)(settings[SOUND_DAMPING] * sph_lightest(s) * own->sound * lightness(s) * h),
			.suction = (float)settings[SUCTION],
			.tait = settings[EQUATION] == EQUATION_TAIT};
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, press_rows, &t);
	sph_set_pressure(w, w->pressure);
}

static spate_result step(void *solver, const step_view *s, solver_report *report, spate_error *error)
{
	wcsph *own = solver;
	sph_work w;
	spate_result result = sph_start(&w, &own->lattice, s, (float)kick_of(own, s), error);
	if (result != SPATE_OK)
		return result;
	sph_measure(&w);
	sph_report(&w, report);
	result = sph_thicken(&w, error);
	if (result != SPATE_OK)
		return result;
	// a substep that is too long for the stiffness gets softer liquid
	double most = MOST_STRIDE * sph_finest(s) / ((double)s->dt * lightness(s));
	own->sound = fmin(next_sound(own, s, s->depth, s->speed), most);
	own->dt = (double)s->dt;
	press(&w, own);
	sph_rub(&w);
	w.calming = (float)(s->settings->own[CALMING] * own->sound * lightness(s) / sph_finest(s));
	sph_push(&w, 1);
	report->iterations = 1;
	return sph_finish(&w, report, error);
}

static spate_result settle(const void *solver, const step_view *s, solver_settling *settling, solver_report *report,
			   spate_error *error)
{
	return sph_settle(&((const wcsph *)solver)->lattice, s, settling, report, error);
}

static spate_result weigh(const void *solver, const step_view *s, solver_report *report, spate_error *error)
{
	return sph_weigh(&((const wcsph *)solver)->lattice, s, report, error);
}

// ------------------------------------------------------------------------------------------------------------- settings

static const spate_word equations[] = {{"gas", EQUATION_GAS, "pressure in proportion to compression"},
				       {"tait", EQUATION_TAIT, "Tait's equation with the exponent 7"},
				       {NULL, 0, NULL}};

static const spate_word integrators[] = {
    {"euler", INTEGRATOR_EULER, "symplectic Euler: velocities are those of the end of a substep"},
    {"leapfrog", INTEGRATOR_LEAPFROG, "velocities are those of the middle of a substep"},
    {NULL, 0, NULL}};

static const spate_setting settings[SETTING_COUNT] = {
    [EQUATION] = {.name = "equation",
		  .kind = SPATE_SETTING_WORD,
		  .live = 1,
		  .words = equations,
		  .example = "tait",
		  .doc = "How pressure follows from density."},
    [INTEGRATOR] = {.name = "integrator",
		    .kind = SPATE_SETTING_WORD,
		    .words = integrators,
		    .example = "leapfrog",
		    .doc = "How particles are moved."},
    [COMPRESSION] = {.name = "compression",
		     .live = 1,
		     .above_min = 1,
		     .max = 0.5,
		     .word = "auto",
		     .example = "0.01",
		     .doc = "Change of density that the speed of sound is chosen for: 0.01 is one percent where liquid "
			    "that falls through its depth, or moves as fast as the fastest, is stopped. `auto` goes by "
			    "the quality."},
    [SOUND_SPEED] = {.name = "sound_speed",
		     .live = 1,
		     .above_min = 1,
		     .max = 1e5,
		     .word = "auto",
		     .unit = "m/s",
		     .example = "30",
		     .doc = "Speed of sound, in place of the one that follows from `compression`."},
    [COURANT] = {.name = "courant",
		 .live = 1,
		 .above_min = 1,
		 .max = 0.5,
		 .initial = 0.35,
		 .example = "0.3",
		 .doc = "Travel of sound per substep, in kernel radii."},
    [SOUND_DAMPING] = {.name = "sound_damping",
		       .live = 1,
		       .max = 0.5,
		       .initial = 0.3,
		       .example = "0.2",
		       .doc = "Damping of sound: a viscosity against compression alone, in units of speed of sound and "
			      "kernel radius."},
    [CALMING] = {.name = "calming",
		 .live = 1,
		 .max = 0.5,
		 .initial = 0.15,
		 .example = "0.1",
		 .doc =
		     "Rate at which the shortest velocity fluctuations die, in units of speed of sound over spacing."},
    [SUCTION] = {.name = "suction",
		 .live = 1,
		 .max = 1,
		 .example = "0.1",
		 .doc = "Part of negative pressure that acts: with more than 0 the surface clumps."}};

// Measured on a shear wave: what calming takes, in units of spacing^2 / substep.
#define CALMED 6e-4

static double numerical_viscosity(const spate_fluid_def *fluid, double gravity, double dt)
{
	(void)gravity;
	return CALMED * fluid->spacing * fluid->spacing / dt;
}

// Cost of a substep in iterations of PBF: three passes over pairs and the images.
#define PASSES 9.0

static solver_cost cost(const void *solver, const step_view *s, double share)
{
	(void)solver, (void)share;
	solver_cost cost = {.iterations = PASSES};
	cost.rounds = viscosity_rounds(s, &cost.implicit);
	return cost;
}

const solver_type solver_wcsph = {.radius = SPH_RADIUS,
				  .shear = 1,
				  .contrast = SPH_CONTRAST,
				  .settings = {settings, SETTING_COUNT},
				  .fields = {&sph_acceleration, 1},
				  .state = &state,
				  .create = create,
				  .destroy = destroy,
				  .longest_step = longest_step,
				  .prepare = prepare,
				  .step = step,
				  .settle = settle,
				  .weigh = weigh,
				  .numerical_viscosity = numerical_viscosity,
				  .cost = cost};
