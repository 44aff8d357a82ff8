// ptx_tcgen05: products of all rows and columns of four warps, which sm_100a's units sum in memory of their own (PTX
// ISA, "TensorCore 5th Generation Family Instructions", and there "Tensor Memory", "Matrix Descriptors", "Canonical
// Layouts", "Data Path Layout Organization", "Memory Consistency Model").
//
// In:  WMMAs whose a is a STACK of LOADs of matrices by steps, b such a LOAD. Out: their lines.
// Holds:
//  - A sum lives in Tensor Memory while WMMAs alone touch it: a lane of that for each of 128 rows (or 64: 16 lanes of
//    each warp's 32), a column for each column. What it begins with is a predicate, of what it is added to or not.
//  - The first thread of each four warps starts their products, and says when they are to be counted as arrived at an
//    mbarrier, which all threads wait for: before they meet again, and at the end of a loop, as memory that the unit
//    reads is written then. What a barrier separates, fences separate as well.
//  - Behind the loop a warp reads the rows of its lanes once, into registers that lie as those of mma.sync: 16 lanes
//    of 256 bits are 16 rows of 8 columns ("Matrix fragments for shape .16x256b").
#ifndef TN_RENDER_PTX_TCGEN05
#define TN_RENDER_PTX_TCGEN05
#ifndef TINY_AMALGAMATED
#include "ptx_wgmma.c"
#endif

enum {
  TN_PTX_KEPT = 4, TN_PTX_CHAINED = 8,     // of nodes, beside what is wanted: a unit keeps it; a WMMA adds to it
  TN_PTX_TENSOR_NBYTES = 16,               // of shared memory: where Tensor Memory was allocated, and an mbarrier
  TN_PTX_FOUR_WARPS = 128, TN_PTX_TENSOR = 512, TN_PTX_TENSOR_LEAST = 32, TN_PTX_TENSOR_LANE = 16, TN_PTX_LOADED = 32
};

// Of what a unit keeps, in the pool: its address, a predicate: it is added to; is what it holds yet to be read?
enum { TN_PTX_KEPT_AT, TN_PTX_KEPT_ADDS, TN_PTX_KEPT_OPEN, TN_PTX_KEPT_FIELDS };

// Operands as boxes are wgmma's.
static int tn_ptx_is_whole(const tiny_uop *u) {
  const tiny_uop *a = u->op == TINY_OP_WMMA ? tn_ptx_matrices(u->src[0]) : NULL;
  return a && !tn_load_has(a, TN_SWIZZLED) && tn_ptx_is_by_unit(u->src[1]);
}
static int tn_ptx_is_zero(const tiny_uop *u) {
  while (u->op == TINY_OP_BROADCAST) u = u->src[0];
  return u->op == TINY_OP_CONST && u->k == 0;
}
// Of the product: tiles of 16 rows of a warp, and columns.
static int tn_ptx_whole_rows(const tiny_uop *u) { return u->src[0]->op == TINY_OP_STACK ? (int)u->src[0]->nsrc : 1; }
static int tn_ptx_whole_columns(const tiny_uop *u) { return u->lanes / (4 * tn_ptx_whole_rows(u)) * 8; }

// Which sums units keep: REG memory, or of one product after the other the first.
static void tn_ptx_tensor_survey(tn_ptx *x) {
  x->groups = (int)(x->k->local[0] * x->k->local[1] * x->k->local[2] / TN_PTX_FOUR_WARPS);
  for (int i = 0; i < x->k->n && !x->failed; i++) {
    const tiny_uop *u = x->k->list[i], *sum = u->nsrc > 2 ? u->src[2] : NULL;
    if (!tn_ptx_is_whole(u)) continue;
    x->wants[sum->seq] |= TN_PTX_CHAINED;
    if (sum->op == TINY_OP_WMMA) continue;
    const int reg = sum->op == TINY_OP_LOAD && tn_is_reg(sum->src[0]->src[0]);
    const tiny_uop *keeper = reg ? tn_memory_behind(sum->src[0]->src[0]) : u;
    if (!reg && !tn_ptx_is_zero(sum)) { tn_ptx_fail(x, "a WMMA that begins with a sum"); return; }
    if (!(x->wants[keeper->seq] & TN_PTX_KEPT)) x->tensor += tn_ptx_whole_columns(u);
    x->wants[keeper->seq] |= TN_PTX_KEPT;
  }
  if (x->tensor * x->groups > TN_PTX_TENSOR) tn_ptx_fail(x, "a WMMA of so many columns");
}
static int tn_ptx_tensor_columns(const tn_ptx *x) {
  int n = TN_PTX_TENSOR_LEAST;
  while (n < x->tensor * x->groups) n *= 2;
  return n;
}

// ** a kernel's beginning and end **

