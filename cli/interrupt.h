// Ctrl-C as a flag that loops poll, so that they can end between two pieces of work. SIGTERM and SIGHUP (the terminal closes) set the
// flag, too.
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

// Installs the handlers: the first of these signals only sets the flag and writes the notice (may be NULL) to stderr; the second ends the
// process. An ignored SIGHUP, as under nohup, stays ignored.
void interrupt_watch(const char *notice);
// The signal that was received, 0 for none.
int interrupt_seen(void);
// The exit code for it: 128 plus the signal's number, 130 for Ctrl-C.
int interrupt_code(void);

#endif
