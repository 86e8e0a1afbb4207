// spate bench fountain: whether a run gets slower with age. Particles of a fountain are born and die for a thousand frames, and their number
// stays the same. Time per particle, memory and calls to the heap, in a hundred frames after the first hundred and in the last hundred.
//
// Two worlds are stepped in turn, frame by frame: one is old, the other has just become steady. So whatever else the machine is doing slows down
// both, and time is that of the processor.
#include "base/memory.h"
#include "bench/bench.h"
#include "spate/world.h"

#include <stdio.h>

typedef struct fountain_size
{
	double spacing;              // m
	uint32_t young, old, frames; // where each world is when it is measured, and for how long
} fountain_size;

static const fountain_size full_size = {0.0125, 100, 900, 100}, quick_size = {0.02, 20, 40, 10};

// A world in the frames that count.
typedef struct age
{
	const char *name;
	spate_world *world;
	uint32_t from; // frame
	double cpu;    // s
	uint64_t particle_steps, steps, heap_calls;
	size_t bytes, bytes_before; // held by the world: after the frames, before them
	double drift;               // of the number of particles
} age;

enum
{
	YOUNG,
	OLD,
	AGES
};

static spate_result create(spate_world **world, double spacing, const bench_options *options, spate_error *error)
{
	spate_world_def def = spate_default_world_def();
	spate_fluid_def water = spate_default_fluid_def();
	spate_source_def jet = spate_default_source_def();
	spate_sink_def ground = spate_default_sink_def();
	const double direction[3] = {0.2, 1.0, 0.0};
	water.spacing = spacing;
	jet.type = SPATE_SOURCE_EMITTER;
	jet.position[1] = 0.02;
	for (int k = 0; k < 3; k++)
		jet.direction[k] = direction[k];
	jet.radius = 0.04;
	jet.flow = 8e-3;
	jet.jitter = 0.2;
	ground.shape = (spate_shape){.type = SPATE_SHAPE_PLANE, .b = {0.0, 1.0, 0.0}};
	def.fps = 25.0;
	def.threads = options->threads;
	def.fluids = &water, def.fluid_count = 1;
	def.sources = &jet, def.source_count = 1;
	def.sinks = &ground, def.sink_count = 1;
	bench_choose_solver(options, &def.solver);
	return spate_world_create(world, &def, error);
}

static spate_result run_to(spate_world *world, uint32_t frame, spate_error *error)
{
	spate_result result = SPATE_OK;
	while (result == SPATE_OK && spate_world_frame(world) < frame)
		result = spate_world_step(world, NULL, error);
	return result;
}

static spate_result measure_frame(age *a, spate_error *error)
{
	uint32_t frame = spate_world_frame(a->world);
	uint64_t calls = mem_get_stats().calls;
	double before = bench_cpu_seconds();
	spate_result result = SPATE_OK;
	while (result == SPATE_OK && spate_world_frame(a->world) == frame)
	{
		result = spate_world_step(a->world, NULL, error);
		a->particle_steps += spate_world_stats(a->world)->particles;
		a->steps++;
	}
	a->cpu += bench_cpu_seconds() - before;
	a->heap_calls += mem_get_stats().calls - calls;
	return result;
}

static spate_result measure(const fountain_size *size, age ages[AGES], const bench_options *options, spate_error *error)
{
	spate_result result = SPATE_OK;
	for (int n = 0; n < AGES && result == SPATE_OK; n++)
	{
		bench_progress(options, "%u frames of a fountain", ages[n].from);
		result = create(&ages[n].world, size->spacing, options, error);
		if (result == SPATE_OK)
			result = run_to(ages[n].world, ages[n].from, error);
		if (result != SPATE_OK)
			break;
		ages[n].bytes_before = spate_world_bytes(ages[n].world);
		ages[n].drift = -(double)spate_world_stats(ages[n].world)->particles;
	}
	bench_progress(options, "%u frames of both", size->frames);
	for (uint32_t frame = 0; frame < size->frames && result == SPATE_OK; frame++)
		for (int n = 0; n < AGES && result == SPATE_OK; n++)
			result = measure_frame(&ages[n], error);
	for (int n = 0; n < AGES && result == SPATE_OK; n++)
	{
		ages[n].bytes = spate_world_bytes(ages[n].world);
		ages[n].drift += spate_world_stats(ages[n].world)->particles;
	}
	bench_progress_end(options);
	return result;
}

static double ns_of(const age *a)
{
	return 1e9 * a->cpu / (double)(a->particle_steps > 0 ? a->particle_steps : 1);
}

static double mean_of(const age *a)
{
	return (double)a->particle_steps / (double)(a->steps > 0 ? a->steps : 1);
}

static void print(const age ages[AGES], const fountain_size *size, const bench_options *options)
{
	double ratio = ns_of(&ages[OLD]) / ns_of(&ages[YOUNG]);
	bench_print_head(options, "fountain",
			 "a fountain, whose particles are born and die; processor time, each once");
	if (options->json)
		printf(",\"ratio\":%.4g,\"target_ratio\":1.05,\"rows\":[", ratio);
	else
		puts("     frames  particles  steps  ns/particle  heap calls    bytes of the world");
	for (int n = 0; n < AGES; n++)
	{
		const age *a = &ages[n];
		if (options->json)
			printf(
			    "%s{\"age\":\"%s\",\"first_frame\":%u,\"last_frame\":%u,\"particles\":%.6g,\"drift\":%.4g,"
			    "\"steps\":%llu,\"ns\":%.4g,\"heap_calls\":%llu,\"bytes_before\":%zu,\"bytes\":%zu}",
			    n ? "," : "", a->name, a->from + 1, a->from + size->frames, mean_of(a), a->drift,
			    (unsigned long long)a->steps, ns_of(a), (unsigned long long)a->heap_calls, a->bytes_before,
			    a->bytes);
		else
			printf("%4u .. %4u %10.0f %6llu %12.1f %11llu %10zu .. %zu\n", a->from + 1,
			       a->from + size->frames, mean_of(a), (unsigned long long)a->steps, ns_of(a),
			       (unsigned long long)a->heap_calls, a->bytes_before, a->bytes);
	}
	if (options->json)
		puts("]}");
	else
		printf("\nthe last frames take %.3f times as long per particle and step; at most 1.05 is the target\n",
		       ratio);
}

spate_result bench_fountain(const bench_options *options, spate_error *error)
{
	const fountain_size *size = options->quick ? &quick_size : &full_size;
	age ages[AGES] = {{.name = "young", .from = size->young}, {.name = "old", .from = size->old}};
	spate_result result = measure(size, ages, options, error);
	if (result == SPATE_OK)
		print(ages, size, options);
	for (int n = 0; n < AGES; n++)
		spate_world_destroy(ages[n].world);
	return result;
}
