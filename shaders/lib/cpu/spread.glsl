// With a lane index unknown to the compiler, Mesa's CPU driver reads the value through the stack, which costs less than
// a shuffle. A kernel requests that with a condition that never holds.
uint spread_zero = 0;
#define spread(x, j, c) subgroupBroadcast(x[(c) % EACH], (c) / EACH * TILE + (j) + spread_zero)
void spread_through_stack(bool never) { spread_zero = never ? 1 : 0; }
