// Reads checkpoints of the released PyTorch programs (the multi-decoder attention model and the attention model) as
// models of the reference dialect.
#ifndef CHECKPOINT_IMPORT_H
#define CHECKPOINT_IMPORT_H

#include "model/weights.h"

struct torch_file;

// The relevant contents of args.json beside a checkpoint; zero or NULL if absent.
struct import_args {
    const struct problem *problem;
    bool has_prize;
    enum prize_kind prize;
    uint32_t n;           // graph_size
    uint32_t p;           // n_EG
    uint32_t M, D, L;     // n_paths, embedding_dim, n_encode_layers
    bool batch, instance; // normalization
};

bool import_args_parse(const char *data, size_t size, struct import_args *args);

// Refuses tensors that are missing, misshapen or unknown. NOTES gets the assumptions made for absent arguments (an
// stb_ds array of strings; the caller frees both).
bool import_state(
    const struct torch_file *file, const struct import_args *args, struct weights *weights, char ***notes);

// The released multi-decoder program always has a period: this one, beyond every tour, stands for no glimpses.
#define RELEASED_NO_GLIMPSE 1000000

// Numbers that the released programs give the parts of a layer: 0 attention, 1 and 3 normalisations, 2 the hidden
// units. SINGLE: the attention model. In the multi-decoder program the parts of the last of L layers have names of
// their own.
#define RELEASED_NAME 64
void released_part_name(bool single, uint32_t L, uint32_t layer, uint32_t part, char name[RELEASED_NAME]);

// The same from files, PyTorch's or .safetensors; ARGS_PATH NULL: no args.json.
bool import_checkpoint(const char *path, const char *args_path, struct weights *weights, char ***notes);

#endif
