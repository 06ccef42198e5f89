// An address, so that a step is one addition of 64-bit integers.
#define cursor uint64_t
cursor cursor_at(ptr tensor, uint index) { return packUint2x32(tensor) + 4 * uint64_t(index); }
cursor ahead(cursor p, uint count) { return p + 4 * uint64_t(count); }
// Returns the same element of another tensor of the same shape.
cursor beside(cursor p, ptr from, ptr to) { return p + (packUint2x32(to) - packUint2x32(from)); }
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Pair { uint64_t value; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Single { float value; };
float read1(cursor p) { return Single(p).value; }
void write1(cursor p, float x) { Single(p).value = x; }
vec2 read2(cursor p) { return uintBitsToFloat(unpackUint2x32(Pair(p).value)); } // p aligned to 8 bytes
void write2(cursor p, vec2 x) { Pair(p).value = packUint2x32(floatBitsToUint(x)); }
