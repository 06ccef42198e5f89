#include "util/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/error.h"

void text_add(struct text *text, const char *format, ...)
{
    for (;;) {
        size_t left = text->space - text->size;
        va_list args;
        va_start(args, format);
        int length = vsnprintf(text->data ? text->data + text->size : NULL, left, format, args);
        va_end(args);
        if (length < 0)
            bug("bad format %s", format);
        if ((size_t)length < left) {
            text->size += (size_t)length;
            return;
        }
        text->space = 2 * text->space + (size_t)length + 256;
        text->data = xrealloc(text->data, text->space, 1);
    }
}

void text_add_bytes(struct text *text, const void *bytes, size_t size)
{
    if (text->space - text->size < size + 1) {
        text->space = 2 * text->space + size + 256;
        text->data = xrealloc(text->data, text->space, 1);
    }
    if (size)
        memcpy(text->data + text->size, bytes, size);
    text->size += size;
    text->data[text->size] = 0;
}

void text_add_line(struct text *text, const char *line)
{
    size_t begin = text->size;
    text_add(text, "%s", line);
    for (char *c = text->data + begin; *c; c++) {
        if ((unsigned char)*c < 32 || *c == 127)
            *c = '?';
    }
}

static bool continues(char c) // whether c continues a UTF-8 character
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

// Returns the bytes of the character at C; 0 for characters that XML cannot hold: control characters, U+FFFE, U+FFFF
// and broken UTF-8.
static size_t xml_size(const char *c)
{
    unsigned char first = (unsigned char)*c;
    if (first < 128)
        return first >= 32 && first != 127;
    if (!strncmp(c, "\xEF\xBF\xBE", 3) || !strncmp(c, "\xEF\xBF\xBF", 3))
        return 0;
    size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0;
    for (size_t i = 1; i < size; i++) {
        if (!continues(c[i]))
            return 0;
    }
    return first <= 0xF4 ? size : 0;
}

void text_add_xml(struct text *text, const char *line, size_t limit)
{
    for (size_t shown = 0; *line; shown++) {
        size_t size = xml_size(line);
        if (shown == limit) {
            text_add(text, "\u2026");
            return;
        }
        if (*line == '<' || *line == '&')
            text_add(text, *line == '<' ? "&lt;" : "&amp;");
        else
            text_add(text, "%.*s", (int)(size ? size : 1), size ? line : "?");
        line += size ? size : 1;
        while (!size && continues(*line))
            line++;
    }
}

void text_add_real(struct text *text, double value)
{
    char digits[40];
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    // JSON readers parse -0 as an integer, which has no sign.
    text_add(text, "%s%s", digits, value == 0 && signbit(value) ? ".0" : "");
}

void text_add_round(struct text *text, double value)
{
    double magnitude = fabs(value);
    if (!(magnitude >= 1e-4 && magnitude < 1e12)) {
        text_add(text, "%.6g", value);
        return;
    }
    char digits[40];
    int decimals = 5 - (int)floor(log10(magnitude));
    snprintf(digits, sizeof digits, "%.*f", decimals > 0 ? decimals : 0, value);
    size_t size = strlen(digits);
    if (decimals > 0) {
        while (digits[size - 1] == '0')
            size--;
        size -= digits[size - 1] == '.';
    }
    text_add(text, "%.*s", (int)size, digits);
}

void text_add_quoted(struct text *text, const char *string)
{
    text_add(text, "\"");
    for (const unsigned char *c = (const unsigned char *)string; *c; c++) {
        if (*c == '"' || *c == '\\')
            text_add(text, "\\%c", *c);
        else if (*c < 0x20)
            text_add(text, "\\u%04x", *c);
        else
            text_add(text, "%c", *c);
    }
    text_add(text, "\"");
}

void text_finish(struct text *text)
{
    free(text->data);
    *text = (struct text){ 0 };
}
