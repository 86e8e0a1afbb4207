#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum
{
	EXIT_SIGNAL = 128 // plus the number of the signal
};

static volatile sig_atomic_t seen;
static const char *shown; // set before the handler is installed

static void note(int signal_number)
{
	if (seen)
		_exit(EXIT_SIGNAL + signal_number);
	seen = signal_number;
	if (shown && write(STDERR_FILENO, shown, strlen(shown)) < 0)
		return;
}

void interrupt_watch(const char *notice)
{
	const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART}, before;
	sigemptyset(&action.sa_mask);
	shown = notice;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (signals[i] != SIGHUP || (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN))
			sigaction(signals[i], &action, NULL);
}

int interrupt_seen(void)
{
	return seen;
}

int interrupt_code(void)
{
	return EXIT_SIGNAL + seen;
}
