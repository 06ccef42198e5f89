// A small labelled job for tests/capture.py: run under `renderdoccmd capture`, it captures the label it is given.
#include <stdio.h>

#include "tests/gpu/chain.h"
#include "util/error.h"

static bool run(const char *label)
{
    struct gpu *gpu;
    if (!gpu_open(&gpu, &(struct gpu_options){ .capture = label, .heap_bytes = 4 << 20 }))
        return false;
    printf("%s, target %s\n", gpu_info(gpu)->name, gpu_target_name(gpu_info(gpu)->target));
    struct chain chain;
    chain_make(&chain, gpu);
    uint32_t number[CHAIN_COUNT];
    bool ok = chain_fill(&chain, number) && cmd_run(chain.cmd);
    if (ok)
        chain_expect(&chain, number);
    ok = ok && gpu_captured(gpu);
    chain_finish(&chain);
    return ok;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    if (run(argv[1]))
        return 0;
    fprintf(stderr, "captured: %s\n", error_text());
    return error_fault();
}
