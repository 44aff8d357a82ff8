// ptx_bulk: boxes of tensors that the device copies by itself (PTX ISA, cp.async.bulk.tensor and mbarrier; sm_90 on).
//
// In:  BULKs, and BARRIERs that wait for their slots. Out: their lines; of the module, what tensors a kernel wants.
// Holds:
//  - A slot has an mbarrier, beside the memory that is copied to. Each copy that fills the slot arrives once and says
//    how many bytes come; the phase is over when all are there. Thread 0 begins copies, all threads wait for the phase,
//    of which each has the parity of every slot as a bit of one register.
//  - A tensor is 128 bytes that the host makes for a launch, and a parameter of the kernel, m, behind v. Which they are
//    stands in the module: NAME_maps, TN_PTX_MAP_WORDS of 64 bits each (tn_ptx_map_word).
#ifndef TN_RENDER_PTX_BULK
#define TN_RENDER_PTX_BULK
#ifndef TINY_AMALGAMATED
#include "ptx_tcgen05.c"
#include "ptx_maps.c"
#endif

// ** before a line is written **

// Parts of a box, of which each group of the cluster copies one for all of them.
static int tn_ptx_parts(const tn_ptx *x, const tiny_uop *u) {
  return x->k->hints[u->seq] & (TINY_HINT_PAIR | TINY_HINT_FOUR) ? x->cluster : 1;
}
static int tn_ptx_same_map(const tn_ptx *x, const tiny_uop *a, const tiny_uop *b) {
  return tn_ptx_parts(x, a) == tn_ptx_parts(x, b) && tn_memory_behind(a->src[1]) == tn_memory_behind(b->src[1]) &&
      a->nv == b->nv &&
      !memcmp(a->v, b->v, a->nv * sizeof *a->v);
}
static const tiny_uop *tn_ptx_box_memory(const tiny_uop *bulk) { return tn_memory_behind(bulk->src[0]->src[0]); }
// Which of the kernel's tensors a BULK copies from.
static int tn_ptx_map_of(const tn_ptx *x, const tiny_uop *u) {
  int i = 0;
  while (i < x->nmap && !tn_ptx_same_map(x, x->map[i], u)) i++;
  return i;
}
// All BULKs; then, when it is known who copies for whom, the tensors, slots, and memory of boxes, which lies before all
// other.
static void tn_ptx_survey_boxes(tn_ptx *x) {
  for (int i = 0; i < x->k->n; i++) x->nbulk += x->k->list[i]->op == TINY_OP_BULK;
  if (!x->nbulk) return;
  if (x->sm < 90) { tn_ptx_fail(x, "BULK"); return; }
  const size_t n = (size_t)x->nbulk * sizeof *x->bulk;
  x->bulk = (const tiny_uop **)tn_ptx_scratch(x->t, n);
  x->map = (const tiny_uop **)tn_ptx_scratch(x->t, n);
  if (!x->bulk || !x->map) { x->failed = 1; return; }
  x->nbulk = 0;
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op != TINY_OP_BULK) continue;
    x->bulk[x->nbulk++] = u;
  }
}
static void tn_ptx_survey_maps(tn_ptx *x) {
  for (int i = 0; i < x->nbulk && !x->failed; i++) {
    const tiny_uop *u = x->bulk[i];
    if (tn_ptx_map_of(x, u) == x->nmap) x->map[x->nmap++] = u;
    if (x->nmap > TN_PTX_MAPS) { tn_ptx_fail(x, "so many tensors"); return; }
    if (tn_bulk_end(u->k) > x->slots) x->slots = tn_bulk_end(u->k);
  }
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op == TINY_OP_DEFINE && tn_ptx_holds_boxes(x, u)) x->local_at += u->v[1] * tn_ptx_nbytes(u);
  }
}

// ** the beginning **

enum { TN_PTX_EMPTIES = TN_BOX_SLOTS / 2 };                  // of mbarriers, behind those of slots (ptx_producer.c)
static int64_t tn_ptx_items(const tn_ptx *x) { return x->k->local[0] * x->k->local[1] * x->k->local[2]; }

