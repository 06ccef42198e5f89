// Part of shaders/args.h: other operations of the network, and the optimiser.

// Constants of kernels on attention heads: shaders/lib/head.glsl and spread.glsl.
#define HEAD_DK     2 // channels of a head
#define HEAD_UNROLL 3 // max unrolled channels
#define HEAD_TILE   4 // rows loaded at once
#define HEAD_EVEN   5 // logits are read in pairs

// Constants of kernels on rows of channels: shaders/lib/rows.glsl and rows_kept.glsl.
#define ROWS_D      2 // channels of a row
#define ROWS_SPREAD 3 // workers that share a row's channels
#define ROWS_KEPT   4 // rows held in registers
#define ROWS_FIXED  5 // rows of every segment; 0: from its table
#define ROWS_WHOLE  6 // no segment has more than ROWS_KEPT rows

// One step of Adam over all weights, one flat list, with gradients clipped to a global norm of max_norm:
//     g' = g min(1, max_norm / (|g| + 1e-6)),  m = beta1 m + (1 - beta1) g',  v = beta2 v + (1 - beta2) g'^2,
//     w -= rate m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + eps)
// adam_plan runs first: it counts the step t and writes the values that all weights share to the state. A step whose
// |g| is not finite changes no weight and no moment, and counts as skipped.
#define ADAM_STEP    0 // uint: t, steps done
#define ADAM_SKIPPED 1 // uint
#define ADAM_GO      2 // uint: 0 if the current step is skipped
#define ADAM_SCALE   3 // float: factor of clipping
#define ADAM_RATE    4 // float: rate / (1 - beta1^t)
#define ADAM_ROOT    5 // float: 1 / sqrt(1 - beta2^t)
#define ADAM_STATE   6 // words
#define ADAM_PAIRS   4 // pairs of weights per lane
struct adam_args {
    ptr w, m, v; // (count)
    ptr state;   // (ADAM_STATE)
    ptr g;       // (count)
    uint count;
    float beta1, rest1, beta2, rest2, eps; // rest = 1 - beta
};
ARGS(adam, count);
struct adam_plan_args {
    ptr state;      // (ADAM_STATE)
    ptr norm;       // (2): see norm2_sum
    ptr rate;       // (1): the learning rate
    float max_norm; // 0: no clipping
    float log_beta1, log_beta2;
};
ARGS(adam_plan, max_norm);

// Sets of nodes as one list of rows: src/nn/nn.h, struct compact.
struct compact_args {
    ptr first, rows; // (T) uint
    ptr span;        // (G, 2) uint
    ptr whole;       // (G, 2) uint
    ptr node;        // (G room) uint
    ptr source;      // (G room) uint
    ptr copy;        // (T, W) uint or none: becomes keys
    ptr keys;        // (T, W) uint
    ptr instance;    // (T) uint
    uint T, N, G, room;
    uint appends; // 0: the list begins
};
ARGS(compact, T);

// dx[source[r]] += dy[r], trajectories t = (m B + b) S + s.
struct compact_back_args {
    ptr dx;    // (B N, D)
    ptr dy;    // (rows, D)
    ptr first; // (T) uint
    ptr rows;  // (T) uint
    ptr keys;  // (T, W) uint
    uint M, B, S, N, D;
};
ARGS(compact_back, M);

// to[g, c] += sum_r from[g, r, c], row after row.
struct collect_args {
    ptr to, from; // (G, stride), (P, G, R, C)
    uint P, G, R, C, stride;
};
ARGS(collect, P);

// Multi-head self-attention within segments (struct segments of src/nn/nn.h); head h has channels h*DK .. of Q, K and
// V: logits[s,h,i,j] = q_i . k_j / sqrt(DK), mix_i = concat_h sum_j softmax_j(logits[s,h,i,:]) v_j
struct attention_args {
    ptr mix;    // (R,D)
    ptr logits; // (S,H,N,N)
    ptr qkv;    // (R,3D)
    ptr first, rows;
    uint S, H, N;
};
ARGS(attention, S);
#define ATTENTION_ROWS  6 // queries or keys per lane
#define ATTENTION_N     7 // nodes
#define ATTENTION_DENSE 8 // every segment has ATTENTION_N rows

