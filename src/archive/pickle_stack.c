#include "archive/pickle_stack.h"

#include <stb/stb_ds.h>

#include "archive/pickle_build.h"

#define STACK_MAX  (1 << 20)
#define MEMO_AHEAD 1024 // max distance of a memo index from the end of the memo

bool pickle_push(struct pickle *p, struct pickle_value *value)
{
    if (!value)
        return false;
    if (arrlen(p->stack) >= STACK_MAX)
        return pickle_fail(p, "stack has more than %d values", STACK_MAX);
    arrput(p->stack, value);
    return true;
}

size_t pickle_above(const struct pickle *p)
{
    return arrlenu(p->stack) - (arrlen(p->marks) ? arrlast(p->marks) : 0);
}

struct pickle_value *pickle_pop(struct pickle *p)
{
    if (pickle_above(p) == 0) {
        pickle_fail(p, "missing value");
        return NULL;
    }
    return arrpop(p->stack);
}

const unsigned char *pickle_bytes(struct pickle *p, size_t bytes)
{
    if (bytes > p->size - p->at) {
        pickle_fail(p, "unexpected end of file");
        return NULL;
    }
    p->at += bytes;
    return (const unsigned char *)p->data + p->at - bytes;
}

bool pickle_number(struct pickle *p, unsigned bytes, uint64_t *number)
{
    const unsigned char *from = pickle_bytes(p, bytes);
    *number = 0;
    for (unsigned i = 0; from && i < bytes; i++)
        *number |= (uint64_t)from[i] << 8 * i;
    return from;
}

bool pickle_mark(struct pickle *p)
{
    if (arrlen(p->marks) >= STACK_MAX)
        return pickle_fail(p, "stack has more than %d marks", STACK_MAX);
    arrput(p->marks, arrlenu(p->stack));
    return true;
}

bool pickle_unmark(struct pickle *p, size_t *count)
{
    *count = pickle_above(p);
    if (arrlen(p->marks) == 0)
        return pickle_fail(p, "missing mark");
    (void)arrpop(p->marks);
    return true;
}

bool pickle_remember(struct pickle *p, uint64_t number)
{
    if (pickle_above(p) == 0)
        return pickle_fail(p, "missing value");
    if (number > arrlenu(p->memo) + MEMO_AHEAD)
        return pickle_fail(
            p, "memo index %llu is too far beyond its %zu entries", (unsigned long long)number, arrlenu(p->memo));
    if (!pickle_spend(p, 2 * sizeof *p->memo))
        return false;
    while (arrlenu(p->memo) <= number)
        arrput(p->memo, NULL);
    p->memo[number] = arrlast(p->stack);
    return true;
}

struct pickle_value *pickle_recall(const struct pickle *p, uint64_t number)
{
    if (number < arrlenu(p->memo) && p->memo[number])
        return p->memo[number];
    pickle_fail(p, "memo index %llu is not set", (unsigned long long)number);
    return NULL;
}
