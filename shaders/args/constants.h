// Part of shaders/args.h. Specialisation constants have names, used by `layout(constant_id = ...)` and by the dispatch
// in C; they are defined beside the argument struct. The device sets the first two, unless a dispatch says how many
// threads it needs; a kernel's own are CONSTANT_OWN up to CONSTANTS. Each set of values is a pipeline, so a dispatch
// sets only the constants that its kernel reads.
#define CONSTANT_LANES   0 // subgroup size
#define CONSTANT_THREADS 1 // workgroup size
#define CONSTANT_OWN     2
#define CONSTANTS        12