// Its gradient, with p = softmax(logits): dv_j = sum_i p_ij dmix_i + dv_j', g_ij = p_ij (dmix_i . v_j - sum_k p_ik
// dmix_i . v_k) + dlogits_ij, dq_i = sum_j g_ij k_j / sqrt(DK), dk_j = sum_i g_ij q_i / sqrt(DK)
struct attention_back_args {
    ptr dqkv;        // (R,3D)
    ptr dmix;        // (R,D)
    ptr dlogits, dv; // (S,H,N,N) and (R,D), or none
    ptr logits, qkv;
    ptr first, rows;
    uint S, H, N;
};
ARGS(attention_back, S);
#define ATTENTION_BACK_DLOGITS 9  // dlogits is given
#define ATTENTION_BACK_DV      10 // dv is given
#define ATTENTION_BACK_FIRST   11 // the pass that computes the statistics of every query

// to[i] = from[i], or += : the yardstick of bandwidth-bound kernels.
struct copy_args {
    ptr to, from;
    uint count; // floats
};
ARGS(copy, count);
#define COPY_ADD    2
#define COPY_PAIRED 3 // both addresses are aligned for pairs

// |x| = sqrt(sum x[i]^2) in two stages: NORM2_PARTS sums over parts of x, then the sum of those. Squares are single
// precision: a norm above 1e19 is not finite, one below 1e-19 is 0.
#define NORM2_PARTS 1024
struct norm2_args {
    ptr part; // (NORM2_PARTS)
    ptr x;    // (count)
    uint count;
};
ARGS(norm2, count);
struct norm2_sum_args {
    ptr norm; // (2): float |x|; uint 1 if it is finite, else 0
    ptr part; // (NORM2_PARTS)
};
ARGS_POINTERS(norm2_sum);

// The output projection folded into the logit keys: shaders/nn/fold.comp. The backward kernel has dy instead of y.
struct fold_args {
    ptr y;        // (G, R, 3D)
    ptr dw, dout; // backward only
    ptr w;        // (G, R, 3D), or (R, 3D) for all groups
    ptr out_;     // (G, D, D)
    uint G, R, D, shared_w;
};
ARGS(fold, G);
#define FOLD_ROWS 8 // rows of a product that a worker processes at a time

// The matrix product C = A B for groups of rows with their own weights, plus the other terms of y = act(x W + b + r):
// shaders/lib/linear.glsl. Strides are floats from one group, or slab, to the next.
struct linear_args {
    ptr c, a, b;
    ptr mask;     // y of a ReLU, if A or B is its gradient
    ptr bias;     // (groups, N), or (N) for all, or none
    ptr residual; // (any rows, N) or none
    ptr source;   // (groups M) uint: the row of the residual for each row; none: the same row
    ptr rows;     // (groups or sum, 2) uint: first row in use and their number, or none: all
    uint M, N, K;
    uint groups;  // groups with their own results
    uint weights; // groups with their own weights, of which the others repeat
    uint sum;     // groups that are added to each of them
    uint a_stride, b_stride, c_stride, slab_stride, bias_stride;
    uint block;  // rows of C per worker
    uint depth;  // K of one slab
    uint stride; // from one worker's part to the next, prime to their number
    uint mode;   // sum of LINEAR_RELU and LINEAR_ADD
    uint zero;   // 0, unknown to the compiler
};
ARGS(linear, M);
#define LINEAR_RELU         1 // the results are cut at 0
#define LINEAR_ADD          2 // to what is there
#define LINEAR_FORM         2 // sum of the bits below
#define LINEAR_TV           3 // spans of columns per worker
#define LINEAR_MR           4 // rows of C at a time
#define LINEAR_KU           5 // steps along K at a time
#define LINEAR_TK           6 // depth of a block of B
#define LINEAR_BM           7 // linear_shared.comp: rows of a workgroup
#define LINEAR_AHEAD        8 // linear_shared.comp: whether registers hold the next tiles
#define LINEAR_A_TRANSPOSED 1 // stored (K, M)
#define LINEAR_B_TRANSPOSED 2 // stored (N, K)
#define LINEAR_A_MASKED     4
#define LINEAR_B_MASKED     8
#define LINEAR_GUARD        16
// linear_shared.comp: columns of a workgroup, steps along K at a time, threads, and bytes of shared memory with BM
// rows.
#define LINEAR_BN               64
#define LINEAR_BK               16
#define LINEAR_THREADS          128
#define LINEAR_SHARED_BYTES(BM) (2 * LINEAR_BK * ((BM) + LINEAR_BN + 8) * 4 + LINEAR_THREADS * 16)

