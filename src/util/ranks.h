// The ranks of a job: copies of the program, one for each device, that a launcher (mpirun, srun) started together.
// Without a launcher, and in a build without MPI, there is one rank, and nothing here waits or sends.
#ifndef UTIL_RANKS_H
#define UTIL_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Joins the job if a launcher's variables are in the environment or REQUIRED says so. Fails in a build without MPI that
// is required or one of several copies.
bool ranks_begin(bool required);
void ranks_end(void);                      // leaves it, once every rank does
_Noreturn void ranks_abort(int exit_code); // ends all ranks at once

uint32_t ranks_count(void);
uint32_t ranks_rank(void);        // from 0; before ranks_begin as the launcher's variables have it
uint32_t ranks_local(void);       // among those of this host, from 0
uint32_t ranks_local_count(void); // ranks of this host
const char *ranks_host(void);
double ranks_seconds(void); // spent waiting for the others and sending, so far

// --- all ranks call these in the same order -----------------------------------------------------------------------

// Whether OK on all ranks. If not, the failure of the first rank that has one becomes the failure of all, with rank and
// host in front of it unless all failed.
bool ranks_all(bool ok);
bool ranks_agreed(void); // the last failure is one that ranks_all made known to all
bool ranks_any(bool yes);

void ranks_broadcast(void *data, size_t bytes);                 // rank 0's
void ranks_gather(void *to, const void *from, size_t bytes);    // BYTES of every rank, by rank, to every rank
void ranks_transpose(void *to, const void *from, size_t bytes); // piece i of FROM, BYTES long, goes to rank i

// --- messages between two ranks -----------------------------------------------------------------------------------

void ranks_send(uint32_t to, const void *data, size_t bytes);
// The next message, in memory that the caller frees, and its sender. WAIT: until there is one; else false without one.
bool ranks_receive(uint32_t *from, void **data, size_t *bytes, bool wait);

#endif