static void tn_ptx_slot_text(tn_ptx *x, int64_t slot) {
  tn_ptx_text(tn_ptx_body(x), "[%s+%lld]", x->k->local_nbytes ? "tiny_shared" : "boxes",
              (long long)(8 * slot + (x->k->local_nbytes ? x->k->local_nbytes - TN_BOX_NBYTES : 0)));
}
static int64_t tn_ptx_copies_to(const tn_ptx *x, int slot) {
  for (int i = 0; i < x->nbulk; i++)
    if (tn_bulk_first(x->bulk[i]->k) <= slot && slot < tn_bulk_end(x->bulk[i]->k)) return tn_bulk_copies(x->bulk[i]->k);
  return 1;
}
// Addresses of tensors, and of clusters who this is: for who begins copies.
static void tn_ptx_begin_maps(tn_ptx *x) {
  for (int i = 0; i < x->nmap; i++) {
    tn_ptx_operand at = tn_ptx_register(x, 'd');
    tn_ptx_begin(x, "mov.b64");
    tn_ptx_operand_text(tn_ptx_body(x), at);
    tn_ptx_text(tn_ptx_body(x), ", m;\n");
    if (i) at = tn_ptx_do2(x, 'd', "add.s64", at, tn_ptx_k(TN_PTX_MAP_NBYTES * i));
    x->map_at[i] = tn_ptx_do1(x, 'd', "cvta.param.u64", at);
  }
}
static void tn_ptx_begin_copies(tn_ptx *x) {
  tn_ptx_begin_maps(x);
  if (x->cluster < 2) return;
  x->rank = tn_ptx_read_special(x, "cluster_ctarank");
  x->everyone = tn_ptx_do1(x, 'h', "mov.b16", tn_ptx_k((1 << x->cluster) - 1));
}
static void tn_ptx_begin_slot(tn_ptx *x, int64_t slot, int64_t arrivals) {
  x->guard = x->first;
  tn_ptx_begin(x, "mbarrier.init.shared::cta.b64");
  tn_ptx_slot_text(x, slot);
  tn_ptx_text(tn_ptx_body(x), ", %lld;\n", (long long)arrivals);
  x->guard = tn_ptx_none;
}
// mbarriers are there, for the copies too, before anybody waits (CUDA C++ Programming Guide, "Using TMA").
static void tn_ptx_begin_boxes(tn_ptx *x) {
  if (!x->nbulk || x->failed) return;
  if (!x->k->local_nbytes) tn_ptx_text(&x->declares, "\t.shared .align 8 .b8 boxes[%d];\n", 8 * x->slots);
  x->first = tn_ptx_do2(x, 'p', "setp.eq.s32", tn_ptx_read_special(x, "tid.x"), tn_ptx_k(0));
  x->phases = tn_ptx_do1(x, 'r', "mov.b32", tn_ptx_k(0));
  x->slot_at = tn_ptx_register(x, 'r');
  tn_ptx_begin(x, "mov.u32");
  tn_ptx_operand_text(tn_ptx_body(x), x->slot_at);
  tn_ptx_text(tn_ptx_body(x), ", %s;\n", x->k->local_nbytes ? "tiny_shared" : "boxes");
  if (x->k->local_nbytes)
    x->slot_at = tn_ptx_do2(x, 'r', "add.s32", x->slot_at, tn_ptx_k(x->k->local_nbytes - TN_BOX_NBYTES));
  for (int i = 0; i < x->slots; i++) tn_ptx_begin_slot(x, i, tn_ptx_copies_to(x, i));
  for (int i = 0; i < x->slots && x->role; i++)
    tn_ptx_begin_slot(x, TN_PTX_EMPTIES + i, x->cluster * (tn_ptx_items(x) / 32));
  if (!x->role) tn_ptx_begin_copies(x);
  tn_ptx_text(tn_ptx_body(x), "\tfence.proxy.async.shared::cta;\n%s",
              x->cluster > 1 ? tn_ptx_meet_cluster : "\tbar.sync 0;\n");
}

// ** copies, and who waits for them **