static void tn_ptx_fences(tn_ptx *x, const char *between) {
  tn_ptx_text(tn_ptx_body(x), "\ttcgen05.fence::before_thread_sync;\n%s\ttcgen05.fence::after_thread_sync;\n", between);
}
// What one thread or warp does.
static void tn_ptx_by(tn_ptx *x, tn_ptx_operand who, const char *text) {
  tn_ptx_text(tn_ptx_body(x), "\t@%%p%lld %s", (long long)who.n, text);
}
static void tn_ptx_tensor_open(tn_ptx *x) {
  char line[160];
  const int number = x->memories++;
  tn_ptx_wants_version(x, 86);
  tn_ptx_text(&x->declares, "\t.shared .align 16 .b8 m%d[%d];\n", number, TN_PTX_TENSOR_NBYTES);
  const tn_ptx_operand item = tn_ptx_register(x, 'r'), of_four = tn_ptx_register(x, 'r'), symbol = {'s', number};
  tn_ptx_text(tn_ptx_body(x), "\tmov.u32 %%r%lld, %%tid.x;\n\tand.b32 %%r%lld, %%r%lld, %d;\n", (long long)item.n,
              (long long)of_four.n, (long long)item.n, TN_PTX_FOUR_WARPS - 1);
  x->manages = tn_ptx_do2(x, 'p', "setp.lt.u32", item, tn_ptx_k(TN_PTX_FOUR_WARPS / 4));
  x->starts = tn_ptx_do2(x, 'p', "setp.eq.s32", of_four, tn_ptx_k(0));
  x->arrives = tn_ptx_do2(x, 'r', "add.s32", tn_ptx_do1(x, 'r', "mov.u32", symbol), tn_ptx_k(8));
  x->phase = tn_ptx_do1(x, 'r', "mov.b32", tn_ptx_k(0));
  snprintf(line, sizeof line, "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [m%d], %d;\n", number,
           tn_ptx_tensor_columns(x));
  tn_ptx_by(x, x->manages, line);
  tn_ptx_by(x, x->manages, "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n");
  snprintf(line, sizeof line, "mbarrier.init.shared::cta.b64 [%%r%lld], %d;\n", (long long)x->arrives.n, x->groups);
  tn_ptx_by(x, tn_ptx_do2(x, 'p', "setp.eq.s32", item, tn_ptx_k(0)), line);
  tn_ptx_fences(x, "\tbar.sync 0;\n");
  tn_ptx_operand at = x->tensor_all = tn_ptx_register(x, 'r');
  tn_ptx_text(tn_ptx_body(x), "\tld.shared.u32 %%r%lld, [m%d];\n", (long long)at.n, number);
  const tn_ptx_operand four = tn_ptx_do2(x, 'r', "shr.u32", item, tn_ptx_k(7)),
                       warp = tn_ptx_do(x, 'r', "bfe.u32", item, tn_ptx_k(5), tn_ptx_k(2));
  x->tensor_at = x->groups > 1 ? tn_ptx_do(x, 'r', "mad.lo.s32", four, tn_ptx_k(x->tensor), at) : at;
  x->tensor_lane = tn_ptx_do2(x, 'r', "shl.b32", warp, tn_ptx_k(16 + 5));  // 32 lanes each
  x->met = 1;
}
static void tn_ptx_tensor_close(tn_ptx *x) {
  char line[120];
  tn_ptx_text(tn_ptx_body(x), "\ttcgen05.fence::before_thread_sync;\n\tbar.sync 0;\n");
  snprintf(line, sizeof line, "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %%r%lld, %d;\n",
           (long long)x->tensor_all.n, tn_ptx_tensor_columns(x));
  tn_ptx_by(x, x->manages, line);
}

// ** what is kept **

