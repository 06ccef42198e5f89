#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>
#include <stb/stb_ds.h>

#include "cli/command.h"
#include "cli/common.h"
#include "cli/device.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/json_text.h"
#include "util/ranks.h"
#include "util/text.h"

static struct mdam_train_options how = { sizeof how };
static const char *output, *resume;

static const struct flag flags[] = {
    FLAGS_OF_OPTIONS(MDAM_OPTIONS_TRAIN, &how),
    { "-o", "--output", FLAG_TEXT, &output, "DIR", "folder of the training (default: P-N)" },
    { NULL },
};

// Flags that a resumed training accepts.
static const struct flag run_flags[] = {
    { "--resume", NULL, FLAG_TEXT, &resume, "DIR",
        "resume the training in this folder; accepts only these flags and --epochs" },
    FLAGS_OF_OPTIONS(MDAM_OPTIONS_TRAIN_RUN, &how),
    FLAG_MPI,
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
    uint32_t epoch = p->epoch + (p->step % (p->steps / p->epochs) > 0); // epoch of the last step
    text_add(&line, "%sepoch %u of %u", epoch ? "" : "before ", epoch ? epoch : 1, p->epochs);
    switch (p->event) {
    case MDAM_TRAIN_BEGINS:
        break;
    case MDAM_TRAIN_STEP:
        text_add(&line, ", step %llu of %llu: cost %.4f, baseline %.4f, KL %.4f", (unsigned long long)p->step,
            (unsigned long long)p->steps, p->cost, p->baseline, p->kl);
        if (p->per_second > 0)
            text_add(&line, ", %.*f instances/s", p->per_second < 10, p->per_second);
        if (ranks_count() > 1)
            text_add(&line, " by %u ranks, %.0f %% of the time in reduction", ranks_count(), 100 * p->reduction);
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
    if (!resume)
        return (how.problem && (how.n_min || how.data)) ||
               fail(FAULT_INPUT, "train: --problem P with -n N or --data FILE is required, or --resume DIR");
    for (struct flag_cursor c = flags_of((const struct flag *const[]){ flags, NULL }); flags_next(&c);) {
        if (flags_given(arguments, c.flag.name) && strcmp(c.flag.name, "--epochs"))
            return fail(FAULT_INPUT, "train: %s: cannot be changed in a resumed training", c.flag.name);
    }
    return true;
}

static char *folder_of_flags(void)
{
    if (resume || output)
        return xstrdup(resume ? resume : output);
    if (how.data)
        return xformat("%s-data", how.problem);
    return how.n_min < how.n_max ? xformat("%s-%u-%u", how.problem, how.n_min, how.n_max)
                                 : xformat("%s-%u", how.problem, how.n_min);
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

// Adds the command's name in front of a message about a flag.
static bool check_options(void)
{
    return mdam_train_check(&how) || (error_field() ? false : fail_within("train"));
}

static bool run(const struct arguments *arguments, int *status)
{
    struct mdam_device *device = NULL;
    how.keep_baseline = flags_given(arguments, "--baseline");
    how.progress = show;
    how.note = tell;
    if (!ranks_join() || !ranks_all(check_flags(arguments) && (resume || check_options()) && device_open(&device)))
        return false;
    struct mdam_train_progress last = { 0 };
    char *folder = folder_of_flags();
    interrupt_watch();
    bool ok = resume ? mdam_train_resume(device, folder, &how, &last) : mdam_train(device, folder, &how, &last);
    progress_clear();
    ok = (ok || (error_field() ? false : fail_within("train"))) &&
         (ranks_rank() > 0 || (print(folder, &last) && device_done(device)));
    if (ok && ranks_any(interrupt_seen()))
        *status = STATUS_INTERRUPTED;
    free(folder);
    mdam_device_close(&device);
    return ok;
}

const struct command command_train = {
    "train",
    "train a model, or resume a training",
    .flags = { flags, run_flags, common_flags },
    .run = run,
};
