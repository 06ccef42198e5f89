// Four floats at a time, at addresses that are multiples of 16. Sums of an address and 32 bits keep GPUs from 64-bit
// products.
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Quad { vec4 value; };
Quad quad_at(ptr p, uint bytes) {
    uint low = p.x + bytes;
    return Quad(ptr(low, p.y + (low < bytes ? 1 : 0)));
}
// Several, one behind the other.
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Quads { vec4 value[]; };
Quads quads_at(ptr p, uint bytes) {
    uint low = p.x + bytes;
    return Quads(ptr(low, low < p.x ? p.y + 1 : p.y));
}
ptr further(ptr p, uint floats) {
    uint low = p.x + (floats << 2);
    return ptr(low, p.y + (floats >> 30) + (low < p.x ? 1 : 0));
}
