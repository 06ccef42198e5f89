// Matrices in double precision that remember how they came about, so that the gradient of a scalar with respect to all
// of them follows. Slow and plain: the yardstick of the device's hand-written backward, itself checked by differences.
#ifndef SELFTEST_TAPE_H
#define SELFTEST_TAPE_H

#include <stdbool.h>
#include <stdint.h>

struct mat {
    uint32_t rows, cols;
    double *value, *grad; // rows x cols; grad NULL before tape_backward
    // How it came about: known to tape.c only.
    void (*back)(struct mat *y);
    struct mat *a, *b, *c;
    uint32_t *index; // owned
    bool *mask;      // owned
    uint32_t count;
    double factor;
    double *saved; // owned
};

struct tape {
    struct mat **mats; // stb_ds array, in order of making
};

void tape_finish(struct tape *tape);

// A row index that stands for a row of zeros.
#define TAPE_NONE UINT32_MAX

struct mat *tape_leaf(struct tape *tape, uint32_t rows, uint32_t cols, const double *values); // copied
struct mat *tape_product(struct tape *tape, struct mat *a, struct mat *b);                    // a b
struct mat *tape_product_t(struct tape *tape, struct mat *a, struct mat *b);                  // a b'
struct mat *tape_add(struct tape *tape, struct mat *a, struct mat *b);   // b may be one row, for every row of a
struct mat *tape_times(struct tape *tape, struct mat *a, struct mat *b); // element by element, likewise
struct mat *tape_scale(struct tape *tape, struct mat *a, double factor);
struct mat *tape_relu(struct tape *tape, struct mat *a);
struct mat *tape_tanh(struct tape *tape, struct mat *a);
struct mat *tape_rows(struct tape *tape, struct mat *a, const uint32_t *index, uint32_t count);
struct mat *tape_span(struct tape *tape, struct mat *a, uint32_t first, uint32_t count); // rows
struct mat *tape_columns(struct tape *tape, struct mat *a, uint32_t first, uint32_t count);
struct mat *tape_beside(struct tape *tape, struct mat *a, struct mat *b);
struct mat *tape_stack(struct tape *tape, struct mat *const *list, uint32_t count);
struct mat *tape_mean(struct tape *tape, struct mat *a); // of the rows

// Heads of softmax(q k' / sqrt(width)) v, side by side; only the keys of `mask` take part, and without any the result
// is 0. q (R, D), k and v (N, D), mask (N) or NULL for all.
struct mat *tape_attention(
    struct tape *tape, struct mat *q, struct mat *k, struct mat *v, uint32_t heads, const bool *mask);

// Log-probabilities of one row, over the columns of `mask`; TAPE_MASKED elsewhere.
#define TAPE_MASKED -1e30
struct mat *tape_log_softmax(struct tape *tape, struct mat *a, const bool *mask);

// Mean and variance (biased) of each of G groups of rows, column by column: (2 G, cols), a group's mean above its
// variance. group (rows) says which; a group without rows has mean and variance 0.
struct mat *tape_statistics(struct tape *tape, struct mat *a, const uint32_t *group, uint32_t G);

// (a - mean) / sqrt(variance + epsilon), with the row's group's statistics.
struct mat *tape_standardise(
    struct tape *tape, struct mat *a, struct mat *statistics, const uint32_t *group, double epsilon);

struct mat *tape_transpose(struct tape *tape, struct mat *a);
struct mat *tape_element(struct tape *tape, struct mat *a, uint32_t column);          // of one row: (1, 1)
struct mat *tape_divergence(struct tape *tape, struct mat *log_p, struct mat *log_q); // sum p (log p - log q)
struct mat *tape_sum(struct tape *tape, struct mat *const *list, const double *factors, uint32_t count); // of (1, 1)s

// Fills in the gradient of Y, a (1, 1), with respect to everything before it.
void tape_backward(struct tape *tape, struct mat *y);

#endif
