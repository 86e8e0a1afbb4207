// The table of benchmarks, and their shared code: options, stopwatch, progress.
//
// A benchmark reports the best of several runs, mostly in ns per particle, and ratios to baselines measured in the same run.
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "spate/result.h"
#include "spate/solver.h"

#include <stdint.h>

typedef struct bench_options
{
	int threads;
	int runs;           // the best of them counts
	int quick;          // small sizes: checks that the benchmark works, the numbers mean little
	int json;           // one JSON object on one line instead of tables
	int quiet;          // no progress
	const char *solver; // of scenes that do not name theirs; NULL for the default
} bench_options;

// Measures and prints to stdout.
typedef spate_result bench_function(const bench_options *options, spate_error *error);

// name, summary
#define BENCH_MAP(X)                                                                                                 \
	X(neighbours, "keys, sorting, cell map and neighbour lists, against older ways to search and to sort")       \
	X(pbf, "stages and steps of the position-based solver, against a plain scalar one")                          \
	X(collide, "distance fields of meshes: sampling, building, reading back; what contact with meshes costs")    \
	X(solvers, "every solver on the same scenes: time, density error by one measure, energy, level, waves")      \
	X(quality, "one second of a dam break at each quality: time and density error")                              \
	X(sph, "the SPH solvers: steps of wcsph, frames of pcisph")                                                  \
	X(table1, "two liquids and a dam break as in a published table: time for 16 ms, and memory")                 \
	X(frame, "writing and reading a frame, time and bytes")                                                      \
	X(export, "writing particles in formats of other programs, time and bytes")                                  \
	X(preview, "drawing a picture")                                                                              \
	X(surface, "meshing a liquid, against OpenVDB's particles to level set and to mesh")                         \
	X(adaptive, "iterations per particle as in a published table: time, density and pictures against plain PBF") \
	X(forces, "wind, vortices, noise and formulas: time per particle, and as a share of a step")                 \
	X(fountain, "whether a run gets slower with age: time per particle, memory and calls to the heap")           \
	X(coupling, "rigid bodies in a tank, against the same shapes as colliders: what coupling costs")             \
	X(threads, "steps on one thread and on several, alone and beside a busy process per core")

#define X(name, summary) bench_function bench_##name;
BENCH_MAP(X)
#undef X

// Seconds since some moment, and processor time of all threads of the process.
double bench_wall_seconds(void);
double bench_cpu_seconds(void);

// Keeps the shortest time between start and stop. All zero is a stopwatch that has not run.
typedef struct stopwatch
{
	double started; // s
	double best;    // s
	int runs;
} stopwatch;

void stopwatch_start(stopwatch *watch);
void stopwatch_stop(stopwatch *watch);

// Adds a time (s) measured elsewhere.
void stopwatch_add(stopwatch *watch, double seconds);

// The best time divided by the number of particles.
double stopwatch_ns_per(const stopwatch *watch, uint32_t particles);

// Shows on stderr what is being measured, as a line that is redrawn on a terminal. Not shown for quick runs.
void bench_progress(const bench_options *options, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Wipes the line before results are printed.
void bench_progress_end(const bench_options *options);

// Thread counts to measure with: one, and the number in the options. Returns how many there are.
int bench_thread_counts(const bench_options *options, int threads[2]);

// Sets the type of a solver's definition to the one in the options.
void bench_choose_solver(const bench_options *options, spate_solver_def *def);

// Prints the head of a report: a line of text, which ends with `about`, or an open JSON object with the settings.
void bench_print_head(const bench_options *options, const char *name, const char *about);

#endif
