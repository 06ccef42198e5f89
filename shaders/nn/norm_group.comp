#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/rows.glsl"
ARGUMENTS(norm_group);

// One worker for two channels of a group, lanes along its segments; first the mean, then the variance around it.
void main() {
    const uint PAIRS = (D + 1) / 2;
    uint g = worker() / PAIRS, column = 2 * (worker() % PAIRS), start = g * arg.per;
    if (start >= arg.S)
        return;
    vec2 base = row_load(arg.part, 2 * start, column), sum = vec2(0);
    for (uint k = lane(); k < arg.per; k += LANES) {
        float rows = float(segment_rows(arg.rows, start + k, arg.N));
        sum += rows * (row_load(arg.part, 2 * (start + k), column) - base);
    }
    float share = 1 / float(max(group_rows(arg.rows, g, arg.per, arg.N), 1));
    vec2 mean = subgroupAdd(sum) * share, squares = vec2(0);
    for (uint k = lane(); k < arg.per; k += LANES) {
        vec2 d = row_load(arg.part, 2 * (start + k), column) - base - mean;
        vec2 variance = row_load(arg.part, 2 * (start + k) + 1, column);
        squares += float(segment_rows(arg.rows, start + k, arg.N)) * (variance + d * d);
    }
    squares = subgroupAdd(squares);
    if (lane() == 0) {
        row_store(arg.stats, 2 * g, column, base + mean);
        row_store(arg.stats, 2 * g + 1, column, squares * share);
    }
}
