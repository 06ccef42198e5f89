// libmdam: the Multi-Decoder Attention Model for routing problems on a Vulkan device.
//
//     struct mdam_device *device = NULL;
//     struct mdam_model *model = NULL;
//     struct mdam_instances *instances = NULL;
//     struct mdam_solutions *solutions = NULL;
//     if (mdam_device_open(&device, NULL) && mdam_model_load(&model, device, "cvrp.safetensors", NULL) &&
//         mdam_instances_read(&instances, "orders.json", SIZE_MAX) &&
//         mdam_solve(&solutions, instances, (struct mdam_model *const[]){ model }, 1, NULL))
//         printf("%g\n", mdam_solution(solutions, 0)->objective);
//     else
//         fprintf(stderr, "%s\n", mdam_error());
//     mdam_solutions_free(&solutions);
//     mdam_instances_free(&instances);
//     mdam_model_free(&model);
//     mdam_device_close(&device);
//
// Functions that can fail return false, and mdam_error() has one sentence about it. What they hand out through a
// pointer is then NULL, or what it was (mdam_solve() hands out what it has). Everything that is handed out has a
// function that frees it, takes a pointer to the variable, sets it to NULL and does nothing when it is NULL already.
//
// Options and descriptions begin with their own size: `struct mdam_solve_options options = { sizeof options,
// .augment = 8 };`. Fields that are left out are zero, which stands for the default; NULL stands for all defaults.
// Later versions add fields at the end. Structs that the library hands out may grow at the end, too.
//
// Numbers in files, texts and sentences have a decimal point in every locale; callbacks run in the caller's locale.
//
// One thread at a time may use a device and everything made from it, or a list of instances; different threads may use
// different ones at the same time, and open, make and free them. Two things are for the whole process and stay: opening
// the first device may set LP_NATIVE_VECTOR_WIDTH in the environment, which Mesa's CPU driver looks at as long as the
// device is open, so that no other thread may use the environment in that call, nor change this variable later; and the
// first call that opens a device or reads instances gives jansson allocators over malloc() and free(), so that no other
// thread may be inside jansson in that call. Two more end the process, after a sentence on stderr: a mistake that the
// library finds in itself or in how it is called, by abort(); and running out of host memory, by _Exit(1).
#ifndef MDAM_MDAM_H
#define MDAM_MDAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#define MDAM_API __attribute__((visibility("default")))
#else
#define MDAM_API
#endif

// --- errors -------------------------------------------------------------------------------------------------------

// What stood in the way of the calling thread's last call that failed.
enum mdam_fault {
    MDAM_FAULT_NONE = 0,
    MDAM_FAULT_INTERNAL = 1, // a mistake in the library, or in how it is called
    MDAM_FAULT_INPUT = 2,    // a file, an instance, an option
    MDAM_FAULT_DEVICE = 3,   // no usable device, or a lost one
};

MDAM_API const char *mdam_error(void); // one sentence; stands until the next failure
MDAM_API enum mdam_fault mdam_error_fault(void);
MDAM_API const char *mdam_error_field(void); // field of an options struct that the sentence is about, or NULL

MDAM_API const char *mdam_version(void); // "0.2.0"

// Grows with every addition to this header. A program that was compiled with a newer header than the library has finds
// that mdam_api_version() is below MDAM_API_VERSION.
#define MDAM_API_VERSION 3
MDAM_API uint32_t mdam_api_version(void);

// The problems' names, from 0 on; NULL behind the last.
MDAM_API const char *mdam_problem_name(size_t index);

// The keys that a problem's instances have in JSON, in brackets those that may be left out, to be freed; NULL
// behind the last problem.
MDAM_API char *mdam_problem_keys(size_t index);

// Frees a text that the library made.
MDAM_API void mdam_text_free(char **text);

// --- options as data ----------------------------------------------------------------------------------------------

