// What the first kernel of the pointer's gradient, in the form for many trajectories of a slot, leaves for the second.
// For each slot and LANES of its trajectories:
//     for each row, and with dynamic features once more for the sums over the rows times their feature, unless no
//     trajectory may go there: de (H), a (H), each filled up to an even number, du twice, in pairs for each trajectory;
//     for each trajectory dg (D); and at the end
//     for each 32 rows, for each trajectory: a bit for each row that it may go to
const uint EVEN = (H + 1) / 2 * 2, COEFFICIENTS = 2 * EVEN + 2;
uint block_size() { return ((arg.N + DYN) * COEFFICIENTS + D + (arg.N + 31) / 32) * LANES; }
uint pair_at(uint block, uint r, uint i, uint j) {
    return block * block_size() / 2 + (r * COEFFICIENTS / 2 + i) * LANES + j;
}
uint dg_at(uint block, uint j) { return block * block_size() + (arg.N + DYN) * COEFFICIENTS * LANES + j * D; }
uint live_at(uint block, uint r, uint j) { return dg_at(block, LANES) + r / 32 * LANES + j; }
