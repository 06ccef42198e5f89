// Warnings about a list of instances; similar ones are shown once.
#ifndef CLI_WARNINGS_H
#define CLI_WARNINGS_H

#include <stddef.h>

struct warnings {
    struct seen {  // stb_ds map in order of appearance
        char *key; // a kind of warning
        struct repeated {
            char *warning;       // the first of them
            size_t first, count; // instances with such a warning
        } value;
    } * seen;
};

void warnings_add(struct warnings *warnings, size_t instance, const char *warning);
void warnings_finish(struct warnings *warnings);

// Shows the first of all warnings that differ only in numbers and customer ids, with the location of its instance from
// `location_of` (a text that is freed) and the number of similar ones.
void warnings_show(
    const struct warnings *warnings, char *(*location_of)(const void *user, size_t instance), const void *user);

#endif
