// A beam's hash table with open addressing: arg.size slots for index + 1, 0 if empty. The including kernel defines
// which indices are equal; a hash only says where to search.
bool same(uint i, uint j);

void clear_table(uint beam) {
    for (uint i = lane(); i < arg.size; i += LANES)
        at_u(arg.table, beam * arg.size + i) = 0;
    settle();
}

// Returns the index equal to i that is in the table already, or inserts and returns i.
uint entered(uint beam, uint i, uint hash) {
    uint entry = hash & (arg.size - 1), other;
    for (;;) {
        other = atomicCompSwap(at_u(arg.table, beam * arg.size + entry), 0u, i + 1);
        if (other == 0)
            return i;
        if (same(other - 1, i))
            return other - 1;
        entry = (entry + 1) & (arg.size - 1);
    }
}
