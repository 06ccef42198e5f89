#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/rows.glsl"
#include "lib/cpu/touch.glsl"
ARGUMENTS(query);
layout(constant_id = QUERY_DEPOT) const uint DEPOT = 0;
layout(constant_id = QUERY_DECISIONS) const uint DECISIONS = 1;

uint word_of(uint t, uint i) { return at_u(arg.state, t * RULES_STATE + i); }

// A worker takes DECISIONS decisions of a slot. A lane reads the state of one, then all lanes take one after the other.
// Decisions of a slot follow one another, because they read the same rows.
void main() {
    uint own = arg.decisions * arg.repeat, shares = (own + DECISIONS - 1) / DECISIONS, slot = worker() / shares;
    if (slot >= arg.S)
        return;
    uint start = (worker() - slot * shares) * DECISIONS, i = min(start + lane() % DECISIONS, own - 1);
    uint t = (i / arg.repeat * arg.S + slot) * arg.repeat + i % arg.repeat, row = slot * arg.N, first = 0;
    bool done = word_of(t, RULES_DONE) != 0, begins = DEPOT == 0 && word_of(t, RULES_STEPS) == 0;
    uint reads = !done && !begins ? 1 : 0; // the rows of nodes
    float scalar = done ? 0.0 : DEPOT != 0 ? at(arg.scalar, t) : begins ? 1.0 : 0.0;
    uint current = row + (reads != 0 ? word_of(t, RULES_CURRENT) : 0);
    if (DEPOT == 0)
        first = row + (reads != 0 ? word_of(t, RULES_FIRST) : 0);
    if (DECISIONS > 1) [[unroll]] for (uint start = 0; start < D; start += LANES / DECISIONS * LINE) {
        uint column = min(start + lane() / DECISIONS * LINE, D - 1);
        touch(arg.current, current * D + column);
        if (DEPOT == 0)
            touch(arg.first, first * D + column);
        touch(arg.q, t * D + column);
    }
    [[dont_unroll]] for (uint chunk = 0; chunk < CHUNKS; chunk++) {
        uint column = chunk_column(chunk), inside = min(column, D - 2);
        vec2 fixed_ = row_load(arg.fixed_, slot, inside);
        vec2 extra = load2(arg.extra, (slot / arg.per_group * arg.stride + inside) / 2);
        [[unroll]] for (uint j = 0; j < DECISIONS; j++) {
            uint to = subgroupBroadcast(t, j);
            bool adds = subgroupBroadcast(reads, j) != 0;
            vec2 x = row_load(arg.current, subgroupBroadcast(current, j), inside), q = fixed_ + (adds ? x : vec2(0));
            if (DEPOT == 0) {
                x = row_load(arg.first, subgroupBroadcast(first, j), inside);
                q += adds ? x : vec2(0);
            }
            q += subgroupBroadcast(scalar, j) * extra;
            if (start + j < own && !outside_row(column))
                row_store(arg.q, to, column, q);
        }
    }
    touch_end(DECISIONS > 1 && arg.T == 0, arg.q);
}
