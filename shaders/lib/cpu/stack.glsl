// Returns x through a private array with an index unknown to the compiler. That makes LLVM align the stack, so that
// with 16 lanes on Mesa's CPU driver no private vector crosses two cache lines. For kernels with much private memory.
uint stack_aligned(uint x, uint unknown) {
    uint both[2];
    both[unknown & 1] = x;
    both[1 - (unknown & 1)] = x;
    return both[unknown >> 1 & 1];
}
