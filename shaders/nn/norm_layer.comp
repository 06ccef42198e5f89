#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/rows.glsl"
ARGUMENTS(norm_layer);

layout(constant_id = NORM_LAYER_RESIDUAL) const bool RESIDUAL = false;
layout(constant_id = NORM_LAYER_SAVE) const bool SAVE = true; // hat is saved

// One worker for a task, the whole row across its lanes.
void main() {
    const uint TASKS = (arg.N + NORM_LAYER_ROWS - 1) / NORM_LAYER_ROWS;
    uint s = worker() / TASKS, start = worker() % TASKS * NORM_LAYER_ROWS;
    if (s >= arg.S)
        return;
    uint first = segment_first(arg.first, s, arg.N), n = segment_rows(arg.rows, s, arg.N);
    vec2 v[CHUNKS], gain[CHUNKS], bias[CHUNKS];
    [[unroll]] for (uint k = 0; k < CHUNKS; k++) {
        uint column = chunk_column(k);
        gain[k] = bias[k] = vec2(0);
        if (!outside_row(column)) {
            gain[k] = row_load(arg.gain, 0, column);
            bias[k] = row_load(arg.bias, 0, column);
        }
    }
    for (uint row = first + start; row < first + min(start + NORM_LAYER_ROWS, n); row++) {
        vec2 sum = vec2(0), squares = vec2(0);
        [[unroll]] for (uint k = 0; k < CHUNKS; k++) {
            uint column = chunk_column(k);
            v[k] = vec2(0);
            if (!outside_row(column)) {
                v[k] = row_load(arg.x, row, column);
                if (RESIDUAL)
                    v[k] += row_load(arg.residual, row, column);
            }
        }
        float base = subgroupBroadcastFirst(v[0].x); // a common offset costs no digits
        [[unroll]] for (uint k = 0; k < CHUNKS; k++) {
            v[k] = in_row(k, v[k] - base);
            sum += v[k];
        }
        float mean = subgroupAdd(sum.x + sum.y) / float(D);
        [[unroll]] for (uint k = 0; k < CHUNKS; k++) {
            v[k] = in_row(k, v[k] - mean);
            squares += v[k] * v[k];
        }
        float variance = subgroupAdd(squares.x + squares.y) / float(D);
        float inv = 1 / sqrt(variance + NORM_EPSILON);
        [[unroll]] for (uint k = 0; k < CHUNKS; k++) {
            uint column = chunk_column(k);
            if (!outside_row(column)) {
                if (SAVE)
                    row_store(arg.hat, row, column, v[k] * inv);
                row_store(arg.y, row, column, v[k] * inv * gain[k] + bias[k]);
            }
        }
        if (lane() == 0)
            store2(arg.stats, row, vec2(base + mean, variance));
    }
}
