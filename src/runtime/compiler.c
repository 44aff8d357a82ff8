// compiler: which compiler of the CPU's is used, and what is remembered of it.
//
// In:    a context on the CPU. Out: the first compiler that is fit; or none, said once: then kernels are interpreted.
// Holds: what a compiler once said of itself is on disk, as asking takes longer than all else that a program does to
//        start.
#ifndef TN_RUNTIME_COMPILER
#define TN_RUNTIME_COMPILER
#ifndef TINY_AMALGAMATED
#include "executable.c"
#endif

static void tn_say_compiler_missing(struct tn_programs *p) {
  if (p->said++) return;
  tn_log(p->t, "tiny: %s; %skernels are interpreted, which is slow.%s",
         tn_cpu_no_compiler(p->device->dev), tn_cpu_is_builtin(p->device->dev) ? "some " : "",
         TN_CPU_MACHINE != 0 ? " Install clang (apt install clang, brew install llvm) or set TINY_CC." : "");
}

static tn_digest tn_compiler_key(const struct tn_programs *p) {
  char identity[TN_OS_PATH + 64];
  tn_digester d = tn_digest_open();
  tn_cpu_identify((const tn_cpu *)p->device->dev, identity, sizeof identity);
  tn_digest_add_text(&d, TINY_VERSION " " TN_SOURCE_ID);
  tn_digest_add_text(&d, identity);
  return tn_digest_close(&d);
}
static int tn_compiler_recall(const struct tn_programs *p) {
  tiny_bytes said = {p->t, NULL, 0, 0};
  const tn_digest key = tn_compiler_key(p);
  return tn_cache_read(p->t->cache, &key, "cc", &said) && said.n && tn_cpu_recall(p->device->dev, said.data);
}
static void tn_compiler_keep(const struct tn_programs *p, const tiny_bytes *said) {
  const tn_digest key = tn_compiler_key(p);
  if (said->n) tn_cache_write(p->t->cache, &key, "cc", said->data, said->n);
}
static void tn_compiler_adopt(struct tn_programs *p) {
  tn_device_renderer(p->device);
  p->based = 0;
}
// 1: it says something else than it once did.
static int tn_compiler_retry(struct tn_programs *p) {
  tiny_bytes said = {p->t, NULL, 0, 0};
  const int other = tn_cpu_retry(p->t, p->device->dev, &said);
  tn_compiler_keep(p, &said);
  if (other) tn_compiler_adopt(p);
  return other;
}

// Finds the outside compiler of the CPU that is used from now on, or that there is none: then kernels are interpreted.
static void tn_compiler_find(struct tn_programs *p) {
  const struct tn_device *d = p->device;
  tiny_ctx *t = p->t;
  if (!tn_is_cpu(d->backend) || p->interpret || tn_cpu_is_identified(d->dev)) return;
  while (tn_cpu_has_compiler(d->dev) && !tn_cpu_is_identified(d->dev) && t->code != TINY_E_CANCELLED) {
    tiny_bytes said = {t, NULL, 0, 0};
    if (tn_cpu_is_unfit(d->dev)) tn_cpu_pass_over((tn_cpu *)d->dev, t->code == TINY_OK ? "" : t->message);
    else if (tn_compiler_recall(p)) break;
    else {
      const int answer = tn_cpu_ask(t, d->dev, &said);
      if (answer < 0) break;
      if (answer) tn_compiler_keep(p, &said);
    }
  }
  tn_compiler_adopt(p);
  if (tn_cpu_compiles(d->dev) || !TN_HAS_FALLBACK) return;
  p->interpret = 1;
  tn_say_compiler_missing(p);
}
// The same before anything is compiled. Where there is a built-in compiler, the outside one is asked when it is needed.
static void tn_compiler_identify(struct tn_programs *p) {
  const struct tn_device *d = p->device;
  if (!tn_is_cpu(d->backend) || !tn_cpu_is_builtin(d->dev) || tn_cpu_is_unfit(d->dev)) tn_compiler_find(p);
}
#endif
