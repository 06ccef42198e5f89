// Writes a checkpoint as the released PyTorch program does, with untrained weights: checkpoint PROBLEM FILE
#include <stdio.h>

#include "model/initial.h"
#include "tests/checkpoint/released.h"
#include "util/error.h"
#include "util/file.h"

int main(int argc, char **argv)
{
    const struct problem *problem = argc == 3 ? problem_by_name(argv[1]) : NULL;
    if (!problem)
        return 2;
    struct config config = { .problem = problem,
        .dialect = DIALECT_REFERENCE,
        .norm = MODEL_BATCH_LIVE,
        .D = CONFIG_D,
        .H = CONFIG_H,
        .F = CONFIG_F,
        .L = CONFIG_L,
        .M = CONFIG_M,
        .p = 2 };
    struct weights weights;
    weights_draw(&weights, &config, 1);
    struct torch_out *state = released_state(&weights, false, true);
    struct text text = released_file(state, true, NULL);
    bool ok = file_write(argv[2], text.data, text.size);
    if (!ok)
        fprintf(stderr, "%s\n", error_text());
    text_finish(&text);
    released_finish(&state);
    weights_finish(&weights);
    return !ok;
}
