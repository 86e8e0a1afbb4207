// A heavy liquid over one a third as dense, with one wave on the interface between them: how far bubble and spike come.
#include "measure.h"

// X. He, S. Chen, R. Zhang: A lattice Boltzmann scheme for incompressible multiphase flow and its application in simulation of
// Rayleigh-Taylor instability, 1999. Density ratio 3 (Atwood number 0.5), W sqrt(g W) / nu = 256; two dimensions, W wide and 4 W high,
// interface at y = 2 W + 0.1 W cos(2 pi x / W). Time in sqrt(W / g), heights in 4 W.
typedef struct fronts
{
	double time, bubble, spike;
} fronts;

static const fronts he[] = {
    {0.00632, 0.522415, 0.473485},   {0.02701, 0.5227275, 0.473485},  {0.17989, 0.5250275, 0.473485},
    {0.28073, 0.526515, 0.472465},   {0.3067, 0.526895, 0.47159},     {0.49351, 0.5321625, 0.464015},
    {0.49442, 0.5321975, 0.46399},   {0.7204, 0.5408625, 0.4583325},  {0.93385, 0.548955, 0.445075},
    {0.94191, 0.5492425, 0.4446425}, {1.10063, 0.5544325, 0.4375},    {1.20906, 0.5587125, 0.429685},
    {1.39406, 0.56755, 0.4147725},   {1.64745, 0.5805975, 0.39394},   {1.6633, 0.58144, 0.3925425},
    {1.97415, 0.5978925, 0.3636375}, {2.06412, 0.6022725, 0.35512},   {2.3675, 0.6160075, 0.3257575},
    {2.6586, 0.6287875, 0.2962875},  {2.6675, 0.62918, 0.295455},     {3.0209, 0.6449675, 0.2651525},
    {3.2464, 0.6553025, 0.2455425},  {3.48763, 0.6666025, 0.223485},  {3.69394, 0.6761375, 0.2035675},
    {3.89431, 0.6848875, 0.1837125}, {4.08135, 0.6931825, 0.1655375}, {4.12765, 0.69532, 0.160985},
    {4.44097, 0.7101975, 0.1287875}, {4.5623, 0.71591, 0.115355},     {4.67426, 0.7210375, 0.1022725},
    {4.88088, 0.73015, 0.0776525},   {4.98978, 0.7348475, 0.06394},
};

enum
{
	HE = sizeof he / sizeof *he,
	THICK = 6, // particles between the front and the back wall
	FPS = 10   // frames per unit of time
};

static const double width = 1, gravity = 9.81;

// Without friction walls are planes of symmetry, which the published flow has at its sides as well. Above the liquid is air.
static spate_world *make_column(int across)
{
	scene s;
	double d = width / across, depth = THICK * d;
	scene_init(&s, d);
	s.def.fluid_count = 2;
	s.def.fps = FPS * sqrt(gravity / width);
	s.fluids[1].density = s.fluids[0].density / 3;
	s.fluids[0].viscosity = s.fluids[1].viscosity = width * sqrt(gravity * width) / 256;
	add_collider(&s, box_shape(0, 0, 0, width, 4.5 * width, depth), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, width, 4 * width, depth));
	spate_world *w = scene_create(&s);
	for (uint32_t row = 0; row < spate_world_store(w)->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		spate_world_store(w)->fluid[row] = p[1] < width * (2 + 0.1 * cos(2 * pi * p[0] / width));
	}
	return w;
}

// Height (4 W) in a strip four spacings wide at x below which the heavy liquid falls short of the light one: from it downwards the light
// liquid has at least half of every slab of a spacing. In the middle that is the spike's tip, at the sides the bubble's.
static double front_at(spate_world *w, int across, double x)
{
	static uint32_t count[2][1024];
	const double d = width / across;
	memset(count, 0, sizeof count);
	for (uint32_t row = 0; row < spate_world_store(w)->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		int slab = (int)(p[1] / d);
		if (fabs(p[0] - x) < 2 * d && slab >= 0 && slab < 1024)
			count[spate_world_store(w)->fluid[row]][slab]++;
	}
	double last = 0;
	for (int slab = 0; slab < 1024; slab++)
	{
		double all = count[0][slab] + count[1][slab], heavy = all > 0 ? count[0][slab] / all : 1;
		if (heavy > 0.5)
			return (slab + 0.5 - (heavy - 0.5) / (heavy - last)) * d / (4 * width);
		last = heavy;
	}
	return NAN;
}

static fronts measure_fronts(spate_world *w, int across)
{
	double left = front_at(w, across, 2 * width / across), right = front_at(w, across, width - 2 * width / across);
	return (fronts){spate_world_time(w) * sqrt(gravity / width), 0.5 * (left + right),
			front_at(w, across, 0.5 * width)};
}

// Between the two rows of the table around a time.
static fronts published_at(double time)
{
	int n = 1;
	while (n < HE - 1 && he[n].time < time)
		n++;
	double share = (time - he[n - 1].time) / (he[n].time - he[n - 1].time);
	return (fronts){time, he[n - 1].bubble + share * (he[n].bubble - he[n - 1].bubble),
			he[n - 1].spike + share * (he[n].spike - he[n - 1].spike)};
}

static void fronts_of_one_wave(void **state)
{
	(void)state;
	static const int resolutions[] = {24, 48};
	int good = 1;
	for (size_t n = 0; n < sizeof resolutions / sizeof *resolutions; n++)
	{
		spate_world *w = make_column(resolutions[n]);
		double worst[2] = {0, 0}, early = 0;
		char name[128];
		for (int frame = 1; frame < 5 * FPS; frame++)
		{
			run_frame(w);
			fronts own = measure_fronts(w, resolutions[n]), other = published_at(own.time);
			worst[0] = fmax(worst[0], fabs(own.bubble - other.bubble));
			worst[1] = fmax(worst[1], fabs(own.spike - other.spike));
			if (frame <= 4 * FPS)
				early = fmax(worst[0], worst[1]);
			if (frame % FPS != 0)
				continue;
			snprintf(name, sizeof name, "Rayleigh-Taylor 3:1, bubble at t = %d, W/%d", frame / FPS,
				 resolutions[n]);
			good &=
			    evidence_compare(name, own.bubble, other.bubble, "4 W", "He, Chen and Zhang 1999, Re 256");
			snprintf(name, sizeof name, "Rayleigh-Taylor 3:1, spike at t = %d, W/%d", frame / FPS,
				 resolutions[n]);
			good &=
			    evidence_compare(name, own.spike, other.spike, "4 W", "He, Chen and Zhang 1999, Re 256");
		}
		snprintf(name, sizeof name, "Rayleigh-Taylor 3:1, largest distance of the bubble, W/%d",
			 resolutions[n]);
		good &= evidence_at_most(name, worst[0], 0.025, "4 W",
					 "from the published one, up to t = 4.9; a tenth of W");
		snprintf(name, sizeof name, "Rayleigh-Taylor 3:1, largest distance of the spike, W/%d", resolutions[n]);
		good &= evidence_at_most(name, worst[1], 0.025, "4 W",
					 "from the published one, up to t = 4.9; a tenth of W");
		snprintf(name, sizeof name, "Rayleigh-Taylor 3:1, largest distance of both up to t = 4, W/%d",
			 resolutions[n]);
		good &= evidence_at_most(name, early, 0.1, "4 W", "a tenth of the height of the domain");
		spate_world_destroy(w);
	}
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(fronts_of_one_wave),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
