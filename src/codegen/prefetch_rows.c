// prefetch_rows: which loads ask for their rows ahead of time, on a CPU.
//
// In:  a kernel and its profile. Out: PREFETCH opts: of rows that are read in several passes, while the pass before
//      works on what the caches hold, and of rows that numbers from memory name, which no processor can guess.
#ifndef TN_CODEGEN_PREFETCH_ROWS
#define TN_CODEGEN_PREFETCH_ROWS
#ifndef TINY_AMALGAMATED
#include "tensorcore.c"
#endif

enum { TN_ROW_AHEAD = TN_PAGE_NBYTES, TN_ROW_FETCHES = 8 };    // bytes that are asked for at least; loads that ask

// Does a pass of a kernel that another one waits for read u? Those are REDUCEs without REDUCEs inside.
static int tn_in_first_pass(tiny_ctx *t, const tn_profile *p, const tiny_uop *u) {
  for (int i = 0; i < p->nreduce; i++) {
    int inner = 0;
    for (int j = 0; j < p->nreduce; j++) inner |= j != i && tn_depends(t, p->reduce[i], p->reduce[j]);
    if (!inner && tn_depends(t, p->reduce[i], u)) return 1;
  }
  return 0;
}

// Rows ahead that are fetched: the next one, or several short ones.
static int64_t tn_rows_ahead(int64_t nbytes) { return nbytes < TN_ROW_AHEAD ? TN_ROW_AHEAD / nbytes : 1; }

// What a load reads in one iteration of the output range number `rows`, in bytes.
static int64_t tn_iteration_nbytes(tiny_ctx *t, const tn_profile *p, tiny_uop *load, int rows) {
  tn_list ranges = {NULL, 0, 0};
  int64_t n = tn_dtypes[load->dtype].nbytes;
  tn_collect_ranges(t, load, &ranges);
  for (int i = 0; i < ranges.n; i++) {
    int outside = 0;
    for (int j = 0; j <= rows; j++) outside |= p->out[j] == ranges.u[i];
    if (!outside) n *= tn_range_extent(ranges.u[i]);
  }
  return n;
}

// Rows that are walked more than once: while a later pass works on what the caches hold, the next row comes nearer.
static void tn_fetch_next_row(tn_kernel_state *s, const tn_profile *p) {
  int rows = -1;
  tn_list fetched = {NULL, 0, 0}, memory = {NULL, 0, 0};
  for (int i = 0; i < p->nout; i++) {
    int around = tn_range_kind(p->out[i]) == TN_LOOP && p->nreduce > 1;
    for (int j = 0; j < p->nreduce; j++) around &= tn_depends(s->t, p->reduce[j], p->out[i]);
    if (around) rows = i;
  }
  if (rows < 0) return;
  const tn_list loads = tn_kernel_collect(s, TINY_OP_LOAD);
  for (int i = 0; i < loads.n; i++) {
    tiny_uop *u = loads.u[i], *at = u->src[0];
    const int64_t stride = tn_stride_in(s->t, at->src[1], p->out[rows]);
    int again = 0;
    if (at->src[0]->op != TINY_OP_PARAM || stride == TN_IRREGULAR) continue;
    if (stride * tn_dtypes[u->dtype].nbytes < tn_machine_line(s->target->limits)) continue;
    if (tn_in_first_pass(s->t, p, u)) continue;
    for (int j = 0; j < loads.n; j++)
      again |= loads.u[j]->src[0]->src[0] == at->src[0] && tn_in_first_pass(s->t, p, loads.u[j]);
    for (int j = 0; j < memory.n; j++) again &= memory.u[j] != at->src[0];
    if (!again) continue;
    tn_push(s->t, &memory, at->src[0]);
    tn_push(s->t, &fetched, u);
  }
  for (int i = 0; i < fetched.n; i++)
    tn_do_prefetch(s, fetched.u[i], p->out[rows], tn_rows_ahead(tn_iteration_nbytes(s->t, p, fetched.u[i], rows)));
}

// Rows that are named by numbers from memory: no processor can tell which one comes next, but the kernel can.
static void tn_fetch_named_rows(tn_kernel_state *s, const tn_profile *p) {
  tiny_ctx *t = s->t;
  int64_t ahead[TN_ROW_FETCHES];
  tn_list fetched = {NULL, 0, 0}, along = {NULL, 0, 0};
  const tn_list loads = tn_kernel_collect(s, TINY_OP_LOAD);
  for (int i = 0; i < loads.n && !p->nreduce; i++) {
    tiny_uop *u = loads.u[i], *element = u->src[0]->src[1];
    int rows = p->nout - 1;
    while (rows >= 0 && (tn_range_kind(p->out[rows]) != TN_LOOP || !tn_is_named_in_order(t, element, p->out[rows])))
      rows--;
    if (rows < 0 || u->src[0]->src[0]->op != TINY_OP_PARAM || u->src[0]->src[0] == p->store->src[0]) continue;
    if (tn_stride_in(t, element, p->out[p->nout - 1]) != 1) continue;
    const int64_t nbytes = tn_iteration_nbytes(t, p, u, rows);
    if (nbytes < tn_machine_line(s->target->limits)) continue;
    tn_push(t, &fetched, u);
    tn_push(t, &along, p->out[rows]);
    ahead[fetched.n - 1] = tn_rows_ahead(nbytes);
    if (fetched.n == TN_ROW_FETCHES) break;
  }
  for (int i = fetched.n - 1; i >= 0; i--)           // what names a row is read before it, and is found within it yet
    tn_do_prefetch(s, fetched.u[i], along.u[i], ahead[i]);
}
#endif
