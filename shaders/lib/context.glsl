// Finds the rows of h in a trajectory's context.
uint word_of(uint t, uint i) { return at_u(arg.state, t * RULES_STATE + i); }

// Returns the row of node v in the compact segment of a slot, after the relevant nodes below v.
uint compact_row(uint slot, uint v) {
    uint words = (arg.N + 31) / 32, row = at_u(arg.first, slot);
    for (uint w = 0; w < v / 32; w++)
        row += bitCount(at_u(arg.relevant, slot * words + w));
    return row + bitCount(at_u(arg.relevant, slot * words + v / 32) & ((1u << (v & 31)) - 1));
}
