// The structs behind the opaque types of mdam.h.
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
    uint32_t *decoders;    // indices in the file of the loaded decoders
    uint32_t best_decoder; // in validation: its index in the file, loaded or not
    struct mdam_model_info info;
};

struct mdam_instances {
    struct instance *list; // stb_ds array
};

struct mdam_solutions {
    const struct mdam_instances *instances;
    struct mdam_solve_options options; // with defaults
    size_t count;
    // One entry per instance:
    const struct mdam_model **models;
    struct search_result *results;
    struct mdam_solution *list; // public results; owns their routes and lists of warnings
};

// Copies a caller's options over the defaults at TO: as many bytes as both sides know.
#define mdam_options_copy(to, from) mdam_copy_options((to), sizeof *(to), (from), (from) ? (from)->size : 0)
bool mdam_copy_options(void *to, size_t bytes, const void *from, size_t size);

// Finds the problem that a field names; NULL with a message.
const struct problem *mdam_problem_find(const char *name);
// Finds a prize distribution by its name, or the default for NULL; refuses one if the problem has none.
bool mdam_prize_find(enum prize_kind *prize, const struct problem *problem, const char *name);
enum node_layout mdam_layout_take(const char *name); // NULL: uniform
// Sets the glimpse period from the options (0: by size, -1: none), and the statistics that it needs.
struct config;
void mdam_glimpse_set(struct config *config, int32_t glimpse, uint32_t n);

// Appends the instances that a reader made, an stb_ds array, to the list; drops them unless OK, which it returns.
bool mdam_instances_append(struct mdam_instances **list, struct instance *added, bool ok);

// Ends the process if an index is beyond a list; a list that is NULL has 0 elements.
void mdam_expect_index(const char *function, size_t index, size_t count);

// Makes a list of unsolved solutions for all instances, without models.
struct mdam_solutions *mdam_solutions_create(const struct mdam_instances *instances);
// Fills the public solution from a result: verdict and routes.
void mdam_solution_show(struct mdam_solutions *solutions, size_t index);

#endif
