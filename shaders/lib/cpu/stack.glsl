// Returns x, by way of a private array with an index that the compiler does not know. That makes LLVM align the stack,
// so that with 16 lanes on Mesa's CPU driver no private vector lies across two cache lines. For kernels that keep much
// in private memory.
uint stack_aligned(uint x, uint unknown) {
    uint both[2];
    both[unknown & 1] = x;
    both[1 - (unknown & 1)] = x;
    return both[unknown >> 1 & 1];
}
