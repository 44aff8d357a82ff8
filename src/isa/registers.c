// registers: virtual registers get the processor's, by linear scan over live ranges, split where there is none left.
//
// In:    a list of instructions, and what registers the processor has. Out: the list with the processor's registers,
//        loads and stores of what has none for a while, which stands in the frame.
// Holds: a piece of a range reaches from the first to the last of its uses, and to the end of every loop that it enters
//        and in which it is used. Where there are too few registers, the piece loses its own whose uses from there on
//        cost least: loads, as often as their loops say, over how far away they are; what is fixed is made anew, for
//        half of that. A loop that a piece is taken out of has no use of it left, and what a loop uses that had no
//        register where it begins is loaded before it, if there is one. Uses that are loaded are of one block, up to
//        where a jump that passes them ends. A register that has a place in the frame is stored wherever it is written.
//        A list that wants more registers of a class without spills than there are is refused.
//        What one instruction writes (a pair of loads) has registers of its own, even if it is only stored.
// Positions: twice an instruction's, + 1 for what it writes, - 1 for what is loaded before it.
// Sources: Wimmer and Moessenboeck, "Optimized Interval Splitting in a Linear Scan Register Allocator", VEE (2005);
//          Belady, "A study of replacement algorithms for a virtual-storage computer" (1966): the use farthest away.
#ifndef TN_ISA_REGISTERS
#define TN_ISA_REGISTERS
#ifndef TINY_AMALGAMATED
#include "constants.c"
#endif

enum { TN_ISA_TIMES = 10 };                // of a loop that does not say

typedef struct tn_isa_use { int32_t at, role; } tn_isa_use;
// Uses [first, first + n) of one register. loads: it is loaded where the piece starts; phys -1: it has none; next: the
// piece behind it, -1: none; chain: the next one that is loaded before the same instruction.
typedef struct tn_isa_piece {
  int32_t vreg, first, n, start, end, next, chain; int8_t phys; uint8_t loads;
} tn_isa_piece;
// Where the list names a register of the processor, in order.
typedef struct tn_isa_span { int32_t start, end; } tn_isa_span;
typedef struct tn_isa_busy { tn_isa_span *span; int n, cap; } tn_isa_busy;
typedef struct tn_isa_out { int32_t vreg, loop; } tn_isa_out;                // it has no register throughout the loop

typedef struct tn_isa_scan {
  tn_isa_code *c; const tn_isa_target *target;
  tn_isa_use *use;
  double *weight;                          // of instructions: how often they run
  int32_t *limit;                          // of instructions: where what may be jumped over, or a loop, around it ends
  tn_isa_piece *piece; int npiece, cappiece;
  tn_isa_busy busy[TN_ISA_CLASSES][TN_ISA_MOST_REGS + 1];    // the last: a stack pointer (arm64)
  tn_isa_out *out; int nout, capout;
  int *heap, nheap, capheap;               // pieces by where they start
  int holder[TN_ISA_CLASSES][TN_ISA_MOST_REGS];
  int again;                               // a loop was found whose begin has been scanned
} tn_isa_scan;

// ** uses **

