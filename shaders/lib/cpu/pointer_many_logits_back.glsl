// From the log-probabilities back to the glimpse, in pointer_many_back.comp, whose globals and functions it uses.

// Leaves which rows are live; returns the sum of dlogp.
float live_rows() {
    float total = 0;
    [[dont_unroll]] for (uint start = 0; start < rows; start += 32) {
        uint live = 0;
        [[dont_unroll]] for (uint r = start; r < min(start + 32, rows); r++) {
            uint i = element(r);
            if (mine && at(arg.logp, i) != MASKED)
                total += at(arg.dlogp, i), live |= 1u << r - start;
        }
        at_u(arg.scratch, live_at(block, start, lane())) = live;
    }
    return total;
}

// Through the last softmax and the clipping: leaves du.
void logits_back(float total) {
    float whole = at(arg.saved, saved_sum(t)), dyn = 0;
    [[dont_unroll]] for (uint start = 0; start < rows; start += 32) {
        uint own = at_u(arg.scratch, live_at(block, start, lane())), any = subgroupOr(own);
        [[dont_unroll]] for (; any != 0; any &= any - 1) {
            uint r = start + findLSB(any), i = element(r);
            float logp = at(arg.logp, i), th = clamp((logp + whole) / arg.sharp, -1, 1);
            float x = (at(arg.dlogp, i) - exp(logp) * total) * arg.sharp * (1 - th) * (1 + th) * inversesqrt(float(D));
            x = (own >> r - start & 1) != 0 ? x : 0.0;
            if (DYN == 1)
                dyn += x * dyn_of(r);
            put(r, EVEN, vec2(x));
        }
    }
    if (DYN == 1)
        put(rows, EVEN, vec2(dyn));
}

// Through the logit keys to the glimpse: dg of a group of heads.
void keys_back(out float dg[WIDE], uint group) {
    float du[HEADS];
    vec2 l[TILE];
    uint tile[R];
    bool live[R];
    [[unroll]] for (uint c = 0; c < WIDE; c++)
        dg[c] = 0;
    [[dont_unroll]] for (uint start = 0; start < rows; start += 32) {
        uint own = at_u(arg.scratch, live_at(block, start, lane())), any = subgroupOr(own);
        [[dont_unroll]] while (any != 0) {
            next(tile, live, start, any, own);
            [[unroll]] for (uint r = 0; r < R; r++) {
                float x = at(arg.scratch, 2 * pair_at(block, tile[r], EVEN, lane()));
                [[unroll]] for (uint h = 0; h < G; h++)
                    du[r * G + h] = live[r] ? x : 0.0;
                load_vector(l, r, arg.kvl, (first + tile[r]) * 3 * PAIRS + 2 * PAIRS + group * HALF);
            }
            sums(dg, du, l, R);
        }
    }
    if (DYN == 1) {
        load_vector(l, 0, arg.wdyn, wdyn + 2 * PAIRS + group * HALF);
        [[unroll]] for (uint h = 0; h < G; h++)
            du[h] = at(arg.scratch, 2 * pair_at(block, rows, EVEN, lane()));
        sums(dg, du, l, 1);
    }
    store_own(arg.scratch, dg_at(block, lane()) / 2 + group * HALF, dg, 1);
}
