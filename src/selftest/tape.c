#include "selftest/tape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "selftest/tape_internal.h"
#include "util/alloc.h"
#include "util/error.h"

struct mat *tape_new(struct tape *tape, uint32_t rows, uint32_t cols, struct mat *a, struct mat *b)
{
    struct mat *y = xcalloc(1, sizeof *y);
    *y = (struct mat){ .rows = rows, .cols = cols, .a = a, .b = b };
    y->value = xcalloc(tape_count(y), sizeof *y->value);
    arrput(tape->mats, y);
    return y;
}

void tape_finish(struct tape *tape)
{
    for (ptrdiff_t i = 0; i < arrlen(tape->mats); i++) {
        struct mat *m = tape->mats[i];
        free(m->value);
        free(m->grad);
        free(m->index);
        free(m->mask);
        free(m->saved);
        free(m);
    }
    arrfree(tape->mats);
}

void tape_backward(struct tape *tape, struct mat *y)
{
    if (y->rows != 1 || y->cols != 1)
        bug("gradient of a %u x %u matrix", y->rows, y->cols);
    for (ptrdiff_t i = 0; i < arrlen(tape->mats); i++) {
        struct mat *m = tape->mats[i];
        if (!m->grad)
            m->grad = xcalloc(tape_count(m), sizeof *m->grad);
        memset(m->grad, 0, tape_count(m) * sizeof *m->grad);
    }
    y->grad[0] = 1;
    for (ptrdiff_t i = arrlen(tape->mats) - 1; i >= 0; i--) {
        if (tape->mats[i]->back)
            tape->mats[i]->back(tape->mats[i]);
    }
}

struct mat *tape_leaf(struct tape *tape, uint32_t rows, uint32_t cols, const double *values)
{
    struct mat *y = tape_new(tape, rows, cols, NULL, NULL);
    memcpy(y->value, values, tape_count(y) * sizeof *values);
    return y;
}

static void expect(bool fits, const char *what, const struct mat *a, const struct mat *b)
{
    if (!fits)
        bug("%s: %u x %u and %u x %u", what, a->rows, a->cols, b->rows, b->cols);
}

// --- products -------------------------------------------------------------------------------------------------------

// y (R, C) += a (R, K) b (K, C)
static void multiply(
    double *restrict y, const double *restrict a, const double *restrict b, size_t R, size_t K, size_t C)
{
    for (size_t i = 0; i < R; i++) {
        for (size_t k = 0; k < K; k++) {
            double x = a[i * K + k];
            for (size_t j = 0; j < C; j++)
                y[i * C + j] += x * b[k * C + j];
        }
    }
}

// y (R, C) += a (R, K) b (C, K)'
static void multiply_bt(
    double *restrict y, const double *restrict a, const double *restrict b, size_t R, size_t K, size_t C)
{
    for (size_t i = 0; i < R; i++) {
        for (size_t j = 0; j < C; j++) {
            double sum = 0;
            for (size_t k = 0; k < K; k++)
                sum += a[i * K + k] * b[j * K + k];
            y[i * C + j] += sum;
        }
    }
}

// y (R, C) += a (K, R)' b (K, C)
static void multiply_at(
    double *restrict y, const double *restrict a, const double *restrict b, size_t R, size_t K, size_t C)
{
    for (size_t k = 0; k < K; k++) {
        for (size_t i = 0; i < R; i++) {
            double x = a[k * R + i];
            for (size_t j = 0; j < C; j++)
                y[i * C + j] += x * b[k * C + j];
        }
    }
}

static void product_back(struct mat *y)
{
    multiply_bt(y->a->grad, y->grad, y->b->value, y->rows, y->cols, y->a->cols);
    multiply_at(y->b->grad, y->a->value, y->grad, y->b->rows, y->rows, y->cols);
}

struct mat *tape_product(struct tape *tape, struct mat *a, struct mat *b)
{
    expect(a->cols == b->rows, "product", a, b);
    struct mat *y = tape_new(tape, a->rows, b->cols, a, b);
    y->back = product_back;
    multiply(y->value, a->value, b->value, a->rows, a->cols, b->cols);
    return y;
}

