// The table of commands. Each command has its own file with one function and one table of options.
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "spate/scene.h"

// Exit codes of all commands; a command stopped by a signal returns interrupt_code().
enum
{
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_MISUSE = 2
};

struct argp;

// argv[0] is "spate NAME", so that argp's messages read well.
typedef int command_function(int argc, char **argv);

// clang-format off
#define COMMAND_MAP(X)                                                         \
	X(run, "simulate a scene file")                                        \
	X(check, "check a scene file and estimate the cost of a run")           \
	X(info, "describe and verify a run, a frame, a mesh or a scene")         \
	X(mesh, "create surface meshes from a run or from a particle file")     \
	X(preview, "render a run to pictures and a movie")                      \
	X(export, "write particles in a format that other programs open")       \
	X(plot, "plot probes and statistics of a run")                         \
	X(example, "list the built-in scenes or write one to a file")           \
	X(bench, "run benchmarks")                                             \
	X(completion, "print the completion script of a shell")                 \
	X(man, "print a manual page")
// clang-format on

// Prints all problems of a scene to stderr, as file:line:column: error: path: sentence.
void command_print_problems(const char *file, const spate_problems *problems);

// Options, arguments and texts are in argp's tables, from which --help, manual pages and completion scripts are generated. The name of
// an argument tells its kind: SCENE, FILE, DIR, OUT and FOLDER are paths; lower-case words separated by '|' list all possible values.
#define X(name, summary)                 \
	command_function command_##name; \
	extern const struct argp command_##name##_argp;
COMMAND_MAP(X)
#undef X

typedef struct command
{
	const char *name, *title, *summary; // the title is "spate NAME"
	command_function *run;
	const struct argp *argp;
} command;

// All commands; the name of the last entry is NULL.
extern const command commands[];
// NULL if there is no such command.
const command *command_find(const char *name);

#endif
