#include "tests/model/support.h"

#include <stdlib.h>
#include <string.h>

#include "checkpoint/weights_file.h"
#include "expect.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/file.h"

struct config tiny_config(const char *problem, uint32_t L, uint32_t M)
{
    return (struct config){ .problem = problem_by_name(problem), .D = 8, .H = 2, .F = 8, .L = L, .M = M, .p = 2 };
}

struct text model_bytes(const struct weights *weights)
{
    char *folder = folder_make(NULL, NULL), *path = xformat("%s/model.safetensors", folder);
    struct text text = { 0 };
    if (!weights_save(path, weights) || !file_read(path, 1 << 24, &text.data, &text.size))
        bug("%s", error_text());
    free(path);
    folder_remove(folder);
    return text;
}

static uint64_t header_length(const struct text *model)
{
    uint64_t length;
    memcpy(&length, model->data, sizeof length);
    return length;
}

char *model_header(const struct text *model)
{
    return xformat("%.*s", (int)header_length(model), model->data + 8);
}

struct text model_with_header(const struct text *model, const char *header)
{
    struct text text = { 0 };
    uint64_t length = strlen(header), behind = 8 + header_length(model);
    text.size = 8 + length + model->size - behind;
    text.data = xcalloc(text.size, 1);
    memcpy(text.data, &length, sizeof length);
    memcpy(text.data + 8, header, length);
    memcpy(text.data + 8 + length, model->data + behind, model->size - behind);
    return text;
}

char *replaced(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    return at ? xformat("%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) : NULL;
}
