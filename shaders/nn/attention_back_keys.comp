#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/head.glsl"
#include "lib/spread.glsl"
ARGUMENTS(attention_back);
#include "lib/attention.glsl"
layout(constant_id = ATTENTION_BACK_DLOGITS) const bool EXTRA = true;   // dlogits is given
layout(constant_id = ATTENTION_BACK_DV) const bool EXTRA_V = true; // dv is given

// Lanes along the keys. The statistics of every query are where its dq will be: attention_back_queries.comp.
float v[ROWS][CH], dk[ROWS][CH], dv[ROWS][CH], p[ROWS][TILE], g[ROWS][TILE], dmix[EACH], q[EACH];
uint key[ROWS];

void load_values(uint block) {
    [[unroll]] for (uint r = 0; r < ROWS; r++)
        head_load(arg.qkv, row_of(key[r]) + 2 * arg.H * DK, block, v[r]);
}
void load_dmix(uint i0, uint block) {
    tile_load(arg.dmix, (first + min(i0 + lane() % TILE, n - 1)) * arg.H * DK + head, block, dmix);
}

// p and g = gradients of the logits, for queries i0 ..
void weights(uint i0) {
    vec2 statistics = pair_load(arg.dqkv, row_of(i0 + lane() % TILE), 0); // log of the sum, mean
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
        [[unroll]] for (uint i = 0; i < TILE; i++)
            g[r][i] = 0;
    }
    for (uint block = 0; block < BLOCKS; block++) {
        if (BLOCKS > 1)
            load_values(block);
        load_dmix(i0, block);
        [[unroll]] for (uint i = 0; i < TILE; i++) {
            [[unroll]] for (uint c = 0; c < CH; c++) {
                float d = spread(dmix, i, c);
                [[unroll]] for (uint r = 0; r < ROWS; r++)
                    g[r][i] += d * v[r][c];
            }
        }
    }
    [[unroll]] for (uint i = 0; i < TILE; i++) {
        float log_sum = subgroupBroadcast(statistics.x, i), mean = subgroupBroadcast(statistics.y, i);
        [[unroll]] for (uint r = 0; r < ROWS; r++) {
            uint where = matrix + min(i0 + i, n - 1) * arg.N + min(key[r], n - 1);
            p[r][i] = i0 + i < n ? exp(at(arg.logits, where) - log_sum) : 0;
            g[r][i] = p[r][i] * (g[r][i] - mean);
            if (EXTRA)
                g[r][i] += i0 + i < n ? at(arg.dlogits, where) : 0;
        }
    }
}

void gradient(uint block) {
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
        head_clear(dk[r]);
        head_clear(dv[r]);
    }
    for (uint i0 = 0; i0 < n; i0 += TILE) {
        weights(i0);
        if (BLOCKS > 1)
            load_dmix(i0, block);
        tile_load(arg.qkv, row_of(i0 + lane() % TILE), block, q);
        [[unroll]] for (uint i = 0; i < TILE; i++) {
            [[unroll]] for (uint c = 0; c < CH; c++) {
                float d = spread(dmix, i, c), query = spread(q, i, c);
                [[unroll]] for (uint r = 0; r < ROWS; r++) {
                    dk[r][c] += g[r][i] * query;
                    dv[r][c] += p[r][i] * d;
                }
            }
        }
    }
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
        float extra[CH];
        head_clear(extra);
        if (EXTRA_V)
            head_load(arg.dv, (first + min(key[r], n - 1)) * arg.H * DK + head, block, extra);
        [[unroll]] for (uint c = 0; c < CH; c++) {
            dk[r][c] *= SCALE;
            dv[r][c] += extra[c];
        }
        if (key[r] < n) {
            head_store(arg.dqkv, row_of(key[r]) + arg.H * DK, block, dk[r]);
            head_store(arg.dqkv, row_of(key[r]) + 2 * arg.H * DK, block, dv[r]);
        }
    }
}

void main() {
    if (!share())
        return;
    if (!use_segment())
        return;
    [[unroll]] for (uint r = 0; r < ROWS; r++)
        key[r] = start + r * LANES + lane();
    if (BLOCKS == 1)
        load_values(0);
    for (uint block = 0; block < BLOCKS; block++)
        gradient(block);
}