// What type a field has, and how a command line takes it.
enum mdam_option_kind {
    MDAM_OPTION_SWITCH,  // bool
    MDAM_OPTION_TEXT,    // const char *
    MDAM_OPTION_PROBLEM, // const char *, a problem's name
    MDAM_OPTION_WORD,    // const char *, one of the words that `value` lists as "a|b|c"
    MDAM_OPTION_CHOICE,  // an enum: the number of the word
    MDAM_OPTION_COUNT,   // uint32_t
    MDAM_OPTION_WHOLE,   // uint64_t
    MDAM_OPTION_SEED,    // uint64_t; 0 is a seed like others, `usual` a suggestion
    MDAM_OPTION_REAL,    // double
    MDAM_OPTION_PERIOD,  // int32_t; -1: none
    MDAM_OPTION_RANGE,   // two uint32_t, one behind the other: from and to; to 0: the same as from
    MDAM_OPTION_REALS,   // two doubles, likewise
};

// A field of an options struct. Functions that take options fill in and check them by these tables.
struct mdam_option {
    const char *name; // of the field, without _min for a range; a table ends where it is NULL
    const char *flag; // as mdam-vk calls it; NULL: it has none
    enum mdam_option_kind kind;
    size_t offset;     // of the field
    const char *value; // stands for the value in a help text; the words to choose from
    const char *help;
    double min, max; // in the field's unit; max 0: no bound
    double usual;    // what 0 stands for; the number of the word; 0: see `help`
    double unit;     // of a flag's value, in the field's unit; 0: the same
    bool none;       // a value below 0 stands for none, as a flag's 0 does
    bool required;
    const char *only; // goes with this word of the table's first choice alone; NULL: with all
};

enum mdam_option_table {
    MDAM_OPTIONS_DEVICE,    // struct mdam_device_options
    MDAM_OPTIONS_SOLVE,     // struct mdam_solve_options
    MDAM_OPTIONS_TRAIN,     // struct mdam_train_options: what decides a model's bytes
    MDAM_OPTIONS_TRAIN_RUN, // struct mdam_train_options: of one run alone
    MDAM_OPTIONS_GENERATE,  // struct mdam_generate_options
    MDAM_OPTIONS_INIT,      // struct mdam_init_options
    MDAM_OPTIONS_IMPROVE,   // struct mdam_improve_options
};
MDAM_API const struct mdam_option *mdam_options(enum mdam_option_table table);

// --- devices ------------------------------------------------------------------------------------------------------

struct mdam_device;

// Which kernels run. Every device can have each of them; one without buffer addresses always has MDAM_TARGET_SAFE.
enum mdam_target {
    MDAM_TARGET_AUTO, // as suits the device
    MDAM_TARGET_GPU,  // kernels for GPUs
    MDAM_TARGET_CPU,  // kernels for drivers that compute on the CPU
    MDAM_TARGET_SAFE, // every memory access is checked
};

struct mdam_device_options {
    size_t size;
    const char *device;  // a number, a part of the name, or NULL: a GPU if there is one, else a CPU driver
    bool safe;           // the same as MDAM_TARGET_SAFE
    bool profile;        // measure every kernel, for mdam_device_profile
    const char *capture; // label of the region that RenderDoc captures
    // May be NULL: told before a kernel is compiled how many were before it. Drivers keep compiled kernels, so that
    // only the first use of a device takes seconds.
    void (*compiling)(void *user, uint32_t count);
    void *user;
    enum mdam_target target;
};

MDAM_API bool mdam_device_open(struct mdam_device **device, const struct mdam_device_options *options);
MDAM_API void mdam_device_close(struct mdam_device **device); // after everything made from it is freed

MDAM_API const char *mdam_device_name(const struct mdam_device *device);
MDAM_API const char *mdam_device_notice(
    const struct mdam_device *device); // what a user should know of the choice, or ""

enum mdam_profile {
    MDAM_PROFILE_TABLE, // a table for people
    MDAM_PROFILE_TRACE, // JSON for chrome://tracing or Perfetto
};
// Where the time went so far, as a text to be freed. On a device that cannot measure, a table is a sentence about that
// and a trace is empty.
MDAM_API char *mdam_device_profile(const struct mdam_device *device, enum mdam_profile profile);
MDAM_API bool mdam_device_has_clock(const struct mdam_device *device);
#define MDAM_TRACE_START "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[" // every trace begins so
// Whether RenderDoc has captured the region that `capture` names, or none is to be.
MDAM_API bool mdam_device_captured(const struct mdam_device *device);