static void tn_isa_named(tn_isa_scan *s, const tn_isa_name *name, int at) {
  if (name->reg >= 0) {
    tn_isa_vreg *v = &s->c->vreg[name->reg];
    tn_isa_use *u = &s->use[v->use + v->nuse];
    if (!v->nuse || u[-1].at != at) { u->at = at; u->role = 0; v->nuse++; u++; }
    if (name->role & TN_ISA_DEF && !(u[-1].role & TN_ISA_DEF)) v->stores += s->weight[at];
    u[-1].role |= name->role;
    return;
  }
  tn_isa_busy *busy = &s->busy[name->cls][-1 - name->reg];
  tn_isa_span *b = busy->n && name->role != TN_ISA_DEF ? &busy->span[busy->n - 1] : NULL;
  if (!b) {
    b = TN_PUSH(s->c->t, busy->span, busy->n, busy->cap, tn_isa_span);
    b->start = name->role == TN_ISA_DEF ? 2 * at + 1 : -1;
  }
  b->end = name->role & TN_ISA_DEF ? 2 * at + 1 : 2 * at;
}
static void tn_isa_uses(tn_isa_scan *s) {
  tn_isa_code *c = s->c;
  tn_isa_name names[TN_ISA_NAMES];
  int total = 0;
  for (int i = 0; i < c->n; i++)
    for (int k = tn_isa_names(&c->ins[i], names) - 1; k >= 0; k--)
      if (names[k].reg >= 0) c->vreg[names[k].reg].nuse++;
  for (int v = 0; v < c->nvreg; v++) { c->vreg[v].use = total; total += c->vreg[v].nuse; c->vreg[v].nuse = 0; }
  s->use = (tn_isa_use *)tn_scratch(c->t, ((size_t)total + 1) * sizeof *s->use);
  for (int i = 0; i < c->n; i++) {
    const int n = tn_isa_names(&c->ins[i], names);
    for (int k = 0; k < n; k++) tn_isa_named(s, &names[k], i);
  }
}
static void tn_isa_region(tn_isa_scan *s, int begin, int end) {
  for (int i = begin + 1; i < end; i++) if (s->limit[i] > end) s->limit[i] = end;
}
static void tn_isa_regions(tn_isa_scan *s) {
  const tn_isa_code *c = s->c;
  int *place = (int *)tn_scratch(c->t, ((size_t)c->labels + 1) * sizeof(int));
  for (int i = 0; i < c->n; i++) {
    s->weight[i] = 1;
    s->limit[i] = INT32_MAX;
    if (c->ins[i].op == TN_ISA_PLACE) place[c->ins[i].o[0].imm] = i;
  }
  for (int l = 0; l < c->nloop; l++) {
    tn_isa_region(s, c->loop[l].begin, c->loop[l].end);
    for (int i = c->loop[l].begin; i < c->loop[l].end; i++)
      s->weight[i] *= c->loop[l].times ? c->loop[l].times : TN_ISA_TIMES;
  }
  for (int i = 0; i < c->n; i++)
    for (int k = 0; k < c->ins[i].n && c->ins[i].op != TN_ISA_PLACE; k++)
      if (c->ins[i].o[k].kind == TN_ISA_LABEL) tn_isa_region(s, i, place[c->ins[i].o[k].imm]);
}
static void tn_isa_hints(tn_isa_code *c, const tn_isa_target *target) {
  for (int i = 0; i < c->n; i++) {
    const tn_isa_ins *ins = &c->ins[i];
    if (!target->moves(ins) || ins->o[0].reg < 0 || ins->o[1].reg < 0) continue;
    if (c->vreg[ins->o[0].reg].hint < 0) c->vreg[ins->o[0].reg].hint = ins->o[1].reg;
    if (c->vreg[ins->o[1].reg].hint < 0) c->vreg[ins->o[1].reg].hint = ins->o[0].reg;
  }
}

// ** pieces **

