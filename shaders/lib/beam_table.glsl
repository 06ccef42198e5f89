// A beam's hash table with open addressing: arg.size places for numbers + 1, 0 where empty. The kernel that includes it
// says which numbers are equal; a hash only says where to look.
bool same(uint i, uint j);

void clear_table(uint beam) {
    for (uint i = lane(); i < arg.size; i += LANES)
        at_u(arg.table, beam * arg.size + i) = 0;
    settle();
}

// The number equal to i that is in the table already, or i, which then is.
uint entered(uint beam, uint i, uint hash) {
    uint place = hash & (arg.size - 1), other;
    for (;;) {
        other = atomicCompSwap(at_u(arg.table, beam * arg.size + place), 0u, i + 1);
        if (other == 0)
            return i;
        if (same(other - 1, i))
            return other - 1;
        place = (place + 1) & (arg.size - 1);
    }
}