// dW += sum of its slabs, db += sum of those of db; a slab is dW, then db.
struct linear_reduce_args {
    ptr dw;   // (groups, weights), or (weights) that all groups add to
    ptr db;   // (groups, biases) in the same way, or none
    ptr slab; // (groups, slabs, weights + biases)
    ptr rows; // (groups, 2) uint: first row in use, of R, and their number; or none
    uint groups, slabs, weights, biases, R;
    uint results; // groups g, g + results, .. have the same weights
    uint stride;  // floats from one result to the next
    uint depth;   // rows in a slab
};
ARGS(linear_reduce, groups);
// y[i] = x[index[i]], rows of D floats; index GATHER_NONE gives zeros.
#define GATHER_NONE 0xffffffffu
#define GATHER_ROWS 8 // rows that a worker copies
struct gather_args {
    ptr y;     // (count, D)
    ptr x;     // (R, D)
    ptr index; // (count) uint
    uint count;
};
ARGS(gather, count);

// dx[index[i]] += dy[i]. Equal entries of index are within the same run of `run` entries.
struct gather_back_args {
    ptr dx, dy, index;
    uint count, run;
};
ARGS(gather_back, count);
#define GATHER_BACK_SINGLE 4 // no two entries are equal

// mean[s] = sum of x over the rows of segment s / their number, (S, D); 0 for no rows.
struct mean_args {
    ptr mean, x, first, rows;
    uint S, N;
};
ARGS(mean, S);

// dx[r] += dmean[s] / rows of s
struct mean_back_args {
    ptr dx, dmean, first, rows;
    uint S, N;
};
ARGS(mean_back, S);

// Normalisation: z = x + residual, hat = (z - mean) / sqrt(variance + NORM_EPSILON), y = gain hat + bias, with mean and
// variance over the rows of a segment, over the segments of a group, or given: stats (entries, 2, D).
#define NORM_EPSILON 1e-5f
#define NORM_OWN     0 // statistics of each segment, written
#define NORM_ENTRY   1 // statistics given: entry index[s], without index s / per
#define NORM_MOMENTS 2 // only the statistics of each segment
struct norm_args {
    ptr y, hat, stats, x, residual, gain, bias, first, rows, index;
    uint S, N, per;
};
ARGS(norm, S);
#define NORM_MODE     7 // NORM_OWN ...
#define NORM_RESIDUAL 8 // a residual is given
#define NORM_SAVE     9 // hat is saved

// The groups' statistics (G, 2, D) from those of their segments `part` (S, 2, D); a group has S / G segments.
struct norm_group_args {
    ptr stats, part, rows;
    uint S, N, per;
};
ARGS(norm_group, S);