// What Vulkan offers on this machine.
struct mdam_device_info {
    uint32_t index; // to choose it by
    const char *name;
    const char *type; // "discrete", "integrated", "virtual", "cpu" or "other"
    const char *driver, *driver_version;
    const char *api_version;
    uint64_t memory;               // bytes of the largest heap on the device
    uint32_t lanes_min, lanes_max; // subgroup sizes
    uint32_t lanes;                // the one that is used
    uint32_t workgroup_invocations, shared_bytes, push_constant_bytes;
    uint64_t storage_buffer_bytes, allocation_bytes;
    bool buffer_addresses, int64;
    const char *target, *target_help; // how kernels reach memory, and which forms of them are taken
    bool usable;
    const char *why_not;
    const char *forms;    // of the kernels, a line for each
    const char *disabled; // features that MDAM_VK_DISABLE turns off: "int64, addresses", or ""
};
struct mdam_devices;
MDAM_API bool mdam_devices_list(struct mdam_devices **devices, enum mdam_target target);
MDAM_API void mdam_devices_free(struct mdam_devices **devices);
MDAM_API size_t mdam_devices_count(const struct mdam_devices *devices);
MDAM_API const struct mdam_device_info *mdam_devices_info(const struct mdam_devices *devices, size_t index);

// --- models -------------------------------------------------------------------------------------------------------

struct mdam_model;

struct mdam_model_options {
    size_t size;
    const uint32_t *decoders; // numbers of those to load, from 0, each once; NULL: all
    size_t decoder_count;
};

struct mdam_model_info {
    const char *problem;      // "tsp", "cvrp", "sdvrp", "op", "pctsp" or "spctsp"
    const char *name;         // the file's
    uint32_t decoder_count;   // loaded
    const uint32_t *decoders; // their numbers in the file
    uint32_t n_min, n_max;    // customers it was trained for; 0: not known
    uint64_t instances;       // seen in training
    bool has_validation;
    double validation; // objective
    uint32_t embedding, heads, hidden, layers;
    int32_t glimpse;            // decisions between glimpses; -1: none
    const char *norm, *dialect; // "instance", ..; "native" or "reference"
    uint32_t best_decoder;      // in validation: its number in the file
};

// Reads what a model is, without a device.
MDAM_API bool mdam_model_read(
    struct mdam_model_info **info, const char *path, const struct mdam_model_options *options);
MDAM_API void mdam_model_info_free(struct mdam_model_info **info);

MDAM_API bool mdam_model_load(
    struct mdam_model **model, struct mdam_device *device, const char *path, const struct mdam_model_options *options);
MDAM_API void mdam_model_free(struct mdam_model **model);
MDAM_API const struct mdam_model_info *mdam_model_info(const struct mdam_model *model);

// The path of the model that ships for a problem, to be freed: <problem>.safetensors in the folder that the environment
// variable MDAM_VK_MODELS names; else in the folder that is installed with the library; else in the source tree that
// the library was built in.
MDAM_API bool mdam_model_find(char **path, const char *problem);

// Writes a checkpoint of the released PyTorch programs as a model. ARGS is the args.json beside it, or NULL; what has
// to be assumed for want of a word in it is said to `note`, which may be NULL.
MDAM_API bool mdam_import(const char *output, const char *checkpoint, const char *args,
    void (*note)(void *user, const char *sentence), void *user);

// Whose names a model is written under.
enum mdam_release {
    MDAM_RELEASE_MDAM, // the multi-decoder attention model
    MDAM_RELEASE_AM,   // the attention model: one decoder and no glimpse
};
// Writes a model for the released PyTorch programs: OUTPUT ends with .pt or .safetensors. ARGS, which may be NULL, gets
// the arguments that mdam_import needs. What the released program computes otherwise is said to `note`, which may be
// NULL.
MDAM_API bool mdam_export(const char *output, const char *model, enum mdam_release release, const char *args,
    void (*note)(void *user, const char *sentence), void *user);

// Writes a model with untrained weights.
struct mdam_init_options {
    size_t size;
    const char *problem;
    uint32_t n;                                          // customers that the glimpse period is chosen for; 0: 20
    uint32_t decoders, embedding, heads, hidden, layers; // 0: 5, 128, 8, 512, 3
    const char *norm;                                    // "instance", "batch" or "layer"; NULL: "instance"
    int32_t glimpse;                                     // decisions between glimpses; 0: by size; -1: none
    uint64_t seed;
};
MDAM_API bool mdam_init(const char *output, const struct mdam_init_options *options);

