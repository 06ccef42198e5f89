// The operands INSTANCE [SOLUTION] of commands that read solutions.
#ifndef CLI_PAIRS_H
#define CLI_PAIRS_H

#include "cli/command.h"

struct pairs {
    const char *path; // of the instances
    struct mdam_instances *instances;
    struct mdam_solutions *solutions; // NULL: only instances were given
};

// Reads the files and prints the instances' warnings. Finish the pairs in either case.
bool pairs_read(struct pairs *pairs, const struct arguments *arguments);
void pairs_finish(struct pairs *pairs);

#endif
