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

static void tn_say_compiler_missing(tiny_ctx *t) {
  if (t->programs->said++) return;
  tn_log(t, "tiny: %s; kernels are interpreted, which is slow. "
            "Install clang (apt install clang, brew install llvm) or set TINY_CC.", tn_cpu_no_compiler(t->device->dev));
}

static tn_digest tn_compiler_key(tiny_ctx *t) {
  char identity[TN_OS_PATH + 64];
  tn_digester d = tn_digest_open();
  tn_cpu_identify((const tn_cpu *)t->device->dev, identity, sizeof identity);
  tn_digest_add_text(&d, TINY_VERSION " " TN_SOURCE_ID);
  tn_digest_add_text(&d, identity);
  return tn_digest_close(&d);
}
static int tn_compiler_recall(tiny_ctx *t) {
  tiny_bytes said = {t, NULL, 0, 0};
  const tn_digest key = tn_compiler_key(t);
  return tn_cache_read(&t->programs->cache, &key, "cc", &said) && said.n && tn_cpu_recall(t->device->dev, said.data);
}
static void tn_compiler_keep(tiny_ctx *t, const tiny_bytes *said) {
  const tn_digest key = tn_compiler_key(t);
  if (said->n) tn_cache_write(&t->programs->cache, &key, "cc", said->data, said->n);
}
static void tn_compiler_adopt(tiny_ctx *t) {
  tn_device_renderer(t->device);
  t->programs->based = 0;
}
// 1: it says something else than it once did.
static int tn_compiler_retry(tiny_ctx *t) {
  tiny_bytes said = {t, NULL, 0, 0};
  const int other = tn_cpu_retry(t, t->device->dev, &said);
  tn_compiler_keep(t, &said);
  if (other) tn_compiler_adopt(t);
  return other;
}

// Finds the compiler of the CPU that is used from now on, or that there is none: then kernels are interpreted.
static void tn_compiler_identify(tiny_ctx *t) {
  struct tn_device *d = t->device;
  if (!tn_is_cpu(d->backend) || t->programs->interpret || tn_cpu_is_identified(d->dev)) return;
  while (tn_cpu_has_compiler(d->dev) && !tn_cpu_is_identified(d->dev)) {
    tiny_bytes said = {t, NULL, 0, 0};
    if (tn_cpu_is_unfit(d->dev)) tn_cpu_pass_over((tn_cpu *)d->dev, t->code == TINY_OK ? "" : t->message);
    else if (tn_compiler_recall(t)) break;
    else if (tn_cpu_ask(t, d->dev, &said)) tn_compiler_keep(t, &said);
  }
  tn_compiler_adopt(t);
  if (tn_cpu_has_compiler(d->dev) || !TN_HAS_FALLBACK) return;
  t->programs->interpret = 1;
  tn_say_compiler_missing(t);
}
#endif
