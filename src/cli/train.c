#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>
#include <stb/stb_ds.h>

#include "api/internal.h"
#include "cli/command.h"
#include "cli/common.h"
#include "cli/device.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "format/json.h"
#include "model/config.h"
#include "problem/generate.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/text.h"

static struct {
    const char *problem, *init, *output, *resume;
    struct flag_range n, capacity;
    uint32_t epochs, epoch_size, batch, rollouts, decoders, D, H, F, L, period, eg_from, val_size, log_every, memory;
    double lr, lr_decay, lr_final, kl, time_limit, checkpoint;
    int baseline, norm, prize;
    uint64_t seed;
} options = { .epochs = 100,
    .batch = 512,
    .rollouts = 1,
    .decoders = CONFIG_M,
    .D = CONFIG_D,
    .H = CONFIG_H,
    .F = CONFIG_F,
    .L = CONFIG_L,
    .val_size = 10000,
    .lr = 1e-4,
    .lr_decay = 1,
    .kl = 0.01,
    .checkpoint = 5,
    .prize = PRIZE_DIST,
    .seed = 1234 };

static const struct flag flags[] = {
    { "--problem", NULL, FLAG_TEXT, &options.problem, "P", "tsp, cvrp, sdvrp, op, pctsp or spctsp" },
    { "-n", NULL, FLAG_RANGE, &options.n, "N|A..B", "customers (TSP: nodes), or a range of sizes", 1, GENERATE_N_MAX },
    { "-o", "--output", FLAG_TEXT, &options.output, "DIR", "folder of the training; without it P-N" },
    { "--epochs", NULL, FLAG_COUNT, &options.epochs, "E", "epochs, after each of which the model is validated", 1 },
    { "--epoch-size", NULL, FLAG_COUNT, &options.epoch_size, "INSTANCES", "instances in one; without it 2500 batches",
        1 },
    { "--batch", NULL, FLAG_COUNT, &options.batch, "B", "instances in a step", 1 },
    { "--rollouts", NULL, FLAG_COUNT, &options.rollouts, "S", "samples of each instance by every decoder", 1 },
    { "--baseline", NULL, FLAG_CHOICE, &options.baseline, "rollout|shared",
        "costs are compared with a frozen model's greedy ones, or with those of the other samples" },
    { "--lr", NULL, FLAG_REAL, &options.lr, "X", "learning rate", 1e-12 },
    { "--lr-decay", NULL, FLAG_REAL, &options.lr_decay, "X", "its factor from epoch to epoch", 1e-6 },
    { "--lr-final", NULL, FLAG_REAL, &options.lr_final, "X", "let it end at X, along a cosine over all epochs" },
    { "--decoders", NULL, FLAG_COUNT, &options.decoders, "M", "decoders", 1 },
    { "--eg-period", NULL, FLAG_OR_OFF, &options.period, "p|off",
        "decisions between glimpses; without it 2, 4 (with loads 6), 8 for up to 20, 50 and more nodes", 1,
        CONFIG_P_MAX },
    { "--eg-from", NULL, FLAG_COUNT, &options.eg_from, "EPOCH", "the first epoch with glimpses, from 0" },
    { "--kl", NULL, FLAG_REAL, &options.kl, "X", "weight of the decoders' divergence at the first decision" },
    { "--norm", NULL, FLAG_CHOICE, &options.norm, "instance|batch|layer", "normalisation" },
    { "--capacity", NULL, FLAG_RANGE, &options.capacity, "Q|A..B",
        "vehicle capacity; without it 20, 30, 40, 50 for n = 10, 20, 50, 100 and in between", 1, 1e9 },
    { "--prize", NULL, FLAG_CHOICE, &options.prize, "const|unif|dist", "orienteering: how prizes are drawn" },
    { "--val-size", NULL, FLAG_COUNT, &options.val_size, "V", "instances that the model is validated on", 1 },
    { "--init", NULL, FLAG_TEXT, &options.init, "MODEL",
        "start from its weights; sizes that are not given are its own" },
    { "--embedding", NULL, FLAG_COUNT, &options.D, "D", "size of a node's embedding", 1 },
    { "--heads", NULL, FLAG_COUNT, &options.H, "H", "heads of attention", 1 },
    { "--hidden", NULL, FLAG_COUNT, &options.F, "F", "hidden units of a layer", 1 },
    { "--layers", NULL, FLAG_COUNT, &options.L, "L", "layers of the encoder", 1 },
    { "--log-every", NULL, FLAG_COUNT, &options.log_every, "STEPS",
        "steps in a line of the log; without it a fiftieth of an epoch", 1 },
    { "--seed", NULL, FLAG_SEED, &options.seed, "N", "another seed gives another model" },
    { NULL },
};

