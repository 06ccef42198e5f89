// One harness for every kernel. A test gives shapes, a plain double-precision forward and the calls; the harness makes
// random and adversarial inputs, puts guard bands of NaN around every tensor, and compares: the forward with the
// reference, the backward with central differences of the reference.
#ifndef TESTS_SUPPORT_KERNEL_H
#define TESTS_SUPPORT_KERNEL_H

#include "device.h"
#include "nn/nn.h"

enum { SLOTS = 14, SIZES = 8 };

enum values {
    VALUES_NORMAL,   // standard normal, and the adversarial sets
    VALUES_POSITIVE, // 0.5 .. 1.5
    VALUES_BIT,      // unsigned integers 0 or 1
    VALUES_INDEX,    // unsigned integers 0 .. limit-1
};

// One tensor of an operation.
struct slot {
    const char *name;
    int rank;
    uint32_t dim[4];
    enum values values;
    uint32_t limit; // VALUES_INDEX
    bool weight;    // its gradient is added
    bool fixed;     // no gradient
    bool integer;   // an output of unsigned integers, compared exactly
    bool saved;     // an output that backward needs but that carries no gradient of its own
};

struct kernel_test {
    const char *name;
    // Describes the tensors for these sizes.
    void (*describe)(const uint32_t *size, struct slot *in, struct slot *out);
    // Optional: makes drawn inputs consistent with each other (integers too are doubles here).
    void (*arrange)(const uint32_t *size, double *const *in);
    // All values as doubles, integers too. Values of 1e29 and beyond, like infinities, stand for "none": they are
    // compared exactly, and carry no gradient.
    void (*reference)(const uint32_t *size, const double *const *in, double *const *out);
    void (*forward)(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out);
    // Optional. dout has a tensor for every output, din for every input.
    void (*backward)(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out,
        const struct tensor *dout, const struct tensor *din);
    double tolerance;               // of the forward, relative to the largest value of the tensor
    double grad_tolerance;          // of the backward, the same
    bool tame;                      // only normal inputs: the operation is not defined for the adversarial ones
    const uint32_t (*sizes)[SIZES]; // ended by a row that starts with 0
    // The target safe tests only this many sizes, because it differs only in memory access and compiles for seconds per
    // size; 0: all.
    size_t heap;
};

// Runs all sizes and input sets on the device that the parameters select. With MDAM_VK_TEST_SIZES=n in the environment
// it runs every n-th size, from the first.
MunitResult kernel_test(const struct kernel_test *test, const MunitParameter params[]);

#endif
