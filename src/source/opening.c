// Openings of emitters: their size, what they pour, and the columns in which particles leave them.
#include "source/source_work.h"

#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

// --------------------------------------------------------------------------------------------------------------- amounts

double emitter_area(const spate_source_def *def, double d)
{
	if (def->type == SPATE_SOURCE_VOLUME)
		return 0.0;
	if (def->type == SPATE_SOURCE_SURFACE)
		return def->area;
	if (def->radius > 0.0)
		return pi * def->radius * def->radius;
	return def->width * (def->height > 0.0 ? def->height : d);
}

// The flow that a definition states (m^3/s), below 0 for none.
static double stated_flow(const spate_source_def *def, double d)
{
	if (def->count > 0)
		return (double)def->count * d * d * d / (def->stop - def->start);
	return def->flow;
}

// Area of the jet (m^2): a given flow at a given speed does not need the whole opening.
static double jet_area(const spate_source_def *def, double d)
{
	double area = emitter_area(def, d), flow = stated_flow(def, d);
	return flow > 0.0 && def->speed > 0.0 ? fmin(area, flow / def->speed) : area;
}

double emitter_speed(const spate_source_def *def, double d)
{
	double flow = stated_flow(def, d), area = emitter_area(def, d);
	if (def->type == SPATE_SOURCE_VOLUME)
		return hypot(hypot(def->velocity[0], def->velocity[1]), def->velocity[2]);
	if (flow == 0.0)
		return 0.0;
	return flow > 0.0 && def->speed < 0.0 ? (area > 0.0 ? flow / area : 0.0) : fmax(def->speed, 0.0);
}

double emitter_fastest(const spate_source_def *def, double d)
{
	double peak = def->type != SPATE_SOURCE_EMITTER || def->profile == SPATE_PROFILE_FLAT ? 1.0
		      : def->radius > 0.0                                                     ? 2.0
		      : def->height > 0.0                                                     ? 2.25
											      : 1.5;
	return peak * emitter_speed(def, d);
}

// Columns a spacing apart along one side.
static int64_t whole_columns(double half, double d)
{
	return (int64_t)fmax(1.0, floor(2.0 * half / d + 1e-4));
}

static void half_size(const spate_source_def *def, double half[2])
{
	half[0] = def->radius > 0.0 ? def->radius : 0.5 * def->width;
	half[1] = def->radius > 0.0 ? def->radius : 0.5 * def->height;
}

static emitter_column column_at(double across, double along, double turn)
{
	return (emitter_column){.across = across, .along = along, .turn = turn - floor(turn), .share = 1.0};
}

// Calls for each column of a square lattice with the opening's spacing, or counts them without a list.
static size_t whole_lattice(const spate_source_def *def, double d, emitter_columns *list)
{
	double half[2];
	half_size(def, half);
	int64_t nu = whole_columns(half[0], d), nv = whole_columns(half[1], d);
	size_t count = 0;
	for (int64_t j = 0; j < nv; j++)
		for (int64_t i = 0; i < nu; i++)
		{
			double a = ((double)i + 0.5 - 0.5 * (double)nu) * d,
			       b = ((double)j + 0.5 - 0.5 * (double)nv) * d,
			       turn = 0.7548776662466927 * (double)i + 0.5698402909980532 * (double)j;
			if (def->radius > 0.0 && a * a + b * b > def->radius * def->radius)
				continue;
			if (list && !array_push(list, column_at(a, b, turn)))
				return 0;
			count++;
		}
	return count;
}

double emitter_apart(const spate_source_def *def, double d)
{
	if (def->type == SPATE_SOURCE_VOLUME)
		return d;
	if (def->type == SPATE_SOURCE_SURFACE || stated_flow(def, d) >= 0.0)
		return d * d * d / jet_area(def, d);
	return d / (double)whole_lattice(def, d, NULL);
}

double emitter_pace(const spate_source_def *def, double d)
{
	return def->type == SPATE_SOURCE_VOLUME ? emitter_flow(def, d) / (d * d) : emitter_speed(def, d);
}

double emitter_flow(const spate_source_def *def, double d)
{
	// a volume, and a surface that has not been measured, are taken at their word
	if (def->type == SPATE_SOURCE_VOLUME || (def->type == SPATE_SOURCE_SURFACE && !(def->area > 0.0)))
		return fmax(stated_flow(def, d), 0.0);
	return emitter_speed(def, d) / emitter_apart(def, d) * d * d * d;
}

void emitter_size(const spate_source_def *def, double d, double half[2])
{
	double share = jet_area(def, d) / emitter_area(def, d);
	half_size(def, half);
	half[0] *= def->height > 0.0 || def->radius > 0.0 ? sqrt(share) : share;
	half[1] = def->height > 0.0 || def->radius > 0.0 ? half[1] * sqrt(share) : 0.5 * d;
}

// --------------------------------------------------------------------------------------------------------------- columns

// A place on a square lattice around the middle of a disc, in half spacings.
typedef struct disc_site
{
	int64_t u, v, far2;
} disc_site;

static int compare_sites(const void *left, const void *right)
{
	const disc_site *a = left, *b = right;
	if (a->far2 != b->far2)
		return a->far2 < b->far2 ? -1 : 1;
	if (a->v != b->v)
		return a->v < b->v ? -1 : 1;
	return a->u < b->u ? -1 : a->u > b->u;
}

typedef ARRAY(disc_site) disc_sites;

