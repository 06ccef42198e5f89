// Queries of TS trajectories, or other vectors of theirs, by channels, and their products with rows that all of them
// read. Included behind lib/pointer.glsl.
#include "lib/cursor.glsl"
layout(constant_id = POINTER_SHARE_TS) const uint TS = 4;
const uint ALL = TS * VECTORS, HEADS = TS * H;
const uint CUT = 8; // pairs per basic block, at most 8 blocks

// A zero that no compiler knows: a lane number with it is read through the stack, which costs less than a shuffle.
uint zero() { return gl_NumWorkGroups.z - 1; }

void load_all(out vec2 x[ALL], ptr p, uint from, uint stride, float scale) {
    [[unroll]] for (uint i = 0; i < ALL; i++)
        x[i] = load2(p, from + i / VECTORS * stride + (holds(i % VECTORS) ? i % VECTORS * LANES + lane() : 0)) * scale;
}
vec2 pair_of(vec2 x[ALL], uint k, uint i) {
    vec2 y = x[k * VECTORS + i / LANES];
    return vec2(subgroupBroadcast(y.x, i % LANES + zero()), subgroupBroadcast(y.y, i % LANES + zero()));
}
void heads_of(out float x[H], float all[HEADS], uint k) {
    [[unroll]] for (uint h = 0; h < H; h++)
        x[h] = all[k * H + h];
}

// sum[k, h] += x_kh . row_h; the lane's row starts at the pair `from`. In parts: see lib/cpu/likelihood.glsl.
#define DOTS(part) if ((part) * CUT < PAIRS && zero() <= (part)) \
    [[unroll]] for (uint i = (part) * CUT; i < min((part) * CUT + CUT, PAIRS); i++) { \
        vec2 y = read2(ahead(row, 2 * i)); \
        [[unroll]] for (uint k = 0; k < TS; k++) { \
            vec2 z = pair_of(x, k, i); \
            sum[k * H + 2 * i / CHANNELS] += z.x * y.x; \
            sum[k * H + (2 * i + 1) / CHANNELS] += z.y * y.y; \
        } \
    }
void dots(inout float sum[HEADS], vec2 x[ALL], ptr p, uint from) {
    cursor row = cursor_at(p, 2 * from);
    DOTS(0) DOTS(1) DOTS(2) DOTS(3) DOTS(4) DOTS(5) DOTS(6) DOTS(7)
}
