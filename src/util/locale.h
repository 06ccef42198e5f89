// Forces the C locale, so numbers use a decimal point and messages are English whatever locale the host program set.
#ifndef UTIL_LOCALE_H
#define UTIL_LOCALE_H

#include <locale.h>

struct locale_scope {
    locale_t before, own, callers;
};

struct locale_scope locale_plain(void); // the C locale for this thread, until locale_leave
struct locale_scope locale_callers(
    void); // the locale before locale_plain, for the caller's callbacks, until locale_leave
void locale_leave(struct locale_scope *scope);

// Sets a locale for the rest of a block.
#define IN_PLAIN_LOCALE     LOCALE_SCOPE(locale_plain())
#define IN_CALLERS_LOCALE   LOCALE_SCOPE(locale_callers())
#define LOCALE_SCOPE(enter) __attribute__((cleanup(locale_leave), unused)) struct locale_scope locale_scope = enter

#endif
