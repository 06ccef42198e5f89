// Reads JSON texts of one value or of one value per line, within a memory limit.
#ifndef UTIL_JSON_TEXT_H
#define UTIL_JSON_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

// A sequence of values. The first one may span lines. When it ends on its first line and more text follows, the text is
// JSON Lines.
struct json_text {
    const char *data;
    size_t size, at;
    unsigned long line; // line of the last value, from 1
    bool lines;         // JSON Lines: messages name the line
    bool scalars;       // set by the caller: a value may also be a number, for example
    unsigned long next_line;
};

void json_text_init(struct json_text *text, const char *data, size_t size);

// Reads the next value, which the caller owns; NULL at the end. Refuses syntax errors, duplicate keys and values that
// need more than JSON_MEMORY_MAX bytes.
#define JSON_MEMORY_MAX ((size_t)1 << 29)
bool json_text_next(struct json_text *text, json_t **value);

// Puts "line N: " in front of the recorded message if the text is JSON Lines. Returns false.
bool json_text_fail(const struct json_text *text);

// Puts POINTER in front of the recorded message, which may begin with a pointer already. Returns false.
bool json_fail_below(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Sets jansson's allocators for the whole process, once. Readers call it themselves.
void json_text_prepare(void);

// Records "/key: sentence" with the key escaped as in JSON pointers.
bool json_fail_key(const char *key, const char *sentence);

// Accepts integers and reals.
bool json_number(const json_t *value, double *number);

// Accepts whole numbers, also in the form 3.0.
bool json_whole(const json_t *value, int64_t *number);

// Makes a JSON string from text of unknown origin. If it is not UTF-8, every byte above 127 becomes "?".
json_t *json_any_text(const char *text);

// Returns the type of a value for messages: "a string", ..
const char *json_kind(const json_t *value);

#endif
