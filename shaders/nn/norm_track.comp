#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/rows.glsl"
ARGUMENTS(norm_track);

bool finite(vec2 x) { return all(notEqual(floatBitsToUint(x) & 0x7f800000u, uvec2(0x7f800000u))); }

// Statistics that are not finite belong to a step that is skipped; they would stay in the tracked ones for ever.
void main() {
    uint n = group_rows(arg.rows, arg.group, arg.per, arg.N), column = chunk_column(worker());
    if (n == 0 || column >= D)
        return;
    vec2 mean = row_load(arg.stats, 2 * arg.group, column);
    vec2 variance = row_load(arg.stats, 2 * arg.group + 1, column) * (float(n) / float(max(n - 1, 1)));
    if (!finite(mean) || !finite(variance))
        return;
    row_store(arg.tracked, 0, column, mix(row_load(arg.tracked, 0, column), mean, arg.momentum));
    row_store(arg.tracked, 1, column, mix(row_load(arg.tracked, 1, column), variance, arg.momentum));
}
