#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(beam_follow);
#include "lib/beam_words.glsl"

// A lane has one word of one hypothesis.
void main() {
    uint columns = beam_columns(), item = worker() * LANES + lane(), t = item / columns, k = item % columns;
    if (item == 0)
        at_u(arg.clock, 0) += 1;
    if (t >= arg.T)
        return;
    uint from = at_u(arg.parent, t);
    bool dead = from == BEAM_NONE;
    beam_column there =
        column_of(beam_memory(arg.old_state, arg.old_sets, arg.old_slot, arg.old_remaining, arg.old_share), k);
    beam_column here = column_of(beam_memory(arg.state, arg.sets, arg.slot, arg.remaining, arg.share), k);
    uint word = at_u(there.list, there.start + (dead ? t : from) * there.stride);
    at_u(here.list, here.start + t * here.stride) = dead ? word_of_dead(k, word) : word;
}
