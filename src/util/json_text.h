// JSON texts of one value or one per line, read within bounds.
#ifndef UTIL_JSON_TEXT_H
#define UTIL_JSON_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

// Values one after the other. The first may span lines; once it ended on the line it began on and more follows, the
// text is JSON Lines.
struct json_text {
    const char *data;
    size_t size, at;
    unsigned long line; // where the last value begins, from 1
    bool lines;         // JSON Lines: a complaint names the line
    unsigned long next_line;
};

void json_text_init(struct json_text *text, const char *data, size_t size);

// The next value, owned by the caller; NULL at the end. Fails on what is not JSON, doubled keys, and a value that would
// take more than JSON_MEMORY_MAX bytes.
#define JSON_MEMORY_MAX ((size_t)1 << 29)
bool json_text_next(struct json_text *text, json_t **value);

// Puts "line N: " before the recorded sentence where there are lines. Returns false.
bool json_text_fail(const struct json_text *text);

// Puts POINTER directly before the recorded sentence, which begins with a pointer of its own or a sentence.
bool json_fail_below(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Gives jansson its allocators, for the whole process, if it does not have them. Reading does so, too.
void json_text_prepare(void);

// "/key: sentence", the key escaped as JSON pointers want it.
bool json_fail_key(const char *key, const char *sentence);

// An integer or real.
bool json_number(const json_t *value, double *number);

// A whole number, also when it is written as 3.0.
bool json_whole(const json_t *value, int64_t *number);

// A JSON string for a text of unknown origin: of one that is not UTF-8 with every byte above 127 as "?".
json_t *json_any_text(const char *text);

// What a value is, for complaints: "a string", ..
const char *json_kind(const json_t *value);

#endif
