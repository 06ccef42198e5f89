#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(features);

// The features of a node, so that the initial embedding is one product f W. The rows of W are the depot's x, y and
// bias, then a customer's x, y, two further columns and bias: f = (x, y, 1, 0, 0, 0, 0, 0) for a depot, (0, 0, 0, x, y,
// p, q, 1) for a customer, 0 for padding. One lane per node.
void main() {
    uint i = worker() * LANES + lane();
    if (i >= arg.B * arg.N)
        return;
    uint b = i / arg.N, v = i % arg.N, node = i * NODE_WORDS;
    bool there = v < at_u(arg.limits, b), depot = there && v < arg.depot, customer = there && !depot;
    vec2 position = load2(arg.nodes, node / 2), more = vec2(0);
    if (arg.third != 0)
        more.x = at(arg.nodes, node + arg.third);
    if (arg.fourth != 0)
        more.y = at(arg.nodes, node + arg.fourth);
    float d = depot ? 1 : 0, c = customer ? 1 : 0;
    uint row = i * (FEATURES / 2);
    store2(arg.f, row, depot ? position : vec2(0));
    store2(arg.f, row + 1, vec2(d, customer ? position.x : 0));
    store2(arg.f, row + 2, customer ? vec2(position.y, more.x) : vec2(0));
    store2(arg.f, row + 3, customer ? vec2(more.y, 1) : vec2(0));
}
