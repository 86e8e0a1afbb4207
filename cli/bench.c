// spate bench: runs one benchmark of bench/ by name, or all of them.
#include "bench/bench.h"
#include "cli/command.h"
#include "spate/threads.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct
{
	const char *name, *summary;
	bench_function *run;
} benches[] = {
#define X(name, summary) {#name, summary, bench_##name},
    BENCH_MAP(X)
#undef X
};

enum
{
	BENCHES = sizeof benches / sizeof *benches,
	MAX_RUNS = 1000,
	OPTION_JSON = 256,
	OPTION_QUICK,
	OPTION_RUNS,
	OPTION_SOLVER
};

typedef struct arguments
{
	const char *name; // NULL for all
	bench_options options;
} arguments;

static int read_number(const char *text, int most, const char *option, const struct argp_state *state)
{
	char *end;
	errno = 0;
	long value = strtol(text, &end, 10);
	if (errno || end == text || *end || value < 1 || value > most)
		argp_error(state, "%s takes a whole number from 1 to %d, not '%s'", option, most, text);
	return (int)value;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
	arguments *a = state->input;
	switch (key)
	{
	case OPTION_JSON:
		a->options.json = 1;
		return 0;
	case OPTION_QUICK:
		a->options.quick = 1;
		return 0;
	case OPTION_RUNS:
		a->options.runs = read_number(value, MAX_RUNS, "--runs", state);
		return 0;
	case OPTION_SOLVER:
		if (spate_solver_find(value) < 0)
			argp_error(state, "there is no solver '%s'", value);
		a->options.solver = value;
		return 0;
	case 't':
		a->options.threads = read_number(value, SPATE_MAX_THREADS, "--threads", state);
		return 0;
	case 'q':
		a->options.quiet = 1;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			argp_error(state, "only one NAME is allowed; '%s' is extra", value);
		a->name = strcmp(value, "all") == 0 ? NULL : value;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
    {"json", OPTION_JSON, NULL, 0, "One JSON object per benchmark, on one line", 0},
    {"threads", 't', "N", 0, "Threads to measure with (default 2)", 0},
    {"runs", OPTION_RUNS, "N", 0, "Number of runs; the fastest counts (default 5, with --quick 2)", 0},
    {"quick", OPTION_QUICK, NULL, 0, "Small sizes, to test the benchmarks; the numbers are not meaningful", 0},
    {"solver", OPTION_SOLVER, "NAME", 0,
     "Solver of 'quality' and 'table1' (default that of scenes), the only one of 'solvers'", 0},
    {"quiet", 'q', NULL, 0, "No progress on stderr", 0},
    {0}};

#define X(name, summary) "  " #name "  " summary "\n"
const struct argp command_bench_argp = {
    .options = options,
    .parser = parse,
    .args_doc = "[NAME]",
    .doc = "Measures speed, in ns per particle. Without NAME, or with 'all', every benchmark runs.\v"
	   "Benchmarks:\n" BENCH_MAP(X) "\n"
					"Examples:\n"
					"  spate bench\n"
					"  spate bench neighbours --threads 1\n"
					"  spate bench pbf --json >pbf.json\n"
					"  spate bench neighbours --quick --json | python3 -m json.tool"};
#undef X

static int run(int number, const bench_options *wanted, const char *program)
{
	spate_error error = {0};
	spate_result result = benches[number].run(wanted, &error);
	if (result == SPATE_OK && fflush(stdout) == 0)
		return EXIT_DONE;
	fprintf(stderr, "%s %s: %s\n", program, benches[number].name,
		result == SPATE_OK ? strerror(errno) : error.text);
	return EXIT_FAILED;
}

int command_bench(int argc, char **argv)
{
	arguments a = {.options = {.threads = 2}};
	if (argp_parse(&command_bench_argp, argc, argv, 0, NULL, &a))
		return EXIT_MISUSE;
	if (a.options.runs == 0)
		a.options.runs = a.options.quick ? 2 : 5;

	int found = 0, status = EXIT_DONE;
	for (int b = 0; b < BENCHES && status == EXIT_DONE; b++)
		if (!a.name || strcmp(a.name, benches[b].name) == 0)
		{
			found = 1;
			status = run(b, &a.options, argv[0]);
		}
	if (found)
		return status;
	fprintf(stderr, "%s: unknown benchmark '%s'; choose one of:\n", argv[0], a.name);
	for (int b = 0; b < BENCHES; b++)
		fprintf(stderr, "  %-12s %s\n", benches[b].name, benches[b].summary);
	return EXIT_MISUSE;
}
