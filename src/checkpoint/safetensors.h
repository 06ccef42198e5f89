// The safetensors format: eight bytes with the length of a JSON header, the header with strings and the shapes and
// offsets of tensors, then their values. Ours are single precision, little-endian, with a checksum.
#ifndef CHECKPOINT_SAFETENSORS_H
#define CHECKPOINT_SAFETENSORS_H

#include "nn/tensor.h"
#include "util/text.h"

// A key and a value of the metadata.
struct pair {
    const char *key, *value;
};

// A tensor of a file.
struct stored {
    const char *name;
    struct tensor shape; // without an address
    uint64_t begin, end; // byte offsets in the data
};

struct safetensors {
    struct json_t *header;  // owns the names and the metadata
    struct stored *tensors; // stb_ds array in the order of the data, which they cover without gaps
    const char *data;       // in the parsed memory
    uint64_t size;
};

// Writes everything before the data: the pairs with a checksum of everything, and the tensors, whose data follows in
// the same order. Names and values are plain ASCII without quotes.
struct named;
void safetensors_header(struct text *text, const struct pair *pairs, size_t pair_count, const struct named *tensors,
    size_t count, const float *values);

// Parses DATA, which must outlive FILE. An accepted file is consistent whatever its bytes: offsets lie within the data,
// each byte belongs to one tensor, and shapes match the sizes.
bool safetensors_parse(struct safetensors *file, const char *data, size_t size);
void safetensors_finish(struct safetensors *file);

// Computes the checksum of metadata (without the stored checksum), names, shapes and data, independent of their order
// in the file.
uint64_t safetensors_checksum(const struct safetensors *file);

const struct stored *safetensors_find(const struct safetensors *file, const char *name); // NULL: not there
const char *safetensors_text(const struct safetensors *file, const char *key);           // metadata; NULL: not there

#endif
