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
//    reads is written then. In a loop of nothing but copies and products those go on until their slot is filled again.
//    What a barrier separates, fences separate as well.
//  - Behind the loop a warp reads the rows of its lanes once, into registers that lie as those of mma.sync: 16 lanes
//    of 256 bits are 16 rows of 8 columns ("Matrix fragments for shape .16x256b").
#ifndef TN_RENDER_PTX_TCGEN05
#define TN_RENDER_PTX_TCGEN05
#ifndef TINY_AMALGAMATED
#include "ptx_wgmma.c"
#endif

enum {
  TN_PTX_KEPT = 4, TN_PTX_CHAINED = 8,     // of nodes, beside what is wanted: a unit keeps it; a WMMA adds to it
  TN_PTX_RING_AT = 8, TN_PTX_TENSOR_NBYTES = 32,             // of shared memory: where Tensor Memory is; mbarriers
  TN_PTX_STARTED = 1, TN_PTX_COMMITTED = 2,                  // products that are not waited for
  TN_PTX_FOUR_WARPS = 128, TN_PTX_TENSOR = 512, TN_PTX_TENSOR_LEAST = 32, TN_PTX_TENSOR_LANE = 16, TN_PTX_LOADED = 32
};

// Of what a unit keeps, in the pool: its address, a predicate: it is added to; is what it holds yet to be read?
enum { TN_PTX_KEPT_AT, TN_PTX_KEPT_ADDS, TN_PTX_KEPT_OPEN, TN_PTX_KEPT_FIELDS };

// Where four warps have 64 rows of boxes between them it is wgmma's.
static int tn_ptx_is_whole(const tiny_uop *u) {
  const tiny_uop *a = u->op == TINY_OP_WMMA ? tn_ptx_matrices(u->src[0]) : NULL;
  return a && !tn_load_has(a, TN_SIDE) && tn_ptx_is_by_unit(u->src[1]);
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

// ** products that go on while the next ones are copied **
//
//   a slot has been copied to              boxes: its mbarrier; copies of items: all have met
//   its products begin; commit
//   products before are done               whose slot is filled next
//   copies to it begin
// Of boxes the threads that start products do all of this, one of four warps each, and the others wait behind the loop.
// A cluster's slot is empty when the products of all its groups are done, which each tells all of (PTX ISA,
// tcgen05.commit, .multicast::cluster): an mbarrier counts all that start products.
//
// The n-th commit arrives at mbarrier n of a ring of two and more, and of as many as there are slots: a group cannot be
// so far ahead of another that its next arrival there is counted with the last one.

static int tn_ptx_is_kept(const tn_ptx *x, const tiny_uop *index) {
  return tn_is_reg(index->src[0]) && (x->wants[tn_memory_behind(index->src[0])->seq] & TN_PTX_KEPT);
}
// Does nothing wait for products where u is done, nor any other thread for the one that starts them?
static int tn_ptx_goes_on(const tn_ptx *x, const tiny_uop *u) {
  switch (u->op) {
    case TINY_OP_BARRIER: case TINY_OP_IF: case TINY_OP_ENDIF: case TINY_OP_RANGE: case TINY_OP_SHUFFLE:
    case TINY_OP_PREFETCH: return 0;
    case TINY_OP_WMMA: return tn_ptx_is_whole(u) && !(x->wants[u->seq] & TN_PTX_KEPT);
    case TINY_OP_LOAD: return tn_ptx_loads_matrices(u) || !x->needed[u->seq] || tn_ptx_is_kept(x, u->src[0]);
    case TINY_OP_STORE: return u->src[1]->op == TINY_OP_WMMA ? tn_ptx_is_kept(x, u->src[0]) : tn_ptx_copies(x, u);
    default: return 1;
  }
}
// The loop of a BARRIER in which nothing is done but copies and products that are added up, so many times; else NULL.
static const tiny_uop *tn_ptx_tensor_overlaps(const tn_ptx *x, const tiny_uop *barrier) {
  const tiny_uop *loop = x->block[barrier->seq];
  int products = 0;
  if (!loop || loop->op != TINY_OP_RANGE || loop->dtype == TINY_U64 || loop->nsrc > 1 ||
      loop->src[0]->op != TINY_OP_CONST || loop->src[0]->k < 1 || !barrier->k)
    return NULL;
  for (int i = (int)loop->seq + 1; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op == TINY_OP_END) return u->src[1] == loop && products ? loop : NULL;
    if (u != barrier && !tn_ptx_goes_on(x, u)) return NULL;
    products += u->op == TINY_OP_WMMA;
  }
  return NULL;
}
// Slots of boxes that such a loop has, the most; 0: there is none.
static int tn_ptx_tensor_slots(const tn_ptx *x) {
  int most = 0;
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    const tiny_uop *loop = u->op == TINY_OP_BARRIER && u->k == TN_BOXES ? tn_ptx_tensor_overlaps(x, u) : NULL;
    for (int k = 0; loop && k < x->nbulk; k++) {
      const int64_t at = x->bulk[k]->k, n = tn_bulk_end(at) - tn_bulk_first(at);
      if (x->block[x->bulk[k]->seq] == loop && n > most) most = (int)n;
    }
  }
  return most;
}

