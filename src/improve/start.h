// Textbook constructions, to start from and never to lose to.
#ifndef IMPROVE_START_H
#define IMPROVE_START_H

#include "improve/state.h"

// Clarke and Wright's savings. False: the task has customers that may be left out, or limits lengths.
bool start_savings(struct state *state);

// The cheapest customer at its cheapest place comes in, again and again; of very many, the next one in a fixed order.
void start_insertion(struct state *state);

#endif