static tn_ptx_operand tn_ptx_narrow(tn_ptx *x, const tiny_uop *u) {
  const tn_ptx_operand o = tn_ptx_element(x, u, 0);
  return tn_ptx_is_number(o) || o.kind != 'd' ? tn_ptx_held(x, o, 'r') : tn_ptx_do1(x, 'r', "cvt.u32.u64", o);
}
static tn_ptx_operand tn_ptx_slot_address(tn_ptx *x, tn_ptx_operand slot) {
  return tn_ptx_do(x, 'r', "mad.lo.s32", slot, tn_ptx_k(8), x->slot_at);
}
static void tn_ptx_begin_if(tiny_bytes *out, tn_ptx_operand on) {
  tn_ptx_text(out, on.kind ? "\t@" : "\t");
  if (on.kind) tn_ptx_operand_text(out, on);
  if (on.kind) tn_ptx_text(out, " ");
}
static void tn_ptx_bulk(tn_ptx *x, const tiny_uop *u) {
  const int dims = tn_bulk_dims(u), parts = tn_ptx_parts(x, u);
  const tiny_uop *index = u->src[0];
  int64_t nbytes = (int64_t)tiny_dtype_nbytes((tiny_dtype)tn_ptx_box_memory(u)->dtype);
  for (int i = 0; i < dims; i++) nbytes *= u->v[2 * dims + i];
  tn_ptx_address to = tn_ptx_address_of(x, index);
  const tn_ptx_operand at = tn_ptx_slot_address(x, tn_ptx_narrow(x, u->src[2]));
  tn_ptx_operand place[TN_BOX_DIMS], on = x->first;          // none: of one thread alone
  for (int i = 0; i < dims; i++) place[i] = tn_ptx_narrow(x, u->src[3 + i]);
  if (parts > 1) {                         // the rows of this group's part
    if (to.base.kind == 's' || to.base.kind == 'S') to.base = tn_ptx_do1(x, 'r', "mov.u32", to.base);
    to.base = tn_ptx_do(x, 'r', "mad.lo.s32", x->rank, tn_ptx_k(nbytes / parts), to.base);
    place[1] = tn_ptx_do(x, 'r', "mad.lo.s32", x->rank, tn_ptx_k(u->v[2 * dims + 1] / parts), place[1]);
  }
  if (index->nsrc == 3) {
    const tn_ptx_operand there = tn_ptx_held(x, tn_ptx_element(x, index->src[2], 0), 'p');
    on = on.kind ? tn_ptx_do2(x, 'p', "and.pred", on, there) : there;
  }
  if (x->failed) return;
  tiny_bytes *out = x->overlaps ? &x->copies : tn_ptx_body(x);
  tn_ptx_begin_if(out, on);
  tn_ptx_text(out, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [");
  tn_ptx_operand_text(out, at);
  tn_ptx_text(out, "], %lld;\n", (long long)nbytes);
  tn_ptx_begin_if(out, on);
  tn_ptx_text(out, "cp.async.bulk.tensor.%dd.shared::cluster.global.mbarrier::complete_tx::bytes%s [", dims,
              parts > 1 ? ".multicast::cluster" : "");
  tn_ptx_operand_text(out, to.base);
  tn_ptx_text(out, "+%lld], [", (long long)to.offset);
  tn_ptx_operand_text(out, x->map_at[tn_ptx_map_of(x, u)]);
  tn_ptx_text(out, ", {");
  for (int i = 0; i < dims; i++) { tn_ptx_text(out, i ? ", " : ""); tn_ptx_operand_text(out, place[i]); }
  tn_ptx_text(out, "}], [");
  tn_ptx_operand_text(out, at);
  tn_ptx_text(out, "]");
  if (parts > 1) { tn_ptx_text(out, ", "); tn_ptx_operand_text(out, x->everyone); }
  tn_ptx_text(out, ";\n");
}
// Until the phase of the slot whose mbarrier is at `at` is over; then it is the other one's turn.
static void tn_ptx_wait_phase(tn_ptx *x, tn_ptx_operand s, tn_ptx_operand at) {
  const tn_ptx_operand over = tn_ptx_register(x, 'p');
  tn_ptx_operand parity = tn_ptx_do2(x, 'r', "shr.u32", x->phases, s);
  parity = tn_ptx_do2(x, 'r', "and.b32", parity, tn_ptx_k(1));
  const tn_ptx_operand bit = tn_ptx_do2(x, 'r', "shl.b32", tn_ptx_held(x, tn_ptx_k(1), 'r'), s),
                       turn[3] = {x->phases, x->phases, bit};
  const int label = ++x->labels;
  tiny_bytes *out = tn_ptx_body(x);
  tn_ptx_text(out, "$W%d:\n", label);
  tn_ptx_begin(x, x->role == TN_PTX_PRODUCES && x->cluster > 1 ?
               "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64" : "mbarrier.try_wait.parity.shared::cta.b64");
  tn_ptx_operand_text(out, over);
  tn_ptx_text(out, ", [");
  tn_ptx_operand_text(out, at);
  tn_ptx_text(out, "], ");
  tn_ptx_operand_text(out, parity);
  tn_ptx_text(out, ";\n");
  x->guard = over; x->unless = 1;
  char to[32];
  snprintf(to, sizeof to, "bra $W%d", label);
  tn_ptx_line(x, to, NULL, 0);
  x->guard = tn_ptx_none; x->unless = 0;
  tn_ptx_line(x, "xor.b32", turn, 3);
}
static void tn_ptx_wait_boxes(tn_ptx *x, const tiny_uop *slot) {
  x->slot = tn_ptx_narrow(x, slot);
  x->told = 0;
  tn_ptx_wait_phase(x, x->slot, tn_ptx_slot_address(x, x->slot));
}

// ** products that go on while the next ones are begun **
//
//   wait for the slot                      as the list has it: BARRIER
//   begin products; commit
//   wait for the products before           whose slot is filled next
//   all meet; thread 0 begins copies       BULKs
// So the matrix unit has work while warps wait for each other (CUTLASS, "Efficient GEMM in CUDA", "Pipelining").

// The LOAD of REG memory that a chain of products adds to; NULL: some of them is not added to in place.
static const tiny_uop *tn_ptx_chain(const tn_ptx *x, const tiny_uop *product) {
  for (;;) {
    const tiny_uop *sum = product->src[2];
    if (!tn_ptx_matrices(product->src[0]) || !tn_ptx_matrices(product->src[1]) ||
        x->last[sum->seq] != (int)product->seq)
      return NULL;
    if (sum->op == TINY_OP_LOAD) return x->constant[sum->seq] == TN_PTX_TAKEN ? sum : NULL;
    if (sum->op != TINY_OP_WMMA) return NULL;
    product = sum;
  }
}
static int tn_ptx_may_overlap(const tn_ptx *x, const tiny_uop *u) {
  const int loads = u->op == TINY_OP_LOAD;
  if (loads) return tn_is_reg(u->src[0]->src[0]) || tn_ptx_holds_boxes(x, tn_memory_behind(u->src[0]->src[0]));
  if (u->op != TINY_OP_STORE) return u->op != TINY_OP_BARRIER && u->op != TINY_OP_IF && u->op != TINY_OP_RANGE &&
    u->op != TINY_OP_SHUFFLE && u->op != TINY_OP_PREFETCH;
  const tiny_uop *sum = u->src[1]->op == TINY_OP_WMMA ? tn_ptx_chain(x, u->src[1]) : NULL;
  return sum && tn_ptx_in_registers(x, u->src[0]) && x->last[u->src[1]->seq] == (int)u->seq &&
      tn_ptx_reg_at(x, u->src[0]) == tn_ptx_reg_at(x, sum->src[0]);
}
// The loop that such a BARRIER stands in, if nothing else is done in it than copies and products that are added up.
static const tiny_uop *tn_ptx_overlaps(const tn_ptx *x, const tiny_uop *barrier) {
  const tiny_uop *loop = x->block[barrier->seq];
  int stores = 0;
  if (x->tensor) return tn_ptx_tensor_overlaps(x, barrier);
  if (!loop || x->fences || barrier->k != TN_BOXES) return NULL;
  for (int i = (int)loop->seq + 1; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op == TINY_OP_END) return u->src[1] == loop && stores == 1 ? loop : NULL;
    if (u != barrier && !tn_ptx_may_overlap(x, u)) return NULL;
    stores += u->op == TINY_OP_STORE;
  }
  return NULL;
}

// ** groups that copy for each other **
//
// Neighbours of dim 0 whose boxes are the same each copy a part to the memory of all (PTX ISA, .multicast::cluster).
// Memory is filled again when all groups of the cluster have met, which they do while products are under way.

// How many groups make a cluster: as hints say, if there is one loop of copies and its products overlap. produced: who
// copies waits for neighbours by itself; else they do not meet before a loop that begins anew.
static int tn_ptx_cluster(const tn_ptx *x, int produced) {
  int hints = 0, loops = 0;
  for (int i = 0; i < x->nbulk; i++) hints |= x->k->hints[x->bulk[i]->seq];
  for (int i = 0; i < x->k->n && hints; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op != TINY_OP_BARRIER || !(u->k & TN_BOXES)) continue;
    const tiny_uop *loop = tn_ptx_overlaps(x, u);
    if (loops++ || !loop || (x->inside[loop->seq] > 1 && !produced)) return 1;
  }
  return !loops ? 1 : hints & TINY_HINT_FOUR ? 4 : hints & TINY_HINT_PAIR ? 2 : 1;
}

// ** of the module **

static void tn_ptx_maps_text(const tn_ptx *x, tiny_bytes *out) {
  if (!x->nmap) return;
  tn_ptx_text(out, ".visible .global .align 8 .b64 %s_maps[%d] = {", x->k->name, TN_PTX_MAP_WORDS * x->nmap);
  for (int i = 0; i < x->nmap; i++)
    for (int k = 0; k < TN_PTX_MAP_WORDS; k++)
      tn_ptx_text(out, "%s%lld", i || k ? ", " : "",
                  (long long)tn_ptx_map_word(x->map[i], tn_ptx_parts(x, x->map[i]), k));
  tn_ptx_text(out, "};\n");
}
#endif
