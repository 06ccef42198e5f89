// Vulkan's functions, found at run time. volk is a single header that must be compiled once.
#define VOLK_IMPLEMENTATION
#include <volk.h>
