// Ctrl-C as a question that a loop asks, so that it can end between two pieces of work.
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

// From now on SIGINT and SIGTERM only set a flag; the second one ends the process as usual.
void interrupt_watch(void);
int interrupt_seen(void);

#endif
