// Vulkan's functions, found at run time. volk is one header that must be compiled once.
#define VOLK_IMPLEMENTATION
#include <volk.h>
