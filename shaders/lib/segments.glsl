// struct segments of src/nn/nn.h.
uint segment_first(ptr first, uint s, uint max_rows) { return is_null(first) ? s * max_rows : at_u(first, s); }
uint segment_rows(ptr rows, uint s, uint max_rows) { return is_null(rows) ? max_rows : at_u(rows, s); }
