#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/rows_kept.glsl"
ARGUMENTS(norm);

layout(constant_id = NORM_MODE) const uint MODE = NORM_OWN;
layout(constant_id = NORM_RESIDUAL) const bool RESIDUAL = false;
layout(constant_id = NORM_SAVE) const bool SAVE = true; // hat is saved

// z - base of up to ROWS rows. The base is the segment's first row (or the given mean), so that a large common offset
// costs no digits.
vec2 v[ROWS];
vec2 base = vec2(0);

vec2 load_z(uint row, uint column) {
    vec2 z = row_load(arg.x, row, column);
    return RESIDUAL ? z + row_load(arg.residual, row, column) : z;
}

void fetch(uint row, uint count, uint column, bool rebase) {
    for_groups(g, count) {
        for_rows(r, g) {
            vec2 z = load_z(row + min(r, count - 1), column);
            if (r == 0 && rebase)
                base = z;
            v[r] = z - base;
        }
    }
}

// Mean and sum of squared deviations of the rows in v.
void moments(uint count, out vec2 mean, out vec2 squares) {
    vec2 sum = vec2(0);
    squares = vec2(0);
    for_groups(g, count) {
        for_rows(r, g)
            sum += r < count ? v[r] : vec2(0);
    }
    mean = sum / float(max(count, 1));
    for_groups(g, count) {
        for_rows(r, g) {
            vec2 d = r < count ? v[r] - mean : vec2(0);
            squares += d * d;
        }
    }
}

void segment(uint s, uint column) {
    uint first = segment_first(arg.first, s, arg.N);
    uint n = FIXED > 0 ? FIXED : segment_rows(arg.rows, s, arg.N);
    uint pieces = WHOLE ? 1 : (n + ROWS - 1) / ROWS;
    vec2 mean = vec2(0), variance = vec2(0);
    if (MODE == NORM_ENTRY) {
        uint entry = is_null(arg.index) ? s / arg.per : at_u(arg.index, s);
        base = row_load(arg.stats, 2 * entry, column);
        variance = row_load(arg.stats, 2 * entry + 1, column);
    } else {
        vec2 squares = vec2(0);
        for (uint k = 0; k < pieces; k++) {
            uint start = k * ROWS, count = min(n - start, ROWS);
            vec2 piece_mean, piece_squares;
            fetch(first + start, count, column, k == 0);
            moments(count, piece_mean, piece_squares);
            float share = float(count) / float(max(start + count, 1));
            vec2 step = piece_mean - mean;
            mean += step * share;
            squares += piece_squares + step * step * (float(start) * share);
        }
        variance = squares / float(max(n, 1));
        row_store(arg.stats, 2 * s, column, base + mean);
        row_store(arg.stats, 2 * s + 1, column, variance);
    }
    if (MODE == NORM_MOMENTS)
        return;
    vec2 inv = 1 / sqrt(variance + NORM_EPSILON);
    vec2 gain = row_load(arg.gain, 0, column), bias = row_load(arg.bias, 0, column);
    for (uint k = 0; k < pieces; k++) {
        uint start = k * ROWS, count = min(n - start, ROWS);
        if (!WHOLE || MODE == NORM_ENTRY)
            fetch(first + start, count, column, false);
        for_groups(g, count) {
            for_rows(r, g) {
                uint row = first + start + min(r, count - 1);
                vec2 hat = (v[r] - mean) * inv;
                if (SAVE)
                    row_store(arg.hat, row, column, hat);
                row_store(arg.y, row, column, hat * gain + bias);
            }
        }
    }
}

void main() {
    uint s = worker() / SPREAD;
    if (s >= arg.S)
        return;
    for_columns(column)
        segment(s, column);
}
