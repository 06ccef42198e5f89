#include "cli/outputs.h"

#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "util/alloc.h"
#include "util/error.h"
#include "util/file.h"
#include "util/path.h"

bool picture_name_fits(const char *path)
{
    const char *ending = strrchr(path_base(path), '.');
    return !ending || !strcasecmp(ending, ".svg") ||
           fail(FAULT_INPUT, "%s: plots are SVG: the name must end with .svg", path);
}

char *picture_path(const char *path, size_t index, size_t count)
{
    size_t size = strlen(path);
    if (count == 1)
        return xstrdup(path);
    bool named = size >= 4 && !strcasecmp(path + size - 4, ".svg");
    size -= named ? 4 : 0;
    return xformat("%.*s%zu%s", (int)size, path, index + 1, path + size);
}

void outputs_begin(struct outputs *outputs, const char *command)
{
    *outputs = (struct outputs){ command, NULL };
    sh_new_strdup(outputs->files);
}

void outputs_finish(struct outputs *outputs)
{
    shfree(outputs->files);
}

// Returns the file's identity, which the caller frees; NULL: nothing there can be overwritten.
static char *identity(const char *path, const char *stream)
{
    if (!path || !*path)
        return NULL;
    return path_identity(strcmp(path, "-") ? path : stream);
}

void outputs_protect(struct outputs *outputs, const char *path, const char *what)
{
    char *key = identity(path, "/dev/stdin");
    if (key)
        shput(outputs->files, key, ((struct use){ true, what }));
    free(key);
}

bool outputs_add(struct outputs *outputs, const char *path, const char *flag)
{
    char *key = identity(path, "/dev/stdout");
    if (!key)
        return true;
    const struct taken *taken = shgetp_null(outputs->files, key);
    const char *shown = strcmp(path, "-") ? path : "standard output";
    if (!taken)
        shput(outputs->files, key, ((struct use){ false, flag }));
    else if (taken->value.read)
        fail(FAULT_INPUT, "%s: %s: %s has %s and would be %s", outputs->command, flag, shown, taken->value.what,
            strcmp(path, "-") ? "overwritten" : "written to");
    else
        fail(FAULT_INPUT, "%s: %s: %s is also the output of %s", outputs->command, flag, shown, taken->value.what);
    free(key);
    return !taken;
}

bool outputs_add_plots(struct outputs *outputs, const char *path, size_t count, const char *flag)
{
    bool ok = true;
    for (size_t i = 0; path && ok && i < count; i++) {
        char *picture = picture_path(path, i, count);
        ok = outputs_add(outputs, picture, flag);
        free(picture);
    }
    return ok;
}
