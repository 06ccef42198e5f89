// Two floats as one 64-bit integer: Mesa's CPU driver gathers such integers as fast as single floats.
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Pairs { uint64_t value[]; };
vec2 load2(ptr p, uint i) { return uintBitsToFloat(unpackUint2x32(Pairs(p).value[i])); }
void store2(ptr p, uint i, vec2 x) { Pairs(p).value[i] = packUint2x32(floatBitsToUint(x)); }
