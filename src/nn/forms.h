// Which kernel an operation gets on a device, and with which constants: one table for all targets. An operation with
// one kernel for all of them and no constant that depends on the device is not in it.
#ifndef NN_FORMS_H
#define NN_FORMS_H

#include "gpu/gpu.h"
#include "util/text.h"

enum form_operation {
    FORM_LINEAR,
    FORM_LINEAR_SLABS, // parts in which a gradient of weights is summed
    FORM_ATTENTION,
    FORM_ATTENTION_BACK,
    FORM_REATTEND,
    FORM_REATTEND_BACK,
    FORM_POINTER,
    FORM_LIKELIHOOD,
    FORM_NORM,
    FORM_NORM_BACK,
    FORM_ROWS, // every operation on rows of channels
    FORM_OPERATIONS,
};

// Sizes that conditions look at; an operation fills in those that its rows of the table ask for.
struct form_sizes {
    bool transposed;    // FORM_LINEAR: the gradient of the weights
    uint32_t K;         // FORM_LINEAR: length of the sums
    uint32_t N, DK;     // heads: nodes, channels of a head
    uint64_t heads;     // FORM_REATTEND_BACK: heads of all instances
    uint32_t D, repeat; // FORM_POINTER: channels, trajectories of a step that share a slot
    uint32_t decisions; // FORM_LIKELIHOOD: of a slot
    bool saves;         // FORM_POINTER: for its gradient
    bool slots_uniform; // FORM_POINTER: trajectories have the slots in order, with N rows, equally many for a group
};

// How a kernel shares out its work, where that matters to the dispatch.
enum form_kind {
    FORM_PLAIN,
    FORM_BLOCK, // FORM_LINEAR: a worker has a block of B to itself
    FORM_SMALL, // heads: a lane has a head to itself
    FORM_MANY,  // FORM_REATTEND_BACK: likewise; FORM_POINTER: a lane has a trajectory, FORM_LIKELIHOOD: a decision
    FORM_SHARE, // FORM_POINTER: a worker has several trajectories
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
    const struct kernel *kernel;                    // NULL: the operation has one, or several
    struct form_constant constants[FORM_CONSTANTS]; // ended by one without a name
    uint32_t slabs;                                 // FORM_LINEAR_SLABS
};

// The first row of the table that fits.
const struct form *form_choose(
    const struct gpu_info *info, enum form_operation operation, const struct form_sizes *sizes);
// A constant of a form, by its name in shaders/args; it is a bug to ask for one that the row does not have.
uint32_t form_constant(const struct form *form, uint32_t id);
// All of them into those of a dispatch.
void form_fill(uint32_t constants[CONSTANTS], const struct form *form);

// Rows of the table in its order; NULL past the last.
const struct form *form_row(size_t index);
// Everything that the table has for a device, a line for each row.
void form_print(struct text *out, const struct gpu_info *info);

#endif
