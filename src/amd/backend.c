// backend: the one object of tiny_amd.h.
#ifndef TN_KFD_BACKEND
#define TN_KFD_BACKEND
#ifndef TINY_AMALGAMATED
#include "open.c"
#endif

#ifdef TINY_STATIC
static
#endif
const tiny_backend tiny_amd = {
  TINY_BACKEND_VERSION, "AMD", tn_kfd_open, tn_kfd_close, tn_kfd_target, tn_kfd_renderer, tn_kfd_alloc_block,
  tn_kfd_free_block, tn_kfd_copy_in, tn_kfd_copy_out, tn_kfd_copy_from, NULL, tn_kfd_compile, tn_kfd_load, NULL,
  tn_kfd_unload, tn_kfd_find, tn_kfd_launch, tn_kfd_submit, tn_kfd_event_new, tn_kfd_wait, tn_kfd_event_free,
  tn_kfd_sync, NULL
};
#endif
