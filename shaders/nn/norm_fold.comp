#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/rows.glsl"
ARGUMENTS(norm_fold);

// k1, k2 and k3 of group g from its sums a and b.
void write_coef(uint g, uint column, vec2 a, vec2 b) {
    float share = 1 / float(max(group_rows(arg.rows, g, arg.per, arg.N), 1));
    vec2 deviation = sqrt(row_load(arg.stats, 2 * g + 1, column) + NORM_EPSILON);
    vec2 k1 = row_load(arg.gain, 0, column) / deviation, k2 = -k1 * a * share, k3 = -k1 * b * share;
    if (!is_null(arg.dstats)) {
        k2 += row_load(arg.dstats, 2 * g, column) * share;
        k3 += row_load(arg.dstats, 2 * g + 1, column) * (2 * share) * deviation;
    }
    if (lane() == 0) {
        row_store(arg.coef, 3 * g, column, k1);
        row_store(arg.coef, 3 * g + 1, column, k2);
        row_store(arg.coef, 3 * g + 2, column, k3);
    }
}

// One worker for two channels, lanes along the parts.
void main() {
    uint column = 2 * worker();
    if (column >= D)
        return;
    vec2 dbias = vec2(0), dgain = vec2(0);
    for (uint g = 0; g < arg.G; g++) {
        vec2 a = vec2(0), b = vec2(0);
        for (uint k = lane(); k < arg.blocks; k += LANES) {
            a += row_load(arg.parts, 2 * (g * arg.blocks + k), column);
            b += row_load(arg.parts, 2 * (g * arg.blocks + k) + 1, column);
        }
        a = subgroupAdd(a);
        b = subgroupAdd(b);
        if (!is_null(arg.coef))
            write_coef(g, column, a, b);
        dbias += a;
        dgain += b;
    }
    if (lane() == 0) {
        row_store(arg.dgain, 0, column, row_load(arg.dgain, 0, column) + dgain);
        row_store(arg.dbias, 0, column, row_load(arg.dbias, 0, column) + dbias);
    }
}
