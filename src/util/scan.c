#include "util/scan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r' || c == '\n';
}

struct span span_of(const char *text)
{
    return (struct span){ text, strlen(text) };
}

struct span span_trim(struct span span)
{
    while (span.size && blank(span.at[0]))
        span.at++, span.size--;
    while (span.size && blank(span.at[span.size - 1]))
        span.size--;
    return span;
}

bool scan_line(struct scan *scan, struct span *line)
{
    struct span *rest = &scan->rest;
    if (!rest->size)
        return false;
    if (!scan->line && span_begins(*rest, "\xEF\xBB\xBF")) // a byte order mark
        rest->at += 3, rest->size -= 3;
    size_t size = 0;
    while (size < rest->size && rest->at[size] != '\n' && rest->at[size] != '\r')
        size++;
    *line = span_trim((struct span){ rest->at, size });
    scan->line++;
    if (size + 1 < rest->size && rest->at[size] == '\r' && rest->at[size + 1] == '\n')
        size++;
    if (size < rest->size)
        size++;
    rest->at += size;
    rest->size -= size;
    return true;
}

bool span_word(struct span *rest, struct span *word)
{
    *rest = span_trim(*rest);
    *word = (struct span){ rest->at, 0 };
    while (word->size < rest->size && !blank(rest->at[word->size]))
        word->size++;
    rest->at += word->size;
    rest->size -= word->size;
    return word->size > 0;
}

bool span_begins(struct span span, const char *text)
{
    size_t size = strlen(text);
    return span.size >= size && !strncasecmp(span.at, text, size);
}

bool span_is(struct span span, const char *text)
{
    return span.size == strlen(text) && span_begins(span, text);
}

// strtod and strtoll need a zero byte after the number, and accept spellings ("0x1p3", "inf") that no format here has.
static bool copy_number(struct span span, const char *allowed, char copy[512])
{
    if (!span.size || span.size >= 512)
        return false;
    memcpy(copy, span.at, span.size);
    copy[span.size] = 0;
    return strspn(copy, allowed) == span.size;
}

bool span_integer(struct span span, int64_t *value)
{
    char copy[512], *end;
    if (!copy_number(span, "+-0123456789", copy))
        return false;
    errno = 0;
    long long number = strtoll(copy, &end, 10);
    *value = number;
    return !errno && end == copy + span.size;
}

bool span_real(struct span span, double *value)
{
    char copy[512], *end;
    if (!copy_number(span, "+-.0123456789eE", copy))
        return false;
    *value = strtod(copy, &end);
    return end == copy + span.size && isfinite(*value);
}
