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
// Functions that can fail return false and record one message for mdam_error(). Pointers to results are then NULL or
// unchanged (mdam_solve() returns the solutions so far). Every object has a function that frees it, accepts a pointer
// to the variable, sets it to NULL, and does nothing if it is NULL already.
//
// Options and descriptions begin with their own size: `struct mdam_solve_options options = { sizeof options, .augment =
// 8 };`. Omitted fields are zero, which means the default; NULL means all defaults. Later versions add fields at the
// end. Structs that the library returns may also grow at the end.
//
// Numbers in files, texts and messages have a decimal point in every locale; callbacks run in the caller's locale.
//
// One thread at a time may use a device and everything made from it, or a list of instances. Different threads may use,
// open and free different ones at the same time. Two effects are global and permanent: opening the first device may set
// LP_NATIVE_VECTOR_WIDTH in the environment, which Mesa's CPU driver reads while the device is open, so no other thread
// may use the environment during that call or change this variable later; and the first call that opens a device or
// reads instances sets jansson's allocators to malloc() and free(), so no other thread may be inside jansson during
// that call. Two failures end the process after a message on stderr: a bug in the library or in its use, such as an
// index beyond the end of a list, by abort(); and lack of host memory, by _Exit(1).
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

// The kind of the calling thread's last failure.
enum mdam_fault {
    MDAM_FAULT_NONE = 0,
    MDAM_FAULT_INTERNAL = 1, // a bug in the library or in its use; no plan found for the number of vehicles
    MDAM_FAULT_INPUT = 2,    // a file, an instance, an option
    MDAM_FAULT_DEVICE = 3,   // no usable device, or the device was lost
};

MDAM_API const char *mdam_error(void); // one sentence; valid until the next failure
MDAM_API enum mdam_fault mdam_error_fault(void);
MDAM_API const char *mdam_error_field(void); // field of an options struct that the message is about, or NULL

MDAM_API const char *mdam_version(void); // "0.2.0"

// Increases with every addition to this header. If a program was compiled with a newer header than the library's,
// mdam_api_version() is below MDAM_API_VERSION.
#define MDAM_API_VERSION 6
MDAM_API uint32_t mdam_api_version(void);

// How this header was compiled into the library, for bindings: the size of every struct, the offset of every field
// ("mdam_solve_options.beam") and the value of every enum's member, by name; NULL after the last.
MDAM_API const char *mdam_abi(size_t index, uint64_t *value);

// Returns the name of a problem, from index 0; NULL after the last.
MDAM_API const char *mdam_problem_name(size_t index);

// Returns the keys of a problem's instances in JSON, optional ones in brackets; the caller frees the text. NULL after
// the last problem.
MDAM_API char *mdam_problem_keys(size_t index);

// Frees a text that the library returned.
MDAM_API void mdam_text_free(char **text);

// --- options as data ----------------------------------------------------------------------------------------------

// The type of a field and of its flag.
enum mdam_option_kind {
    MDAM_OPTION_SWITCH,  // bool
    MDAM_OPTION_TEXT,    // const char *
    MDAM_OPTION_PROBLEM, // const char *, a problem's name
    MDAM_OPTION_WORD,    // const char *, one of the words of `value`, a list "a|b|c"
    MDAM_OPTION_CHOICE,  // an enum: the index of the word
    MDAM_OPTION_COUNT,   // uint32_t
    MDAM_OPTION_WHOLE,   // uint64_t
    MDAM_OPTION_SEED,    // uint64_t; 0 is a seed like any other, `usual` a suggestion
    MDAM_OPTION_REAL,    // double
    MDAM_OPTION_PERIOD,  // int32_t; -1: none
    MDAM_OPTION_RANGE,   // two consecutive uint32_t: from and to; to 0: same as from
    MDAM_OPTION_REALS,   // two doubles, likewise
};

// A field of an options struct. Functions with options use these tables for defaults and checks.
struct mdam_option {
    const char *name; // of the field, without _min for a range; NULL ends a table
    const char *flag; // of mdam-vk; NULL: no flag
    enum mdam_option_kind kind;
    size_t offset;     // of the field
    const char *value; // the value in help texts, or the words to choose from
    const char *help;
    double min, max; // in the field's unit; max 0: no upper bound
    double usual;    // the default; the index of the word; 0: see `help`
    double unit;     // of the flag's value, in the field's unit; 0: same unit
    bool none;       // a negative value means none, as does 0 for the flag
    bool required;
    const char *only; // applies to this word of the table's first choice only; NULL: to all
};

