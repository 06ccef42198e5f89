// Solves instances with a model. Solutions flow one way: a strategy decodes candidates (search/strategy.h), batch by
// batch as planned (search/plan.h); every candidate that may be better is judged, and the best is retained
// (search/pass.h).
#ifndef SEARCH_SEARCH_H
#define SEARCH_SEARCH_H

#include "improve/improve.h"
#include "search/deadline.h"
#include "search/plan.h"

struct search_options {
    struct decoding decoding;
    uint64_t seed;
    bool online;     // one committed trajectory, of the decoder that was best in validation
    uint64_t memory; // device memory of one batch; 0: a sensible share
    // Decodes everything greedily first, then with wider and wider beams in all symmetries, until the deadline of
    // search_run.
    bool limited;
    enum mdam_improve improve; // AUTO: off
    uint64_t iterations;       // of improvement; 0: by time, or by the number of customers
    enum improve_from from;    // of full improvement; constructions or random plans alone: the network is not used
    // Solutions to improve in addition to the decoded ones, one per instance unless `missing`; may be NULL.
    const struct solution *const *initial;
    // Any of these may be NULL. `progress` is called after each batch of first solutions; false ends the search. `stop`
    // is called often; true ends the search at the next decision, or soon if an instance has no solution yet.
    // `improved` is called for every better solution of a limited search. `working` is called within a batch with the
    // decisions made and their max. `ended` is called when a wider beam fails, e.g. from lack of memory: the search
    // ends with its results so far.
    bool (*progress)(void *user, size_t done, size_t count);
    bool (*stop)(void *user);
    void (*improved)(void *user, size_t instance, const struct verdict *verdict);
    void (*working)(void *user, uint32_t decisions, uint32_t max_decisions);
    void (*ended)(void *user, const char *why);
    // Called for instances that are only constructed and improved: the network needs too much memory for them, or LATE,
    // too much time.
    void (*left_out)(void *user, size_t instance, bool late);
    void *user;
};

// The start of an improved solution.
enum search_origin { ORIGIN_DECODER, ORIGIN_SAVINGS, ORIGIN_INSERTION, ORIGIN_RANDOM, ORIGIN_GIVEN };

struct search_result {
    bool solved;
    struct solution solution;
    struct verdict verdict;
    struct decoding decoding; // that found it
    uint32_t decoder;         // that found it
    enum search_origin origin;
    enum mdam_improve improve; // OFF, or what improved it from `constructed`, the objective of its start
    double constructed;
    double *decoder_best; // (M): best cost of each decoder, minimised, in the network's units
};
void search_result_finish(struct search_result *result);

struct search;

// Plans the search of COUNT instances of the model's problem, which must outlive it. Refuses an instance that needs too
// much memory even alone: *REFUSED.
bool search_create(struct search **search, const struct model *model, const struct instance *instances, size_t count,
    const struct search_options *options, size_t *refused);
void search_destroy(struct search **search);

// RESULTS has room for all instances. Ends early, with some unsolved, if `progress` or `stop` say so, or at the
// deadline. After a failure the results are those found before.
bool search_run(struct search *search, const struct deadline *deadline, struct search_result *results);

// Improves the initial solutions without a model.
void search_improve(const struct instance *instances, size_t count, const struct search_options *options,
    const struct deadline *deadline, struct search_result *results);

#endif
