// One array as NumPy stores it: a line that describes it, then its numbers.
#ifndef FORMAT_NPY_H
#define FORMAT_NPY_H

#include <stdbool.h>
#include <stdint.h>

#include "util/scan.h"
#include "util/text.h"

#define NPY_RANK 4

enum npy_kind { NPY_REAL, NPY_SIGNED, NPY_UNSIGNED, NPY_TEXT };

struct npy {
    enum npy_kind kind;
    uint32_t bytes; // of one element; of a text, four for each character
    int rank;
    uint64_t size[NPY_RANK], stride[NPY_RANK]; // elements
    uint64_t count;
    const char *data;
};

// DATA must outlive ARRAY. Its elements lie within.
bool npy_parse(struct npy *array, const char *data, size_t size);

// The element with this number in C order; of a number, and of a text (at most SIZE - 1 characters of ASCII).
double npy_number(const struct npy *array, uint64_t index);
void npy_text(const struct npy *array, uint64_t index, char *text, size_t size);

// Adds a file with an array of real numbers, or of texts of ASCII that are all equal.
void npy_write(struct text *file, int rank, const uint64_t *size, const double *numbers);
void npy_write_text(struct text *file, uint64_t count, const char *text);

#endif
