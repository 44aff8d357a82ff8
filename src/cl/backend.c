// backend: the one object of tiny_cl.h.
#ifndef TN_CL_BACKEND
#define TN_CL_BACKEND
#ifndef TINY_AMALGAMATED
#include "queue.c"
#endif

#ifdef TINY_STATIC
static
#endif
const tiny_backend tiny_cl = {
  TINY_BACKEND_VERSION, "CL", tn_cl_open, tn_cl_close, tn_cl_target, tn_cl_renderer, tn_cl_alloc, tn_cl_free,
  tn_cl_copy_in, tn_cl_copy_out, NULL, NULL, tn_cl_compile, tn_cl_load, NULL, tn_cl_unload, tn_cl_find, tn_cl_launch,
  tn_cl_submit, tn_cl_event_new, tn_cl_wait, tn_cl_event_free, tn_cl_sync, NULL
};
#endif
