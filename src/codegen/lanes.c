// lanes: what every heuristic of a CPU shares: which range may become lanes, and how work becomes tasks.
//
// In:    a kernel and its profile. Out: scores of ranges; LANE and TASK opts: a range that is contiguous in memory
//        becomes lanes, the outermost ranges become tasks.
// Holds: task counts depend on shapes alone, never on the number of threads, so that results do not either.
#ifndef TN_CODEGEN_LANES
#define TN_CODEGEN_LANES
#ifndef TINY_AMALGAMATED
#include "wording.c"
#endif

enum { TN_ALL_LOOPS = 1 << 20 };          // of a kernel

// The widest vector, at most `most` lanes, for a range: one that divides it or, with edges allowed, fits in it.
static int64_t tn_lanes_for(int64_t extent, int64_t most, int edges) {
  while (most > 1 && (edges ? extent < most : extent % most)) most /= 2;
  return most;
}

// Share of the accesses that are contiguous or constant when r becomes lanes; -1 when the store would scatter.
static double tn_lanes_score(tiny_ctx *t, const tn_profile *p, tiny_uop *r, int is_out) {
  double good = 0, all = 0;
  if (is_out) {
    const int64_t st = tn_stride_in(t, p->store->src[1], r);
    if (st != 1) return -1;
    good += 1;
    all += 1;
  }
  for (int i = 0; i < p->nload; i++) {
    if (!is_out && !tn_depends(t, p->load[i], r)) continue;
    const int64_t st = tn_stride_in(t, p->load[i]->src[1], r);
    good += st == 1 ? 1 : st == 0 ? 0.75 : 0;
    all += 1;
  }
  return all > 0 ? good / all : 0;
}

// How many times f covers r.
static int64_t tn_tiles_of(const tiny_uop *r, int64_t f) { return r ? (tn_range_extent(r) + f - 1) / f : 1; }
// May parts of f cover r? Where edges may be computed twice, f need not divide it.
static int tn_tile_fits(const tiny_uop *r, int64_t f, int edges) {
  return f == 1 || (r && (tn_range_extent(r) % f == 0 || (edges && f < tn_range_extent(r))));
}

// ** tasks **

static double tn_work(const tn_profile *p) {
  double n = 1;
  for (int i = 0; i < p->nout; i++) n *= (double)tn_range_extent(p->out[i]);
  double reduced = 1;
  for (int i = 0; i < p->nred; i++) reduced *= (double)tn_range_extent(p->red[i]);
  if (p->row) reduced = p->nreduce + 1;
  return n * reduced * (1 + p->nalu * 0.25);
}

// Splits outermost loops of the store, at most `loops` of them, into `want` tasks or fewer. Returns their number.
static int64_t tn_make_tasks_upto(tn_kernel_state *s, int64_t want, int loops) {
  tn_profile p;
  int64_t tasks = 1;
  p = tn_profile_of(s);
  for (int i = 0; i < p.nout && tasks < want && loops; i++) {
    if (tn_range_kind(p.out[i]) != TN_LOOP) continue;
    loops--;
    int in_scope = 1;
    for (int j = 0; j < p.nreduce; j++) in_scope &= tn_depends(s->t, p.reduce[j], p.out[i]);
    if (!in_scope) break;
    const int64_t n = tn_range_extent(p.out[i]);
    int64_t f = 1;
    for (int64_t d = 1; d <= n && d * tasks <= want; d++) if (n % d == 0) f = d;
    if (f == 1 && n > want)
      for (int64_t d = want; d < n && f == 1; d++)
        if (n % d == 0 && d <= 8 * TN_TASKS_MOST) f = d;
    const int64_t most = want / tasks < n ? want / tasks : n, part = tn_tiles_of(p.out[i], most);
    if (2 * f < most && p.repeats && n % part && tn_tiles_of(p.out[i], part) * part <= n + n / 16) {
      tiny_uop *parts;                     // few divisors: the last task repeats some of the one before
      tn_do_split(s, TN_OPT_SPLIT, p.out[i], part, &parts);
      tn_do_kind(s, TN_OPT_TASK, parts);
      break;
    }
    if (f > 1) { tn_do_split(s, TN_OPT_TASK, p.out[i], f, NULL); tasks *= f; }
    if (f < n) break;                      // loops below would be torn
  }
  return tasks;
}

// Tasks of at least TN_TASK_WORK each.
static void tn_make_tasks(tn_kernel_state *s, double work, int loops) {
  const int64_t want = (int64_t)(work / (double)TN_TASK_WORK);
  tn_make_tasks_upto(s, want < TN_TASKS_MOST ? want : (int64_t)TN_TASKS_MOST, loops);
}
#endif
