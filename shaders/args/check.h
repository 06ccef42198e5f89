// Part of shaders/args.h: the check of a device when it is opened (src/gpu/check.c).

// Words that each invocation writes.
#define CHECK_SIZE      0 // gl_SubgroupSize
#define CHECK_SUBGROUPS 1 // gl_NumSubgroups
#define CHECK_WORKER    2
#define CHECK_LANE      3
#define CHECK_FULL      4  // lanes in a ballot of all
#define CHECK_BALLOT    5  // the words of a ballot of odd lanes, times 1, 3, 5, 7
#define CHECK_BROADCAST 6  // values of all lanes in turn, hashed
#define CHECK_SHUFFLE   7  // value of the next lane
#define CHECK_SUM       8  // of all lanes
#define CHECK_BEFORE    9  // of the lanes before
#define CHECK_MET       10 // lanes in a ballot after a loop whose length differs between them
#define CHECK_MET_SUM   11 // of their steps
#define CHECK_SHARED    12 // value of an invocation of another subgroup, through shared memory
#define CHECK_WORDS     13
#define CHECK_THREADS   1024 // max invocations of a workgroup

struct check_args {
    ptr seen;  // (invocations, CHECK_WORDS) uint
    uint salt; // of the invocations' values
    uint zero; // 0, unknown to the compiler
};
ARGS(check, salt);

// Peak rates of a device, for `selftest`: multiply-adds in registers, and loads of which each needs the one
// before.
struct peak_args {
    ptr to;   // (workers LANES)
    ptr next; // (..) uint: a ring
    float a, b;
    uint loops, hops;
};
ARGS(peak, a);
#define PEAK_CHAINS  12 // independent
#define PEAK_REPEATS 8  // of each in a loop