// The product that adds to the memory first.
static const tiny_uop *tn_ptx_kept_product(const tn_ptx *x, const tiny_uop *memory) {
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    if (tn_ptx_is_whole(u) && u->src[2]->op == TINY_OP_LOAD &&
        tn_memory_behind(u->src[2]->src[0]->src[0]) == memory)
      return u;
  }
  return NULL;
}
// Its place in the pool: columns of its own, behind those that were given before.
static int tn_ptx_keep(tn_ptx *x, const tiny_uop *keeper, const tiny_uop *product) {
  const int at = x->at, first = tn_ptx_take(x, TN_PTX_KEPT_FIELDS);
  x->at = 0;
  tn_ptx_put(x, first + TN_PTX_KEPT_AT, x->tensor_given ?
             tn_ptx_do2(x, 'r', "add.s32", x->tensor_at, tn_ptx_k(x->tensor_given)) : x->tensor_at);
  tn_ptx_put(x, first + TN_PTX_KEPT_ADDS, tn_ptx_do2(x, 'p', "setp.ne.s32", x->phase, x->phase));
  tn_ptx_put(x, first + TN_PTX_KEPT_OPEN, tn_ptx_k(0));
  x->at = at;
  x->tensor_given += tn_ptx_whole_columns(product);
  x->words[keeper->seq] = first;
  return first;
}
static void tn_ptx_kept_adds(tn_ptx *x, int kept, int adds) {
  const tn_ptx_operand o[3] = {x->pool.of[kept + TN_PTX_KEPT_ADDS], x->phase, x->phase};
  tn_ptx_line(x, adds ? "setp.eq.s32" : "setp.ne.s32", o, 3);
}
// The products that were started are done: what they read may be written, what they gave be read.
static void tn_ptx_tensor_wait(tn_ptx *x) {
  char line[120];
  if (!x->tensor_open) return;
  const int label = ++x->labels;
  x->tensor_open = 0;
  if (!x->met) tn_ptx_fences(x, "\tbar.sync 0;\n");          // all have seen the phase before
  x->met = 0;
  snprintf(line, sizeof line, "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%%r%lld];\n",
           (long long)x->arrives.n);
  tn_ptx_by(x, x->starts, line);
  const tn_ptx_operand is = tn_ptx_register(x, 'p'), turned[3] = {x->phase, x->phase, tn_ptx_k(1)};
  tn_ptx_text(tn_ptx_body(x), "$W%d:\n\tmbarrier.try_wait.parity.shared::cta.b64 %%p%lld, [%%r%lld], %%r%lld;\n", label,
              (long long)is.n, (long long)x->arrives.n, (long long)x->phase.n);
  tn_ptx_text(tn_ptx_body(x), "\t@!%%p%lld bra $W%d;\n", (long long)is.n, label);
  tn_ptx_line(x, "xor.b32", turned, 3);
  tn_ptx_text(tn_ptx_body(x), "\ttcgen05.fence::after_thread_sync;\n");
}
// Registers from `first` on of the pool hold what is kept: of each tile of rows all columns, 32 registers at a time.
static void tn_ptx_tensor_load(tn_ptx *x, int kept, int first, int lanes, int rows) {
  const tn_ptx_operand at = tn_ptx_do2(x, 'r', "add.s32", x->pool.of[kept + TN_PTX_KEPT_AT], x->tensor_lane);
  const int each = lanes / rows, n = each < TN_PTX_LOADED ? each : TN_PTX_LOADED;
  tn_ptx_tensor_wait(x);
  for (int i = 0; i < lanes && !x->failed; i += n) {
    const long long lane = (long long)(i / each) * TN_PTX_TENSOR_LANE << 16;
    tn_ptx_text(tn_ptx_body(x), "\ttcgen05.ld.sync.aligned.16x256b.x%d.b32 ", n / 4);
    tn_ptx_group(tn_ptx_body(x), &x->pool.of[first + i], n);
    tn_ptx_text(tn_ptx_body(x), ", [%%r%lld+%lld];\n", (long long)at.n, lane + i % each * 2);
  }
  tn_ptx_text(tn_ptx_body(x), "\ttcgen05.wait::ld.sync.aligned;\n");
  tn_ptx_put(x, kept + TN_PTX_KEPT_OPEN, tn_ptx_k(0));
}

// ** a product **

