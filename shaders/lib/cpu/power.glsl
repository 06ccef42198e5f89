// 2^k for an integer k < 128, or 0 if that is too small, without the slow conversion to an integer: in a sum with 1.5 *
// 2^23 it is the last bits.
float power(float k) { return uintBitsToFloat(floatBitsToUint(max(k, -127) + 12582912 + 127) << 23); }
