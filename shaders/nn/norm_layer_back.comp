#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/rows.glsl"
ARGUMENTS(norm_layer_back);

vec2 gain[CHUNKS], a[CHUNKS], b[CHUNKS]; // sums of dy and dy hat over the block's rows

// dz = inv (e - mean e - hat mean(e hat)) with e = gain dy
void back_row(uint row) {
    vec2 dy[CHUNKS], hat[CHUNKS], sum = vec2(0), product = vec2(0);
    [[unroll]] for (uint k = 0; k < CHUNKS; k++) {
        uint column = chunk_column(k);
        dy[k] = hat[k] = vec2(0);
        if (!outside_row(column)) {
            dy[k] = in_row(k, row_load(arg.dy, row, column));
            hat[k] = row_load(arg.hat, row, column);
        }
        a[k] += dy[k];
        b[k] += dy[k] * hat[k];
        dy[k] *= gain[k];
        sum += dy[k];
        product += dy[k] * hat[k];
    }
    float inv = 1 / sqrt(at(arg.stats, 2 * row + 1) + NORM_EPSILON);
    float mean = subgroupAdd(sum.x + sum.y) / float(D), slope = subgroupAdd(product.x + product.y) / float(D);
    [[unroll]] for (uint k = 0; k < CHUNKS; k++) {
        uint column = chunk_column(k);
        if (!outside_row(column))
            row_store(arg.dz, row, column, inv * (dy[k] - mean - hat[k] * slope));
    }
}

// One worker for a block of tasks, the whole row across its lanes.
void main() {
    const uint TASKS = (arg.N + NORM_LAYER_ROWS - 1) / NORM_LAYER_ROWS;
    uint begin = worker() * arg.block, end = min(begin + arg.block, arg.S * TASKS);
    if (begin >= end)
        return;
    [[unroll]] for (uint k = 0; k < CHUNKS; k++) {
        uint column = chunk_column(k);
        a[k] = b[k] = gain[k] = vec2(0);
        if (!outside_row(column))
            gain[k] = row_load(arg.gain, 0, column);
    }
    for (uint t = begin; t < end; t++) {
        uint s = t / TASKS, start = t % TASKS * NORM_LAYER_ROWS;
        uint first = segment_first(arg.first, s, arg.N), n = segment_rows(arg.rows, s, arg.N);
        for (uint row = first + start; row < first + min(start + NORM_LAYER_ROWS, n); row++)
            back_row(row);
    }
    [[unroll]] for (uint k = 0; k < CHUNKS; k++) {
        uint column = chunk_column(k);
        if (!outside_row(column)) {
            row_store(arg.parts, 2 * worker(), column, a[k]);
            row_store(arg.parts, 2 * worker() + 1, column, b[k]);
        }
    }
}
