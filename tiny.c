// tiny: the implementation, for projects that compile it as a file of its own.
#define TINY_IMPLEMENTATION
#include "tiny.h"
