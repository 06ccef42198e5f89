#include "train/inherit.h"

#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "util/alloc.h"
#include "util/error.h"

static const struct named *find(const struct named *list, const char *name)
{
    for (ptrdiff_t i = 0; i < arrlen(list); i++) {
        if (!strcmp(list[i].name, name))
            return &list[i];
    }
    return NULL;
}

static bool same_shape(const struct tensor *a, const struct tensor *b)
{
    return a->rank == b->rank && !memcmp(a->dim, b->dim, sizeof a->dim[0] * (size_t)a->rank);
}

bool inherit_weights(struct weights *to, const struct weights *from, char ***left, char ***dropped)
{
    struct named *targets = weights_list(to), *sources = weights_list(from);
    size_t copied = 0;
    for (ptrdiff_t i = 0; i < arrlen(targets); i++) {
        const struct named *source = find(sources, targets[i].name);
        if (source && same_shape(&source->tensor, &targets[i].tensor)) {
            memcpy(weights_at(to, targets[i].tensor), weights_at(from, source->tensor),
                tensor_count(&source->tensor) * sizeof(float));
            copied++;
        } else {
            arrput(*left, xstrdup(targets[i].name));
        }
    }
    for (ptrdiff_t i = 0; copied && i < arrlen(sources); i++) {
        if (!find(targets, sources[i].name))
            arrput(*dropped, xstrdup(sources[i].name));
    }
    if (!copied) {
        for (size_t i = 0; i < arrlenu(*left); i++)
            free((*left)[i]);
        arrfree(*left);
    }
    arrfree(targets);
    arrfree(sources);
    return copied || fail(FAULT_INPUT, "no weight has a matching name and shape");
}
