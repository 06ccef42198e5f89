#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(context);
#include "lib/context_row.glsl"

void main() {
    uint t = worker();
    if (t < arg.T)
        write_context(t, word_of(t, RULES_DONE) != 0, word_of(t, RULES_STEPS) == 0, word_of(t, RULES_CURRENT),
            word_of(t, RULES_FIRST), arg.depot != 0 ? at(arg.scalar, t) : 0.0);
}