static int tn_isa_is_in(const tn_isa_code *c, int loop, int position) {
  return position >= 2 * c->loop[loop].begin && position < 2 * c->loop[loop].end;
}
static int tn_isa_is_out(const tn_isa_scan *s, int vreg, int loop) {
  for (int i = 0; i < s->nout; i++) if (s->out[i].vreg == vreg && s->out[i].loop == loop) return 1;
  return 0;
}
static void tn_isa_heap_add(tn_isa_scan *s, int piece) {
  int at = s->nheap;
  *TN_PUSH(s->c->t, s->heap, s->nheap, s->capheap, int) = piece;
  for (; at && s->piece[s->heap[(at - 1) / 2]].start > s->piece[piece].start; at = (at - 1) / 2)
    s->heap[at] = s->heap[(at - 1) / 2];
  s->heap[at] = piece;
}
static int tn_isa_heap_take(tn_isa_scan *s) {
  const int first = s->heap[0], last = s->heap[--s->nheap];
  int at = 0;
  for (int k = 1; k < s->nheap; k = 2 * at + 1) {
    if (k + 1 < s->nheap && s->piece[s->heap[k + 1]].start < s->piece[s->heap[k]].start) k++;
    if (s->piece[s->heap[k]].start >= s->piece[last].start) break;
    s->heap[at] = s->heap[k];
    at = k;
  }
  s->heap[at] = last;
  return first;
}
static void tn_isa_piece_end(const tn_isa_scan *s, tn_isa_piece *r) {
  const tn_isa_code *c = s->c;
  const tn_isa_use *last = &s->use[r->first + r->n - 1];
  r->end = 2 * last->at + (last->role & TN_ISA_DEF ? 1 : 0);
  for (int l = c->nloop - 1; l >= 0; l--)  // inner loops begin later, and are looked at first
    if (r->start < 2 * c->loop[l].begin && tn_isa_is_in(c, l, r->end)) r->end = 2 * c->loop[l].end;
}
// A place that is free from where the register is first used, or a new one; what is fixed needs none.
static void tn_isa_to_frame(tn_isa_scan *s, int vreg) {
  tn_isa_code *c = s->c;
  tn_isa_vreg *v = &c->vreg[vreg];
  tn_isa_slot *slot = NULL;
  if (v->fixed >= 0 || v->slot >= 0) return;
  tn_isa_piece whole;
  memset(&whole, 0, sizeof whole);
  whole.first = v->use; whole.n = v->nuse; whole.start = 2 * s->use[v->use].at - 1;
  tn_isa_piece_end(s, &whole);
  for (int i = 0; i < c->nslot && !slot; i++)
    if (c->slot[i].cls == v->cls && c->slot[i].end <= whole.start) slot = &c->slot[i];
  if (!slot) {
    slot = TN_PUSH(c->t, c->slot, c->nslot, c->capslot, tn_isa_slot);
    slot->cls = v->cls;
    slot->at = (int32_t)tn_isa_frame(c, s->target->cls[v->cls].slot_nbytes);
  }
  slot->end = whole.end + 1;
  v->slot = slot->at;
}
// A new piece behind `prev`, -1: it is the first of its register.
static int tn_isa_piece_add(tn_isa_scan *s, int vreg, int prev, int first, int n, int start, int loads) {
  tn_isa_piece *r = TN_PUSH(s->c->t, s->piece, s->npiece, s->cappiece, tn_isa_piece);
  const int piece = s->npiece - 1;
  r->vreg = vreg; r->first = first; r->n = n; r->start = start; r->loads = (uint8_t)loads; r->phys = -1;
  r->next = prev < 0 ? -1 : s->piece[prev].next;
  if (prev >= 0) s->piece[prev].next = piece;
  tn_isa_piece_end(s, r);
  tn_isa_heap_add(s, piece);
  return piece;
}
// How many of uses [first, last) a piece may have that starts there: up to the first one in a loop behind that its
// register is out of.
static int tn_isa_reach(const tn_isa_scan *s, int vreg, int first, int last, int start) {
  for (int i = 0; i < s->nout; i++) {
    const int l = s->out[i].loop;
    if (s->out[i].vreg != vreg || tn_isa_is_in(s->c, l, start)) continue;
    for (int k = first + 1; k < last; k++) if (tn_isa_is_in(s->c, l, 2 * s->use[k].at)) last = k;
  }
  return last - first;
}
// Uses [first, last) of prev's register get pieces of their own, from position `from` on.
static void tn_isa_rest(tn_isa_scan *s, int prev, int first, int last, int from) {
  const tn_isa_code *c = s->c;
  const int vreg = s->piece[prev].vreg;
  while (first < last) {
    const tn_isa_use *u = &s->use[first];
    const int loads = (u->role & TN_ISA_USE) != 0;
    int before = u->at;
    for (int l = 0; l < c->nloop && loads && before == u->at; l++)
      if (tn_isa_is_in(c, l, 2 * u->at) && !tn_isa_is_in(c, l, from) && !tn_isa_is_out(s, vreg, l))
        before = c->loop[l].begin;
    const int start = loads ? 2 * before - 1 : 2 * u->at + 1, most = tn_isa_reach(s, vreg, first, last, start);
    int n = 1;
    if (loads) tn_isa_to_frame(s, vreg);
    while (n < most && u[n].at < s->limit[before]) n++;
    prev = tn_isa_piece_add(s, vreg, prev, first, n, start, loads);
    first += n;
    from = 2 * u[n - 1].at + 1;
  }
}
static void tn_isa_first_piece(tn_isa_scan *s, int vreg) {
  const tn_isa_vreg *v = &s->c->vreg[vreg];
  if (!v->nuse) return;
  const tn_isa_use *u = &s->use[v->use];
  const int start = u->role & TN_ISA_USE ? 2 * u->at - 1 : 2 * u->at + 1, end = v->use + v->nuse;
  const int n = tn_isa_reach(s, vreg, v->use, end, start), piece = tn_isa_piece_add(s, vreg, -1, v->use, n, start, 0);
  s->c->vreg[vreg].piece = piece;
  tn_isa_rest(s, piece, v->use + n, end, start);
}

