// The steps of a beam search: what is recorded for one decision.
#ifndef SEARCH_BEAM_STEP_H
#define SEARCH_BEAM_STEP_H

#include "search/beam.h"

struct policy_glimpses beam_layout(void *beam, struct arena *arena, const struct rules *rules);
// Every beam has one hypothesis, that has decided nothing yet.
void beam_begin(void *beam, struct cmd *c);
// Who shares a glimpse with whom, and what it keeps.
void beam_look(void *beam, struct cmd *c, struct tensor everyone);
// From the log-probabilities to the next hypotheses and their last actions.
void beam_decide(void *beam, struct cmd *c, struct tensor logp);

#endif
