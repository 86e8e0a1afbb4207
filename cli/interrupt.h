// Ctrl-C as a question that a loop asks, so that it can end between two pieces of work. A polite kill (SIGTERM) and a terminal that
// closes (SIGHUP) ask the same.
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

// From now on the first of these signals only sets a flag, and writes the notice (may be NULL) to stderr; the second one ends the process.
// SIGHUP stays ignored where it is, as below nohup.
void interrupt_watch(const char *notice);
// The signal that came, 0 for none.
int interrupt_seen(void);
// The exit code that says so: 128 and the signal, 130 for Ctrl-C.
int interrupt_code(void);

#endif
