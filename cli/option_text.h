// Queries of argp's tables, for manual pages and completion scripts.
#ifndef CLI_OPTION_TEXT_H
#define CLI_OPTION_TEXT_H

#include "cli/command.h"
#include "cli/report.h"

#include <argp.h>
#include <ctype.h>
#include <string.h>

// argp adds this option to every command.
static const struct argp_option option_help = {"help", '?', NULL, 0, "Show the options and examples", 0};

static inline int option_is_last(const struct argp_option *o)
{
	return !o->name && !o->key && !o->doc;
}

// The letter of a short option, 0 for none.
static inline int option_letter(const struct argp_option *o)
{
	return o->key > ' ' && o->key < 127 ? o->key : 0;
}

// Whether the name lists all possible values: lower-case words separated by '|'.
static inline int argument_is_list(const char *name)
{
	if (!strchr(name, '|'))
		return 0;
	while (*name && !isupper((unsigned char)*name))
		name++;
	return !*name;
}

static inline int argument_is_scene(const char *name)
{
	return strcmp(name, "SCENE") == 0;
}

static inline int argument_is_path(const char *name)
{
	static const char *const paths[] = {"FILE", "DIR", "DIR|FILE", "OUT", "FOLDER"};
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
		if (strcmp(name, paths[i]) == 0)
			return 1;
	return 0;
}

#endif
