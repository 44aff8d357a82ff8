// brief: asan
// also: asan
// test_saved: programs that are saved and loaded: the same bits as the captured program, run after run, in another
// context, from a file and from bytes, with its machine code and without; files that are merged, and that are bad.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif                                     // for the test: mkdtemp
#include "../src/all.c"
#include "test.h"
#include "memory_test.h"
#include "folder_test.h"
#include <unistd.h>

enum { MOST = 4, RUNS = 3, BYTES = 1 << 16 };
static char root[64];
static const char *in_root(const char *name) {
  static char path[8][200];
  static int at;
  char *out = path[at++ & 7];
  snprintf(out, sizeof path[0], "%s/%s", root, name);
  return out;
}

static tiny_ctx *open_on(const char *device) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.cache_dir = ""; d.seed = 5; d.threads = 2; d.max_nbytes = (size_t)256 << 20;
  return tiny_open(&d);
}
static tiny_tensor *numbers(tiny_ctx *t, tiny_dtype dtype, tiny_shape s, int salt) {
  float v[4096];
  const int64_t n = tn_dims_nelem(s.ndim, s.dim);
  for (int64_t i = 0; i < n && i < 4096; i++) v[i] = (float)((i * 37 + salt * 101) % 61) * 0.125f - 3.5f;
  tiny_tensor *x = tiny_from(t, v, TINY_F32, s), *y = dtype == TINY_F32 ? x : tiny_cast(x, dtype);
  tiny_realize(&y, 1);
  return y;
}

// ** programs: what each is captured of **

typedef struct sample {
  tiny_ctx *t;
  tiny_tensor *in[MOST], *out[MOST], *weight[MOST]; int n, m, nweight;      // weight: what has a name
} sample;
static const char *const weight_names[MOST] = {"a", "b", "c", "d"};
static void gives(sample *s, tiny_tensor *y) { s->out[s->m++] = y; }
static tiny_tensor *takes(sample *s, tiny_dtype dtype, tiny_shape shape) {
  s->in[s->n] = numbers(s->t, dtype, shape, s->n);
  return s->in[s->n++];
}
static tiny_tensor *has(sample *s, tiny_dtype dtype, tiny_shape shape) {
  s->weight[s->nweight] = tiny_keep(numbers(s->t, dtype, shape, 77 + s->nweight));
  return s->weight[s->nweight++];
}
static void make_dense(sample *s) {
  tiny_tensor *x = takes(s, TINY_F32, TINY_SHAPE(4, 32)), *w = has(s, TINY_F32, TINY_SHAPE(32, 16));
  gives(s, tiny_softmax(tiny_add(tiny_matmul(tiny_relu(x), w), has(s, TINY_F32, TINY_SHAPE(16))), -1));
  gives(s, tiny_argmax(tiny_matmul(x, w), -1, 0));
}
static void make_convolution(sample *s) {
  tiny_tensor *x = takes(s, TINY_F32, TINY_SHAPE(2, 3, 13, 11)), *w = has(s, TINY_F32, TINY_SHAPE(8, 3, 3, 3));
  tiny_conv_desc c;
  memset(&c, 0, sizeof c);
  c.pad[0] = c.pad[1] = 1;
  tiny_tensor *y = tiny_relu(tiny_conv(x, w, NULL, &c));
  gives(s, y);
  gives(s, tiny_mean(y, 2, 0));
}
static void make_dtypes(sample *s) {
  tiny_tensor *x = takes(s, TINY_F16, TINY_SHAPE(5, 7)), *y = takes(s, TINY_I32, TINY_SHAPE(5, 7));
  gives(s, tiny_sum(tiny_mul(x, tiny_cast(y, TINY_F16)), 1, 0));
  gives(s, tiny_cumsum(tiny_add(y, tiny_cast(x, TINY_I32)), 1));
  gives(s, tiny_lt(tiny_cast(x, TINY_BF16), tiny_cast(y, TINY_BF16)));
  gives(s, tiny_exp(tiny_cast(y, TINY_F64)));
}
static void make_gather(sample *s) {
  tiny_tensor *at = takes(s, TINY_I32, TINY_SHAPE(6));
  gives(s, tiny_embedding(tiny_abs(at), has(s, TINY_F32, TINY_SHAPE(50, 8)), -1));
  gives(s, tiny_sort(takes(s, TINY_F32, TINY_SHAPE(3, 17)), -1, 0, NULL));
}
static void make_attention(sample *s) {
  tiny_tensor *q = takes(s, TINY_F32, TINY_SHAPE(1, 2, 24, 8)), *k = takes(s, TINY_F32, TINY_SHAPE(1, 2, 24, 8));
  gives(s, tiny_matmul(tiny_softmax(tiny_matmul(q, tiny_transpose(k, -1, -2)), -1), k));
}
static void make_bare(sample *s) {         // an input as it is, and nothing at all
  tiny_tensor *x = takes(s, TINY_F32, TINY_SHAPE(3, 2));
  gives(s, x);
  gives(s, tiny_neg(x));
  gives(s, tiny_sum(takes(s, TINY_F32, TINY_SHAPE(0, 4)), 1, 0));
}
static void make_scalar(sample *s) {
  tiny_tensor *x = takes(s, TINY_F32, TINY_SHAPE(9));
  s->in[s->n++] = tiny_scalar(s->t, 1.25, TINY_F32);
  gives(s, tiny_mul(x, s->in[1]));
}
static void make_random(sample *s) {
  gives(s, tiny_mul(takes(s, TINY_F32, TINY_SHAPE(40)), tiny_rand(s->t, TINY_SHAPE(40))));
}
static void make_step(sample *s) {         // a step that trains
  tiny_tensor *x = takes(s, TINY_F32, TINY_SHAPE(6, 10)), *w = has(s, TINY_F32, TINY_SHAPE(10, 3)), *g;
  tiny_tensor *loss = tiny_mean(tiny_square(tiny_tanh(tiny_matmul(x, w))), 1, 0);
  tiny_grad(tiny_mean(loss, 0, 0), &w, 1, &g);
  tiny_assign(w, tiny_sub(w, tiny_mul_scalar(g, 0.125)));
  gives(s, loss);
}
typedef void maker(sample *s);
static const struct { const char *name; maker *make; } makers[] = {
  {"dense", make_dense}, {"convolution", make_convolution}, {"dtypes", make_dtypes}, {"gather", make_gather},
  {"attention", make_attention}, {"bare", make_bare}, {"scalar", make_scalar}, {"random", make_random}, {"step", make_step}
};
enum { MAKERS = sizeof makers / sizeof *makers };

