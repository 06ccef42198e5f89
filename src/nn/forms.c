#include "nn/forms.h"

#include <string.h>

#include "attention.spv.h"
#include "attention_back_queries.spv.h"
#include "attention_back_small.spv.h"
#include "attention_small.spv.h"
#include "linear_block.spv.h"
#include "linear_shared.spv.h"
#include "linear_tile.spv.h"
#include "pointer.spv.h"
#include "pointer_back.spv.h"
#include "pointer_back_share.spv.h"
#include "pointer_choose.spv.h"
#include "pointer_many.spv.h"
#include "pointer_share.spv.h"
#include "reattend.spv.h"
#include "reattend_back.spv.h"
#include "reattend_back_many.spv.h"
#include "reattend_back_small.spv.h"
#include "reattend_small.spv.h"
#include "shaders/args.h"
#include "util/error.h"

static const struct kernel linear_block = KERNEL_WITH(linear_block, linear),
                           linear_tile = KERNEL_WITH(linear_tile, linear),
                           linear_shared = KERNEL_THREADS_WITH(linear_shared, linear, LINEAR_THREADS);
static const struct kernel attention = KERNEL(attention), attention_small = KERNEL_WITH(attention_small, attention);
static const struct kernel attention_back_small = KERNEL_WITH(attention_back_small, attention_back);
static const struct kernel attention_back_queries = KERNEL_WITH(attention_back_queries, attention_back);
static const struct kernel reattend = KERNEL(reattend), reattend_small = KERNEL_WITH(reattend_small, reattend);
static const struct kernel reattend_back = KERNEL(reattend_back);
static const struct kernel reattend_back_small = KERNEL_WITH(reattend_back_small, reattend_back);
static const struct kernel reattend_back_many = KERNEL_WITH(reattend_back_many, reattend_back);
static const struct kernel pointer = KERNEL(pointer), pointer_many = KERNEL(pointer_many);
static const struct kernel pointer_share = KERNEL_WITH(pointer_share, pointer), pointer_choose = KERNEL(pointer_choose);
static const struct kernel pointer_back = KERNEL(pointer_back), pointer_back_share = KERNEL(pointer_back_share);

// Conditions on the device.
static bool is_cpu(const struct gpu_info *info)
{
    return info->target == GPU_TARGET_CPU;
}
static bool is_cpu_8_lanes(const struct gpu_info *info)
{
    return is_cpu(info) && info->lanes >= 8;
}
// Kernels that compile too slowly without 64-bit accesses or with few lanes.
static bool is_cpu_wide(const struct gpu_info *info)
{
    return is_cpu_8_lanes(info) && info->wide;
}
static bool is_cpu_wide_16_lanes(const struct gpu_info *info)
{
    return is_cpu_wide(info) && info->lanes >= 16;
}
static bool is_cpu_many(const struct gpu_info *info)
{
    return is_cpu_wide(info) && info->lanes <= POINTER_MANY_LANES;
}
// Bounds checks make long code, which a CPU driver compiles for minutes.
static bool is_safe_on_cpu(const struct gpu_info *info)
{
    return info->target == GPU_TARGET_SAFE && info->cpu_work;
}
static bool is_safe_below_16_lanes(const struct gpu_info *info)
{
    return info->target == GPU_TARGET_SAFE && info->lanes < 16;
}
static bool is_below_16_lanes(const struct gpu_info *info)
{
    return info->lanes < 16;
}
static bool is_below_64_lanes(const struct gpu_info *info)
{
    return info->lanes < 64;
}
static bool is_gpu(const struct gpu_info *info)
{
    return info->target == GPU_TARGET_GPU;
}
static bool has_shared(const struct gpu_info *info, uint32_t bytes, uint32_t threads)
{
    return is_gpu(info) && info->shared_product && info->shared_bytes >= bytes && info->threads_max >= threads;
}
static bool is_shared_64(const struct gpu_info *info)
{
    return has_shared(info, LINEAR_SHARED_BYTES(64), LINEAR_THREADS);
}
// Intel's GPUs, which have fewer lanes, and Apple's are short of registers.
static bool is_shared_128(const struct gpu_info *info)
{
    return has_shared(info, LINEAR_SHARED_BYTES(128), LINEAR_THREADS) && (info->lanes >= 32 || info->is_cpu) &&
           strncmp(info->name, "Apple", 5);
}
static bool is_cpu_work(const struct gpu_info *info)
{
    return info->cpu_work;
}
#define CPU            "cpu", NULL, is_cpu, NULL
#define CPU_8          "cpu, 8 lanes or more", NULL, is_cpu_8_lanes, NULL
#define SAFE_ON_CPU    "safe on a CPU driver", NULL, is_safe_on_cpu, NULL
#define CPU_WORK       "cpu, or safe on a CPU driver", NULL, is_cpu_work, NULL
#define OTHERWISE      NULL, NULL, NULL, NULL
#define WIDE_8(sizes)  "cpu, 64-bit integers, 8 lanes or more", sizes, is_cpu_wide
#define WIDE_16(sizes) "cpu, 64-bit integers, 16 lanes or more", sizes, is_cpu_wide_16_lanes
#define SET(name, value)                                                                                               \
    {                                                                                                                  \
#name, name, value                                                                                             \
    }

