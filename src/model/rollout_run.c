// A rollout's runs: loading instances, submitting the recordings until all trajectories are finished, reading results.
#include <stdlib.h>

#include <stb/stb_ds.h>

#include "gpu/gpu.h"
#include "model/rollout_internal.h"
#include "shaders/args.h"
#include "util/alloc.h"
#include "util/error.h"

uint32_t rollout_longest(const struct scaled *list, uint32_t count)
{
    uint32_t longest = 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t steps = scaled_longest(&list[i]);
        longest = steps > longest ? steps : longest;
    }
    return longest;
}

// The sets of all nodes, which the reference dialect's glimpses embed, for each glimpse of a stack.
static bool upload_everyone(struct rollout *r, const struct scaled *list, uint32_t count)
{
    const uint32_t T = r->rules.T, B = r->shape.B, S = r->shape.S, W = (r->shape.N + 31) / 32,
                   slots = r->shared.everyone.dim[0];
    uint32_t *words = xcalloc((size_t)slots * W, sizeof *words);
    for (uint32_t t = 0; t < slots; t++) {
        uint32_t b = t % T / S % B, nodes = list[b < count ? b : count - 1].N;
        for (uint32_t v = 0; v < nodes; v++)
            words[t * W + v / 32] |= 1u << (v % 32);
    }
    bool ok = tensor_upload(r->model->gpu, r->shared.everyone, words);
    free(words);
    return ok;
}

// Uploads the index of every trajectory's instance: numbers[b], or first + b if NULL; at most `count` instances.
static bool upload_numbers(struct rollout *r, const uint32_t *numbers, uint32_t first, uint32_t count)
{
    const uint32_t T = r->rules.T, B = r->shape.B, S = r->shape.S;
    uint32_t *number = xcalloc(T, sizeof *number);
    for (uint32_t t = 0; t < T; t++) {
        uint32_t b = t / S % B;
        b = b < count ? b : count - 1;
        number[t] = numbers ? numbers[b] : first + b;
    }
    bool ok = tensor_upload(r->model->gpu, r->number, number);
    free(number);
    return ok;
}

// Returns the decisions that some trajectory makes at least. Vehicles may end one earlier, after which decisions change
// nothing but saved activations.
static uint32_t shortest(const struct rollout *r, const struct scaled *list, uint32_t count)
{
    uint32_t min = 0;
    for (uint32_t b = 0; b < count && !(r->shape.save && r->shape.kind != BATCH_PLAIN); b++) {
        const uint32_t own = scaled_shortest(&list[b]);
        min = own > min ? own : min;
    }
    return min;
}

bool rollout_load(struct rollout *r, const struct scaled *list, const uint32_t *numbers, uint32_t count)
{
    struct gpu *gpu = r->model->gpu;
    r->J_min = shortest(r, list, count);
    if (!batch_upload(gpu, &r->batch, 0, list, count))
        return false;
    for (uint32_t b = count; b < r->shape.B; b++) {
        if (!batch_upload(gpu, &r->batch, b, &list[count - 1], 1))
            return false;
    }
    return upload_numbers(r, numbers, 0, count) && (!r->shared.everyone.address || upload_everyone(r, list, count));
}

bool rollout_draw(struct rollout *r, const struct draw *draw, uint32_t first)
{
    if (r->shared.everyone.address)
        bug("instances drawn for the reference dialect");
    struct cmd *c = cmd_create(r->model->gpu);
    cmd_label(c, "draw");
    draw_batch(c, &r->batch, draw);
    bool ok = draw_start(r->model->gpu, draw, first) && upload_numbers(r, NULL, first, r->shape.B) && cmd_submit(c);
    cmd_destroy(&c);
    r->J_min = r->batch.problem->has_depot && !r->batch.problem->many_routes ? 1 : r->shape.N;
    return ok;
}

// MODEL_BATCH: selects the tracked statistics of the next glimpse; later ones use the last.
static bool set_occasion(struct rollout *r, const struct glimpse *glimpse, uint32_t occasion)
{
    if (!glimpse->occasion.address || r->shape.save)
        return true;
    const uint32_t T = r->rules.T;
    uint32_t *index = xcalloc(T, sizeof *index);
    for (uint32_t t = 0; t < T; t++)
        index[t] = glimpse_occasion(glimpse, occasion);
    bool ok = tensor_upload(r->model->gpu, glimpse->occasion, index);
    free(index);
    return ok;
}

// A recording that was submitted.
struct sent {
    struct cmd *cmd; // NULL: none
    uint64_t ticket;
    uint32_t to; // the decision after its last one
};

struct course {
    const struct rollout_watch *watch;
    struct sent last, before; // the recordings submitted last
    bool finished, stopped;
};

// Finds out whether all trajectories were finished after SENT.
static bool ask(struct rollout *r, struct course *c, const struct sent *sent)
{
    uint32_t unfinished;
    if (!gpu_wait(r->model->gpu, sent->ticket) || !cmd_reported(sent->cmd, &unfinished))
        return false;
    c->finished = unfinished < sent->to + 1;
    return true;
}