// What a program takes, whatever context it is given in.
typedef struct kinds { tiny_shape shape[MOST]; tiny_dtype dtype[MOST]; int scalar[MOST], n, m; } kinds;
static tiny_program *capture(tiny_ctx *t, maker *make, sample *s, kinds *k) {
  memset(s, 0, sizeof *s); memset(k, 0, sizeof *k);
  s->t = t;
  tiny_begin(t);
  make(s);
  tiny_program *p = tiny_capture(t, s->in, s->n, s->out, s->m);
  if (!p) fprintf(stderr, "  %s\n", tiny_error(t));
  CHECK(p != NULL);
  k->n = s->n; k->m = s->m;
  for (int i = 0; i < s->n; i++) {
    k->shape[i] = tiny_shape_of(s->in[i]); k->dtype[i] = tiny_dtype_of(s->in[i]);
    k->scalar[i] = tn_uop_of(s->in[i])->op == TINY_OP_SCALAR;
  }
  tiny_end(t);
  return p;
}

// ** runs **

static int cut;                            // programs run a little at a time
typedef struct results { char bytes[RUNS][BYTES]; size_t n[RUNS]; } results;
static void run_all(tiny_ctx *t, tiny_program *p, const kinds *k, results *r) {
  memset(r, 0, sizeof *r);
  tiny_seed(t, 9);
  for (int run = 0; run < RUNS; run++) {
    tiny_tensor *in[MOST], *out[MOST];
    tiny_begin(t);
    for (int i = 0; i < k->n; i++)
      in[i] = k->scalar[i] ? tiny_scalar(t, 0.5 * run + 1, k->dtype[i]) : numbers(t, k->dtype[i], k->shape[i], 10 * run + i);
    tiny_code code = TINY_MORE;
    if (cut) while (code == TINY_MORE) code = tiny_run_for(p, in, out, 2000);
    else code = tiny_run(p, in, out);
    if (code != TINY_OK) fprintf(stderr, "  %s\n", tiny_error(t));
    CHECK_EQ(code, TINY_OK);
    for (int i = 0; i < k->m && code == TINY_OK; i++) {
      const size_t nbytes = (size_t)tiny_nelem_of(out[i]) * tn_dtypes[tiny_dtype_of(out[i])].nbytes;
      CHECK_EQ(tiny_read(out[i], r->bytes[run] + r->n[run], nbytes), TINY_OK);
      r->n[run] += nbytes;
    }
    tiny_end(t);
  }
}
static int are_same(const results *a, const results *b) {
  int same = 1;
  for (int run = 0; run < RUNS; run++) same &= a->n[run] == b->n[run] && !memcmp(a->bytes[run], b->bytes[run], a->n[run]);
  return same;
}

