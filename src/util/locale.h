// Numbers have a point, and sentences are English, whatever locale the program has chosen that the library is a part
// of.
#ifndef UTIL_LOCALE_H
#define UTIL_LOCALE_H

#include <locale.h>

struct locale_scope {
    locale_t before, own, callers;
};

struct locale_scope locale_plain(void);   // this thread's until locale_leave: the one that C programs begin with
struct locale_scope locale_callers(void); // likewise: what was there before locale_plain, for the caller's callbacks
void locale_leave(struct locale_scope *scope);

// For the rest of a block.
#define IN_PLAIN_LOCALE     LOCALE_SCOPE(locale_plain())
#define IN_CALLERS_LOCALE   LOCALE_SCOPE(locale_callers())
#define LOCALE_SCOPE(enter) __attribute__((cleanup(locale_leave), unused)) struct locale_scope locale_scope = enter

#endif
