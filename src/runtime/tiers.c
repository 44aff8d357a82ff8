// tiers: kernels of the built-in compiler that take long are compiled again by an outside one; the sooner code stays.
//
// In:    launches, which are timed here; a run that is about to begin. Out: other code behind an executable, between
//        two runs.
// Holds: both give the same bits, as the list says what is rounded (codegen/fuse.c): nobody sees which of them runs.
//        A kernel's C is written with its built-in code, as its list is there then. When its launches have taken
//        TN_TIER_NS, about what an outside compiler takes, that C goes to the thread of warm.c. What comes back runs in
//        turns with what is there, TN_TIER_TURNS times each; what was sooner at its best stays, the other is unloaded.
//        What cannot be compiled is not asked for again. On disk the built-in object's key then names what stays:
//        another process begins with that, and asks no more.
// Not here: devices with a queue, whose launches say nothing of their time.
#ifndef TN_RUNTIME_TIERS
#define TN_RUNTIME_TIERS
#ifndef TINY_AMALGAMATED
#include "warm.c"
#endif

#ifndef TN_TIER_NS                         // test builds make it little
  #define TN_TIER_NS 100000000u
#endif
enum { TN_TIER_TURNS = 8, TN_TIER_BATCH = 16 };              // kernels that are compiled at a time
#ifndef TN_TIER_GAIN
  #define TN_TIER_GAIN 0.97                // of the built-in code's time: the other has to take less
#endif

// ** launches **

// Which kernel is launched next.
static void *tn_tier_kernel(const tn_executable *e) {
  const tn_tier *x = e->tier;
  return x && x->state == TN_TIER_COMPARED ? x->kernel[x->turns & 1] : e->kernel;
}
static void tn_tier_ran(tiny_ctx *t, tn_executable *e, uint64_t ns) {
  tn_tier *x = e->tier;
  x->ns += ns;
  if (x->state == TN_TIER_COMPARED) {
    uint64_t *best = &x->best[x->turns & 1];
    if (ns < *best) *best = ns;
    if (++x->turns == 2 * TN_TIER_TURNS) t->device[0]->programs->tiers_due = 1;
  } else if (x->state == TN_TIER_WATCHED && x->ns >= TN_TIER_NS) {
    x->state = TN_TIER_WANTED;
    t->device[0]->programs->tiers_due = 1;
  }
}

// ** between two runs **

// Gives kernels that are wanted to the thread. What it does not take is never asked for again.
static void tn_tiers_ask(tiny_ctx *t, struct tn_programs *p, tn_executable **wanted, int n) {
  tn_build *build = (tn_build *)tn_scratch(t, (size_t)n * sizeof *build), *of[TN_TIER_BATCH];
  for (int i = 0; i < n; i++) {
    tn_build *b = of[i] = &build[i];
    b->at = p; b->into = wanted[i]; b->key = wanted[i]->key;
    b->text = wanted[i]->tier->text;
    b->text_key = tn_bytes_key(p, "kernel", b->text.data, b->text.n);
    memcpy(b->name, wanted[i]->name, sizeof b->name);
  }
  const int taken = tn_warm_add(t, p, of, n);
  for (int i = 0; i < n; i++) {
    if (!taken) { tn_tier_drop(p, wanted[i]); continue; }
    wanted[i]->tier->state = TN_TIER_COMPILED;
    wanted[i]->steps++;                    // it does not go meanwhile
  }
}

// Keeps on disk what stays, by the key of the built-in object.
static void tn_tier_keep(tiny_ctx *t, const tn_executable *e) {
  const tn_module *m = e->module;
  tn_cache_entry entry;
  memset(&entry, 0, sizeof entry);
  entry.module = m->key;
  memcpy(entry.name, e->name, sizeof entry.name);
  if (!m->binary) return;
  tn_cache_write(t->cache, &m->key, "bin", m->binary, m->nbytes);
  tn_cache_write(t->cache, &e->tier->object, "kernel", &entry, sizeof entry);
}
static void tn_tier_decide(tiny_ctx *t, struct tn_programs *p, tn_executable *e) {
  tn_tier *x = e->tier;
  const int other = (double)x->best[1] < TN_TIER_GAIN * (double)x->best[0];
  if (other) {
    tn_module *was = e->module;
    e->kernel = x->kernel[1]; e->module = x->module;
    x->module = was;                       // goes with the tier
  }
  t->stats.recompiled += (uint64_t)other;
  tiny_log_line(t, 'p', "tiny: %s: built-in code %.1f us, an outside compiler's %.1f us, which %s", e->name,
                (double)x->best[0] * 1e-3, (double)x->best[1] * 1e-3, other ? "stays" : "goes");
  tn_tier_keep(t, e);
  tn_tier_drop(p, e);
}

// Called before a run, in heavy code.
static void tn_tiers_poll(tiny_ctx *t) {
  struct tn_programs *p = t->device[0]->programs;
  tn_executable *wanted[TN_TIER_BATCH];
  int n = 0, due = 0;
  if (!p->tiers_due) return;
  if (t->warm) tn_warm_harvest(t);
  for (int i = 0; i < TN_EXECUTABLE_BUCKETS; i++) for (tn_executable *e = p->bucket[i]; e; e = e->next) {
    const tn_tier *x = e->tier;
    if (!x) continue;
    if (x->state == TN_TIER_WANTED && n < TN_TIER_BATCH) wanted[n++] = e;
    if (x->state == TN_TIER_COMPARED && x->turns >= 2 * TN_TIER_TURNS) tn_tier_decide(t, p, e);
    due |= e->tier && (e->tier->state == TN_TIER_WANTED || e->tier->state == TN_TIER_COMPILED);
  }
  p->tiers_due = due;
  if (n) tn_tiers_ask(t, p, wanted, n);
}
#endif
