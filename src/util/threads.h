// Runs independent jobs on several threads.
#ifndef UTIL_THREADS_H
#define UTIL_THREADS_H

#include <stdint.h>

// Calls JOB(USER, i) once for every i below JOBS, on up to THREADS threads including this one, and returns when all are
// done. Continues with fewer threads if the system refuses more.
void threads_run(uint32_t threads, uint32_t jobs, void (*job)(void *user, uint32_t i), void *user);

// Returns how many threads the machine runs at once, at most 64, divided by the ranks on it.
uint32_t threads_available(void);

#endif