// Conditions on sizes.
static bool is_transposed(const struct gpu_info *info, const struct form_sizes *s)
{
    (void)info;
    return s->transposed;
}
static bool is_short(const struct gpu_info *info, const struct form_sizes *s)
{
    return !s->transposed && s->K <= 2 * info->lanes;
}
// Tiles of 64 rows pay where they are not mostly empty and workgroups are more than a few; of a gradient of weights
// rows are its inputs. All forms sum in one order: the form of a row does not change its result.
static bool are_rows_64(const struct gpu_info *info, const struct form_sizes *s)
{
    (void)info;
    return s->transposed ? s->M >= 32 : s->M >= 64 && s->rows >= 512;
}
static bool are_rows_128(const struct gpu_info *info, const struct form_sizes *s)
{
    (void)info;
    return s->M >= 128 && (s->transposed || s->rows >= 4096);
}
// Nodes and channels are few enough for one lane to hold the keys and values of a head.
static bool is_small(const struct gpu_info *info, const struct form_sizes *s)
{
    (void)info;
    return s->N <= 24 && s->DK <= 16;
}
static bool is_small_back(const struct gpu_info *info, const struct form_sizes *s)
{
    return is_small(info, s) && s->DK % 2 == 0 && s->N <= 2 * s->DK;
}
static bool are_many_heads(const struct gpu_info *info, const struct form_sizes *s)
{
    return (s->heads + info->lanes - 1) / info->lanes >= 4;
}
// Each lane has a trajectory of a slot, which is faster if they use half of the lanes.
static bool are_many_trajectories(const struct gpu_info *info, const struct form_sizes *s)
{
    return s->slots_uniform && !s->saves && 2 * s->repeat >= info->lanes && s->D <= 256;
}
// Lanes have 4 channels each, and a head's are neighbours.
static bool are_quads(const struct gpu_info *info, const struct form_sizes *s)
{
    const uint32_t bytes = POINTER_SHARED_BYTES(pointer_nodes(s->N), gpu_subgroups_usual(info));
    return s->DK >= 4 && !(s->DK & (s->DK - 1)) && s->DK <= 4 * info->lanes && has_shared(info, bytes, 0);
}
// The trajectories of a slot read its rows together. (Their number is a constant: few pipelines.)
static bool are_fours(const struct gpu_info *info, const struct form_sizes *s)
{
    (void)info;
    return s->slots_uniform && !s->saves && s->repeat % 4 == 0 && s->D <= 128;
}
static bool are_pairs(const struct gpu_info *info, const struct form_sizes *s)
{
    (void)info;
    return s->slots_uniform && !s->saves && s->repeat % 2 == 0 && s->D <= 128;
}
// Trajectories of a slot for at most half the lanes; with more, a lane for each is faster.
static bool are_few(const struct gpu_info *info, const struct form_sizes *s)
{
    return s->slots_uniform && 2 * s->repeat <= info->lanes && s->D <= 128;
}
static bool are_few_eights(const struct gpu_info *info, const struct form_sizes *s)
{
    return are_few(info, s) && s->repeat % 8 == 0;
}
static bool are_few_fours(const struct gpu_info *info, const struct form_sizes *s)
{
    return are_few(info, s) && s->repeat % 4 == 0;
}
static bool are_few_pairs(const struct gpu_info *info, const struct form_sizes *s)
{
    return are_few(info, s) && s->repeat % 2 == 0;
}
// Between two glimpses.
static bool are_few_decisions(const struct gpu_info *info, const struct form_sizes *s)
{
    (void)info;
    return s->repeat == 1 && s->decisions > 1 && s->decisions <= 8 && !s->dynamic && s->D <= 128;
}
static bool are_many_decisions(const struct gpu_info *info, const struct form_sizes *s)
{
    return s->slots_uniform && 2 * s->decisions >= info->lanes && s->D <= 256;
}
static bool are_beam_threads(const struct gpu_info *info, const struct form_sizes *s)
{
    const uint32_t threads = beam_threads(info, s->candidates);
    return s->candidates <= info->threads_max && has_shared(info, BEAM_SHARED_BYTES(s->own, threads), threads);
}
#define SMALL      "cpu", "up to 24 nodes, 16 channels of a head", is_cpu, is_small
#define SMALL_BACK "cpu", "up to 24 nodes, 16 channels of a head, even and half the nodes", is_cpu, is_small_back
#define MANY_HEADS "cpu", "heads of instances for 4 workers", is_cpu, are_many_heads
#define MANY                                                                                                           \
    "cpu, 64-bit integers, 8 to 32 lanes", "trajectories of a slot for half the lanes, up to 256 channels",            \
        is_cpu_many, are_many_trajectories