// What one thread or warp does.
static void tn_ptx_by(tn_ptx *x, tn_ptx_operand who, const char *text) {
  tn_ptx_text(tn_ptx_body(x), "\t@%%p%lld %s", (long long)who.n, text);
}
// The mbarrier of the commit that is `back` before the next one; *number: of that.
static tn_ptx_operand tn_ptx_ring_at(tn_ptx *x, const tn_ptx_ring *r, int back, tn_ptx_operand *number) {
  *number = back ? tn_ptx_do2(x, 'r', "add.s32", r->count, tn_ptx_k(-back)) : r->count;
  const tn_ptx_operand of = tn_ptx_do2(x, 'r', "and.b32", *number, tn_ptx_k((1 << r->bits) - 1));
  return tn_ptx_do(x, 'r', "mad.lo.s32", of, tn_ptx_k(8), r->at);
}
static void tn_ptx_ring_commit(tn_ptx *x, const tn_ptx_ring *r) {
  char line[160];
  tn_ptx_operand number, next[3] = {r->count, r->count, tn_ptx_k(1)};
  const long long at = tn_ptx_ring_at(x, r, 0, &number).n;
  if (r == &x->empty && x->cluster > 1)
    snprintf(line, sizeof line, "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster"
             ".b64 [%%r%lld], %%h%lld;\n", at, (long long)x->everyone.n);
  else
    snprintf(line, sizeof line, "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%%r%lld];\n",
             at);
  tn_ptx_by(x, x->starts, line);
  tn_ptx_line(x, "add.s32", next, 3);
}
// Until that commit's products are done. Phases of an mbarrier that none has arrived at count as over, if they are odd.
static void tn_ptx_ring_wait(tn_ptx *x, const tn_ptx_ring *r, int back) {
  tn_ptx_operand number;
  const tn_ptx_operand at = tn_ptx_ring_at(x, r, back, &number), is = tn_ptx_register(x, 'p');
  tn_ptx_operand phase = tn_ptx_do2(x, 'r', "shr.u32", number, tn_ptx_k(r->bits));
  phase = tn_ptx_do2(x, 'r', "and.b32", phase, tn_ptx_k(1));
  const int label = ++x->labels;
  tn_ptx_text(tn_ptx_body(x), "$W%d:\n\tmbarrier.try_wait.parity.shared::cta.b64 %%p%lld, [%%r%lld], %%r%lld;\n", label,
              (long long)is.n, (long long)at.n, (long long)phase.n);
  tn_ptx_text(tn_ptx_body(x), "\t@!%%p%lld bra $W%d;\n", (long long)is.n, label);
}
static void tn_ptx_fences(tn_ptx *x, const char *between) {
  tn_ptx_text(tn_ptx_body(x), "\ttcgen05.fence::before_thread_sync;\n%s\ttcgen05.fence::after_thread_sync;\n", between);
}

