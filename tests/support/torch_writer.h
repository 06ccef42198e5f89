// PyTorch checkpoints as PyTorch writes them, in both formats, for the tests of the reader.
#ifndef TESTS_SUPPORT_TORCH_WRITER_H
#define TESTS_SUPPORT_TORCH_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "util/text.h"

struct torch_out {
    char name[80];
    const char *storage; // NULL: "FloatStorage"
    int rank;
    uint32_t dim[4];
    void *data; // row by row
    uint32_t bytes;
};

struct torch_options {
    bool old;          // _rebuild_tensor instead of _rebuild_tensor_v2 and BUILD behind the dict
    const char *extra; // further keys and values of the checkpoint's dict, as a pickle between its marks
    size_t extra_size;
};

// The pickle of {"model": OrderedDict of the tensors, ..}, whose storages are called "0", "1", ..
struct text torch_pickle(
    const struct torch_out *tensors, size_t count, bool legacy, const struct torch_options *options);

// A file around a pickle.
struct text torch_legacy(const struct text *pickle, const struct torch_out *tensors, size_t count);
struct text torch_zip(const struct text *pickle, const struct torch_out *tensors, size_t count, const char *folder);

// A zip archive, one stored file after the other; then the directory.
struct zip_out {
    struct text file, directory;
    unsigned count;
};
void zip_add(struct zip_out *zip, const char *name, const void *data, size_t size);
struct text zip_end(struct zip_out *zip);

#endif