// dz = k1 dy + k2 + k3 hat. With A = sum dy, B = sum dy hat over the n rows that share statistics and k1 = gain inv: k2
// = (dmean - k1 A) / n, k3 = (2 dvariance / inv - k1 B) / n; 0 for given statistics.
#define NORM_BACK_OWN   0 // sums of each segment
#define NORM_BACK_ENTRY 1 // statistics given; with `own` writes each segment's dstats
#define NORM_BACK_SUMS  2 // only the sums
#define NORM_BACK_COEF  3 // k1, k2, k3 from coef
struct norm_back_args {
    ptr dz;    // (R, D)
    ptr parts; // (blocks, 2, D): A and B over the segments of a block
    ptr own;   // (S, 2, D) or none
    ptr dy, hat, stats;
    ptr dstats; // gradient of the written statistics, or none
    ptr coef;   // (entries, 3, D)
    ptr gain, first, rows, index;
    uint S, N;
    uint per;    // segments per group
    uint block;  // segments per block; a block is within a group
    uint blocks; // per group
};
ARGS(norm_back, S);
#define NORM_BACK_MODE 7 // NORM_BACK_OWN ...

// dgain += sum B, dbias += sum A over all parts (G, blocks, 2, D); coef (G, 3, D), or none, from each group's sums.
struct norm_fold_args {
    ptr dgain, dbias, coef, parts, stats, dstats, gain, rows;
    uint G, blocks, N, per;
};
ARGS(norm_fold, G);

// The same over the channels of each row: stats (R, 2). A task is NORM_LAYER_ROWS rows of a segment.
#define NORM_LAYER_ROWS 16
struct norm_layer_args {
    ptr y, hat, stats, x, residual, gain, bias, first, rows;
    uint S, N;
};
ARGS(norm_layer, S);
#define NORM_LAYER_RESIDUAL 4 // as in norm
#define NORM_LAYER_SAVE     5

struct norm_layer_back_args {
    ptr dz;
    ptr parts; // (blocks, 2, D)
    ptr dy, hat, stats, gain, first, rows;
    uint S, N;
    uint block; // tasks per block
};
ARGS(norm_layer_back, S);

// tracked (2, D) = (1 - momentum) tracked + momentum (mean, unbiased variance) of group `group`
struct norm_track_args {
    ptr tracked, stats, rows;
    uint N, per, group;
    float momentum;
};
ARGS(norm_track, N);

// Attention again from saved logits and values, over relevant keys only; segments are trajectories t of rows r whose
// query is node[r] of instance b: mix_r = concat_h sum_k softmax_k(logits[b,h,node[r],relevant]) v[b,k]; 0 without a
// relevant key.
struct reattend_args {
    ptr mix;      // (R,D)
    ptr logits;   // (B,H,N,N)
    ptr qkv;      // (B*N,3D); only V is read
    ptr keys;     // (S,W) bit sets: relevant keys
    ptr instance; // (S) uint
    ptr node;     // (R) uint; none: the row's index in its segment
    ptr first, rows;
    uint S, B, H, N, W, max_rows; // segments, instances, heads, nodes, words of a bit set, max rows of a segment
};
ARGS(reattend, S);
#define REATTEND_ROWS 6 // rows per lane
#define REATTEND_N    7 // nodes

// Adds its gradient; instance b has the trajectories t = (m*B + b)*S + s. With p the weights:
// dlogits[b,h,node[r],k] += p_rk (dmix_r . v_k - sum_j p_rj dmix_r . v_j), dv_k += sum_r p_rk dmix_r
struct reattend_back_args {
    ptr dlogits; // (B,H,N,N)
    ptr dv;      // (B*N,D)
    ptr dmix;    // (R,D)
    ptr logits, qkv, keys, node, first, rows;
    uint H, M, B, S, N, W, max_rows;
};
ARGS(reattend_back, H);

// The four words of util/rng.h at steps 0, 1, 2, ...
struct rng_args {
    ptr to; // (count, 4) uint
    word64 seed;
    uint purpose, instance, decoder, count;
};
ARGS(rng, seed);
