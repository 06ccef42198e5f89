// The safetensors format: eight bytes with the length of a JSON header, the header with strings and the shapes and
// places of tensors, then their values. Ours are single precision, little-endian, with a checksum.
#ifndef CHECKPOINT_SAFETENSORS_H
#define CHECKPOINT_SAFETENSORS_H

#include "nn/tensor.h"
#include "util/text.h"

// A key and its value in the metadata.
struct pair {
    const char *key, *value;
};

// A tensor of a file.
struct stored {
    const char *name;
    struct tensor shape; // without a place
    uint64_t begin, end; // bytes of the data
};

struct safetensors {
    struct json_t *header;  // holds the names and the metadata
    struct stored *tensors; // stb_ds array in the order of their data, which they cover without a gap
    const char *data;       // in the memory that was parsed
    uint64_t size;
};

// Everything in front of the data: the pairs and a checksum of it all, and the tensors, whose data follows in the same
// order. Names and values are plain ASCII without quotes.
struct named;
void safetensors_header(struct text *text, const struct pair *pairs, size_t pair_count, const struct named *tensors,
    size_t count, const float *values);

// DATA must outlive FILE. Whatever its bytes are, what is accepted holds together: places within the data, each byte in
// one tensor, and shapes that fit them.
bool safetensors_parse(struct safetensors *file, const char *data, size_t size);
void safetensors_finish(struct safetensors *file);

// Of metadata (but the checksum in it), names, shapes and data, whatever their order in the file.
uint64_t safetensors_checksum(const struct safetensors *file);

const struct stored *safetensors_find(const struct safetensors *file, const char *name); // NULL: not there
const char *safetensors_text(const struct safetensors *file, const char *key);           // metadata; NULL: not there

#endif
