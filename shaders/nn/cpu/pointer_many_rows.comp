#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(pointer_many_rows);
#include "lib/cpu/pointer_many.glsl"
#include "lib/cpu/pointer_scratch.glsl"

// A worker takes LANES rows of a slot, or with dynamic features their weights as one more row, and of them the gradient
// of key (part 0), value (1) or logit key (2): the sum over the trajectories of coefficients times q, dg or g.
void main() {
    uint blocks = (arg.turns + LANES - 1) / LANES, tiles = (arg.N + DYN + LANES - 1) / LANES, w = aligned(worker());
    uint slot = w / (3 * tiles), part = w / tiles % 3, s = arg.begin + slot;
    if (s >= arg.end)
        return;
    uint rows = segment_rows(arg.rows, s, arg.N), r = w % tiles * LANES + lane();
    if (w % tiles * LANES >= rows + DYN)
        return;
    bool mine = r < rows + DYN;
    r = mine ? r : 0;
    ptr source = part == 0 ? arg.q : part == 1 ? arg.scratch : arg.saved;
    float sum[WIDE]; // all heads are one group: WIDE is D
    [[unroll]] for (uint c = 0; c < WIDE; c++)
        sum[c] = 0;
    [[dont_unroll]] for (uint b = 0; b < blocks; b++) {
        uint block = slot * blocks + b;
        uint any = subgroupOr(at_u(arg.scratch, live_at(block, min(w % tiles * LANES, arg.N - 1), lane())));
        bool written = mine && (r >= rows || (any >> r % 32 & 1) != 0);
        uint end = subgroupAny(written) ? min(b * LANES + LANES, arg.turns) : 0;
        [[dont_unroll]] for (uint i = b * LANES; i < end; i += R) {
            vec2 x[TILE];
            float y[HEADS];
            [[unroll]] for (uint k = 0; k < R; k++) {
                uint turn = min(i + k, arg.turns - 1), t = trajectory(s, turn);
                load_vector(x, k, source, (part == 0 ? t * D : part == 1 ? dg_at(block, turn % LANES) : saved(t)) / 2);
                bool counts = written && i + k < arg.turns;
                vec2 both = load2(arg.scratch, pair_at(block, r, part * EVEN / 2, turn % LANES));
                [[unroll]] for (uint h = 0; h < H; h++)
                    y[k * H + h] = counts ? both[h % 2] : 0.0;
                if (part < 2) [[unroll]] for (uint h = 2; h < H; h += 2) {
                    both = load2(arg.scratch, pair_at(block, r, (part * EVEN + h) / 2, turn % LANES));
                    y[k * H + h] = counts ? both.x : 0.0;
                    if (h + 1 < H)
                        y[k * H + h + 1] = counts ? both.y : 0.0;
                }
            }
            sums(sum, y, x, R);
        }
    }
    if (mine) {
        ptr to = r < rows ? arg.dkvl : arg.dwdyn;
        uint from = ((r < rows ? segment_first(arg.first, s, arg.N) + r : s) * 3 + part) * PAIRS;
        [[unroll]] for (uint i = 0; i < PAIRS; i++)
            store2(to, from + i, load2(to, from + i) + vec2(sum[2 * i], sum[2 * i + 1]));
    }
}
