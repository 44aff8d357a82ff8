// all: the implementation of tiny_cl.h, one #include a room. Of the library it uses what tiny.h shows to everyone.
#include "../base/library.c"
#include "../render/lang_opencl.c"
#include "driver.c"
#include "device.c"
#include "memory.c"
#include "program.c"
#include "queue.c"
#include "backend.c"
