#include "learn/sum.h"

#include <stdlib.h>

#include "gpu/gpu.h"
#include "util/alloc.h"

bool sum_create(struct sum **out, const struct model *model)
{
    struct sum *s = *out = xcalloc(1, sizeof *s);
    s->model = model;
    s->arena = arena_create(model->gpu, "gradients");
    params_layout(&s->d, s->arena, &model->config);
    bool ok = arena_back(s->arena);
    if (ok) {
        params_layout(&s->d, s->arena, &model->config);
        ok = params_flat(&s->flat, &s->d, &model->config) && sum_clear(s);
    }
    if (!ok)
        sum_destroy(out);
    return ok;
}

void sum_destroy(struct sum **slot)
{
    struct sum *s = *slot;
    if (!s)
        return;
    arena_destroy(&s->arena);
    free(s);
    *slot = NULL;
}

bool sum_clear(struct sum *s)
{
    struct cmd *c = cmd_create(s->model->gpu);
    cmd_label(c, "gradient/clear");
    cmd_fill(c, s->flat.address, 4 * tensor_count(&s->flat), 0);
    bool ok = cmd_run(c);
    cmd_destroy(&c);
    return ok;
}