typedef struct file { char *data; size_t n; } file;
static file read_file(const char *path) {
  file f = {(char *)malloc(1 << 22), 0};
  FILE *in = fopen(path, "rb");
  if (in) { f.n = fread(f.data, 1, 1 << 22, in); fclose(in); }
  return f;
}
static void write_file(const char *path, const void *data, size_t n) {
  FILE *out = fopen(path, "wb");
  if (out) { fwrite(data, 1, n, out); fclose(out); }
}

// Loaded in a context of its own, on such a device. trusted: -1: bytes, of a context that compiles nothing outside.
static results wanted, got;
static void load_and_run(const char *device, const tiny_program_source *from, const kinds *k, int same) {
  tiny_ctx *t = open_on(device);
  tiny_program *p = tiny_program_load(t, from);
  if (!p) fprintf(stderr, "  %s\n", tiny_error(t));
  CHECK(p != NULL);
  if (p) {
    run_all(t, p, k, &got);
    CHECK_EQ(are_same(&wanted, &got), same);
    if (from->trusted && !strcmp(device, "CPU")) CHECK_EQ(tiny_program_kernel_count(p) > 0, tiny_stats_of(t).shipped > 0);
    tiny_program_free(p);
  }
  tiny_close(t);
}
static void test_round(int which, const char *device) {
  sample s;
  kinds k;
  const char *path = in_root(makers[which].name);
  if (!case_named("%s on %s", makers[which].name, device)) return;
  tiny_ctx *t = open_on(device);
  tiny_program *p = capture(t, makers[which].make, &s, &k);
  remove(path);
  CHECK_EQ(tiny_program_save(p, path, NULL), TINY_OK);
  if (tiny_status(t) != TINY_OK) fprintf(stderr, "  %s\n", tiny_error(t));
  run_all(t, p, &k, &wanted);
  tiny_program_free(p);
  tiny_close(t);
  const file f = read_file(path);
  tiny_program_source from;
  for (int i = 0; i < 4; i++) {
    memset(&from, 0, sizeof from);
    from.trusted = i & 1;
    cut = i > 1;
    if (i & 2) { from.data = f.data; from.nbytes = f.n; } else from.path = path;
    load_and_run(device, &from, &k, 1);
  }
  cut = 0;
  free(f.data);
}


// ** files that cannot be used **

