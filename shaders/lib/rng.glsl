// Philox 4x32, ten rounds, as in src/util/rng.c.
uvec4 rng_draw(uvec2 key, uint purpose, uint instance, uint decoder, uint step_) {
    uvec4 c = uvec4(purpose, instance, decoder, step_);
    [[unroll]] for (int i = 0; i < 10; i++) {
        uint ph, pl, qh, ql;
        umulExtended(0xD2511F53u, c.x, ph, pl);
        umulExtended(0xCD9E8D57u, c.z, qh, ql);
        c = uvec4(qh ^ c.y ^ key.x, ql, ph ^ c.w ^ key.y, pl);
        key += uvec2(0x9E3779B9u, 0xBB67AE85u);
    }
    return c;
}
float rng_unit(uint number) { return float(number >> 8) * (1.0 / 16777216.0); }
