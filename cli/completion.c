// spate completion: generates scripts for bash and zsh from the same tables as --help.
#include "bench/bench.h"
#include "cli/built_in_scenes.h"
#include "cli/option_text.h"
#include "cli/text.h"

#include <stdio.h>

typedef struct arguments
{
	const char *shell, *output;
} arguments;

static error_t parse(int key, char *value, struct argp_state *state)
{
	arguments *a = state->input;
	switch (key)
	{
	case 'o':
		a->output = value;
		return 0;
	case ARGP_KEY_ARG:
		if (a->shell || (strcmp(value, "bash") != 0 && strcmp(value, "zsh") != 0))
			argp_error(state, "takes either bash or zsh, not '%s'", value);
		a->shell = value;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which shell: bash or zsh?");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "Write the script to this file (default stdout)", 0}, {0}};

const struct argp command_completion_argp = {
    .options = options,
    .parser = parse,
    .args_doc = "bash|zsh",
    .doc = "Prints a script that completes commands, options, their values, scene files and names in a shell.\v"
	   "'make install' installs both scripts. For zsh, FILE is named _spate and lies in a folder of $fpath.\n\n"
	   "Examples:\n"
	   "  source <(spate completion bash)\n"
	   "  spate completion bash -o ~/.local/share/bash-completion/completions/spate\n"
	   "  spate completion zsh -o ~/.zfunc/_spate"};

// ---------------------------------------------------------------------------------------------------------------- values

// Appends the names of all commands, each after a blank.
static void add_commands(FILE *out)
{
	for (const command *c = commands; c->name; c++)
		fprintf(out, " %s", c->name);
}

// Appends the words of "a|b|c", each after a blank.
static void add_list(FILE *out, const char *list)
{
	for (size_t length; *list; list += length + (list[length] == '|'))
	{
		length = strcspn(list, "|");
		fprintf(out, " %.*s", (int)length, list);
	}
}

// Appends the possible words of a command's argument, each after a blank; nothing if it is not a choice of words.
static void add_words(FILE *out, const command *c, const char *argument)
{
	if (argument_is_list(argument))
		add_list(out, argument);
	else if (strcmp(argument, "[COMMAND]") == 0)
		add_commands(out);
	else if (strcmp(c->name, "example") == 0)
		for (const built_in_file *s = built_in_scenes; s->name; s++)
			fprintf(out, " %s", s->name);
	else if (strcmp(c->name, "bench") == 0)
	{
#define X(name, summary) fprintf(out, " %s", #name);
		BENCH_MAP(X)
#undef X
		fprintf(out, " all");
	}
}

// ------------------------------------------------------------------------------------------------------------------ bash

// Appends the possible values of an argument: words, or @scene, @path or @any (which is not completed).
static void add_bash_value(FILE *out, const command *c, const char *argument, int positional)
{
	fprintf(out, "echo '");
	if (argument_is_scene(argument))
		fprintf(out, "@scene");
	else if (argument_is_path(argument))
		fprintf(out, "@path");
	else if (positional || argument_is_list(argument))
		add_words(out, c, argument);
	else
		fprintf(out, "@any");
	fprintf(out, "' ;;\n");
}

// Keys are "COMMAND" for its argument, "COMMAND --option" for the word after an option, and "COMMAND --option=" for a value attached to it.
static void add_bash_values(FILE *out, const command *c)
{
	fprintf(out, "\t%s) ", c->name);
	add_bash_value(out, c, c->argp->args_doc, 1);
	for (const struct argp_option *o = c->argp->options; !option_is_last(o); o++)
	{
		if (!o->arg)
			continue;
		fprintf(out, "\t'%s --%s='", c->name, o->name);
		if (!(o->flags & OPTION_ARG_OPTIONAL))
			fprintf(out, " | '%s --%s'", c->name, o->name);
		if (!(o->flags & OPTION_ARG_OPTIONAL) && option_letter(o))
			fprintf(out, " | '%s -%c'", c->name, option_letter(o));
		fprintf(out, ") ");
		add_bash_value(out, c, o->arg, 0);
	}
}

static void add_bash(FILE *out)
{
	fprintf(out, "# bash completion of spate, made by 'spate completion bash'\n\n"
		     "_spate_options()\n{\n\tcase \"$1\" in\n");
	for (const command *c = commands; c->name; c++)
	{
		fprintf(out, "\t%s) echo '", c->name);
		for (const struct argp_option *o = c->argp->options; !option_is_last(o); o++)
			fprintf(out, "--%s ", o->name);
		fprintf(out, "--%s' ;;\n", option_help.name);
	}
	fprintf(out, "\tesac\n}\n\n_spate_values()\n{\n\tcase \"$1\" in\n\thelp) echo '");
	add_commands(out);
	fprintf(out, "' ;;\n");
	for (const command *c = commands; c->name; c++)
		add_bash_values(out, c);
	fprintf(out, "\tesac\n}\n\n_spate_commands='help --help --version");
	add_commands(out);
	fprintf(
	    out,
	    "'\n\n"
	    "_spate()\n{\n"
	    "\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} value\n"
	    "\tCOMPREPLY=()\n"
	    "\tif [ \"$COMP_CWORD\" -le 1 ]; then\n"
	    "\t\tmapfile -t COMPREPLY < <(compgen -W \"$_spate_commands\" -- \"$word\")\n"
	    "\t\treturn\n"
	    "\tfi\n"
	    "\t# bash takes --option=value apart: three words\n"
	    "\tif [ \"$word\" = = ]; then\n"
	    "\t\tword= value=$(_spate_values \"$command $before=\")\n"
	    "\telif [ \"$before\" = = ]; then\n"
	    "\t\tvalue=$(_spate_values \"$command ${COMP_WORDS[COMP_CWORD-2]}=\")\n"
	    "\telse\n"
	    "\t\tvalue=$(_spate_values \"$command $before\")\n"
	    "\tfi\n"
	    "\tif [ -z \"$value\" ] && [[ $word == -* ]]; then\n"
	    "\t\tvalue=$(_spate_options \"$command\")\n"
	    "\telif [ -z \"$value\" ]; then\n"
	    "\t\tvalue=$(_spate_values \"$command\")\n"
	    "\tfi\n"
	    "\tcase $value in\n"
	    "\t@any) ;;\n"
	    "\t@path)\n"
	    "\t\tcompopt -o filenames\n"
	    "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$word\") ;;\n"
	    "\t@scene)\n"
	    "\t\tcompopt -o filenames\n"
	    "\t\tmapfile -t COMPREPLY < <(\n"
	    "\t\t\tcompgen -d -- \"$word\"\n"
	    "\t\t\tcompgen -f -X '!*.yaml' -- \"$word\"\n"
	    "\t\t\tcompgen -f -X '!*.yml' -- \"$word\"\n"
	    "\t\t\tcompgen -f -X '!*.json' -- \"$word\") ;;\n"
	    "\t*) mapfile -t COMPREPLY < <(compgen -W \"$value\" -- \"$word\") ;;\n"
	    "\tesac\n"
	    "}\n\n"
	    "complete -F _spate spate\n");
}

// ------------------------------------------------------------------------------------------------------------------- zsh

// Escapes text inside '...[...]' and '...:...', where quotes, brackets and colons are special.
static void add_zsh_text(FILE *out, const char *text)
{
	for (; *text; text++)
		if (*text == '\'')
			fprintf(out, "'\\''");
		else if (strchr("[]:\\", *text))
			fprintf(out, "\\%c", *text);
		else
			fprintf(out, "%c", *text);
}

// Appends ":NAME:ACTION".
static void add_zsh_value(FILE *out, const command *c, const char *argument, int positional)
{
	fprintf(out, ":");
	add_zsh_text(out, argument);
	fprintf(out, ":");
	if (argument_is_scene(argument))
		fprintf(out, "_files -g \"*.(yaml|yml|json)\"");
	else if (argument_is_path(argument))
		fprintf(out, "_files");
	else if (positional || argument_is_list(argument))
	{
		fprintf(out, "(");
		add_words(out, c, argument);
		fprintf(out, " )");
	}
	else
		fprintf(out, " ");
}

static void add_zsh_option(FILE *out, const command *c, const struct argp_option *o)
{
	int optional = (o->flags & OPTION_ARG_OPTIONAL) != 0, letter = option_letter(o);
	for (int small = 0; small <= (letter && letter != '?'); small++)
	{
		fprintf(out, " \\\n\t\t\t'");
		if (strstr(o->doc, "may be repeated"))
			fprintf(out, "*");
		else if (letter && letter != '?')
			fprintf(out, "(-%c --%s)", letter, o->name);
		if (small)
			fprintf(out, "-%c%s", letter, o->arg ? "+" : "");
		else
			fprintf(out, "--%s%s", o->name, !o->arg ? "" : optional ? "=-" : "=");
		fprintf(out, "[");
		add_zsh_text(out, o->doc);
		fprintf(out, "]");
		if (o->arg)
		{
			fprintf(out, "%s", optional ? ":" : "");
			add_zsh_value(out, c, o->arg, 0);
		}
		fprintf(out, "'");
	}
}

static void add_zsh(FILE *out)
{
	fprintf(out, "#compdef spate\n# zsh completion of spate, made by 'spate completion zsh'\n\n"
		     "_spate()\n{\n\tlocal curcontext=\"$curcontext\" state line\n\tlocal -a commands\n\tcommands=(\n"
		     "\t\t'help:explain a command'\n");
	for (const command *c = commands; c->name; c++)
	{
		fprintf(out, "\t\t'%s:", c->name);
		add_zsh_text(out, c->summary);
		fprintf(out, "'\n");
	}
	fprintf(out, "\t)\n"
		     "\t_arguments -C '--help[list the commands]' '--version[print the version]' \\\n"
		     "\t\t'1:command:->command' '*::argument:->argument'\n"
		     "\tcase $state in\n"
		     "\tcommand) _describe command commands ;;\n"
		     "\targument)\n"
		     "\t\tcase $words[1] in\n"
		     "\t\thelp) _describe command commands ;;\n");
	for (const command *c = commands; c->name; c++)
	{
		fprintf(out, "\t\t%s) _arguments", c->name);
		for (const struct argp_option *o = c->argp->options; !option_is_last(o); o++)
			add_zsh_option(out, c, o);
		add_zsh_option(out, c, &option_help);
		fprintf(out, " \\\n\t\t\t'1");
		add_zsh_value(out, c, c->argp->args_doc, 1);
		fprintf(out, "' ;;\n");
	}
	fprintf(out, "\t\tesac ;;\n\tesac\n}\n\n_spate \"$@\"\n");
}

int command_completion(int argc, char **argv)
{
	arguments a = {0};
	output_text script;
	if (argp_parse(&command_completion_argp, argc, argv, 0, NULL, &a))
		return EXIT_MISUSE;
	text_open(&script, argv[0]);
	if (strcmp(a.shell, "bash") == 0)
		add_bash(script.stream);
	else
		add_zsh(script.stream);
	return text_write(&script, a.output, argv[0]);
}
