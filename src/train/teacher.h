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
    const struct instance *const *instances; // (B): these instead; NULL: drawn ones
    const uint32_t *actions;                 // (J, M B S): samples
    const float *cost;                       // (M B S)
    const uint32_t *greedy; // (J, M B): greedy trajectories, to keep a prefix of each; NULL: samples are improved
    uint32_t threads;
};

// The sequences (J, M B): of each decoder and instance the best of the samples, improved; or the greedy trajectory up
// to a decision that is drawn, and an improved completion. PREFIX (M B) is how many decisions are the decoder's own,
// all of them where there is nothing to learn. The same whatever the threads.
void teacher_improve(const struct teacher_batch *batch, uint32_t *sequences, uint32_t *prefix);

// The same for one solution, with what is known of the instance before anything is revealed; then, where revealed
// prizes turn out too low, with further customers. At most J actions; returns how many.
uint32_t teacher_sequence(
    uint32_t *actions, uint32_t J, const struct instance *instance, const struct solution *sample);

// The first PREFIX actions of a trajectory, and an improved completion; 0 where local search finds none.
uint32_t teacher_completion(uint32_t *actions, uint32_t J, const struct instance *instance,
    const struct solution *trajectory, const uint32_t *own, uint32_t prefix);

#endif
