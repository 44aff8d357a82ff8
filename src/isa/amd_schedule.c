// amd_schedule: the order of lines in basic blocks: loads early, what waits for them late, few registers at a time.
//
// In:    a list with virtual registers. Out: the list; within a block lines have another order.
// Holds: a line is issued when all that it waits for is there, of blocks before, too, as far as there is a line so; of
//        several the one from which the way to the end of the block is longest. Where registers are short, what takes
//        none goes first, then what stood first: the order before is the order of least registers that is known. Short
//        is what the list took before, or what as many waves of a SIMD have. A block that came to more keeps its order.
// Source: Gibbons and Muchnick, "Efficient instruction scheduling for a pipelined architecture", PLDI 1986; Goodman and
//         Hsu, "Code scheduling and register allocation in large basic blocks", ICS 1988.
#ifndef TN_ISA_AMD_SCHEDULE
#define TN_ISA_AMD_SCHEDULE
#ifndef TINY_AMALGAMATED
#include "amd_depend.c"
#endif

// ** registers that are live, by kind **

enum { TN_AMD_LIVE_V, TN_AMD_LIVE_S, TN_AMD_LIVE_A, TN_AMD_LIVES };
// Of a virtual register: lines from which to which it is live, and in the block: how many uses are left; is it live?
typedef struct tn_amd_life { int first, last, left, block; uint8_t live; } tn_amd_life;
typedef struct tn_amd_pressure { int of[TN_AMD_LIVES]; } tn_amd_pressure;
// The least key first; its low half is a line.
typedef struct tn_amd_heap { int64_t *key; int n; } tn_amd_heap;
typedef struct tn_amd_order {
  tn_amd_graph g; tn_amd_life *life;
  tn_amd_pressure *at;                     // in front of a line
  tn_amd_pressure now, most, limit;
  tn_amd_heap greedy, modest, later;       // lines that may be next: what takes registers, others; and not yet
  int *order, n, lowest, cycle, block;
} tn_amd_order;

static int tn_amd_live_kind(const tn_amd_vreg *v) {
  return v->kind == TN_AMD_SGPR ? TN_AMD_LIVE_S : v->kind == TN_AMD_AGPR ? TN_AMD_LIVE_A : TN_AMD_LIVE_V;
}
static void tn_amd_lives_named(tn_amd_order *o) {
  const tn_amd_list *const l = o->g.l;
  for (int v = 0; v < l->nvreg; v++) o->life[v].first = o->life[v].last = o->life[v].block = -1;
  for (int i = 0; i < l->n; i++) {
    for (int k = 0; k < o->g.uses[i].n; k++) {
      if (o->g.uses[i].of[k].reg < TN_AMD_VIRTUAL || o->g.uses[i].of[k].kind == TN_AMD_SPECIAL) continue;
      tn_amd_life *const life = &o->life[o->g.uses[i].of[k].reg - TN_AMD_VIRTUAL];
      if (life->first < 0) life->first = i;
      life->last = i;
    }
  }
}
// What is live when a loop begins and is named in it is live to the loop's end. loop: of a line, the innermost loop's
// LOOP, -1: none; of a LOOP the one around it; end: of a LOOP.
static int tn_amd_lives_loops(tn_amd_order *o) {
  tn_amd_list *const l = o->g.l;
  int *const loop = (int *)tn_amd_room(l, 2 * (size_t)l->n, sizeof *loop), *const end = loop + l->n, in = -1;
  if (!loop) return 0;
  for (int i = 0; i < l->n; i++) {
    loop[i] = in;
    if (l->line[i].kind == TN_AMD_LINE_LOOP) in = i;
    else if (l->line[i].kind == TN_AMD_LINE_LOOP_END && in >= 0) { end[in] = i; in = loop[in]; }
  }
  for (int v = 0; v < l->nvreg; v++) {
    tn_amd_life *const life = &o->life[v];
    for (int at = life->last < 0 ? -1 : loop[life->last]; at >= 0 && life->first < at; at = loop[at])
      if (end[at] > life->last) life->last = end[at];
  }
  return 1;
}
static void tn_amd_lives_count(tn_amd_order *o) {
  const tn_amd_list *const l = o->g.l;
  for (int v = 0; v < l->nvreg; v++) {
    const tn_amd_life *const life = &o->life[v];
    const int kind = tn_amd_live_kind(&l->vreg[v]);
    if (life->first < 0) continue;
    o->at[life->first + 1].of[kind] += l->vreg[v].dwords;
    o->at[life->last + 1].of[kind] -= l->vreg[v].dwords;
  }
  for (int i = 1; i <= l->n; i++)
    for (int k = 0; k < TN_AMD_LIVES; k++) o->at[i].of[k] += o->at[i - 1].of[k];
}

