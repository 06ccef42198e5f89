// Travelling salesman: the shortest closed tour over all nodes.
#include "problem/generate.h"
#include "problem/judge.h"
#include "shaders/args.h"

static void generate(struct instance *instance, const struct distribution *distribution, uint64_t seed, uint32_t index)
{
    generate_nodes(instance, &problem_tsp, distribution, seed, index);
}

static void judge(const struct instance *instance, const struct solution *solution, struct verdict *verdict)
{
    struct judge j;
    judge_begin(&j, instance, solution, verdict);
    judge_single_tour(&j);
    char label[LABEL_SIZE];
    for (uint32_t i = 0; i < instance->n; i++) {
        if (!j.visits[i])
            judge_violation(&j, "node %s is not visited", instance_label(instance, i, label));
    }
    judge_end(&j);
}

const struct problem problem_tsp = {
    .name = "tsp",
    .released = "tsp",
    .objective = QUANTITY_LENGTH,
    .generate = generate,
    .judge = judge,
};
