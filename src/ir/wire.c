// wire: nodes of kernels and lists as bytes, and back: for kernels that are kept, shipped and compiled elsewhere.
//
// In:    nodes, sources before users, each source among them; or bytes, from wherever. Out: bytes; or nodes, and what
//        is wrong with the bytes.
// Holds: what is read gives the nodes that were written, of the same hash, in the same order: a kernel has the digest
//        that it had. Nothing is believed: sizes are within the bytes, and each node fits its op (ir/args.c) before it
//        is made. Whether a list is a program is for ir/spec.c to say.
//
//   count | of each node: op, dtype, lanes, sources as distances back, k, list, hint
//
// Numbers are of seven bits a byte, low bits first, the last byte below 128; those with a sign alternate: 0 -1 1 -2 ...
#ifndef TN_IR_WIRE
#define TN_IR_WIRE
#ifndef TINY_AMALGAMATED
#include "spec.c"
#endif

enum { TN_WIRE_MOST = 1 << 20, TN_WIRE_LANES = 1024 };       // nodes; lanes of one

// ** out **

static void tn_wire_put(tiny_bytes *out, uint64_t n) {
  uint8_t byte[10];
  int count = 0;
  for (; n > 0x7F; n >>= 7) byte[count++] = (uint8_t)(n | 0x80);
  byte[count++] = (uint8_t)n;
  tiny_bytes_add(out, byte, (size_t)count);
}
static void tn_wire_put_signed(tiny_bytes *out, int64_t k) {
  tn_wire_put(out, (uint64_t)k << 1 ^ (k < 0 ? UINT64_MAX : 0));
}
// hints: of each node; NULL: none. Heavy code; marks are used.
static void tn_wire_out(tiny_ctx *t, tiny_uop *const *list, int n, const uint8_t *hints, tiny_bytes *out) {
  tn_map at = {NULL, 0, 0};
  tn_wire_put(out, (uint64_t)n);
  for (int i = 0; i < n; i++) {
    const tiny_uop *u = list[i];
    const uint8_t head[2] = {u->op, u->dtype};
    tiny_bytes_add(out, head, sizeof head);
    tn_wire_put(out, u->lanes);
    tn_wire_put(out, u->nsrc);
    for (uint32_t j = 0; j < u->nsrc; j++)
      tn_wire_put(out, (uint64_t)(i - (int)(intptr_t)tn_map_get(&at, u->src[j])));
    tn_wire_put_signed(out, u->k);
    tn_wire_put(out, u->nv);
    for (int j = 0; j < u->nv; j++) tn_wire_put_signed(out, u->v[j]);
    tn_wire_put(out, hints ? hints[i] : 0);
    tn_map_set(t, &at, u, (void *)(intptr_t)i);
  }
}
// A kernel: all that its SINK is made of.
static void tn_wire_kernel(tiny_ctx *t, tiny_uop *sink, tiny_bytes *out) {
  tn_list all = {NULL, 0, 0};
  tn_toposort(t, sink, &all);
  tn_wire_out(t, all.u, all.n, NULL, out);
}

// ** in **

typedef struct tn_wire_list { tiny_uop **list; uint8_t *hints; int n; } tn_wire_list;
typedef struct tn_wire_reader { const uint8_t *at, *end; int bad; } tn_wire_reader;

