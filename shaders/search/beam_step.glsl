// A step of a beam by one workgroup in shared memory: merges its candidates by the rules of the including problem, as
// beam_merge.glsl does, selects the W best, as beam_select.comp does, and moves their parents' states to them. A thread
// has one candidate, and there are as many threads or more. No operation of subgroups: any number of lanes will do.
#include "lib/beam.glsl"
#include "lib/beam_words.glsl"
layout(constant_id = BEAM_MERGES) const uint MERGES = 1;

const uint C = gl_WorkGroupSize.x; // a power of two
const uint OPEN = 0x80000000u, LAST_RESORT = 0x80000000u; // in a word of the group, of the leader
shared uint pool[BEAM_WORDS(OWN_WORDS) * C];
shared uint some;

// Lists of C each. The last ones take turns: a table with open addressing, states after the candidates' actions, and
// what is selected.
#define GROUP(c)      pool[c]         // a candidate that names the group; OPEN: still in question
#define NEXT(c)       pool[C + (c)]   // the next member + 1; 0: none
#define LEADER(c)     pool[2 * C + (c)] // of the group that is named after c
#define HASH(w)       pool[2 * C + (w)] // of hypothesis w of the beam, before there are leaders
#define NODE(c)       pool[3 * C + (c)]
#define OFFER(c)      pool[4 * C + (c)] // bits of the score
#define CLASS(w)      pool[5 * C + (w)] // a hypothesis with the same signature
#define TABLE(i)      pool[6 * C + (i)] // index + 1; 0: empty
#define AFTER(i, c)   pool[(6 + (i)) * C + (c)]
#define KEY(c)        pool[6 * C + (c)]
#define TAKEN(i)      pool[7 * C + (i)] // a bit for each candidate
#define PARENT(w)     pool[8 * C + (w)]
#define FOR_MEMBERS(d) for (uint d = name, more = 1; more != 0; more = NEXT(d), d = more - 1)

uint c, w, first, name; // the thread's candidate, its hypothesis, the beam's first one, the candidate's group
State mine;             // after the candidate's action

bool any_of(bool x) {
    barrier();
    if (c == 0)
        some = 0;
    barrier();
    if (x)
        atomicOr(some, 1u);
    barrier();
    return some != 0;
}

void clear_table() {
    barrier();
    TABLE(c) = TABLE(C + c) = 0;
    barrier();
}

#include "search/beam_step_merge.glsl"

// All threads' accesses to buffers before it happen before those after it. A barrier alone orders shared memory only.
void join() {
    memoryBarrierBuffer();
    barrier();
}

void put(uint index, uint j, uint parent, uint action, float score) {
    uint t = first + index;
    PARENT(index) = parent;
    at_u(arg.action, t) = action;
    at(arg.score, t) = score;
    if (j < arg.J)
        at_u(arg.parents, j * arg.T + t) = parent;
}

// The W best become the hypotheses, in the order of the candidates; between equals the first.
void select(uint node, float score) {
    uint j = at_u(arg.clock, first / arg.W), key = lives(score) ? ordered(score) : 0, rank = 0, index = 0, used = 0;
    join();
    KEY(c) = key;
    TAKEN(c) = 0;
    barrier();
    for (uint d = 0; d < arg.W * arg.K; d++)
        rank += KEY(d) > key || (KEY(d) == key && d < c) ? 1 : 0;
    bool taken = key > 0 && rank < arg.W;
    if (taken)
        atomicOr(TAKEN(c / 32), 1u << c % 32);
    barrier();
    for (uint i = 0; i < (C + 31) / 32; i++) {
        uint bits = TAKEN(i), below = i < c / 32 ? bits : i == c / 32 ? bits & ((1u << c % 32) - 1) : 0;
        index += bitCount(below);
        used += bitCount(bits);
    }
    if (taken)
        put(index, j, first + w, node, score);
    if (c >= used && c < arg.W)
        put(c, j, BEAM_NONE, 0, MASKED);
}

// Moves the parents' words to their hypotheses, some columns at a time: all are read before one is written.
void follow() {
    const uint together = C < 16 ? C : 16, rows = C / together; // columns, and hypotheses of each, at a time
    beam_memory memory = beam_memory(arg.state, arg.sets, arg.slot, arg.remaining, arg.share);
    [[dont_unroll]] for (uint k = c % together; k - c % together < beam_columns(); k += together) {
        beam_column column = column_of(memory, min(k, beam_columns() - 1));
        uint words[together];
        join();
        [[unroll]] for (uint e = 0; e < together; e++) {
            uint index = min(e * rows + c / together, arg.W - 1), parent = PARENT(index);
            words[e] = at_u(column.list, column.start + (parent == BEAM_NONE ? first + index : parent) * column.stride);
        }
        join();
        [[unroll]] for (uint e = 0; e < together; e++) {
            uint index = e * rows + c / together;
            if (k < beam_columns() && index < arg.W)
                at_u(column.list, column.start + (first + index) * column.stride) =
                    PARENT(index) == BEAM_NONE ? word_of_dead(k, words[e]) : words[e];
        }
    }
}

void main() {
    arg = arguments.value;
    c = gl_LocalInvocationIndex;
    uint beam = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x, node = BEAM_NONE;
    float score = MASKED;
    first = beam * arg.W;
    w = c / arg.K;
    if (first >= arg.T)
        return;
    load_instance(first); // all hypotheses of a beam have the same instance
    if (w < arg.W) {
        node = at_u(arg.node, first * arg.K + c);
        score = at(arg.offer, first * arg.K + c);
    }
    NODE(c) = node;
    OFFER(c) = floatBitsToUint(score);
    // A finished beam does not change.
    bool goes_on = c < arg.W && lives(at(arg.score, first + min(c, arg.W - 1))) &&
                   at_u(arg.state, (first + min(c, arg.W - 1)) * RULES_STATE + RULES_DONE) == 0;
    if (MERGES != 0 && any_of(goes_on))
        score = merged(node, score);
    select(node, score);
    if (c == 0)
        at_u(arg.clock, beam) += 1;
    follow();
}
