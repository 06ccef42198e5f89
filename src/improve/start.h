// Textbook constructions: starts of the search, and a lower bound of its quality.
#ifndef IMPROVE_START_H
#define IMPROVE_START_H

#include "improve/dice.h"
#include "improve/state.h"

// Clarke and Wright's savings. False: the task has optional customers or limits lengths.
bool start_savings(struct state *state);

// Inserts the cheapest customer at its cheapest position, repeatedly; in large tasks the next one in a fixed order.
// NEAREST: by length alone, as long as customers fit, whether or not they are worth it.
void start_insertion(struct state *state, bool nearest);

// Appends customers in a random order: each to the last route, or to a new one if it does not fit there. Skips a
// customer if the length limit forbids it, and stops when the minimum prize is collected. False: there are too few
// vehicles.
bool start_random(struct state *state, struct dice dice);

// Limited vehicles that the other constructions do not do with: the largest loads first, into the fullest route that
// takes them, in a thousand orders that differ a little. False: none of these fits.
bool start_packing(struct state *state);

#endif