// ** what stands in the frame **

// What makes it, in that register.
static tn_isa_ins tn_isa_remake(tn_isa_ins ins, int reg) {
  const int was = ins.o[0].reg;
  for (int k = 0; k < ins.n; k++) if (ins.o[k].reg == was) ins.o[k].reg = reg;
  return ins;
}
static tn_isa_ins tn_isa_load(const tn_isa_scan *s, const tn_isa_vreg *v, int reg) {
  if (v->fixed >= 0) return tn_isa_remake(s->c->ins[v->fixed], reg);
  tn_isa_ins ins = s->target->spill(v->cls, reg, v->slot, 1);
  ins.o[0].role = TN_ISA_DEF;
  return ins;
}
// The one operand that reads the register, and nothing else does; -1: there is none.
static int tn_isa_only_operand(const tn_isa_ins *ins, int vreg) {
  tn_isa_name names[TN_ISA_NAMES];
  int times = 0, found = -1;
  for (int k = tn_isa_names(ins, names) - 1; k >= 0; k--) times += names[k].reg == vreg;
  for (int k = 1; k < ins->n; k++)
    if (ins->o[k].kind == TN_ISA_REG && ins->o[k].reg == vreg && ins->o[k].role == TN_ISA_USE) found = k;
  return times == 1 ? found : -1;
}
// The first use of a piece reads it where it stands: in the frame, or, of a constant, with the constants. 0: there is
// no such instruction.
static int tn_isa_fold(tn_isa_scan *s, int piece) {
  const tn_isa_piece *r = &s->piece[piece];
  const tn_isa_vreg *v = &s->c->vreg[r->vreg];
  tn_isa_ins *ins = &s->c->ins[s->use[r->first].at];
  const int k = tn_isa_only_operand(ins, r->vreg);
  if (k < 0) return 0;
  if (s->target->moves(ins)) { *ins = tn_isa_load(s, v, ins->o[0].reg); return 1; }
  if (!s->target->takes) return 0;
  tn_isa_operand at = tn_isa_at(TN_ISA_FRAME, ins->o[k].nbytes, v->slot);
  if (v->fixed >= 0) at = s->c->ins[v->fixed].o[1];
  if (v->fixed >= 0 && (at.kind != TN_ISA_POOL || at.nbytes != ins->o[k].nbytes)) return 0;
  tn_isa_ins trial = *ins;
  trial.o[k] = at;
  for (int i = 0; i < trial.n; i++) {
    if (trial.o[i].reg >= 0) trial.o[i].reg = 0;
    if (trial.o[i].index >= 0) trial.o[i].index = 0;
  }
  if (trial.mask >= 0) trial.mask = 1;
  if (!s->target->takes(&trial)) return 0;
  ins->o[k] = at;
  return 1;
}

// ** linear scan **

