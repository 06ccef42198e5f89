// What the library's own files know of the types that mdam.h only names.
#ifndef API_INTERNAL_H
#define API_INTERNAL_H

#include "mdam/mdam.h"
#include "search/search.h"

struct mdam_device {
    struct gpu *gpu;
};

struct mdam_model {
    struct mdam_device *device;
    struct model *model;
    char *name;
    uint32_t *decoders;    // numbers in the file of those loaded
    uint32_t best_decoder; // in validation: its number in the file, loaded or not
    struct mdam_model_info info;
};

struct mdam_instances {
    struct instance *list; // stb_ds array
};

struct mdam_solutions {
    const struct mdam_instances *instances;
    struct mdam_solve_options options; // defaults filled in
    size_t count;
    // One entry for each instance:
    const struct mdam_model **models;
    struct search_result *results;
    struct mdam_solution *list; // what the caller sees; owns its routes and lists of warnings
};

// Copies a caller's options over the defaults at TO: as many bytes as both sides know.
#define mdam_options_take(to, from) mdam_take((to), sizeof *(to), (from), (from) ? (from)->size : 0)
bool mdam_take(void *to, size_t bytes, const void *from, size_t size);

// What mdam_train refuses that needs no device to be seen.
bool mdam_train_check(const struct mdam_train_options *options);

// Fills in the defaults and refuses what contradicts itself.
bool mdam_solve_options_take(struct mdam_solve_options *to, const struct mdam_solve_options *from);

// Refuses an instance that is too large for its model's device; *index is its place in the list. Options and models
// that do not make sense are for mdam_solve to refuse.
bool mdam_solve_takes(const struct mdam_instances *instances, struct mdam_model *const *models, size_t count,
    const struct mdam_solve_options *options, size_t *index);

#endif