enum mdam_option_table {
    MDAM_OPTIONS_DEVICE,    // struct mdam_device_options
    MDAM_OPTIONS_SOLVE,     // struct mdam_solve_options
    MDAM_OPTIONS_TRAIN,     // struct mdam_train_options: settings that determine the model's bytes
    MDAM_OPTIONS_TRAIN_RUN, // struct mdam_train_options: options of one run
    MDAM_OPTIONS_GENERATE,  // struct mdam_generate_options
    MDAM_OPTIONS_INIT,      // struct mdam_init_options
    MDAM_OPTIONS_IMPROVE,   // struct mdam_improve_options
    MDAM_OPTIONS_READ,      // struct mdam_read_options
};
MDAM_API const struct mdam_option *mdam_options(enum mdam_option_table table);

// --- devices ------------------------------------------------------------------------------------------------------

struct mdam_device;

// Selects the kernels. Every device supports all of them; one without buffer addresses always uses MDAM_TARGET_SAFE.
enum mdam_target {
    MDAM_TARGET_AUTO, // by the type of the device
    MDAM_TARGET_GPU,  // kernels for GPUs
    MDAM_TARGET_CPU,  // kernels for drivers that compute on the CPU
    MDAM_TARGET_SAFE, // checks every memory access
};

struct mdam_device_options {
    size_t size;
    const char *device;  // an index, a part of the name, or NULL: a GPU if there is one, else a CPU driver
    bool safe;           // same as MDAM_TARGET_SAFE
    bool profile;        // measure every kernel, for mdam_device_profile
    const char *capture; // label of the region that RenderDoc captures
    // May be NULL. Called before a kernel is compiled, with the number compiled so far. Compiled kernels are cached, so
    // only the first use of a device takes seconds.
    void (*compiling)(void *user, uint32_t count);
    void *user;
    enum mdam_target target;
};

MDAM_API bool mdam_device_open(struct mdam_device **device, const struct mdam_device_options *options);
MDAM_API void mdam_device_close(struct mdam_device **device); // after everything made from it is freed

MDAM_API const char *mdam_device_name(const struct mdam_device *device);
MDAM_API const char *mdam_device_notice(
    const struct mdam_device *device); // a note for the user about the selection, or ""

enum mdam_profile {
    MDAM_PROFILE_TABLE, // a table for users
    MDAM_PROFILE_TRACE, // JSON for chrome://tracing or Perfetto
};
// Returns the time spent so far as a text that the caller frees. On a device without timestamps the table is a sentence
// that says so, and the trace is empty.
MDAM_API char *mdam_device_profile(const struct mdam_device *device, enum mdam_profile profile);
MDAM_API bool mdam_device_has_clock(const struct mdam_device *device);
#define MDAM_TRACE_START "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[" // start of every trace
// Returns whether RenderDoc has captured the region `capture`, or none was requested.
MDAM_API bool mdam_device_captured(const struct mdam_device *device);

// A Vulkan device of this machine.
struct mdam_device_info {
    uint32_t index; // for mdam_device_options.device
    const char *name;
    const char *type; // "discrete", "integrated", "virtual", "cpu" or "other"
    const char *driver, *driver_version;
    const char *api_version;
    uint64_t memory;               // bytes of the largest heap on the device
    uint32_t lanes_min, lanes_max; // subgroup sizes
    uint32_t lanes;                // subgroup size in use
    uint32_t workgroup_invocations, shared_bytes, push_constant_bytes;
    uint64_t storage_buffer_bytes, allocation_bytes;
    bool buffer_addresses, int64;
    const char *target, *target_help; // how kernels reach memory, and which forms are used
    bool usable;
    const char *why_not;
    const char *forms;    // of the kernels, one line each
    const char *disabled; // features that MDAM_VK_DISABLE turns off: "int64, addresses", or ""
};
struct mdam_devices;
MDAM_API bool mdam_devices_list(struct mdam_devices **devices, enum mdam_target target);
MDAM_API void mdam_devices_free(struct mdam_devices **devices);
MDAM_API size_t mdam_devices_count(const struct mdam_devices *devices); // 0 for NULL
MDAM_API const struct mdam_device_info *mdam_devices_info(const struct mdam_devices *devices, size_t index);

// --- models -------------------------------------------------------------------------------------------------------

