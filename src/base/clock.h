// Wall clock, for reports of how long something took.
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

double clock_ms(void);

#endif
