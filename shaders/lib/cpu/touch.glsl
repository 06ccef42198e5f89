// Reading ahead on CPUs: a float of each cache line that is wanted soon, many at once, so that they are waited for
// together and not one by one when they are wanted.
const uint LINE = 16; // floats in a cache line
uint touched = 0;
void touch(ptr tensor, uint index) { touched |= at_u(tensor, index); }
// At the end, with a condition that never holds: for the compiler, which would leave out what it finds unused.
void touch_end(bool never, ptr anywhere) {
    if (never)
        at_u(anywhere, 0) = touched;
}