struct mdam_model;

struct mdam_model_options {
    size_t size;
    const uint32_t *decoders; // indices of the decoders to load, from 0, each once; NULL: all
    size_t decoder_count;
};

struct mdam_model_info {
    const char *problem;      // "tsp", "cvrp", "sdvrp", "op", "pctsp" or "spctsp"
    const char *name;         // of the file
    uint32_t decoder_count;   // loaded decoders
    const uint32_t *decoders; // their indices in the file
    uint32_t n_min, n_max;    // customers in training; 0: unknown
    uint64_t instances;       // instances in training
    bool has_validation;
    double validation; // objective
    uint32_t embedding, heads, hidden, layers;
    int32_t glimpse;            // decisions between glimpses; -1: none
    const char *norm, *dialect; // "instance", ..; "native" or "reference"
    uint32_t best_decoder;      // in validation: its index in the file
};

// Reads the description of a model, without a device.
MDAM_API bool mdam_model_read(
    struct mdam_model_info **info, const char *path, const struct mdam_model_options *options);
MDAM_API void mdam_model_info_free(struct mdam_model_info **info);

MDAM_API bool mdam_model_load(
    struct mdam_model **model, struct mdam_device *device, const char *path, const struct mdam_model_options *options);
MDAM_API void mdam_model_free(struct mdam_model **model);
MDAM_API const struct mdam_model_info *mdam_model_info(const struct mdam_model *model);

// Finds the bundled model of a problem, <problem>.safetensors: in the folder of the environment variable
// MDAM_VK_MODELS, else in the folder installed with the library, else in the source tree that the library was built in.
// The caller frees the path.
MDAM_API bool mdam_model_find(char **path, const char *problem);

// Converts a checkpoint of the released PyTorch programs to a model. ARGS is the args.json beside it, or NULL; `note`,
// which may be NULL, gets the assumptions made for absent arguments.
MDAM_API bool mdam_import(const char *output, const char *checkpoint, const char *args,
    void (*note)(void *user, const char *sentence), void *user);

// The released program whose names a model is written under.
enum mdam_release {
    MDAM_RELEASE_MDAM, // the multi-decoder attention model
    MDAM_RELEASE_AM,   // the attention model: one decoder and no glimpse
};
// Writes a model for the released PyTorch programs: OUTPUT ends with .pt or .safetensors. ARGS, which may be NULL, gets
// the arguments that mdam_import needs. `note`, which may be NULL, gets a sentence about each difference between the
// released program and this one.
MDAM_API bool mdam_export(const char *output, const char *model, enum mdam_release release, const char *args,
    void (*note)(void *user, const char *sentence), void *user);

// Writes a model with untrained weights.
struct mdam_init_options {
    size_t size;
    const char *problem;
    uint32_t n;                                          // customers, which select the glimpse period; 0: 20
    uint32_t decoders, embedding, heads, hidden, layers; // 0: 5, 128, 8, 512, 3
    const char *norm;                                    // "instance", "batch" or "layer"; NULL: "instance"
    int32_t glimpse;                                     // decisions between glimpses; 0: by size; -1: none
    uint64_t seed;
};
MDAM_API bool mdam_init(const char *output, const struct mdam_init_options *options);

// --- instances ----------------------------------------------------------------------------------------------------

// A list of instances of any problems and sizes. Functions that add to a list create it if it is NULL; on failure the
// list is unchanged.
struct mdam_instances;

// Adds at most `max_count` instances of a file: JSON, JSON Lines, .tsp, .atsp, .vrp, .oplib, .csv, .npz or .pkl; "-" is
// standard input.
MDAM_API bool mdam_instances_read(struct mdam_instances **list, const char *path, size_t max_count);

// Columns and limits that a file lacks.
struct mdam_read_options {
    size_t size;
    const char *problem; // of a .csv, .npz or .pkl file; NULL: its columns decide
    // For a table (.csv) without such a column; refused for other files. 0: not given.
    double capacity;
    uint32_t vehicles;
    double max_length, min_prize;
    bool open; // routes end at their last stop
};
MDAM_API bool mdam_instances_read_with(
    struct mdam_instances **list, const char *path, size_t max_count, const struct mdam_read_options *options);

// Writes a list: .npz (one problem and size), .pkl (one problem), or, with any other ending, JSON Lines; refuses
// endings of formats that are only read (.csv, .tsp, ..). "-" is standard output.
MDAM_API bool mdam_instances_write(const struct mdam_instances *list, const char *path);

