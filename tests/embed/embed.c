// A program outside the project that uses the installed library: solves an instance that it builds itself, and prints
// what a caller would want to know.
//
//   embed MODEL
#include <mdam/mdam.h>

#include <stdio.h>

enum { N = 6 };

static bool show_progress(void *user, size_t done, size_t count)
{
    (void)count;
    *(size_t *)user = done;
    return true;
}

// Every customer once, no vehicle overloaded.
static bool is_sound(const struct mdam_solution *solution, const double *demand, double capacity)
{
    int visits[N] = { 0 };
    for (size_t r = 0; r < solution->route_count; r++) {
        double load = 0;
        for (size_t k = 0; k < solution->routes[r].count; k++) {
            visits[solution->routes[r].stops[k] - 1]++;
            load += demand[solution->routes[r].stops[k] - 1];
        }
        if (load > capacity)
            return false;
    }
    for (int i = 0; i < N; i++) {
        if (visits[i] != 1)
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    static const double x[N] = { 10, 20, 90, 80, 50, 30 }, y[N] = { 15, 70, 40, 95, 5, 60 },
                        demand[N] = { 3, 5, 2.5, 4, 1, 6 };
    struct mdam_device *device = NULL;
    struct mdam_model *model = NULL;
    struct mdam_instances *instances = NULL;
    struct mdam_solutions *solutions = NULL;
    size_t done = 0;
    struct mdam_instance_data data = { sizeof data, .problem = "cvrp", .n = N, .x = x, .y = y, .depot_x = 50,
        .depot_y = 50, .demand = demand, .capacity = 10 };
    struct mdam_solve_options options = { sizeof options, .augment = 8, .progress = show_progress, .user = &done };
    bool ok = argc == 2 && mdam_device_open(&device, NULL) && mdam_model_load(&model, device, argv[1], NULL) &&
              mdam_instances_add(&instances, &data) && mdam_solve(&solutions, instances, &model, 1, &options);
    if (ok) {
        const struct mdam_solution *solution = mdam_solution(solutions, 0);
        char *text = mdam_solution_text(solutions, 0, MDAM_FORMAT_JSON);
        fputs(text, stdout);
        mdam_text_free(&text);
        ok = done == 1 && solution->solved && solution->objective > 0 && is_sound(solution, demand, data.capacity);
    } else {
        fprintf(stderr, "%s\n", mdam_error());
    }
    struct mdam_model *none;
    if (mdam_model_load(&none, device, "no such file", NULL) || none || mdam_error_fault() != MDAM_FAULT_INPUT)
        ok = false;
    mdam_solutions_free(&solutions);
    mdam_instances_free(&instances);
    mdam_model_free(&model);
    mdam_device_close(&device);
    return !ok;
}
