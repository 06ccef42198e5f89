// Lists of rows for kernel tests: dense, or ragged with empty segments, in mixed order and with rows that no segment
// owns.
#ifndef TESTS_SUPPORT_ROWS_H
#define TESTS_SUPPORT_ROWS_H

#include "kernel.h"

struct rows {
    bool ragged;
    uint32_t S, N;
};

uint32_t rows_total(const struct rows *rows); // R
uint32_t rows_of(const struct rows *rows, uint32_t s);
uint32_t rows_first(const struct rows *rows, uint32_t s);

// Two input slots for the tables, which rows_segments() fills on the device before the kernel runs.
void rows_describe(const struct rows *rows, struct slot *first, struct slot *count);
struct segments rows_segments(struct cmd *c, const struct rows *rows, struct tensor first, struct tensor count);

// Fills the rows that no segment owns: such rows of an input must not be read, those of an output not be written.
void rows_fill_unowned(struct cmd *c, const struct rows *rows, struct tensor x, uint32_t bits);

#endif
