// What the first kernel of the pointer's gradient, in the form for many trajectories of a slot, leaves for the second.
// For each slot and LANES of its trajectories:
//     for each row, and with dynamic features once more for the sums over the rows times their feature,
//     for each trajectory: de (H), a (H), each filled up to an even number, du twice; and at the end
//     for each trajectory dg (D)
const uint EVEN = (H + 1) / 2 * 2, COEFFICIENTS = 2 * EVEN + 2;
uint block_size() { return ((arg.N + DYN) * COEFFICIENTS + D) * LANES; }
uint coefficients_at(uint block, uint r, uint j) { return block * block_size() + (r * LANES + j) * COEFFICIENTS; }
uint dg_at(uint block, uint j) { return coefficients_at(block, arg.N + DYN, 0) + j * D; }
