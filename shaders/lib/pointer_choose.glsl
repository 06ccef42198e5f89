// The pointer for GPUs, of a worker's trajectory `t`: lists its live rows, attends to keys and values in one pass, and
// leaves log-probabilities in shared memory for a choice. Included after ARGUMENTS.
#include "lib/clip.glsl"
#include "lib/rng.glsl"
#include "lib/pointer_quads.glsl"
#include "lib/beam.glsl"
#include "lib/logp.glsl"
layout(constant_id = POINTER_THEN) const uint THEN = POINTER_ONLY;
layout(constant_id = POINTER_NODES) const uint NODES = 128; // at least N

const uint SUBGROUPS = gl_WorkGroupSize.x / LANES;
shared uint lists[SUBGROUPS * NODES];   // of every worker: the live rows, and the node of each in the upper half
shared float values[SUBGROUPS * NODES]; // of every worker: the logit, then the log-probability of each node
uint slot, home, base;                  // home: the first row of the slot; base: of the worker's arrays

uint row_of(uint entry) { return home + (entry & 0xffffu); }
float dyn_of(uint entry) { return DYN == 1 ? at(arg.dyn, t * arg.N + (entry >> 16)) : 0.0; }

// Lists the live rows and returns their number; masks all nodes.
uint list_rows() {
    uint rows = segment_rows(arg.rows, slot, arg.max_rows), words = (arg.N + 31) / 32, list = saved_sum(t) + 1, count = 0;
    [[dont_unroll]] for (uint start = 0; start < rows; start += LANES) {
        uint r = start + lane(), node = min(r, rows - 1);
        if (!is_null(arg.node))
            node = at_u(arg.node, home + node);
        bool live = r < rows && (at_u(arg.allowed, t * words + node / 32) >> node % 32 & 1) != 0;
        uvec4 ballot = subgroupBallot(live);
        uint i = count + subgroupBallotExclusiveBitCount(ballot);
        if (live)
            lists[base + i] = node << 16 | r;
        if (live && arg.saves != 0)
            at_u(arg.saved, list + 1 + i) = home + r;
        count += subgroupBallotBitCount(ballot);
    }
    [[dont_unroll]] for (uint n = lane(); n < arg.N; n += LANES)
        values[base + n] = MASKED;
    if (arg.saves != 0) {
        if (lane() == 0)
            at_u(arg.saved, list) = count;
        for (uint i = list + 1 + count + lane(); i < saved(t + 1); i += LANES)
            at_u(arg.saved, i) = 0;
    }
    return count;
}

// The dynamic weights of this trajectory for keys (0), values (1) or logit keys (2).
void load_weights(out vec4 w[VECTORS], uint part) {
    load_quads(w, arg.wdyn, (t / arg.per_group % arg.groups * 3 + part) * D);
    clear_rest(w);
}

// g over the live rows; the softmax is updated row by row. With no live row g is 0.
void glimpse(out vec4 g[VECTORS], uint count) {
    vec4 q[VECTORS], w[VECTORS], key[VALUES_AT_ONCE * VECTORS], value[VALUES_AT_ONCE * VECTORS];
    float max_logit[VECTORS], sum[VECTORS], dyn[VECTORS], dyn_dot[VECTORS];
    load_quads(q, arg.q, t * D);
    clear_rest(q);
    if (DYN == 1)
        load_weights(w, 0);
    [[unroll]] for (uint k = 0; k < VECTORS; k++) {
        q[k] *= inversesqrt(float(CHANNELS));
        g[k] = vec4(0), max_logit[k] = MASKED, sum[k] = dyn[k] = 0;
        dyn_dot[k] = DYN == 1 ? head_sum(dot(q[k], w[k])) : 0.0;
    }
    [[dont_unroll]] for (uint start = 0; start < count; start += VALUES_AT_ONCE) {
        uint entry = lists[base + min(start + lane() % VALUES_AT_ONCE, count - 1)];
        float own_dyn = dyn_of(entry), e[VALUES_AT_ONCE * VECTORS];
        [[unroll]] for (uint j = 0; j < VALUES_AT_ONCE; j++) {
            uint row = subgroupBroadcast(row_of(entry), j) * 3 * D;
            vec4 x[VECTORS], y[VECTORS];
            load_quads(x, arg.kvl, row);
            load_quads(y, arg.kvl, row + D);
            [[unroll]] for (uint k = 0; k < VECTORS; k++)
                key[j * VECTORS + k] = x[k], value[j * VECTORS + k] = y[k];
        }
        [[unroll]] for (uint k = 0; k < VECTORS; k++) {
            float before = max_logit[k];
            [[unroll]] for (uint j = 0; j < VALUES_AT_ONCE; j++) {
                uint i = j * VECTORS + k;
                e[i] = head_sum(dot(q[k], key[i]));
                if (DYN == 1)
                    e[i] += subgroupBroadcast(own_dyn, j) * dyn_dot[k];
                e[i] = start + j < count ? e[i] : MASKED;
                max_logit[k] = max(max_logit[k], e[i]);
            }
            float less = exp(before - max_logit[k]);
            g[k] *= less, sum[k] *= less, dyn[k] *= less;
            [[unroll]] for (uint j = 0; j < VALUES_AT_ONCE; j++) {
                uint i = j * VECTORS + k;
                float a = exp(e[i] - max_logit[k]);
                g[k] += a * value[i], sum[k] += a;
                if (DYN == 1)
                    dyn[k] += a * subgroupBroadcast(own_dyn, j);
            }
        }
    }
    if (DYN == 1)
        load_weights(w, 1);
    [[unroll]] for (uint k = 0; k < VECTORS; k++) {
        uint i = k * LANES + lane();
        sum[k] = max(sum[k], 1e-30);
        if (DYN == 1)
            g[k] += dyn[k] * w[k];
        g[k] /= sum[k];
        if (arg.saves != 0 && i < QUADS) {
            [[unroll]] for (uint c = 0; c < 4; c++)
                at(arg.saved, saved(t) + 4 * i + c) = g[k][c];
            if (i % HEAD == 0)
                at(arg.saved, saved(t) + D + i / HEAD) = max_logit[k] + log(sum[k]);
        }
        g[k] *= inversesqrt(float(D));
    }
    clear_rest(g);
}

