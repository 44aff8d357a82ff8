// api.h: the backend CL, and how a host that uses OpenCL itself shares with it.
//
// Handles of OpenCL (cl_context, cl_command_queue, cl_mem) are void * here, so that no header of it is needed.
#ifndef TINY_API
  #include "tiny.h"
#endif

// OpenCL 1.2 and later: for tiny_desc.backends. The manual above says what names of devices may stand behind "CL:".
#ifndef TINY_STATIC                         // else it is defined below, in the file that has the implementation
TINY_API const tiny_backend tiny_cl;
#endif
