// The first work on a device: a short kernel that tests the guarantees that all other kernels rely on. A driver that
// violates one would silently give wrong results.
#include <stdio.h>
#include <stdlib.h>

#include "check.spv.h"
#include "gpu/internal.h"
#include "shaders/args.h"
#include "util/alloc.h"
#include "util/error.h"

enum { GROUPS = 2, SALT = 0x5eed };

static const struct kernel check = KERNEL(check);

static const char *const promises[CHECK_WORDS] = {
    [CHECK_SIZE] = "lanes of a subgroup",
    [CHECK_SUBGROUPS] = "subgroups of a workgroup",
    [CHECK_WORKER] = "numbering of subgroups",
    [CHECK_LANE] = "numbering of lanes",
    [CHECK_FULL] = "lanes at work in a full subgroup",
    [CHECK_BALLOT] = "ballot",
    [CHECK_BROADCAST] = "broadcast from a computed lane",
    [CHECK_SHUFFLE] = "shuffle",
    [CHECK_SUM] = "sum over lanes",
    [CHECK_BEFORE] = "sum over the lanes before",
    [CHECK_MET] = "lanes that meet behind a divergent loop",
    [CHECK_MET_SUM] = "sum over lanes behind a divergent loop",
    [CHECK_SHARED] = "shared memory with barriers",
};

static uint32_t secret(uint32_t i)
{
    return SALT + 2654435761u * i;
}

static uint32_t steps(uint32_t i)
{
    uint32_t last = secret(i) % 13;
    return (last + 1) * (last + 2) / 2;
}

// Returns the value that invocation I must see, in workgroups of THREADS.
static uint32_t expected(uint32_t word, uint32_t i, uint32_t lanes, uint32_t threads)
{
    const uint32_t thread = i % threads, lane = thread % lanes, first = thread - lane;
    uint32_t value = 0;
    switch (word) {
    case CHECK_SIZE:
    case CHECK_FULL:
    case CHECK_MET:
        return lanes;
    case CHECK_SUBGROUPS:
        return threads / lanes;
    case CHECK_WORKER:
        return i / lanes;
    case CHECK_LANE:
        return lane;
    case CHECK_BALLOT:
        for (uint32_t k = 1; k < lanes; k += 2)
            value += (2 * (k / 32) + 1) << k % 32;
        return value;
    case CHECK_BROADCAST:
        for (uint32_t k = 0; k < lanes; k++)
            value = value * 31 + secret(first + k);
        return value;
    case CHECK_SHUFFLE:
        return secret(first + (lane + 1) % lanes);
    case CHECK_SUM:
    case CHECK_BEFORE:
        for (uint32_t k = 0; k < (word == CHECK_SUM ? lanes : lane); k++)
            value += secret(first + k);
        return value;
    case CHECK_MET_SUM:
        for (uint32_t k = 0; k < lanes; k++)
            value += steps(first + k);
        return value;
    case CHECK_SHARED:
        return secret((threads - 1 - thread + lanes + 1) % threads);
    default:
        bug("no promise %u", word);
    }
}

// Runs the kernel: CHECK_WORDS words per invocation, which the caller frees.
static bool observe(struct gpu *gpu, uint32_t *seen, uint32_t count)
{
    const uint64_t bytes = 4ull * count * CHECK_WORDS;
    struct arena *arena = arena_create(gpu, "the check of a device");
    struct cmd *c = cmd_create(gpu);
    arena_allocate(arena, bytes);
    bool ok = arena_back(arena);
    if (ok) {
        struct check_args args = { .seen = arena_allocate(arena, bytes), .salt = SALT };
        cmd_label(c, "check");
        cmd_fill(c, args.seen, bytes, UINT32_MAX);
        cmd_dispatch(
            c, &(struct dispatch){
                   .kernel = &check, .args = &args, .workers = (uint64_t)GROUPS * gpu_subgroups(gpu, &check) });
        ok = cmd_run(c) && gpu_download(gpu, seen, args.seen, bytes);
    }
    cmd_destroy(&c);
    arena_destroy(&arena);
    return ok;
}

static bool compare(struct gpu *gpu, const uint32_t *seen, uint32_t count, uint32_t threads)
{
    struct gpu_info *info = &gpu->info;
    for (uint32_t word = 0; word < CHECK_WORDS; word++) {
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t found = seen[i * CHECK_WORDS + word], wanted = expected(word, i, info->lanes, threads);
            if (found == wanted)
                continue;
            snprintf(info->why_not, sizeof info->why_not, "it breaks a promise: %s: %u instead of %u in invocation %u",
                promises[word], found, wanted, i);
            return fail(FAULT_DEVICE, "%s cannot be used: %s", info->name, info->why_not);
        }
    }
    return true;
}

bool gpu_check_promises(struct gpu *gpu)
{
    const uint32_t threads = gpu->info.lanes * gpu_subgroups(gpu, &check), count = GROUPS * threads;
    uint32_t *seen = xcalloc((size_t)count * CHECK_WORDS, sizeof *seen);
    bool ok = observe(gpu, seen, count);
    if (ok && gpu->broken)
        seen[gpu->broken - 1] ^= 1;
    ok = ok && compare(gpu, seen, count, threads);
    free(seen);
    return ok;
}

const char *gpu_promise(size_t index)
{
    return index < CHECK_WORDS ? promises[index] : NULL;
}
