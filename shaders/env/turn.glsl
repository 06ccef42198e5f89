// A decision of trajectory t for GPUs, before the rules' step in the same kernel: its trace, and the number of its draw.
uint draw_step() { return at_u(arg.state, t * RULES_STATE + RULES_STEPS) + 1; } // others write `unfinished` meanwhile
#include "lib/pointer_choose.glsl"
#include "lib/context_row.glsl"

void copy_words(ptr to, ptr from, uint words) {
    if (is_null(to))
        return;
    [[dont_unroll]] for (uint i = lane(); i < words; i += LANES)
        at_u(to, t * words + i) = at_u(from, t * words + i);
}
// The inputs of the decision.
void save_trace() {
    copy_words(arg.trace_state, arg.state, RULES_STATE);
    copy_words(arg.trace_allowed, arg.allowed, set_words());
    copy_words(arg.trace_scalar, arg.scalar, 1);
    copy_words(arg.trace_dyn, arg.dyn, arg.N);
}