// What a run that goes on may be told anew.
static const struct flag run_flags[] = {
    { "--resume", NULL, FLAG_TEXT, &options.resume, "DIR",
        "go on with the training in this folder; only these flags and --epochs go with it" },
    { "--time-limit", NULL, FLAG_REAL, &options.time_limit, "SECONDS", "end in time, with a checkpoint", 1e-3 },
    { "--checkpoint-minutes", NULL, FLAG_REAL, &options.checkpoint, "X",
        "between checkpoints; 0: only at the ends of epochs" },
    { "--memory", NULL, FLAG_COUNT, &options.memory, "MIB",
        "device memory for a batch, which is split to fit; without it what there is", 1 },
    { NULL },
};

static void add_time(struct text *text, double seconds)
{
    long minutes = lround(seconds / 60);
    if (minutes >= 48 * 60)
        text_add(text, "%ld days", minutes / 60 / 24);
    else if (minutes >= 60)
        text_add(text, "%ld h %02ld min", minutes / 60, minutes % 60);
    else if (seconds >= 90)
        text_add(text, "%ld min", minutes);
    else
        text_add(text, "%.0f s", seconds);
}

static bool show(void *user, const struct mdam_train_progress *p)
{
    (void)user;
    struct text line = { 0 };
    uint32_t epoch = p->epoch + (p->step % (p->steps / p->epochs) > 0); // that the last step was in
    text_add(&line, "%sepoch %u of %u", epoch ? "" : "before ", epoch ? epoch : 1, p->epochs);
    switch (p->event) {
    case MDAM_TRAIN_BEGINS:
        break;
    case MDAM_TRAIN_STEP:
        text_add(&line, ", step %llu of %llu: cost %.4f, baseline %.4f, KL %.4f", (unsigned long long)p->step,
            (unsigned long long)p->steps, p->cost, p->baseline, p->kl);
        if (p->per_second > 0)
            text_add(&line, ", %.*f instances/s", p->per_second < 10, p->per_second);
        if (p->skipped)
            text_add(&line, ", %u steps skipped", p->skipped);
        if (isfinite(p->seconds_left)) {
            text_add(&line, ", ");
            add_time(&line, p->seconds_left);
            text_add(&line, " left");
        }
        break;
    case MDAM_TRAIN_EVALUATES:
        text_add(&line, ": evaluated %u of %u", p->done, p->count);
        break;
    case MDAM_TRAIN_VALIDATED:
        text_add(&line, ", %llu instances: validation cost %.4f, best %.4f", (unsigned long long)p->instances,
            p->validation, p->best);
        break;
    }
    if (p->event == MDAM_TRAIN_VALIDATED)
        progress_note("%s", line.data);
    else if (p->event != MDAM_TRAIN_BEGINS && progress_due())
        progress_show("%s", line.data);
    text_finish(&line);
    return !interrupt_seen();
}

static void tell(void *user, const char *sentence)
{
    (void)user;
    progress_clear();
    warn("train", sentence);
}

// A resumed training has its own settings.
static bool check_flags(const struct arguments *arguments)
{
    if (!options.resume) {
        if (!options.problem || !options.n.max)
            return fail(FAULT_INPUT, "train: --problem P and -n N are needed, or --resume DIR");
        const struct problem *problem = problem_of_flag(options.problem);
        if (problem && flags_given(arguments, "--prize") && !(problem->columns & HAS_MAX_LENGTH))
            return fail(FAULT_INPUT, "train: --prize: %s has no choice of prizes", problem->name);
        if (flags_given(arguments, "--eg-from") && flags_given(arguments, "--eg-period") && !options.period)
            return fail(FAULT_INPUT, "train: --eg-from: with --eg-period off there are no glimpses");
        return problem || fail_within("train");
    }
    for (const struct flag *flag = flags; flag->name; flag++) {
        if (flags_given(arguments, flag->name) && strcmp(flag->name, "--epochs"))
            return fail(FAULT_INPUT, "train: %s: a training that is resumed keeps its settings", flag->name);
    }
    return true;
}

