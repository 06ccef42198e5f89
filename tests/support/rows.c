#include "rows.h"

uint32_t rows_of(const struct rows *rows, uint32_t s)
{
    return rows->ragged ? (5 * s + 4) % (rows->N + 1) : rows->N;
}

// Ragged segments lie from the last to the first, with an unowned row before each.
uint32_t rows_first(const struct rows *rows, uint32_t s)
{
    if (!rows->ragged)
        return s * rows->N;
    uint32_t first = 1;
    for (uint32_t k = rows->S - 1; k > s; k--)
        first += rows_of(rows, k) + 1;
    return first;
}

uint32_t rows_total(const struct rows *rows)
{
    return rows->ragged ? rows_first(rows, 0) + rows_of(rows, 0) : rows->S * rows->N;
}

void rows_describe(const struct rows *rows, struct slot *first, struct slot *count)
{
    *first = (struct slot){ "first", 1, { rows->S }, VALUES_INDEX, 1 };
    *count = (struct slot){ "rows", 1, { rows->S }, VALUES_INDEX, 1 };
}

struct segments rows_segments(struct cmd *c, const struct rows *rows, struct tensor first, struct tensor count)
{
    if (!rows->ragged)
        return (struct segments){ rows->S, rows->N, 0, 0 };
    cmd_together(c, true);
    for (uint32_t s = 0; s < rows->S; s++) {
        cmd_fill(c, first.address + 4 * (uint64_t)s, 4, rows_first(rows, s));
        cmd_fill(c, count.address + 4 * (uint64_t)s, 4, rows_of(rows, s));
    }
    cmd_together(c, false);
    return (struct segments){ rows->S, rows->N, first.address, count.address };
}

void rows_fill_unowned(struct cmd *c, const struct rows *rows, struct tensor x, uint32_t bits)
{
    uint64_t bytes = 4 * (uint64_t)tensor_cols(&x);
    cmd_together(c, true);
    for (uint32_t s = 0; rows->ragged && s < rows->S; s++)
        cmd_fill(c, x.address + bytes * (rows_first(rows, s) - 1), bytes, bits);
    cmd_together(c, false);
}
