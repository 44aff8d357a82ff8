// backend: the one object of tiny_metal.h.
#ifndef TN_METAL_BACKEND
#define TN_METAL_BACKEND
#ifndef TINY_AMALGAMATED
#include "open.m"
#endif

const tiny_backend tiny_metal = {
  TINY_BACKEND_VERSION, "METAL", tn_metal_open, tn_metal_close, tn_metal_target, tn_metal_renderer, tn_metal_alloc,
  tn_metal_free, tn_metal_copy_in, tn_metal_copy_out, tn_metal_copy_from, tn_metal_map, tn_metal_compile,
  tn_metal_load, NULL, tn_metal_unload, tn_metal_find, tn_metal_launch, tn_metal_submit, tn_metal_event_new,
  tn_metal_wait, tn_metal_event_free, tn_metal_sync, NULL
};
#endif
