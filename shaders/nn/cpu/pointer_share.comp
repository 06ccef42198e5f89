#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(pointer);
#include "lib/lanes.glsl"
#include "lib/pointer.glsl"
#include "lib/cpu/touch.glsl"
#include "lib/cpu/pointer_share.glsl"

void main() {
    lead = worker() * TS;
    if (lead >= arg.T)
        return;
    uint slot = lead / arg.repeat % arg.S, count = live_rows(lead);
    vec2 q[ALL], g[ALL];
    [[dont_unroll]] for (uint start = 0; start < count; start += LANES)
        touch_row(live_row(lead, start + lane(), count));
    load_all(q, arg.q, lead * PAIRS, PAIRS, query_scale());
    glimpse(g, q, slot, count);
    float max_logit[TS];
    write_logits(max_logit, g, slot, count);
    write_logp(max_logit, slot, count);
    touch_end(zero() != 0, arg.logp);
}