// Finds out whether decision j is due: some trajectory is unfinished, and `watch` agrees. A wait for the last recording
// would leave the device without work, so GPUs wait for the one before: later decisions change nothing. With saved
// activations they might, through batch statistics.
static bool check(struct rollout *r, struct course *c, uint32_t j)
{
    struct gpu *gpu = r->model->gpu;
    const bool late = !r->shape.save && !gpu_info(gpu)->cpu_work;
    const struct sent *sent = late ? &c->before : &c->last;
    if (sent->cmd && sent->to >= r->J_min && !ask(r, c, sent))
        return false;
    if (c->finished || !c->watch->go_on)
        return true;
    if (!gpu_pace(gpu))
        return false;
    c->stopped = !c->watch->go_on(c->watch->user, j, r->shape.J);
    return true;
}

// Submits the recording of decisions from..to, if they are due.
static bool send(struct rollout *r, struct course *c, struct cmd *cmd, uint32_t from, uint32_t to)
{
    if (from && !check(r, c, from))
        return false;
    if (c->finished || c->stopped)
        return true;
    if (!cmd_submit(cmd))
        return false;
    c->before = c->last;
    c->last = (struct sent){ cmd, gpu_ticket(r->model->gpu), to };
    return true;
}

static bool send_segment(struct rollout *r, struct course *c, const struct segment *s, uint32_t j)
{
    const uint32_t end = segment_end(r, j);
    for (ptrdiff_t i = 0; i < arrlen(s->cmds) && j < r->shape.J && !c->finished && !c->stopped; i++) {
        const uint32_t to = i + 1 < arrlen(s->cmds) ? j + STEPS_AT_ONCE : end;
        if (!send(r, c, s->cmds[i], j, to))
            return false;
        j = to;
    }
    return true;
}

// Waits for the recordings and counts the segments that some trajectory needed.
static bool end_run(struct rollout *r, struct course *c)
{
    uint32_t unfinished;
    for (ptrdiff_t i = 0; i < arrlen(r->segments); i++) {
        const struct segment *s = &r->segments[i];
        for (ptrdiff_t k = 0; k < arrlen(s->cmds); k++) {
            if (!cmd_wait(s->cmds[k]))
                return false;
        }
    }
    if (!gpu_wait(r->model->gpu, c->last.ticket) || !cmd_reported(c->last.cmd, &unfinished))
        return false;
    r->used = 1;
    for (uint32_t j = segment_end(r, 0); j < r->shape.J && j < unfinished; j = segment_end(r, j))
        r->used++;
    return true;
}

bool rollout_run_watched(struct rollout *r, const struct rollout_watch *watch, bool *complete)
{
    struct course c = { .watch = watch };
    uint32_t k = 0;
    for (uint32_t j = 0; j < r->shape.J && !c.finished && !c.stopped; j = segment_end(r, j), k++) {
        const struct segment *s = &r->segments[r->shape.save || !k ? k : 1];
        if ((j && !set_occasion(r, &s->glimpse, k - 1)) || !send_segment(r, &c, s, j))
            return false;
    }
    *complete = !c.stopped;
    return end_run(r, &c);
}

bool rollout_run(struct rollout *r)
{
    bool complete;
    return rollout_run_watched(r, &(struct rollout_watch){ 0 }, &complete);
}

bool rollout_repeat(struct rollout *r)
{
    if (!r->segments[0].again)
        return rollout_run(r);
    struct course c = { .watch = &(struct rollout_watch){ 0 } };
    for (ptrdiff_t i = 0; i < arrlen(r->segments) && !c.finished; i++) {
        if (!send(r, &c, r->segments[i].again, r->segments[i].from, r->segments[i].to))
            return false;
    }
    return end_run(r, &c);
}

bool rollout_give(struct rollout *r, const uint32_t *actions)
{
    if (!r->given.address)
        bug("actions given to a rollout that chooses its own");
    return tensor_upload(r->model->gpu, r->given, actions);
}

bool rollout_results(struct rollout *r, float *cost, uint32_t *history, float *total)
{
    struct gpu_part parts[3];
    size_t count = 0;
    if (cost)
        parts[count++] = tensor_part(cost, r->rules.cost);
    if (history)
        parts[count++] = tensor_part(history, r->rules.history);
    if (total)
        parts[count++] = tensor_part(total, r->total);
    return gpu_download_parts(r->model->gpu, parts, count);
}

bool rollout_steps(struct rollout *r, uint32_t *steps)
{
    const uint32_t T = r->rules.T;
    uint32_t *state = xcalloc((size_t)T * RULES_STATE, sizeof *state);
    bool ok = tensor_download(r->model->gpu, state, r->rules.state);
    for (uint32_t t = 0; t < T; t++)
        steps[t] = state[t * RULES_STATE + RULES_STEPS];
    free(state);
    return ok;
}

struct tensor rollout_logp(const struct rollout *r, uint32_t j)
{
    for (uint32_t i = 0; i < r->used; i++) {
        const struct segment *s = &r->segments[i];
        if (j >= s->from && j < s->to)
            return decoder_logp(&s->decoder, j - s->from);
    }
    return (struct tensor){ 0 };
}
