// The table of commands: one file per command, one function each.
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "spate/scene.h"

// Exit codes of every command; one that a signal stopped gives interrupt_code().
enum
{
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_MISUSE = 2
};

// argv[0] is "spate NAME", so that argp's messages read well.
typedef int command_function(int argc, char **argv);

// clang-format off
#define COMMAND_MAP(X)                                                         \
	X(run, "simulate a scene file")                                        \
	X(check, "read a scene: all its problems, or what a run will take")    \
	X(info, "what a run's directory, a frame, a mesh or a scene contains")  \
	X(mesh, "surfaces of the liquid in a run, or of a file of particles")   \
	X(preview, "pictures and a movie of a run")                            \
	X(plot, "plots of probes and statistics of a run")                     \
	X(example, "list the built-in scenes, write one")                      \
	X(bench, "measure speed: spate bench neighbours")
// clang-format on

// All problems of a scene on stderr, as file:line:column: error: path: sentence.
void command_print_problems(const char *file, const spate_problems *problems);

#define X(name, summary) command_function command_##name;
COMMAND_MAP(X)
#undef X

#endif
