// The device layer: one Vulkan device, its memory and recorded commands. The layers above see no Vulkan type.
//
// A place in device memory is a 64-bit number: a buffer address, or, for the target `safe`, a byte offset into the one
// storage buffer that everything lives in (offset 0 is never handed out). 0 means "none".
#ifndef GPU_GPU_H
#define GPU_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shaders/args/constants.h"
#include "util/text.h"

struct gpu;

// How kernels reach memory, and which forms of them are taken (src/nn/forms.c). Any device can have any of them, but
// one without buffer addresses only `safe`.
enum gpu_target {
    GPU_TARGET_AUTO, // as suits the device; MDAM_VK_TARGET=gpu, cpu or safe in the environment chooses another
    GPU_TARGET_GPU,  // buffer addresses
    GPU_TARGET_CPU,  // buffer addresses, and 64-bit integers to move two floats at a time where the device has them
    GPU_TARGET_SAFE, // one storage buffer, bounds-checked
    GPU_TARGETS,
};
const char *gpu_target_name(enum gpu_target target);

// What MDAM_VK_DISABLE turns off: subgroup-size, int64, shared-product, addresses.
enum gpu_feature {
    GPU_FEATURE_SUBGROUP_SIZE = 1,  // required and full subgroups
    GPU_FEATURE_INT64 = 2,          // 64-bit integers in kernels
    GPU_FEATURE_SHARED_PRODUCT = 4, // products through shared memory
    GPU_FEATURE_ADDRESSES = 8,      // buffer addresses: target safe
};
void gpu_disabled_print(struct text *out, unsigned features); // their names

struct gpu_info {
    int index;
    char name[256];
    const char *type; // "discrete", "integrated", "virtual", "cpu", "other"
    bool is_cpu;
    char driver[256], driver_info[256];
    uint32_t vendor, device, driver_version, api_version;
    uint64_t memory;                   // bytes of the largest device-local heap
    uint32_t lanes_min, lanes_max;     // subgroup sizes the device offers
    uint32_t lanes;                    // the one used
    uint32_t threads_max;              // invocations in a workgroup
    uint32_t shared_bytes, push_bytes; // limits
    uint64_t range_max;                // one storage buffer binding
    uint64_t block_max;                // one allocation
    bool addresses, addresses_captured, int64;
    bool shared_product; // products may go through shared memory
    unsigned disabled;   // enum gpu_feature, added: turned off by MDAM_VK_DISABLE
    enum gpu_target target;
    bool wide;     // the target `cpu` with 64-bit integers
    bool cpu_work; // work is cut as is fast on a CPU: target `cpu`, or `safe` on a CPU driver
    bool usable;
    char why_not[256];
};

// All devices, at least one, duplicates of one GPU through two drivers removed; the caller frees the list.
bool gpu_list(struct gpu_info **list, size_t *count);

struct gpu_options {
    const char *device; // NULL or "auto", a number, or part of a name
    uint32_t turn;      // "auto": which of several equally good devices, over and over
    enum gpu_target target;
    bool narrow;             // no 64-bit integers in shaders even where the device has them
    bool profile;            // time every dispatch
    const char *capture;     // label of the region to capture with RenderDoc: that one, or all LABEL/...
    bool staging;            // pretend that the host cannot see device memory
    bool dry;                // builds pipelines and records nothing: for drivers without their hardware
    uint64_t heap_bytes;     // target safe: the heap's size; 0: as large as one binding and half the memory allow
    uint64_t block_bytes;    // the most that is allocated in one piece; 0: what the device allows
    double submission_limit; // seconds of work in one submission; 0: 0.15
    double wait_limit;       // seconds without progress before the device counts as hung; 0: 120, on a CPU 1200
    const char *cache;       // folder of the pipeline cache; NULL: the user's
    void (*compiling)(void *user, uint32_t count); // told before a pipeline is built how many were; may be NULL
    void *user;
};

bool gpu_open(struct gpu **gpu, const struct gpu_options *options);
void gpu_close(struct gpu **gpu);
const struct gpu_info *gpu_info(const struct gpu *gpu);
bool gpu_is_lost(const struct gpu *gpu); // nothing can be done with it any more; not so after other failures

// A promise that every device has to keep before it is used, in words; NULL past the last one.
const char *gpu_promise(size_t index);

// A line to tell the user about the device that was opened, or "" (a CPU driver stands in for a GPU).
const char *gpu_notice(const struct gpu *gpu);

// Faults for tests: the AFTERth next call of that kind (1 is the next) fails as a real device might.
// MDAM_VK_INJECT=kind:after in the environment does the same from outside (allocate, pipeline, submit, hang), and
// MDAM_VK_INJECT=unusable makes every device look unfit, MDAM_VK_INJECT=timeless look as if it had no clock,
// MDAM_VK_INJECT=promise:N as if it broke promise N (1 is the first) of those that src/gpu/check.c checks.
enum gpu_fault { GPU_FAULT_ALLOCATE, GPU_FAULT_PIPELINE, GPU_FAULT_SUBMIT, GPU_FAULT_HANG, GPU_FAULTS };
void gpu_inject(struct gpu *gpu, enum gpu_fault fault, int after);

// Fills in the target that a device gets when TARGET is asked for, and what follows from it.
void gpu_info_aim(struct gpu_info *info, enum gpu_target target);

// --- memory -------------------------------------------------------------------------------------------------------

