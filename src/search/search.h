// Solving instances with a model. Solutions flow one way: a strategy decodes candidates (search/strategy.h), batch by
// batch as planned (search/plan.h); every candidate that may be better is judged, and the best is kept (search/pass.h).
#ifndef SEARCH_SEARCH_H
#define SEARCH_SEARCH_H

#include "search/deadline.h"
#include "search/plan.h"

struct search_options {
    struct way way;
    uint64_t seed;
    bool online;     // one committed trajectory, by the decoder that did best in validation
    uint64_t memory; // device memory for one batch; 0: as much as is sensible
    // Everything is decoded greedily first, and then by wider and wider beams, from `way` on, in all symmetries, until
    // the deadline that search_run gets.
    bool limited;
    enum mdam_improve improve; // AUTO: off
    uint64_t iterations;       // of improvement; 0: by time, or by the number of customers
    // Plans to improve besides those decoded, one for each instance, those that are `missing` not; NULL: none.
    const struct solution *const *initial;
    // Any of these may be NULL. `progress` is called after each batch of first answers; false ends the search. `stop`
    // is asked often; true ends the search at the next decision, or where an instance has no answer yet, soon.
    // `improved` is told of every instance with a better solution than before, when the search is limited. `working` is
    // told within a batch how many decisions are made, and how many there are at most. `ended` is told when a wider
    // beam fails for want of memory or the like: the search ends there, with what it has.
    bool (*progress)(void *user, size_t done, size_t count);
    bool (*stop)(void *user);
    void (*improved)(void *user, size_t instance, const struct verdict *verdict);
    void (*working)(void *user, uint32_t decisions, uint32_t most);
    void (*ended)(void *user, const char *why);
    void (*left_out)(void *user, size_t instance); // told of those that are too large for the network, and improved
    void *user;
};

// What an answer began with.
enum search_origin { ORIGIN_DECODER, ORIGIN_SAVINGS, ORIGIN_INSERTION, ORIGIN_GIVEN };

struct search_result {
    bool solved;
    struct solution solution;
    struct verdict verdict;
    struct way way;   // that found it
    uint32_t decoder; // whose candidate it is
    enum search_origin origin;
    enum mdam_improve improve; // what made it better than `constructed`, the objective that it began with; or OFF
    double constructed;
    double *decoder_best; // (M): the best cost of each decoder, minimised, in the network's units
};
void search_result_finish(struct search_result *result);

struct search;

// Plans the search of COUNT instances of the model's problem, which outlive it. Refuses an instance that even alone
// would take more memory than there is: *REFUSED.
bool search_create(struct search **search, const struct model *model, const struct instance *instances, size_t count,
    const struct search_options *options, size_t *refused);
void search_destroy(struct search **search);

// RESULTS has room for all instances. Ends early, with some not solved, when `progress` or `stop` say so, or the
// deadline. After a failure the results are those found before.
bool search_run(struct search *search, const struct deadline *deadline, struct search_result *results);

// Improves the initial plans without a model, as the options say.
void search_improve(const struct instance *instances, size_t count, const struct search_options *options,
    const struct deadline *deadline, struct search_result *results);

#endif
