#ifndef UTIL_CLOCK_H
#define UTIL_CLOCK_H

// Monotonic time in seconds, from an arbitrary start.
double clock_seconds(void);

#endif
