// The relevant keys of trajectory t: a bit set of arg.W words for arg.N nodes.
uint relevant_word(uint t, uint w) {
    uint bits = at_u(arg.keys, t * arg.W + w), past = arg.N - 32 * w; // bits after the last node are undefined
    return past < 32 ? bits & ((1u << past) - 1) : bits;
}
#define EACH_KEPT(j, t)                                                                                                \
    for (uint w = 0; w < arg.W; w++)                                                                                   \
        for (uint bits = relevant_word(t, w), j = 32 * w + uint(findLSB(bits)); bits != 0;                                 \
             bits &= bits - 1, j = 32 * w + uint(findLSB(bits)))

// A row's weights are exp(logit - shift). The shift is the logit of the first relevant key, known before the others are
// read, which saves a pass over them; if another one exceeds it by more than FAR, the largest.
uint kept_first(uint t) {
    for (uint w = 0; w < arg.W; w++) {
        uint bits = relevant_word(t, w);
        if (bits != 0)
            return 32 * w + uint(findLSB(bits));
    }
    return 0;
}