// The instruction that writes what a piece begins with; -1: it is loaded, before one.
static int tn_isa_written_by(const tn_isa_scan *s, const tn_isa_piece *r) {
  return s->use[r->first].role & TN_ISA_USE ? -1 : s->use[r->first].at;
}
// If a piece lost its register at a position, to what instruction `by` writes, -1: to a load: what that costs, -1: it
// may not; the first use without; the loop, of which a use was scanned already, that it must be out of, -1: none.
typedef struct tn_isa_loss { double cost; int first, loop; } tn_isa_loss;
static tn_isa_loss tn_isa_losing(const tn_isa_scan *s, const tn_isa_piece *r, int position, int by) {
  const tn_isa_code *c = s->c;
  const tn_isa_vreg *v = &c->vreg[r->vreg];
  const int last = r->first + r->n;
  tn_isa_loss loss = {0, r->first, -1};
  int around = -1, later = r->first;
  for (int l = 0; l < c->nloop && around < 0; l++)
    if (tn_isa_is_in(c, l, position) && !tn_isa_is_in(c, l, r->start)) around = l;
  while (later < last && 2 * s->use[later].at < position) later++;
  loss.first = later;
  while (around >= 0 && loss.first > r->first && s->use[loss.first - 1].at >= c->loop[around].begin) loss.first--;
  if (loss.first < later) loss.loop = around;
  const int beside = later > r->first && s->use[later - 1].at == by && s->use[later - 1].role & TN_ISA_DEF;
  if (beside || (later < last && s->use[later].role & TN_ISA_USE && 2 * s->use[later].at - 1 <= position)) {
    loss.cost = -1;
    return loss;
  }
  double loads = 0, away = later < last ? 2 * s->use[later].at - position : INT32_MAX;
  for (int i = loss.first; i < last && (around < 0 ? i == later : s->use[i].at < c->loop[around].end); i++)
    loads += s->weight[s->use[i].at];
  if (around >= 0 && (later == last || s->use[later].at >= c->loop[around].end) && loss.loop >= 0)
    away = 2 * (c->loop[around].end - c->loop[around].begin) - (position - 2 * s->use[loss.first].at);
  loss.cost = (loads + (v->fixed >= 0 || v->slot >= 0 ? 0 : v->stores)) * (v->fixed >= 0 ? 0.5 : 1) / away;
  return loss;
}
static void tn_isa_take_away(tn_isa_scan *s, int piece, const tn_isa_loss *loss, int position) {
  tn_isa_piece *r = &s->piece[piece];
  const int last = r->first + r->n;
  int first = loss->first;
  if (loss->loop >= 0) {                   // this scan goes on as it may, and another follows
    tn_isa_out *out = TN_PUSH(s->c->t, s->out, s->nout, s->capout, tn_isa_out);
    out->vreg = r->vreg; out->loop = loss->loop;
    s->again = 1;
    while (first < last && 2 * s->use[first].at < position) first++;
  }
  r->n = first - r->first;
  if (!r->n && position < r->start + 2) position = r->start + 2;               // it was to be loaded before a loop
  tn_isa_rest(s, piece, first, last, position);
}
static int tn_isa_is_busy(const tn_isa_scan *s, int cls, int reg, const tn_isa_piece *r) {
  const tn_isa_busy *b = &s->busy[cls][reg];
  int low = 0, high = b->n;                // the first span that ends no sooner than r begins is between them
  while (low < high) {
    const int middle = (low + high) / 2;
    if (b->span[middle].end < r->start) low = middle + 1;
    else high = middle;
  }
  return low < b->n && b->span[low].start <= r->end;
}
// A register that is free, the wanted one if it is; -1: none is, and *worst is whose holder loses least by *loss.
static int tn_isa_find(tn_isa_scan *s, const tn_isa_piece *r, int *worst, tn_isa_loss *loss) {
  const tn_isa_vreg *v = &s->c->vreg[r->vreg];
  const tn_isa_class *cls = &s->target->cls[v->cls];
  const int wanted = v->hint >= 0 ? s->c->vreg[v->hint].phys : -1, by = tn_isa_written_by(s, r);
  const int free_at = by < 0 ? r->start : r->start - 1;      // what the instruction writes is not free for it
  int found = -1, held[TN_ISA_MOST_REGS], n = 0;
  for (int k = 0; k < cls->n; k++) {
    const int reg = cls->reg[k];
    int *holder = &s->holder[v->cls][reg];
    if (*holder >= 0 && (s->piece[*holder].end <= free_at || !s->piece[*holder].n)) *holder = -1;
    if (tn_isa_is_busy(s, v->cls, reg, r)) continue;
    if (*holder >= 0) held[n++] = reg;
    else if (found < 0 || reg == wanted) found = reg;
  }
  *worst = -1;
  for (int k = 0; k < n && found < 0 && cls->slot_nbytes; k++) {
    const tn_isa_loss one = tn_isa_losing(s, &s->piece[s->holder[v->cls][held[k]]], r->start, by);
    if (one.cost >= 0 && (*worst < 0 || one.cost < loss->cost)) { *worst = held[k]; *loss = one; }
  }
  return found;
}
static void tn_isa_give(tn_isa_scan *s, int piece) {
  tn_isa_piece *r = &s->piece[piece];
  const int vreg = r->vreg, cls = s->c->vreg[vreg].cls, first = r->first, last = r->first + r->n, start = r->start;
  const int here = r->loads && start == 2 * s->use[first].at - 1;
  tn_isa_loss loss = {0, 0, 0};
  int worst = -1, found = -1;
  if (!r->n) return;
  if (!here || r->n > 1 || !tn_isa_fold(s, piece)) {
    found = tn_isa_find(s, r, &worst, &loss);
    if (found < 0 && here && r->n > 1 && tn_isa_fold(s, piece)) worst = -1;
    else if (found < 0 && r->loads && !here && (worst < 0 || loss.cost > tn_isa_losing(s, r, start, -1).cost)) {
      r->n = 0;                            // not before the loop, but in it
      tn_isa_rest(s, piece, first, last, start + 2);
      return;
    } else if (found < 0 && worst < 0) {
      tn_isa_refuse(s->c, s->target->cls[cls].slot_nbytes ? "an instruction has too many operands" :
                    "more values at a time than registers of a class that has no spills");
      return;
    }
  }
  if (found < 0 && worst < 0) {            // it was read where it stands
    r->n = 1;
    r->loads = 0;
    tn_isa_rest(s, piece, first + 1, last, 2 * s->use[first].at + 1);
    return;
  }
  if (found < 0) { tn_isa_take_away(s, s->holder[cls][worst], &loss, start); found = worst; }
  s->holder[cls][found] = piece;
  s->piece[piece].phys = s->c->vreg[vreg].phys = (int8_t)found;
  s->c->used[cls] |= 1u << found;
}
static void tn_isa_scan_all(tn_isa_scan *s) {
  tn_isa_code *c = s->c;
  const tn_isa_ins *list = c->ins;
  const int64_t frame = c->frame;
  do {
    c->ins = (tn_isa_ins *)tn_scratch(c->t, ((size_t)c->n + 1) * sizeof *list);
    memcpy(c->ins, list, (size_t)c->n * sizeof *list);
    c->nslot = s->npiece = s->nheap = s->again = 0;
    c->frame = frame;
    memset(s->holder, -1, sizeof s->holder);
    memset(c->used, 0, sizeof c->used);
    for (int v = 0; v < c->nvreg; v++) {
      c->vreg[v].phys = -1;
      c->vreg[v].slot = -1;
      tn_isa_first_piece(s, v);
    }
    while (s->nheap && !c->refused) tn_isa_give(s, tn_isa_heap_take(s));
  } while (s->again && !c->refused);
}