// --- instances ----------------------------------------------------------------------------------------------------

// A list of instances of any problems and sizes. The functions that add to a list make it when it is NULL; on failure
// the list is as it was.
struct mdam_instances;

// Adds at most `most` instances of a file: JSON, JSON Lines, .tsp, .vrp, .oplib, .npz or .pkl; "-" is
// standard input.
MDAM_API bool mdam_instances_read(struct mdam_instances **list, const char *path, size_t most);

// The same; PROBLEM, which may be NULL, is that of the instances of a file that does not name it (.npz, .pkl).
MDAM_API bool mdam_instances_read_as(struct mdam_instances **list, const char *path, size_t most, const char *problem);

// Writes a list: .npz (one problem and size), .pkl (one problem), or, with any other ending, JSON Lines; "-" is
// standard output.
MDAM_API bool mdam_instances_write(const struct mdam_instances *list, const char *path);

// Adds the instances of a JSON or JSON Lines text.
MDAM_API bool mdam_instances_parse(struct mdam_instances **list, const char *json, size_t bytes);

// One instance. Columns that the problem does not have are not looked at. The arrays are copied.
struct mdam_instance_data {
    size_t size;
    const char *problem;
    const char *name; // or NULL
    uint32_t n;       // customers (TSP: nodes)
    const double *x, *y;
    double depot_x, depot_y;
    const double *demand; // cvrp, sdvrp: decimals
    double capacity;
    const double *prize;      // op, pctsp, spctsp (expected)
    const double *real_prize; // spctsp: revealed on visiting; NULL: as expected
    const double *penalty;    // pctsp, spctsp
    double min_prize;         // pctsp, spctsp; 0, as everywhere: nothing has to be collected
    double max_length;        // op
};
MDAM_API bool mdam_instances_add(struct mdam_instances **list, const struct mdam_instance_data *data);

MDAM_API void mdam_instances_free(struct mdam_instances **list);
MDAM_API size_t mdam_instances_count(const struct mdam_instances *list); // 0 for NULL
MDAM_API const char *mdam_instance_problem(const struct mdam_instances *list, size_t index);
MDAM_API const char *mdam_instance_name(const struct mdam_instances *list, size_t index); // or NULL
MDAM_API uint32_t mdam_instance_size(const struct mdam_instances *list, size_t index);    // customers
// How many warnings its reader had, and the first of them.
MDAM_API size_t mdam_instance_warnings(const struct mdam_instances *list, size_t index, const char *const **warnings);

enum mdam_like {
    MDAM_LIKE_OWN,  // numbers that devices draw, too
    MDAM_LIKE_KOOL, // those of the published test sets, which depend on `count`
};

// Random instances: the paper's distributions.
struct mdam_generate_options {
    size_t size;
    const char *problem;
    uint32_t n_min, n_max; // customers
    uint32_t count, limit; // instances drawn, and of those the first that are wanted; 0: all
    uint64_t seed;
    enum mdam_like like;
    uint32_t capacity_min, capacity_max;   // cvrp, sdvrp; 0: as published for the size
    const char *prize;                     // op: "const", "unif", "dist" or "mixed"; NULL: "dist"
    const char *layout;                    // "uniform", "cluster" or "mixed"; NULL: "uniform"
    double max_length_min, max_length_max; // op: length limits; 0: as published for the size
};
MDAM_API bool mdam_instances_generate(struct mdam_instances **list, const struct mdam_generate_options *options);
MDAM_API bool mdam_generate(const char *output, const struct mdam_generate_options *options); // as mdam_instances_write

// --- solving ------------------------------------------------------------------------------------------------------

enum mdam_decode {
    MDAM_DECODE_BEAM,   // a beam search for each decoder
    MDAM_DECODE_GREEDY, // every decoder's best guess
    MDAM_DECODE_SAMPLE, // drawn by the decoders' probabilities
};

