// Finds the rows of h in a trajectory's context.
uint word_of(uint t, uint i) { return at_u(arg.state, t * RULES_STATE + i); }

// Returns the row of node v: in its compact segment, after the relevant nodes below v; or in its instance's dense rows.
uint row_of(uint t, uint v) {
    if (is_null(arg.relevant))
        return at_u(arg.instance, t) * arg.N + v;
    uint slot = is_null(arg.slot) ? t : at_u(arg.slot, t), words = (arg.N + 31) / 32, row = at_u(arg.first, slot);
    for (uint w = 0; w < v / 32; w++)
        row += bitCount(at_u(arg.relevant, slot * words + w));
    return row + bitCount(at_u(arg.relevant, slot * words + v / 32) & ((1u << (v & 31)) - 1));
}
