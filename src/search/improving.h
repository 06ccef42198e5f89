// Plans made better on the host (src/improve) while the device decodes the next batch. Candidates of a batch are handed
// over, improved in the background, judged and kept in a fixed order, so that answers do not depend on timing unless a
// deadline cuts them.
#ifndef SEARCH_IMPROVING_H
#define SEARCH_IMPROVING_H

#include "search/pass.h"

struct improving;

void improving_create(struct improving **improving, struct search *search);
void improving_destroy(struct improving **improving); // ends what is under way

// With a deadline and a single instance: improves constructions in the background by ruin and recreate, until decoding
// is over. Returns whether it does; an answer is then certain.
bool improving_ahead(struct improving *improving, const struct deadline *deadline);

// How many candidates of a decoder and view are worth improving.
uint32_t improving_width(const struct improving *improving);

// Hands a candidate of the batch over, the best of each decoder first.
struct finalist {
    struct solution solution;
    enum search_origin origin;
    struct way way;
    uint32_t decoder;
    double constructed; // the objective of what it began with
    uint64_t signature; // equal for plans that use the same edges
};
void improving_add(struct improving *improving, size_t instance, const struct finalist *finalist);
// The batch is complete: waits for the one before and begins with this one.
void improving_begin(struct improving *improving);

// After all batches: the last one's plans, textbook constructions, and ruin and recreate where that is asked for.
void improving_end(struct improving *improving);

#endif
