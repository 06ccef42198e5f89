// The device layer: one Vulkan device, its memory and recorded commands. Higher layers see no Vulkan type.
//
// An address in device memory has 64 bits: a buffer address or, for the target `safe`, a byte offset in the one storage
// buffer that holds everything (offset 0 is never used). 0 means "none".
#ifndef GPU_GPU_H
#define GPU_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shaders/args/constants.h"
#include "util/text.h"

struct gpu;

// How kernels reach memory, and which forms are used (src/nn/forms.c). Every device supports all of them, but one
// without buffer addresses only `safe`.
enum gpu_target {
    GPU_TARGET_AUTO, // by the device; MDAM_VK_TARGET=gpu, cpu or safe in the environment overrides it
    GPU_TARGET_GPU,  // buffer addresses
    GPU_TARGET_CPU,  // buffer addresses, and 64-bit integers to move two floats at a time if the device has them
    GPU_TARGET_SAFE, // one storage buffer, bounds-checked
    GPU_TARGETS,
};
const char *gpu_target_name(enum gpu_target target);

// Features that MDAM_VK_DISABLE disables: subgroup-size, int64, shared-product, addresses.
enum gpu_feature {
    GPU_FEATURE_SUBGROUP_SIZE = 1,  // required and full subgroups
    GPU_FEATURE_INT64 = 2,          // 64-bit integers in kernels
    GPU_FEATURE_SHARED_PRODUCT = 4, // products and decisions through shared memory
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
    uint32_t lanes_min, lanes_max;     // subgroup sizes of the device
    uint32_t lanes;                    // subgroup size in use
    uint32_t threads_max;              // invocations in a workgroup
    uint32_t shared_bytes, push_bytes; // limits
    uint64_t range_max;                // one storage buffer binding
    uint64_t block_max;                // one allocation
    bool addresses, addresses_captured, int64;
    bool shared_product; // matrix products and decisions may use shared memory
    unsigned disabled;   // sum of enum gpu_feature: disabled by MDAM_VK_DISABLE
    enum gpu_target target;
    bool wide;          // the target `cpu` with 64-bit integers
    bool cpu_work;      // use the work division that is fast on CPUs: target `cpu`, or `safe` on a CPU driver
    uint32_t subgroups; // of a workgroup, for kernels that do not say; 0: as suits the device
    bool usable;
    char why_not[256];
};

// Lists all devices, at least one, without duplicates of one GPU through two drivers; the caller frees the list.
bool gpu_list(struct gpu_info **list, size_t *count);

struct gpu_options {
    const char *device; // NULL or "auto", an index, or part of a name
    uint32_t turn;      // "auto": which of several equally good devices, over and over
    enum gpu_target target;
    bool narrow;             // use no 64-bit integers in shaders
    bool profile;            // time every dispatch
    const char *capture;     // label of the region to capture with RenderDoc: that one, or all LABEL/...
    bool staging;            // pretend that the host cannot see device memory
    bool statistics;         // ask the driver for statistics of every pipeline
    bool dry;                // build pipelines but record nothing: for drivers without their hardware
    bool assembly;           // of a dry device: reports have the pipelines' instructions
    uint64_t heap_bytes;     // target safe: the heap's size; 0: as large as one binding and half the memory allow
    uint64_t block_bytes;    // max size of an allocation; 0: the device's limit
    double submission_limit; // seconds of work in one submission; 0: 0.15
    uint32_t cuts;           // for tests: commands of every dispatch; 0: by cost
    uint32_t subgroups;      // for tests: of a workgroup; 0: as suits the device
    bool dirty;              // for tests: new memory that the host sees holds NaNs, as a GPU's may
    double wait_limit;       // seconds without progress before the device counts as hung; 0: 120, on a CPU 1200
    const char *cache;       // folder of the pipeline cache; NULL: the user's
    void (*compiling)(
        void *user, uint32_t count); // called before a pipeline is built, with the number so far; may be NULL
    void *user;
};

bool gpu_open(struct gpu **gpu, const struct gpu_options *options);
void gpu_close(struct gpu **gpu);
const struct gpu_info *gpu_info(const struct gpu *gpu);
bool gpu_is_lost(const struct gpu *gpu); // the device is unusable from now on; false after other failures

// Describes a guarantee that every device must give before it is used; NULL after the last one.
const char *gpu_promise(size_t index);
// Whether the device keeps them all, which gpu_open() asks for itself; fills in why_not otherwise.
bool gpu_check_promises(struct gpu *gpu);

// Returns a line for the user about the opened device, or "" (e.g. a CPU driver replaces a GPU).
const char *gpu_notice(const struct gpu *gpu);

