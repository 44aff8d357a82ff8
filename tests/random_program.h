// random_program: captured programs of random.h: what is made of data is given to the program, or memory that it has,
// reads and assigns to; some numbers are given, too, and are others in each run.
#ifndef RANDOM_PROGRAM
#define RANDOM_PROGRAM
#include "random.h"

enum { SAMPLE_MOST = MAX_ITEMS };

// Bytes of a file, and of what a run takes and gives.
typedef struct bytes { char *data; size_t n, cap; } bytes;
static int bytes_add(void *user, const void *data, size_t n) {
  bytes *b = (bytes *)user;
  if (b->n + n > b->cap) b->data = (char *)realloc(b->data, b->cap = 2 * (b->n + n) + 64);
  if (n) memcpy(b->data + b->n, data, n);
  b->n += n;
  return 1;
}
static void bytes_free(bytes *b) {
  free(b->data);
  memset(b, 0, sizeof *b);
}

// number: of an input that is one, in the first run. meant: what a first run gives by the interpreter of graphs.
typedef struct sample {
  tiny_tensor *in[SAMPLE_MOST], *out[MAX_ROOTS]; int n, m;
  int is_number[SAMPLE_MOST]; double number[SAMPLE_MOST];
  bytes data, meant;                       // data: of the inputs, one after the other
  item root[MAX_ROOTS];
} sample;
static void sample_free(sample *s) { bytes_free(&s->data); bytes_free(&s->meant); }
static size_t sample_nbytes(tiny_tensor *x) { return (size_t)tn_node_nbytes(tn_uop_of(x)); }

static void sample_inputs(const gen *g, uint64_t has, sample *s) {
  for (int i = 0; i < g->n; i++) {
    const item *a = &g->item[i];
    const tiny_uop *u = tn_uop_of(a->x), *from = tn_plain_buffer(u);
    const size_t nbytes = sample_nbytes(a->x);
    int had = u->op == TINY_OP_SCALAR ? a->dtype == TINY_BOOL || has >> i % 64 & 1 :
                                        !from || !a->memory || has >> a->memory % 64 & 1;
    for (int j = 0; j < s->n && !had; j++)
      had = tn_uop_of(s->in[j]) == u || (from && tn_plain_buffer(tn_uop_of(s->in[j])) == from);
    if (had) continue;
    char *const data = (char *)calloc(1, nbytes + 8);
    if (u->op == TINY_OP_SCALAR) {
      s->is_number[s->n] = 1;
      s->number[s->n] = tn_to_f64(tn_dtype_convert(TINY_F64, a->dtype, u->k));
      tn_dtype_store(a->dtype, data, u->k);
    }
    if (from) {
      const tn_storage *memory = tn_leaf_storage(from);
      const tiny_mem at = {memory->mem, 0};
      if (nbytes) memory->device->backend->copy_out(memory->device->dev, data, at, nbytes);
    }
    bytes_add(&s->data, data, nbytes);
    free(data);
    s->in[s->n++] = tiny_keep(a->x);
  }
}
// What run number `run` is given: inputs that are numbers go on. Their data is put into s->data.
static void sample_give(tiny_ctx *t, sample *s, int run, tiny_tensor **in) {
  size_t at = 0;
  for (int i = 0; i < s->n; at += sample_nbytes(in[i++])) {
    if (!s->is_number[i]) continue;
    const tiny_dtype dtype = tiny_dtype_of(in[i]);
    if (in[i] != s->in[i]) tiny_free(in[i]);
    in[i] = tiny_scalar(t, s->number[i] + run, dtype);
    tn_dtype_store(dtype, s->data.data + at, tn_uop_of(in[i])->k);
  }
}
static void sample_evaluate(tiny_ctx *t, sample *s) {
  for (int i = 0; i < s->m; i++) {
    const size_t nbytes = nbytes_of(&s->root[i]);
    char *x = (char *)calloc(1, nbytes + 1);
    tn_eval_graph(t, tn_uop_of(s->out[i]), x, tn_reference_buffer);
    bytes_add(&s->meant, x, nbytes);
    free(x);
  }
}
// The program of a seed. NULL: it is wrong, with *wrong = 1, or none: an input is assigned to, or reaches no output, or
// it wants f64, which the device has not.
static tiny_program *sample_capture(tiny_ctx *t, uint64_t seed, sample *s, int *wrong) {
  static gen made;
  item *root[MAX_ROOTS];
  memset(s, 0, sizeof *s);
  tiny_begin(t);
  *wrong = !make_program(&made, t, seed, MAX_OPS);
  s->m = roots_of(&made, root);
  for (int i = 0; i < s->m; i++) { s->root[i] = *root[i]; s->out[i] = root[i]->x; }
  sample_inputs(&made, seed * 0x9E3779B97F4A7C15u & (seed * 0xC2B2AE3D27D4EB4Fu >> 7), s);
  sample_evaluate(t, s);
  tiny_program *p = *wrong ? NULL : tiny_capture(t, s->in, s->n, s->out, s->m);
  *wrong |= !p && tiny_status(t) != TINY_E_STATE && !(t->without_f64 && strstr(tiny_error(t), " has no f64"));
  if (*wrong) fprintf(stderr, "seed %llu: not captured: %s\n", (unsigned long long)seed, tiny_error(t));
  tiny_end(t);
  t->tensors->random = 0;                  // as where it is loaded
  return p;
}
// Appends the bits of what a run gives, whole or in pieces. sample_compiled: kernels that runs have compiled; views of
// what they give are read by kernels of their own.
static uint64_t sample_compiled;
static int sample_run(tiny_program *p, tiny_tensor **in, int m, int pieces, bytes *b) {
  tiny_tensor *out[MAX_ROOTS];
  tiny_code code = TINY_MORE;
  const uint64_t before = tiny_stats_of(p->t).compiled;
  while (code == TINY_MORE) code = pieces ? tiny_run_for(p, in, out, 1) : tiny_run(p, in, out);
  sample_compiled += tiny_stats_of(p->t).compiled - before;
  int ok = code == TINY_OK;
  for (int i = 0; i < m; i++) {
    const size_t nbytes = sample_nbytes(out[i]);
    char *x = (char *)calloc(1, nbytes + 1);
    if (ok) ok = tiny_read(out[i], x, nbytes) == TINY_OK;
    if (ok) bytes_add(b, x, nbytes);
    free(x);
    tiny_free(out[i]);
  }
  return ok;
}
// Is what a first run gave within what the generator allows of its values?
static int sample_near(const sample *s, const bytes *got, const bytes *want) {
  size_t at = 0;
  for (int i = 0; i < s->m; at += nbytes_of(&s->root[i++]))
    if (got->n < at + nbytes_of(&s->root[i]) || differs(&s->root[i], got->data + at, want->data + at) >= 0) return 0;
  return 1;
}
// Are both the same bits, run after run, but for which NaN it is?
static int sample_same(const sample *s, const bytes *got, const bytes *want) {
  if (got->n != want->n) return 0;
  for (size_t at = 0; at < want->n;) for (int i = 0; i < s->m; i++) {
    const int d = s->root[i].dtype, each = tn_dtypes[d].nbytes;
    for (int64_t k = 0; k < nelem(&s->root[i]); k++, at += (size_t)each) {
      if (!memcmp(got->data + at, want->data + at, (size_t)each)) continue;
      const double x = tn_to_f64(tn_dtype_load(d, got->data + at)), y = tn_to_f64(tn_dtype_load(d, want->data + at));
      if (!tn_is_float(d) || x == x || y == y) return 0;
    }
  }
  return 1;
}
#endif