// What is done on the host, after decoding, to make plans better.
enum mdam_improve {
    MDAM_IMPROVE_AUTO,  // beams: local, with a time limit full; nothing else, and no problem whose prizes are revealed
    MDAM_IMPROVE_OFF,   // nothing: the network's own answers
    MDAM_IMPROVE_LOCAL, // local search on the candidates
    MDAM_IMPROVE_FULL,  // ruin and recreate as well, for the time that is left or for so many iterations
};

struct mdam_solve_options {
    size_t size;
    enum mdam_decode decode;
    // MDAM_DECODE_BEAM: hypotheses of each decoder, and moves that each of them offers (more than there are nodes:
    // all). 0: 30 and 3; where neither is given, for an instance of up to 8 customers 1024 and all.
    uint32_t beam, expand;
    bool no_merge;      // MDAM_DECODE_BEAM: hypotheses stay that others are at least as good as in every respect
    uint32_t samples;   // MDAM_DECODE_SAMPLE: for each decoder; 0: 16
    double temperature; // MDAM_DECODE_SAMPLE: above 1 bolder, below more careful; 0: 1
    uint32_t augment;   // 8: also the seven other turned and mirrored views of each instance; 0: 1
    uint64_t seed;      // of what is drawn
    // One committed trajectory, greedy or one sample, by the decoder that did best in validation; where that is not
    // loaded, by the first one, with a warning.
    bool online;
    uint64_t memory; // bytes of device memory for one batch; 0: as many as are sensible
    // Seconds for everything, 0: no limit. Every instance's first answer is greedy; then come wider and wider beams,
    // from `beam` on, and other views, as long as there is time. First answers may take a tenth of the time longer, or
    // half a second; instances that have none then are not solved. MDAM_DECODE_BEAM only.
    double time_limit;
    // All may be NULL; `user` is passed on to them. `progress` is called before the first batch, with 0, and after
    // each; false ends the work early. `warn` is called before that, for every warning of every instance; and later,
    // with a time limit, when a wider beam fails, for want of memory say, and the best so far are the answers. `stop`
    // is asked every few decisions; true ends the work with the answers so far, where there are none yet within about
    // two seconds. `improved` is told, with a time limit, of every answer that is better than the one before. `working`
    // is told within a batch, every few decisions, how many of its solutions' decisions are made, and how many there
    // are at most.
    bool (*progress)(void *user, size_t done, size_t count);
    void (*warn)(void *user, size_t instance, const char *warning);
    void *user;
    bool (*stop)(void *user);
    void (*improved)(void *user, size_t instance, double objective);
    void (*working)(void *user, uint32_t decisions, uint32_t most);
    // Told which instance is too large for its model's device, before mdam_solve fails for that, with nothing solved.
    void (*refused)(void *user, size_t instance);
    enum mdam_improve improve;
    uint64_t improve_iterations; // of each of four chains of MDAM_IMPROVE_FULL; 0: by time, else 1000 times customers
    // Plans of the same instances to begin with, besides the network's, where they are improved; or NULL.
    const struct mdam_solutions *initial;
};

struct mdam_route {
    size_t count;
    const uint32_t *stops; // customers (TSP: nodes) from 1 in the order of the instance; the depot is left out
    const double *amounts; // sdvrp: delivered at each; else NULL
};

// In the user's units. Every solution has passed an independent judge that knows the problem's rules.
struct mdam_solution {
    bool solved;      // false: the work ended before; nothing else is set but the warnings
    double objective; // length; op: prize; pctsp, spctsp: length plus penalties
    double length, prize, penalty;
    bool has_rounded; // the instance's file format rounds distances:
    double rounded;   // the objective by its rules
    size_t route_count;
    const struct mdam_route *routes;
    enum mdam_decode decode;     // how it was found
    uint32_t beam, augment;      // likewise; no beam: 0
    uint32_t decoder;            // that found it, its number in the file
    const double *decoder_costs; // the best of each decoder loaded, minimised (op: negative), in the network's units
    bool hindsight;              // spctsp: the best of several, chosen when all prizes were known
    double seconds;              // its share of the time
    size_t warning_count;
    const char *const *warnings; // about the instance, and about using this model for it
    bool feasible;               // always, but for solutions that were read
    const char *violation;       // the first, where it is not
    const char *improve;         // "local" or "full" where the plan was improved, else NULL
    const char *origin;          // what it began with then: "decoder", "savings", "insertion" or "given"
    double constructed;          // and the objective of that
};