static file saved_file(const char *device, int which, const tiny_ship_desc *d, kinds *k) {
  sample s;
  const char *path = in_root("one");
  tiny_ctx *t = open_on(device);
  tiny_program *p = capture(t, makers[which].make, &s, k);
  remove(path);
  CHECK_EQ(tiny_program_save(p, path, d), TINY_OK);
  run_all(t, p, k, &wanted);
  tiny_program_free(p);
  tiny_close(t);
  return read_file(path);
}
static tiny_ctx *shared;                   // a context in which files are refused, over and over
static void refused(const void *data, size_t n, const char *why) {
  tiny_program_source from;
  memset(&from, 0, sizeof from);
  from.data = data; from.nbytes = n;
  tiny_program *p = tiny_program_load(shared, &from);
  CHECK(p == NULL);
  CHECK_EQ(tiny_status(shared), TINY_E_IO);
  if (!strstr(tiny_error(shared), why)) fprintf(stderr, "  %s; wanted: %s\n", tiny_error(shared), why);
  CHECK(strstr(tiny_error(shared), why) != NULL);
  tiny_program_free(p);
  tiny_clear(shared);
}
// Who changes a file may well make its sums anew.
static void sum_again(const file *f) {
  tn_saved_head *h = (tn_saved_head *)(void *)f->data;
  const uint64_t front = h->part[TN_SAVED_CONTENTS].at, contents = h->part[TN_SAVED_CONTENTS].n;
  if (front > f->n || front < sizeof *h || contents > f->n - front) return;
  memset(h->quick, 0, sizeof h->quick);
  tn_saved_quick(f->data + front, (size_t)contents, h->quick);
  h->sum = tn_saved_sum(f->data, front);
  tn_saved_front(f->data, front, h->front);
}
static void test_bad_files(void) {
  kinds k;
  if (!case_named("bad files")) return;
  file f = saved_file("CPU", 0, NULL, &k);
  char *good = (char *)malloc(f.n);
  memcpy(good, f.data, f.n);
  shared = open_on("INTERP");
  refused("", 0, "too short");
  refused(f.data, sizeof(tn_saved_head) - 1, "too short");
  for (size_t n = sizeof(tn_saved_head); n < f.n; n += 61) refused(f.data, n, "cut off");
  for (size_t i = 0; i < f.n; i += i < 3000 ? 7 : 61) {
    f.data[i] ^= 0x41;
    refused(f.data, f.n, "i");
    f.data[i] ^= 0x41;
  }
  tn_saved_head *h = (tn_saved_head *)(void *)f.data;
#define WRONG(change, what) do { change; sum_again(&f); refused(f.data, f.n, what); memcpy(f.data, good, f.n); } while (0)
  WRONG(h->format++, "newer tiny.h");
  WRONG(h->words.word[3]++, "cannot read");
  WRONG(h->order = 0x04030201, "byte order");
  WRONG(h->magic[0] = 'T', "no program");
  WRONG(h->part[TN_SAVED_STEPS].n = 1 << 30, "follow each other");
  WRONG(h->part[TN_SAVED_STEPS].at += 64, "follow each other");
  tn_saved_memory *m = (tn_saved_memory *)(void *)(f.data + h->part[TN_SAVED_MEMORIES].at);
  WRONG(m->nelem = 1 << 30, "beyond its contents");
  WRONG(m->nelem = -1, "beyond its contents");
  WRONG(m->dtype = TINY_VOID, "beyond its contents");
  WRONG(m->name = 1 << 20, "name");
  WRONG(m->outside = 1, "name");
  tn_saved_place *place = (tn_saved_place *)(void *)(f.data + h->part[TN_SAVED_PLACES].at);
  WRONG(place->nbytes = (int64_t)1 << 60, "");
  WRONG(place->index = 99, "place");
  WRONG(place->kind = 7, "place");
  tn_saved_step *step = (tn_saved_step *)(void *)(f.data + h->part[TN_SAVED_STEPS].at);
  WRONG(step->kernel = 99, "no kernel");
  WRONG(step->mem = -4, "cut off");
  WRONG(step->nmem = 1 << 20, "cut off");
  WRONG(step->tiled = 3, "tiles");
  refused(f.data, f.n - 1, "cut off");
  tiny_close(shared);
  free(f.data); free(good);
}
// Any number of a file changed, and its sums made anew: it is refused, or runs within its memory.
static void test_changed(const char *device, int rounds) {
  kinds k;
  uint64_t seed = 12345;
  int loaded = 0;
  if (!case_named("changed files on %s", device)) return;
  for (int which = 0; which < MAKERS; which++) {
    tiny_ship_desc none;
    memset(&none, 0, sizeof none);
    none.levels = "none";
    file f = saved_file(device, which, &none, &k);
    char *good = (char *)malloc(f.n);
    memcpy(good, f.data, f.n);
    for (int round = 0; round < rounds; round++) {
      const size_t front = (size_t)((tn_saved_head *)(void *)good)->part[TN_SAVED_CONTENTS].at;
      for (int n = 1 + round % 3; n; n--) {
        seed = tn_hash_mix(seed, 1);
        const size_t at = round & 1 ? seed % front : sizeof(tn_saved_head) + (seed >> 8) % (front - sizeof(tn_saved_head));
        static const unsigned char bytes[] = {0, 1, 2, 0x7F, 0x80, 0xFF};
        f.data[at] = round & 4 ? (char)bytes[(seed >> 40) % 6] : (char)(f.data[at] ^ (1 << (seed >> 50) % 8));
      }
      // the container has a sum of its own
      tn_saved_head *h = (tn_saved_head *)(void *)f.data;
      const tn_saved_part *code = &h->part[TN_SAVED_CODE];
      if (code->at <= f.n && code->n <= f.n - code->at && code->n >= sizeof(tn_container_head) && code->at % 64 == 0)
        ((tn_container_head *)(void *)(f.data + code->at))->sum = tn_container_sum(f.data + code->at, (size_t)code->n);
      sum_again(&f);
      tiny_program_source from;
      memset(&from, 0, sizeof from);
      from.data = f.data; from.nbytes = f.n;
      tiny_ctx *t = open_on(device);
      tiny_program *p = tiny_program_load(t, &from);
      CHECK((p != NULL) == (tiny_status(t) == TINY_OK));
      if (p) {
        tiny_tensor *in[MOST], *out[MOST];
        for (int i = 0; i < k.n; i++)
          in[i] = k.scalar[i] ? tiny_scalar(t, 2, k.dtype[i]) : numbers(t, k.dtype[i], k.shape[i], i);
        if (p->ninput == k.n && p->noutput <= MOST) { tiny_run(p, in, out); loaded++; }
      }
      tiny_program_free(p);
      tiny_close(t);
      memcpy(f.data, good, f.n);
    }
    free(f.data); free(good);
  }
  CHECK(loaded > 0);
}

