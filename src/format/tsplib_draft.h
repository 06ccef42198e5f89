// The contents of a TSPLIB file, line by line, before they are checked together.
#ifndef FORMAT_TSPLIB_DRAFT_H
#define FORMAT_TSPLIB_DRAFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/scan.h"

// Keys that a file may have once; other keywords are ignored or refused at once.
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
    KEY_FORMAT,
    KEY_WEIGHTS,
    KEY_COUNT,
};

// One line of a section: a node's coordinates, or its demand or score in x.
struct tsplib_row {
    int64_t id;
    double x, y;
    unsigned long line;
    uint32_t index; // position in the section
};

struct tsplib_draft {
    unsigned long lines;              // of the file, up to EOF
    unsigned long line_of[KEY_COUNT]; // line of the key; 0: absent
    char *name;                       // NULL: none
    struct span type, metric, format; // parts of the file's text
    int64_t dimension, depot;
    unsigned long depot_line; // 0: none
    double capacity, limit, vehicles;
    double *weights;                   // stb_ds array: of edges, in the order of the format
    struct tsplib_row *nodes, *values; // stb_ds arrays; values: demands or scores
    char **warnings;                   // stb_ds array
};

// Messages begin with the line. Finish the draft in either case.
bool tsplib_draft_read(struct tsplib_draft *draft, const char *data, size_t size);
void tsplib_draft_finish(struct tsplib_draft *draft);

const char *tsplib_keyword(enum tsplib_key key);

#endif
