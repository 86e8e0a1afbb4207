// Messages of library jobs, which name the members of a definition in backquotes, in the words of the command line.
#ifndef CLI_JOB_MESSAGE_H
#define CLI_JOB_MESSAGE_H

// What the command line calls a member; a list of these ends with an empty one.
typedef struct option_name
{
	const char *member, *option; // "output", "-o"
} option_name;

enum
{
	JOB_MESSAGE_CHARS = 1400
};
typedef struct job_message
{
	char text[JOB_MESSAGE_CHARS];
} job_message;

// The message with `output` written as -o. Members that are not in the list lose their backquotes.
job_message job_translate(const option_name *names, const char *text);
// Prints it to stderr, after the name of the program.
void job_complain(const char *program, const option_name *names, const char *text);

#endif