// Such an iteration begins, at its BARRIER. Where only boxes are copied, it is of who starts products.
static void tn_ptx_tensor_goes_on(tn_ptx *x, const tiny_uop *barrier) {
  x->ring = barrier->k == TN_BOXES ? &x->empty : &x->done;
  if (x->ring == &x->empty) x->level[x->depth].skips = x->rests;
}
// It ends.
static void tn_ptx_tensor_turn(tn_ptx *x) {
  tn_ptx_ring_commit(x, x->ring);
  tn_ptx_ring_wait(x, x->ring, 2);
  if (x->copies.n) tiny_bytes_add(tn_ptx_body(x), x->copies.data, x->copies.n);
  x->copies.n = 0;
  x->tensor_open = TN_PTX_COMMITTED;
}
// The loop has ended: for who starts products when those of the cluster are done, as no group then tells another any
// more.
static void tn_ptx_tensor_drain(tn_ptx *x) {
  for (int back = 1 << x->ring->bits; x->ring == &x->empty && back > 0; back--) tn_ptx_ring_wait(x, x->ring, back);
}
// For the others.
static void tn_ptx_tensor_ends(tn_ptx *x) {
  if (x->ring != &x->empty) return;
  tn_ptx_fences(x, "\tbar.sync 0;\n");
  x->met = 1;
  x->tensor_open = 0;
}

// ** a kernel's beginning and end **

