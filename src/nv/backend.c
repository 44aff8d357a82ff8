// backend: the one object of tiny_nv.h.
#ifndef TN_NV_BACKEND
#define TN_NV_BACKEND
#ifndef TINY_AMALGAMATED
#include "cross.c"
#endif

#ifdef TINY_STATIC
static
#endif
const tiny_backend tiny_nv = {
  TINY_BACKEND_VERSION, "NV", tn_nv_open, tn_nv_close, tn_nv_target, tn_nv_renderer, tn_nv_alloc, tn_nv_free,
  tn_nv_copy_in, tn_nv_copy_out, tn_nv_copy_from, NULL, tn_nv_compile, tn_nv_load_binary, NULL, tn_nv_unload,
  tn_nv_find, tn_nv_launch, tn_nv_submit, tn_nv_event_new, tn_nv_wait, tn_nv_event_free, tn_nv_sync, NULL
};
#endif