struct mdam_solutions;

// Solves every instance of the list with the model of its problem, one of the `count` models, which share a device.
// The instances and the models must stay until the solutions are freed. Solutions that were found before a failure, as
// when the device is lost, are handed out although it returns false, to be freed like others; if there are none, NULL.
MDAM_API bool mdam_solve(struct mdam_solutions **solutions, const struct mdam_instances *instances,
    struct mdam_model *const *models, size_t count, const struct mdam_solve_options *options);

// What mdam_solve refuses that can be seen without a device. RESOLVED, which may be NULL, gets the options with their
// defaults filled in.
MDAM_API bool mdam_solve_check(const struct mdam_solve_options *options, struct mdam_solve_options *resolved);

// Reads solutions of the instances from a file, JSON, .sol or .tour, and judges them. Those that are missing are not
// `solved`; the others may be infeasible.
MDAM_API bool mdam_solutions_read(
    struct mdam_solutions **solutions, const struct mdam_instances *instances, const char *path);

// Improves the plans that were read or found, on the host alone. Fails where one is infeasible. The instances and GIVEN
// stay until the result is freed.
struct mdam_improve_options {
    size_t size;
    double time_limit;   // seconds for everything; 0 and no iterations: local search only
    uint64_t iterations; // of each of four chains; the same number gives the same plans
    uint64_t seed;
    bool (*stop)(void *user); // asked often; true ends the work with the plans so far; or NULL
    void *user;
};
MDAM_API bool mdam_improve(
    struct mdam_solutions **solutions, const struct mdam_solutions *given, const struct mdam_improve_options *options);

MDAM_API void mdam_solutions_free(struct mdam_solutions **solutions);
MDAM_API size_t mdam_solutions_count(const struct mdam_solutions *solutions); // as many as instances
MDAM_API const struct mdam_solution *mdam_solution(const struct mdam_solutions *solutions, size_t index);

enum mdam_format {
    MDAM_FORMAT_JSON,    // one line
    MDAM_FORMAT_SOL,     // CVRPLIB
    MDAM_FORMAT_TOUR,    // TSPLIB
    MDAM_FORMAT_TEXT,    // for people
    MDAM_FORMAT_SVG,     // a picture
    MDAM_FORMAT_VERDICT, // what the judge says, as a line of JSON
};
// A solution that is solved as a text, to be freed. A verdict may be asked for also where there is no solution.
MDAM_API char *mdam_solution_text(const struct mdam_solutions *solutions, size_t index, enum mdam_format format);
// An instance as JSON or as a picture, likewise.
MDAM_API char *mdam_instance_text(const struct mdam_instances *instances, size_t index, enum mdam_format format);

// --- measuring ----------------------------------------------------------------------------------------------------

struct mdam_evaluation {
    const char *problem;
    uint32_t n_min, n_max;     // customers of the smallest and the largest instance that was solved
    size_t count;              // instances that were solved
    double objective;          // mean
    double standard_error;     // of the mean; NaN for a single instance
    double seconds;            // for all, without loading
    size_t decoder_count;      // online: only the one that commits
    const uint32_t *decoders;  // their numbers in the file
    const uint64_t *wins;      // of each: instances where its best is the best of all
    const uint64_t *sole_wins; // ... and no other decoder's is
    size_t instances;          // that were given
    const double *objectives;  // of each; NaN where not solved
    bool hindsight;            // spctsp: as in struct mdam_solution
    bool has_hindsight;        // the problem has it
    bool maximise;             // larger objectives are better
};

// Solves the list, all of the model's problem, and sums up.
MDAM_API bool mdam_evaluate(struct mdam_evaluation **evaluation, struct mdam_model *model,
    const struct mdam_instances *instances, const struct mdam_solve_options *options);
MDAM_API void mdam_evaluation_free(struct mdam_evaluation **evaluation);

// --- training -----------------------------------------------------------------------------------------------------

enum mdam_baseline {
    MDAM_BASELINE_ROLLOUT, // the best greedy cost of a frozen model, as in the paper
    MDAM_BASELINE_SHARED,  // the mean of a decoder's own samples, or of the decoders' where each has one
};

