#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/rows_kept.glsl"
ARGUMENTS(norm_back);

layout(constant_id = NORM_BACK_MODE) const uint MODE = NORM_BACK_OWN;
const bool SUMS = MODE != NORM_BACK_COEF;

vec2 dy[ROWS], hat[ROWS];

void fetch(uint row, uint count, uint column) {
    for_groups(g, count) {
        for_rows(r, g) {
            dy[r] = row_load(arg.dy, row + min(r, count - 1), column);
            hat[r] = row_load(arg.hat, row + min(r, count - 1), column);
        }
    }
}

void write(uint row, uint count, uint column, vec2 k1, vec2 k2, vec2 k3) {
    for_groups(g, count) {
        for_rows(r, g) {
            vec2 dz = k1 * dy[r];
            if (MODE != NORM_BACK_ENTRY)
                dz = dz + k2 + k3 * hat[r];
            row_store(arg.dz, row + min(r, count - 1), column, dz);
        }
    }
}

// Segment s: writes its dz and returns its sums of dy and dy hat.
void segment(uint s, uint column, vec2 gain, out vec2 a, out vec2 b) {
    uint first = segment_first(arg.first, s, arg.N);
    uint n = FIXED > 0 ? FIXED : segment_rows(arg.rows, s, arg.N);
    uint pieces = WHOLE ? 1 : (n + ROWS - 1) / ROWS;
    a = b = vec2(0);
    vec2 k1 = vec2(0), k2 = vec2(0), k3 = vec2(0), deviation = vec2(0);
    uint entry = s;
    if (MODE == NORM_BACK_ENTRY || MODE == NORM_BACK_COEF)
        entry = is_null(arg.index) ? s / arg.per : at_u(arg.index, s);
    if (MODE == NORM_BACK_ENTRY || MODE == NORM_BACK_OWN) {
        deviation = sqrt(row_load(arg.stats, 2 * entry + 1, column) + NORM_EPSILON);
        k1 = gain / deviation;
    }
    for (uint k = 0; SUMS && k < pieces; k++) {
        uint start = k * ROWS, count = min(n - start, ROWS);
        fetch(first + start, count, column);
        for_groups(g, count) {
            for_rows(r, g) {
                vec2 value = r < count ? dy[r] : vec2(0);
                a += value;
                b += value * hat[r];
            }
        }
        if (MODE == NORM_BACK_ENTRY)
            write(first + start, count, column, k1, k2, k3);
    }
    if (MODE == NORM_BACK_ENTRY && !is_null(arg.own)) {
        row_store(arg.own, 2 * s, column, -k1 * a);
        row_store(arg.own, 2 * s + 1, column, -0.5 * k1 * b / deviation);
    }
    if (MODE == NORM_BACK_SUMS || MODE == NORM_BACK_ENTRY)
        return;
    if (MODE == NORM_BACK_COEF) {
        k1 = row_load(arg.coef, 3 * entry, column);
        k2 = row_load(arg.coef, 3 * entry + 1, column);
        k3 = row_load(arg.coef, 3 * entry + 2, column);
    } else {
        float share = 1 / float(max(n, 1));
        k2 = -k1 * a * share;
        k3 = -k1 * b * share;
        if (!is_null(arg.dstats)) {
            k2 += row_load(arg.dstats, 2 * s, column) * share;
            k3 += row_load(arg.dstats, 2 * s + 1, column) * (2 * share) * deviation;
        }
    }
    for (uint k = 0; k < pieces; k++) {
        uint start = k * ROWS, count = min(n - start, ROWS);
        if (!WHOLE || !SUMS)
            fetch(first + start, count, column);
        write(first + start, count, column, k1, k2, k3);
    }
}

void main() {
    uint p = worker() / SPREAD, start = p % arg.blocks * arg.block, group = p / arg.blocks * arg.per;
    if (group >= arg.S)
        return;
    for_columns(column) {
        vec2 a = vec2(0), b = vec2(0), gain = row_load(arg.gain, 0, column);
        for (uint s = start; s < min(start + arg.block, arg.per); s++) {
            vec2 one, other;
            segment(group + s, column, gain, one, other);
            a += one;
            b += other;
        }
        if (SUMS) {
            row_store(arg.parts, 2 * p, column, a);
            row_store(arg.parts, 2 * p + 1, column, b);
        }
    }
}