static uint64_t tn_wire_get(tn_wire_reader *r, uint64_t most) {
  uint64_t n = 0;
  for (int shift = 0; shift < 64 && r->at < r->end; shift += 7) {
    const uint64_t byte = *r->at++;
    n |= (byte & 0x7F) << shift;
    if (byte > 0x7F) continue;
    if (n > most || (shift == 63 && byte > 1)) break;
    return n;
  }
  r->bad = 1;
  return 0;
}
static int64_t tn_wire_get_signed(tn_wire_reader *r) {
  const uint64_t n = tn_wire_get(r, UINT64_MAX);
  return (int64_t)(n >> 1 ^ (n & 1 ? UINT64_MAX : 0));
}
// Ops that kernels and programs are made of, which name nothing outside of them.
static int tn_wire_takes(int op) {
  const int of_items = op == TINY_OP_BARRIER || op == TINY_OP_SHUFFLE || op == TINY_OP_WMMA || op == TINY_OP_BULK ||
      op == TINY_OP_BULKSTORE;
  if (TN_RUNS_ONLY && of_items) return 0;
  for (size_t i = 0; i < sizeof tn_spec_rows / sizeof *tn_spec_rows; i++)
    if (tn_spec_rows[i].op == op)
      return tn_spec_rows[i].stages & (TN_RUNS_ONLY ? TN_SPEC_PROGRAM : TN_SPEC_KERNEL | TN_SPEC_PROGRAM);
  return 0;
}
// Is k what a dtype can be? Bounds, and code, take it as it is.
static int tn_wire_is_value(int dtype, int64_t k) {
  if (tn_is_float(dtype)) return tn_to_f64(k) != tn_to_f64(k) || tn_from_f64(tn_dtype_round(dtype, tn_to_f64(k))) == k;
  return dtype == TINY_VOID || dtype == TINY_INDEX || tn_dtype_wrap(dtype, k) == k;
}
// Node number i; NULL: there is something wrong.
static tiny_uop *tn_wire_node(tiny_ctx *t, tn_wire_reader *r, const tn_wire_list *all, int i) {
  tiny_uop *src[UINT8_MAX];
  int64_t v[UINT8_MAX];
  const int op = (int)tn_wire_get(r, TINY_OP_COUNT - 1), dtype = (int)tn_wire_get(r, TINY_DTYPE_COUNT - 1);
  const int lanes = (int)tn_wire_get(r, TN_WIRE_LANES), nsrc = (int)tn_wire_get(r, (uint64_t)i);
  tiny_uop **from = nsrc <= UINT8_MAX ? src : (tiny_uop **)tn_scratch(t, (size_t)nsrc * sizeof *from);
  for (int j = 0; j < nsrc && !r->bad; j++) {
    const int back = (int)tn_wire_get(r, (uint64_t)i);
    if (back < 1) return NULL;
    from[j] = all->list[i - back];
  }
  const int64_t k = tn_wire_get_signed(r);
  const int nv = (int)tn_wire_get(r, UINT8_MAX);
  for (int j = 0; j < nv && !r->bad; j++) v[j] = tn_wire_get_signed(r);
  all->hints[i] = (uint8_t)tn_wire_get(r, UINT8_MAX);
  if (op == TINY_OP_CONST && !tn_wire_is_value(dtype, k)) return NULL;
  if (r->bad || lanes < 1 || !tn_wire_takes(op) || tn_args_fit(op, nsrc, from, k, nv, v)) return NULL;
  return tn_uop_make_with(t, op, dtype, lanes, nsrc, from, k, nv, v, NULL);
}
// What is wrong; NULL: nothing. Nodes are made in the table that is open (tn_nodes_enter), the list in scratch memory.
static const char *tn_wire_in(tiny_ctx *t, const void *data, size_t nbytes, tn_wire_list *out) {
  tn_wire_reader r = {(const uint8_t *)data, (const uint8_t *)data + nbytes, 0};
  const uint64_t n = tn_wire_get(&r, TN_WIRE_MOST);
  memset(out, 0, sizeof *out);
  if (r.bad || !n || n > nbytes / 7) return "a kernel's list is cut off";      // a node has seven bytes and more
  out->n = (int)n;
  out->list = (tiny_uop **)tn_scratch(t, (size_t)n * sizeof *out->list);
  out->hints = (uint8_t *)tn_scratch(t, (size_t)n);
  for (int i = 0; i < out->n; i++) {
    out->list[i] = tn_wire_node(t, &r, out, i);
    if (!out->list[i] || out->list[i] == &t->ir->bad) return "a kernel's list has a node that is none";
  }
  return r.at == r.end ? NULL : "something follows a kernel's list";
}
#endif
