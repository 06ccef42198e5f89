// The operations of the tape that only a network has.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "selftest/tape_internal.h"
#include "util/alloc.h"
#include "util/error.h"

static bool *copy_mask(const bool *mask, uint32_t count)
{
    bool *copy = xcalloc(count + 1, sizeof *copy);
    for (uint32_t i = 0; i < count; i++)
        copy[i] = !mask || mask[i];
    return copy;
}

// --- attention ------------------------------------------------------------------------------------------------------

// One query and head. p (N) are its weights, 0 for keys that are not in `mask`.
static void attend(const struct mat *y, size_t row, size_t head, double *p)
{
    const struct mat *q = y->a, *k = y->b, *v = y->c;
    size_t D = q->cols, width = D / y->count;
    double largest = -INFINITY, sum = 0;
    for (size_t j = 0; j < k->rows; j++) {
        if (!y->mask[j])
            continue;
        for (size_t i = head * width; i < (head + 1) * width; i++)
            p[j] += q->value[row * D + i] * k->value[j * D + i];
        p[j] /= sqrt((double)width);
        largest = fmax(largest, p[j]);
    }
    for (size_t j = 0; j < k->rows; j++) {
        if (y->mask[j])
            sum += p[j] = exp(p[j] - largest);
    }
    for (size_t j = 0; j < k->rows; j++) {
        if (!y->mask[j])
            continue;
        p[j] /= sum;
        for (size_t i = head * width; i < (head + 1) * width; i++)
            y->value[row * D + i] += p[j] * v->value[j * D + i];
    }
}

static void attend_back(struct mat *y, size_t row, size_t head, const double *p)
{
    struct mat *q = y->a, *k = y->b, *v = y->c;
    size_t D = q->cols, N = k->rows, width = D / y->count;
    double *dp = xcalloc(N + 1, sizeof *dp), along = 0;
    for (size_t j = 0; j < N; j++) {
        if (!y->mask[j])
            continue;
        for (size_t i = head * width; i < (head + 1) * width; i++) {
            dp[j] += y->grad[row * D + i] * v->value[j * D + i];
            v->grad[j * D + i] += p[j] * y->grad[row * D + i];
        }
        along += p[j] * dp[j];
    }
    for (size_t j = 0; j < N; j++) {
        double ds = y->mask[j] ? p[j] * (dp[j] - along) / sqrt((double)width) : 0;
        for (size_t i = head * width; y->mask[j] && i < (head + 1) * width; i++) {
            q->grad[row * D + i] += ds * k->value[j * D + i];
            k->grad[j * D + i] += ds * q->value[row * D + i];
        }
    }
    free(dp);
}

static void attention_back(struct mat *y)
{
    for (size_t i = 0; i < (size_t)y->rows * y->count; i++)
        attend_back(y, i / y->count, i % y->count, y->saved + i * y->b->rows);
}

struct mat *tape_attention(
    struct tape *tape, struct mat *q, struct mat *k, struct mat *v, uint32_t heads, const bool *mask)
{
    if (q->cols != k->cols || k->rows != v->rows || k->cols != v->cols || q->cols % heads)
        bug("attention: q %u x %u, k %u x %u, v %u x %u", q->rows, q->cols, k->rows, k->cols, v->rows, v->cols);
    struct mat *y = tape_new(tape, q->rows, q->cols, q, k);
    y->c = v;
    y->back = attention_back;
    y->count = heads;
    y->mask = copy_mask(mask, k->rows);
    y->saved = xcalloc((size_t)q->rows * heads * k->rows + 1, sizeof *y->saved);
    for (size_t i = 0; i < (size_t)y->rows * heads; i++)
        attend(y, i / heads, i % heads, y->saved + i * k->rows);
    return y;
}

// --- probabilities --------------------------------------------------------------------------------------------------

static void log_softmax_back(struct mat *y)
{
    double sum = 0;
    for (uint32_t j = 0; j < y->cols; j++)
        sum += y->mask[j] ? y->grad[j] : 0;
    for (uint32_t j = 0; j < y->cols; j++)
        y->a->grad[j] += y->mask[j] ? y->grad[j] - exp(y->value[j]) * sum : 0;
}

struct mat *tape_log_softmax(struct tape *tape, struct mat *a, const bool *mask)
{
    if (a->rows != 1)
        bug("log softmax of %u rows", a->rows);
    struct mat *y = tape_new(tape, 1, a->cols, a, NULL);
    y->back = log_softmax_back;
    y->mask = copy_mask(mask, a->cols);
    double largest = -INFINITY, sum = 0;
    for (uint32_t j = 0; j < a->cols; j++)
        largest = y->mask[j] ? fmax(largest, a->value[j]) : largest;
    for (uint32_t j = 0; j < a->cols; j++)
        sum += y->mask[j] ? exp(a->value[j] - largest) : 0;
    for (uint32_t j = 0; j < a->cols; j++)
        y->value[j] = y->mask[j] ? a->value[j] - largest - log(sum) : TAPE_MASKED;
    return y;
}

