#include "util/locale.h"

static _Thread_local locale_t callers; // 0: locale_plain was not called

struct locale_scope locale_plain(void)
{
    struct locale_scope scope = { .own = newlocale(LC_ALL_MASK, "C", (locale_t)0), .callers = callers };
    scope.before = callers = uselocale(scope.own); // without memory the locale stays as it is
    return scope;
}

struct locale_scope locale_callers(void)
{
    return (struct locale_scope){ .before = uselocale(callers), .callers = callers };
}

void locale_leave(struct locale_scope *scope)
{
    uselocale(scope->before);
    callers = scope->callers;
    if (scope->own)
        freelocale(scope->own);
}
