// The network's operations. Each appends to `c`; argument order is always outputs, saved values, inputs, weights.
// Weight gradients add, activation gradients assign; the few that add say so in their name.
#ifndef NN_NN_H
#define NN_NN_H

#include "nn/tensor.h"

struct cmd;

// Rows of a flat list, owned by segments: an instance in the encoder, a trajectory in the glimpse.
// Segment s owns rows first[s] .. first[s] + rows[s] - 1. Without `first` the list is dense: first[s] = s * N. Without
// `rows` every segment has N rows. Rows that belong to no segment are neither read nor written.
struct segments {
    uint32_t S;           // segments
    uint32_t N;           // most rows of one
    uint64_t first, rows; // places of S uint each, or 0
};

// to = from
void nn_copy(struct cmd *c, struct tensor to, struct tensor from);

// y[i] = x[index[i]]: y (I,D), x (R,D), index (I) uint; an index of 0xffffffff gives zeros.
void nn_gather(struct cmd *c, struct tensor y, struct tensor x, struct tensor index);
// dx[index[i]] += dy[i]. Equal entries of `index` must lie within one run of `run` consecutive entries, counted from 0:
// run 1 promises that all differ, which is quick; run I promises nothing, and every entry looks at all others.
void nn_gather_back_add(struct cmd *c, struct tensor dx, struct tensor dy, struct tensor index, uint32_t run);

// mean (S,D) of x (R,D) over the rows of each segment; 0 for a segment without rows.
void nn_mean(struct cmd *c, struct tensor mean, struct segments seg, struct tensor x);
void nn_mean_back_add(struct cmd *c, struct tensor dx, struct segments seg, struct tensor dmean);

// Which rows share a mean and a (biased) variance in a normalisation.
enum nn_norm_mode {
    NORM_INSTANCE, // those of a segment, per channel                          stats (S,2,D)
    NORM_LAYER,    // every row has its own, over its channels                 stats (R,2)
    NORM_BATCH,    // those of a group of S/G consecutive segments             stats (G,2,D)
    NORM_GIVEN,    // none: segment s takes entry index[s] of given statistics stats (any,2,D)
};
struct norm {
    enum nn_norm_mode mode;
    struct segments seg;
    uint32_t G;            // NORM_BATCH: groups; S is a multiple of it
    struct tensor stats;   // mean, variance; written by nn_norm and read by nn_norm_back, NORM_GIVEN only reads
    struct tensor index;   // NORM_GIVEN: (S) uint; none: entry 0 for all
    struct tensor scratch; // nn_norm_scratch() floats, which may serve one normalisation after the other
};
uint64_t nn_norm_scratch(const struct norm *norm, uint32_t D);

// z = x + residual, hat = (z - mean) / sqrt(variance + 1e-5), y = gain hat + bias; y, hat, x, residual (..,D).
// Without residual (at is 0) z = x; without hat nothing is saved for nn_norm_back.
void nn_norm(struct cmd *c, struct tensor y, struct tensor hat, const struct norm *norm, struct tensor x,
    struct tensor residual, struct tensor gain, struct tensor bias);
// dz is the gradient of x and of residual. dstats, if any, is the gradient of norm->stats: NORM_GIVEN, which then needs
// an index, adds to it, and the NORM_INSTANCE or NORM_BATCH that made those statistics adds its share to dz.
void nn_norm_back(struct cmd *c, struct tensor dz, struct tensor dgain, struct tensor dbias, struct tensor dstats,
    struct tensor dy, struct tensor hat, const struct norm *norm, struct tensor gain);
// Tracks the statistics of one group of a NORM_BATCH: tracked (2,D) moves by `momentum` towards its mean and unbiased
// variance; a group without rows changes nothing.
void nn_norm_track(struct cmd *c, struct tensor tracked, const struct norm *norm, uint32_t group, float momentum);

// The draws of util/rng.h at steps 0..count-1: to (count, 4) uint.
void nn_rng(struct cmd *c, struct tensor to, uint64_t seed, uint32_t purpose, uint32_t instance, uint32_t decoder);

#endif
