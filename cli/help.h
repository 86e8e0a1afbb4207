// What --help prints behind the options: the part of a command's text that follows its '\v'.
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/command.h"

#include <stdio.h>

// Whether argp, with the options of a command, would find --help among the arguments.
int help_is_wanted(const command *c, int argc, char **argv);
// The help of a command on stdout; returns the exit code.
int help_print(const command *c);

// Adds a text line by line, in lines of at most `columns`. Lines that begin with two blanks are examples and stay as they are; in those with
// two more blanks behind a name, what follows begins in the same column. All others are broken between words.
void help_add_text(FILE *out, const char *text, size_t columns);

#endif
