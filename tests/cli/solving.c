#include "tests/cli/solving.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "util/file.h"

const char *const solving_problems[] = { "tsp", "cvrp", "sdvrp", "op", "pctsp", "spctsp", NULL };

char *solving_path(const char *folder, const char *name)
{
    static char paths[16][4096];
    static int next;
    char *path = paths[next++ % 16];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void expect_done(struct output *output)
{
    if (output->status != 0)
        munit_errorf("exit code %d: %s", output->status, output->err);
}

void *solving_make(const MunitParameter params[], void *data)
{
    char *folder = folder_make(params, data);
    for (const char *const *problem = solving_problems; *problem; problem++) {
        struct output output;
        char name[32];
        snprintf(name, sizeof name, "%s.safetensors", *problem);
        // Small, so that tests take little time.
        program_run(&output, "init", "--problem", *problem, "--decoders", "3", "--embedding", "32", "--heads", "4",
            "--hidden", "64", "--layers", "2", "-o", solving_path(folder, name), NULL);
        expect_done(&output);
        output_finish(&output);
    }
    setenv("MDAM_VK_MODELS", folder, 1);
    return folder;
}

void solving_remove(void *folder)
{
    unsetenv("MDAM_VK_MODELS");
    folder_remove(folder);
}

char *solving_generate(const char *folder, const char *name, const char *problem, const char *n, const char *count)
{
    struct output output;
    char *path = solving_path(folder, name);
    program_run(&output, "generate", "--problem", problem, "-n", n, "--count", count, "-o", path, NULL);
    expect_done(&output);
    output_finish(&output);
    return path;
}

char *solving_generate_all(const char *folder, const char *name, const char *n, const char *count)
{
    char *all = solving_path(folder, name), command[3 * 4096];
    munit_assert_true(file_write(all, "", 0));
    for (const char *const *problem = solving_problems; *problem; problem++) {
        char *part = solving_generate(folder, "part.jsonl", *problem, n, count);
        snprintf(command, sizeof command, "cat '%s' >>'%s'", part, all);
        munit_assert_int(system(command), ==, 0);
    }
    return all;
}

json_t *solving_parse(const char *text)
{
    json_t *lines = json_array();
    while (*text) {
        json_error_t error;
        json_t *line = json_loads(text, JSON_DISABLE_EOF_CHECK, &error);
        if (!line)
            munit_errorf("%s: %s", error.text, text);
        json_array_append_new(lines, line);
        text += error.position;
        text += strspn(text, "\n");
    }
    return lines;
}

json_t *solving_lines(const char *first, ...)
{
    struct output output;
    va_list args;
    va_start(args, first);
    program_run_list(&output, first, args);
    va_end(args);
    expect_done(&output);
    json_t *lines = solving_parse(output.out);
    output_finish(&output);
    return lines;
}

void solving_refused(const char *sentence, const char *first, ...)
{
    struct output output;
    va_list args;
    va_start(args, first);
    program_run_list(&output, first, args);
    va_end(args);
    // The choice of a device may be remarked on before.
    if (output.status != 2 || *output.out || !strstr(output.err, sentence))
        munit_errorf("exit code %d: %s", output.status, output.err);
    output_finish(&output);
}

double solving_number(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    if (!json_is_number(value))
        munit_errorf("%s is not a number", key);
    return json_number_value(value);
}

const char *solving_text(json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    if (!text)
        munit_errorf("%s is not a text", key);
    return text;
}