// The block begins: which are live, and how often each is named in it.
static void tn_amd_block_begins(tn_amd_order *o) {
  o->now = o->most = o->at[o->g.begin];
  o->block++;
  for (int i = o->g.begin; i < o->g.end; i++) {
    for (int k = 0; k < o->g.uses[i].n; k++) {
      if (o->g.uses[i].of[k].reg < TN_AMD_VIRTUAL || o->g.uses[i].of[k].kind == TN_AMD_SPECIAL) continue;
      tn_amd_life *const life = &o->life[o->g.uses[i].of[k].reg - TN_AMD_VIRTUAL];
      if (life->block != o->block) { life->block = o->block; life->left = 0; life->live = life->first < o->g.begin; }
      life->left++;
    }
  }
}
// Dwords that a line adds to what is live; does: it is issued.
static tn_amd_pressure tn_amd_line_adds(tn_amd_order *o, int line, int does) {
  const tn_amd_uses *const u = &o->g.uses[line];
  tn_amd_pressure adds = {{0, 0, 0}};
  for (int k = 0; k < u->n; k++) {
    if (u->of[k].reg < TN_AMD_VIRTUAL || u->of[k].kind == TN_AMD_SPECIAL) continue;
    const tn_amd_vreg *const v = &o->g.l->vreg[u->of[k].reg - TN_AMD_VIRTUAL];
    tn_amd_life *const life = &o->life[u->of[k].reg - TN_AMD_VIRTUAL];
    int before = 0, uses = 0;
    for (int i = 0; i < u->n; i++) if (u->of[i].reg == u->of[k].reg) { uses++; before += i < k; }
    if (before) continue;
    const int dies = life->left == uses && life->last < o->g.end;
    adds.of[tn_amd_live_kind(v)] += (!life->live - dies) * v->dwords;
    if (does) { life->left -= uses; life->live = (uint8_t)!dies; }
  }
  return adds;
}
static void tn_amd_line_lives(tn_amd_order *o, int line) {
  const tn_amd_pressure adds = tn_amd_line_adds(o, line, 1);
  for (int k = 0; k < TN_AMD_LIVES; k++) {
    o->now.of[k] += adds.of[k];
    if (o->now.of[k] > o->most.of[k]) o->most.of[k] = o->now.of[k];
  }
}
static int tn_amd_line_fits(tn_amd_order *o, int line) {
  const tn_amd_pressure adds = tn_amd_line_adds(o, line, 0);
  for (int k = 0; k < TN_AMD_LIVES; k++) if (adds.of[k] > 0 && o->now.of[k] + adds.of[k] > o->limit.of[k]) return 0;
  return 1;
}

// ** heaps **

static void tn_amd_heap_push(tn_amd_heap *h, int64_t key) {
  int at = h->n++;
  for (; at && h->key[(at - 1) / 2] > key; at = (at - 1) / 2) h->key[at] = h->key[(at - 1) / 2];
  h->key[at] = key;
}
static int tn_amd_heap_pop(tn_amd_heap *h) {
  const int top = (int)(h->key[0] & 0x7FFFFFFF);
  const int64_t last = h->key[--h->n];
  int at = 0;
  for (int next = 1; next < h->n; at = next, next = 2 * at + 1) {
    if (next + 1 < h->n && h->key[next + 1] < h->key[next]) next++;
    if (h->key[next] >= last) break;
    h->key[at] = h->key[next];
  }
  h->key[at] = last;
  return top;
}
// Lines that have been issued out of turn are dropped.
static int tn_amd_heap_top(const tn_amd_order *o, tn_amd_heap *h) {
  while (h->n && o->g.node[h->key[0] & 0x7FFFFFFF].done) tn_amd_heap_pop(h);
  return h->n ? (int)(h->key[0] & 0x7FFFFFFF) : -1;
}

// ** the order of a block **

