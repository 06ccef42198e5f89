#include "search/plan.h"

#include <stdlib.h>

#include <stb/stb_ds.h>

#include "gpu/gpu.h"
#include "search/augment.h"
#include "util/divide.h"

// A larger batch delays its results. On CPUs it is not faster either, and all rows of a beam pass through the glimpse
// at once, so the cache limits them. Vulkan does not tell how many rows keep a GPU busy; the size of its heap does,
// which, unlike what is left of it, is the same in every run.
enum { CPU_ROWS = 1 << 17, CPU_BEAM_ROWS = 1 << 15, HEAP_PER_ROW = 1 << 14, INSTANCE_ROWS = 128 };

uint64_t plan_rows(const struct gpu_info *info, enum mdam_decode decode)
{
    if (info->is_cpu)
        return decode == MDAM_DECODE_BEAM && info->cpu_work ? CPU_BEAM_ROWS : CPU_ROWS;
    const uint64_t rows = info->memory / HEAP_PER_ROW;
    return rows > CPU_BEAM_ROWS ? rows : CPU_BEAM_ROWS;
}

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
static uint32_t count_alike(const struct plan_item *list, size_t left, uint64_t trajectories, uint64_t rows)
{
    const struct decoding *decoding = &list[0].decoding;
    const uint32_t min_nodes = list[0].scaled.N, max_nodes = min_nodes + min_nodes / 4;
    const enum batch_kind kind = batch_kind_of(&list[0].scaled);
    const uint64_t max_B = (rows > CPU_ROWS ? rows : CPU_ROWS) / INSTANCE_ROWS;
    uint32_t B = 0;
    while (B < left && B < max_B && batch_kind_of(&list[B].scaled) == kind && list[B].scaled.N <= max_nodes &&
           list[B].decoding.width == decoding->width && list[B].decoding.expand == decoding->expand &&
           (B == 0 || (B + 1) * trajectories * list[B].scaled.N <= rows))
        B++;
    return B;
}

// Makes a batch of the items from FIRST, within the bounds of rows and memory. If the samples of a single item are too
// many, they are drawn in rounds.
static struct plan_batch batch_from(const struct plan *plan, const struct plan_task *task, size_t first)
{
    const struct plan_item *list = plan->items + first;
    const struct decoding *decoding = &list[0].decoding;
    const uint64_t trajectories = (uint64_t)task->model->config.M * decoding->width;
    const uint64_t rows = plan_rows(gpu_info(task->model->gpu), decoding->decode);
    const uint32_t S = decoding->samples;
    uint32_t rounds = (uint32_t)divide_up(trajectories * S * list[0].scaled.N, rows);
    uint32_t together = (uint32_t)divide_up(S, rounds < S ? rounds : S);
    uint32_t B = count_alike(list, arrlenu(plan->items) - first, trajectories * together, rows);
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