// Where units are told from, in shared memory: from the symbol on so many bytes.
typedef struct tn_ptx_spot { tn_ptx_operand symbol; int64_t at; } tn_ptx_spot;
static void tn_ptx_spot_text(tn_ptx *x, const tn_ptx_spot *s, int64_t more) {
  tn_ptx_text(tn_ptx_body(x), "[");
  tn_ptx_operand_text(tn_ptx_body(x), s->symbol);
  tn_ptx_text(tn_ptx_body(x), "+%lld]", (long long)(s->at + more));
}
static tn_ptx_operand tn_ptx_spot_address(tn_ptx *x, const tn_ptx_spot *s, int64_t more) {
  return tn_ptx_do2(x, 'r', "add.s32", tn_ptx_do1(x, 'r', "mov.u32", s->symbol), tn_ptx_k(s->at + more));
}
// Behind the slots of a launch's boxes, as other memory would be more than 1 KiB before these; else memory of its own.
static tn_ptx_spot tn_ptx_tensor_spot(tn_ptx *x, int nbytes) {
  tn_ptx_spot s = {{'S', 0}, x->k->local_nbytes - TN_BOX_NBYTES + 8 * x->slots};
  if (x->nbulk && x->k->local_nbytes) {
    if (8 * x->slots + nbytes > TN_BOX_NBYTES) tn_ptx_fail(x, "so many slots");
    return s;
  }
  s.symbol.kind = 's'; s.symbol.n = x->memories++; s.at = 0;
  tn_ptx_text(&x->declares, "\t.shared .align 16 .b8 m%lld[%d];\n", (long long)s.symbol.n, nbytes);
  return s;
}
static void tn_ptx_ring_open(tn_ptx *x, tn_ptx_ring *r, const tn_ptx_spot *s, int64_t at, int arrivals,
                             tn_ptx_operand first) {
  r->at = tn_ptx_spot_address(x, s, at);
  r->count = tn_ptx_do1(x, 'r', "mov.b32", tn_ptx_k(0));
  for (int i = 0; i < 1 << r->bits; i++) {
    tn_ptx_by(x, first, "mbarrier.init.shared::cta.b64 ");
    tn_ptx_spot_text(x, s, at + 8 * i);
    tn_ptx_text(tn_ptx_body(x), ", %d;\n", arrivals);
  }
}
// Allocated by the first warp.
static void tn_ptx_tensor_allocate(tn_ptx *x, const tn_ptx_spot *s) {
  tn_ptx_by(x, x->manages, "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 ");
  tn_ptx_spot_text(x, s, 0);
  tn_ptx_text(tn_ptx_body(x), ", %d;\n", tn_ptx_tensor_columns(x));
  tn_ptx_by(x, x->manages, "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n");
}
static void tn_ptx_tensor_open(tn_ptx *x) {
  const int slots = tn_ptx_tensor_slots(x);
  const tn_ptx_operand item = tn_ptx_read_special(x, "tid.x"),
                       of_four = tn_ptx_do2(x, 'r', "and.b32", item, tn_ptx_k(TN_PTX_FOUR_WARPS - 1));
  const tn_ptx_operand first = tn_ptx_do2(x, 'p', "setp.eq.s32", item, tn_ptx_k(0));
  tn_ptx_wants_version(x, 86);
  x->done.bits = 1;
  for (x->empty.bits = 1; 1 << x->empty.bits < slots;) x->empty.bits++;
  const tn_ptx_spot s = tn_ptx_tensor_spot(x, TN_PTX_TENSOR_NBYTES + (slots ? 8 << x->empty.bits : 0));
  x->manages = tn_ptx_do2(x, 'p', "setp.lt.u32", item, tn_ptx_k(TN_PTX_FOUR_WARPS / 4));
  x->starts = tn_ptx_do2(x, 'p', "setp.eq.s32", of_four, tn_ptx_k(0));
  if (slots) x->rests = tn_ptx_do2(x, 'p', "setp.ne.s32", of_four, tn_ptx_k(0));
  tn_ptx_tensor_allocate(x, &s);
  tn_ptx_ring_open(x, &x->done, &s, TN_PTX_RING_AT, x->groups, first);
  if (slots) tn_ptx_ring_open(x, &x->empty, &s, TN_PTX_TENSOR_NBYTES, x->groups * x->cluster, first);
  tn_ptx_fences(x, "\tbar.sync 0;\n");
  const tn_ptx_operand at = x->tensor_all = tn_ptx_register(x, 'r'),
                       four = tn_ptx_do2(x, 'r', "shr.u32", item, tn_ptx_k(7)),
                       warp = tn_ptx_do(x, 'r', "bfe.u32", item, tn_ptx_k(5), tn_ptx_k(2));
  tn_ptx_text(tn_ptx_body(x), "\tld.shared.u32 %%r%lld, ", (long long)at.n);
  tn_ptx_spot_text(x, &s, 0);
  tn_ptx_text(tn_ptx_body(x), ";\n");
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
  tn_ptx_put(x, first + TN_PTX_KEPT_ADDS, tn_ptx_do2(x, 'p', "setp.ne.s32", x->done.count, x->done.count));
  tn_ptx_put(x, first + TN_PTX_KEPT_OPEN, tn_ptx_k(0));
  x->at = at;
  x->tensor_given += tn_ptx_whole_columns(product);
  x->words[keeper->seq] = first;
  return first;
}
static void tn_ptx_kept_adds(tn_ptx *x, int kept, int adds) {
  const tn_ptx_operand o[3] = {x->pool.of[kept + TN_PTX_KEPT_ADDS], x->done.count, x->done.count};
  tn_ptx_line(x, adds ? "setp.eq.s32" : "setp.ne.s32", o, 3);
}
// The products that were started are done: what they read may be written, what they gave be read.
static void tn_ptx_tensor_wait(tn_ptx *x) {
  if (!x->tensor_open) return;
  if (x->tensor_open == TN_PTX_STARTED) {
    if (!x->met) tn_ptx_fences(x, "\tbar.sync 0;\n");        // all have seen the one before
    tn_ptx_ring_commit(x, &x->done);
  }
  x->tensor_open = x->met = 0;
  tn_ptx_ring_wait(x, &x->done, 1);
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
  x->tensor_open = TN_PTX_STARTED;
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