// Does it take more dwords of a kind than it names?
static int tn_amd_is_greedy(const tn_amd_order *o, int line) {
  const tn_amd_uses *const u = &o->g.uses[line];
  int sum = 0;
  for (int k = 0; k < u->n; k++) {
    if (u->of[k].reg < TN_AMD_VIRTUAL || u->of[k].kind == TN_AMD_SPECIAL) continue;
    sum += u->of[k].role & TN_AMD_WRITES ? u->of[k].dwords : -u->of[k].dwords;
  }
  return sum > 0;
}
// Of two lines from which the way is as long, loads go first: what they wait for is read.
static int64_t tn_amd_line_key(const tn_amd_order *o, int line) {
  const int unit = o->g.trait[line].unit, loads = unit == TN_AMD_U_SMEM || unit >= TN_AMD_U_LDS;
  return (int64_t)(0x3FFFFFFF - 2 * o->g.node[line].height - loads) << 31 | line;
}
static void tn_amd_line_ready(tn_amd_order *o, int line) {
  if (o->g.node[line].joins) tn_amd_heap_push(&o->modest, line);                // before all others
  else tn_amd_heap_push(&o->later, (int64_t)o->g.node[line].soon << 31 | line);
}
static void tn_amd_lines_arrive(tn_amd_order *o) {
  for (int line; (line = tn_amd_heap_top(o, &o->later)) >= 0 && o->g.node[line].soon <= o->cycle;) {
    tn_amd_heap_pop(&o->later);
    tn_amd_heap_push(tn_amd_is_greedy(o, line) ? &o->greedy : &o->modest, tn_amd_line_key(o, line));
  }
}
// Of what could be issued now what fits; -1: nothing does.
static int tn_amd_line_modest(tn_amd_order *o) {
  enum { TRIES = 8 };
  int64_t tried[TRIES];
  int n = 0, line, found = -1;
  while (found < 0 && n < TRIES && (line = tn_amd_heap_top(o, &o->modest)) >= 0) {
    tried[n++] = o->modest.key[0];
    tn_amd_heap_pop(&o->modest);
    if (o->g.node[line].joins || tn_amd_line_fits(o, line)) found = line;
  }
  for (int i = 0; i < n; i++) if ((int)(tried[i] & 0x7FFFFFFF) != found) tn_amd_heap_push(&o->modest, tried[i]);
  return found;
}
static int tn_amd_line_now(tn_amd_order *o) {
  const int greedy = tn_amd_heap_top(o, &o->greedy), modest = tn_amd_heap_top(o, &o->modest);
  if (greedy >= 0 && (modest < 0 || o->greedy.key[0] < o->modest.key[0]) && tn_amd_line_fits(o, greedy)) {
    tn_amd_heap_pop(&o->greedy);
    return greedy;
  }
  const int line = tn_amd_line_modest(o);
  if (line >= 0 || greedy < 0 || !tn_amd_line_fits(o, greedy)) return line;
  tn_amd_heap_pop(&o->greedy);
  return greedy;
}
// Time passes until something fits; where nothing ever will, what stood first.
static int tn_amd_line_next(tn_amd_order *o) {
  for (;;) {
    tn_amd_lines_arrive(o);
    const int line = tn_amd_line_now(o);
    if (line >= 0) return line;
    const int later = tn_amd_heap_top(o, &o->later);
    if (later < 0) break;
    o->cycle = o->g.node[later].soon;
  }
  while (o->g.node[o->lowest].done) o->lowest++;
  return o->lowest;
}
static void tn_amd_line_issue(tn_amd_order *o, int line) {
  tn_amd_graph *const g = &o->g;
  tn_amd_node *const n = &g->node[line];
  n->done = 1;
  o->order[o->n++] = line;
  tn_amd_line_lives(o, line);
  if (n->soon > o->cycle && !n->joins) o->cycle = n->soon;
  for (int e = n->edge; e >= 0; e = g->edge[e].next) {
    tn_amd_node *const to = &g->node[g->edge[e].to];
    const int there = o->cycle + g->edge[e].cycles;
    if (there > to->soon) to->soon = there;
    if (!--to->left) tn_amd_line_ready(o, g->edge[e].to);
  }
  if (!n->joins) o->cycle += g->trait[line].issue;
}
static void tn_amd_block_order(tn_amd_order *o) {
  tn_amd_graph *const g = &o->g;
  tn_amd_block_begins(o);
  o->greedy.n = o->modest.n = o->later.n = o->n = o->cycle = 0;
  o->lowest = g->begin;
  for (int i = g->begin; i < g->end; i++) {
    tn_amd_node *const n = &g->node[i];
    n->left = n->preds; n->soon = n->earliest; n->done = 0;
    if (!n->preds) tn_amd_line_ready(o, i);
  }
  while (o->n < g->end - g->begin) tn_amd_line_issue(o, tn_amd_line_next(o));
}

