// A teacher: on the host, local search (src/improve) makes solutions that decoders found better, and gives them back as
// sequences of actions to imitate. It knows no more than the decoders: prizes that a visit reveals are unknown to it
// before that visit.
#ifndef TRAIN_TEACHER_H
#define TRAIN_TEACHER_H

#include "problem/problem.h"

// The instances of a batch and what M decoders did with them in at most J decisions.
struct teacher_batch {
    const struct problem *problem;
    struct distribution distribution; // instances first, first + 1, ... of the generator
    uint64_t seed;
    uint32_t first, B, M, S, J;
    const uint32_t *actions; // (J, M B S): samples
    const float *cost;       // (M B S)
    uint32_t threads;
};

// The sequences (J, M B): of each decoder and instance the best of the samples, improved. The same whatever the
// threads.
void teacher_improve(const struct teacher_batch *batch, uint32_t *sequences);

// The same for one solution, with what is known of the instance before anything is revealed; then, where revealed
// prizes turn out too low, with further customers. At most J actions; returns how many.
uint32_t teacher_sequence(
    uint32_t *actions, uint32_t J, const struct instance *instance, const struct solution *sample);

#endif
