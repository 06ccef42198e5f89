// The state of a hypothesis: RULES_STATE words of its state, arg.own of the problem's own, the words of its
// sets, its slot and, with split deliveries, N words of the remaining demand and N of its feature.
struct beam_memory { ptr state, sets, slot, remaining, share; };

uint fixed_columns() { return RULES_STATE + arg.own + RULES_SETS * ((arg.N + 31) / 32); } // before the slot
uint beam_columns() { return fixed_columns() + 1 + (is_null(arg.remaining) ? 0 : 2 * arg.N); }

// Where word k of hypothesis t is: word start + t stride of a list.
struct beam_column { ptr list; uint start, stride; };
beam_column column_of(beam_memory m, uint k) {
    uint set_words = (arg.N + 31) / 32, own = k - RULES_STATE, set = own - arg.own, v = k - fixed_columns() - 1;
    if (k < RULES_STATE)
        return beam_column(m.state, k, RULES_STATE);
    if (own < arg.own)
        return beam_column(m.state, arg.T * RULES_STATE + own, arg.own);
    if (k < fixed_columns())
        return beam_column(m.sets, set / set_words * arg.T * set_words + set % set_words, set_words);
    if (k == fixed_columns())
        return beam_column(m.slot, 0, 1);
    return v < arg.N ? beam_column(m.remaining, v, arg.N) : beam_column(m.share, v - arg.N, arg.N);
}

// That word of a hypothesis without a parent, whose state is that of a finished one; `word`: what it has.
uint word_of_dead(uint k, uint word) { return k == RULES_DONE ? 1 : k < fixed_columns() ? 0 : word; }