// An arena hands out places one after the other. It counts first and is then backed by memory:
//     a = arena_create(gpu); layout(a); arena_back(a); layout(a);
// The layout function must take the same amounts in the same order both times.
enum { GPU_ALIGNMENT = 256 }; // of every place, and of the size of every take
struct arena;
struct arena *arena_create(struct gpu *gpu, const char *name);
void arena_destroy(struct arena **arena);
uint64_t arena_allocate(struct arena *arena, uint64_t bytes);
bool arena_back(struct arena *arena);            // one sentence with needed and available bytes on failure
uint64_t arena_bytes(const struct arena *arena); // counted so far
bool arena_possible(const struct arena *arena);  // whether the device gives the largest take in one piece

// Bytes that one more arena could take, as far as the driver tells.
uint64_t gpu_memory_left(const struct gpu *gpu);

// Waits for submitted work, then copies. The range lies within one take.
bool gpu_upload(struct gpu *gpu, uint64_t to, const void *from, size_t bytes);
bool gpu_download(struct gpu *gpu, void *to, uint64_t from, size_t bytes);

// --- commands -----------------------------------------------------------------------------------------------------

// The modules that tools/shader makes of one shader. A kernel has those that can be chosen (shaders/meson.build). The
// target `cpu` takes the module CPU, or NARROW on a device without 64-bit integers, or where there is none GPU.
enum gpu_module { GPU_MODULE_GPU, GPU_MODULE_CPU, GPU_MODULE_NARROW, GPU_MODULE_SAFE, GPU_MODULES };

// A kernel: its SPIR-V modules. KERNEL(stem) makes one from the header that the build writes for stem.comp.
struct kernel {
    const char *name;
    struct {
        const uint32_t *words;
        size_t bytes;
    } code[GPU_MODULES];
    size_t args_bytes, pointers; // of its arguments, which they begin with
    bool alone; // one subgroup in a workgroup: the kernel has barriers, which each meets at its own times
};
#define KERNEL(stem) KERNEL_WITH(stem, stem)
// ... with the argument struct of another stem.
#define KERNEL_WITH(stem, arguments)                                                                                   \
    {                                                                                                                  \
        KERNEL_FIELDS(stem, arguments)                                                                                 \
    }
#define KERNEL_ALONE(stem) KERNEL_ALONE_WITH(stem, stem)
#define KERNEL_ALONE_WITH(stem, arguments)                                                                             \
    {                                                                                                                  \
        KERNEL_FIELDS(stem, arguments), .alone = true                                                                  \
    }
#define KERNEL_FIELDS(stem, arguments)                                                                                 \
    .name = #stem, .code = stem##_modules, .args_bytes = sizeof(struct arguments##_args),                              \
    .pointers = arguments##_pointers

struct dispatch {
    const struct kernel *kernel;
    const void *args;  // struct <stem>_args; beyond ARGS_BYTES a copy lies in device memory until cmd_destroy
    uint64_t workers;  // subgroups wanted; a few more may start and must find nothing to do
    uint64_t indirect; // place of three uint32: workgroups in x, y, z; 0: by `workers`
    uint32_t constants[CONSTANTS]; // specialisation constants by their names in shaders/args; the device sets its own
    double flops, bytes;           // useful work, for profiles
};

struct cmd;
struct cmd *cmd_create(struct gpu *gpu);
void cmd_destroy(struct cmd **cmd);

// Recording. Failures latch and are reported by cmd_submit().
void cmd_label(struct cmd *cmd, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cmd_dispatch(struct cmd *cmd, const struct dispatch *dispatch);
void cmd_fill(struct cmd *cmd, uint64_t to, uint64_t bytes, uint32_t value);
void cmd_copy(struct cmd *cmd, uint64_t to, uint64_t from, uint64_t bytes);
// Dispatches between these do not depend on each other: no barriers.
void cmd_together(struct cmd *cmd, bool together);
struct gpu *cmd_gpu(const struct cmd *cmd);
uint64_t cmd_workers(const struct cmd *cmd, uint64_t items); // whose lanes take one item each

// The first submission ends the recording; later ones run the same commands again.
bool cmd_submit(struct cmd *cmd);
bool cmd_wait(struct cmd *cmd);
bool cmd_run(struct cmd *cmd);             // submit and wait
double cmd_seconds(const struct cmd *cmd); // device time of the last completed run; 0 when the device has no clock
uint32_t cmd_submissions(const struct cmd *cmd); // into how many submissions the last run was cut

// The module that this device takes of a kernel; -1: none can be chosen.
int gpu_module(const struct gpu_info *info, const struct kernel *kernel);
// Subgroups in a workgroup of this kernel on this device.
uint32_t gpu_subgroups(const struct gpu *gpu, const struct kernel *kernel);

// --- looking at it ------------------------------------------------------------------------------------------------

// What every trace begins with.
#define GPU_TRACE_START "{\"displayTimeUnit\":\"ms\",\"traceEvents\":["
// Whether the device can measure times; where it cannot, the table is a sentence that says so, and the trace is empty.
bool gpu_has_clock(const struct gpu *gpu);
void gpu_profile_table(const struct gpu *gpu, struct text *out); // per label: calls, ms, %, GFLOP/s, GB/s
void gpu_profile_trace(const struct gpu *gpu, struct text *out); // Chrome / Perfetto trace of the first dispatches
// At the end of the work: false with a sentence when a region was to be captured and none of that name was run.
bool gpu_captured(const struct gpu *gpu);

// What the driver tells about a pipeline that was built, e.g. "registers 48, spills 0, ...".
struct gpu_pipeline_report {
    const char *kernel;
    uint32_t constants[CONSTANTS];
    bool built;
    uint64_t spills;  // registers, or bytes of scratch memory, or accesses to it: whatever the driver counts
    struct text text; // the caller finishes it
};
// The pipelines of a dry device in the order they were first used; false past the last one.
bool gpu_pipeline_report(struct gpu *gpu, size_t index, struct gpu_pipeline_report *report);

#endif
