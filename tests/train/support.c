#include "tests/train/support.h"

struct train_settings small_settings(const char *problem)
{
    const struct distribution drawn = { .n_min = 5, .n_max = 9, .prize = PRIZE_DIST };
    return (struct train_settings){ .config = { .problem = problem_by_name(problem),
                                        .D = 16,
                                        .H = 2,
                                        .F = 16,
                                        .L = 2,
                                        .M = 3,
                                        .p = 2,
                                        .trained = drawn },
        .drawn = drawn,
        .epochs = 4,
        .steps = 10,
        .B = 12,
        .S = 2,
        .lr = 1e-3,
        .lr_decay = 1,
        .kl = 0.01,
        .val_size = 20,
        .seed = 0xfedcba9876543210,
        .log_every = 1,
        .parts = 1 };
}
