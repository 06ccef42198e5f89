// How the compiler laid out mdam.h, for bindings that have no compiler. python/abi.py makes the rows.
#include "api/internal.h"

static const struct {
    const char *name;
    uint64_t value;
} rows[] = {
#include "abi_rows.h"
};

const char *mdam_abi(size_t index, uint64_t *value)
{
    if (index >= sizeof rows / sizeof *rows)
        return NULL;
    *value = rows[index].value;
    return rows[index].name;
}
