// Shared by the operations of the tape.
#ifndef SELFTEST_TAPE_INTERNAL_H
#define SELFTEST_TAPE_INTERNAL_H

#include <stddef.h>

#include "selftest/tape.h"

// A matrix of zeros at the end of the tape, made from a and b (or NULL).
struct mat *tape_new(struct tape *tape, uint32_t rows, uint32_t cols, struct mat *a, struct mat *b);

static inline size_t tape_count(const struct mat *m)
{
    return (size_t)m->rows * m->cols;
}

#endif
