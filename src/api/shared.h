// A list of instances that the ranks of a job solve together. They share it out in blocks: each rank begins with one
// and gets another from rank 0 with every block that it has solved. Rank 0 has all solutions in the end.
#ifndef API_SHARED_H
#define API_SHARED_H

#include "api/internal.h"

struct shared {
    struct mdam_solutions *solutions;
    size_t block;    // instances of a block
    size_t next;     // rank 0: the first instance that no rank has
    size_t busy;     // rank 0: other ranks that still solve
    size_t finished; // rank 0: instances that are done
    size_t answered; // rank 0: instances in front whose solutions the caller has
    bool *done;      // (count), rank 0
    bool failed;     // rank 0: the caller refused a solution
};

void shared_create(struct shared *shared, struct mdam_solutions *solutions, size_t block);
void shared_destroy(struct shared *shared);

// Rank 0: takes in what other ranks have solved and gives them more, unless STOPPED. WAIT: until the next message.
void shared_serve(struct shared *shared, bool stopped, bool wait);

// Hands in the block that begins at FIRST and returns the beginning of the next one, or SIZE_MAX.
size_t shared_next(struct shared *shared, size_t first, bool stopped);

// Rank 0, at the end: passes the remaining solutions to the caller.
void shared_finish(struct shared *shared);

// Makes a result visible to the caller (api/solve.c).
void mdam_solution_publish(struct mdam_solutions *solutions, size_t index, double seconds);

#endif
