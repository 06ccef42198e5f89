// A decision of TS trajectories of a slot, for CPUs: query, pointer, choice. With the rules in the same kernel a worker
// makes several decisions one after the other, while its slot's rows stay in the core's cache.
#include "lib/pointer.glsl"
#include "lib/rng.glsl"
#include "lib/cpu/stack.glsl"
#include "lib/cpu/touch.glsl"
#include "lib/cpu/pointer_share.glsl"
#include "lib/cpu/branch.glsl"
layout(constant_id = DECIDE_MODE) const uint CHOOSE = CHOOSE_SAMPLE;
layout(constant_id = DECIDE_SCALAR) const uint SCALAR = 1;

uint word_of(uint k, uint i) { return at_u(arg.state, (lead + k) * RULES_STATE + i); }

// Whether any of them goes on.
bool goes_on() { return lanes_any(lane() < TS && word_of(min(lane(), TS - 1), RULES_DONE) == 0); }

void copy_words(ptr to, ptr from, uint j, uint words) {
    [[dont_unroll]] for (uint i = lane(); i < TS * words; i += LANES)
        at_u(to, (j * arg.T + lead) * words + i) = at_u(from, lead * words + i);
}
// Saves the inputs of decision j.
void save_trace(uint j) {
    copy_words(arg.trace_state, arg.state, j, RULES_STATE);
    copy_words(arg.trace_allowed, arg.allowed, j, set_words());
    if (!is_null(arg.trace_scalar))
        copy_words(arg.trace_scalar, arg.scalar, j, 1);
    if (DYN == 1)
        copy_words(arg.trace_dyn, arg.dyn, j, arg.N);
}

// Lists the rows that any of them may go to, and returns how many.
uint list_rows(uint slot) {
    uint count = 0, list = saved_sum(lead) + 2;
    [[dont_unroll]] for (uint w = 0; w < set_words(); w++) {
        uint any = 0;
        [[unroll]] for (uint k = 0; k < TS; k++)
            any |= at_u(arg.allowed, (lead + k) * set_words() + w);
        [[unroll]] for (uint base = 0; base < 32; base += LANES) {
            uint bit = base + lane();
            if (bit < 32 && (any >> bit & 1) != 0)
                at_u(arg.saved, list + count + bitCount(any & (1u << bit) - 1)) = slot * arg.N + 32 * w + bit;
        }
        count += bitCount(any);
    }
    subgroupBarrier();
    return count;
}

// As shaders/nn/query.comp makes them. `fixed_`: the slot's part; `extra`: the pair at which its decoder's begins. Without
// branches: a compiler that does not unroll the loop over trajectories makes it write q lane by lane.
void load_queries(out vec2 q[ALL], vec2 fixed_[VECTORS], uint extra, uint slot) {
    [[unroll]] for (uint k = 0; k < TS; k++) {
        bool done = word_of(k, RULES_DONE) != 0, begins = SCALAR == 0 && word_of(k, RULES_STEPS) == 0;
        ptr from = begins ? arg.extra : arg.current;
        uint pair = begins ? extra : (slot * arg.N + word_of(k, RULES_CURRENT)) * PAIRS, first = 0;
        float scalar = 1;
        if (SCALAR == 0)
            first = (slot * arg.N + word_of(k, RULES_FIRST)) * PAIRS;
        else
            scalar = at(arg.scalar, lead + k);
        [[unroll]] for (uint v = 0; v < VECTORS; v++) {
            uint p = holds(v) ? v * LANES + lane() : 0;
            vec2 x = load2(from, pair + p);
            if (SCALAR == 0)
                x += begins ? vec2(0) : load2(arg.first_node, first + p);
            else
                x += scalar * load2(arg.extra, extra + p);
            q[k * VECTORS + v] = (fixed_[v] + (done ? vec2(0) : x)) * query_scale();
        }
    }
}

// Returns x of lane j for the trajectory that this lane chooses for.
float own_of(float x[TS], uint j) {
    float y = subgroupBroadcast(x[0], j);
    [[unroll]] for (uint k = 1; k < TS; k++)
        y = lane() < k ? y : subgroupBroadcast(x[k], j);
    return y;
}

