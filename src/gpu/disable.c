// MDAM_VK_DISABLE disables single features, to find the cause of a driver's misbehaviour.
#include <stdlib.h>
#include <string.h>

#include "gpu/internal.h"
#include "util/alloc.h"
#include "util/error.h"

static const char *const names[] = { "subgroup-size", "int64", "shared-product", "addresses" };
enum { FEATURES = sizeof names / sizeof *names };

static unsigned feature_of(const char *name)
{
    for (unsigned i = 0; i < FEATURES; i++) {
        if (!strcmp(name, names[i]))
            return 1u << i;
    }
    return 0;
}

bool gpu_disabled_read(unsigned *features)
{
    const char *list = getenv("MDAM_VK_DISABLE");
    char *copy = xstrdup(list ? list : ""), *rest = copy;
    bool ok = true;
    *features = 0;
    for (char *name; ok && (name = strtok_r(rest, ",", &rest));) {
        const unsigned feature = feature_of(name);
        *features |= feature;
        ok = feature || fail(FAULT_INPUT,
                            "MDAM_VK_DISABLE must list some of subgroup-size, int64, shared-product and addresses, not "
                            "\"%s\"",
                            name);
    }
    free(copy);
    return ok;
}

void gpu_disabled_print(struct text *out, unsigned features)
{
    bool first = true;
    for (unsigned i = 0; i < FEATURES; i++) {
        if (!(features & 1u << i))
            continue;
        text_add(out, "%s%s", first ? "" : ", ", names[i]);
        first = false;
    }
}
