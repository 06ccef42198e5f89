// mdam-vk selftest: checks and measures a device, for a report.
#include <stdio.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "cli/command.h"
#include "cli/common.h"
#include "cli/device.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "selftest/selftest.h"

static bool as_json, quick;

static const char *word_of(enum selftest_verdict verdict)
{
    return verdict == SELFTEST_PASS ? "ok" : verdict == SELFTEST_FAIL ? "FAIL" : "";
}

static bool print_json(const struct selftest_report *report)
{
    json_t *list = json_array();
    for (ptrdiff_t i = 0; i < arrlen(report->lines); i++) {
        const struct selftest_line *line = &report->lines[i];
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s}", "section", line->section, "name", line->name,
                                        "text", line->text, "verdict", word_of(line->verdict)));
    }
    return report_json(json_pack("{s:b, s:i, s:i, s:f, s:f, s:o}", "passed", report->passed == report->checks, "checks",
        (int)report->checks, "ok", (int)report->passed, "gflops", report->gflops, "decision_us", report->decision_us,
        "lines", list));
}

static void print_text(const struct selftest_report *report)
{
    const char *section = "";
    for (ptrdiff_t i = 0; i < arrlen(report->lines); i++) {
        const struct selftest_line *line = &report->lines[i];
        if (strcmp(section, line->section))
            printf("%s\n", line->section);
        section = line->section;
        const char *word = word_of(line->verdict);
        printf("  %-46s %s%s%s\n", line->name, line->text, *word ? "  " : "", word);
    }
    printf("selftest: %s %u/%u, %.1f GFLOP/s, %.0f us a decision\n", report->passed == report->checks ? "PASS" : "FAIL",
        report->passed, report->checks, report->gflops, report->decision_us);
}

static void show(void *user, const char *line)
{
    (void)user;
    progress_show("%s", line);
}

static bool run(const struct arguments *arguments, int *status)
{
    (void)arguments;
    enum mdam_target target;
    if (!device_target(&target))
        return false;
    const struct selftest_options options = {
        .device = common.device.device, .target = target, .quick = quick, .progress = show
    };
    struct selftest_report report;
    bool ok = selftest_run(&report, &options);
    progress_clear();
    if (ok && as_json)
        ok = print_json(&report);
    else if (ok)
        print_text(&report);
    *status = report.passed != report.checks;
    selftest_finish(&report);
    return ok;
}

static const struct flag flags[] = {
    { "--json", NULL, FLAG_SWITCH, &as_json, NULL, "write JSON" },
    { "--quick", NULL, FLAG_SWITCH, &quick, NULL, "a part of each section, to see that it works" },
    { NULL },
};

const struct command command_selftest = {
    .name = "selftest",
    .summary = "check and measure a device: its promises, kernels against double precision, speed; a text to send",
    .flags = { flags, common_flags },
    .run = run,
};