// A probability of 0 adds nothing, whatever its logarithm is clamped to.
static void divergence_back(struct mat *y)
{
    for (uint32_t j = 0; j < y->a->cols; j++) {
        double p = exp(y->a->value[j]), gap = y->a->value[j] - y->b->value[j];
        y->a->grad[j] += p > 0 ? y->grad[0] * p * (gap + 1) : 0;
        y->b->grad[j] -= y->grad[0] * p;
    }
}

struct mat *tape_divergence(struct tape *tape, struct mat *log_p, struct mat *log_q)
{
    struct mat *y = tape_new(tape, 1, 1, log_p, log_q);
    y->back = divergence_back;
    for (uint32_t j = 0; j < log_p->cols; j++) {
        double p = exp(log_p->value[j]);
        y->value[0] += p > 0 ? p * (log_p->value[j] - log_q->value[j]) : 0;
    }
    return y;
}

// --- statistics -----------------------------------------------------------------------------------------------------

static uint32_t *copy_index(const uint32_t *index, uint32_t count)
{
    uint32_t *copy = xcalloc(count + 1, sizeof *copy);
    memcpy(copy, index, count * sizeof *copy);
    return copy;
}

// Rows in each group.
static double *sizes(const struct mat *y)
{
    double *size = xcalloc(y->count + 1, sizeof *size);
    for (uint32_t i = 0; i < y->a->rows; i++)
        size[y->index[i]]++;
    return size;
}

static void statistics_back(struct mat *y)
{
    double *size = sizes(y);
    size_t C = y->cols;
    for (size_t i = 0; i < y->a->rows; i++) {
        size_t mean = 2 * (size_t)y->index[i] * C, variance = mean + C;
        for (size_t j = 0; j < C; j++) {
            double off = y->a->value[i * C + j] - y->value[mean + j];
            y->a->grad[i * C + j] += (y->grad[mean + j] + 2 * off * y->grad[variance + j]) / size[y->index[i]];
        }
    }
    free(size);
}

struct mat *tape_statistics(struct tape *tape, struct mat *a, const uint32_t *group, uint32_t G)
{
    struct mat *y = tape_new(tape, 2 * G, a->cols, a, NULL);
    y->back = statistics_back;
    y->count = G;
    y->index = copy_index(group, a->rows);
    double *size = sizes(y);
    size_t C = a->cols;
    for (size_t i = 0; i < a->rows; i++) {
        for (size_t j = 0; j < C; j++)
            y->value[2 * group[i] * C + j] += a->value[i * C + j] / size[group[i]];
    }
    for (size_t i = 0; i < a->rows; i++) {
        for (size_t j = 0; j < C; j++) {
            double off = a->value[i * C + j] - y->value[2 * group[i] * C + j];
            y->value[(2 * group[i] + 1) * C + j] += off * off / size[group[i]];
        }
    }
    free(size);
    return y;
}

static void standardise_back(struct mat *y)
{
    size_t C = y->cols;
    for (size_t i = 0; i < y->rows; i++) {
        size_t mean = 2 * (size_t)y->index[i] * C, variance = mean + C;
        for (size_t j = 0; j < C; j++) {
            double spread = y->b->value[variance + j] + y->factor, d = y->grad[i * C + j] / sqrt(spread);
            y->a->grad[i * C + j] += d;
            y->b->grad[mean + j] -= d;
            y->b->grad[variance + j] -= y->grad[i * C + j] * y->value[i * C + j] / (2 * spread);
        }
    }
}

struct mat *tape_standardise(
    struct tape *tape, struct mat *a, struct mat *statistics, const uint32_t *group, double epsilon)
{
    struct mat *y = tape_new(tape, a->rows, a->cols, a, statistics);
    y->back = standardise_back;
    y->index = copy_index(group, a->rows);
    y->factor = epsilon;
    size_t C = a->cols;
    for (size_t i = 0; i < a->rows; i++) {
        const double *mean = statistics->value + 2 * group[i] * C, *variance = mean + C;
        for (size_t j = 0; j < C; j++)
            y->value[i * C + j] = (a->value[i * C + j] - mean[j]) / sqrt(variance[j] + epsilon);
    }
    return y;
}

struct mat *tape_mean(struct tape *tape, struct mat *a)
{
    uint32_t *group = xcalloc(a->rows + 1, sizeof *group);
    struct mat *y = tape_span(tape, tape_statistics(tape, a, group, 1), 0, 1);
    free(group);
    return y;
}

// --- scalars --------------------------------------------------------------------------------------------------------

struct mat *tape_element(struct tape *tape, struct mat *a, uint32_t column)
{
    return tape_columns(tape, a, column, 1);
}

struct mat *tape_sum(struct tape *tape, struct mat *const *list, const double *factors, uint32_t count)
{
    if (!count)
        return tape_leaf(tape, 1, 1, (double[]){ 0 });
    return tape_product(tape, tape_leaf(tape, 1, count, factors), tape_stack(tape, list, count));
}
