// Returns the log-probability of an action, float i of arg.logp. If weights have diverged it is NaN (detected by its
// bits, because compilers may assume that there are none), but the action is allowed, unlike MASKED ones.
float logp_at(uint i) {
    uint bits = at_u(arg.logp, i);
    return (bits & 0x7fffffffu) > 0x7f800000u ? UNKNOWN : uintBitsToFloat(bits);
}