static void product_t_back(struct mat *y)
{
    multiply(y->a->grad, y->grad, y->b->value, y->rows, y->cols, y->a->cols);
    multiply_at(y->b->grad, y->grad, y->a->value, y->cols, y->rows, y->b->cols);
}

struct mat *tape_product_t(struct tape *tape, struct mat *a, struct mat *b)
{
    expect(a->cols == b->cols, "product with a transpose", a, b);
    struct mat *y = tape_new(tape, a->rows, b->rows, a, b);
    y->back = product_t_back;
    multiply_bt(y->value, a->value, b->value, a->rows, a->cols, b->rows);
    return y;
}

// --- element by element ---------------------------------------------------------------------------------------------

// The element of b that stands beside element i of a: b has a's shape, or is one row for all.
static size_t beside(const struct mat *b, size_t i)
{
    return b->rows == 1 ? i % b->cols : i;
}

static struct mat *pair(struct tape *tape, struct mat *a, struct mat *b, void (*back)(struct mat *))
{
    expect(a->cols == b->cols && (a->rows == b->rows || b->rows == 1), "element by element", a, b);
    struct mat *y = tape_new(tape, a->rows, a->cols, a, b);
    y->back = back;
    return y;
}

static void add_back(struct mat *y)
{
    for (size_t i = 0; i < tape_count(y); i++) {
        y->a->grad[i] += y->grad[i];
        y->b->grad[beside(y->b, i)] += y->grad[i];
    }
}

struct mat *tape_add(struct tape *tape, struct mat *a, struct mat *b)
{
    struct mat *y = pair(tape, a, b, add_back);
    for (size_t i = 0; i < tape_count(y); i++)
        y->value[i] = a->value[i] + b->value[beside(b, i)];
    return y;
}

static void times_back(struct mat *y)
{
    for (size_t i = 0; i < tape_count(y); i++) {
        y->a->grad[i] += y->grad[i] * y->b->value[beside(y->b, i)];
        y->b->grad[beside(y->b, i)] += y->grad[i] * y->a->value[i];
    }
}

struct mat *tape_times(struct tape *tape, struct mat *a, struct mat *b)
{
    struct mat *y = pair(tape, a, b, times_back);
    for (size_t i = 0; i < tape_count(y); i++)
        y->value[i] = a->value[i] * b->value[beside(b, i)];
    return y;
}

static void scale_back(struct mat *y)
{
    for (size_t i = 0; i < tape_count(y); i++)
        y->a->grad[i] += y->factor * y->grad[i];
}

struct mat *tape_scale(struct tape *tape, struct mat *a, double factor)
{
    struct mat *y = tape_new(tape, a->rows, a->cols, a, NULL);
    y->back = scale_back;
    y->factor = factor;
    for (size_t i = 0; i < tape_count(y); i++)
        y->value[i] = factor * a->value[i];
    return y;
}

static void relu_back(struct mat *y)
{
    for (size_t i = 0; i < tape_count(y); i++)
        y->a->grad[i] += y->a->value[i] > 0 ? y->grad[i] : 0;
}

struct mat *tape_relu(struct tape *tape, struct mat *a)
{
    struct mat *y = tape_new(tape, a->rows, a->cols, a, NULL);
    y->back = relu_back;
    for (size_t i = 0; i < tape_count(y); i++)
        y->value[i] = a->value[i] > 0 ? a->value[i] : 0;
    return y;
}

static void tanh_back(struct mat *y)
{
    for (size_t i = 0; i < tape_count(y); i++)
        y->a->grad[i] += (1 - y->value[i] * y->value[i]) * y->grad[i];
}

struct mat *tape_tanh(struct tape *tape, struct mat *a)
{
    struct mat *y = tape_new(tape, a->rows, a->cols, a, NULL);
    y->back = tanh_back;
    for (size_t i = 0; i < tape_count(y); i++)
        y->value[i] = tanh(a->value[i]);
    return y;
}

// --- rearranging ----------------------------------------------------------------------------------------------------

static void rows_back(struct mat *y)
{
    for (uint32_t i = 0; i < y->rows; i++) {
        for (uint32_t j = 0; j < y->cols && y->index[i] != TAPE_NONE; j++)
            y->a->grad[(size_t)y->index[i] * y->cols + j] += y->grad[(size_t)i * y->cols + j];
    }
}

