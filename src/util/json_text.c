#include "util/json_text.h"

#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"
#include "util/text.h"

// The value that this thread reads.
static _Thread_local struct {
    bool reading, exhausted;
    size_t used; // bytes
} tree;

// A short text can describe a large tree (two bytes make an empty object of about 200), so the memory of the tree is
// limited. Other uses of jansson in the process are not.
static void *allocate(size_t size)
{
    if (tree.reading && tree.used + size > JSON_MEMORY_MAX) {
        tree.exhausted = true;
        return NULL;
    }
    void *memory = malloc(size);
    if (!tree.reading)
        return memory;
    if (!memory) // otherwise jansson reports a syntax error
        out_of_memory(1, size);
    tree.used += malloc_usable_size(memory);
    return memory;
}

static void release(void *memory)
{
    if (memory && tree.reading)
        tree.used -= malloc_usable_size(memory);
    free(memory);
}

static void set_allocators(void)
{
    json_set_alloc_funcs(allocate, release);
}

void json_text_prepare(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_allocators);
}

void json_text_init(struct json_text *text, const char *data, size_t size)
{
    json_text_prepare();
    *text = (struct json_text){ .data = data, .size = size, .next_line = 1 };
    if (size >= 3 && !memcmp(data, "\xEF\xBB\xBF", 3)) // a byte order mark
        text->at = 3;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip_blanks(struct json_text *text)
{
    for (; text->at < text->size && is_blank(text->data[text->at]); text->at++)
        text->next_line += text->data[text->at] == '\n';
}

static bool not_json(const struct json_text *text, const json_error_t *error)
{
    if (tree.exhausted)
        return fail(FAULT_INPUT, "line %lu: more than %zu MiB of values; write one instance per line instead",
            text->line, JSON_MEMORY_MAX >> 20);
    unsigned long line = text->line + (error->line > 0 ? (unsigned long)error->line - 1 : 0);
    if (json_error_code(error) == json_error_null_character)
        return fail(FAULT_INPUT, "line %lu column %d: a string contains a zero byte", line, error->column);
    return fail(FAULT_INPUT, "line %lu column %d: %s", line, error->column, error->text);
}

bool json_text_next(struct json_text *text, json_t **value)
{
    *value = NULL;
    skip_blanks(text);
    text->line = text->next_line;
    if (text->at == text->size)
        return true;
    const char *begin = text->data + text->at;
    size_t size = text->size - text->at;
    if (text->lines) {
        const char *end = memchr(begin, '\n', size);
        size = end ? (size_t)(end - begin) : size;
    }
    json_error_t error;
    tree.reading = true;
    tree.exhausted = false;
    tree.used = 0;
    const size_t flags = JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK | (text->scalars ? JSON_DECODE_ANY : 0);
    *value = json_loadb(begin, size, flags, &error);
    tree.reading = false;
    if (!*value)
        return not_json(text, &error);

    size_t end = text->at + (size_t)error.position;
    for (; text->at < end; text->at++)
        text->next_line += text->data[text->at] == '\n';
    unsigned long last = text->next_line;
    bool one_line = last == text->line;
    skip_blanks(text);
    if (text->at == text->size)
        return true;
    text->lines |= one_line;
    if (text->lines && text->next_line > text->line)
        return true;
    json_decref(*value);
    *value = NULL;
    if (last == text->next_line)
        return fail(FAULT_INPUT, "line %lu: unexpected text after the value that ends here", last);
    return fail(FAULT_INPUT,
        "line %lu: unexpected text after the value of lines %lu to %lu; write several values one per line",
        text->next_line, text->line, last);
}

bool json_text_fail(const struct json_text *text)
{
    return text->lines && fail_within("line %lu", text->line);
}

bool json_fail_below(const char *format, ...)
{
    char pointer[256], *rest = strdup(error_text());
    va_list args;
    va_start(args, format);
    vsnprintf(pointer, sizeof pointer, format, args);
    va_end(args);
    fail(FAULT_INPUT, "%s%s%s", pointer, rest && *rest == '/' ? "" : ": ", rest ? rest : "");
    free(rest);
    return false;
}

bool json_fail_key(const char *key, const char *sentence)
{
    char escaped[80];
    size_t used_here = 0;
    for (; *key && used_here + 3 < sizeof escaped; key++) {
        const char *replacement = *key == '~' ? "~0" : *key == '/' ? "~1" : NULL;
        if (replacement) {
            memcpy(escaped + used_here, replacement, 2);
            used_here += 2;
        } else {
            escaped[used_here++] = *key;
        }
    }
    escaped[used_here] = 0;
    return fail(FAULT_INPUT, "/%s%s: %s", escaped, *key ? ".." : "", sentence);
}

bool json_number(const json_t *value, double *number)
{
    *number = json_number_value(value);
    return json_is_number(value) && isfinite(*number);
}

bool json_whole(const json_t *value, int64_t *number)
{
    if (json_is_integer(value)) {
        *number = json_integer_value(value);
        return true;
    }
    double real = json_real_value(value);
    if (!json_is_real(value) || real != nearbyint(real) || fabs(real) > 1e15)
        return false;
    *number = (int64_t)real;
    return true;
}

const char *json_kind(const json_t *value)
{
    static const char *const kinds[] = { [JSON_OBJECT] = "an object",
        [JSON_ARRAY] = "an array",
        [JSON_STRING] = "a string",
        [JSON_INTEGER] = "a number",
        [JSON_REAL] = "a number",
        [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",
        [JSON_NULL] = "null" };
    return value ? kinds[json_typeof(value)] : "absent";
}

json_t *json_any_text(const char *text)
{
    json_t *value = json_string(text);
    if (value)
        return value;
    struct text plain = { 0 };
    text_add(&plain, "%s", text);
    for (char *c = plain.data; *c; c++) {
        if ((unsigned char)*c > 127)
            *c = '?';
    }
    value = json_string(plain.data);
    text_finish(&plain);
    return value;
}
