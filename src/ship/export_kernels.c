// export_kernels: the kernels of a program as functions of plain C (render/lang_plain.c).
//
// In:    the rows of a program that is saved (ship/save.c). Out: the text of each kernel, what it is called with, and
//        what the texts need besides.
// Holds: kernels are made for no processor in particular: the limits stand here, so that a program is the same text
//        wherever it is exported. LOCAL memory comes from the workspace: small machines have small stacks.
#ifndef TN_SHIP_EXPORT_KERNELS
#define TN_SHIP_EXPORT_KERNELS
#ifndef TINY_AMALGAMATED
#include "save.c"
#include "../render/plain_lanes.c"
#endif

// Bytes of a vector, unless something else is asked for: every processor with vectors has those. GCC makes wider ones
// of memory where there are none.
enum { TN_EXPORT_VECTOR = 16 };

// What a function takes: memory (ARG: a number) number k of its step, in order. dtype: as it is stored.
typedef struct tn_export_param { int is_arg, k, dtype, written; } tn_export_param;
typedef struct tn_export_kernel {
  char name[TN_KERNEL_NAME + 16];
  const char *text;
  const tn_export_param *param; int nparam;
  int64_t tasks; size_t local_nbytes;      // local: of each task
  int has_task;                            // does it ask for its number?
} tn_export_kernel;

typedef struct tn_exporting {
  tn_saving s;
  const tiny_export_desc *d; const char *name;
  tn_saved f;                              // the rows of s
  tn_export_kernel *kernel;
  tn_plain_uses uses;
  size_t arena, work, state, weights;      // bytes: what steps leave for each other; all of the workspace; ..
  size_t *at;                              // of memory: its place in the state, or in the weights
  size_t *start;                           // of what is assigned: where the weights have what it begins with
  int *outputs;                            // of places: the number of the output that it is; -1: none
  size_t *spare;                           // of places of results that nobody is given: where in the workspace
} tn_exporting;

// The rows, as a file would have them.
static void tn_export_rows(tn_exporting *x) {
  tn_saved *f = &x->f;
  const tiny_bytes *part = x->s.part;
  f->head = &x->s.head;
  f->input = (const tn_saved_input *)(const void *)part[TN_SAVED_INPUTS].data;
  f->output = (const tn_saved_output *)(const void *)part[TN_SAVED_OUTPUTS].data;
  f->memory = (const tn_saved_memory *)(const void *)part[TN_SAVED_MEMORIES].data;
  f->leaf = (const tn_saved_leaf *)(const void *)part[TN_SAVED_LEAVES].data;
  f->scalar = (const tn_saved_scalar *)(const void *)part[TN_SAVED_SCALARS].data;
  f->place = (const tn_saved_place *)(const void *)part[TN_SAVED_PLACES].data;
  f->step = (const tn_saved_step *)(const void *)part[TN_SAVED_STEPS].data;
  f->tiles = (const tn_saved_tiles *)(const void *)part[TN_SAVED_TILES].data;
  f->dim = (const int64_t *)(const void *)part[TN_SAVED_DIMS].data;
  f->number = (const int32_t *)(const void *)part[TN_SAVED_NUMBERS].data;
  f->text = part[TN_SAVED_TEXT].data;
  for (int i = 0; i < TN_SAVED_CODE; i++) f->n[i] = tn_saving_count(&x->s, i);
}

// ** may it be said that a kernel's memory lies apart? **

static int tn_export_overlap(const tn_saved *f, int a, int b) {
  const tn_saved_place *p = &f->place[a], *q = &f->place[b];
  if (a == b) return 1;
  if (p->kind != q->kind) return 0;
  if (p->kind == TN_SAVED_IN_ARENA) return p->offset < q->offset + q->nbytes && q->offset < p->offset + p->nbytes;
  if (p->kind == TN_SAVED_IN_OUTPUT || p->index == q->index) return p->index == q->index;
  return f->leaf[p->index].memory >= 0 && f->leaf[p->index].memory == f->leaf[q->index].memory;
}
static int tn_export_apart(const tn_exporting *x, int kernel, const tn_export_kernel *k) {
  const tn_saved *f = &x->f;
  for (int i = 0; i < f->n[TN_SAVED_STEPS]; i++) {
    const tn_saved_step *s = &f->step[i];
    if (s->kernel != kernel) continue;
    for (int a = 0; a < k->nparam; a++) for (int b = 0; b < k->nparam; b++) {
      const tn_export_param *to = &k->param[a], *from = &k->param[b];
      if (a == b || to->is_arg || from->is_arg || !to->written) continue;
      if (tn_export_overlap(f, f->number[s->mem + to->k], f->number[s->mem + from->k])) return 0;
    }
  }
  return 1;
}

// ** a kernel **

