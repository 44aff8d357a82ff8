// kernel_test: the one kernel of a tensor, to be moved about by hand and interpreted.
#ifndef KERNEL_TEST_H
#define KERNEL_TEST_H

#include "rnd.h"

// Small whole numbers: sums are exact in any order.
static tiny_tensor *ints(tiny_ctx *t, tiny_shape s) {
  const int64_t n = tn_dims_nelem(s.ndim, s.dim);
  float *data = (float *)calloc((size_t)n, sizeof *data);
  for (int64_t i = 0; i < n; i++) data[i] = (float)(i * 7 % 11) - 5;
  tiny_tensor *x = tiny_from(t, data, TINY_F32, s);
  free(data);
  return x;
}

static tiny_uop *root_of(const tiny_tensor *x) {
  tiny_uop *root = tn_uop_of(x);
  while (root->op == TINY_OP_RESHAPE) root = root->src[0];
  return root;
}
// The kernels that compute x on such a device, and the plan whose steps they are; NULL after an error.
static const tn_kernel **kernels_of(tiny_ctx *t, const tiny_tensor *x, const tiny_limits *limits, tn_draft *d) {
  tn_visit v;
  const tn_kernel **kernels;
  tiny_uop *root = root_of(x);
  tn_targets targets;
  memset(&v, 0, sizeof v); memset(&targets, 0, sizeof targets);
  targets.limits[0] = limits; targets.n = 1;
  tn_visit_graph(t, &v, &root, 1);
  return tn_draft_plan(t, &targets, &v, &root, 1, d, &kernels) == TINY_OK ? kernels : NULL;
}
// The only one, whose value has *nbytes; NULL after an error.
static const tn_kernel *kernel_of(tiny_ctx *t, const tiny_tensor *x, size_t *nbytes) {
  tn_draft d;
  const tn_kernel **kernels = kernels_of(t, x, &t->device[0]->limits, &d);
  if (!kernels) return NULL;
  CHECK_EQ(d.plan.nstep, 1);
  *nbytes = (size_t)tn_node_nbytes(root_of(x));
  t->ir->serial = TN_PIPELINE_SERIAL;      // the kernel's ranges have numbers of their own
  return kernels[0];
}

static tiny_code run_list(tiny_ctx *t, const tn_kernel *k, const tn_lowered *low, void *out) {
  tiny_mem mem[8];
  tiny_launch l;
  memset(&l, 0, sizeof l);
  memset(mem, 0, sizeof mem);
  for (int i = 0; i < k->nmem; i++) mem[i].base = i ? tn_leaf_storage(k->mem[i])->mem : out;
  l.mem = mem; l.nmem = k->nmem; l.tasks = low->tasks;
  memcpy(l.global, low->global, sizeof l.global);
  memcpy(l.local, low->local, sizeof l.local);
  void *module = tn_interp_backend.load_uops(t, low->list, low->n);
  if (!module) return t->code;
  t->device[0]->backend->sync(t->device[0]->dev);    // the interpreter looks at memory past the device
  l.kernel = module;
  const tiny_code code = tn_interp_backend.launch(t, &l);
  tn_interp_backend.unload(t, module);
  return code;
}

// Lowers k as it is after moves, and interprets it.
static tiny_code run_kernel(tiny_ctx *t, const tn_kernel *k, tiny_uop *sink, const tn_target *target, void *out) {
  tn_lowered low;
  memset(&low, 0, sizeof low);
  if (tn_lower(t, sink, target, &low) != TINY_OK) return t->code;
  return run_list(t, k, &low, out);
}

// Floats: the same bits with a tolerance of 0.
static int agree(const void *a, const void *b, size_t nbytes, double tolerance) {
  const float *x = (const float *)a, *y = (const float *)b;
  for (size_t i = 0; i < nbytes / 4; i++)
    if (tolerance == 0 ? memcmp(&x[i], &y[i], 4) != 0 : !(fabs((double)x[i] - (double)y[i]) <= tolerance)) return 0;
  return 1;
}
#endif
