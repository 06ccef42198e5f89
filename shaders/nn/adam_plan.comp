#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(adam_plan);

// 1 - exp(x) for x <= 0 without cancellation near 0, where exp() alone would lose most digits.
float one_minus_exp(float x) {
    if (x < -0.5)
        return 1 - exp(x);
    // -x (1 + x/2 (1 + x/3 (...))): the first omitted term is below 1e-8 of the sum.
    float series = 1;
    [[unroll]] for (int n = 9; n >= 2; n--)
        series = 1 + x / n * series;
    return -x * series;
}

// One worker counts the step, or the skipped step, and computes the values that all weights share.
void main() {
    if (worker() > 0 || lane() > 0)
        return;
    float norm = at(arg.norm, 0);
    uint go = at_u(arg.norm, 1);
    uint t = at_u(arg.state, ADAM_STEP) + go;
    at_u(arg.state, ADAM_STEP) = t;
    at_u(arg.state, ADAM_SKIPPED) += 1 - go;
    at_u(arg.state, ADAM_GO) = go;
    at(arg.state, ADAM_SCALE) = arg.max_norm > 0 ? min(1, arg.max_norm / (norm + 1e-6)) : 1;
    at(arg.state, ADAM_RATE) = at(arg.rate, 0) / one_minus_exp(float(t) * arg.log_beta1);
    at(arg.state, ADAM_ROOT) = inversesqrt(one_minus_exp(float(t) * arg.log_beta2));
}