// The first matching row of an operation is used. The values are measured; known reasons:
// - Attention uses at most 4 keys together, because larger loops exceed a CPU's instruction cache.
// - A GPU has scalar registers for 4 rows at once (2 in the gradient of reattention), and 32 spare registers for rows
// of pairs, where a CPU has a stack.
// - In parts of the pointer a lane has fewer channels in registers, of which Intel's compilers have 128 for 8 lanes.
// LINEAR_TK 0 is one span of columns. ATTENTION_ROWS, POINTER_PARTS and ROWS_KEPT are maxima, which sizes may lower.
// ROWS_SPREAD 0 gives each chunk of a row's channels to a worker.
// clang-format off
static const struct form table[] = {
    { FORM_LINEAR, FORM_BLOCK, WIDE_16("gradient of weights"), is_transposed, &linear_block,
        { SET(LINEAR_TV, 2), SET(LINEAR_MR, 2), SET(LINEAR_KU, 64), SET(LINEAR_TK, 128) } },
    { FORM_LINEAR, FORM_BLOCK, WIDE_16("sums within a span"), is_short, &linear_block,
        { SET(LINEAR_TV, 2), SET(LINEAR_MR, 4), SET(LINEAR_KU, 16), SET(LINEAR_TK, 0) } },
    { FORM_LINEAR, FORM_BLOCK, WIDE_16(NULL), NULL, &linear_block,
        { SET(LINEAR_TV, 2), SET(LINEAR_MR, 2), SET(LINEAR_KU, 64), SET(LINEAR_TK, 128) } },
    { FORM_LINEAR, FORM_BLOCK, WIDE_8("gradient of weights"), is_transposed, &linear_block,
        { SET(LINEAR_TV, 2), SET(LINEAR_MR, 2), SET(LINEAR_KU, 128), SET(LINEAR_TK, 128) } },
    { FORM_LINEAR, FORM_BLOCK, WIDE_8("sums within a span"), is_short, &linear_block,
        { SET(LINEAR_TV, 4), SET(LINEAR_MR, 2), SET(LINEAR_KU, 8), SET(LINEAR_TK, 0) } },
    { FORM_LINEAR, FORM_BLOCK, WIDE_8(NULL), NULL, &linear_block,
        { SET(LINEAR_TV, 4), SET(LINEAR_MR, 1), SET(LINEAR_KU, 64), SET(LINEAR_TK, 128) } },
    { FORM_LINEAR, FORM_SHARED, "gpu, shared memory for 128 rows, 32 lanes or a CPU driver, not Apple",
        "4096 rows or more, 128 of a group, or 128 inputs of weights", is_shared_128, are_rows_128, &linear_shared, { SET(LINEAR_BM, 128) } },
    { FORM_LINEAR, FORM_SHARED, "gpu, shared memory for 64 rows", "512 rows or more, 64 of a group, or 32 inputs of weights",
        is_shared_64, are_rows_64, &linear_shared, { SET(LINEAR_BM, 64) } },
    { FORM_LINEAR, FORM_PLAIN, SAFE_ON_CPU, &linear_tile,
        { SET(LINEAR_TV, 1), SET(LINEAR_MR, 4), SET(LINEAR_KU, 4) } },
    { FORM_LINEAR, FORM_PLAIN, "fewer than 16 lanes", NULL, is_below_16_lanes, NULL, &linear_tile,
        { SET(LINEAR_TV, 2), SET(LINEAR_MR, 8), SET(LINEAR_KU, 4) } },
    { FORM_LINEAR, FORM_PLAIN, "fewer than 64 lanes", NULL, is_below_64_lanes, NULL, &linear_tile,
        { SET(LINEAR_TV, 2), SET(LINEAR_MR, 8), SET(LINEAR_KU, 16) } },
    { FORM_LINEAR, FORM_PLAIN, OTHERWISE, &linear_tile,
        { SET(LINEAR_TV, 1), SET(LINEAR_MR, 8), SET(LINEAR_KU, 16) } },

    { FORM_LINEAR_SLABS, FORM_PLAIN, CPU_WORK, .slabs = 12 }, // enough to keep a CPU busy
    { FORM_LINEAR_SLABS, FORM_PLAIN, OTHERWISE, .slabs = 64 },

    { FORM_ATTENTION, FORM_SMALL, SMALL, &attention_small, { SET(HEAD_UNROLL, 16) } },
    { FORM_ATTENTION, FORM_PLAIN, CPU, &attention,
        { SET(HEAD_UNROLL, 16), SET(HEAD_TILE, 4), SET(ATTENTION_ROWS, 7) } },
    { FORM_ATTENTION, FORM_PLAIN, SAFE_ON_CPU, &attention,
        { SET(HEAD_UNROLL, 2), SET(HEAD_TILE, 1), SET(ATTENTION_ROWS, 1) } },
    { FORM_ATTENTION, FORM_PLAIN, OTHERWISE, &attention,
        { SET(HEAD_UNROLL, 16), SET(HEAD_TILE, 4), SET(ATTENTION_ROWS, 1) } },

    { FORM_ATTENTION_BACK, FORM_SMALL, SMALL_BACK, &attention_back_small, { SET(HEAD_UNROLL, 16) } },
    { FORM_ATTENTION_BACK, FORM_PLAIN, CPU_8, &attention_back_queries,
        { SET(HEAD_UNROLL, 16), SET(HEAD_TILE, 8), SET(ATTENTION_ROWS, 2) } },
    { FORM_ATTENTION_BACK, FORM_PLAIN, CPU, &attention_back_queries,
        { SET(HEAD_UNROLL, 16), SET(HEAD_TILE, 4), SET(ATTENTION_ROWS, 2) } },
    { FORM_ATTENTION_BACK, FORM_PLAIN, SAFE_ON_CPU, &attention_back_queries,
        { SET(HEAD_UNROLL, 2), SET(HEAD_TILE, 1), SET(ATTENTION_ROWS, 1) } },
    { FORM_ATTENTION_BACK, FORM_PLAIN, OTHERWISE, &attention_back_queries,
        { SET(HEAD_UNROLL, 16), SET(HEAD_TILE, 4), SET(ATTENTION_ROWS, 1) } },

    { FORM_REATTEND, FORM_SMALL, SMALL, &reattend_small, { SET(HEAD_UNROLL, 16) } },
    { FORM_REATTEND, FORM_PLAIN, CPU, &reattend, { SET(HEAD_UNROLL, 16), SET(REATTEND_ROWS, 10) } },
    { FORM_REATTEND, FORM_PLAIN, SAFE_ON_CPU, &reattend, { SET(HEAD_UNROLL, 2), SET(REATTEND_ROWS, 2) } },
    { FORM_REATTEND, FORM_PLAIN, OTHERWISE, &reattend, { SET(HEAD_UNROLL, 16), SET(REATTEND_ROWS, 2) } },

    { FORM_REATTEND_BACK, FORM_SMALL, SMALL, &reattend_back_small, { SET(HEAD_UNROLL, 16) } },
    { FORM_REATTEND_BACK, FORM_MANY, MANY_HEADS, &reattend_back_many,
        { SET(HEAD_UNROLL, 16), SET(REATTEND_ROWS, 10) } },
    { FORM_REATTEND_BACK, FORM_PLAIN, CPU_8, &reattend_back, { SET(HEAD_UNROLL, 16), SET(HEAD_TILE, 8) } },
    { FORM_REATTEND_BACK, FORM_PLAIN, CPU, &reattend_back, { SET(HEAD_UNROLL, 16), SET(HEAD_TILE, 4) } },
    { FORM_REATTEND_BACK, FORM_PLAIN, SAFE_ON_CPU, &reattend_back, { SET(HEAD_UNROLL, 2), SET(HEAD_TILE, 1) } },
    { FORM_REATTEND_BACK, FORM_PLAIN, OTHERWISE, &reattend_back, { SET(HEAD_UNROLL, 16), SET(HEAD_TILE, 2) } },

    { FORM_POINTER, FORM_MANY, MANY, &pointer_many },
    { FORM_POINTER, FORM_SHARE, WIDE_8("trajectories of a slot in fours"), are_fours, &pointer_share,
        { SET(POINTER_SHARE_TS, 4) } },
    { FORM_POINTER, FORM_SHARE, WIDE_8("trajectories of a slot in pairs"), are_pairs, &pointer_share,
        { SET(POINTER_SHARE_TS, 2) } },
    { FORM_POINTER, FORM_SHARED, "gpu", "4, 8, 16 .. channels of a head, shared memory for the nodes",
        is_gpu, are_quads, &pointer_choose },
    { FORM_POINTER, FORM_PLAIN, CPU, &pointer, { SET(POINTER_PARTS, 1) } },
    { FORM_POINTER, FORM_PLAIN, "fewer than 16 lanes", NULL, is_below_16_lanes, NULL, &pointer, { SET(POINTER_PARTS, 2) } },
    { FORM_POINTER, FORM_PLAIN, OTHERWISE, &pointer, { SET(POINTER_PARTS, 1) } },

    { FORM_POINTER_BACK, FORM_SHARE, WIDE_8("2 to 8 decisions of a slot, one trajectory, no dynamic features, up to 128 channels"),
        are_few_decisions, &pointer_back_share },
    { FORM_POINTER_BACK, FORM_PLAIN, CPU, &pointer_back, { SET(POINTER_PARTS, 1) } },
    { FORM_POINTER_BACK, FORM_PLAIN, "safe, fewer than 16 lanes", NULL, is_safe_below_16_lanes, NULL, &pointer_back, { SET(POINTER_PARTS, 4) } },
    { FORM_POINTER_BACK, FORM_PLAIN, OTHERWISE, &pointer_back, { SET(POINTER_PARTS, 2) } },

    { FORM_DECIDE, FORM_SHARE, WIDE_16("trajectories of a slot in eights, for at most half the lanes"), are_few_eights, NULL,
        { SET(POINTER_SHARE_TS, 8) } },
    { FORM_DECIDE, FORM_SHARE, WIDE_8("trajectories of a slot in fours, for at most half the lanes"), are_few_fours, NULL,
        { SET(POINTER_SHARE_TS, 4) } },
    { FORM_DECIDE, FORM_SHARE, WIDE_8("trajectories of a slot in pairs, for at most half the lanes"), are_few_pairs, NULL,
        { SET(POINTER_SHARE_TS, 2) } },
    { FORM_DECIDE, FORM_SHARE, WIDE_8("trajectories of a slot for at most half the lanes"), are_few, NULL,
        { SET(POINTER_SHARE_TS, 1) } },
    { FORM_DECIDE, FORM_PLAIN, OTHERWISE, NULL },

    { FORM_LIKELIHOOD, FORM_MANY, WIDE_8("decisions of a slot for half the lanes, up to 256 channels"),
        are_many_decisions, NULL, { SET(LIKELIHOOD_R, 2), SET(LIKELIHOOD_MB, 4) } },
    { FORM_LIKELIHOOD, FORM_PLAIN, OTHERWISE, NULL },

    { FORM_NORM, FORM_PLAIN, CPU, NULL, { SET(ROWS_KEPT, 32) } },
    { FORM_NORM, FORM_PLAIN, SAFE_ON_CPU, NULL, { SET(ROWS_KEPT, 4) } },
    { FORM_NORM, FORM_PLAIN, OTHERWISE, NULL, { SET(ROWS_KEPT, 16) } },

    { FORM_NORM_BACK, FORM_PLAIN, CPU, NULL, { SET(ROWS_KEPT, 32) } },
    { FORM_NORM_BACK, FORM_PLAIN, SAFE_ON_CPU, NULL, { SET(ROWS_KEPT, 4) } },
    { FORM_NORM_BACK, FORM_PLAIN, OTHERWISE, NULL, { SET(ROWS_KEPT, 8) } },

    { FORM_NORM_GIVEN, FORM_PLAIN, CPU_WORK, NULL, { SET(ROWS_KEPT, 4) } },
    { FORM_NORM_GIVEN, FORM_PLAIN, OTHERWISE, NULL, { SET(ROWS_KEPT, 16) } },

    { FORM_NORM_GIVEN_BACK, FORM_PLAIN, CPU_WORK, NULL, { SET(ROWS_KEPT, 4) } },
    { FORM_NORM_GIVEN_BACK, FORM_PLAIN, OTHERWISE, NULL, { SET(ROWS_KEPT, 8) } },

    { FORM_ROWS, FORM_PLAIN, CPU, NULL, { SET(ROWS_SPREAD, 1), SET(QUERY_DECISIONS, 8) } },
    { FORM_ROWS, FORM_PLAIN, SAFE_ON_CPU, NULL, { SET(ROWS_SPREAD, 1), SET(QUERY_DECISIONS, 1) } },
    { FORM_ROWS, FORM_PLAIN, OTHERWISE, NULL, { SET(ROWS_SPREAD, 0), SET(QUERY_DECISIONS, 1) } },

    { FORM_BEAM, FORM_SHARED, "gpu", "threads and shared memory for the candidates", is_gpu, are_beam_threads, NULL },
    { FORM_BEAM, FORM_PLAIN, OTHERWISE, NULL },
};
// clang-format on

