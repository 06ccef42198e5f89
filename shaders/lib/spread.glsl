// Loads a few rows of a head with all lanes together and broadcasts them, which is cheaper than loads. TILE rows,
// heads_tile() of src/nn/heads.h; lane part * TILE + j loads the part-th EACH channels of row j.
layout(constant_id = HEAD_TILE) const uint TILE = 4;
const uint PARTS = (BLOCKS - 1) + CH % (2 * (LANES / TILE)) == 0 ? LANES / TILE : 1; // heads of one block only
const uint EACH = CH / PARTS;

// i: first float of the head in this lane's row, which is row lane() % TILE of the tile.
void tile_load(ptr p, uint i, uint block, out float x[EACH]) {
    uint part = PARTS > 1 ? lane() / TILE * EACH : block * CH;
    [[unroll]] for (uint c = 0; c < EACH; c += 2) {
        vec2 pair = pair_load(p, i, part + c);
        x[c] = pair.x;
        if (c + 1 < EACH)
            x[c + 1] = pair.y;
    }
}
// Channel c of row j of a loaded tile, in every lane.
#ifdef TARGET_CPU
#include "lib/cpu/spread.glsl"
#else
#define spread(x, j, c) subgroupBroadcast(x[(c) % EACH], (c) / EACH * TILE + (j))
#define spread_through_stack(never)
#endif