struct mat *tape_rows(struct tape *tape, struct mat *a, const uint32_t *index, uint32_t count)
{
    struct mat *y = tape_new(tape, count, a->cols, a, NULL);
    y->back = rows_back;
    y->index = xcalloc(count + 1, sizeof *y->index);
    for (uint32_t i = 0; i < count; i++) {
        y->index[i] = index[i];
        for (uint32_t j = 0; j < y->cols && index[i] != TAPE_NONE; j++)
            y->value[(size_t)i * y->cols + j] = a->value[(size_t)index[i] * y->cols + j];
    }
    return y;
}

struct mat *tape_span(struct tape *tape, struct mat *a, uint32_t first, uint32_t count)
{
    uint32_t *index = xcalloc(count + 1, sizeof *index);
    for (uint32_t i = 0; i < count; i++)
        index[i] = first + i;
    struct mat *y = tape_rows(tape, a, index, count);
    free(index);
    return y;
}

// The columns of y, starting at its column `to`, and those of a, starting at `from`, `count` of them.
static void add_columns(double *y, uint32_t y_cols, uint32_t to, const double *a, uint32_t a_cols, uint32_t from,
    uint32_t count, size_t rows)
{
    for (size_t i = 0; i < rows; i++) {
        for (uint32_t j = 0; j < count; j++)
            y[i * y_cols + to + j] += a[i * a_cols + from + j];
    }
}

static void columns_back(struct mat *y)
{
    add_columns(y->a->grad, y->a->cols, y->count, y->grad, y->cols, 0, y->cols, y->rows);
}

struct mat *tape_columns(struct tape *tape, struct mat *a, uint32_t first, uint32_t count)
{
    struct mat *y = tape_new(tape, a->rows, count, a, NULL);
    y->back = columns_back;
    y->count = first;
    add_columns(y->value, count, 0, a->value, a->cols, first, count, a->rows);
    return y;
}

static void beside_back(struct mat *y)
{
    add_columns(y->a->grad, y->a->cols, 0, y->grad, y->cols, 0, y->a->cols, y->rows);
    add_columns(y->b->grad, y->b->cols, 0, y->grad, y->cols, y->a->cols, y->b->cols, y->rows);
}

struct mat *tape_beside(struct tape *tape, struct mat *a, struct mat *b)
{
    expect(a->rows == b->rows, "side by side", a, b);
    struct mat *y = tape_new(tape, a->rows, a->cols + b->cols, a, b);
    y->back = beside_back;
    add_columns(y->value, y->cols, 0, a->value, a->cols, 0, a->cols, a->rows);
    add_columns(y->value, y->cols, a->cols, b->value, b->cols, 0, b->cols, a->rows);
    return y;
}

static void transpose_back(struct mat *y)
{
    for (size_t i = 0; i < tape_count(y); i++)
        y->a->grad[i % y->cols * y->rows + i / y->cols] += y->grad[i];
}

struct mat *tape_transpose(struct tape *tape, struct mat *a)
{
    struct mat *y = tape_new(tape, a->cols, a->rows, a, NULL);
    y->back = transpose_back;
    for (size_t i = 0; i < tape_count(y); i++)
        y->value[i] = a->value[i % y->cols * y->rows + i / y->cols];
    return y;
}

// Two at a time: the first of the pair holds everything above.
static void stack_back(struct mat *y)
{
    size_t above = tape_count(y->a);
    for (size_t i = 0; i < tape_count(y); i++)
        *(i < above ? &y->a->grad[i] : &y->b->grad[i - above]) += y->grad[i];
}

struct mat *tape_stack(struct tape *tape, struct mat *const *list, uint32_t count)
{
    if (count == 1)
        return list[0];
    struct mat *a = tape_stack(tape, list, count / 2), *b = tape_stack(tape, list + count / 2, count - count / 2);
    expect(a->cols == b->cols, "one above the other", a, b);
    struct mat *y = tape_new(tape, a->rows + b->rows, a->cols, a, b);
    y->back = stack_back;
    memcpy(y->value, a->value, tape_count(a) * sizeof *a->value);
    memcpy(y->value + tape_count(a), b->value, tape_count(b) * sizeof *b->value);
    return y;
}
