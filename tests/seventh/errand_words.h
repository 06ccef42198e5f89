// Words of a node and of the state on the device, for both languages.
#define NODE_DUE                  2 // latest arrival
#define NODE_FINE                 3 // of leaving it out
#define ERRAND_STATE(UINT, FLOAT) UINT(stops)