enum mdam_train_event {
    MDAM_TRAIN_BEGINS,
    MDAM_TRAIN_STEP,      // a step is complete
    MDAM_TRAIN_EVALUATES, // `done` of `count` instances of a validation, or of a comparison with the baseline
    MDAM_TRAIN_VALIDATED,
};

// Costs are minimised: for op they are negative.
struct mdam_train_progress {
    enum mdam_train_event event;
    uint32_t done, count;
    uint32_t epoch, epochs; // complete, and of all
    uint64_t step, steps;   // likewise, counted over all epochs
    uint64_t instances;
    double cost, baseline, kl, lr; // of the last step
    uint32_t skipped;              // steps whose gradient was not finite
    bool has_validation;
    double validation, best;      // the last cost and the lowest
    double per_second;            // instances
    double seconds, seconds_left; // spent on the training; left, NaN when not known
};

struct mdam_train_options {
    size_t size;
    const char *problem;
    uint32_t n_min, n_max;               // customers; n_max 0: n_min
    uint32_t capacity_min, capacity_max; // cvrp, sdvrp; 0: as published for the size
    const char *prize;                   // op: "const", "unif", "dist" or "mixed"; NULL: "dist"
    const char *init;                    // a model to start from, where names and shapes of weights agree
    uint32_t decoders, embedding, heads, hidden, layers; // 0: as in `init`, or 5, 128, 8, 512, 3
    const char *norm;      // "instance", "batch" or "layer"; NULL: as in `init`, or "instance"
    int32_t glimpse;       // decisions between glimpses; 0: by size; -1: none
    uint32_t glimpse_from; // the first epoch with glimpses
    uint32_t epochs;       // 0: 100
    uint64_t epoch_size;   // instances, rounded up to whole batches; 0: 2500 batches
    uint32_t batch;        // instances; 0: 512
    uint32_t rollouts;     // samples of an instance by each decoder; 0: 1
    enum mdam_baseline baseline;
    double lr;          // learning rate; 0: 1e-4
    double lr_decay;    // its factor from epoch to epoch; 0: 1
    double lr_final;    // what it ends at, along a cosine over all epochs; 0: no such thing
    double kl;          // weight of the decoders' divergence; 0: 0.01; below 0: none
    uint32_t val_size;  // instances of the validation; 0: 10000
    uint32_t log_every; // steps; 0: a fiftieth of an epoch
    uint64_t seed;
    // Of this run alone:
    double time_limit;         // seconds; 0: none
    double checkpoint_seconds; // between checkpoints; 0: 300; below 0: only at the ends of epochs
    uint64_t memory;           // bytes of device memory for a batch, which is split as needed; 0: what there is
    // May be NULL; `user` is passed on to them. `progress` returning false ends the work with a checkpoint.
    bool (*progress)(void *user, const struct mdam_train_progress *progress);
    void (*note)(void *user, const char *sentence);
    void *user;
    // Also of the instances:
    const char *layout;                    // "uniform", "cluster" or "mixed"; NULL: "uniform"
    double max_length_min, max_length_max; // op: length limits; 0: as published for the size
    // Parts of a batch, which ranks share: gradients are added in a fixed tree over them. 0: 8, or the next number
    // below that divides the batch; 1 below 64 instances.
    uint32_t parts;
    // Of this run, too: the log also as a file of events that TensorBoard reads. A training that has one goes on with
    // it.
    bool tensorboard;
};

// What mdam_train refuses that can be seen without a device.
MDAM_API bool mdam_train_check(const struct mdam_train_options *options);

// Trains a new model in a folder: model.safetensors there is the best so far, log.jsonl and curve.svg tell how it went,
// and checkpoint/ has what it takes to go on. LAST, which may be NULL, is how far it has come.
MDAM_API bool mdam_train(struct mdam_device *device, const char *folder, const struct mdam_train_options *options,
    struct mdam_train_progress *last);

// Goes on with the training in a folder, with the same bytes as if it had never stopped. Of the options only `epochs`
// (0: as before) and those of this run count.
MDAM_API bool mdam_train_resume(struct mdam_device *device, const char *folder,
    const struct mdam_train_options *options, struct mdam_train_progress *last);

#ifdef __cplusplus
}
#endif

#endif