// Adds the instances of a JSON or JSON Lines text.
MDAM_API bool mdam_instances_parse(struct mdam_instances **list, const char *json, size_t bytes);

enum mdam_coordinates {
    MDAM_COORDINATES_PLANE,
    MDAM_COORDINATES_LONLAT, // x and y are longitude and latitude in degrees; lengths are kilometres
};

// One instance. Columns that the problem does not have are ignored. The arrays are copied.
struct mdam_instance_data {
    size_t size;
    const char *problem;
    const char *name; // may be NULL
    uint32_t n;       // customers (TSP: nodes)
    const double *x, *y;
    double depot_x, depot_y;
    const double *demand; // cvrp, sdvrp: decimals
    double capacity;
    const double *prize;      // op, pctsp, spctsp (expected)
    const double *real_prize; // spctsp: collected by a visit; NULL: as expected
    const double *penalty;    // pctsp, spctsp
    double min_prize;         // pctsp, spctsp; 0 here too: no required prize
    double max_length;        // op
    enum mdam_coordinates coordinates;
    // The lengths of all legs, rows from, the depot first where there is one; x and y may then be NULL. NULL: by the
    // coordinates.
    const double *distances;
    bool open;         // routes end at their last stop
    double vehicles;   // cvrp, sdvrp: max routes; 0: no limit
    double start, end; // tsp: the first and the last node, from 1; 0: any
};
MDAM_API bool mdam_instances_add(struct mdam_instances **list, const struct mdam_instance_data *data);

MDAM_API void mdam_instances_free(struct mdam_instances **list);
MDAM_API size_t mdam_instances_count(const struct mdam_instances *list); // 0 for NULL
MDAM_API const char *mdam_instance_problem(const struct mdam_instances *list, size_t index);
MDAM_API const char *mdam_instance_name(const struct mdam_instances *list, size_t index); // may be NULL
// Whether its coordinates are longitudes and latitudes.
MDAM_API bool mdam_instance_is_lonlat(const struct mdam_instances *list, size_t index);
MDAM_API uint32_t mdam_instance_size(const struct mdam_instances *list, size_t index); // customers
// Returns the number of the reader's warnings, and the first of them.
MDAM_API size_t mdam_instance_warnings(const struct mdam_instances *list, size_t index, const char *const **warnings);

enum mdam_like {
    MDAM_LIKE_OWN,  // numbers that devices can draw as well
    MDAM_LIKE_KOOL, // numbers of the published test sets, which depend on `count`
};

// Random instances with the paper's distributions.
struct mdam_generate_options {
    size_t size;
    const char *problem;
    uint32_t n_min, n_max; // customers
    uint32_t count, limit; // instances of the set, and how many of its first ones to generate; 0: all
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
    MDAM_DECODE_BEAM,   // beam search of each decoder
    MDAM_DECODE_GREEDY, // the most probable action of each decision
    MDAM_DECODE_SAMPLE, // actions drawn with the decoders' probabilities
};

// Improvement of solutions on the host, after decoding.
enum mdam_improve {
    MDAM_IMPROVE_AUTO, // beams: local, or full with a time limit; other strategies and problems that reveal prizes: off
    MDAM_IMPROVE_OFF,  // the network's own solutions
    MDAM_IMPROVE_LOCAL, // local search on the candidates
    MDAM_IMPROVE_FULL,  // also ruin and recreate, for the remaining time or a number of iterations
};

// Plans that MDAM_IMPROVE_FULL begins with, for comparisons of what the network is worth. Where none of them is
// feasible, e.g. with few vehicles, constructions take their place.
enum mdam_improve_from {
    MDAM_IMPROVE_FROM_ALL,          // the network's, the initial ones, savings and insertion
    MDAM_IMPROVE_FROM_NETWORK,      // the network's and the initial ones; no parts are solved by the network later
    MDAM_IMPROVE_FROM_CONSTRUCTION, // savings and insertion; the network is not used
    MDAM_IMPROVE_FROM_RANDOM,       // customers in a random order; the network is not used
};

