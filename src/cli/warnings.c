#include "cli/warnings.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "cli/common.h"
#include "util/alloc.h"
#include "util/text.h"

// Returns a warning without its numbers and without the first customer's id; the caller frees it.
static char *kind_of(const char *warning)
{
    const char *end = strstr(warning, ", first ");
    struct text kind = { 0 };
    for (const char *c = warning; *c && c != end; c++) {
        if (!isdigit((unsigned char)*c) && *c != '.')
            text_add(&kind, "%c", *c);
    }
    return kind.data ? kind.data : xstrdup("");
}

void warnings_add(struct warnings *warnings, size_t instance, const char *warning)
{
    if (!warnings->seen)
        sh_new_strdup(warnings->seen);
    char *kind = kind_of(warning);
    struct seen *seen = shgetp_null(warnings->seen, kind);
    if (seen)
        seen->value.count++;
    else
        shput(warnings->seen, kind, ((struct repeated){ xstrdup(warning), instance, 1 }));
    free(kind);
}

void warnings_finish(struct warnings *warnings)
{
    for (ptrdiff_t i = 0; i < shlen(warnings->seen); i++)
        free(warnings->seen[i].value.warning);
    shfree(warnings->seen);
}

void warnings_show(
    const struct warnings *warnings, char *(*location_of)(const void *user, size_t instance), const void *user)
{
    for (ptrdiff_t i = 0; i < shlen(warnings->seen); i++) {
        const struct repeated *repeated = &warnings->seen[i].value;
        struct text text = { 0 };
        text_add(&text, "%s", repeated->warning);
        if (repeated->count > 1)
            text_add(&text, " (and %zu more like it)", repeated->count - 1);
        char *location = location_of(user, repeated->first);
        warn(location, text.data);
        free(location);
        text_finish(&text);
    }
}
