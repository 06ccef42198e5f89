// Records one decision of a beam search.
#ifndef SEARCH_BEAM_STEP_H
#define SEARCH_BEAM_STEP_H

#include "search/beam.h"

struct policy_glimpses beam_layout(void *beam, struct arena *arena, const struct rules *rules);
// Starts every beam with one hypothesis without decisions.
void beam_begin(void *beam, struct cmd *c);
// Finds the hypotheses that share a glimpse, and its relevant nodes.
void beam_look(void *beam, struct cmd *c, struct tensor everyone);
// The memory for the hypotheses' candidates.
const struct offer *beam_offer(void *beam);
// Turns candidates into the next hypotheses.
void beam_step(void *beam, struct cmd *c);

#endif
