// The contract between C and GLSL, compiled by both: one argument struct for each kernel, named after it. Pointers come
// first (outputs, saved values, inputs, weights), then sizes. Scalar layout, at most ARGS_BYTES, in push constants.
#ifndef SHADERS_ARGS_H
#define SHADERS_ARGS_H

#ifdef GL_core_profile
#define ptr uvec2 // a place in device memory: shaders/lib/kernel.glsl
#define ARGS(stem)
#else
#include <assert.h>
#include <stdint.h>
typedef uint64_t ptr;
typedef uint32_t uint;
#define ARGS(stem) static_assert(sizeof(struct stem##_args) <= ARGS_BYTES, "arguments of " #stem)
#endif

#define ARGS_BYTES 128

// What random draws are for (util/rng.h).
#define RNG_SAMPLE 1 // choosing an action

// Multi-head self-attention within segments (struct segments of src/nn/nn.h); head h has channels h*DK .. of Q, K and V:
// logits[s,h,i,j] = q_i . k_j / sqrt(DK), mix_i = concat_h sum_j softmax_j(logits[s,h,i,:]) v_j
struct attention_args {
    ptr mix;    // (R,D)
    ptr logits; // (S,H,N,N)
    ptr qkv;    // (R,3D)
    ptr first, rows;
    uint S, H, N;
};
ARGS(attention);
#define attention_small_args attention_args

// Its gradient, with p = softmax(logits): dv_j = sum_i p_ij dmix_i + dv_j', g_ij = p_ij (dmix_i . v_j - sum_k p_ik dmix_i
// . v_k) + dlogits_ij, dq_i = sum_j g_ij k_j / sqrt(DK), dk_j = sum_i g_ij q_i / sqrt(DK)
struct attention_back_args {
    ptr dqkv;        // (R,3D)
    ptr dmix;        // (R,D)
    ptr dlogits, dv; // (S,H,N,N) and (R,D), or none
    ptr logits, qkv;
    ptr first, rows;
    uint S, H, N;
};
ARGS(attention_back);
#define attention_back_small_args attention_back_args
#define attention_back_keys_args attention_back_args
#define attention_back_queries_args attention_back_args

// to[i] = from[i]: the yardstick of bandwidth-bound kernels.
struct copy_args {
    ptr to, from;
    uint count; // floats
};
ARGS(copy);

// Attention again from stored logits and values, with some keys only; segments are trajectories t of rows r whose query is
// node[r] of instance b: mix_r = concat_h sum_k softmax_k(logits[b,h,node[r],kept]) v[b,k]; 0 without a kept key.
struct reattend_args {
    ptr mix;      // (R,D)
    ptr logits;   // (B,H,N,N)
    ptr qkv;      // (B*N,3D), of which only V is read
    ptr keys;     // (S,W) bit sets: kept keys
    ptr instance; // (S) uint
    ptr node;     // (R) uint, or none: the row's number within its segment
    ptr first, rows;
    uint S, H, N, W, most; // segments, heads, nodes, words of a bit set, most rows of a segment
};
ARGS(reattend);
#define reattend_small_args reattend_args

// Adds its gradient; instance b has the trajectories t = (m*B + b)*S + s. With p the weights:
// dlogits[b,h,node[r],k] += p_rk (dmix_r . v_k - sum_j p_rj dmix_r . v_j), dv_k += sum_r p_rk dmix_r
struct reattend_back_args {
    ptr dlogits; // (B,H,N,N)
    ptr dv;      // (B*N,D)
    ptr dmix;    // (R,D)
    ptr logits, qkv, keys, node, first, rows;
    uint H, M, B, S, N, W, most;
};
ARGS(reattend_back);
#define reattend_back_small_args reattend_back_args

// The four words of util/rng.h at steps 0, 1, 2, ...
struct rng_args {
    ptr to; // (count, 4) uint
    ptr seed;
    uint purpose, instance, decoder, count;
};
ARGS(rng);

#endif
