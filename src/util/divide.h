// Sharing things out evenly, the last part perhaps not full.
#ifndef UTIL_DIVIDE_H
#define UTIL_DIVIDE_H

#include <stdint.h>

// How many parts of EACH it takes to hold WHOLE.
static inline uint64_t divide_up(uint64_t whole, uint64_t each)
{
    return whole / each + (whole % each != 0);
}

// The least multiple of EACH that is not below WHOLE.
static inline uint64_t round_up(uint64_t whole, uint64_t each)
{
    return divide_up(whole, each) * each;
}

#endif
