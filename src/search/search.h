// Solving instances with a model: batches chosen from the memory there is, every candidate judged, the best kept.
#ifndef SEARCH_SEARCH_H
#define SEARCH_SEARCH_H

#include "model/model.h"
#include "problem/problem.h"

enum decode { DECODE_GREEDY, DECODE_SAMPLE, DECODE_BEAM };

// A way to look for solutions.
struct way {
    enum decode decode;
    uint32_t samples;  // DECODE_SAMPLE: for each decoder; 1 or more
    float temperature; // DECODE_SAMPLE
    uint32_t width;    // DECODE_BEAM: hypotheses of each decoder
    uint32_t expand;   // DECODE_BEAM: moves that each of them offers; more than there are nodes: all
    bool merge;        // DECODE_BEAM
    uint32_t augment;  // 1, or 8: the symmetries of the square
};

struct search_options {
    struct way way;
    uint64_t seed;
    bool online;     // one committed trajectory, by the decoder that did best in validation
    uint64_t memory; // device memory for one batch; 0: as much as is sensible
    // With a deadline (clock_seconds(); 0: none) everything is decoded greedily first, however long that takes, and
    // then by wider and wider beams, from `way` on, in all symmetries, until then.
    double deadline;
    // Any of these may be NULL. `progress` is called after each batch; false ends the search early. With a deadline,
    // `stop` is asked often, too, and `improved` told of every instance with a better solution than before. `working`
    // is told within a batch how many decisions are made, and how many there are at most. `ended` is told when a wider
    // beam fails for want of memory or the like: the search ends there, with what it has.
    bool (*progress)(void *user, size_t done, size_t count);
    bool (*stop)(void *user);
    void (*improved)(void *user, size_t instance, const struct verdict *verdict);
    void (*working)(void *user, uint32_t decisions, uint32_t most);
    void (*ended)(void *user, const char *why);
    void *user;
};

struct search_result {
    bool solved;
    struct solution solution;
    struct verdict verdict;
    struct way way;       // that found it
    uint32_t decoder;     // whose candidate it is
    double *decoder_best; // (M): the best cost of each decoder, minimised, in the network's units
};

// Solves COUNT instances of the model's problem; RESULTS has room for as many. Ends early, with some not solved, when
// `progress` says so. After a failure the results are those found before.
bool search_solve(struct model *model, const struct instance *instances, size_t count,
    const struct search_options *options, struct search_result *results);
// Refuses an instance that even alone would take more memory than there is. TAKEN is one that was not refused with the
// same model, zeroed before the first: smaller ones are not looked at.
struct search_size {
    uint32_t N, J; // nodes, decisions
};
bool search_takes(
    const struct model *model, const struct way *way, const struct instance *instance, struct search_size *taken);

void search_result_finish(struct search_result *result);

#endif
