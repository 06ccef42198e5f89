// Loss and gradient of the reference.
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "selftest/reference_internal.h"
#include "util/alloc.h"

// A weighted sum of scalars in the making; stb_ds arrays.
struct terms {
    struct mat **list;
    double *factors;
};

static void add(struct terms *terms, struct mat *term, double factor)
{
    arrput(terms->list, term);
    arrput(terms->factors, factor);
}

static struct mat *total(struct reference_run *run, struct terms *terms)
{
    struct mat *sum = tape_sum(&run->tape, terms->list, terms->factors, (uint32_t)arrlen(terms->list));
    arrfree(terms->list);
    arrfree(terms->factors);
    return sum;
}

static struct mat *divergence(struct reference_run *run)
{
    const uint32_t M = run->model->config.M, B = run->B;
    struct terms terms = { 0 };
    for (uint32_t i = 0; i < M * M * B; i++) {
        uint32_t b = i % B, one = i / B % M, other = i / B / M;
        struct mat **p = run->paths[one * B + b].log_p, **q = run->paths[other * B + b].log_p;
        if (one != other && arrlen(p))
            add(&terms, tape_divergence(&run->tape, p[0], q[0]), 1 / ((double)M * (M - 1) * B));
    }
    return total(run, &terms);
}

static struct mat *loss(struct reference_run *run, const double *baseline, double coefficient)
{
    const uint32_t M = run->model->config.M, B = run->B;
    struct terms terms = { 0 };
    for (uint32_t i = 0; i < M * B; i++) {
        const struct reference_path *path = &run->paths[i];
        for (ptrdiff_t j = 0; j < arrlen(path->actions); j++)
            add(&terms, tape_element(&run->tape, path->log_p[j], path->actions[j]),
                (path->cost - baseline[i % B]) / ((double)M * B));
    }
    add(&terms, divergence(run), -coefficient);
    return total(run, &terms);
}

double reference_kl(struct reference_run *run)
{
    return divergence(run)->value[0];
}

double reference_loss(struct reference_run *run, const double *baseline, double coefficient)
{
    return loss(run, baseline, coefficient)->value[0];
}

double reference_backward(
    struct reference *model, struct reference_run *run, const double *baseline, double coefficient)
{
    struct mat *y = loss(run, baseline, coefficient);
    tape_backward(&run->tape, y);
    for (ptrdiff_t i = 0; i < arrlen(model->tensors); i++) {
        struct reference_tensor *tensor = &model->tensors[i];
        tensor->grad = xrealloc(tensor->grad, tensor->count, sizeof *tensor->grad);
        memcpy(tensor->grad, run->weights[i]->grad, tensor->count * sizeof *tensor->grad);
    }
    return y->value[0];
}
