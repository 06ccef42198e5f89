// stb_ds (growing arrays and hash maps) is one header that must be compiled once.
#define STB_DS_IMPLEMENTATION
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wundef"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include <stb/stb_ds.h>
