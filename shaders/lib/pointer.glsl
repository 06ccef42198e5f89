// Shared by the pointer and its gradient; included after their ARGUMENTS. A worker processes LANES live rows of the
// cache at a time. Two layouts over its lanes:
// "by rows": a lane has one row; for dot products, which then need no sum over lanes;
// "by channels": lane l has channels 2p and 2p + 1, p = k * LANES + l, in vector k of VECTORS; for sums over rows.
#include "lib/pointer_sizes.glsl"

const uint VECTORS = (PAIRS + LANES - 1) / LANES;
const uint SPAN = (2 * LANES - 1) / CHANNELS + 2; // max heads in a vector

// Bounds checks make long code, which compiles for minutes if it is unrolled as well.
#ifdef TARGET_SAFE
#define UNROLL [[dont_unroll]]
#else
#define UNROLL [[unroll]]
#endif

// The list of live rows in the values saved for a trajectory.
uint live_rows(uint t) { return at_u(arg.saved, saved_sum(t) + 1); }

// Returns the i-th live row; after the last, row 0, which always exists.
uint live_row(uint t, uint i, uint count) { return i < count ? at_u(arg.saved, saved_sum(t) + 2 + i) : 0; }

uint node_of(uint row, uint slot) {
    return is_null(arg.node) ? row - segment_first(arg.first, slot, arg.max_rows) : at_u(arg.node, row);
}

// The pair at which the dynamic weights of trajectory t begin; a macro, because not every kernel has them.
#define wdyn_of(t) ((t) / arg.per_group % arg.groups * 3 * ROW)

// Returns whether this lane has channels in vector k.
bool holds(uint k) { return PAIRS % LANES == 0 || k * LANES + lane() < PAIRS; }

// D channels by channels, from the pair `from` on.
void load_channels(out vec2 x[VECTORS], ptr p, uint from) {
    UNROLL for (uint k = 0; k < VECTORS; k++)
        x[k] = load2(p, from + (holds(k) ? k * LANES + lane() : 0));
}

// sum[h] += x_h . row_h by rows; x by channels, the lane's row starts at the pair `from`. Reads all cache lines of the
// row first, so that they arrive together.
void dot_rows(inout float sum[H], vec2 x[VECTORS], ptr p, uint from) {
    const uint lines = PAIRS % 8 == 0 ? PAIRS / 8 : 1;
    UNROLL for (uint n = 0; n < PAIRS; n++) {
        uint i = n % lines * (PAIRS / lines) + n / lines;
        vec2 y = load2(p, from + i);
        sum[2 * i / CHANNELS] += subgroupBroadcast(x[i / LANES].x, i % LANES) * y.x;
        sum[(2 * i + 1) / CHANNELS] += subgroupBroadcast(x[i / LANES].y, i % LANES) * y.y;
    }
}

// sum[h] = x_h . y_h, both by channels, equal in every lane.
void dot_channels(out float sum[H], vec2 x[VECTORS], vec2 y[VECTORS]) {
    [[unroll]] for (uint h = 0; h < H; h++)
        sum[h] = 0;
    UNROLL for (uint i = 0; i < PAIRS; i++) {
        vec2 xy = x[i / LANES] * y[i / LANES];
        if (CHANNELS % 2 == 0) {
            sum[2 * i / CHANNELS] += subgroupBroadcast(xy.x + xy.y, i % LANES);
        } else {
            sum[2 * i / CHANNELS] += subgroupBroadcast(xy.x, i % LANES);
            sum[(2 * i + 1) / CHANNELS] += subgroupBroadcast(xy.y, i % LANES);
        }
    }
}

float sum_heads(float x[H]) {
    float sum = x[0];
    [[unroll]] for (uint h = 1; h < H; h++)
        sum += x[h];
    return sum;
}

// Returns x[h] of lane j for this lane's channels in vector k.
vec2 spread(float x[H], uint j, uint k) {
    uint first = 2 * k * LANES / CHANNELS;
    uvec2 heads = (2 * (k * LANES + lane()) + uvec2(0, CHANNELS % 2)) / CHANNELS;
    vec2 y = vec2(subgroupBroadcast(x[first], j));
    [[unroll]] for (uint i = 1; i < SPAN; i++)
        if (first + i < H && (first + i) * CHANNELS < 2 * (k + 1) * LANES)
            y = mix(y, vec2(subgroupBroadcast(x[first + i], j)), equal(heads, uvec2(first + i)));
    return y;
}