// All sites of a lattice that may be wanted, by their distance from the middle, which is a site or the middle of four.
static int list_sites(disc_sites *sites, double radius, double d, int centred)
{
	int64_t most = 2 * (int64_t)ceil(radius / d + 1.0) + !centred;
	for (int64_t v = -most; v <= most; v += 2)
		for (int64_t u = -most; u <= most; u += 2)
			if (u * u + v * v <= most * most && !array_push(sites, (disc_site){u, v, u * u + v * v}))
				return 0;
	qsort(sites->data, sites->count, sizeof *sites->data, compare_sites);
	return 1;
}

// The number of sites, in whole rings, that comes closest to the wanted one.
static size_t best_ring(const disc_sites *sites, double wanted)
{
	size_t best = 0;
	for (size_t n = 1; n < sites->count; n++)
		if (sites->data[n].far2 != sites->data[n - 1].far2 &&
		    (best == 0 || fabs(log((double)n / wanted)) < fabs(log((double)best / wanted))))
			best = n;
	return best;
}

// Columns in whole rings, drawn together or apart until they have the area of the disc.
static int fit_disc(emitter_columns *columns, double radius, double d)
{
	double wanted = pi * radius * radius / (d * d);
	disc_sites kinds[2] = {0};
	int made = list_sites(&kinds[0], radius, d, 0) && list_sites(&kinds[1], radius, d, 1);
	size_t counts[2] = {made ? best_ring(&kinds[0], wanted) : 0, made ? best_ring(&kinds[1], wanted) : 0};
	int centred = made && fabs(log((double)counts[1] / wanted)) < fabs(log((double)counts[0] / wanted));
	double stretch = made ? sqrt(wanted / (double)counts[centred]) : 0.0;
	for (size_t n = 0; n < counts[centred] && made; n++)
	{
		const disc_site *s = &kinds[centred].data[n];
		double turn =
		    0.7548776662466927 * floor(0.5 * (double)s->u) + 0.5698402909980532 * floor(0.5 * (double)s->v);
		made = array_push(columns,
				  column_at(0.5 * (double)s->u * d * stretch, 0.5 * (double)s->v * d * stretch, turn));
	}
	array_free(&kinds[0]);
	array_free(&kinds[1]);
	return made;
}

static int fit_rectangle(emitter_columns *columns, const double half[2], double d)
{
	int64_t nu = (int64_t)fmax(1.0, round(2.0 * half[0] / d)), nv = (int64_t)fmax(1.0, round(2.0 * half[1] / d));
	for (int64_t j = 0; j < nv; j++)
		for (int64_t i = 0; i < nu; i++)
		{
			double a = (((double)i + 0.5) / (double)nu * 2.0 - 1.0) * half[0],
			       b = (((double)j + 0.5) / (double)nv * 2.0 - 1.0) * half[1],
			       turn = 0.7548776662466927 * (double)i + 0.5698402909980532 * (double)j;
			if (!array_push(columns, column_at(a, b, turn)))
				return 0;
		}
	return 1;
}

// Poiseuille's profile of a pipe and of a slit; for a rectangle the product of two of a slit, which comes close to it.
static void shape_profile(emitter_columns *columns, const spate_source_def *def, const double half[2])
{
	double sum = 0.0;
	for (size_t c = 0; c < columns->count; c++)
	{
		emitter_column *own = &columns->data[c];
		double a = own->across / half[0], b = own->along / half[1];
		own->share = def->radius > 0.0 ? 1.0 - a * a - b * b : (1.0 - a * a) * (1.0 - b * b);
		own->share = fmax(own->share, 0.05);
		sum += own->share;
	}
	for (size_t c = 0; c < columns->count; c++)
		columns->data[c].share *= (double)columns->count / sum;
}

int emitter_compare_turns(const void *left, const void *right)
{
	const emitter_column *a = left, *b = right;
	if (a->turn != b->turn)
		return a->turn < b->turn ? -1 : 1;
	if (a->along != b->along)
		return a->along < b->along ? -1 : 1;
	if (a->across != b->across)
		return a->across < b->across ? -1 : 1;
	return a->depth < b->depth ? -1 : a->depth > b->depth;
}

// Places the columns on a square lattice over the opening. Their turns come from a dithering mask (Roberts: The unreasonable
// effectiveness of quasirandom sequences, 2018): adjacent columns emit at quite different times, so that the jet has no flat layers.
// Where a flow is given, the lattice is stretched to the area of the jet; else columns are exactly a spacing apart.
const emitter_columns *emitter_columns_of(emitter_columns *columns, const spate_source_def *def, double d)
{
	if (def->type == SPATE_SOURCE_SURFACE)
		return columns;
	int fits = stated_flow(def, d) >= 0.0;
	double half[2];
	half_size(def, half);
	if (fits)
		emitter_size(def, d, half);
	const double key[4] = {half[0], half[1], fits ? d : 0.0,
			       (double)def->profile + (def->radius > 0.0 ? 0.5 : 0.0)};
	if (columns->count > 0 && memcmp(columns->made_for, key, sizeof key) == 0)
		return columns;
	columns->count = 0;
	int made = !fits               ? whole_lattice(def, d, columns) > 0
		   : def->radius > 0.0 ? fit_disc(columns, half[0], d)
				       : fit_rectangle(columns, half, d);
	if (!made)
	{
		array_free(columns);
		return NULL;
	}
	if (def->profile != SPATE_PROFILE_FLAT)
	{
		const double line[2] = {half[0], fmax(half[1], d)};
		shape_profile(columns, def, line);
	}
	qsort(columns->data, columns->count, sizeof *columns->data, emitter_compare_turns);
	memcpy(columns->made_for, key, sizeof key);
	return columns;
}