static const char *tn_ptx_tensor_kind(int dtype) {
  return dtype == TINY_F32 ? "tf32" : dtype == TINY_I8 ? "i8" : tn_ptx_is_fp8(dtype) ? "f8f6f4" : "f16";
}
static int64_t tn_ptx_tensor_type(int dtype) {
  return dtype == TINY_F32 ? 2 : dtype == TINY_BF16 || dtype == TINY_F8E5M2 || dtype == TINY_I8;
}
// "Instruction descriptor": dtypes of the sum (bit 4), of a (7) and b (10); a (15) and b (16) turned; columns (17) in
// eights, rows (24) in sixteens.
static int64_t tn_ptx_tensor_descriptor(const tiny_uop *u, const tiny_warp_unit *unit) {
  const int64_t turned[2] = {tn_load_kind(tn_ptx_matrices(u->src[0])) == TN_TURNED,
                             tn_load_kind(tn_ptx_matrices(u->src[1])) == TN_TURNED};
  return (int64_t)(unit->c == TINY_F32 ? 1 : 2) << 4 | tn_ptx_tensor_type(unit->a) << 7 |
      tn_ptx_tensor_type(unit->b) << 10 | turned[0] << 15 | turned[1] << 16 |
      (int64_t)tn_ptx_whole_columns(u) / 8 << 17 | (int64_t)4 * tn_ptx_whole_rows(u) << 24;
}
static void tn_ptx_tcgen05(tn_ptx *x, const tiny_uop *u, const tiny_warp_unit *unit) {
  const tiny_uop *sum = u->src[2], *first_sum = sum;
  char line[64];
  while (first_sum->op == TINY_OP_WMMA) first_sum = first_sum->src[2];
  const int reg = sum->op == TINY_OP_LOAD, stays = first_sum->op == TINY_OP_LOAD;
  if ((x->wants[u->seq] & TN_PTX_KEPT)) {
    const int first = tn_ptx_take(x, u->lanes);
    for (int i = 0; i < u->lanes; i++) tn_ptx_put(x, first + i, tn_ptx_register(x, tn_ptx_class(u->dtype)));
    x->elements[u->seq] = first;
    tn_ptx_kept_adds(x, tn_ptx_keep(x, u, u), 0);
  } else {
    const tiny_uop *keeper = reg ? tn_memory_behind(sum->src[0]->src[0]) : sum;
    x->elements[u->seq] = x->elements[keeper->seq];
    x->words[u->seq] = x->words[keeper->seq];
  }
  const int kept = x->words[u->seq];
  const tn_ptx_operand a = tn_ptx_descriptor(x, tn_ptx_matrices(u->src[0]), 0),
                       b = tn_ptx_descriptor(x, tn_ptx_matrices(u->src[1]), 1),
                       as = tn_ptx_held(x, tn_ptx_k(tn_ptx_tensor_descriptor(u, unit)), 'r');
  if (x->failed) return;
  snprintf(line, sizeof line, "tcgen05.mma.cta_group::1.kind::%s ", tn_ptx_tensor_kind(unit->a));
  tn_ptx_by(x, x->starts, line);
  tn_ptx_text(tn_ptx_body(x), "[%%r%lld], %%d%lld, %%d%lld, %%r%lld, %%p%lld;\n",
              (long long)x->pool.of[kept + TN_PTX_KEPT_AT].n, (long long)a.n, (long long)b.n, (long long)as.n,
              (long long)x->pool.of[kept + TN_PTX_KEPT_ADDS].n);
  if (sum->op != TINY_OP_WMMA) tn_ptx_kept_adds(x, kept, 1);
  tn_ptx_put(x, kept + TN_PTX_KEPT_OPEN, tn_ptx_k(tn_ptx_whole_rows(u)));
  x->tensor_open = 1;
  if (!stays && !(x->wants[u->seq] & TN_PTX_CHAINED) && !x->failed)
    tn_ptx_tensor_load(x, kept, x->elements[u->seq], u->lanes, tn_ptx_whole_rows(u));
}

// ** statements **

// What a unit keeps of REG memory: 1 if u is of that, and done.
static int tn_ptx_of_kept(tn_ptx *x, const tiny_uop *u) {
  const tiny_uop *memory = (u->op == TINY_OP_LOAD || u->op == TINY_OP_STORE) && tn_is_reg(u->src[0]->src[0]) ?
                           tn_memory_behind(u->src[0]->src[0]) : NULL;
  if (!memory || !(x->wants[memory->seq] & TN_PTX_KEPT)) return 0;
  const int kept = x->words[memory->seq];
  if (u->op == TINY_OP_STORE) {
    if (u->src[1]->op == TINY_OP_WMMA) return 1;
    if (!tn_ptx_is_zero(u->src[1])) tn_ptx_fail(x, "a WMMA that begins with a sum");
    else tn_ptx_kept_adds(x, kept, 0);
    return 1;
  }
  if (u->op == TINY_OP_LOAD && (x->wants[u->seq] & TN_PTX_CHAINED)) return 1;
  if (u->op == TINY_OP_LOAD && x->pool.of[kept + TN_PTX_KEPT_OPEN].n)
    tn_ptx_tensor_load(x, kept, x->elements[memory->seq], (int)memory->v[1] * memory->lanes,
                       (int)x->pool.of[kept + TN_PTX_KEPT_OPEN].n);
  return 0;
}
// What is kept of memory that is stored to outside of a loop is read when the loop has ended, by all. Memory that comes
// later in the list keeps nothing yet.
static void tn_ptx_kept_at_end(tn_ptx *x, const tiny_uop *end) {
  for (int i = 0; i < x->k->n && !x->failed; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op != TINY_OP_STORE || !tn_is_reg(u->src[0]->src[0]) || u->src[1]->op == TINY_OP_WMMA ||
        x->block[i] != x->block[end->seq])
      continue;
    const tiny_uop *memory = tn_memory_behind(u->src[0]->src[0]);
    if (!(x->wants[memory->seq] & TN_PTX_KEPT) || memory->seq > end->seq) continue;
    const int kept = x->words[memory->seq], rows = (int)x->pool.of[kept + TN_PTX_KEPT_OPEN].n;
    if (rows) tn_ptx_tensor_load(x, kept, x->elements[memory->seq], (int)memory->v[1] * memory->lanes, rows);
  }
}
#endif