// Those of a processor of today; vector_nbytes as in a tiny_export_desc.
static void tn_export_limits(tiny_limits *limits, int vector_nbytes) {
  memset(limits, 0, sizeof *limits);
  limits->host_memory = limits->threads = 1;
  limits->vector_nbytes = vector_nbytes < 0 ? 0 : vector_nbytes ? vector_nbytes : TN_EXPORT_VECTOR;
  limits->vector_registers = limits->vector_nbytes == 64 ? 32 : 16;
}
static void tn_export_renderer(const tn_exporting *x, tiny_renderer *r, int apart) {
  tn_lang_plain(r, apart);
  if (x->d->vector_nbytes >= 0) tn_lang_plain_lanes(r);
  tn_cstyle(r);
}
static void tn_export_params(tn_exporting *x, const tn_lowered *low, tn_export_kernel *k) {
  tn_export_param *all = (tn_export_param *)tn_scratch(x->s.t, ((size_t)low->n + 1) * sizeof *all);
  for (int i = 0; i < low->n; i++) {
    const tiny_uop *u = low->list[i];
    if (u->op == TINY_OP_SPECIAL) k->has_task = 1;
    if (u->op != TINY_OP_PARAM && u->op != TINY_OP_ARG) continue;
    tn_export_param *p = &all[k->nparam++];
    p->is_arg = u->op == TINY_OP_ARG; p->k = (int)u->k; p->dtype = u->dtype;
    for (int j = 0; j < low->n && !p->is_arg; j++)
      if (low->list[j]->op == TINY_OP_STORE && tn_memory_behind(low->list[j]->src[0]->src[0]) == u) p->written = 1;
  }
  k->param = (const tn_export_param *)tn_saving_keep(&x->s, all, (size_t)k->nparam * sizeof *all + 1);
}
// The function, static, with its numbers of LOCAL memory and tasks behind its other parameters.
static tiny_code tn_export_render(tn_exporting *x, int kernel, const tn_lowered *low, tn_export_kernel *k) {
  tiny_ctx *t = x->s.t;
  tiny_renderer r;
  tiny_bytes text = {t, NULL, 0, 0};
  uint64_t uses = 0;
  const tiny_listing listing = {k->name, low->list, low->n, low->hints, low->local, low->local_nbytes};
  tn_export_renderer(x, &r, tn_export_apart(x, kernel, k));
  r.language.kernel = tn_text_of_format(t, "static void %%n(%%a%s%s) {", k->local_nbytes ? ", char *local" : "",
                                        k->has_task ? ", i32 task" : "");
  if (tn_cstyle_kernel(t, &r, &listing, &text, &uses) != TINY_OK) return t->code;
  k->text = (const char *)tn_saving_keep(&x->s, text.data, text.n + 1);
  return t->code;
}
static tiny_code tn_export_kernel_of(tn_exporting *x, int kernel) {
  tiny_ctx *t = x->s.t;
  const tn_executable *e = x->s.kernel[kernel];
  tn_export_kernel *k = &x->kernel[kernel];
  const tn_mark mark = tn_scratch_mark(t);
  tiny_renderer r;
  tiny_limits limits;
  tn_wire_list list;
  tn_lowered low;
  if (!e->packed)
    return tiny_fail(t, TINY_E_STATE, "program_export_c: kernel %s is source of your own, not of the library: "
                     "compute it by tensors", e->name);
  memset(&low, 0, sizeof low);
  snprintf(k->name, sizeof k->name, "k%d_%s", kernel, e->name);
  tn_export_renderer(x, &r, 0);
  tn_export_limits(&limits, x->d->vector_nbytes);
  tn_nodes_enter(t, tn_index(t, 0));
  const tn_target target = {&r, &limits};
  const char *wrong = tn_wire_in(t, e->packed, e->npacked, &list);
  if (wrong) return tiny_fail(t, TINY_E_INTERNAL, "program_export_c: kernel %s: %s", e->name, wrong);
  if (tn_pipeline_run(t, list.list[list.n - 1], &target, NULL, 0, &low) != TINY_OK) return t->code;
  k->tasks = low.tasks; k->local_nbytes = (size_t)low.local_nbytes;
  tn_export_params(x, &low, k);
  const tiny_code code = tn_export_render(x, kernel, &low, k);
  tn_nodes_leave(t);
  tn_scratch_rewind(t, mark);
  if (code == TINY_OK) tn_plain_survey(&x->uses, k->text, 1);
  return code;
}
static tiny_code tn_export_kernels(tn_exporting *x) {
  const int n = x->s.nkernel;
  x->kernel = (tn_export_kernel *)tn_scratch(x->s.t, ((size_t)n + 1) * sizeof *x->kernel);
  for (int i = 0; i < n; i++) if (tn_export_kernel_of(x, i) != TINY_OK) return x->s.t->code;
  return TINY_OK;
}
#endif
