// struct segments of src/nn/nn.h.
uint segment_first(ptr first, uint s, uint most) { return is_null(first) ? s * most : at_u(first, s); }
uint segment_rows(ptr rows, uint s, uint most) { return is_null(rows) ? most : at_u(rows, s); }
