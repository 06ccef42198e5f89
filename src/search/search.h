// Solving instances with a model: batches chosen from the memory there is, every candidate judged, the best kept.
#ifndef SEARCH_SEARCH_H
#define SEARCH_SEARCH_H

#include "model/model.h"
#include "problem/problem.h"

enum decode { DECODE_GREEDY, DECODE_SAMPLE };

struct search_options {
    enum decode decode;
    uint32_t samples;  // DECODE_SAMPLE: for each decoder; 1 or more
    float temperature; // DECODE_SAMPLE
    uint32_t augment;  // 1, or 8: the symmetries of the square
    uint64_t seed;
    bool online;     // one committed trajectory, by the decoder that did best in validation
    uint64_t memory; // device memory for one batch; 0: as much as is sensible
    // Called after each batch; false ends the search early. May be NULL.
    bool (*progress)(void *user, size_t done, size_t count);
    void *user;
};

struct search_result {
    bool solved;
    struct solution solution;
    struct verdict verdict;
    uint32_t decoder;     // whose candidate it is
    double *decoder_best; // (M): the best cost of each decoder, minimised, in the network's units
};

// Solves COUNT instances of the model's problem; RESULTS has room for as many. Ends early, with some not solved, when
// `progress` says so.
bool search_solve(struct model *model, const struct instance *instances, size_t count,
    const struct search_options *options, struct search_result *results);
void search_result_finish(struct search_result *result);

#endif
