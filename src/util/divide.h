// Integer division that rounds up.
#ifndef UTIL_DIVIDE_H
#define UTIL_DIVIDE_H

#include <stdint.h>

// Returns how many parts of size EACH hold WHOLE.
static inline uint64_t divide_up(uint64_t whole, uint64_t each)
{
    return whole / each + (whole % each != 0);
}

// Returns the smallest multiple of EACH that is at least WHOLE.
static inline uint64_t round_up(uint64_t whole, uint64_t each)
{
    return divide_up(whole, each) * each;
}

#endif
