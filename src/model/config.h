// The configuration of a model, without its weights.
#ifndef MODEL_CONFIG_H
#define MODEL_CONFIG_H

#include "problem/problem.h"

// Native: the paper's network, for training. Reference: the released program's network, for its checkpoints.
enum dialect { DIALECT_NATIVE, DIALECT_REFERENCE };

enum model_norm {
    MODEL_INSTANCE,   // statistics of each instance's own rows; native: the glimpse uses those of the plain pass
    MODEL_BATCH,      // native: tracked in training, for the plain encoder and for each glimpse occasion
    MODEL_LAYER,      // of each row
    MODEL_BATCH_LIVE, // reference: of the whole batch
    MODEL_RUNNING,    // reference: one tracked set, in checkpoints of the attention model
};

struct config {
    const struct problem *problem;
    enum dialect dialect;
    enum model_norm norm;
    uint32_t D, H, F, L; // embedding, heads, hidden units, layers
    uint32_t M;          // decoders
    uint32_t p;          // decisions between glimpses; 0: none
    uint32_t O;          // MODEL_BATCH: glimpse occasions with their own statistics

    // Origin; does not affect the computation.
    struct distribution trained; // n_max 0: unknown
    uint64_t instances;          // in training
    bool has_validation;
    double validation;     // objective, the problem's own sign
    uint32_t best_decoder; // in validation
};

#define CONFIG_D     128
#define CONFIG_H     8
#define CONFIG_F     512
#define CONFIG_L     3
#define CONFIG_M     5
#define CONFIG_D_MAX 1024
#define CONFIG_H_MAX 64
#define CONFIG_F_MAX 8192
#define CONFIG_L_MAX 32
#define CONFIG_M_MAX 64
#define CONFIG_P_MAX 1000000

// Returns the glimpse period for a size: 2 up to 20 nodes, 4 up to 50 (6 with loads), above that 8.
uint32_t config_period(const struct problem *problem, uint32_t n);

// Returns the glimpses in a tour of n decisions, at least one: the occasions with tracked statistics.
uint32_t config_occasions(uint32_t p, uint32_t n);

// Refuses unsupported sizes, with one message.
bool config_check(const struct config *config);

const char *dialect_name(enum dialect dialect);
const char *model_norm_name(enum model_norm norm);
bool dialect_by_name(const char *name, enum dialect *dialect);
bool model_norm_by_name(const char *name, enum model_norm *norm);

#endif