// The value of a flag where it was given, or where nothing can be inherited.
static uint32_t own(const struct arguments *arguments, const char *flag, uint32_t value)
{
    return !options.init || flags_given(arguments, flag) ? value : 0;
}

static struct mdam_train_options options_of(const struct arguments *a)
{
    static const char *const norms[] = { "instance", "batch", "layer" };
    bool norm = !options.init || flags_given(a, "--norm"), period = flags_given(a, "--eg-period");
    return (struct mdam_train_options){
        .size = sizeof(struct mdam_train_options),
        .problem = options.problem,
        .n_min = options.n.min,
        .n_max = options.n.max,
        .capacity_min = options.capacity.min,
        .capacity_max = options.capacity.max,
        .prize = prize_kind_name((enum prize_kind)options.prize),
        .init = options.init,
        .decoders = own(a, "--decoders", options.decoders),
        .embedding = own(a, "--embedding", options.D),
        .heads = own(a, "--heads", options.H),
        .hidden = own(a, "--hidden", options.F),
        .layers = own(a, "--layers", options.L),
        .norm = norm ? norms[options.norm] : NULL,
        .glimpse = !period          ? 0
                   : options.period ? (int32_t)options.period
                                    : -1,
        .glimpse_from = options.eg_from,
        .epochs = !options.resume || flags_given(a, "--epochs") ? options.epochs : 0,
        .epoch_size = options.epoch_size,
        .batch = options.batch,
        .rollouts = options.rollouts,
        .baseline = (enum mdam_baseline)options.baseline,
        .lr = options.lr,
        .lr_decay = options.lr_decay,
        .lr_final = options.lr_final,
        .kl = options.kl > 0 ? options.kl : -1,
        .val_size = options.val_size,
        .log_every = options.log_every,
        .seed = options.seed,
        .time_limit = options.time_limit,
        .checkpoint_seconds = options.checkpoint > 0 ? 60 * options.checkpoint : -1,
        .memory = (uint64_t)options.memory << 20,
        .progress = show,
        .note = tell,
    };
}

static char *folder_of_flags(void)
{
    if (options.resume || options.output)
        return xstrdup(options.resume ? options.resume : options.output);
    return options.n.min < options.n.max ? xformat("%s-%u-%u", options.problem, options.n.min, options.n.max)
                                         : xformat("%s-%u", options.problem, options.n.min);
}

static bool print(const char *folder, const struct mdam_train_progress *last)
{
    char *path = xformat("%s/model.safetensors", folder);
    json_t *model = access(path, F_OK) ? json_null() : json_any_text(path);
    free(path);
    json_t *root = json_pack("{s:o, s:o, s:i, s:I, s:I, s:i, s:f, s:b}", "folder", json_any_text(folder), "model",
        model, "epoch", (int)last->epoch, "step", (json_int_t)last->step, "instances", (json_int_t)last->instances,
        "skipped", (int)last->skipped, "seconds", last->seconds, "complete", last->step >= last->steps);
    if (last->has_validation)
        json_object_set_new(root, "val_cost", json_real(last->best));
    return report_json(root);
}

static bool run(const struct arguments *arguments, int *status)
{
    struct mdam_device *device = NULL;
    if (!check_flags(arguments))
        return false;
    struct mdam_train_options how = options_of(arguments);
    if (!options.resume && !mdam_train_check(&how))
        return fail_within("train");
    if (!device_open(&device))
        return false;
    struct mdam_train_progress last = { 0 };
    char *folder = folder_of_flags();
    interrupt_watch();
    bool ok = options.resume ? mdam_train_resume(device, folder, &how, &last) : mdam_train(device, folder, &how, &last);
    progress_clear();
    ok = (ok || fail_within("train")) && print(folder, &last) && device_done(device);
    if (interrupt_seen())
        *status = STATUS_INTERRUPTED;
    free(folder);
    mdam_device_close(&device);
    return ok;
}

const struct command command_train = {
    "train",
    "train a model, or go on training it",
    .flags = { flags, run_flags, common_flags },
    .run = run,
};
