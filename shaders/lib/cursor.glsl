// A cursor in a tensor that a lane moves: the tensor and an index.
#ifdef TARGET_CPU
#include "lib/cpu/cursor.glsl"
#else
struct cursor { ptr tensor; uint index; };
cursor cursor_at(ptr tensor, uint index) { return cursor(tensor, index); }
cursor ahead(cursor p, uint count) { return cursor(p.tensor, p.index + count); }
cursor beside(cursor p, ptr from, ptr to) { return cursor(to, p.index); }
float read1(cursor p) { return at(p.tensor, p.index); }
void write1(cursor p, float x) { at(p.tensor, p.index) = x; }
vec2 read2(cursor p) { return load2(p.tensor, p.index / 2); } // tensor aligned to 8 bytes, index even
void write2(cursor p, vec2 x) { store2(p.tensor, p.index / 2, x); }
#endif
// Reads elements c and c + 1 of `count`, in one access if rows of `count` keep pairs aligned.
vec2 read_pair(cursor start, uint c, const uint count) {
    if (count % 2 == 0)
        return read2(ahead(start, c));
    return vec2(read1(ahead(start, c)), c + 1 < count ? read1(ahead(start, c + 1)) : 0);
}
void write_pair(cursor start, uint c, const uint count, vec2 x) {
    if (count % 2 == 0) {
        write2(ahead(start, c), x);
        return;
    }
    write1(ahead(start, c), x.x);
    if (c + 1 < count)
        write1(ahead(start, c + 1), x.y);
}
