#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(context_back);
#include "lib/context.glsl"

// dh[row] += dctx, and dfixed[slot] += dq. A subgroup owns the dense rows of an instance and goes through all decisions of
// the trajectories that share them, in order; or it owns a slot's rows.
void add(ptr to, uint row, ptr source, uint from) {
    uint pairs = arg.D / 2;
    for (uint i = lane(); i < pairs; i += LANES)
        store2(to, row * pairs + i, load2(to, row * pairs + i) + load2(source, from + i));
}

uint own, instance; // slot with rows of its own, or the instance
uint row_of(uint v) { return is_null(arg.relevant) ? instance * arg.N + v : compact_row(own, v); }

void add_decision(uint t, uint slot) {
    uint pairs = arg.D / 2, width = arg.C / 2;
    add(arg.dfixed, slot, arg.dq, t * pairs);
    if (word_of(t, RULES_DONE) != 0 || (arg.depot == 0 && word_of(t, RULES_STEPS) == 0))
        return;
    if (arg.depot == 0)
        add(arg.dh, row_of(word_of(t, RULES_FIRST)), arg.ctx, t * width);
    add(arg.dh, row_of(word_of(t, RULES_CURRENT)), arg.ctx, t * width + (arg.depot != 0 ? 0 : pairs));
}

void main() {
    own = instance = worker();
    if (is_null(arg.relevant)) {
        if (instance >= arg.B)
            return;
        for (uint j = 0; j < arg.decisions; j++)
            for (uint i = 0; i < arg.M * arg.S; i++) {
                uint slot = i / arg.S * arg.B + instance;
                add_decision((j * arg.M * arg.B + slot) * arg.S + i % arg.S, slot);
            }
    } else {
        if (own >= arg.M * arg.B || at_u(arg.rows, own) == 0)
            return;
        for (uint j = 0; j < arg.decisions; j++) {
            uint t = (own / arg.B * arg.decisions + j) * arg.B + own % arg.B;
            if (t < arg.T)
                add_decision(t, own);
        }
    }
}
