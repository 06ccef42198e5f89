// Merging of a beam's candidates in the lists of search/beam_step.glsl.

uint signature_of(uint hypothesis, uint i) {
    t = first + hypothesis;
    return signature(i);
}

// Finds for each hypothesis one with the same signature; a hash only says where to search. Compares one word at a time,
// so that lanes of a subgroup search and compare together.
void find_classes() {
    uint words = signature_words(), hash = 0, i = 0, other = 0;
    if (c < arg.W) {
        for (uint k = 0; k < words; k++)
            hash = hashed(hash, signature_of(c, k));
        hash &= arg.bits;
        HASH(c) = hash;
    }
    clear_table();
    uint slot = hash;
    bool found = c >= arg.W;
    while (!found) {
        bool differs = false;
        if (other == 0) {
            other = atomicCompSwap(TABLE(slot & (2 * C - 1)), 0u, c + 1);
            found = other == 0;
            differs = !found && HASH(other - 1) != hash;
            i = 0;
        } else if (i < words) {
            differs = signature_of(other - 1, i) != signature_of(c, i);
            i++;
        } else {
            found = true;
        }
        if (differs)
            other = 0, slot++;
    }
    if (c < arg.W)
        CLASS(c) = other == 0 ? c : other - 1;
    clear_table();
}

// Candidates at the same node whose hypotheses have the same signature form a group: a chain that begins with its name.
void find_groups(uint node) {
    name = c;
    NEXT(c) = 0;
    if (node != BEAM_NONE) {
        for (uint slot = hashed(CLASS(w), node);; slot++) {
            uint other = atomicCompSwap(TABLE(slot & (2 * C - 1)), 0u, c + 1);
            if (other == 0)
                break;
            if (NODE(other - 1) == node && CLASS((other - 1) / arg.K) == CLASS(w)) {
                name = other - 1;
                break;
            }
        }
    }
    barrier();
    if (name != c)
        NEXT(c) = atomicExchange(NEXT(name), c + 1);
    barrier();
    GROUP(c) = name | (NEXT(name) != 0 ? OPEN : 0);
}

void find_outcome(uint node) {
    t = first + w;
    s = load_state();
    if (s.done == 0) {
        visit(node);
        s.current = node;
        s.steps++;
    }
    mine = s;
}

#define OWN_UINT_SHARE(name)  AFTER(i++, c) = mine.name;
#define OWN_FLOAT_SHARE(name) AFTER(i++, c) = floatBitsToUint(mine.name);
void share_outcome() {
    uint i = 2;
    AFTER(0, c) = floatBitsToUint(mine.len);
    AFTER(1, c) = floatBitsToUint(mine.len_low);
    RULES_OWN(OWN_UINT_SHARE, OWN_FLOAT_SHARE)
}
// Another candidate of the group.
#define OWN_UINT_READ(name)  x.name = AFTER(i++, d);
#define OWN_FLOAT_READ(name) x.name = uintBitsToFloat(AFTER(i++, d));
State outcome(uint d) {
    State x = mine;
    uint i = 2;
    x.len = uintBitsToFloat(AFTER(0, d));
    x.len_low = uintBitsToFloat(AFTER(1, d));
    RULES_OWN(OWN_UINT_READ, OWN_FLOAT_READ)
    return x;
}

// In each group the lowest open candidate that no other surpasses is the leader. It continues, and all that it
// dominates are removed; the others go on to the next round. Returns whether the candidate is removed.
bool is_removed() {
    bool open = (GROUP(c) & OPEN) != 0, removed = false;
    do {
        LEADER(c) = 0xffffffffu;
        barrier();
        if (open) {
            uint key = c;
            FOR_MEMBERS(d) if (d != c && (GROUP(d) & OPEN) != 0) {
                State other = outcome(d);
                if (dominates(other, mine) && !dominates(mine, other))
                    key = c | LAST_RESORT; // a leader exists even if candidates surpass each other in a circle
            }
            atomicMin(LEADER(name), key);
        }
        barrier();
        if (open) {
            uint leader = LEADER(name) & ~LAST_RESORT;
            removed = leader != c && dominates(outcome(leader), mine);
            open = leader != c && !removed;
            if (!open)
                GROUP(c) = name;
        }
    } while (any_of(open));
    return removed;
}

// Returns the candidate's score after merging. A removed candidate may have several heirs.
float merged(uint node, float score) {
    find_classes();
    find_groups(node);
    if (node != BEAM_NONE)
        find_outcome(node);
    share_outcome();
    barrier();
    if (is_removed() || (OPTIONS != 0 && node != BEAM_NONE && mine.done == RULES_DEAD))
        return MASKED;
    if (NEXT(name) != 0)
        FOR_MEMBERS(d) if (d != c && dominates(mine, outcome(d)))
            score = max(score, uintBitsToFloat(OFFER(d)));
    return score;
}
