// Warnings about the instances of a list, of which those that are alike are shown once.
#ifndef CLI_WARNINGS_H
#define CLI_WARNINGS_H

#include <stddef.h>

struct warnings {
    struct seen {  // stb_ds map, in the order of appearance
        char *key; // a kind of warning
        struct repeated {
            char *warning;       // the first of them
            size_t first, count; // instances that have one
        } value;
    } * seen;
};

void warnings_add(struct warnings *warnings, size_t instance, const char *warning);
void warnings_finish(struct warnings *warnings);

// Of those that differ only in numbers and in the customer that they name, the first, with the place that `place_of`
// gives for its instance (a text that is freed), and how many are like it.
void warnings_show(
    const struct warnings *warnings, char *(*path_resolve)(const void *user, size_t instance), const void *user);

#endif
