// Integer division that rounds up.
#ifndef UTIL_DIVIDE_H
#define UTIL_DIVIDE_H

#include <stdint.h>

// Returns how many parts of size UNIT hold WHOLE.
static inline uint64_t divide_up(uint64_t whole, uint64_t unit)
{
    return whole / unit + (whole % unit != 0);
}

// Returns the smallest multiple of UNIT that is at least WHOLE.
static inline uint64_t round_up(uint64_t whole, uint64_t unit)
{
    return divide_up(whole, unit) * unit;
}

#endif