// ** a kernel that reads and writes beyond its memory, if it is let **

static void test_beyond(const char *device) {
  float v[4] = {1, 2, 3, 4}, out[4] = {9, 9, 9, 9};
  static const char text[] = "i = (RANGE:1:loop 4) (SINK (END (STORE (INDEX:f32 (PARAM:f32:0 4) (ADD i 2)) "
      "(LOAD:f32 (INDEX:f32 (PARAM:f32:1 4) (MUL i 1000000000)))) i))";
  if (!case_named("a kernel that goes beyond, on %s", device)) return;
  tiny_ctx *t = open_on(device);
  tiny_tensor *x = tiny_from(t, v, TINY_F32, TINY_SHAPE(4));
  tiny_realize(&x, 1);
  tiny_kernel_desc d;
  memset(&d, 0, sizeof d);
  d.uops = tiny_uop_parse(t, text);
  d.inputs = &x; d.n = 1;
  tiny_tensor *y = tiny_kernel(t, &d);
  tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
  if (!p) fprintf(stderr, "  %s\n", tiny_error(t));
  CHECK(p != NULL);
  CHECK_EQ(tiny_program_save(p, in_root("beyond"), NULL), TINY_OK);
  tiny_program_free(p);
  tiny_close(t);
  t = open_on(device);
  tiny_program_source from;
  memset(&from, 0, sizeof from);
  from.path = in_root("beyond");
  p = tiny_program_load(t, &from);
  CHECK(p != NULL);
  x = tiny_from(t, v, TINY_F32, TINY_SHAPE(4));
  tiny_realize(&x, 1);
  CHECK_EQ(tiny_run(p, &x, &y), TINY_OK);
  CHECK_EQ(tiny_read(y, out, sizeof out), TINY_OK);
  CHECK(out[2] == 1 && out[3] == 0);       // what lies beyond reads as 0, and is not written
  tiny_program_free(p);
  tiny_close(t);
}

// ** what is saved besides **

