#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/rows.glsl"
#include "lib/cpu/touch.glsl"
ARGUMENTS(query);
layout(constant_id = QUERY_DEPOT) const uint DEPOT = 0;

const uint NONE = 0xffffffffu;
const uint DECISIONS = LANES < 16 ? LANES : 16; // decisions whose states are read at once

void add(ptr to, uint row, uint column, vec2 x) {
    if (row != NONE && !outside_row(column))
        row_store(to, row, column, row_load(to, row, column) + x);
}

// A worker owns some columns of a slot's rows and goes through its decisions, sample by sample. A lane reads the state of
// one decision, then all lanes take one after the other. The first node seldom changes: its row stays in registers until it does.
void main() {
    uint slot = worker() / SPREAD;
    if (slot >= arg.S)
        return;
    for (uint chunk = worker() % SPREAD; chunk < CHUNKS; chunk += SPREAD) {
        uint column = chunk_column(chunk); // may lie outside: lanes without a column still have a decision to read
        vec2 fixed_ = vec2(0), extra = vec2(0), sum = vec2(0);
        uint held = NONE, count = arg.decisions * arg.repeat;
        for (uint start = 0; start < count; start += DECISIONS) {
            uint i = min(start + lane() % DECISIONS, count - 1);
            uint t = i % arg.decisions * arg.S * arg.repeat + slot * arg.repeat + i / arg.decisions, word = t * RULES_STATE;
            bool done = at_u(arg.state, word + RULES_DONE) != 0;
            bool begins = DEPOT == 0 && at_u(arg.state, word + RULES_STEPS) == 0;
            uint current = done || begins ? NONE : slot * arg.N + at_u(arg.state, word + RULES_CURRENT), first = NONE;
            float scalar = !done && begins ? 1 : 0;
            if (DEPOT != 0)
                scalar = done ? 0 : at(arg.scalar, t);
            else if (current != NONE)
                first = slot * arg.N + at_u(arg.state, word + RULES_FIRST);
#ifdef TARGET_CPU
            [[unroll]] for (uint c = 0; c < CHUNK; c += LINE) {
                uint line = min(chunk * CHUNK + c, D - 1);
                touch(arg.q, t * D + line);
                touch(arg.current, (current == NONE ? slot * arg.N : current) * D + line);
            }
#endif
            [[unroll]] for (uint j = 0; j < DECISIONS; j++) {
                if (start + j < count) {
                    vec2 dq = row_load(arg.q, subgroupBroadcast(t, j), min(column, D - 2));
                    uint now = subgroupBroadcast(first, j);
                    fixed_ += dq;
                    extra += subgroupBroadcast(scalar, j) * dq;
                    add(arg.current, subgroupBroadcast(current, j), column, dq);
                    if (now != held) {
                        add(arg.first, held, column, sum);
                        held = now;
                        sum = vec2(0);
                    }
                    sum += dq;
                }
            }
        }
        add(arg.first, held, column, sum);
        add(arg.fixed_, slot, column, fixed_);
        if (!outside_row(column))
            row_store(arg.extra, slot, column, extra);
    }
    touch_end(arg.T == 0, arg.extra);
}
