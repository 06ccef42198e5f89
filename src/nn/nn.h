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

// Multi-head self-attention within each segment: qkv (R,3D) holds Q | K | V, each head-major. Stores
// logits (S,H,N,N) = QK'/sqrt(D/H), undefined outside a segment's rows, and mix (R,D) = softmax(logits) V. D/H >= 2.
void nn_attention(
    struct cmd *c, struct tensor mix, struct tensor logits, struct tensor qkv, struct segments seg, uint32_t H);
// dqkv (R,3D) from dmix and from what else reached the logits and V: dlogits (S,H,N,N) and dv (R,D), none with at = 0.
void nn_attention_back(struct cmd *c, struct tensor dqkv, struct tensor dmix, struct tensor dlogits, struct tensor dv,
    struct tensor logits, struct tensor qkv, struct segments seg, uint32_t H);

// to = from
void nn_copy(struct cmd *c, struct tensor to, struct tensor from);

// Attention again from the stored logits (B,H,N,N) and the V of qkv (B*N,3D), with some keys only. Segments are
// trajectories: segment t belongs to instance[t] (uint) and keeps the keys in the bit set keys[t], keys (T,W) uint with
// W = ceil(N/32); row r asks as node[r] (uint; at = 0: as its number within the segment). mix (R,D) is 0 without a key.
void nn_reattend(struct cmd *c, struct tensor mix, struct tensor logits, struct tensor qkv, struct tensor keys,
    struct tensor instance, struct tensor node, struct segments seg, uint32_t H);
// Adds to dlogits (B,H,N,N) and dv (B*N,D). Instance b has the trajectories t = (m*B + b)*S + s, m < M, s < S.
void nn_reattend_back_add(struct cmd *c, struct tensor dlogits, struct tensor dv, struct tensor dmix,
    struct tensor logits, struct tensor qkv, struct tensor keys, struct tensor node, struct segments seg, uint32_t H,
    uint32_t M, uint32_t B, uint32_t S);

// The draws of util/rng.h at steps 0..count-1: to (count, 4) uint.
void nn_rng(struct cmd *c, struct tensor to, uint64_t seed, uint32_t purpose, uint32_t instance, uint32_t decoder);

#endif
