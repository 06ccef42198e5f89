// Arguments that are too long for push constants: tests/gpu/far.comp. Included behind shaders/args.h.
#ifndef TESTS_FAR_ARGS_H
#define TESTS_FAR_ARGS_H

#define FAR_TERMS 17
// to[i] = sum_k factor[k] from[k][i], without those that are none
struct far_args {
    ptr to;              // (count)
    ptr from[FAR_TERMS]; // (count) each, or none
    float factor[FAR_TERMS];
    uint count;
};
ARGS_FAR(far, factor);

#endif
