// The log-probability of a move, float i of arg.logp. Where weights have grown beyond bounds it is not a number (told by
// its bits: compilers may assume that there are none), but the move is one that the rules allow, unlike those MASKED.
float logp_at(uint i) {
    uint bits = at_u(arg.logp, i);
    return (bits & 0x7fffffffu) > 0x7f800000u ? UNKNOWN : uintBitsToFloat(bits);
}
