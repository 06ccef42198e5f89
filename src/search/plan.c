#include "search/plan.h"

#include <stdlib.h>

#include <stb/stb_ds.h>

#include "gpu/gpu.h"
#include "search/augment.h"
#include "util/divide.h"

// A larger batch is not faster on any known device, and delays its results. All rows of a beam pass through the glimpse
// at once, so on CPUs the batch is limited by the cache size.
enum { MAX_ROWS = 1 << 17, MAX_ROWS_CPU_BEAM = 1 << 15, MAX_INSTANCES = 1024 };

static int by_size(const void *a, const void *b)
{
    const struct plan_item *x = a, *y = b;
    enum batch_kind first = batch_kind_of(&x->scaled), second = batch_kind_of(&y->scaled);
    if (first != second)
        return first < second ? -1 : 1;
    if (x->scaled.N != y->scaled.N)
        return x->scaled.N < y->scaled.N ? -1 : 1;
    if (x->instance != y->instance)
        return x->instance < y->instance ? -1 : 1;
    return (x->symmetry > y->symmetry) - (x->symmetry < y->symmetry);
}

static void list_items(struct plan *plan, const struct plan_task *task)
{
    for (size_t i = 0; i < task->count; i++) {
        if ((task->skip && task->skip[i]) || (task->left_out && task->left_out[i]))
            continue;
        struct decoding decoding = task->decoding;
        strategy_of(decoding.decode)->options(&decoding, task->instances[i].n);
        const uint32_t J = rollout_longest(&task->scaled[i], 1);
        for (uint32_t k = 0; k < decoding.augment; k++) {
            uint32_t symmetry = (decoding.view + k) % SYMMETRIES;
            struct plan_item item = { augmented(&task->scaled[i], symmetry), i, symmetry, J, decoding };
            arrput(plan->items, item);
        }
    }
    if (plan->items)
        qsort(plan->items, arrlenu(plan->items), sizeof *plan->items, by_size);
}

// Returns the shape that decodes the first B items of a list, S samples at a time.
static struct run_shape shape_for(const struct plan_task *task, const struct plan_item *list, uint32_t B, uint32_t S)
{
    struct run_shape shape = { .decoding = list[0].decoding, .B = B, .S = S, .seed = task->seed };
    shape.kind = batch_kind_of(&list[0].scaled);
    for (uint32_t b = 0; b < B; b++) {
        shape.N = list[b].scaled.N > shape.N ? list[b].scaled.N : shape.N;
        shape.J = list[b].J > shape.J ? list[b].J : shape.J;
    }
    return shape;
}

// Counts the items of a batch: one kind, similar sizes, rows within bounds, equal decoding.
static uint32_t count_alike(const struct plan_item *list, size_t left, uint64_t each, uint64_t rows)
{
    const struct decoding *decoding = &list[0].decoding;
    const uint32_t min_nodes = list[0].scaled.N, max_nodes = min_nodes + min_nodes / 4;
    const enum batch_kind kind = batch_kind_of(&list[0].scaled);
    uint32_t B = 0;
    while (B < left && B < MAX_INSTANCES && batch_kind_of(&list[B].scaled) == kind && list[B].scaled.N <= max_nodes &&
           list[B].decoding.width == decoding->width && list[B].decoding.expand == decoding->expand &&
           (B == 0 || (B + 1) * each * list[B].scaled.N <= rows))
        B++;
    return B;
}

// Makes a batch of the items from FIRST, within the bounds of rows and memory. If the samples of a single item are too
// many, they are drawn in rounds.
static struct plan_batch batch_from(const struct plan *plan, const struct plan_task *task, size_t first)
{
    const struct plan_item *list = plan->items + first;
    const struct decoding *decoding = &list[0].decoding;
    const uint64_t each = (uint64_t)task->model->config.M * decoding->width;
    const bool cached = decoding->decode == MDAM_DECODE_BEAM && gpu_info(task->model->gpu)->cpu_work;
    const uint64_t rows = cached ? MAX_ROWS_CPU_BEAM : MAX_ROWS;
    const uint32_t S = decoding->samples;
    uint32_t rounds = (uint32_t)divide_up(each * S * list[0].scaled.N, rows);
    uint32_t together = (uint32_t)divide_up(S, rounds < S ? rounds : S);
    uint32_t B = count_alike(list, arrlenu(plan->items) - first, each * together, rows);
    for (;;) {
        struct plan_batch batch = { first, shape_for(task, list, B, together), 0 };
        batch.bytes = run_bytes(task->model, &batch.shape);
        if ((B == 1 && together == 1) || batch.bytes <= task->room)
            return batch;
        if (B > 1)
            B -= (B + 3) / 4;
        else
            together = (together + 1) / 2;
    }
}

void plan_make(struct plan *plan, const struct plan_task *task)
{
    *plan = (struct plan){ 0 };
    list_items(plan, task);
    for (size_t first = 0; first < arrlenu(plan->items);) {
        struct plan_batch batch = batch_from(plan, task, first);
        arrput(plan->batches, batch);
        first += batch.shape.B;
    }
}

void plan_finish(struct plan *plan)
{
    for (size_t i = 0; i < arrlenu(plan->items); i++)
        free(plan->items[i].scaled.coords);
    arrfree(plan->items);
    arrfree(plan->batches);
}

const struct plan_batch *plan_too_large(const struct plan *plan, uint64_t bytes)
{
    for (size_t i = 0; i < arrlenu(plan->batches); i++) {
        if (plan->batches[i].bytes > bytes)
            return &plan->batches[i];
    }
    return NULL;
}
