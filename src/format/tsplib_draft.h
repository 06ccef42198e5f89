// What a file of the TSPLIB family says, line by line, before it is known to make sense together.
#ifndef FORMAT_TSPLIB_DRAFT_H
#define FORMAT_TSPLIB_DRAFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/scan.h"

// What a file may say at most once; other keywords are ignored or refused where they stand.
enum tsplib_key {
    KEY_NAME,
    KEY_TYPE,
    KEY_DIMENSION,
    KEY_METRIC,
    KEY_CAPACITY,
    KEY_LIMIT,
    KEY_COORDS,
    KEY_DEMANDS,
    KEY_SCORES,
    KEY_DEPOT,
    KEY_VEHICLES,
    KEY_COUNT,
};

// One line of a section: a node's coordinates, or its demand or score in x.
struct tsplib_row {
    int64_t id;
    double x, y;
    unsigned long line;
    uint32_t place; // position in the section
};

struct tsplib_draft {
    unsigned long lines;              // in the file, up to EOF
    unsigned long line_of[KEY_COUNT]; // where it stood; 0: nowhere
    char *name;                       // NULL: none
    struct span type, metric;         // within the file's text
    int64_t dimension, depot;
    unsigned long depot_line; // 0: none
    double capacity, limit;
    struct tsplib_row *nodes, *values; // stb_ds arrays; values: demands or scores
    char **warnings;                   // stb_ds array
};

// Fails with a sentence that begins with the line. Finish the draft in either case.
bool tsplib_draft_read(struct tsplib_draft *draft, const char *data, size_t size);
void tsplib_draft_finish(struct tsplib_draft *draft);

const char *tsplib_keyword(enum tsplib_key key);

#endif
