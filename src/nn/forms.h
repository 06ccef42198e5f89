// Selects the kernel and constants of an operation on a device: one table for all targets. Operations with a single
// kernel and no constants that depend on the device are not listed.
#ifndef NN_FORMS_H
#define NN_FORMS_H

#include "gpu/gpu.h"
#include "util/text.h"

enum form_operation {
    FORM_LINEAR,
    FORM_LINEAR_SLABS, // parts of the sum of a weight gradient
    FORM_ATTENTION,
    FORM_ATTENTION_BACK,
    FORM_REATTEND,
    FORM_REATTEND_BACK,
    FORM_POINTER,
    FORM_POINTER_BACK,
    FORM_DECIDE, // several decisions in one kernel, or one operation after the other
    FORM_LIKELIHOOD,
    FORM_NORM,
    FORM_NORM_BACK,
    FORM_NORM_GIVEN, // by statistics of another pass
    FORM_NORM_GIVEN_BACK,
    FORM_ROWS, // every operation on rows of channels
    FORM_BEAM, // a step of a beam: by one workgroup in shared memory, or one kernel for each part of it
    FORM_OPERATIONS,
};

// Sizes for the conditions; an operation sets those that its rows of the table use.
struct form_sizes {
    bool transposed;          // FORM_LINEAR: the gradient of the weights
    uint32_t M, K;            // FORM_LINEAR: rows of a group, length of the sums
    uint64_t rows;            // FORM_LINEAR: of all groups
    uint32_t N, DK;           // heads, FORM_POINTER: nodes, channels of a head
    uint64_t heads;           // FORM_REATTEND_BACK: heads of all instances
    uint32_t D, repeat;       // FORM_POINTER: channels, trajectories of a step that share a slot
    uint32_t decisions;       // FORM_LIKELIHOOD, FORM_POINTER_BACK: of a slot
    uint32_t candidates, own; // FORM_BEAM: of a beam; words of a state that only the problem has
    bool saves;               // FORM_POINTER: for its gradient
    bool dynamic;             // FORM_POINTER_BACK: nodes have dynamic features
    bool slots_uniform; // FORM_POINTER: trajectories have the slots in order, with N rows, equally many for a group
};

// How a kernel divides its work, if the dispatch depends on it.
enum form_kind {
    FORM_PLAIN,
    FORM_SHARED, // FORM_LINEAR: one workgroup per tile, in shared memory; FORM_POINTER: lists rows there, and chooses
    FORM_BLOCK,  // FORM_LINEAR: one worker per block of B
    FORM_SMALL,  // heads: one lane per head
    FORM_MANY,   // FORM_REATTEND_BACK: one lane per head; FORM_POINTER: per trajectory; FORM_LIKELIHOOD: per decision
    FORM_SHARE,  // FORM_POINTER, FORM_POINTER_BACK, FORM_DECIDE: several trajectories per worker
};

struct form_constant {
    const char *name;
    uint32_t id, value;
};

enum { FORM_CONSTANTS = 5 };

struct form {
    enum form_operation operation;
    enum form_kind kind;
    const char *device, *sizes; // the conditions in words; NULL: always
    bool (*device_fits)(const struct gpu_info *info);
    bool (*sizes_fit)(const struct gpu_info *info, const struct form_sizes *sizes);
    const struct kernel *kernel;                    // NULL: the operation has one kernel, or several
    struct form_constant constants[FORM_CONSTANTS]; // ends with an entry without a name
    uint32_t slabs;                                 // FORM_LINEAR_SLABS
};

// Returns the first matching row of the table.
const struct form *form_choose(
    const struct gpu_info *info, enum form_operation operation, const struct form_sizes *sizes);
// Returns a constant of a form by its name in shaders/args; asking for one that the row lacks is a bug.
uint32_t form_constant(const struct form *form, uint32_t id);
// FORM_BEAM, FORM_SHARED: the threads for a beam's candidates, a power of two.
uint32_t beam_threads(const struct gpu_info *info, uint32_t candidates);
// FORM_POINTER: the nodes that a kernel has shared memory for, of N.
uint32_t pointer_nodes(uint32_t N);
// Copies all constants of a form to those of a dispatch.
void form_fill(uint32_t constants[CONSTANTS], const struct form *form);

// Returns the rows of the table in order; NULL after the last.
const struct form *form_row(size_t index);
// Prints the rows of the table for a device, one line each.
void form_print(struct text *out, const struct gpu_info *info);

#endif