// The block has been passed, in the order that it has now: what is under way behind it? A loop is taken to be gone
// through once.
static void tn_amd_block_passes(tn_amd_order *o) {
  tn_amd_graph *const g = &o->g;
  for (int i = 0; i < o->n; i++) {
    const int line = o->order[i];
    int there[2] = {g->now, 0};
    for (int role = TN_AMD_READS; role <= TN_AMD_WRITES; role++) {
      for (int k = 0; k < g->uses[line].n; k++) {
        int n;
        const int first = g->uses[line].of[k].role & role ? tn_amd_dword_of(g, &g->uses[line].of[k], &n) : -1;
        for (int d = first; first >= 0 && d < first + n; d++) {
          if (role == TN_AMD_WRITES) g->dword[d].there = there[1];
          else if (g->dword[d].there > there[0]) there[0] = g->dword[d].there;
        }
      }
      if (role == TN_AMD_READS) there[1] = g->node[line].joins ? there[0] : there[0] + g->trait[line].cycles;
    }
    if (!g->node[line].joins) g->now = there[0] + g->trait[line].issue;
  }
}

// ** limits **

// What the block takes as it is.
static tn_amd_pressure tn_amd_block_takes(tn_amd_order *o) {
  tn_amd_block_begins(o);
  for (int i = o->g.begin; i < o->g.end; i++) tn_amd_line_lives(o, i);
  return o->most;
}
// Registers that as many waves have as have n; some are left for what tuples leave between them. Matrix units are kept
// busy by fewer waves, which have more that does not wait for each other.
static int tn_amd_waves_limit(const tn_amd_chip *chip, int n, int matrices) {
  enum { MOST = 200, LEFT = 4 };
  const int granule = chip->granule, taken = (n + granule - 1) / granule * granule;
  int waves = taken ? chip->vgprs / taken : chip->waves;
  if (waves > chip->waves) waves = chip->waves;
  if (matrices && waves > 4) waves -= waves / 4;
  const int each = waves ? chip->vgprs / waves / granule * granule - LEFT : MOST;
  const int limit = each < MOST ? each : MOST;
  return n > limit ? n : limit;
}
// -> the first line behind the block that begins there.
static int tn_amd_block_end(const tn_amd_graph *g, int begin) {
  while (begin < g->l->n && !g->trait[begin].stands) begin++;
  return begin;
}
static void tn_amd_limits(tn_amd_order *o) {
  enum { SGPRS = 80, MOST_SGPRS = 96, AGPRS = 256, MOST_VGPRS = 240 };
  const tn_amd_list *const l = o->g.l;
  tn_amd_pressure most = {{0, 0, 0}};
  int matrices = 0;
  for (int i = 0; i < l->n; i++) matrices |= o->g.trait[i].unit == TN_AMD_U_MATRIX;
  for (int i = 0; i < l->n; i = o->g.end + 1) {
    o->g.begin = i; o->g.end = tn_amd_block_end(&o->g, i);
    const tn_amd_pressure takes = tn_amd_block_takes(o);
    for (int k = 0; k < TN_AMD_LIVES; k++) if (takes.of[k] > most.of[k]) most.of[k] = takes.of[k];
  }
  const int v = most.of[TN_AMD_LIVE_V], s = most.of[TN_AMD_LIVE_S];
  o->limit.of[TN_AMD_LIVE_V] = tn_amd_waves_limit(l->chip, v < MOST_VGPRS ? v : MOST_VGPRS, matrices);
  o->limit.of[TN_AMD_LIVE_S] = s < SGPRS ? SGPRS : s < MOST_SGPRS ? s : MOST_SGPRS;
  o->limit.of[TN_AMD_LIVE_A] = AGPRS;
}

// ** all **

