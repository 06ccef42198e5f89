#include "format/npy.h"

#include <stdio.h>
#include <string.h>

#include "util/error.h"

static const char magic[] = "\x93NUMPY";
enum { MAGIC_BYTES = 6, ALIGNMENT = 64 };

// --- the description: a dict in Python's notation ------------------------------------------------------------------

// Skips blanks; whether TOKEN comes next, which is then skipped, too.
static bool next_is(struct span *rest, const char *token)
{
    *rest = span_trim(*rest);
    size_t size = strlen(token);
    if (rest->size < size || memcmp(rest->at, token, size))
        return false;
    rest->at += size;
    rest->size -= size;
    return true;
}

static bool next_text(struct span *rest, struct span *text)
{
    const char *quote = next_is(rest, "'") ? "'" : next_is(rest, "\"") ? "\"" : NULL;
    const char *end = quote ? memchr(rest->at, *quote, rest->size) : NULL;
    if (!end)
        return false;
    *text = (struct span){ rest->at, (size_t)(end - rest->at) };
    rest->size -= text->size + 1;
    rest->at = end + 1;
    return true;
}

static bool next_number(struct span *rest, uint64_t *number)
{
    *rest = span_trim(*rest);
    size_t digits = 0;
    while (digits < rest->size && rest->at[digits] >= '0' && rest->at[digits] <= '9')
        digits++;
    int64_t value;
    if (!span_integer((struct span){ rest->at, digits }, &value))
        return false;
    *number = (uint64_t)value;
    rest->at += digits;
    rest->size -= digits;
    return true;
}

// "<f8", "|u1", ..
static bool read_type(struct span *rest, struct npy *array)
{
    static const struct {
        char letter;
        enum npy_kind kind;
        unsigned sizes; // that there are, as bits
    } kinds[] = { { 'f', NPY_REAL, 4 | 8 }, { 'i', NPY_SIGNED, 1 | 2 | 4 | 8 }, { 'u', NPY_UNSIGNED, 1 | 2 | 4 | 8 },
        { 'b', NPY_UNSIGNED, 1 }, { 'U', NPY_TEXT, 0 } };
    struct span type, digits;
    uint64_t size;
    if (!next_text(rest, &type) || type.size < 3)
        return fail(FAULT_INPUT, "not an array of numbers");
    digits = (struct span){ type.at + 2, type.size - 2 };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (type.at[1] != kinds[i].letter || type.at[0] == '>' || !next_number(&digits, &size) || digits.size)
            continue;
        bool is_text = kinds[i].kind == NPY_TEXT;
        if (is_text ? size > 1000 : size > 8 || !(kinds[i].sizes & size) || (size & (size - 1)))
            continue;
        array->kind = kinds[i].kind;
        array->bytes = (uint32_t)(is_text ? 4 * size : size);
        return true;
    }
    return fail(FAULT_INPUT, "elements of type %.*s are not read", SPAN_SHOWN(type));
}

static bool read_sizes(struct span *rest, struct npy *array)
{
    if (!next_is(rest, "("))
        return fail(FAULT_INPUT, "its shape is not a tuple");
    array->count = 1;
    for (array->rank = 0; !next_is(rest, ")"); array->rank++) {
        uint64_t size;
        if (array->rank == NPY_RANK)
            return fail(FAULT_INPUT, "more than %d dimensions", NPY_RANK);
        if (!next_number(rest, &size) || size > UINT32_MAX || __builtin_mul_overflow(array->count, size, &array->count))
            return fail(FAULT_INPUT, "its shape is not a tuple of whole numbers");
        array->size[array->rank] = size;
        next_is(rest, ",");
    }
    return true;
}

static bool read_description(struct span rest, struct npy *array)
{
    bool fortran = false, typed = false, sized = false;
    if (!next_is(&rest, "{"))
        return fail(FAULT_INPUT, "its description is damaged");
    while (!next_is(&rest, "}")) {
        struct span key;
        if (!next_text(&rest, &key) || !next_is(&rest, ":"))
            return fail(FAULT_INPUT, "its description is damaged");
        if (span_is(key, "descr")) {
            if (!read_type(&rest, array))
                return false;
            typed = true;
        } else if (span_is(key, "shape")) {
            if (!read_sizes(&rest, array))
                return false;
            sized = true;
        } else if (!span_is(key, "fortran_order") ||
                   (!(fortran = next_is(&rest, "True")) && !next_is(&rest, "False"))) {
            return fail(FAULT_INPUT, "its description is damaged");
        }
        next_is(&rest, ",");
    }
    uint64_t stride = 1;
    for (int i = 0; i < array->rank; i++) {
        int k = fortran ? i : array->rank - 1 - i;
        array->stride[k] = stride;
        stride *= array->size[k];
    }
    return (typed && sized) || fail(FAULT_INPUT, "its description is damaged");
}

