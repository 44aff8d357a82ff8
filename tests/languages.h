// languages: a device for each language that kernels are written in, on which nothing runs, and graphs whose kernels they
// write: what operators' tests compute (tests/vectors), and matmuls, convolutions, rows, attention and what else GPUs are
// for, in each dtype.
//
// $TEST_LANGUAGES: a folder in which each language has a folder of its own: prelude, and every kernel under its name;
// refused.txt: graphs that it refused, and in which words.
#ifndef LANGUAGES_H
#define LANGUAGES_H
#include "../src/render/lang_cuda.c"
#include "vectors.h"
#include <sys/stat.h>

// ** devices **

typedef struct language { const char *name; void (*renderer)(tiny_renderer *r); } language;

static void cuda_75(tiny_renderer *r) { tn_lang_cuda(r, 75); }
static void cuda_80(tiny_renderer *r) { tn_lang_cuda(r, 80); }
static void hip(tiny_renderer *r) { tn_lang_hip(r, "gfx1100"); }

static const language languages[] = {{"cuda75", cuda_75}, {"cuda80", cuda_80}, {"hip", hip}, {"wgsl", tn_lang_wgsl}};
enum { LANGUAGES = sizeof languages / sizeof *languages };

// lanes: kernels are scheduled as for a CPU with vectors of 16 bytes, and every task is a group of one item.
typedef struct language_device { tn_null null; const language *language; int lanes; } language_device;

static void language_path(char *path, size_t nbytes, const language *l, const char *name) {
  const char *folder = getenv("TEST_LANGUAGES");
  snprintf(path, nbytes, "%s/%s%s%s", folder ? folder : "build/languages", l->name, name ? "/" : "", name ? name : "");
}
static void language_write(const language *l, const char *name, const char *mode, const char *text) {
  char path[300];
  if (!getenv("TEST_LANGUAGES")) return;
  language_path(path, sizeof path, l, name);
  FILE *f = fopen(path, mode);
  CHECK(f && fputs(text, f) >= 0);
  if (f) fclose(f);
}

// "cuda80", "cuda80-lanes"
static void *language_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  int i = 0;
  while (i < LANGUAGES && strncmp(which, languages[i].name, strlen(languages[i].name))) i++;
  if (i == LANGUAGES) return NULL;
  language_device *d = (language_device *)tn_alloc(t, sizeof *d);
  if (!d) return NULL;
  memset(d, 0, sizeof *d);
  d->null.t = t; d->language = &languages[i]; d->lanes = strstr(which, "-lanes") != NULL;
  limits->host_memory = 1;
  limits->dtypes = TN_CUDA_ARITHMETIC;
  limits->threads = d->lanes;
  limits->vector_nbytes = d->lanes ? 16 : 0;
  limits->warp = 32;
  limits->shared_nbytes = (size_t)48 << 10;
  limits->local_total = 1024;
  return d;
}
static void language_close(void *dev) { tn_release(((language_device *)dev)->null.t, dev, sizeof(language_device)); }

static tiny_code language_kernel(tiny_ctx *t, const tiny_renderer *r, const tiny_listing *k, tiny_bytes *out,
                                 uint64_t *uses) {
  const language_device *d = (const language_device *)r->own;
  const size_t before = out->n;
  const tiny_code code = tn_cstyle_kernel(t, r, k, out, uses);
  if (code != TINY_OK) return code;
  language_write(d->language, d->lanes ? "lanes.txt" : "kernels.txt", "ab", tn_text_of_format(t, "==== %s %llu\n", k->name, (unsigned long long)*uses));
  language_write(d->language, d->lanes ? "lanes.txt" : "kernels.txt", "ab", out->data + before);
  return code;
}
static void language_renderer(void *dev, tiny_renderer *r) {
  ((language_device *)dev)->language->renderer(r);
  tn_cstyle(r);
  r->own = dev;
  r->kernel = language_kernel;
}
static tiny_backend language_backend(void) {
  tiny_backend b = *tiny_backend_named("NULL");
  b.name = "LANG"; b.open = language_open; b.close = language_close; b.renderer = language_renderer;
  return b;
}
#endif
