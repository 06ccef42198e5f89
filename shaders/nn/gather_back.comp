#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/rows.glsl"
ARGUMENTS(gather_back);

layout(constant_id = 3) const bool SINGLE = true; // no two entries are equal

vec2 sum[CHUNKS];

void add(ptr p, uint row) {
    [[unroll]] for (uint k = 0; k < CHUNKS; k++) {
        if (!outside_row(chunk_column(k)))
            sum[k] += row_load(p, row, chunk_column(k));
    }
}

// Adds the rows of dy whose entry is `target`, in ascending order. False if one comes before i: that one's worker adds.
bool add_equal(uint i, uint target) {
    uint start = i / arg.run * arg.run, end = min(start + arg.run, arg.count);
    for (uint base = start; base < end; base += LANES) {
        uint mine = GATHER_NONE; // the entry of this lane, if it is equal
        if (base + lane() < end && at_u(arg.index, base + lane()) == target)
            mine = base + lane();
        for (uint next = subgroupMin(mine); next != GATHER_NONE; next = subgroupMin(mine)) {
            if (next < i)
                return false;
            add(arg.dy, next);
            if (mine == next)
                mine = GATHER_NONE;
        }
    }
    return true;
}

// One worker for an entry of index.
void main() {
    uint i = worker();
    if (i >= arg.count)
        return;
    uint target = at_u(arg.index, i);
    if (target == GATHER_NONE)
        return;
    [[unroll]] for (uint k = 0; k < CHUNKS; k++)
        sum[k] = vec2(0);
    if (SINGLE)
        add(arg.dy, i);
    else if (!add_equal(i, target))
        return;
    add(arg.dx, target);
    [[unroll]] for (uint k = 0; k < CHUNKS; k++) {
        if (!outside_row(chunk_column(k)))
            row_store(arg.dx, target, chunk_column(k), sum[k]);
    }
}
