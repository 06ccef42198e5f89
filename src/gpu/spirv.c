// Adapts shader modules to a device. If it guarantees reconvergence after divergent control flow, the module requests
// that: one more extension and execution mode, which not every GLSL compiler can write.
#include <string.h>

#include <stb/stb_ds.h>

#include "gpu/internal.h"

enum { HEADER_WORDS = 5 };
enum {
    OP_EXTENSION = 10,
    OP_EXT_INST_IMPORT = 11,
    OP_MEMORY_MODEL = 14,
    OP_ENTRY_POINT = 15,
    OP_EXECUTION_MODE = 16,
    OP_CAPABILITY = 17,
};

static const struct {
    const char *extension;
    uint32_t mode;
} promises[] = {
    [RECONVERGENCE_UNIFORM] = { "SPV_KHR_subgroup_uniform_control_flow", 4421 },
    [RECONVERGENCE_MAXIMAL] = { "SPV_KHR_maximal_reconvergence", 6023 },
};

static void put_extension(uint32_t **to, const char *name)
{
    const size_t words = strlen(name) / 4 + 1; // with the terminating 0
    arrput(*to, (uint32_t)(words + 1) << 16 | OP_EXTENSION);
    uint32_t *text = arraddnptr(*to, words);
    memset(text, 0, words * sizeof *text);
    memcpy(text, name, strlen(name));
}

// In the order that SPIR-V requires.
static bool is_before_extensions_end(uint32_t op)
{
    return op == OP_CAPABILITY || op == OP_EXTENSION;
}

static bool is_before_modes(uint32_t op)
{
    return is_before_extensions_end(op) || op == OP_EXT_INST_IMPORT || op == OP_MEMORY_MODEL || op == OP_ENTRY_POINT;
}

uint32_t *gpu_spirv(const uint32_t *words, size_t bytes, enum reconvergence reconvergence)
{
    const size_t count = bytes / sizeof *words;
    uint32_t *to = NULL, entry = 0;
    bool extended = false, set = false;
    for (size_t i = 0, length = HEADER_WORDS; i < count; i += length) {
        const uint32_t op = i ? words[i] & 0xffff : OP_CAPABILITY;
        length = i ? words[i] >> 16 : HEADER_WORDS;
        entry = op == OP_ENTRY_POINT ? words[i + 2] : entry;
        if (reconvergence && !extended && !is_before_extensions_end(op)) {
            put_extension(&to, promises[reconvergence].extension);
            extended = true;
        }
        if (reconvergence && !set && !is_before_modes(op)) {
            const uint32_t mode[] = { 3 << 16 | OP_EXECUTION_MODE, entry, promises[reconvergence].mode };
            memcpy(arraddnptr(to, 3), mode, sizeof mode);
            set = true;
        }
        memcpy(arraddnptr(to, length), words + i, length * sizeof *words);
    }
    return to;
}
