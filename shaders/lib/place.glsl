// A place inside a tensor, that a lane walks along: on devices with 64-bit integers an address, so that a step is one
// addition; elsewhere the tensor and an index.
#ifdef FLAVOUR_WIDE
#define place uint64_t
place place_at(ptr tensor, uint index) { return packUint2x32(tensor) + 4 * uint64_t(index); }
place ahead(place p, uint count) { return p + 4 * uint64_t(count); }
// The same element of another tensor of the same shape.
place beside(place p, ptr from, ptr to) { return p + (packUint2x32(to) - packUint2x32(from)); }
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Pair { uint64_t value; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Single { float value; };
float read1(place p) { return Single(p).value; }
void write1(place p, float x) { Single(p).value = x; }
vec2 read2(place p) { return uintBitsToFloat(unpackUint2x32(Pair(p).value)); } // p aligned to 8 bytes
void write2(place p, vec2 x) { Pair(p).value = packUint2x32(floatBitsToUint(x)); }
#else
struct place { ptr tensor; uint index; };
place place_at(ptr tensor, uint index) { return place(tensor, index); }
place ahead(place p, uint count) { return place(p.tensor, p.index + count); }
place beside(place p, ptr from, ptr to) { return place(to, p.index); }
float read1(place p) { return at(p.tensor, p.index); }
void write1(place p, float x) { at(p.tensor, p.index) = x; }
vec2 read2(place p) { return vec2(at(p.tensor, p.index), at(p.tensor, p.index + 1)); }
void write2(place p, vec2 x) { at(p.tensor, p.index) = x.x; at(p.tensor, p.index + 1) = x.y; }
#endif
// Elements c and c + 1 of `count` at a place, in one access where rows of `count` keep pairs aligned.
vec2 read_pair(place start, uint c, const uint count) {
    if (count % 2 == 0)
        return read2(ahead(start, c));
    return vec2(read1(ahead(start, c)), c + 1 < count ? read1(ahead(start, c + 1)) : 0);
}
void write_pair(place start, uint c, const uint count, vec2 x) {
    if (count % 2 == 0) {
        write2(ahead(start, c), x);
        return;
    }
    write1(ahead(start, c), x.x);
    if (c + 1 < count)
        write1(ahead(start, c + 1), x.y);
}