static int tn_amd_order_open(tn_amd_order *o, tn_amd_list *l) {
  const size_t n = (size_t)l->n;
  int longest = 1;
  memset(o, 0, sizeof *o);
  if (!tn_amd_graph_open(&o->g, l)) return 0;
  for (int i = 0; i < l->n; i++) {
    const int end = tn_amd_block_end(&o->g, i);
    if (end - i > longest) longest = end - i;
    i = end;
  }
  o->life = (tn_amd_life *)tn_amd_room(l, (size_t)l->nvreg, sizeof *o->life);
  o->at = (tn_amd_pressure *)tn_amd_room(l, n + 2, sizeof *o->at);
  o->order = (int *)tn_amd_room(l, n, sizeof *o->order);
  o->greedy.key = (int64_t *)tn_amd_room(l, 3 * (size_t)longest, sizeof *o->greedy.key);
  if (!o->life || !o->at || !o->order || !o->greedy.key) return 0;
  o->modest.key = o->greedy.key + longest;
  o->later.key = o->modest.key + longest;
  tn_amd_lives_named(o);
  if (!tn_amd_lives_loops(o)) return 0;
  tn_amd_lives_count(o);
  return 1;
}
// More than the limit, and more than before?
static int tn_amd_takes_more(const tn_amd_order *o, const tn_amd_pressure *limit, const tn_amd_pressure *before) {
  for (int k = 0; k < TN_AMD_LIVES; k++)
    if (o->most.of[k] > limit->of[k] && o->most.of[k] > before->of[k]) return 1;
  return 0;
}
// Lines of the ring that one of the order is in go to their places.
static void tn_amd_block_moves(tn_amd_order *o, int at) {
  tn_amd_line *const lines = &o->g.l->line[o->g.begin];
  const tn_amd_line first = lines[at];
  int to = at;
  for (int from = o->order[to] - o->g.begin; from != at && from != to; from = o->order[to] - o->g.begin) {
    lines[to] = lines[from];
    o->order[to] = o->g.begin + to;
    to = from;
  }
  if (to == at) return;
  lines[to] = first;
  o->order[to] = o->g.begin + to;
}
static void tn_amd_schedule_block(tn_amd_order *o, int begin, int end) {
  enum { TRIES = 4, TUPLE = 4 };
  tn_amd_list *const l = o->g.l;
  const tn_amd_pressure limit = o->limit;
  o->g.begin = begin; o->g.end = end;
  const tn_amd_pressure before = tn_amd_block_takes(o);
  int more = 1;
  tn_amd_graph_of(&o->g, begin, end);
  tn_amd_graph_heights(&o->g);
  for (int i = 0; i < TRIES && more && !l->refused; i++) {
    tn_amd_block_order(o);
    more = tn_amd_takes_more(o, &limit, &before);
    for (int k = 0; k < TN_AMD_LIVES; k++)                   // of what came to too much there is less to begin with
      if (o->most.of[k] > limit.of[k]) o->limit.of[k] -= (o->most.of[k] - limit.of[k] + TUPLE) << i;
  }
  o->limit = limit;
  if (l->refused) return;
  for (int i = 0; i < o->n && more; i++) o->order[i] = begin + i;
  tn_amd_block_passes(o);
  for (int i = 0; i < o->n; i++) tn_amd_block_moves(o, i);
}
// Labels that nobody goes to begin no block.
static int tn_amd_labels_dropped(tn_amd_list *l) {
  uint8_t *const used = (uint8_t *)tn_amd_room(l, (size_t)l->labels, 1);
  int n = 1;
  if (!used) return 0;
  for (int i = 0; i < l->n; i++)
    if (l->line[i].kind == TN_AMD_LINE_INS && l->line[i].label >= 0) used[l->line[i].label] = 1;
  for (int i = 1; i < l->n; i++) {
    const tn_amd_line *const line = &l->line[i];
    if (line->kind == TN_AMD_LINE_LABEL && line->label >= 0 && !used[line->label]) continue;
    if (n != i) l->line[n] = *line;
    n++;
  }
  l->n = n;
  return 1;
}
static void tn_amd_schedule(tn_amd_list *l) {
  tn_amd_order o;
  if (l->refused) return;
  if (!tn_amd_labels_dropped(l) || !tn_amd_order_open(&o, l)) {
    tn_amd_list_refuse(l, "there is no memory for it");
    return;
  }
  tn_amd_limits(&o);
  for (int begin = 0; begin < l->n;) {
    const int end = tn_amd_block_end(&o.g, begin);
    if (end > begin) tn_amd_schedule_block(&o, begin, end);
    begin = end + 1;
  }
}
#endif
