// summary: a table of a network's parameters, a row for each layer.
//
// In:  a list of named tensors (params.c). Out: text. A layer is what stands together in the list and has one name up
//      to the last dot. A tensor of several names is counted by its first; one that cannot be used counts nothing.
#ifndef TN_TENSOR_SUMMARY
#define TN_TENSOR_SUMMARY
#ifndef TINY_AMALGAMATED
#include "params.c"
#endif

typedef struct tn_summary_row { int64_t nelem, trained, nbytes; } tn_summary_row;

// The layer's part of a name: all up to the last dot, or nothing.
static int tn_summary_layer(const char *name) {
  const char *dot = strrchr(name, '.');
  return dot ? (int)(dot - name) : 0;
}
static int tn_summary_same(const char *a, const char *b) {
  const int n = tn_summary_layer(a);
  return n == tn_summary_layer(b) && !memcmp(a, b, (size_t)n);
}
// The first n bytes of a name, filled up to so many columns.
static void tn_summary_name(tiny_bytes *out, int columns, const char *name, int n) {
  char *cell = (char *)tn_scratch(out->t, (size_t)n + 1);
  const int used = tn_text_cell(cell, name, (size_t)n);
  tn_text_add(out, "%s%*s", cell, used < columns ? columns - used : 0, "");
}
static void tn_summary_numbers(tiny_bytes *out, int columns, const char *layer, int n, const tn_summary_row *row) {
  char text[3][32];
  tn_summary_name(out, columns, layer, n);
  tn_text_add(out, "%15s%15s%17s", tn_text_grouped(text[0], row->nelem), tn_text_grouped(text[1], row->trained),
              tn_text_grouped(text[2], row->nbytes));
}
// "weight (10,512)", or whose tensor it is, or why it is none; what it counts is added to row.
static void tn_summary_tensor(const tiny_params *p, int i, const tn_map *first, tn_summary_row *row, tiny_bytes *out) {
  const tiny_param *param = &p->param[i];
  const char *name = param->name + tn_summary_layer(param->name);
  char text[TN_DIMS_TEXT];
  name += *name == '.';
  tn_summary_name(out, 0, name, (int)strlen(name));
  if (!tiny_ok(param->tensor)) { tn_text_put(out, tn_live(param->tensor) ? " <poison>" : " <freed>"); return; }
  const int same = (int)(intptr_t)tn_map_get(first, param->tensor) - 1;
  if (same != i) {
    tn_text_put(out, " = ");
    tn_summary_name(out, 0, p->param[same].name, (int)strlen(p->param[same].name));
    return;
  }
  const tiny_uop *u = tn_uop_of(param->tensor);
  const int64_t nelem = tn_dims_nelem(u->ndim, u->dim);
  tn_text_add(out, " %s", tn_text_of(u, text));
  row->nelem += nelem;
  row->trained += param->trainable ? nelem : 0;
  row->nbytes += nelem * tn_dtypes[u->dtype].nbytes;
}
// Every dtype of the tensors begin..end-1, in the order of tiny_dtype: "f16 f32"
static void tn_summary_dtypes(const tiny_params *p, int begin, int end, tiny_bytes *out) {
  uint32_t seen = 0;
  for (int i = begin; i < end; i++) seen |= (uint32_t)1 << tiny_dtype_of(p->param[i].tensor);
  for (int d = TINY_VOID + 1; d < TINY_DTYPE_COUNT; d++)
    if (seen >> d & 1) tn_text_add(out, "%s%s", out->n ? " " : "", tn_dtypes[d].name);
}

static void tn_summary(tiny_ctx *t, const tiny_params *p, tiny_bytes *out) {
  tn_map first = {NULL, 0, 0};
  tn_summary_row all = {0, 0, 0};
  int columns = 5, layers = 0;
  for (int i = 0; i < p->n; i++) {
    const int n = tn_text_cell(NULL, p->param[i].name, (size_t)tn_summary_layer(p->param[i].name));
    if (n > columns) columns = n;
    if (!tn_map_has(&first, p->param[i].tensor)) tn_map_set(t, &first, p->param[i].tensor, (void *)(intptr_t)(i + 1));
  }
  tn_text_add(out, "%-*s%15s%15s%17s  %-8s  tensors\n", columns, "layer", "parameters", "trained", "bytes", "dtype");
  for (int begin = 0, end; begin < p->n; begin = end, layers++) {
    tiny_bytes tensors = {t, NULL, 0, 0}, dtypes = {t, NULL, 0, 0};
    tn_summary_row row = {0, 0, 0};
    const char *const name = p->param[begin].name;
    for (end = begin; end < p->n && tn_summary_same(name, p->param[end].name); end++) {
      tn_text_put(&tensors, end > begin ? ", " : "");
      tn_summary_tensor(p, end, &first, &row, &tensors);
    }
    tn_summary_dtypes(p, begin, end, &dtypes);
    const int n = tn_summary_layer(name);
    tn_summary_numbers(out, columns, n ? name : "-", n ? n : 1, &row);
    tn_text_add(out, "  %-8s  %s\n", dtypes.n ? dtypes.data : "", tensors.data);
    all.nelem += row.nelem; all.trained += row.trained; all.nbytes += row.nbytes;
  }
  tn_summary_numbers(out, columns, "total", 5, &all);
  tn_text_add(out, "  %-8s  %d tensor%s in %d layer%s\n", "", p->n, p->n == 1 ? "" : "s", layers,
              layers == 1 ? "" : "s");
}

typedef struct tn_summary_call { const tiny_params *p; char *out; size_t nbytes, length; } tn_summary_call;
static tiny_code tn_summary_guarded(tiny_ctx *t, void *arg) {
  tn_summary_call *c = (tn_summary_call *)arg;
  tiny_bytes out = {t, NULL, 0, 0};
  tn_summary(t, c->p, &out);
  c->length = tn_text_give(out.data, out.n, c->out, c->nbytes);
  return TINY_OK;
}
TINY_API size_t tiny_params_summary(const tiny_params *p, char *out, size_t nbytes) {
  static const char none[] = "no parameters\n";
  tn_summary_call c = {p, out, nbytes, 0};
  if (out && nbytes) *out = 0;
  if (p && p->n) tn_guard(p->t, tn_summary_guarded, &c);
  else c.length = tn_text_give(none, sizeof none - 1, out, nbytes);
  return c.length;
}
#endif
