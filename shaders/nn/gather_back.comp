#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/rows.glsl"
ARGUMENTS(gather_back);

layout(constant_id = GATHER_BACK_SINGLE) const bool SINGLE = true; // no two entries are equal

// dx[target] += dy[j]
void add(uint target, uint j) {
    [[dont_unroll]] for (uint column = chunk_column(0); column < D; column += CHUNK)
        row_store(arg.dx, target, column, row_load(arg.dx, target, column) + row_load(arg.dy, j, column));
}

const uint LOOKS = 4; // entries that a lane compares per iteration

// Returns whether an entry of i's run before i is equal to it.
bool earlier(uint i, uint target) {
    bool found = false;
    for (uint base = i / arg.run * arg.run + lane(); base < i; base += LOOKS * LANES) {
        [[unroll]] for (uint k = 0; k < LOOKS; k++) {
            uint j = base + k * LANES;
            found = (j < i && at_u(arg.index, min(j, i)) == target) || found;
        }
    }
    return subgroupAny(found);
}

// Adds the rows of dy from i to the end of its run whose entry is equal, in ascending order.
void add_equal(uint i, uint target) {
    uint end = min(i / arg.run * arg.run + arg.run, arg.count);
    for (uint base = i; base < end; base += LOOKS * LANES) {
        uint equal[LOOKS], any = GATHER_NONE;
        [[unroll]] for (uint k = 0; k < LOOKS; k++) {
            uint j = base + k * LANES + lane();
            equal[k] = j < end && at_u(arg.index, min(j, end - 1)) == target ? j : GATHER_NONE;
            any = min(any, equal[k]);
        }
        if (subgroupAll(any == GATHER_NONE))
            continue;
        [[unroll]] for (uint k = 0; k < LOOKS; k++) {
            for (uint next = subgroupMin(equal[k]); next != GATHER_NONE; next = subgroupMin(equal[k])) {
                add(target, next);
                if (equal[k] == next)
                    equal[k] = GATHER_NONE;
            }
        }
    }
}

// One worker for an entry of index; the first of several equal ones adds them all.
void main() {
    uint i = worker();
    if (i >= arg.count)
        return;
    uint target = at_u(arg.index, i);
    if (target == GATHER_NONE)
        return;
    if (SINGLE)
        add(target, i);
    else if (!earlier(i, target))
        add_equal(i, target);
}