bool npy_parse(struct npy *array, const char *data, size_t size)
{
    *array = (struct npy){ 0 };
    if (size < 12 || memcmp(data, magic, MAGIC_BYTES))
        return fail(FAULT_INPUT, "not an array of NumPy");
    const unsigned char *head = (const unsigned char *)data;
    size_t length = (size_t)head[8] | (size_t)head[9] << 8, begin = 10;
    if (head[6] > 1) {
        length |= (size_t)head[10] << 16 | (size_t)head[11] << 24;
        begin = 12;
    }
    if (head[6] < 1 || head[6] > 3 || length > size - begin)
        return fail(FAULT_INPUT, "its description is damaged");
    if (!read_description((struct span){ data + begin, length }, array))
        return false;
    uint64_t bytes;
    if (__builtin_mul_overflow(array->count, (uint64_t)array->bytes, &bytes) || bytes != size - begin - length)
        return fail(FAULT_INPUT, "%zu bytes of numbers do not fit its shape", size - begin - length);
    array->data = data + begin + length;
    return true;
}

// --- elements ------------------------------------------------------------------------------------------------------

static const char *element(const struct npy *array, uint64_t index)
{
    uint64_t offset = 0;
    for (int k = array->rank - 1; k >= 0; k--) {
        offset += index % array->size[k] * array->stride[k];
        index /= array->size[k];
    }
    return array->data + offset * array->bytes;
}

double npy_number(const struct npy *array, uint64_t index)
{
    const char *at = element(array, index);
    if (array->kind == NPY_REAL) {
        float single;
        double number;
        if (array->bytes == sizeof number)
            memcpy(&number, at, sizeof number);
        else
            number = (memcpy(&single, at, sizeof single), single);
        return number;
    }
    uint64_t bits = 0;
    memcpy(&bits, at, array->bytes); // little-endian
    unsigned unused = 64 - 8 * array->bytes;
    return array->kind == NPY_SIGNED ? (double)((int64_t)(bits << unused) >> unused) : (double)bits;
}

void npy_text(const struct npy *array, uint64_t index, char *text, size_t size)
{
    const char *at = element(array, index);
    size_t i = 0;
    for (; i + 1 < size && i < array->bytes / 4; i++) {
        uint32_t letter;
        memcpy(&letter, at + 4 * i, sizeof letter);
        if (!letter)
            break;
        text[i] = letter >= ' ' && letter < 127 ? (char)letter : '?';
    }
    text[i] = 0;
}

// --- writing -------------------------------------------------------------------------------------------------------

static void add_head(struct text *file, const char *type, int rank, const uint64_t *size)
{
    struct text head = { 0 };
    text_add(&head, "{'descr': '%s', 'fortran_order': False, 'shape': (", type);
    for (int k = 0; k < rank; k++)
        text_add(&head, "%s%llu%s", k ? " " : "", (unsigned long long)size[k], k + 1 < rank || rank == 1 ? "," : "");
    text_add(&head, "), }");
    while ((10 + head.size + 1) % ALIGNMENT)
        text_add(&head, " ");
    text_add(&head, "\n");
    text_add_bytes(file, magic, MAGIC_BYTES);
    text_add_bytes(file, (char[]){ 1, 0, (char)head.size, (char)(head.size >> 8) }, 4);
    text_add_bytes(file, head.data, head.size);
    text_finish(&head);
}

void npy_write(struct text *file, int rank, const uint64_t *size, const double *numbers)
{
    uint64_t count = 1;
    for (int k = 0; k < rank; k++)
        count *= size[k];
    add_head(file, "<f8", rank, size);
    text_add_bytes(file, numbers, count * sizeof *numbers);
}

void npy_write_text(struct text *file, uint64_t count, const char *text)
{
    char type[32];
    snprintf(type, sizeof type, "<U%zu", strlen(text));
    add_head(file, type, 1, &count);
    for (uint64_t i = 0; i < count; i++) {
        for (const char *letter = text; *letter; letter++)
            text_add_bytes(file, (char[]){ *letter, 0, 0, 0 }, 4);
    }
}
