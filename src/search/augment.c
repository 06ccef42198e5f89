#include "search/augment.h"

#include <string.h>

#include "util/alloc.h"

struct scaled augmented(const struct scaled *scaled, uint32_t symmetry)
{
    struct scaled copy = *scaled;
    copy.coords = xcalloc(scaled->N, 2 * sizeof *copy.coords);
    for (uint32_t i = 0; i < scaled->N; i++) {
        float x = scaled->coords[2 * i], y = scaled->coords[2 * i + 1];
        if (symmetry & 4) {
            float swap = x;
            x = y;
            y = swap;
        }
        copy.coords[2 * i] = symmetry & 1 ? 1 - x : x;
        copy.coords[2 * i + 1] = symmetry & 2 ? 1 - y : y;
    }
    return copy;
}