struct mdam_solve_options {
    size_t size;
    enum mdam_decode decode;
    // MDAM_DECODE_BEAM: hypotheses per decoder, and candidates per hypothesis (more than nodes: all). 0: 30 and 3; if
    // neither is given, 1024 and all for instances of up to 8 customers.
    uint32_t beam, expand;
    bool no_merge;      // MDAM_DECODE_BEAM: do not merge dominated hypotheses
    uint32_t samples;   // MDAM_DECODE_SAMPLE: per decoder; 0: 16
    double temperature; // MDAM_DECODE_SAMPLE: softmax temperature; above 1 explores more; 0: 1
    uint32_t augment;   // 8: also solve the seven other rotated and mirrored views of each instance; 0: 1
    uint64_t seed;      // of the samples
    // Commits to one trajectory, greedy or one sample, of the decoder that was best in validation; if that is not
    // loaded, of the first decoder, with a warning.
    bool online;
    uint64_t memory; // bytes of device memory of one batch; 0: a sensible share
    // Seconds for everything, 0: no limit. The first solution of every instance is greedy; then follow wider and wider
    // beams, from `beam` on, and other views, until the time is over. First solutions may exceed the limit by a tenth,
    // or half a second; instances without one are then not solved. MDAM_DECODE_BEAM only.
    double time_limit;
    // All callbacks may be NULL and get `user`. `progress` is called before the first batch, with 0, and after each;
    // false ends the work early. `warn` is called before that for every warning of every instance, and later, with a
    // time limit, if a wider beam fails, e.g. from lack of memory, and the solutions are the best so far. `stop` is
    // called every few decisions; true ends the work with the solutions so far, within about two seconds if there are
    // none yet. `improved` is called, with a time limit, for every solution better than the previous one. `working` is
    // called within a batch, every few decisions, with the decisions made and their max.
    bool (*progress)(void *user, size_t done, size_t count);
    void (*warn)(void *user, size_t instance, const char *warning);
    void *user;
    bool (*stop)(void *user);
    void (*improved)(void *user, size_t instance, double objective);
    void (*working)(void *user, uint32_t decisions, uint32_t max_decisions);
    // Called with the index of an instance that is too large for its model's device, before mdam_solve fails for it.
    void (*refused)(void *user, size_t instance);
    enum mdam_improve improve;
    uint64_t improve_iterations; // of each of four chains of MDAM_IMPROVE_FULL; 0: by time, else 1000 per customer
    // Solutions of the same instances to improve in addition to the network's; may be NULL.
    const struct mdam_solutions *initial;
    // Called by the first of several ranks for every solution, in the order of the list, as soon as the earlier ones
    // exist; false ends the work with the caller's failure. May be NULL.
    bool (*answered)(void *user, const struct mdam_solutions *solutions, size_t instance);
    enum mdam_improve_from improve_from;
};

struct mdam_route {
    size_t count;
    const uint32_t *stops; // customers (TSP: nodes) from 1 in the order of the instance; the depot is omitted
    const double *amounts; // sdvrp: amount delivered at each stop; else NULL
};

// A solution in the user's units. An independent judge has checked every solution by the problem's rules.
struct mdam_solution {
    bool solved;      // false: the work ended before; only the warnings are set
    double objective; // length; op: prize; pctsp, spctsp: length plus penalties
    double length, prize, penalty;
    bool has_rounded; // the instance's file format rounds distances:
    double rounded;   // the objective with these distances
    size_t route_count;
    const struct mdam_route *routes;
    enum mdam_decode decode;     // strategy that found it
    uint32_t beam, augment;      // its beam width (0: no beam) and number of views
    uint32_t decoder;            // decoder that found it: its index in the file
    const double *decoder_costs; // best cost of each loaded decoder, minimised (op: negative), in the network's units
    bool hindsight;              // spctsp: chosen among several after all prizes were known
    double seconds;              // its share of the time
    size_t warning_count;
    const char *const *warnings; // about the instance, and about the use of this model for it
    bool feasible;               // always true, except for solutions that were read
    const char *violation;       // the first one if infeasible
    const char *improve;         // "local" or "full" if the solution was improved, else NULL
    const char *origin;          // the start of the improvement: "decoder", "savings", "insertion", "random" or "given"
    double constructed;          // the objective of that start
};

struct mdam_solutions;

// Solves every instance of the list with the model of its problem, one of the `count` models, which share a device. The
// instances and models must outlive the solutions. Solutions found before a failure, such as a lost device, are
// returned although the function returns false; if there are none, NULL.
MDAM_API bool mdam_solve(struct mdam_solutions **solutions, const struct mdam_instances *instances,
    struct mdam_model *const *models, size_t count, const struct mdam_solve_options *options);

