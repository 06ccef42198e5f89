// Returns a log-probability that a choice can compare. If weights have diverged it is NaN (detected by its bits, because
// compilers may assume that there are none), but the action is allowed, unlike MASKED ones.
float known(float logp) {
    uint bits = floatBitsToUint(logp);
    return (bits & 0x7fffffffu) > 0x7f800000u ? UNKNOWN : uintBitsToFloat(bits);
}
// ... of an action, float i of arg.logp.
float logp_at(uint i) { return known(uintBitsToFloat(at_u(arg.logp, i))); }