uint32_t beam_threads(const struct gpu_info *info, uint32_t candidates)
{
    uint32_t threads = info->lanes;
    while (threads < candidates && threads < info->threads_max)
        threads *= 2;
    return threads;
}

uint32_t pointer_nodes(uint32_t N)
{
    enum { STEP = 128 }; // few pipelines
    return (N + STEP - 1) / STEP * STEP;
}

const struct form *form_choose(
    const struct gpu_info *info, enum form_operation operation, const struct form_sizes *sizes)
{
    const struct form *form = table;
    while (form->operation != operation || (form->device_fits && !form->device_fits(info)) ||
           (form->sizes_fit && !form->sizes_fit(info, sizes)))
        form++; // the last row of an operation always matches
    return form;
}

uint32_t form_constant(const struct form *form, uint32_t id)
{
    for (const struct form_constant *c = form->constants; c->name; c++) {
        if (c->id == id)
            return c->value;
    }
    bug("form %d of operation %d has no constant %u", (int)form->kind, (int)form->operation, id);
}

void form_fill(uint32_t constants[CONSTANTS], const struct form *form)
{
    for (const struct form_constant *c = form->constants; c->name; c++)
        constants[c->id] = c->value;
}

const struct form *form_row(size_t index)
{
    return index < sizeof table / sizeof *table ? &table[index] : NULL;
}

void form_print(struct text *out, const struct gpu_info *info)
{
    static const char *const operations[FORM_OPERATIONS] = { "linear", "linear's slabs", "attention",
        "attention's gradient", "reattention", "reattention's gradient", "pointer", "pointer's gradient", "decisions",
        "likelihood's gradient", "normalisation", "normalisation's gradient", "normalisation by given statistics",
        "its gradient", "rows", "beam" };
    bool decided[FORM_OPERATIONS] = { false }; // by a row that matches all sizes
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct form *form = &table[i];
        if (decided[form->operation] || (form->device_fits && !form->device_fits(info)))
            continue;
        decided[form->operation] = !form->sizes_fit;
        text_add(out, "%-25s", operations[form->operation]);
        if (form->kernel)
            text_add(out, " %s", form->kernel->name);
        if (form->slabs)
            text_add(out, " %u", form->slabs);
        for (const struct form_constant *c = form->constants; c->name; c++)
            text_add(out, " %s=%u", c->name, c->value);
        text_add(out, "%s%s\n", form->sizes ? " if " : "", form->sizes ? form->sizes : "");
    }
}
