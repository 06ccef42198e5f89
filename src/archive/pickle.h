// Python's pickles, as far as PyTorch writes them, and lists of numbers. Nothing is ever executed or looked up: a
// pickle may name any function or class, but only the few that stand for containers, numbers and tensors mean something
// here. All others, and what is built from them, become values of the kind PICKLE_FOREIGN, which a reader can pass by
// or refuse.
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
    PICKLE_GLOBAL,  // a function or class that means something here
    PICKLE_STORAGE, // the numbers behind tensors
    PICKLE_TENSOR,
    PICKLE_FOREIGN,
};

struct pickle_value {
    enum pickle_kind kind;
    uint32_t count; // bytes of a text, items of a tuple
    union {
        int64_t integer;             // BOOL, INTEGER; GLOBAL and STORAGE: number in their tables
        double real;                 // REAL
        const char *text;            // TEXT, not ended by a zero; FOREIGN: its name, ended by one
        struct pickle_value **items; // TUPLE; LIST and DICT (keys and values in turn): stb_ds array
        struct pickle_tensor *tensor;
    };
};

enum element { ELEMENT_FLOAT, ELEMENT_DOUBLE, ELEMENT_SIGNED, ELEMENT_UNSIGNED, ELEMENT_OTHER };

// Numbers of one type that the file keeps elsewhere, under a key.
struct pickle_storage {
    const char *type; // "FloatStorage"
    enum element element;
    uint32_t bytes; // of one element
    uint64_t count;
    const char *data; // where they are: for the reader of the file to fill in; NULL: not found
};

#define PICKLE_RANK 4

// Lies within its storage.
struct pickle_tensor {
    ptrdiff_t storage; // number in pickle->storages
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
    } * storages; // stb_ds string map, filled as tensors are met

    struct pickle_value **stack, **memo; // stb_ds arrays
    size_t *marks;                       // stb_ds array: how high the stack was
    struct pickle_value **containers;    // stb_ds array: those with items to be freed
    char **chunks;                       // stb_ds array: memory of all values
    size_t chunk_left;
    uint64_t spent; // bytes of memory, about
};

// DATA must outlive the values.
void pickle_init(struct pickle *pickle, const char *data, size_t size);
void pickle_finish(struct pickle *pickle);

// Reads one pickle at `at` and stops behind it. The value lives until pickle_finish. A refusal begins with the byte.
bool pickle_read(struct pickle *pickle, const struct pickle_value **value);

// What the dict has under the key; the last one where there are several, as in Python; NULL: nothing, or not a dict.
const struct pickle_value *pickle_get(const struct pickle_value *dict, const char *key);

bool pickle_text_is(const struct pickle_value *value, const char *text);

// What a value is, for complaints: "a list", "os.system", ..
const char *pickle_describe(const struct pickle_value *value);

#endif