// Refuses the options that mdam_solve would refuse, without a device. RESOLVED, which may be NULL, gets the options
// with their defaults.
MDAM_API bool mdam_solve_check(const struct mdam_solve_options *options, struct mdam_solve_options *resolved);

// Reads solutions of the instances from a file, JSON, .sol or .tour, and judges them. Absent ones are not `solved`; the
// others may be infeasible.
MDAM_API bool mdam_solutions_read(
    struct mdam_solutions **solutions, const struct mdam_instances *instances, const char *path);

// Improves solutions that were read or found, on the host alone. Fails if one is infeasible. The instances and GIVEN
// must outlive the result.
struct mdam_improve_options {
    size_t size;
    double time_limit;   // seconds for everything; 0 without iterations: local search only
    uint64_t iterations; // of each of four chains; the same number gives the same solutions
    uint64_t seed;
    bool (*stop)(void *user); // called often; true ends the work with the solutions so far; may be NULL
    void *user;
};
MDAM_API bool mdam_improve(
    struct mdam_solutions **solutions, const struct mdam_solutions *given, const struct mdam_improve_options *options);

MDAM_API void mdam_solutions_free(struct mdam_solutions **solutions);
MDAM_API size_t mdam_solutions_count(const struct mdam_solutions *solutions); // number of instances; 0 for NULL
MDAM_API const struct mdam_solution *mdam_solution(const struct mdam_solutions *solutions, size_t index);

enum mdam_format {
    MDAM_FORMAT_JSON,    // one line
    MDAM_FORMAT_SOL,     // CVRPLIB
    MDAM_FORMAT_TOUR,    // TSPLIB
    MDAM_FORMAT_TEXT,    // for users
    MDAM_FORMAT_SVG,     // a plot
    MDAM_FORMAT_VERDICT, // the judge's result as one line of JSON
    MDAM_FORMAT_GEOJSON, // for maps; the instance has longitudes and latitudes
    MDAM_FORMAT_GPX,     // likewise
};
// Returns a solved instance's solution as a text that the caller frees. A verdict also exists without a solution.
MDAM_API char *mdam_solution_text(const struct mdam_solutions *solutions, size_t index, enum mdam_format format);
// Returns an instance as JSON or as a plot; the caller frees it.
MDAM_API char *mdam_instance_text(const struct mdam_instances *instances, size_t index, enum mdam_format format);

// --- measuring ----------------------------------------------------------------------------------------------------

struct mdam_evaluation {
    const char *problem;
    uint32_t n_min, n_max;     // customers of the smallest and the largest solved instance
    size_t count;              // solved instances
    double objective;          // mean
    double standard_error;     // of the mean; NaN for a single instance
    double seconds;            // for all instances, without loading
    size_t decoder_count;      // online: 1, the decoder that commits
    const uint32_t *decoders;  // their indices in the file
    const uint64_t *wins;      // per decoder: instances where its best is the best of all
    const uint64_t *sole_wins; // ... and the best of no other decoder
    size_t instances;          // given instances
    const double *objectives;  // per instance; NaN: not solved
    bool hindsight;            // spctsp: as in struct mdam_solution
    bool has_hindsight;        // the problem reveals prizes
    bool maximise;             // larger objectives are better
};

// Solves the list, all of the model's problem, and computes the statistics.
MDAM_API bool mdam_evaluate(struct mdam_evaluation **evaluation, struct mdam_model *model,
    const struct mdam_instances *instances, const struct mdam_solve_options *options);
MDAM_API void mdam_evaluation_free(struct mdam_evaluation **evaluation);

// --- training -----------------------------------------------------------------------------------------------------

enum mdam_baseline {
    MDAM_BASELINE_ROLLOUT, // the best greedy cost of a frozen model, as in the paper
    MDAM_BASELINE_SHARED,  // the mean of a decoder's own samples, or of all decoders if each has one sample
};

enum mdam_imitate {
    MDAM_IMITATE_SAMPLE, // a decoder's best sample, improved
    MDAM_IMITATE_PREFIX, // what local search makes of a greedy trajectory after some of its decisions
};

