#include "kernel.h"
#include "shaders/args.h"
#include "suite.h"

// Sizes: slots, trajectories per slot, decisions, nodes, D, groups, stride of the extra rows in floats, and whether
// there is a depot.
enum { SIZE_S, SIZE_REPEAT, SIZE_TURNS, SIZE_N, SIZE_D, SIZE_G, SIZE_GAP, SIZE_DEPOT };
enum { FIRST, CURRENT, FIXED, EXTRA, STATE, SCALAR, PART };

static uint32_t rows_of(const uint32_t *size)
{
    return size[SIZE_TURNS] * size[SIZE_S] * size[SIZE_REPEAT];
}

static void describe(const uint32_t *size, struct slot *in, struct slot *out)
{
    const uint32_t S = size[SIZE_S], N = size[SIZE_N], D = size[SIZE_D], rows = rows_of(size);
    in[FIRST] = (struct slot){ "first", 2, { S * N, D }, .weight = true };
    in[CURRENT] = (struct slot){ "current", 2, { S * N, D }, .weight = true };
    in[FIXED] = (struct slot){ "fixed", 2, { S, D }, .weight = true };
    in[EXTRA] = (struct slot){ "extra", 2, { size[SIZE_G], D + size[SIZE_GAP] }, .weight = true };
    in[STATE] = (struct slot){ "state", 2, { rows, RULES_STATE }, VALUES_INDEX, N };
    in[SCALAR] = (struct slot){ "scalar", 1, { rows }, .fixed = true };
    in[PART] = (struct slot){ "part", 2, { S, D }, .fixed = true };
    out[0] = (struct slot){ "q", 2, { rows, D } };
}

// Some trajectories are done, some have not begun.
static void arrange(const uint32_t *size, double *const *in)
{
    for (uint32_t t = 0; t < rows_of(size); t++) {
        double *state = in[STATE] + (size_t)t * RULES_STATE;
        state[RULES_STEPS] = t % 5 == 1 ? 0 : 1 + t % 3;
        state[RULES_DONE] = t % 4 == 3;
    }
}

static void reference(const uint32_t *size, const double *const *in, double *const *out)
{
    const uint32_t S = size[SIZE_S], N = size[SIZE_N], D = size[SIZE_D], per_group = S / size[SIZE_G];
    for (uint32_t t = 0; t < rows_of(size); t++) {
        const double *state = in[STATE] + (size_t)t * RULES_STATE;
        const uint32_t slot = t / size[SIZE_REPEAT] % S, row = slot * N;
        const double *extra = in[EXTRA] + (size_t)(slot / per_group) * (D + size[SIZE_GAP]);
        const bool depot = size[SIZE_DEPOT], start = !depot && state[RULES_STEPS] == 0;
        for (uint32_t d = 0; d < D; d++) {
            double q = in[FIXED][slot * D + d];
            if (state[RULES_DONE] == 0 && !start)
                q += in[CURRENT][(row + (uint32_t)state[RULES_CURRENT]) * D + d];
            if (state[RULES_DONE] == 0 && !start && !depot)
                q += in[FIRST][(row + (uint32_t)state[RULES_FIRST]) * D + d];
            if (state[RULES_DONE] == 0 && (start || depot))
                q += (depot ? in[SCALAR][t] : 1) * extra[d];
            out[0][(size_t)t * D + d] = q;
        }
    }
}

// The tensors of values or of gradients; the state is that of the values.
static struct query query_of(const uint32_t *size, const struct tensor *values, const struct tensor *in)
{
    const uint32_t D = size[SIZE_D];
    struct query query = { .state = in[STATE],
        .current = values[CURRENT],
        .fixed = values[FIXED],
        .extra = { values[EXTRA].address, 2, { size[SIZE_G], D } },
        .stride = size[SIZE_GAP] ? D + size[SIZE_GAP] : 0,
        .N = size[SIZE_N],
        .repeat = size[SIZE_REPEAT] };
    *(size[SIZE_DEPOT] ? &query.scalar : &query.first) = size[SIZE_DEPOT] ? in[SCALAR] : values[FIRST];
    return query;
}

// The forward pass makes one decision at a time; the backward pass takes all at once.
static void forward(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out)
{
    const uint32_t T = size[SIZE_S] * size[SIZE_REPEAT];
    for (uint32_t k = 0; k < size[SIZE_TURNS]; k++) {
        struct query query = query_of(size, in, in);
        struct tensor q = { out[0].address + 4ull * k * T * size[SIZE_D], 2, { T, size[SIZE_D] } };
        query.state.address += 4ull * k * T * RULES_STATE;
        query.state.dim[0] = T;
        if (query.scalar.address) {
            query.scalar.address += 4ull * k * T;
            query.scalar.dim[0] = T;
        }
        nn_query(c, q, &query);
    }
}

static void backward(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out,
    const struct tensor *dout, const struct tensor *din)
{
    (void)out;
    struct query query = query_of(size, in, in), d = query_of(size, din, in);
    nn_query_back_add(c, &d, in[PART], dout[0], &query);
}

static MunitResult test_query(const MunitParameter params[], void *data)
{
    (void)data;
    static const uint32_t sizes[][SIZES] = {
        { 4, 3, 2, 7, 24, 2, 0, 0 },
        { 6, 5, 3, 9, 32, 3, 8, 1 },
        { 2, 8, 7, 21, 128, 1, 1024, 1 },
        { 5, 8, 3, 20, 128, 5, 0, 0 },
        { 1, 1, 1, 1, 2, 1, 0, 0 },
        { 3, 70, 1, 40, 40, 1, 2, 1 },
        { 2, 17, 2, 3, 130, 2, 6, 0 },
        { 0 },
    };
    // Four terms; gradients are sums of up to some hundred terms about 1.
    return kernel_test(&(struct kernel_test){ .name = "query",
                           .describe = describe,
                           .arrange = arrange,
                           .reference = reference,
                           .forward = forward,
                           .backward = backward,
                           .tolerance = 1e-6,
                           .grad_tolerance = 1e-5,
                           .sizes = sizes,
                           .heap = 3 },
        params);
}

static MunitTest tests[] = {
    { "/query", test_query, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/nn/query", tests)
