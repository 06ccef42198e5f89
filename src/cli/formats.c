// Describes the file formats for `help formats` and the manual.
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
    { HELP_TEXT, "JSON, one object per instance. Positions are x and y on a plane, in any unit.\n"
                 "The name - is standard input." },
    { HELP_CODE, "{ \"problem\": \"cvrp\", \"name\": \"north\", \"depot\": [0.5, 0.5],\n"
                 "  \"nodes\": [[0.1, 0.2], [0.9, 0.4]], \"demand\": [3, 5],\n"
                 "  \"capacity\": 30 }" },
    { HELP_TEXT, "Required keys of each problem in addition to \"problem\", optional ones in\n"
                 "brackets:" },
    { HELP_CODE, problem_table },
    { HELP_TEXT, "demand, prize, penalty and real_prize have one number per node. Demands may be\n"
                 "decimals (long ones are rounded to 1e-9 of the capacity); one above the\n"
                 "capacity is an error for cvrp, and is split for sdvrp. max_length bounds the\n"
                 "tour of op; the tour of pctsp must collect min_prize. The prize of spctsp is\n"
                 "expected; a visit collects real_prize." },
    { HELP_TEXT, "\"name\", \"ids\" (a string or an integer per node, all different) and \"depot_id\"\n"
                 "are optional for every problem; solutions use the ids. Nodes may also be\n"
                 "objects with their own values. Unknown keys are refused." },
    { HELP_CODE, "{ \"problem\": \"op\", \"depot\": { \"x\": 0, \"y\": 0 }, \"depot_id\": \"home\",\n"
                 "  \"nodes\": [{ \"id\": \"a\", \"x\": 3, \"y\": 4, \"prize\": 2.5 },\n"
                 "            { \"id\": \"b\", \"x\": 6, \"y\": 8, \"prize\": 1 }],\n"
                 "  \"max_length\": 12 }" },
    { HELP_TEXT, "Every problem may have \"coordinates\": \"lonlat\", then nodes are [longitude,\n"
                 "latitude] in degrees, or objects with lon and lat, and lengths are kilometres\n"
                 "along great circles. \"distances\": [[..]] has the length of every leg: a row for\n"
                 "each node, from it to all nodes, the depot first; both directions may differ.\n"
                 "It counts in place of the coordinates, which may then be left out. A matrix is\n"
                 "read for up to 2,000 nodes. \"open\": true ends routes at their last stop." },
    { HELP_CODE, "{ \"problem\": \"cvrp\", \"distances\": [[0, 3, 4], [6, 0, 2], [4, 2, 0]],\n"
                 "  \"demand\": [3, 5], \"capacity\": 8, \"vehicles\": 1, \"open\": true }" },
    { HELP_TEXT, "\"vehicles\" bounds the number of routes of cvrp and sdvrp; where no such plan is\n"
                 "found, a message says so. \"start\" and \"end\" are nodes of tsp, by id or number:\n"
                 "from one to another it is a path that does not return. Time windows, skills,\n"
                 "several depots and the like are refused by name." },
    { HELP_TEXT, "A file may have several instances: { \"instances\": [..] }, or JSON Lines with an\n"
                 "object on every line. Their problems and sizes may differ." },
    { HELP_TEXT, "Other formats: TSPLIB (.tsp: EUC_2D, CEIL_2D, ATT, GEO; .atsp), CVRPLIB (.vrp:\n"
                 "EUC_2D) and OPLib (.oplib: EUC_2D, CEIL_2D), each also with an EXPLICIT matrix,\n"
                 "which is used as it is. Otherwise the solver and all limits use unrounded\n"
                 "distances; objective_rounded is the result in the format's metric. The ending\n"
                 "of a file's name selects the format; otherwise its contents do." },
    { HELP_TEXT, "A table (.csv) has a header and a row for each node, the depot first. Its\n"
                 "columns are id, x and y or lon and lat, those of the problem, and in the first\n"
                 "row its scalars; the depot has no demand or prize. Without --problem or -m the\n"
                 "columns decide: demand is cvrp, penalty pctsp, prize op, none of them tsp. It is\n"
                 "UTF-8 text; fields are separated by commas, semicolons or tabs, and numbers\n"
                 "have a decimal point. Lines with # above the header are comments." },
    { HELP_CODE, "id,lon,lat,demand,capacity,vehicles\n"
                 "depot,4.945,45.696,,30,3\n"
                 "Bron,4.912,45.738,5" },
    { HELP_TEXT, "--capacity, --vehicles, --max-length and --min-prize stand in for columns that\n"
                 "a table does not have, and --open makes its routes end at their last stop:" },
    { HELP_CODE, "mdam-vk solve orders.csv --capacity 40 --vehicles 5 -o routes.geojson" },
    { HELP_TEXT, "Arrays of NumPy (.npz, also compressed) hold instances of one problem and size,\n"
                 "under the names of RL4CO: locs (count, n, 2), depot (count, 2), demand (count,\n"
                 "n), capacity (count), prize, penalty, max_length, min_prize; pctsp and spctsp\n"
                 "have deterministic_prize and stochastic_prize. A scalar or a row may stand for\n"
                 "all instances. \"problem\" is a text; without it the arrays and the model (-m)\n"
                 "decide. The attention model's pickled data sets (.pkl) are lists: of tsp [[x,\n"
                 "y], ..], of others (depot, nodes, demand, capacity), (depot, nodes, prize,\n"
                 "max_length) or (depot, nodes, penalty, prize, real_prize). Nothing in a pickle\n"
                 "is executed. generate writes both, by the ending of its file." },
    { HELP_TITLE, "Solutions" },
    { HELP_TEXT, "One line of JSON per instance, in the order of the instances:" },
    { HELP_CODE, "{ \"problem\": \"cvrp\", \"name\": \"north\", \"objective\": 1.737,\n"
                 "  \"routes\": [[1, 2]], \"feasible\": true, \"warnings\": [] }" },
    { HELP_TEXT, "Customers count from 1 in the order of the instance, unless they have ids; the\n"
                 "depot is omitted. A tsp has one route, a closed tour. \"objective\" is the\n"
                 "length; for op the prize; for pctsp and spctsp the length plus the penalties of\n"
                 "\"unvisited\" nodes. For sdvrp, \"deliveries\" has the amounts at the stops of\n"
                 "\"routes\". With several instances, \"instance\" is the number, from 1. Other keys\n"
                 "report how it was found." },
    { HELP_TEXT, "--format sol writes CVRPLIB's routes, tour TSPLIB's tour, and text a\n"
                 "description for reading. validate and plot read JSON, .sol and .tour; in JSON\n"
                 "only \"routes\" is required." },
    { HELP_TEXT, "For maps, --format geojson writes a line per route and a point per node, gpx a\n"
                 "route per route; instances need \"coordinates\": \"lonlat\" or lon and lat.\n"
                 "\"reasons\" says of each \"unvisited\" node whether the limit, its prize or the\n"
                 "detour was against it." },
    { HELP_TITLE, "Models" },
    { HELP_TEXT, "A model is a .safetensors file with the weights; its metadata says what it was\n"
                 "trained on. The folder of a training has model.safetensors, the best model so\n"
                 "far, checkpoint/ and clock.json for --resume, log.jsonl and curve.svg; with\n"
                 "--tensorboard the log is also a file of events, whose clock is the seconds of\n"
                 "the training." },
    { HELP_TEXT, NULL },
};

const struct help_block help_examples[] = {
    { HELP_TEXT, "Solve and plot:" },
    { HELP_CODE, "mdam-vk solve orders.json -o routes.json --plot routes.svg" },
    { HELP_TEXT, "Better solutions: eight views of each instance, or 30 seconds for all\n"
                 "instances:" },
    { HELP_CODE, "mdam-vk solve orders.json --augment 8 --format text\n"
                 "mdam-vk solve orders.json berlin52.tsp --time-limit 30" },
    { HELP_TEXT, "Generate random instances, solve them, and check the solutions independently:" },
    { HELP_CODE, "mdam-vk generate --problem cvrp -n 50 --count 100 -o test.jsonl\n"
                 "mdam-vk solve test.jsonl -o answers.jsonl\n"
                 "mdam-vk validate test.jsonl answers.jsonl" },
    { HELP_TEXT, "Train for an hour, continue for another one, and measure the model:" },
    { HELP_CODE, "mdam-vk train --problem cvrp -n 20..50 -o cvrp --time-limit 3600\n"
                 "mdam-vk train --resume cvrp --time-limit 3600\n"
                 "mdam-vk eval -m cvrp/model.safetensors --data test.jsonl" },
    { HELP_TEXT, NULL },
};
