// Reads Python pickles as PyTorch writes them. Nothing is executed or looked up: a pickle may name any function or
// class, but only those for containers, numbers and tensors are interpreted. All others, and objects built from them,
// become values of kind PICKLE_FOREIGN, which a reader can ignore or refuse.
#ifndef ARCHIVE_PICKLE_H
#define ARCHIVE_PICKLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pickle_kind {
    PICKLE_NONE,
    PICKLE_BOOL,
    PICKLE_INTEGER,
    PICKLE_REAL,
    PICKLE_TEXT, // also bytes
    PICKLE_TUPLE,
    PICKLE_LIST,
    PICKLE_DICT,
    PICKLE_GLOBAL,  // a function or class that is interpreted
    PICKLE_STORAGE, // the values of tensors
    PICKLE_TENSOR,
    PICKLE_FOREIGN,
};

struct pickle_value {
    enum pickle_kind kind;
    uint32_t count; // bytes of a text, items of a tuple
    union {
        int64_t integer;             // BOOL, INTEGER; GLOBAL and STORAGE: index in their tables
        double real;                 // REAL
        const char *text;            // TEXT: not zero-terminated; FOREIGN: its name, zero-terminated
        struct pickle_value **items; // TUPLE; LIST and DICT (alternating keys and values): stb_ds array
        struct pickle_tensor *tensor;
    };
};

enum element { ELEMENT_FLOAT, ELEMENT_DOUBLE, ELEMENT_SIGNED, ELEMENT_UNSIGNED, ELEMENT_OTHER };

// Values of one type that the file stores elsewhere, under a key.
struct pickle_storage {
    const char *type; // "FloatStorage"
    enum element element;
    uint32_t bytes; // of one element
    uint64_t count;
    const char *data; // set by the reader of the file; NULL: not found
};

#define PICKLE_RANK 4

// A view of a storage; never exceeds it.
struct pickle_tensor {
    ptrdiff_t storage; // index in pickle->storages
    uint64_t offset;
    int rank;
    uint64_t size[PICKLE_RANK], stride[PICKLE_RANK];
};

struct pickle {
    const char *data;
    size_t size, at;

    struct {
        char *key;
        struct pickle_storage value;
    } * storages; // stb_ds string map, filled while reading tensors

    struct pickle_value **stack, **memo; // stb_ds arrays
    size_t *marks;                       // stb_ds array: heights of the stack
    struct pickle_value **containers;    // stb_ds array: values whose items must be freed
    char **chunks;                       // stb_ds array: memory of all values
    size_t chunk_left;
    uint64_t spent; // approximate bytes allocated
};

// DATA must outlive the values.
void pickle_init(struct pickle *pickle, const char *data, size_t size);
void pickle_finish(struct pickle *pickle);

// Reads one pickle at `at` and stops after it. The value lives until pickle_finish. Messages begin with the byte
// offset.
bool pickle_read(struct pickle *pickle, const struct pickle_value **value);

// Returns the dict's value for the key, the last one of several as in Python; NULL: absent, or not a dict.
const struct pickle_value *pickle_get(const struct pickle_value *dict, const char *key);

bool pickle_text_is(const struct pickle_value *value, const char *text);

// Names a value for messages: "a list", "os.system", ..
const char *pickle_describe(const struct pickle_value *value); // NULL is "nothing"

#endif