static void test_weights(void) {
  sample s;
  kinds k;
  if (!case_named("weights in an archive")) return;
  tiny_ctx *t = open_on("CPU");
  tiny_program *p = capture(t, make_dense, &s, &k);
  const char *path = in_root("bare"), *weights = in_root("w.safetensors");
  const tiny_ship_desc d = {NULL, weight_names, s.weight, s.nweight, weights};
  CHECK_EQ(tiny_program_save(p, path, &d), TINY_OK);
  run_all(t, p, &k, &wanted);
  tiny_program_source from;
  memset(&from, 0, sizeof from);
  from.path = path; from.weights = weights;
  load_and_run("CPU", &from, &k, 1);
  from.weights = NULL;
  CHECK(tiny_program_load(t, &from) == NULL);
  CHECK(tiny_status(t) == TINY_E_IO && strstr(tiny_error(t), "weights"));
  tiny_clear(t);
  from.weights = in_root("w2.safetensors");                  // other weights of the same names
  tiny_tensor *other[2] = {tiny_neg(s.weight[0]), s.weight[1]};
  CHECK_EQ(tiny_save(from.weights, weight_names, other, 2), TINY_OK);
  load_and_run("CPU", &from, &k, 0);
  other[1] = tiny_like(tiny_from(t, other, TINY_F32, TINY_SHAPE(3)), 1);
  CHECK_EQ(tiny_save(from.weights, weight_names, other, 2), TINY_OK);
  CHECK(tiny_program_load(t, &from) == NULL);
  CHECK(tiny_status(t) == TINY_E_IO && strstr(tiny_error(t), "b is not what"));
  tiny_clear(t);
  tiny_program_free(p);
  tiny_close(t);
}
// What memory holds when it is saved, read and written: pending assignments have happened, and so has a run under way.
static void test_now(void) {
  float v[4] = {1, 2, 3, 4}, one[4] = {1, 1, 1, 1}, held[4] = {0}, got[4] = {0};
  const char *const name = "state";
  if (!case_named("what memory holds now")) return;
  tiny_ctx *t = open_on("CPU");
  tiny_tensor *state = tiny_from(t, v, TINY_F32, TINY_SHAPE(4)), *x = tiny_from(t, one, TINY_F32, TINY_SHAPE(4)), *out;
  tiny_realize(&state, 1);
  tiny_begin(t);
  tiny_assign(state, tiny_add(state, x));
  tiny_tensor *y = tiny_neg(x);
  tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
  tiny_end(t);
  CHECK(p != NULL);
  tiny_ship_desc d;
  memset(&d, 0, sizeof d);
  d.names = &name; d.tensors = &state; d.n = 1;
  tiny_assign(state, tiny_mul_scalar(state, 10));            // pending
  CHECK_EQ(tiny_program_save(p, in_root("now"), &d), TINY_OK);
  tiny_program_source from;
  memset(&from, 0, sizeof from);
  from.path = in_root("now");
  tiny_program *q = tiny_program_load(t, &from);
  CHECK(q != NULL);
  CHECK_EQ(tiny_program_read(q, name, held, sizeof held), TINY_OK);
  for (int i = 0; i < 4; i++) CHECK(held[i] == 10 * v[i]);
  tiny_code code = TINY_MORE;
  for (int calls = 0; code == TINY_MORE; calls++) {          // stopped as soon as it may be, looked at, gone on with
    code = tiny_run_for(q, &x, &out, 1);
    if (code == TINY_MORE && calls < 2) CHECK_EQ(tiny_program_read(q, name, got, sizeof got), TINY_OK);
    if (code == TINY_MORE && calls < 2) for (int i = 0; i < 4; i++) CHECK(got[i] == held[i] + 1);
  }
  CHECK_EQ(code, TINY_OK);
  CHECK_EQ(tiny_program_write(q, name, v, sizeof v), TINY_OK);
  code = tiny_run_for(q, &x, &out, 1);
  CHECK_EQ(tiny_program_save(q, in_root("later"), NULL), TINY_OK);           // also of a run under way
  while (code == TINY_MORE) code = tiny_run_for(q, &x, &out, 1);
  CHECK_EQ(code, TINY_OK);
  tiny_program_free(q);
  from.path = in_root("later");
  q = tiny_program_load(t, &from);
  CHECK(q != NULL);
  CHECK_EQ(tiny_program_memory(q, 0, NULL, NULL) != NULL, 1);
  CHECK_EQ(tiny_program_read(q, name, got, sizeof got), TINY_OK);
  for (int i = 0; i < 4; i++) CHECK(got[i] == v[i] + 1);
  CHECK_EQ(tiny_program_read(q, "none", got, sizeof got), TINY_E_ARG);
  tiny_clear(t);
  CHECK_EQ(tiny_program_write(q, name, v, 3), TINY_E_ARG);
  tiny_program_free(q);
  tiny_program_free(p);
  tiny_close(t);
}
// On the host's memory, in pieces: the bits of a whole run, what it assigns to once; cancelled it begins anew.
static void test_call_for(void) {
  enum { NELEM = 96 * 64 };
  static float v[NELEM], whole[NELEM], pieces[NELEM];
  float three = 3;
  const char *const name = "state";
  if (!case_named("calls in pieces")) return;
  for (int i = 0; i < NELEM; i++) v[i] = (float)(i % 37) * 0.25f - 4;
  tiny_ctx *t = open_on("CPU");
  tiny_tensor *x = tiny_from(t, v, TINY_F32, TINY_SHAPE(96, 64)), *k = tiny_scalar(t, 3, TINY_F32);
  tiny_tensor *state = tiny_zeros(t, TINY_F32, TINY_SHAPE(96, 64));
  tiny_realize(&x, 1); tiny_realize(&state, 1);
  tiny_begin(t);
  tiny_assign(state, tiny_add(state, tiny_mul(x, k)));
  tiny_tensor *in[2] = {x, k}, *y = tiny_softmax(tiny_matmul(state, tiny_permute(x, TINY_SHAPE(1, 0))), -1);
  y = tiny_matmul(y, x);
  tiny_program *p = tiny_capture(t, in, 2, &y, 1);
  tiny_end(t);
  CHECK(p != NULL);
  tiny_ship_desc d;
  tiny_program_source from;
  memset(&d, 0, sizeof d); memset(&from, 0, sizeof from);
  d.names = &name; d.tensors = &state; d.n = 1;
  CHECK_EQ(tiny_program_save(p, in_root("pieces"), &d), TINY_OK);
  from.path = in_root("pieces"); from.trusted = 1;
  tiny_program *one = tiny_program_load(t, &from), *other = tiny_program_load(t, &from);
  CHECK(one && other);
  const void *const given[2] = {v, &three};
  void *const to_whole[1] = {whole}, *const to_pieces[1] = {pieces};
  for (int run = 0, cuts = 0; run < 3; run++) {
    tiny_code code = TINY_MORE;
    CHECK_EQ(tiny_program_call(one, given, to_whole), TINY_OK);
    for (three = 3; code == TINY_MORE; three = 5) {          // a number is that of the run's first call
      code = tiny_program_call_for(other, given, to_pieces, 1);
      cuts += code == TINY_MORE;
    }
    three = 3;
    CHECK_EQ(code, TINY_OK);
    CHECK(!memcmp(whole, pieces, sizeof whole));
    CHECK(run < 2 || cuts > 2);
  }
  CHECK_EQ(tiny_program_read(one, name, whole, sizeof whole), TINY_OK);
  CHECK_EQ(tiny_program_read(other, name, pieces, sizeof pieces), TINY_OK);
  CHECK(!memcmp(whole, pieces, sizeof whole));
  tiny_cancel(t);
  CHECK_EQ(tiny_program_call_for(other, given, to_pieces, 1), TINY_E_CANCELLED);
  CHECK_EQ(tiny_status(t), TINY_OK);
  CHECK_EQ(tiny_program_call(one, given, to_whole), TINY_OK);
  CHECK_EQ(tiny_program_call_for(other, given, to_pieces, UINT64_MAX), TINY_OK);
  CHECK(!memcmp(whole, pieces, sizeof whole));
  CHECK_EQ(tiny_program_call_for(NULL, given, to_pieces, 1), TINY_E_ARG);
  CHECK_EQ(tiny_program_call_for(other, NULL, to_pieces, 1), TINY_E_ARG);
  tiny_clear(t);
  tiny_program_free(one); tiny_program_free(other); tiny_program_free(p);
  tiny_close(t);
}
static int targets_of(const file *f, const char *name) {
  const tn_saved saved = tn_saved_of(f->data);
  const tn_container c = tn_container_of(tn_saved_part_of(saved.data, saved.head, TN_SAVED_CODE));
  int n = 0;
  for (uint32_t i = 0; i < c.head->nkernel; i++) n += !strcmp(tn_container_target_of(&c, &c.kernel[i])->name, name);
  return n;
}
// Levels that are asked for; and machine code of another place, which is kept.
static void test_levels(void) {
  sample s;
  kinds k;
  tiny_ship_desc d;
  if (!case_named("levels")) return;
  memset(&d, 0, sizeof d);
  tiny_ctx *t = open_on("CPU");
  tiny_program *p = capture(t, make_dense, &s, &k);
  char abi[64];
  const char *path = in_root("levels");
  snprintf(abi, sizeof abi, "CPU %s", tn_cpu_abi());
  d.levels = "none";
  CHECK_EQ(tiny_program_save(p, path, &d), TINY_OK);
  file f = read_file(path);
  const int kernels = targets_of(&f, TN_SHIP_KERNEL);
  CHECK(kernels >= 2);
  CHECK_EQ(targets_of(&f, TN_SHIP_LIST), kernels);
  CHECK_EQ(targets_of(&f, abi), 0);
  free(f.data);
  d.levels = "sse2,avx2";
  CHECK_EQ(tiny_program_save(p, path, &d), TINY_OK);
  f = read_file(path);
  CHECK_EQ(targets_of(&f, abi), 2 * kernels);
  CHECK_EQ(targets_of(&f, TN_SHIP_OWN_LIST), kernels);
  free(f.data);
  d.levels = "sse4";
  CHECK_EQ(tiny_program_save(p, path, &d), TINY_OK);          // beside those that were there
  f = read_file(path);
  CHECK_EQ(targets_of(&f, abi), 3 * kernels);
  CHECK_EQ(targets_of(&f, TN_SHIP_KERNEL), kernels);
  free(f.data);
  d.levels = "avx9";
  CHECK_EQ(tiny_program_save(p, path, &d), TINY_E_ARG);
  CHECK(strstr(tiny_error(t), "avx9"));
  tiny_clear(t);
  tiny_program_free(p);
  tiny_close(t);
}
static void test_digest(void) {
  kinds k;
  unsigned char digest[32];
  if (!case_named("digest")) return;
  file f = saved_file("CPU", 0, NULL, &k);
  shared = open_on("CPU");
  tiny_program_source from;
  memset(&from, 0, sizeof from);
  from.data = f.data; from.nbytes = f.n; from.trusted = 1;
  CHECK_EQ(tiny_program_digest(shared, &from, digest), TINY_OK);
  from.digest = digest;
  load_and_run("CPU", &from, &k, 1);
  const size_t contents = (size_t)((tn_saved_head *)(void *)f.data)->part[TN_SAVED_CONTENTS].at;
  f.data[contents + 2] ^= 0x70;            // who changes the contents can make the quick sum anew, but not the digest
  tn_saved_head *h = (tn_saved_head *)(void *)f.data;
  const tn_digest was = h->sum;
  sum_again(&f);
  CHECK(!tn_digest_same(&was, &h->sum));
  CHECK(tiny_program_load(shared, &from) == NULL && strstr(tiny_error(shared), "of that digest"));
  tiny_clear(shared);
  from.digest = NULL;
  load_and_run("CPU", &from, &k, 0);
  f.data[contents + 2] ^= 0x70;
  sum_again(&f);
  digest[7] ^= 1;
  from.digest = digest;
  CHECK(tiny_program_load(shared, &from) == NULL && tiny_status(shared) == TINY_E_IO);
  tiny_close(shared);
  free(f.data);
}
static void test_refusals(void) {
  float v[4] = {1, 2, 3, 4};
  if (!case_named("what cannot be saved")) return;
  tiny_ctx *t = open_on("CPU");
  tiny_tensor *x = tiny_from(t, v, TINY_F32, TINY_SHAPE(4)), *y = tiny_neg(x);
  tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
  tiny_program_source from;
  memset(&from, 0, sizeof from);
  CHECK_EQ(tiny_program_save(NULL, in_root("x"), NULL), TINY_E_ARG);
  CHECK_EQ(tiny_program_save(p, NULL, NULL), TINY_E_ARG);
  tiny_clear(t);
  const tiny_writer none = {NULL, NULL};
  CHECK_EQ(tiny_program_save_to(p, none, NULL), TINY_E_ARG);
  tiny_clear(t);
  CHECK_EQ(tiny_program_save(p, in_root("none/there"), NULL), TINY_E_IO);
  tiny_clear(t);
  CHECK(tiny_program_load(t, NULL) == NULL && tiny_status(t) == TINY_E_ARG);
  tiny_clear(t);
  CHECK(tiny_program_load(t, &from) == NULL && tiny_status(t) == TINY_E_ARG);
  tiny_clear(t);
  from.path = in_root("is not there");
  CHECK(tiny_program_load(t, &from) == NULL && tiny_status(t) == TINY_E_IO);
  tiny_clear(t);
  tiny_program_free(p);
  tiny_close(t);
}

