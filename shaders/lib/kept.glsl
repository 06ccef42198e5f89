// The kept keys of trajectory t: a bit set of arg.W words for arg.N nodes.
uint kept_word(uint t, uint w) {
    uint bits = at_u(arg.keys, t * arg.W + w), past = arg.N - 32 * w; // bits past the last node mean nothing
    return past < 32 ? bits & ((1u << past) - 1) : bits;
}
#define EACH_KEPT(j, t)                                                                                                \
    for (uint w = 0; w < arg.W; w++)                                                                                   \
        for (uint bits = kept_word(t, w), j = 32 * w + uint(findLSB(bits)); bits != 0;                                 \
             bits &= bits - 1, j = 32 * w + uint(findLSB(bits)))
