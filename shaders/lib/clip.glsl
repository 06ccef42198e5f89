// tanh without overflow: exact at 0 and at the ends, absolute error a few 1e-8 between.
float clipped(float x) {
    float rest = 2 / (exp(2 * abs(x)) + 1);
    return x < 0 ? rest - 1 : 1 - rest;
}