// Stores the logits and returns the logarithm of their softmax's sum, as a maximum and the rest.
vec2 write_logits(vec4 g[VECTORS], uint count) {
    vec4 w[VECTORS];
    float dyn_dot = 0, max_logit = MASKED, sum = 0;
    if (DYN == 1) {
        load_weights(w, 2);
        [[unroll]] for (uint k = 0; k < VECTORS; k++)
            dyn_dot += dot(g[k], w[k]);
        dyn_dot = subgroupAdd(dyn_dot);
    }
    [[dont_unroll]] for (uint start = 0; start < count; start += LOGITS_AT_ONCE) {
        uint own = start + lane() % LOGITS_AT_ONCE, entry = lists[base + min(own, count - 1)];
        float own_dyn = dyn_of(entry), u[LOGITS_AT_ONCE];
        [[unroll]] for (uint j = 0; j < LOGITS_AT_ONCE; j++) {
            vec4 x[VECTORS];
            load_quads(x, arg.kvl, subgroupBroadcast(row_of(entry), j) * 3 * D + 2 * D);
            u[j] = dot(g[0], x[0]);
            [[unroll]] for (uint k = 1; k < VECTORS; k++)
                u[j] += dot(g[k], x[k]);
        }
        float logit = arg.sharp * clipped(row_sums(u) + own_dyn * dyn_dot);
        if (own < count && lane() < LOGITS_AT_ONCE) {
            float before = max_logit;
            values[base + (entry >> 16)] = logit;
            max_logit = max(max_logit, logit);
            sum = sum * exp(before - max_logit) + exp(logit - max_logit);
        }
    }
    float whole = subgroupMax(max_logit);
    return vec2(whole, log(max(subgroupAdd(sum * exp(max_logit - whole)), 1e-30)));
}

// From logits to log-probabilities.
void normalise(vec2 sum) {
    [[dont_unroll]] for (uint n = lane(); n < arg.N; n += LANES) {
        float x = values[base + n];
        x = floatBitsToUint(x) == floatBitsToUint(MASKED) ? x : x - sum.x - sum.y;
        values[base + n] = x;
        at(arg.logp, t * arg.N + n) = x;
    }
    if (arg.saves != 0 && lane() == 0)
        at(arg.saved, saved_sum(t)) = sum.x + sum.y;
}

// Excess workers take part in the barriers only: CPU drivers want all of a workgroup there.
void point(bool works) {
    uint count = 0;
    vec2 sum = vec2(0);
    if (works) {
        base = gl_SubgroupID * NODES;
        slot = is_null(arg.slot) ? t / arg.repeat % arg.S : at_u(arg.slot, t);
        home = segment_first(arg.first, slot, arg.max_rows);
        count = list_rows();
    }
    settle_shared();
    if (works) {
        vec4 g[VECTORS];
        glimpse(g, count);
        sum = write_logits(g, count);
    }
    settle_shared();
    if (works)
        normalise(sum);
    settle_shared();
}

#include "lib/pointer_choice.glsl"
