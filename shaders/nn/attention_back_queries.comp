#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/head.glsl"
#include "lib/spread.glsl"
ARGUMENTS(attention_back);
#include "lib/attention.glsl"
layout(constant_id = ATTENTION_BACK_DLOGITS) const bool EXTRA = true;  // dlogits is given
layout(constant_id = ATTENTION_BACK_FIRST) const bool FIRST = false; // first pass: statistics of every row, for the other passes

// Lanes along the queries. The first pass stores two numbers per query and head in place of its dq: log sum_j
// exp(logit) and sum_j p_j (dmix . v_j). attention_back_keys.comp also reads them; the last pass replaces them by dq.
float dmix[ROWS][CH], tile[EACH], p[ROWS][TILE], g[ROWS][TILE], dq[ROWS][CH], log_sum[ROWS], mean[ROWS];
uint query[ROWS];

void load_dmix(uint block) {
    [[unroll]] for (uint r = 0; r < ROWS; r++)
        head_load(arg.dmix, (first + min(query[r], n - 1)) * arg.H * DK + head, block, dmix[r]);
}
// g = dmix . v of keys j0 ..
void dot_values(uint j0) {
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
        [[unroll]] for (uint j = 0; j < TILE; j++)
            g[r][j] = 0;
    }
    for (uint block = 0; block < BLOCKS; block++) {
        if (BLOCKS > 1)
            load_dmix(block);
        tile_load(arg.qkv, row_of(j0 + lane() % TILE) + 2 * arg.H * DK, block, tile);
        [[unroll]] for (uint j = 0; j < TILE; j++) {
            [[unroll]] for (uint c = 0; c < CH; c++) {
                float v = spread(tile, j, c);
                [[unroll]] for (uint r = 0; r < ROWS; r++)
                    g[r][j] += dmix[r][c] * v;
            }
        }
    }
}

void statistics() {
    float largest[ROWS], total[ROWS];
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
        largest[r] = LOWEST;
        total[r] = 0;
        mean[r] = 0;
    }
    for (uint j0 = 0; j0 < n; j0 += TILE) {
        load_logits(arg.logits, j0, p);
        [[unroll]] for (uint r = 0; r < ROWS; r++) {
            [[unroll]] for (uint j = 0; j < TILE; j++)
                largest[r] = j0 + j < n ? max(largest[r], p[r][j]) : largest[r];
        }
    }
    for (uint j0 = 0; j0 < n; j0 += TILE) {
        load_logits(arg.logits, j0, p);
        dot_values(j0);
        [[unroll]] for (uint r = 0; r < ROWS; r++) {
            [[unroll]] for (uint j = 0; j < TILE; j++) {
                float weight = j0 + j < n ? exp(p[r][j] - largest[r]) : 0;
                total[r] += weight;
                mean[r] += weight * g[r][j];
            }
        }
    }
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
        if (query[r] < n)
            pair_store(arg.dqkv, row_of(query[r]), 0, vec2(largest[r] + log(total[r]), mean[r] / total[r]));
    }
}

void gradient(uint block) {
    [[unroll]] for (uint r = 0; r < ROWS; r++)
        head_clear(dq[r]);
    for (uint j0 = 0; j0 < n; j0 += TILE) {
        float extra[ROWS][TILE];
        load_logits(arg.logits, j0, p);
        if (EXTRA)
            load_logits(arg.dlogits, j0, extra);
        dot_values(j0);
        [[unroll]] for (uint r = 0; r < ROWS; r++) {
            [[unroll]] for (uint j = 0; j < TILE; j++) {
                g[r][j] = exp(p[r][j] - log_sum[r]) * (g[r][j] - mean[r]) + (EXTRA ? extra[r][j] : 0);
                g[r][j] = j0 + j < n ? g[r][j] * SCALE : 0;
            }
        }
        tile_load(arg.qkv, row_of(j0 + lane() % TILE) + arg.H * DK, block, tile);
        [[unroll]] for (uint j = 0; j < TILE; j++) {
            [[unroll]] for (uint c = 0; c < CH; c++) {
                float k = spread(tile, j, c);
                [[unroll]] for (uint r = 0; r < ROWS; r++)
                    dq[r][c] += g[r][j] * k;
            }
        }
    }
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
        if (query[r] < n)
            head_store(arg.dqkv, row_of(query[r]), block, dq[r]);
    }
}

void main() {
    if (!share())
        return;
    if (!use_segment())
        return;
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
        query[r] = start + r * LANES + lane();
        logits[r] = matrix + min(query[r], n - 1) * arg.N;
        if (!FIRST) {
            vec2 pair = pair_load(arg.dqkv, row_of(query[r]), 0);
            log_sum[r] = pair.x;
            mean[r] = pair.y;
        }
    }
    if (BLOCKS == 1)
        load_dmix(0);
    if (FIRST)
        statistics();
    for (uint block = 0; !FIRST && block < BLOCKS; block++)
        gradient(block);
}