// ** refused memory **

static void test_memory(int loads) {
  kinds k;
  sample s;
  if (!case_named("refused memory, %s", loads ? "load" : "save")) return;
  file f = saved_file("CPU", 8, NULL, &k);
  for (long at = 1, done = 0; !done; at += at < 60 ? 1 : 13) {
    memory_count m;
    tiny_desc d;
    memset(&m, 0, sizeof m); memset(&d, 0, sizeof d);
    d.device = "CPU"; d.cache_dir = ""; d.threads = 1; d.alloc.fn = memory_fn; d.alloc.user = &m;
    tiny_ctx *t = tiny_open(&d);
    tiny_program *p = NULL;
    if (loads) {
      tiny_program_source from;
      memset(&from, 0, sizeof from);
      from.data = f.data; from.nbytes = f.n; from.trusted = (int)(at & 1);
      m.fail_at = m.calls + at;
      p = tiny_program_load(t, &from);
      CHECK((p != NULL) == (tiny_status(t) == TINY_OK));
      done = p != NULL && m.calls < m.fail_at;
    } else {
      p = capture(t, make_step, &s, &k);
      m.fail_at = m.calls + at;
      const tiny_code code = tiny_program_save(p, in_root("one"), NULL);
      CHECK(code == TINY_OK || code == TINY_E_MEMORY);
      CHECK_EQ(code, tiny_status(t));
      done = code == TINY_OK && m.calls < m.fail_at;
    }
    m.fail_at = 0;
    tiny_program_free(p);
    tiny_close(t);
    CHECK_EQ(m.live, 0);
    CHECK_EQ(m.wrong, 0);
  }
  free(f.data);
}

int main(void) {
  static char at[] = "/tmp/tiny-saved-XXXXXX";
  snprintf(root, sizeof root, "%s", mkdtemp(at));
  for (int i = 0; i < MAKERS; i++) {
    test_round(i, "CPU");
    test_round(i, "INTERP");
#ifdef TN_OS_X86
    test_round(i, "CPU:sse2");
#endif
  }
  test_bad_files();
  test_changed("INTERP", test_some(400));
  test_changed("CPU", test_some(60));
  test_beyond("INTERP");
  test_beyond("CPU");
  test_now();
  test_call_for();
  test_weights();
#ifdef TN_OS_X86
  test_levels();
#endif
  test_digest();
  test_refusals();
  test_memory(0);
  test_memory(1);
  remove_tree(root);
  return test_report();
}
