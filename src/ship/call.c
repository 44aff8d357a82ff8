// call: programs on the host's memory, and what they take and give, in a build that plans; ship/play.c has the same
// calls in one that only runs.
//
// In:    programs of tiny_capture and tiny_program_load, the host's memory. Out: tiny_run, with copies for tensors.
#ifndef TN_SHIP_CALL
#define TN_SHIP_CALL
#ifndef TINY_AMALGAMATED
#include "load.c"
#endif

// ** calling **

static tiny_code tn_call_check(const tiny_program *p, const void *const *in, void *const *out) {
  tiny_ctx *t = p->t;
  if (!tn_runs(t)) return t->code;
  if (p->group)
    return tiny_fail(t, TINY_E_STATE, "program_call: an input or output is split over several devices: tiny_run");
  if ((p->ninput && !in) || (p->noutput && !out)) return tiny_fail(t, TINY_E_ARG, "program_call: in or out is NULL");
  for (int i = 0; i < p->ninput; i++) if (!in[i]) return tiny_fail(t, TINY_E_ARG, "program_call: in[%d] is NULL", i);
  for (int i = 0; i < p->noutput; i++) {
    if (!out[i]) return tiny_fail(t, TINY_E_ARG, "program_call: out[%d] is NULL", i);
    if (p->output[i].meant)
      return tiny_fail(t, TINY_E_STATE, "program_call: output %d has a length that changes from run to run: tiny_run",
                       i);
  }
  return TINY_OK;
}
static tiny_tensor *tn_call_input(tiny_ctx *t, const tn_bound_input *x, const void *data) {
  if (!x->scalar) return tiny_from(t, data, (tiny_dtype)x->dtype, x->shape);
  return tn_tensor_new(t, tn_scalar(t, x->dtype, tn_dtype_load(x->dtype, data), ++t->tensors->identity));
}
// ns: NULL: all at once.
static tiny_code tn_call_until(tiny_program *p, const void *const *in, void *const *out, const uint64_t *ns) {
  if (!p) return TINY_E_ARG;
  tiny_ctx *t = p->t;
  const int begins = !ns || (!p->unfinished && p->ended == TINY_OK);
  tiny_code code = tn_call_check(p, in, out);
  if (code != TINY_OK) return code;
  const size_t nbytes = (size_t)(p->ninput + p->noutput + 1) * sizeof(tiny_tensor *);
  tiny_tensor **x = (tiny_tensor **)tn_alloc(t, nbytes), **y = x + p->ninput;
  if (!x) return t->code;
  for (int i = 0; i < p->ninput && begins; i++) x[i] = tn_call_input(t, &p->input[i], in[i]);
  code = t->code != TINY_OK ? t->code : ns ? tiny_run_for(p, x, y, *ns) : tiny_run(p, x, y);
  for (int i = 0; i < p->noutput && code == TINY_OK; i++)
    code = tiny_read(y[i], out[i], (size_t)tiny_nelem_of(y[i]) * tn_dtypes[p->output[i].dtype].nbytes);
  for (int i = 0; i < p->ninput + p->noutput; i++) tiny_free(x[i]);
  tn_release(t, x, nbytes);
  return code;
}
TINY_API tiny_code tiny_program_call(tiny_program *p, const void *const *in, void *const *out) {
  return tn_call_until(p, in, out, NULL);
}
TINY_API tiny_code tiny_program_call_for(tiny_program *p, const void *const *in, void *const *out, uint64_t ns) {
  return tn_call_until(p, in, out, &ns);
}

// ** what it takes and gives **

TINY_API int tiny_program_input(const tiny_program *p, int i, tiny_dtype *dtype, tiny_shape *shape) {
  if (!p || i < 0 || i >= p->ninput) return 0;
  if (dtype) *dtype = (tiny_dtype)p->input[i].dtype;
  if (shape) *shape = p->input[i].shape;
  return 1;
}
TINY_API int tiny_program_output(const tiny_program *p, int i, tiny_dtype *dtype, tiny_shape *shape) {
  if (!p || i < 0 || i >= p->noutput) return 0;
  if (dtype) *dtype = (tiny_dtype)p->output[i].dtype;
  if (shape) *shape = p->output[i].shape;
  return 1;
}
TINY_API const char *tiny_program_memory(const tiny_program *p, int i, tiny_dtype *dtype, int64_t *nelem) {
  if (!p || i < 0 || i >= p->nnamed) return NULL;
  const tiny_uop *memory = p->leaf[p->named[i].leaf].memory;
  if (dtype) *dtype = (tiny_dtype)memory->dtype;
  if (nelem) *nelem = memory->dim[0];
  return p->named[i].name;
}
// Memory of that name, which has nbytes; NULL: an error.
static tn_storage *tn_call_named(tiny_program *p, const char *call, const char *name, const void *data, size_t nbytes) {
  const tiny_uop *memory = NULL;
  for (int i = 0; name && i < p->nnamed && !memory; i++)
    if (!strcmp(p->named[i].name, name)) memory = p->leaf[p->named[i].leaf].memory;
  const uint64_t has = memory ? (uint64_t)tn_node_nbytes(memory) : 0;
  return tn_opened_fits(p->t, call, name, data, memory ? &has : NULL, nbytes) ? tn_leaf_storage(memory) : NULL;
}
// Bytes of it are about to be read, or written: runs under way that meet them go on to their ends.
typedef struct tn_call_memory { tn_storage *s; int writes; } tn_call_memory;
static tiny_code tn_call_meet(tiny_ctx *t, void *arg) {
  const tn_call_memory *m = (const tn_call_memory *)arg;
  return tn_unfinished_meet(t, m->s, m->writes);
}
TINY_API tiny_code tiny_program_read(tiny_program *p, const char *name, void *out, size_t nbytes) {
  if (!p) return TINY_E_ARG;
  tn_call_memory m = {tn_call_named(p, "program_read", name, out, nbytes), 0};
  if (!m.s) return TINY_E_ARG;
  const struct tn_device *d = m.s->device;
  const tiny_mem from = {m.s->mem, 0};
  tiny_code code = tn_guard(p->t, tn_call_meet, &m);
  if (code == TINY_OK && nbytes) code = d->backend->copy_out(d->dev, out, from, nbytes);
  return code == TINY_OK || p->t->code != TINY_OK ? code : tiny_fail(p->t, code, "program_read: the device failed");
}
TINY_API tiny_code tiny_program_write(tiny_program *p, const char *name, const void *data, size_t nbytes) {
  if (!p) return TINY_E_ARG;
  tn_call_memory m = {tn_call_named(p, "program_write", name, data, nbytes), 1};
  if (!m.s) return TINY_E_ARG;
  const struct tn_device *d = m.s->device;
  const tiny_mem to = {m.s->mem, 0};
  tiny_code code = tn_guard(p->t, tn_call_meet, &m);
  m.s->written++;                          // what was kept is computed anew
  if (code == TINY_OK) code = d->backend->sync(d->dev);
  if (code == TINY_OK && nbytes) code = d->backend->copy_in(d->dev, to, data, nbytes);
  return code == TINY_OK || p->t->code != TINY_OK ? code : tiny_fail(p->t, code, "program_write: the device failed");
}
#endif