// Chooses for all of them: lane k for trajectory k, passing over the listed rows in their order, while lanes are rows
// where weights are computed. A draw takes the first row whose cumulative weight exceeds it; rounding may leave the sum
// below the draw: the last row with a weight then. Where none has one, the first that may be chosen.
const uint NONE = 0xffffffffu;
uint choose(float max_logit[TS], uint slot, uint j, uint count) {
    uint k_own = min(lane(), TS - 1), own = lead + k_own, chosen = NONE;
    float own_max = max_logit[0], best = 0, total = 0, running = 0, draw = 0;
    [[unroll]] for (uint k = 1; k < TS; k++)
        own_max = k_own == k ? max_logit[k] : own_max;
    [[unroll]] for (uint pass = 0; pass < (CHOOSE == CHOOSE_SAMPLE ? 2 : 1); pass++) {
        if (pass == 1)
            draw = total * rng_unit(rng_draw(arg.seed, RNG_SAMPLE, at_u(arg.number, own), at_u(arg.stream, own),
                word_of(k_own, RULES_STEPS) + 1).x);
        [[dont_unroll]] for (uint start = 0; start < count; start += LANES) {
            uint nodes = start + lane() < count ? live_row(lead, start + lane(), count) - slot * arg.N : 0;
            // -1: may not be chosen. Weights of the network that have diverged make no numbers: nothing is known of a row.
            float logits[TS], weights[TS];
            [[unroll]] for (uint k = 0; k < TS; k++) {
                logits[k] = start + lane() < count ? at(arg.logp, (lead + k) * arg.N + nodes) : MASKED;
                uint weight = floatBitsToUint(exp(logits[k] - max_logit[k]));
                weights[k] = logits[k] == MASKED                       ? -1.0
                             : (weight & 0x7fffffffu) >= 0x7f800000u ? 0.0
                                                                     : uintBitsToFloat(weight);
            }
            [[dont_unroll]] for (uint first = 0; first < LANES && start + first < count; first += TOGETHER)
                [[unroll]] for (uint i = 0; i < TOGETHER; i++) {
                    float x = own_of(weights, first + i), logit = CHOOSE == CHOOSE_GREEDY ? own_of(logits, first + i) : 0.0;
                    uint node = subgroupBroadcast(nodes, first + i);
                    bool open = x >= 0, takes = false;
                    if (pass == 0)
                        total += max(x, 0), takes = CHOOSE == CHOOSE_GREEDY && logit > best;
                    else
                        takes = x > 0 && running <= draw, running += max(x, 0);
                    if (open && (takes || chosen == NONE) && (CHOOSE == CHOOSE_GREEDY || pass == 1))
                        chosen = node, best = logit;
                }
        }
    }
    uint action = chosen == NONE ? 0 : chosen;
    if (CHOOSE == CHOOSE_GIVEN)
        action = at_u(arg.action_given, j * arg.T + own);
    if (lane() < TS && word_of(k_own, RULES_DONE) == 0)
        at(arg.total, own) += is_open(k_own, action)
            ? at(arg.logp, own * arg.N + action) - own_max - log(max(total, 1e-30)) : MASKED;
    return action;
}

// The log-probabilities of the first trajectory, for those of the slot that do not decide.
void copy_logp(uint slot) {
    uint from = slot * arg.repeat + arg.offset;
    if (lead == from) [[dont_unroll]] for (uint k = arg.count; k < arg.repeat; k++)
        [[dont_unroll]] for (uint n = lane(); n < arg.N; n += LANES)
            at(arg.logp, (from + k) * arg.N + n) = at(arg.logp, from * arg.N + n);
}

// Decision j, from the rules' state.
uint decide(vec2 fixed_[VECTORS], uint extra, uint slot, uint j) {
    uint count = list_rows(slot);
    vec2 q[ALL], g[ALL];
    float max_logit[TS];
    load_queries(q, fixed_, extra, slot);
    glimpse(g, q, slot, count);
    write_logits(max_logit, g, slot, count);
    subgroupBarrier();
    uint action = choose(max_logit, slot, j, count);
    branch(arg.logs != 0) {
        write_logp(max_logit, slot, count);
        subgroupBarrier();
        copy_logp(slot);
    }
    return action;
}
