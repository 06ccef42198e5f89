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

// The problem that a field names; NULL with a sentence.
const struct problem *mdam_problem_take(const char *name);
// A kind of prizes by its name, or NULL for the default; refused where the problem has no choice.
bool mdam_prize_take(enum prize_kind *prize, const struct problem *problem, const char *name);
enum node_layout mdam_layout_take(const char *name); // NULL: uniform
// The glimpse period of options (0: by size, -1: none), and the statistics that it needs.
struct config;
void mdam_glimpse_take(struct config *config, int32_t glimpse, uint32_t n);

// Hands what a reader added, an stb_ds array, over to the list; drops it when not OK, which it returns.
bool mdam_instances_keep(struct mdam_instances **list, struct instance *added, bool ok);

// Solutions of all instances, none solved yet, and without models.
struct mdam_solutions *mdam_solutions_create(const struct mdam_instances *instances);
// What the caller sees of a result: the verdict and the routes.
void mdam_solution_show(struct mdam_solutions *solutions, size_t index);

#endif
