// Improves solutions on the host (src/improve) while the device decodes the next batch. The candidates of a batch are
// added, improved in the background, judged and retained in a fixed order, so results do not depend on timing unless a
// deadline ends them.
#ifndef SEARCH_IMPROVING_H
#define SEARCH_IMPROVING_H

#include "search/pass.h"

struct improving;

void improving_create(struct improving **improving, struct search *search);
void improving_destroy(struct improving **improving); // stops the background work

// With a deadline and a single instance: improves constructions in the background by ruin and recreate, until decoding
// is over. Returns whether it does; an answer is then certain.
bool improving_ahead(struct improving *improving, const struct deadline *deadline);

// Returns how many candidates per decoder and view should be improved.
uint32_t improving_width(const struct improving *improving);

// A candidate of the batch; add the best of each decoder first.
struct finalist {
    struct solution solution;
    enum search_origin origin;
    struct decoding decoding;
    uint32_t decoder;
    double constructed; // the objective of its start
    uint64_t signature; // equal for solutions with the same edges
};
void improving_add(struct improving *improving, size_t instance, const struct finalist *finalist);
// Ends a batch: waits for the previous one and starts this one.
void improving_begin(struct improving *improving);

// After all batches: finishes the last one, then adds constructions, and ruin and recreate if requested.
void improving_end(struct improving *improving);

#endif