// ** the list with registers **

static int tn_isa_assigned(tn_isa_scan *s, int reg, int at) {
  if (reg < 0) return reg == TN_ISA_NO_REG ? reg : -1 - reg;
  tn_isa_vreg *v = &s->c->vreg[reg];
  const tn_isa_piece *r = &s->piece[v->piece];
  while (!r->n || s->use[r->first + r->n - 1].at < at) { v->piece = r->next; r = &s->piece[v->piece]; }
  return r->phys;
}
// Is it made of numbers alone, and for each use, and not here?
static int tn_isa_is_unmade(const tn_isa_scan *s, const tn_isa_ins *ins, int at) {
  const int made = ins->n ? ins->o[0].reg : -1;
  return made >= 0 && s->c->vreg[made].fixed == at && s->piece[s->c->vreg[made].piece].n == 1;
}
static void tn_isa_rewrite_one(tn_isa_scan *s, tn_isa_ins ins, int at, tn_isa_ins **to, int *n, int *cap) {
  tn_isa_code *c = s->c;
  const tn_isa_vreg *stored[4];
  const int moves = s->target->moves(&ins);
  for (int k = 0; k < ins.n; k++) {
    tn_isa_operand *o = &ins.o[k];
    const int writes = o->kind == TN_ISA_REG && o->role & TN_ISA_DEF && o->reg >= 0;
    stored[k] = writes && c->vreg[o->reg].slot >= 0 ? &c->vreg[o->reg] : NULL;
    if (o->kind == TN_ISA_REG || o->kind == TN_ISA_MEM) o->reg = tn_isa_assigned(s, o->reg, at);
    if (o->kind == TN_ISA_MEM) o->index = tn_isa_assigned(s, o->index, at);
  }
  ins.mask = tn_isa_assigned(s, ins.mask, at);
  if (!moves || ins.o[0].reg != ins.o[1].reg) *TN_PUSH(c->t, *to, *n, *cap, tn_isa_ins) = ins;
  for (int k = 0; k < ins.n; k++)
    if (stored[k])
      *TN_PUSH(c->t, *to, *n, *cap, tn_isa_ins) = s->target->spill(stored[k]->cls, ins.o[k].reg, stored[k]->slot, 0);
}
static void tn_isa_rewrite(tn_isa_scan *s) {
  tn_isa_code *c = s->c;
  tn_isa_ins *to = NULL;
  int n = 0, cap = 0;
  int *loaded = (int *)tn_scratch(c->t, ((size_t)c->n + 1) * sizeof(int));     // before each instruction: 1 + a piece
  for (int i = 0; i < s->npiece; i++) {
    tn_isa_piece *r = &s->piece[i];
    if (!r->loads || !r->n) continue;
    r->chain = loaded[(r->start + 1) / 2];
    loaded[(r->start + 1) / 2] = i + 1;
  }
  for (int i = 0; i < c->n; i++) {
    for (int k = loaded[i]; k; k = s->piece[k - 1].chain) {
      const tn_isa_piece *r = &s->piece[k - 1];
      *TN_PUSH(c->t, to, n, cap, tn_isa_ins) = tn_isa_load(s, &c->vreg[r->vreg], r->phys);
    }
    if (!tn_isa_is_unmade(s, &c->ins[i], i)) tn_isa_rewrite_one(s, c->ins[i], i, &to, &n, &cap);
  }
  c->ins = to; c->n = n; c->cap = cap;
}

static void tn_isa_allocate(tn_isa_code *c, const tn_isa_target *target) {
  tn_isa_scan s;
  memset(&s, 0, sizeof s);
  s.c = c; s.target = target;
  if (target->fixed) tn_isa_constants_out(c, target);
  s.weight = (double *)tn_scratch(c->t, ((size_t)c->n + 1) * sizeof(double));
  s.limit = (int32_t *)tn_scratch(c->t, ((size_t)c->n + 1) * sizeof(int32_t));
  tn_isa_regions(&s);
  tn_isa_uses(&s);
  tn_isa_hints(c, target);
  tn_isa_scan_all(&s);
  if (!c->refused) tn_isa_rewrite(&s);
}
#endif
