#ifndef UTIL_CLOCK_H
#define UTIL_CLOCK_H

// Seconds from some moment in the past; steps of the wall clock do not show.
double clock_seconds(void);

#endif
