// Returns x, by way of a private array with an index that the compiler does not know. That makes LLVM align the stack:
// without it, on Mesa's CPU driver with 16 lanes, most private vectors would lie across two cache lines, as chance has
// it, and take twice the time. For kernels that keep much in private memory; costs others next to nothing.
uint stack_aligned(uint x, uint unknown) {
    uint both[2];
    both[unknown & 1] = x;
    both[1 - (unknown & 1)] = x;
    return both[unknown >> 1 & 1];
}
