#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/head.glsl"
#include "lib/spread.glsl"
#include "lib/cursor.glsl"
ARGUMENTS(attention);
#include "lib/attention.glsl"
const uint BLOCK = ROWS > 4 ? 2 : 4; // keys or channels processed together, limited by the registers for sums

// Lanes along the queries. A row's weights are exp(logit - shift), where the shift is its first logit, so that one pass
// over the keys suffices for heads of one block; if another logit exceeds it by more than FAR, the shift is the
// largest, and the logits are read again by the lane that wrote them.
float q[ROWS][CH], key_tile[EACH], value_tile[EACH], x[ROWS][TILE], acc[ROWS][CH], shift[ROWS], largest[ROWS], total[ROWS];
uint query[ROWS];

void load_queries(uint block) {
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
        head_load(arg.qkv, row_of(query[r]), block, q[r]);
        [[unroll]] for (uint c = 0; c < CH; c++)
            q[r][c] *= SCALE;
    }
}
// Keys (part 1) or values (part 2) j0 ..
void load_tile(uint j0, uint part, uint block, out float x[EACH]) {
    tile_load(arg.qkv, row_of(j0 + lane() % TILE) + part * arg.H * DK, block, x);
}
// x = the logits of keys j0 ..
void dot_keys(uint j0) {
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
        [[unroll]] for (uint j = 0; j < TILE; j++)
            x[r][j] = 0;
    }
    for (uint block = 0; block < BLOCKS; block++) {
        if (BLOCKS > 1)
            load_queries(block), load_tile(j0, 1, block, key_tile);
        [[unroll]] for (uint k = 0; k < TILE; k += BLOCK) {
            [[unroll]] for (uint c = 0; c < CH; c++) {
                [[unroll]] for (uint j = 0; j < BLOCK; j++) {
                    if (k + j < TILE) [[unroll]] for (uint r = 0; r < ROWS; r++)
                        x[r][k + j] += q[r][c] * spread(key_tile, k + j, c);
                }
            }
        }
    }
}
// With several rows a lane past the last query repeats it: a condition per row would cost more than its store.
void store_logits(uint j0) {
    [[unroll]] for (uint j = 0; j < TILE; j += EVEN ? 2 : 1) {
        if (j0 + j < n) [[unroll]] for (uint r = 0; r < ROWS; r++) {
            cursor start = ahead(cursor_at(arg.logits, logits[r]), j0 + j);
            bool both = EVEN && j0 + j + 1 < n;
            float other = both ? x[r][j + 1] : 0;
            largest[r] = max(largest[r], both ? max(x[r][j], other) : x[r][j]);
            if (ROWS > 1 || query[r] < n) {
                if (EVEN)
                    write2(start, vec2(x[r][j], other));
                else
                    write1(start, x[r][j]);
            }
        }
    }
}
void clear() {
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
        total[r] = 0;
        head_clear(acc[r]);
    }
}
// Adds the values of keys j0 .., whose logits are x.
void add_values(uint j0, uint block) {
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
        [[unroll]] for (uint j = 0; j < TILE; j++) {
            x[r][j] = j0 + j < n ? exp(x[r][j] - shift[r]) : 0;
            total[r] += x[r][j];
        }
    }
    [[unroll]] for (uint c0 = 0; c0 < CH; c0 += BLOCK) {
        [[unroll]] for (uint j = 0; j < TILE; j++) {
            [[unroll]] for (uint c = 0; c < BLOCK; c++) {
                if (c0 + c < CH) [[unroll]] for (uint r = 0; r < ROWS; r++)
                    acc[r][c0 + c] += x[r][j] * spread(value_tile, j, c0 + c);
            }
        }
    }
}
void store_mix(uint block) {
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
        total[r] = 1 / total[r];
        [[unroll]] for (uint c = 0; c < CH; c++)
            acc[r][c] *= total[r];
        if (query[r] < n)
            head_store(arg.mix, (first + query[r]) * arg.H * DK + head, block, acc[r]);
    }
}

void main() {
    if (!share())
        return;
    if (!use_segment())
        return;
    spread_through_stack(ROWS > 1 && arg.N == 0);
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
        query[r] = start + r * LANES + lane();
        logits[r] = matrix + min(query[r], n - 1) * arg.N;
        largest[r] = LOWEST;
    }
    if (BLOCKS == 1)
        load_queries(0), load_tile(0, 1, 0, key_tile);
    clear();
    for (uint j0 = 0; j0 < n; j0 += TILE) {
        dot_keys(j0);
        [[unroll]] for (uint r = 0; r < ROWS; r++)
            shift[r] = j0 == 0 ? x[r][0] : shift[r];
        if (BLOCKS == 1) { // early: they arrive while the logits are stored
            load_tile(j0, 2, 0, value_tile);
            load_tile(j0 + TILE, 1, 0, key_tile);
        }
        store_logits(j0);
        if (BLOCKS == 1)
            add_values(j0, 0);
    }
    bool again = BLOCKS > 1;
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
        again = again || largest[r] - shift[r] > FAR;
        shift[r] = largest[r] - shift[r] > FAR ? largest[r] : shift[r];
    }
    if (BLOCKS == 1)
        store_mix(0);
    for (uint block = 0; subgroupAny(again) && block < BLOCKS; block++) {
        clear();
        for (uint j0 = 0; j0 < n; j0 += TILE) {
            load_logits(arg.logits, j0, x);
            load_tile(j0, 2, block, value_tile);
            add_values(j0, block);
        }
        store_mix(block);
    }
}