// Defaults that go together.
enum mdam_recipe {
    MDAM_RECIPE_PAPER, // REINFORCE with a rollout baseline
    MDAM_RECIPE_FAST,  // the fastest known to learn: a shared baseline, imitation, glimpses at the end
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
    uint32_t epoch, epochs; // complete epochs, and all
    uint64_t step, steps;   // the same for steps, over all epochs
    uint64_t instances;
    double cost, baseline, kl, lr; // of the last step
    uint32_t skipped;              // steps whose gradient was not finite
    bool has_validation;
    double validation, best;      // the last cost and the lowest one
    double per_second;            // instances per second, of all ranks
    double seconds, seconds_left; // of the training so far; remaining, NaN: unknown
    double reduction;             // share of the time spent in adding up the ranks' gradients and waiting for them
};

struct mdam_train_options {
    size_t size;
    const char *problem;
    uint32_t n_min, n_max;                               // customers; n_max 0: n_min
    uint32_t capacity_min, capacity_max;                 // cvrp, sdvrp; 0: as published for the size
    const char *prize;                                   // op: "const", "unif", "dist" or "mixed"; NULL: "dist"
    const char *init;                                    // initial model, used where names and shapes of weights agree
    uint32_t decoders, embedding, heads, hidden, layers; // 0: as in `init`, or 5, 128, 8, 512, 3
    const char *norm;      // "instance", "batch" or "layer"; NULL: as in `init`, or "instance"
    int32_t glimpse;       // decisions between glimpses; 0: by size; -1: none
    uint32_t glimpse_from; // first epoch with glimpses
    uint32_t epochs;       // 0: 100
    uint64_t epoch_size;   // instances, rounded up to whole batches; 0: 2500 batches
    uint32_t batch;        // instances; 0: 512
    uint32_t rollouts;     // samples per instance and decoder; 0: 1
    enum mdam_baseline baseline;
    double lr;          // learning rate; 0: 1e-4
    double lr_decay;    // its factor per epoch; 0: 1
    double lr_final;    // its final value, along a cosine over all epochs; 0: no cosine
    double kl;          // weight of the KL divergence between decoders; 0: 0.01; below 0: none
    uint32_t val_size;  // validation instances; 0: 10000
    uint32_t log_every; // steps; 0: 1/50 of an epoch
    uint64_t seed;
    // Options of this run:
    double time_limit;         // seconds; 0: no limit
    double checkpoint_seconds; // between checkpoints; 0: 300; below 0: only after each epoch
    // Bytes of device memory of a batch, which is split to fit; 0: three quarters of the device's, half of a CPU's.
    uint64_t memory;
    // May be NULL and get `user`. If `progress` returns false, the work ends with a checkpoint.
    bool (*progress)(void *user, const struct mdam_train_progress *progress);
    void (*note)(void *user, const char *sentence);
    void *user;
    // Also of the instances:
    const char *layout;                    // "uniform", "cluster" or "mixed"; NULL: "uniform"
    double max_length_min, max_length_max; // op: length limits; 0: as published for the size
    // Parts of a batch, which ranks share: gradients are added in a fixed tree over them. 0: 8, or the next number
    // below that divides the batch; 1 below 128 instances.
    uint32_t parts;
    // Also writes the log as a file of events that TensorBoard reads. Set for one run; a training that has such a file
    // continues it when it is resumed.
    bool tensorboard;
    enum mdam_recipe recipe; // of what is 0 here
    bool keep_baseline;      // `baseline` is as it is, whatever the recipe
    double imitate;          // weight of each decoder's best sample of an instance, improved; 0 or less: none
    // A file with instances to train on, instead of drawn ones; `n` is then left out. Every tenth instance is held out
    // for validation, and an epoch is a pass over the others unless `epoch_size` is given. A resumed training reads it
    // again.
    const char *data;
    enum mdam_imitate imitate_from;
};

// Refuses the options that mdam_train would refuse, without a device.
MDAM_API bool mdam_train_check(const struct mdam_train_options *options);

// Trains a new model in a folder: model.safetensors is the best so far, log.jsonl and curve.svg show the progress, and
// checkpoint/ is for mdam_train_resume(). LAST, which may be NULL, gets the final progress.
MDAM_API bool mdam_train(struct mdam_device *device, const char *folder, const struct mdam_train_options *options,
    struct mdam_train_progress *last);

// Resumes the training in a folder, with the same bytes as without the interruption. Only the option `epochs` (0: as
// before) and those of this run are used.
MDAM_API bool mdam_train_resume(struct mdam_device *device, const char *folder,
    const struct mdam_train_options *options, struct mdam_train_progress *last);

#ifdef __cplusplus
}
#endif

#endif
