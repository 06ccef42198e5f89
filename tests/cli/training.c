#include "tests/cli/training.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/error.h"
#include "util/file.h"

void *training_folder(const MunitParameter params[], void *data)
{
    char *folder = folder_make(params, data);
    munit_assert_int(chdir(folder), ==, 0);
    return folder;
}

bool training_has(const char *folder, const char *name)
{
    char *path = xformat("%s/%s", folder, name);
    bool there = !access(path, F_OK);
    free(path);
    return there;
}

static void read_file(const char *folder, const char *name, char **data, size_t *size)
{
    char *path = xformat("%s/%s", folder, name);
    if (!file_read(path, 1 << 24, data, size))
        munit_errorf("%s", error_text());
    free(path);
}

char *training_bytes(const char *folder, const char *name, size_t *size)
{
    char *data;
    read_file(folder, name, &data, size);
    return data;
}

char *training_log(const char *folder)
{
    size_t size;
    char *data, *at;
    read_file(folder, "log.jsonl", &data, &size);
    while ((at = strstr(data, "\"seconds\""))) {
        char *end = strchr(at, ',');
        memmove(at, end + 1, strlen(end));
    }
    return data;
}

void expect_equal_models(const char *folder, const char *unbroken)
{
    size_t size[2];
    char *models[2] = { training_bytes(unbroken, "model.safetensors", &size[0]),
        training_bytes(folder, "model.safetensors", &size[1]) };
    munit_assert_size(size[0], ==, size[1]);
    munit_assert_memory_equal(size[0], models[0], models[1]);
    free(models[0]), free(models[1]);
}

void expect_equal_trainings(const char *folder, const char *unbroken)
{
    char *logs[2] = { training_log(unbroken), training_log(folder) };
    munit_assert_string_equal(logs[0], logs[1]);
    expect_equal_models(folder, unbroken);
    free(logs[0]), free(logs[1]);
}

void expect_status(struct output *output, int status, const char *sentence)
{
    if (output->status != status || !strstr(output->err, sentence))
        munit_errorf("exit code %d: %s", output->status, output->err);
    output_finish(output);
}

void training_run(const char *folder)
{
    struct output output;
    program_run(&output, SETTINGS, "--epochs", "3", "-o", folder, NULL);
    expect_status(&output, 0, "");
}

void training_resume(const char *folder, const char *sentence)
{
    struct output output;
    program_run(&output, "train", "--resume", folder, "--epochs", "3", FREQUENT, NULL);
    expect_status(&output, 0, sentence);
}

bool training_has_checkpoint(const char *folder)
{
    return training_has(folder, "checkpoint/0") || training_has(folder, "checkpoint/1");
}
