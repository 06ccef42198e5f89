// 2^k for a whole k < 128, or 0 where that is too small, without the conversion to an integer, which is slow: in a sum with 1.5 * 2^23 it is the last
// bits.
float power(float k) { return uintBitsToFloat(floatBitsToUint(max(k, -127) + 12582912 + 127) << 23); }
