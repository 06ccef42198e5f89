// Shared by the divergence of decoders and its gradient: sums over the M log-probabilities of one node.
struct across {
    float mean, mean_p; // of logp and of exp(logp)
    bool live;          // allowed for all of them
};

// The decoders' values have a stride of `stride` floats.
across decoders(ptr logp, uint i, uint M, uint stride) {
    across a = across(0, 0, true);
    for (uint m = 0; m < M; m++) {
        float x = at(logp, i + m * stride);
        a.mean += x, a.mean_p += exp(x);
        a.live = a.live && x > 0.5 * MASKED;
    }
    a.mean /= float(M), a.mean_p /= float(M);
    return a;
}
