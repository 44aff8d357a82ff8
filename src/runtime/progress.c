// progress: how far a call is that compiles kernels or searches for them, told to the host, which may cancel it.
//
// In:    kernels that are there, and the jobs of the compiler as they end. Out: calls of tiny_desc.progress, some tens
//        a second; or TINY_E_CANCELLED, from then on at every look.
// Holds: everything happens on the thread that called the library. Where there is no callback, nothing is looked at.
#ifndef TN_RUNTIME_PROGRESS
#define TN_RUNTIME_PROGRESS
#ifndef TINY_AMALGAMATED
#include "../base/process.c"
#endif

enum { TN_PROGRESS_NS = 20000000 };        // between two calls, unless a kernel was done meanwhile

typedef struct tn_progress {
  tn_watch watch;
  tiny_ctx *t;                             // whose callback it is; NULL: there is none
  tiny_progress_info info; uint64_t from, told;
  int cancelled;
  // what the compiler is at: modules, which of the kernels each begins with, and their names
  int modules; const int *first; const char *const *name;
} tn_progress;

// 1: the call is to end.
static int tn_progress_tell(tn_progress *p, int done, const char *name) {
  tiny_ctx *t = p->t;
  const uint64_t now = t && !p->cancelled ? tn_os_now() : 0;
  if (!now || (p->told && done == p->info.done && now - p->told < TN_PROGRESS_NS)) return p->cancelled;
  p->info.done = done; p->info.name = name; p->info.elapsed_ns = now - p->from;
  p->told = now;
  if (!t->progress.fn(t->progress.user, &p->info)) return 0;
  p->cancelled = 1;
  tiny_fail(t, TINY_E_CANCELLED, "%s was cancelled by tiny_desc.progress at %.100s: %d of %d kernels were done",
            p->info.what == TINY_SEARCHING ? "a search" : "compiling", name, done, p->info.total);
  return 1;
}

// A job is a module, or asks the compiler something.
static int tn_progress_watch(tn_watch *w, const tn_job *job, int n) {
  tn_progress *p = (tn_progress *)(void *)w;
  int done = p->info.done, at = -1;
  if (n != p->modules) return tn_progress_tell(p, done, p->info.name ? p->info.name : "the compiler");
  done = p->info.total - p->first[n];
  for (int i = 0; i < n; i++) {
    if (!job[i].over) at = at < 0 ? i : at;
    else if (job[i].ended == TN_JOB_BY_ITSELF) done += p->first[i + 1] - p->first[i];
  }
  return tn_progress_tell(p, done, p->name[p->first[at < 0 ? n - 1 : at]]);
}

// Of `total` kernels; told to the callback of t, if it has one.
static void tn_progress_open(tn_progress *p, tiny_ctx *t, tiny_work what, int total) {
  memset(p, 0, sizeof *p);
  p->watch.fn = tn_progress_watch;
  if (!t->progress.fn) return;
  p->t = t;
  p->info.what = what; p->info.total = total;
  p->from = tn_os_now();
}
#endif