// Faults for tests: call number AFTER of that kind (1 is the next) fails as on a real device. MDAM_VK_INJECT=kind:after
// in the environment does the same (allocate, pipeline, submit, hang). MDAM_VK_INJECT=unusable makes every device
// unusable, =timeless removes its clock, =cut:N cuts every dispatch into N commands, =dirty puts NaNs into new memory,
// and =promise:N makes it fail check N (from 1) of src/gpu/check.c.
enum gpu_fault { GPU_FAULT_ALLOCATE, GPU_FAULT_PIPELINE, GPU_FAULT_SUBMIT, GPU_FAULT_HANG, GPU_FAULTS };
void gpu_inject(struct gpu *gpu, enum gpu_fault fault, int after);

// Sets the target of a device for the requested TARGET, and everything that depends on it.
void gpu_info_aim(struct gpu_info *info, enum gpu_target target);

// --- memory -------------------------------------------------------------------------------------------------------

// An arena allocates addresses one after the other. It counts first and is then backed by memory:
//     a = arena_create(gpu); layout(a); arena_back(a); layout(a);
// The layout function must allocate the same amounts in the same order both times.
enum { GPU_ALIGNMENT = 256 }; // of every address and size
struct arena;
struct arena *arena_create(struct gpu *gpu, const char *name);
void arena_destroy(struct arena **arena);
uint64_t arena_allocate(struct arena *arena, uint64_t bytes);
bool arena_back(struct arena *arena);            // on failure one message with required and available bytes
uint64_t arena_bytes(const struct arena *arena); // counted so far
bool arena_possible(const struct arena *arena);  // whether the device supports the largest allocation

// Returns the bytes of the device's memory that arenas may use, the same in every process: whether free or not.
uint64_t gpu_memory(const struct gpu *gpu);

// Returns the bytes that one more arena could allocate, as reported by the driver.
uint64_t gpu_memory_left(const struct gpu *gpu);

// The range lies within one allocation. An upload comes after all submitted work and before all later work; the device
// copies it with the next submission if the host does not see the memory. A download waits for submitted work.
bool gpu_upload(struct gpu *gpu, uint64_t to, const void *from, size_t bytes);
bool gpu_download(struct gpu *gpu, void *to, uint64_t from, size_t bytes);
// Several downloads with one wait.
struct gpu_part {
    void *to;
    uint64_t from;
    size_t bytes;
};
bool gpu_download_parts(struct gpu *gpu, const struct gpu_part *parts, size_t count);

// --- commands -----------------------------------------------------------------------------------------------------

// The modules that tools/shader makes from one shader. A kernel has those that can be selected (shaders/meson.build).
// The target `cpu` uses the module CPU, or NARROW on a device without 64-bit integers, or else GPU.
enum gpu_module { GPU_MODULE_GPU, GPU_MODULE_CPU, GPU_MODULE_NARROW, GPU_MODULE_SAFE, GPU_MODULES };

// A kernel: its SPIR-V modules. KERNEL(stem) makes one from the header that the build writes for stem.comp.
struct kernel {
    const char *name;
    struct {
        const uint32_t *words;
        size_t bytes;
    } code[GPU_MODULES];
    size_t args_bytes, pointers; // of its arguments; pointers come first
    bool alone;       // one subgroup per workgroup: the kernel has barriers, which subgroups reach at different times
    uint32_t threads; // per workgroup, for any number of lanes; 0: the device's usual
};
#define KERNEL(stem) KERNEL_WITH(stem, stem)
// The same with the argument struct of another stem.
#define KERNEL_WITH(stem, arguments)                                                                                   \
    {                                                                                                                  \
        KERNEL_FIELDS(stem, arguments)                                                                                 \
    }
#define KERNEL_ALONE(stem) KERNEL_ALONE_WITH(stem, stem)
#define KERNEL_ALONE_WITH(stem, arguments)                                                                             \
    {                                                                                                                  \
        KERNEL_FIELDS(stem, arguments), .alone = true                                                                  \
    }
// ... with the argument struct of another stem and a number of threads that its shared memory is made for.
#define KERNEL_THREADS_WITH(stem, arguments, count)                                                                    \
    {                                                                                                                  \
        KERNEL_FIELDS(stem, arguments), .threads = (count)                                                             \
    }
#define KERNEL_FIELDS(stem, arguments)                                                                                 \
    .name = #stem, .code = stem##_modules, .args_bytes = sizeof(struct arguments##_args),                              \
    .pointers = arguments##_pointers

struct dispatch {
    const struct kernel *kernel;
    const void *args; // struct <stem>_args; larger than ARGS_BYTES: a copy is in device memory until cmd_destroy
    uint64_t workers; // required subgroups; a few more may start and must do nothing
    uint32_t constants[CONSTANTS]; // specialisation constants by their names in shaders/args; the device adds its own
    double flops, bytes;           // useful work, for profiles
};

struct cmd;
struct cmd *cmd_create(struct gpu *gpu);
void cmd_destroy(struct cmd **cmd); // does not wait: what was submitted completes

