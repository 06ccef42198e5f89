#include "env/env.h"

#include "cvrp.spv.h"
#include "cvrp_beam.spv.h"
#include "cvrp_decide.spv.h"
#include "cvrp_merge.spv.h"
#include "cvrp_turn.spv.h"
#include "draw.spv.h"
#include "gpu/gpu.h"
#include "op.spv.h"
#include "op_beam.spv.h"
#include "op_decide.spv.h"
#include "op_merge.spv.h"
#include "op_turn.spv.h"
#include "pctsp.spv.h"
#include "pctsp_beam.spv.h"
#include "pctsp_decide.spv.h"
#include "pctsp_merge.spv.h"
#include "pctsp_turn.spv.h"
#include "sdvrp.spv.h"
#include "sdvrp_beam.spv.h"
#include "sdvrp_decide.spv.h"
#include "sdvrp_merge.spv.h"
#include "sdvrp_turn.spv.h"
#include "shaders/args.h"
#include "tsp.spv.h"
#include "tsp_beam.spv.h"
#include "tsp_decide.spv.h"
#include "tsp_merge.spv.h"
#include "tsp_turn.spv.h"
#include "util/error.h"

static const struct kernel tsp = KERNEL_WITH(tsp, rules), tsp_merge = KERNEL_ALONE_WITH(tsp_merge, beam_merge),
                           cvrp = KERNEL_WITH(cvrp, rules), cvrp_merge = KERNEL_ALONE_WITH(cvrp_merge, beam_merge),
                           sdvrp = KERNEL_WITH(sdvrp, rules), sdvrp_merge = KERNEL_ALONE_WITH(sdvrp_merge, beam_merge),
                           op = KERNEL_WITH(op, rules), op_merge = KERNEL_ALONE_WITH(op_merge, beam_merge),
                           pctsp = KERNEL_WITH(pctsp, rules), pctsp_merge = KERNEL_ALONE_WITH(pctsp_merge, beam_merge),
                           draw = KERNEL(draw);
static const struct kernel tsp_decide = KERNEL_WITH(tsp_decide, decide), cvrp_decide = KERNEL_WITH(cvrp_decide, decide),
                           sdvrp_decide = KERNEL_WITH(sdvrp_decide, decide), op_decide = KERNEL_WITH(op_decide, decide),
                           pctsp_decide = KERNEL_WITH(pctsp_decide, decide);
static const struct kernel tsp_beam = KERNEL_WITH(tsp_beam, beam_step), cvrp_beam = KERNEL_WITH(cvrp_beam, beam_step),
                           sdvrp_beam = KERNEL_WITH(sdvrp_beam, beam_step), op_beam = KERNEL_WITH(op_beam, beam_step),
                           pctsp_beam = KERNEL_WITH(pctsp_beam, beam_step);
static const struct kernel tsp_turn = KERNEL_WITH(tsp_turn, turn), cvrp_turn = KERNEL_WITH(cvrp_turn, turn),
                           sdvrp_turn = KERNEL_WITH(sdvrp_turn, turn), op_turn = KERNEL_WITH(op_turn, turn),
                           pctsp_turn = KERNEL_WITH(pctsp_turn, turn);

static const struct env table[] = {
    { &problem_tsp, &tsp, &tsp_merge, &draw, &tsp_decide, &tsp_beam, &tsp_turn },
    { &problem_cvrp, &cvrp, &cvrp_merge, &draw, &cvrp_decide, &cvrp_beam, &cvrp_turn },
    { &problem_sdvrp, &sdvrp, &sdvrp_merge, &draw, &sdvrp_decide, &sdvrp_beam, &sdvrp_turn },
    { &problem_op, &op, &op_merge, &draw, &op_decide, &op_beam, &op_turn },
    { &problem_pctsp, &pctsp, &pctsp_merge, &draw, &pctsp_decide, &pctsp_beam, &pctsp_turn },
    { &problem_spctsp, &pctsp, &pctsp_merge, &draw, &pctsp_decide, &pctsp_beam,
        &pctsp_turn }, // the real prize is a separate column in both
};

static const struct env *registered[PROBLEMS_MAX];
static size_t registered_count;

const struct env *env_of(const struct problem *problem)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].problem == problem)
            return &table[i];
    }
    for (size_t i = 0; i < registered_count; i++) {
        if (registered[i]->problem == problem)
            return registered[i];
    }
    bug("%s has no rules on the device", problem->name);
}

void env_register(const struct env *env)
{
    uint32_t features = 0, limits = 0;
    FOR_COLUMNS(column, env->problem)
    {
        features += column->feature;
        limits += !column->per_node;
        if (column->word >= NODE_HOME || column->copy >= NODE_HOME)
            bug("%s: %s has no word of a node", env->problem->name, column->key);
    }
    if (features > FEATURES_OWN || limits > RULES_LIMITS)
        bug("%s has more than %d features or %d scalars", env->problem->name, FEATURES_OWN, RULES_LIMITS);
    problem_register(env->problem);
    registered[registered_count++] = env;
}
