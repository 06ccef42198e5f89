// Shared by attention and its gradients: a worker has a block of ROWS * LANES queries or keys of a head of a segment.
layout(constant_id = ATTENTION_ROWS) const uint ROWS = 1; // queries or keys in a lane
layout(constant_id = HEAD_EVEN) const bool EVEN = true; // logits come in pairs along a row: N and TILE are even
uint segment, head, start; // of this worker; the head's first channel, and the first query or key
uint first, n, width, matrix; // the segment's first row and its rows; channels in a row of qkv; the head's first logit
uint logits[ROWS];            // the first logits of this lane's queries, for load_logits()

// Finds this worker's block. Returns false when no block is left for it.
bool share() {
    uint blocks = (arg.N + ROWS * LANES - 1) / (ROWS * LANES), h = worker() / blocks % arg.H;
    segment = worker() / blocks / arg.H;
    start = worker() % blocks * ROWS * LANES;
    head = h * DK;
    matrix = (segment * arg.H + h) * arg.N * arg.N;
    return segment < arg.S;
}
// Finds its segment; false if that ends before the block begins. (A separate function: with two exits from one function
// the compiler keeps more masks.)
bool use_segment() {
    first = segment_first(arg.first, segment, arg.N);
    n = segment_rows(arg.rows, segment, arg.N);
    width = 3 * arg.H * DK;
    return start < n;
}

// Returns where the head's part of row i of qkv begins; after the last row, that of the last.
uint row_of(uint i) { return (first + min(i, n - 1)) * width + head; }

// x = keys j0 .. of the logits of this lane's queries, or of another tensor of their shape.
void load_logits(ptr from, uint j0, out float x[ROWS][TILE]) {
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
        [[unroll]] for (uint j = 0; j < TILE; j += EVEN ? 2 : 1) {
            if (EVEN) {
                vec2 pair = load2(from, (logits[r] + min(j0 + j, arg.N - 2)) / 2);
                x[r][j] = pair.x;
                x[r][j + 1] = pair.y;
            } else {
                x[r][j] = at(from, logits[r] + min(j0 + j, arg.N - 1));
            }
        }
    }
}
