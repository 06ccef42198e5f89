// Independent jobs on several threads.
#ifndef UTIL_THREADS_H
#define UTIL_THREADS_H

#include <stdint.h>

// Calls JOB(USER, i) for every i below JOBS, each once, on up to THREADS threads, this one among them, and returns when
// all are done. Threads that the system does not give are done without.
void threads_run(uint32_t threads, uint32_t jobs, void (*job)(void *user, uint32_t i), void *user);

// As many as the machine runs at once.
uint32_t threads_available(void);

#endif
