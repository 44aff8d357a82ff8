// shard: tensors split over devices, or whole on each of several.
//
// In:    a tensor, an axis, numbers of devices. Out: a tensor of which each device has a part; what is computed of it
//        is split as rules/shard.c says.
#ifndef TN_TENSOR_SHARD
#define TN_TENSOR_SHARD
#ifndef TINY_AMALGAMATED
#include "tensor.c"
#endif

// Part i of n of u, cut along axis (-1: all of it), on a device: of a tensor that is there already, that.
static tiny_uop *tn_shard_part(tiny_ctx *t, tiny_uop *u, int axis, int i, int n, int device) {
  if (tn_bad(t, u)) return u;
  if (tn_is_shard(u)) u = tn_shard_joined(t, u, device);
  if (!tn_bad(t, u) && axis >= 0) u = tn_cut(t, u, axis, u->dim[axis] * i / n, u->dim[axis] * (i + 1) / n);
  return tn_sent_to(t, u, device, i);
}
static tiny_uop *tn_split_over(tiny_ctx *t, tiny_uop *u, int axis, const int *devices, int n) {
  tiny_uop *part[TINY_MAX_DEVICES] = {NULL};
  if (n == 1) return tn_shard_part(t, u, axis, 0, 1, devices[0] + 1);
  for (int i = 0; i < n; i++) part[i] = tn_shard_part(t, u, axis, i, n, devices[i] + 1);
  return tn_shard_new(t, axis, n, part);
}
// Are these 1 to TINY_MAX_DEVICES numbers of devices?
static int tn_devices_fit(tiny_ctx *t, const char *name, const int *devices, int n) {
  if (n < 1 || n > TINY_MAX_DEVICES || !devices) {
    tiny_fail(t, TINY_E_ARG, "%s: %d devices; there are 1 to %d", name, n, TINY_MAX_DEVICES);
    return 0;
  }
  for (int i = 0; i < n; i++) if (devices[i] < 0 || devices[i] >= t->ndevice) {
    tiny_fail(t, TINY_E_ARG, "%s: there is no device %d, but %d, counted from 0", name, devices[i], t->ndevice);
    return 0;
  }
  return 1;
}

TINY_API tiny_tensor *tiny_shard(tiny_tensor *x, int axis, const int *devices, int n) {
  char text[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("shard", 1, &x, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  const tiny_uop *u = tn_uop_of(x);
  if (!tn_devices_fit(t, "shard", devices, n)) return out;
  if ((axis = tn_axis(t, "shard", u, axis)) < 0) return out;
  if (u->ndim && !tn_axis_whole_for(t, "shard", u, axis, "tiny_shard another axis, or tiny_replicate")) return out;
  if (!u->ndim || u->dim[axis] < n)
    return tn_wrong(t, TINY_E_SHAPE, "shard: axis %d of %s for %d devices", axis, tn_text_of(u, text), n);
  return tn_tensor_new(t, tn_split_over(t, tn_uop_of(x), axis, devices, n));
}
TINY_API tiny_tensor *tiny_replicate(tiny_tensor *x, const int *devices, int n) {
  tiny_tensor *out;
  if (!tn_usable("replicate", 1, &x, &out) || !tn_devices_fit(tn_ctx_of(x), "replicate", devices, n)) return out;
  return tn_tensor_new(tn_ctx_of(x), tn_split_over(tn_ctx_of(x), tn_uop_of(x), -1, devices, n));
}
TINY_API tiny_tensor *tiny_shard_part(tiny_tensor *x, int i) {
  tiny_tensor *out;
  if (!tn_usable("shard_part", 1, &x, &out)) return out;
  tiny_uop *u = tn_uop_of(x);
  const int n = tiny_shard_count(x);
  if (i < 0 || i >= n)
    return tn_wrong(tn_ctx_of(x), TINY_E_ARG, "shard_part: part %d of %d, counted from 0", i, n);
  u = tn_parts_of(&u).u[i];
  return tn_tensor_new(tn_ctx_of(x), tn_uop_make(tn_ctx_of(x), TINY_OP_CAST, u->dtype, 1, 1, &u, 0, 0, NULL));
}
TINY_API int tiny_shard_count(const tiny_tensor *x) {
  if (!tiny_ok(x)) return 0;
  return tn_is_shard(tn_uop_of(x)) ? (int)tn_uop_of(x)->nsrc : 1;
}
TINY_API int tiny_shard_axis(const tiny_tensor *x) {
  return tiny_ok(x) && tn_is_shard(tn_uop_of(x)) ? tn_shard_axis(tn_uop_of(x)) : -1;
}
#endif
