// A row of tensors and the commands that copy each into the next: enough to see order, labels, cuts and faults.
#ifndef TESTS_GPU_CHAIN_H
#define TESTS_GPU_CHAIN_H

#include "device.h"
#include "nn/nn.h"

enum { CHAIN_LINKS = 40, CHAIN_LABELS = 10, CHAIN_COUNT = 5000 };

struct chain {
    struct gpu *gpu;
    struct arena *arena;
    struct cmd *cmd;
    struct tensor at[CHAIN_LINKS + 1];
};

// Memory and commands: under labels "link/0" .. "link/9", each of four copies.
void chain_make(struct chain *chain, struct gpu *gpu);
void chain_finish(struct chain *chain); // and closes the device
// New random numbers at the start; false with a sentence where the device fails.
bool chain_fill(const struct chain *chain, uint32_t number[CHAIN_COUNT]);
// The end of the chain holds these numbers.
void chain_expect(const struct chain *chain, const uint32_t number[CHAIN_COUNT]);

#endif