// Recording. Failures latch; cmd_submit() reports them.
void cmd_label(struct cmd *cmd, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cmd_dispatch(struct cmd *cmd, const struct dispatch *dispatch);
void cmd_fill(struct cmd *cmd, uint64_t to, uint64_t bytes, uint32_t value);
void cmd_copy(struct cmd *cmd, uint64_t to, uint64_t from, uint64_t bytes);
// One command for several copies of the same bytes, one behind the other.
void cmd_copy_repeated(struct cmd *cmd, uint64_t to, uint64_t from, uint64_t bytes, uint32_t times);
// Dispatches between these calls are independent: no barriers.
void cmd_together(struct cmd *cmd, bool together);
struct gpu *cmd_gpu(const struct cmd *cmd);
uint64_t cmd_workers(const struct cmd *cmd, uint64_t items); // workers for `items`, one item per lane

// At the end of a run the word at FROM is copied to memory of the host: cmd_reported() returns it.
void cmd_report(struct cmd *cmd, uint64_t from);
bool cmd_reported(struct cmd *cmd, uint32_t *word); // that of a run that is complete, or of a later one

// The first submission ends the recording; later ones run the same commands again, if need be before the last run is
// complete.
bool cmd_submit(struct cmd *cmd);
bool cmd_wait(struct cmd *cmd);
bool cmd_run(struct cmd *cmd);                   // submit and wait
double cmd_seconds(const struct cmd *cmd);       // device time of the last run waited for; 0 if there is no clock
uint32_t cmd_submissions(const struct cmd *cmd); // submissions of the last run
uint32_t cmd_commands(const struct cmd *cmd);    // dispatches, fills and copies recorded so far

// A ticket stands for all work submitted so far. gpu_wait() waits until it is complete; on failure the message names
// the label that was running.
uint64_t gpu_ticket(const struct gpu *gpu);
bool gpu_wait(struct gpu *gpu, uint64_t ticket);
// Waits until the device has little left to do, at most about one submission's limit. The device never runs dry in it.
bool gpu_pace(struct gpu *gpu);

// Returns the module of a kernel that this device uses; -1: none.
int gpu_module(const struct gpu_info *info, const struct kernel *kernel);
// Returns the subgroups in a workgroup of this kernel on this device; gpu_subgroups_usual: if it says nothing else.
uint32_t gpu_subgroups(const struct gpu *gpu, const struct kernel *kernel);
uint32_t gpu_subgroups_usual(const struct gpu_info *info);

// --- profiles and captures -----------------------------------------------------------------------------------------

// The start of every trace.
#define GPU_TRACE_START "{\"displayTimeUnit\":\"ms\",\"traceEvents\":["
// Returns whether the device can measure time; otherwise the table is a sentence that says so, and the trace is empty.
bool gpu_has_clock(const struct gpu *gpu);
void gpu_profile_table(const struct gpu *gpu, struct text *out); // per label: calls, ms, %, GFLOP/s, GB/s
void gpu_profile_trace(const struct gpu *gpu, struct text *out); // Chrome / Perfetto trace of the first dispatches
// Since the device was opened; the check of its promises does not count.
struct gpu_counts {
    uint64_t submissions, buffers; // calls of the queue, and command buffers in them
    uint64_t commands;             // dispatches, fills and copies that ran
    uint64_t waits;                // the host had to stop until all submitted work was complete
    uint64_t paces;                // the host had to stop until some of it was complete
    uint64_t uploads, downloads;
};
struct gpu_counts gpu_counts(const struct gpu *gpu);
// At the end of the work: false with a message if a region was to be captured but none of that label was run.
bool gpu_captured(const struct gpu *gpu);

// Describes the device and its driver, one "key: value" per line.
void gpu_identity(const struct gpu *gpu, struct text *out);
// The longest so far, in seconds: of dispatches, with a profile only, and of submissions. 0 where there is no clock.
struct gpu_longest {
    double dispatch, submission;
};
struct gpu_longest gpu_longest(const struct gpu *gpu);
// Pipelines that were built, and how long that took.
size_t gpu_pipeline_count(const struct gpu *gpu, double *seconds);

// From now on STOP is called before a pipeline is built, on the recording thread. If it returns true, the recording
// fails, and so do all others that need a new pipeline until the next call of gpu_set_stop. NULL: never.
void gpu_set_stop(struct gpu *gpu, bool (*stop)(void *user), void *user);
bool gpu_was_stopped(const struct gpu *gpu); // since gpu_set_stop

// Statistics of the driver about a pipeline, e.g. "registers 48, spills 0, ...".
struct gpu_pipeline_report {
    const char *kernel;
    uint32_t constants[CONSTANTS];
    bool built;
    uint64_t spills;      // registers, bytes of scratch memory, or accesses to it, depending on the driver
    struct text text;     // the caller finishes both
    struct text assembly; // with the option
};
// Returns the pipelines of a dry device, or one with statistics, in the order of their first use; false after the last
// one.
bool gpu_pipeline_report(struct gpu *gpu, size_t index, struct gpu_pipeline_report *report);

#endif
