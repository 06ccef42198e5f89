// What the files look like, for `help formats` and the manual.
#include <stdio.h>

#include "cli/help.h"
#include "mdam/mdam.h"
#include "util/text.h"

static char problem_table[2048];

void help_prepare(void)
{
    struct text text = { 0 };
    for (size_t i = 0; mdam_problem_name(i); i++) {
        char *keys = mdam_problem_keys(i);
        text_add(&text, "%s%-8s%s", i ? "\n" : "", mdam_problem_name(i), keys);
        mdam_text_free(&keys);
    }
    snprintf(problem_table, sizeof problem_table, "%s", text.data);
    text_finish(&text);
}

const struct help_block help_files[] = {
    { HELP_TITLE, "Instances" },
    { HELP_TEXT, "JSON, one object for each instance. Places are x and y on a plane, in any unit.\n"
                 "Standard input is called -." },
    { HELP_CODE, "{ \"problem\": \"cvrp\", \"name\": \"north\", \"depot\": [0.5, 0.5],\n"
                 "  \"nodes\": [[0.1, 0.2], [0.9, 0.4]], \"demand\": [3, 5],\n"
                 "  \"capacity\": 30 }" },
    { HELP_TEXT, "What a problem needs besides \"problem\", and in brackets what it may have:" },
    { HELP_CODE, problem_table },
    { HELP_TEXT, "demand, prize, penalty and real_prize have a number for each node. Demands may\n"
                 "be decimals (long ones are rounded to 1e-9 of the capacity); one above the\n"
                 "capacity is an error for cvrp, and is split for sdvrp. max_length bounds the\n"
                 "tour of op, and that of pctsp must collect min_prize. The prize of spctsp is the\n"
                 "expected one, and real_prize what a visit reveals." },
    { HELP_TEXT, "\"name\", \"ids\" (a string or an integer for each node, all different) and\n"
                 "\"depot_id\" may be given with every problem; solutions use the ids. Nodes may\n"
                 "also be objects that hold their own values. Keys that are not known are\n"
                 "refused." },
    { HELP_CODE, "{ \"problem\": \"op\", \"depot\": { \"x\": 0, \"y\": 0 }, \"depot_id\": \"home\",\n"
                 "  \"nodes\": [{ \"id\": \"a\", \"x\": 3, \"y\": 4, \"prize\": 2.5 },\n"
                 "            { \"id\": \"b\", \"x\": 6, \"y\": 8, \"prize\": 1 }],\n"
                 "  \"max_length\": 12 }" },
    { HELP_TEXT, "Several instances are { \"instances\": [..] }, or JSON Lines with an object on\n"
                 "every line. Their problems and sizes may differ." },
    { HELP_TEXT, "Also read are TSPLIB (.tsp: EUC_2D, CEIL_2D, ATT, GEO), CVRPLIB (.vrp: EUC_2D)\n"
                 "and OPLib (.oplib: EUC_2D, CEIL_2D). Planning and limits use unrounded\n"
                 "distances; objective_rounded is the result by the format's own rules. A file's\n"
                 "name tells its format; one without such an ending is told by its text." },
    { HELP_TEXT, "Arrays of NumPy (.npz, also compressed) hold instances of one problem and size,\n"
                 "under the names of RL4CO: locs (count, n, 2), depot (count, 2), demand (count, n),\n"
                 "capacity (count), prize, penalty, max_length, min_prize; pctsp and spctsp have\n"
                 "deterministic_prize and stochastic_prize. A scalar or a row may stand for all\n"
                 "instances. \"problem\" is a text; without it the arrays and the model (-m) decide.\n"
                 "The attention model's pickled data sets (.pkl) are lists: of tsp [[x, y], ..], of\n"
                 "others (depot, nodes, demand, capacity), (depot, nodes, prize, max_length) or\n"
                 "(depot, nodes, penalty, prize, real_prize). Nothing in a pickle is executed.\n"
                 "generate writes both, by the ending of its file." },
    { HELP_TITLE, "Solutions" },
    { HELP_TEXT, "One line of JSON for each instance, in the instances' order:" },
    { HELP_CODE, "{ \"problem\": \"cvrp\", \"name\": \"north\", \"objective\": 1.737,\n"
                 "  \"routes\": [[1, 2]], \"feasible\": true, \"warnings\": [] }" },
    { HELP_TEXT, "Customers count from 1 in the instance's order, unless they have ids; the depot\n"
                 "is left out. A tsp has one route, a closed tour. \"objective\" is the length; for\n"
                 "op the prize; for pctsp and spctsp the length and the penalties of \"unvisited\"\n"
                 "nodes. For sdvrp, \"deliveries\" has the amounts at the stops of \"routes\". Of\n"
                 "several instances, \"instance\" is the number, from 1. Other keys tell how it was\n"
                 "found." },
    { HELP_TEXT, "--format sol writes CVRPLIB's routes, tour TSPLIB's tour, and text what people\n"
                 "read. validate and plot read JSON, .sol and .tour; of JSON they need \"routes\"." },
    { HELP_TITLE, "Models" },
    { HELP_TEXT, "A model is a .safetensors file with the weights, and what it was trained on as\n"
                 "metadata. The folder of a training holds model.safetensors, the best so far,\n"
                 "checkpoint/ to go on from, log.jsonl and curve.svg; with --tensorboard the log is\n"
                 "also a file of events, whose clock is the seconds of the training." },
    { HELP_TEXT, NULL },
};

const struct help_block help_examples[] = {
    { HELP_TEXT, "Solve, with a picture:" },
    { HELP_CODE, "mdam-vk solve orders.json -o routes.json --plot routes.svg" },
    { HELP_TEXT, "Better answers: eight views of each instance, or half a minute for all of them:" },
    { HELP_CODE, "mdam-vk solve orders.json --augment 8 --format text\n"
                 "mdam-vk solve orders.json berlin52.tsp --time-limit 30" },
    { HELP_TEXT, "Random instances, their solutions, and what an independent judge says of these:" },
    { HELP_CODE, "mdam-vk generate --problem cvrp -n 50 --count 100 -o test.jsonl\n"
                 "mdam-vk solve test.jsonl -o answers.jsonl\n"
                 "mdam-vk validate test.jsonl answers.jsonl" },
    { HELP_TEXT, "An hour of training, another one, and how good the model is:" },
    { HELP_CODE, "mdam-vk train --problem cvrp -n 20..50 -o cvrp --time-limit 3600\n"
                 "mdam-vk train --resume cvrp --time-limit 3600\n"
                 "mdam-vk eval -m cvrp/model.safetensors --data test.jsonl" },
    { HELP_TEXT, NULL },
};
