#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "selftest/parity.h"
#include "util/alloc.h"
#include "util/error.h"

// Max differences between single precision and the packs' double precision. Those of costs, probabilities and
// likelihoods are absolute: the network's units are of order one.
#define LOG_P_TOLERANCE      5e-4
#define COST_TOLERANCE       1e-4
#define LIKELIHOOD_TOLERANCE 1e-3
#define KL_TOLERANCE         1e-4
#define LOSS_TOLERANCE       1e-3 // relative, like that of the gradient's norm
#define GRADIENT_TOLERANCE   1e-3 // of a tensor's own norm, and
#define GRADIENT_FLOOR       1e-6 // of the whole gradient's: some true gradients are 0
#define GRADIENT_FLIPS       0.02 // share of the hidden units that may flip as described at flips(), and
#define GRADIENT_FLIPPED     5e-3 // how much of a tensor's norm that may change: observed up to 3.2e-3
#define GRADIENT_GROWTH      20   // of such a change through lower layers: observed 14

#define MASKED -1e29 // anything below is a masked node

struct checks {
    const struct pack *pack;
    FILE *to; // NULL: silent
    const struct parity_log *log;
    uint32_t failed;
};

static void say(const struct checks *checks, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(const struct checks *checks, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    if (checks->to)
        vfprintf(checks->to, format, values);
    va_end(values);
}

static void report(struct checks *checks, const char *what, double found, double limit)
{
    bool ok = found <= limit; // false for NaN
    say(checks, "  %-34s %9.2g  of %-8.2g %s\n", what, found, limit, ok ? "ok" : "FAILED");
    checks->failed += !ok;
    if (checks->log)
        checks->log->checked(checks->log->user, what, found, limit, ok);
}

static void report_error(struct checks *checks, const char *what)
{
    say(checks, "  %-34s FAILED: %s\n", what, error_text());
    checks->failed++;
    if (checks->log)
        checks->log->checked(checks->log->user, what, NAN, 0, false);
}

// --- paths ----------------------------------------------------------------------------------------------------------

static double worse(double max, double expected, double found)
{
    double off = fabs(expected - found);
    return isnan(off) ? INFINITY : fmax(max, off);
}

// Without the stay at the depot: a batch continues until its last instance is finished.
static ptrdiff_t length(const struct pack *pack, const struct pack_path *path)
{
    ptrdiff_t count = arrlen(path->actions);
    while (pack->weights.config.problem->has_depot && count > 0 && path->actions[count - 1] == 0)
        count--;
    return count;
}

static bool same_sequence(const struct pack *pack, const struct pack_path *a, const struct pack_path *b)
{
    ptrdiff_t count = length(pack, a);
    return count == length(pack, b) && (!count || !memcmp(a->actions, b->actions, (size_t)count * sizeof *a->actions));
}

// Compares the expected steps up to the end of the tour.
static double log_p_error(
    const struct pack *pack, uint32_t i, const struct pack_path *expected, const struct pack_path *found)
{
    const ptrdiff_t N = pack->scaled[i % pack->B].N;
    ptrdiff_t known = arrlen(expected->log_p) / N, moves = length(pack, expected);
    ptrdiff_t steps = known < moves ? known : moves;
    double max = arrlen(found->log_p) < steps * N ? INFINITY : 0;
    for (ptrdiff_t k = 0; max < INFINITY && k < steps * N; k++) {
        double a = expected->log_p[k], b = found->log_p[k];
        max = a < MASKED && b < MASKED ? max : worse(max, a, b);
    }
    return max;
}

struct path_errors {
    uint32_t sequences;
    double cost, log_p, log_likelihood;
};

static struct path_errors compare_paths(
    const struct pack *pack, const struct pack_path *expected, const struct pack_path *found)
{
    struct path_errors errors = { 0 };
    for (uint32_t i = 0; i < pack->weights.config.M * pack->B; i++) {
        errors.sequences += !same_sequence(pack, &expected[i], &found[i]);
        errors.cost = worse(errors.cost, expected[i].cost, found[i].cost);
        errors.log_p = fmax(errors.log_p, log_p_error(pack, i, &expected[i], &found[i]));
        if (!isnan(expected[i].log_likelihood)) // not in every pack
            errors.log_likelihood = worse(errors.log_likelihood, expected[i].log_likelihood, found[i].log_likelihood);
    }
    return errors;
}

static void check_decode(struct checks *checks, const struct parity_subject *subject, void *state)
{
    const struct pack *pack = checks->pack;
    for (int greedy = 1; greedy >= 0; greedy--) {
        struct pack_path *found = pack_paths(pack);
        if (!subject->decode(state, pack, greedy, found)) {
            report_error(checks, greedy ? "greedy" : "given sequences");
        } else if (greedy) {
            struct path_errors errors = compare_paths(pack, pack->greedy, found);
            report(checks, "greedy: sequences that differ", errors.sequences, 0);
            report(checks, "greedy: cost", errors.cost, COST_TOLERANCE);
            report(checks, "first step: log p", errors.log_p, LOG_P_TOLERANCE);
            report(checks, "greedy: log-likelihood", errors.log_likelihood, LIKELIHOOD_TOLERANCE);
        } else {
            struct path_errors errors = compare_paths(pack, pack->train, found);
            report(checks, "given: sequences that differ", errors.sequences, 0);
            report(checks, "given: cost", errors.cost, COST_TOLERANCE);
            report(checks, "given: log p, decoder 0", errors.log_p, LOG_P_TOLERANCE);
            report(checks, "given: log-likelihood", errors.log_likelihood, LIKELIHOOD_TOLERANCE);
        }
        pack_paths_finish(&found, pack);
    }
}

// --- gradient -------------------------------------------------------------------------------------------------------

// A part of a tensor whose gradient has its own scale: one tensor in the released program.
struct part {
    uint64_t first_row, rows;
    uint32_t first_col, cols;
};

// Returns part K of a tensor; false after the last.
static bool part_of(const struct named *named, uint32_t k, struct part *part)
{
    const struct tensor *t = &named->tensor;
    const uint32_t cols = tensor_cols(t);
    const uint64_t rows = tensor_rows(t);
    static const uint32_t embed[] = { 0, 2, 3, 7, 8 }; // depot, its bias, customers, their bias
    *part = (struct part){ 0, rows, 0, cols };
    if (!strcmp(named->name, "embed")) {
        part->first_row = embed[k < 4 ? k : 0];
        part->rows = embed[k < 4 ? k + 1 : 0] - part->first_row;
        return k < 4;
    }
    if (t->rank == 3) { // one per decoder
        part->rows = rows / t->dim[0];
        part->first_row = k * part->rows;
        return k < t->dim[0];
    }
    if (strstr(named->name, ".qkv")) {
        part->cols = cols / 3;
        part->first_col = k * part->cols;
        return k < 3;
    }
    return k == 0;
}

// Computes the norms of the expected part and of the difference.
static void part_norms(const struct named *named, const struct part *part, const float *expected, const float *found,
    double *norm, double *error)
{
    double sum = 0, off = 0;
    for (uint64_t r = part->first_row; r < part->first_row + part->rows; r++) {
        for (uint32_t c = part->first_col; c < part->first_col + part->cols; c++) {
            uint64_t k = r * tensor_cols(&named->tensor) + c;
            sum += (double)expected[k] * expected[k];
            off += ((double)found[k] - expected[k]) * ((double)found[k] - expected[k]);
        }
    }
    *norm = sqrt(sum);
    *error = sqrt(off);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// If the input of a hidden unit is 0 within rounding, ReLU may pass a row or not, with all of its gradient. Few units
// do, and their bias shows the amount. The rest of a hidden layer's bias must agree: its error is returned, and that of
// the flipping units is added: through their weights to `below`, and times a row's size, which normalisation makes
// sqrt(D), to `weights`.
static double flips(
    const struct pack *pack, const struct weights *found, uint32_t layer, double *below, double *weights)
{
    const struct layer_params *p = &pack->gradient.params.layers[layer];
    const float *a = weights_at(&pack->gradient, p->ff1_bias), *b = weights_at(found, p->ff1_bias);
    const float *w = weights_at(&pack->weights, pack->weights.params.layers[layer].ff1);
    const uint32_t F = tensor_cols(&p->ff1_bias), D = p->ff1.dim[0], max_flips = (uint32_t)(GRADIENT_FLIPS * F);
    double *off = xcalloc(F, sizeof *off), sum = 0;
    for (uint32_t i = 0; i < F; i++)
        off[i] = fabs((double)b[i] - a[i]);
    qsort(off, F, sizeof *off, by_size);
    const double min = off[F - 1 - max_flips];
    for (uint32_t i = 0; i < F - max_flips; i++)
        sum += off[i] * off[i];
    for (uint32_t i = 0; i < F; i++) {
        double column = 0, by = fabs((double)b[i] - a[i]);
        for (uint32_t k = 0; k < D; k++)
            column += (double)w[k * F + i] * w[k * F + i];
        *below += by > min ? by * sqrt(column) : 0;
        *weights += by > min ? by * sqrt(D) : 0;
    }
    free(off);
    return sqrt(sum);
}

// Returns the largest error relative to its part's tolerance, and names the part.
static double gradient_error(const struct pack *pack, const struct weights *found, char *where, size_t size)
{
    struct named *list = params_list(&pack->gradient.params, &pack->gradient.config);
    double max = 0, below = 0, weights = 0, bias[MAX_LAYERS];
    for (uint32_t l = 0; l < pack->weights.config.L; l++)
        bias[l] = flips(pack, found, l, &below, &weights);
    for (ptrdiff_t i = 0, layer = 0; i < arrlen(list); i++) {
        const float *a = weights_at(&pack->gradient, list[i].tensor), *b = weights_at(found, list[i].tensor);
        struct part part;
        for (uint32_t k = 0; part_of(&list[i], k, &part); k++) {
            double norm, error;
            part_norms(&list[i], &part, a, b, &norm, &error);
            if (strstr(list[i].name, ".ff1.bias"))
                error = bias[layer++];
            double flipped = strstr(list[i].name, ".ff1.weight") ? weights : GRADIENT_GROWTH * below;
            flipped = fmin(flipped, GRADIENT_FLIPPED * norm);
            double share = error / (GRADIENT_TOLERANCE * norm + GRADIENT_FLOOR * pack->gradient_norm + flipped);
            if (share > max || isnan(share)) {
                max = isnan(share) ? INFINITY : share;
                snprintf(where, size, "gradient: %s, part %u", list[i].name, k);
            }
        }
    }
    arrfree(list);
    return max;
}

static void check_gradient(struct checks *checks, const struct parity_subject *subject, void *state)
{
    const struct pack *pack = checks->pack;
    struct weights found;
    double kl, loss, sum = 0;
    weights_init(&found, &pack->weights.config);
    if (subject->gradient(state, pack, &kl, &loss, &found)) {
        char where[80] = "gradient";
        for (uint64_t k = 0; k < found.count; k++)
            sum += (double)found.values[k] * found.values[k];
        report(checks, "KL", fabs(kl - pack->kl), KL_TOLERANCE);
        report(checks, "loss, relative", fabs(loss - pack->loss) / fabs(pack->loss), LOSS_TOLERANCE);
        report(checks, "norm of the gradient, relative", fabs(sqrt(sum) / pack->gradient_norm - 1), LOSS_TOLERANCE);
        double share = gradient_error(pack, &found, where, sizeof where);
        report(checks, where, share, 1);
    } else {
        report_error(checks, "gradient");
    }
    weights_finish(&found);
}

// --- beams ----------------------------------------------------------------------------------------------------------

// The reference's results for the beams of one instance.
struct second_opinion {
    double *cost;                  // (M)
    struct reference_doubt *doubt; // (M)
};

static struct second_opinion ask_reference(const struct pack *pack, const struct pack_beam *beam, uint32_t b)
{
    const uint32_t M = pack->weights.config.M;
    struct second_opinion o = { xcalloc(M, sizeof *o.cost), xcalloc(M, sizeof *o.doubt) };
    struct reference model;
    reference_load(&model, &pack->weights);
    model.config.norm = beam->norm;
    reference_beam(&model, &pack->scaled[b], beam->width, beam->expand, beam->merge, o.cost, o.doubt);
    reference_finish(&model);
    return o;
}

static bool agree(double a, double b)
{
    return fabs(a - b) <= COST_TOLERANCE;
}

struct beam_errors {
    uint32_t best, decoders; // wrong ones
    uint32_t ties, close;    // decoders that differ from the pack but are not wrong
};

// A decoder's beam may differ from that of a foreign pack if equals were merged, which may have used another rule, and
// ours agrees with the reference; or if single precision may order scores differently.
static void compare_instance(
    const struct pack *pack, const struct pack_beam *beam, const double *cost, uint32_t b, struct beam_errors *errors)
{
    const uint32_t M = pack->weights.config.M, B = pack->B;
    double best = INFINITY;
    bool same = true, excused = true;
    for (uint32_t m = 0; m < M; m++) {
        best = fmin(best, cost[m * B + b]);
        same = same && agree(cost[m * B + b], beam->decoder[m * B + b]);
    }
    if (!same) {
        struct second_opinion o = ask_reference(pack, beam, b);
        for (uint32_t m = 0; m < M; m++) {
            if (agree(cost[m * B + b], beam->decoder[m * B + b]))
                continue;
            bool tie = !pack->ties_as_ours && o.doubt[m].ties && agree(cost[m * B + b], o.cost[m]);
            bool close = !pack->ties_as_ours && o.doubt[m].close;
            errors->ties += tie;
            errors->close += !tie && close;
            errors->decoders += !tie && !close;
            excused = excused && (tie || close);
        }
        free(o.cost), free(o.doubt);
    }
    errors->best += !agree(best, beam->best[b]) && (same || !excused);
}

static void compare_beam(struct checks *checks, const struct pack_beam *beam, const double *cost)
{
    struct beam_errors errors = { 0 };
    for (uint32_t b = 0; b < checks->pack->B; b++)
        compare_instance(checks->pack, beam, cost, b, &errors);
    char what[64];
    const char *merging = beam->merge ? "" : ", no merging";
    snprintf(what, sizeof what, "beam %u%s: best", beam->width, merging);
    report(checks, what, errors.best, 0);
    snprintf(what, sizeof what, "beam %u%s: decoders", beam->width, merging);
    report(checks, what, errors.decoders, 0);
    if (errors.ties || errors.close)
        say(checks, "  %-34s %u ties merged otherwise, %u close scores, of %u\n", "", errors.ties, errors.close,
            checks->pack->weights.config.M * checks->pack->B);
}

static void check_beams(struct checks *checks, const struct parity_subject *subject, void *state)
{
    const struct pack *pack = checks->pack;
    for (ptrdiff_t i = 0; i < arrlen(pack->beams); i++) {
        double *cost = xcalloc(pack->weights.config.M * pack->B, sizeof *cost);
        if (subject->beam(state, pack, &pack->beams[i], cost))
            compare_beam(checks, &pack->beams[i], cost);
        else
            report_error(checks, "beam");
        free(cost);
    }
}

bool parity_check(const struct pack *pack, const struct parity_subject *subject, FILE *to)
{
    return parity_check_logged(pack, subject, to, NULL);
}

bool parity_check_logged(
    const struct pack *pack, const struct parity_subject *subject, FILE *to, const struct parity_log *log)
{
    struct checks checks = { .pack = pack, .to = to, .log = log };
    void *state = NULL;
    if (!subject->open(&state, pack)) {
        report_error(&checks, "model");
    } else {
        check_decode(&checks, subject, state);
        if (subject->gradient)
            check_gradient(&checks, subject, state);
        else
            say(&checks, "  gradient not checked\n");
        if (subject->beam)
            check_beams(&checks, subject, state);
        else
            say(&checks, "  beams not checked\n");
    }
    if (state)
        subject->close(&state);
    return checks.failed == 0;
}
