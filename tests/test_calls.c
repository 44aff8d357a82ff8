// calls: every public function, called with what it must refuse: tensors of another context, freed ones, NULL, numbers and enums out of
// range, contexts that did not open. What it refuses it says, in the context that it belongs to, and both contexts go on working.
//
// The calls are written by tools/api_calls.py from the declarations: a function that is new is called from its first day on.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE                      // for the test: feenableexcept
#endif
#include "../src/all.c"
#include "test.h"
#include "memory_test.h"
#include <fenv.h>

enum { MOST_HANDLES = 24, ROOM = 16 };
enum { NOTHING, TENSOR, CODE, POINTER, NUMBER };

typedef struct world {
  tiny_ctx *t, *other;
  tiny_tensor *home[MOST_HANDLES], *foreign[MOST_HANDLES], *list[MOST_HANDLES], *out[ROOM][ROOM];
  uint32_t strange;                        // bit i: argument i is foreign[i]
  int number_at; int64_t number;           // number number_at is this one; -1: all have their defaults
  double times;                            // doubles are so many times their defaults
  int bare;                                // owners are as their struct begins: zeroed
  int many, where, dtypes;                // arguments have this many dims and one of three dtypes; 0: they are squares
  int large;                               // arguments have shape large[large - 1]
  int kind; tiny_tensor *tensor; tiny_code code; const void *pointer; int64_t given;
  unsigned char bytes[4096];
  int64_t longs[16];
  tiny_params params; tiny_optim optim; tiny_ema ema; tiny_scaler scaler; tiny_program *program; tiny_archive *archive; tiny_views views;
  tiny_plateau plateau; tiny_recurrent_layer recurrent;
} world;

static void give_tensor(world *w, tiny_tensor *x) { w->kind = TENSOR; w->tensor = x; }
static void give_code(world *w, tiny_code code) { w->kind = CODE; w->code = code; }
static void give_pointer(world *w, const void *p) { w->kind = POINTER; w->pointer = p; }
static void give_number(world *w, int64_t n) { w->kind = NUMBER; w->given = n; }

// (4,4) as (4,1,..,4), (4,4,1,..) or (1,..,4,4).
static tiny_tensor *with_dims(const world *w, int i) {
  static const tiny_dtype dtype[] = {TINY_F32, TINY_I32, TINY_BOOL, TINY_F32};
  tiny_shape s = TINY_SHAPE();
  s.ndim = w->many;
  for (int k = 0; k < s.ndim; k++) s.dim[k] = 1;
  s.dim[w->where == 2 ? s.ndim - 2 : 0] = 4;
  s.dim[w->where == 1 ? 1 : s.ndim - 1] = 4;
  return tiny_reshape(tiny_cast(w->home[i], dtype[(w->dtypes >> 2 * (i % 2)) & 3]), s);
}
// Nothing is computed of these: arguments 0, 2 .. have one shape, 1, 3 .. another.
static const int64_t large[][2][3] = {
  {{(int64_t)1 << 40, 1, 1}, {1, (int64_t)1 << 40, 1}}, {{(int64_t)1 << 59, 0, 0}, {(int64_t)1 << 59, 0, 0}}, {{1 << 29, 1 << 29, 0}, {1 << 29, 1 << 29, 0}},
  {{1, (int64_t)1 << 59, 0}, {(int64_t)1 << 59, 1, 0}}, {{1 << 19, 1 << 19, 1 << 19}, {1 << 19, 1 << 19, 1 << 19}}, {{2, 2, 0}, {(int64_t)1 << 59, 1, 0}},
};
enum { NLARGE = sizeof large / sizeof *large };
static tiny_tensor *large_of(const world *w, int i) {
  static const tiny_dtype dtype[] = {TINY_F32, TINY_I32, TINY_BOOL, TINY_F32};
  const int64_t *dim = large[w->large - 1][i % 2];
  tiny_shape s = TINY_SHAPE();
  for (int k = 0; k < 3 && dim[k]; k++) s.dim[s.ndim++] = dim[k];
  return tiny_zeros(w->t, dtype[(w->dtypes >> 2 * (i % 2)) & 3], s);
}
static tiny_tensor *handle_of(world *w, int i) {
  return w->large ? large_of(w, i) : w->many ? with_dims(w, i) : w->strange >> i & 1 ? w->foreign[i] : w->home[i];
}
static tiny_tensor **list_of(world *w, int i) {
  w->list[i] = handle_of(w, i); w->list[i + 1] = handle_of(w, i + 1);
  return w->list + i;
}
static int64_t number_of(const world *w, int i, int64_t usual) { return w->number_at == i ? w->number : usual; }
#define H(i) handle_of(w, i)
#define L(i) list_of(w, i)
#define O(i) w->out[i]
#define N(i, usual) number_of(w, i, usual)
#define D(i, usual) ((usual) * w->times)
#define T(usual) usual
#define P(usual) usual
#define C(i) ((int)(number_of(w, i, 2) > 2 ? 2 : number_of(w, i, 2)))

static int side = 4;                       // of all matrices
static const char *const the_names[2] = {"a", "b"};
static tiny_shape the_shape(const world *w, int at) { (void)w; (void)at; return TINY_SHAPE(side, side); }
static int written(void *user, const void *data, size_t nbytes) { (void)user; (void)data; (void)nbytes; return 1; }
static tiny_writer the_writer(void) { const tiny_writer to = {written, NULL}; return to; }
static tiny_views *the_views(world *w) { w->views = tiny_views_of(TINY_SHAPE(side, side)); return &w->views; }
static tiny_plateau *the_plateau(world *w) { return &w->plateau; }
// Owners are made in w->t when a call asks for one, and ended after it.
static tiny_params *the_params(world *w) {
  if (!w->bare && !w->params.n) {
    tiny_params_add(&w->params, NULL, "first", w->home[MOST_HANDLES - 1], 1);
    tiny_params_add(&w->params, NULL, "second", w->home[MOST_HANDLES - 2], 1);
  }
  return &w->params;
}
static tiny_optim *the_optim(world *w) {
  tiny_tensor *const *params = w->home + MOST_HANDLES - 2;
  w->optim.kind = TINY_ADAM;
  if (!w->bare && !w->optim.n) tiny_optim_step(&w->optim, params, params, 2);
  return &w->optim;
}
static tiny_ema *the_ema(world *w) {
  if (!w->bare && !w->ema.n) tiny_ema_step(&w->ema, w->home + MOST_HANDLES - 2, 2);
  return &w->ema;
}
static tiny_scaler *the_scaler(world *w) {
  tiny_tensor *grads[2] = {w->home[MOST_HANDLES - 1], w->home[MOST_HANDLES - 2]};
  if (!w->bare && !w->scaler.state) { tiny_scaler_scale(&w->scaler, w->home[MOST_HANDLES - 1]); tiny_scaler_unscale(&w->scaler, grads, 2); }
  return &w->scaler;
}
static tiny_program *the_program(world *w) {
  tiny_tensor *const *in = w->home + MOST_HANDLES - 2, *out = tiny_add(in[0], in[1]);
  if (!w->bare && !w->program && tiny_realize(in, 2) == TINY_OK) w->program = tiny_capture(w->t, in, 2, &out, 1);
  return w->program;
}
static tiny_recurrent_layer *the_recurrent_layer(world *w) {
  if (!w->bare && !w->recurrent.n) w->recurrent = tiny_recurrent_layer_new(w->t, TINY_RNN, 4, 4, NULL, 1);
  return &w->recurrent;
}
static tiny_archive *the_archive(world *w) { return w->archive; }
static void owners_end(world *w) {
  tiny_params_free(&w->params);
  tiny_optim_free(&w->optim);
  tiny_ema_free(&w->ema);
  tiny_scaler_free(&w->scaler);
  tiny_recurrent_layer_free(&w->recurrent);
  if (w->program) tiny_program_free(w->program);
  w->program = NULL;
  memset(&w->optim, 0, sizeof w->optim); memset(&w->scaler, 0, sizeof w->scaler);
}

#include "api_calls.h"
enum { NCALLS = sizeof api_calls / sizeof *api_calls };

// ** worlds **

// Sizes out of range are asked for in earnest where they fit: not here.
static void *modest_fn(void *user, void *ptr, size_t old_nbytes, size_t new_nbytes) {
  (void)user; (void)old_nbytes;
  if (!new_nbytes) { free(ptr); return NULL; }
  return new_nbytes > (size_t)1 << 24 ? NULL : realloc(ptr, new_nbytes);
}
static const char *device = "INTERP";
static tiny_ctx *open_quiet(memory_count *m) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.cache_dir = ""; d.threads = 1; d.max_nbytes = 1 << 24;
  d.alloc.fn = modest_fn;
  if (m) { d.alloc.fn = memory_fn; d.alloc.user = m; }
  return tiny_open(&d);
}
static tiny_tensor *square(tiny_ctx *t, int i) {
  float v[25];
  for (int k = 0; k < side * side; k++) v[k] = (float)(k * (i + 1) % 7) + 0.5f;
  return tiny_from(t, v, TINY_F32, TINY_SHAPE(side, side));
}
static void world_begin(world *w) {
  memset(w, 0, sizeof *w);
  w->number_at = -1; w->times = 1;
  w->t = open_quiet(NULL);
  w->other = open_quiet(NULL);
  for (int i = 0; i < MOST_HANDLES; i++) { w->home[i] = square(w->t, i); w->foreign[i] = square(w->other, i); }
}
static void settle(tiny_ctx *t) { tiny_clear(t); t->tensors->npending = 0; }
// One call in a frame of both contexts, whose assignments are dropped.
static void call_once(world *w, const struct api_call *c) {
  w->kind = NOTHING; w->tensor = NULL;
  for (int i = 0; i < ROOM; i++) w->out[i][0] = w->home[0];
  tiny_begin(w->t);
  tiny_begin(w->other);
  c->call(w);
}
// What was refused left no room for a result as it was.
static int rooms_told(const world *w, const struct api_call *c) {
  int told = 1;
  for (int i = 0; i < c->rooms; i++) told &= w->out[i][0] != w->home[0];
  if (!told) printf("%s: a result is not set\n", c->name);
  return told;
}
static void call_end(world *w) {
  settle(w->t); settle(w->other);
  owners_end(w);
  settle(w->t); settle(w->other);
  while (w->t->tensors->depth) tiny_end(w->t);
  while (w->other->tensors->depth) tiny_end(w->other);
  settle(w->t); settle(w->other);
  for (int i = 0; i < MOST_HANDLES; i++) {
    if (!tiny_ok(w->home[i])) w->home[i] = square(w->t, i);
    if (w->foreign[i] && !tiny_ok(w->foreign[i]) && tiny_ctx_of(w->foreign[i]) == w->other) w->foreign[i] = square(w->other, i);
  }
}
static int refused(const world *w) {
  return w->kind == TENSOR ? !tiny_ok(w->tensor) : w->kind == CODE ? w->code != TINY_OK : w->kind == POINTER ? !w->pointer : 1;
}
static void check_usable(tiny_ctx *t, tiny_tensor *x) {
  float got[16];
  CHECK_EQ(tiny_read(tiny_add(x, x), got, sizeof got), TINY_OK);
  CHECK_STR(tiny_error(t), "");
}

// What only asks, or frees, or shows, takes any tensor.
static const char *const asks[] = {"tiny_ok", "tiny_label_of", "tiny_ctx_of", "tiny_uop_of", "tiny_nelem_of", "tiny_shape_of", "tiny_shape_now", "tiny_dtype_of",
                                    "tiny_to_text", "tiny_print", "tiny_print_named"};
static int only_asks(const struct api_call *c) {
  const char *free_at = strstr(c->name, "_free");
  if (free_at && !free_at[5]) return 1;
  for (size_t i = 0; i < sizeof asks / sizeof *asks; i++) if (!strcmp(asks[i], c->name)) return 1;
  return 0;
}
// ** tensors of another context **

static void check_foreign(world *w, const struct api_call *c) {
  if (c->handles + c->owners < 2 || !c->handles || only_asks(c)) return;
  for (int i = 0; i < c->handles + (c->owners > 0); i++) {
    w->strange = i < c->handles ? 1u << i : (1u << c->handles) - 1;
    call_once(w, c);
    // without an owner the call belongs to the context of one of its tensors
    tiny_ctx *told = c->owners || tiny_status(w->t) != TINY_OK ? w->t : w->other, *rest = told == w->t ? w->other : w->t;
    const int ok = refused(w) && tiny_status(told) == TINY_E_ARG && strstr(tiny_error(told), "another context") && tiny_status(rest) == TINY_OK &&
        (w->kind != TENSOR || w->tensor == tn_poison(told));
    if (!ok) printf("%s, strange %x: %s; status %d \"%s\", of the other %d \"%s\"\n", c->name, w->strange, refused(w) ? "refused" : "taken",
                    (int)tiny_status(told), tiny_error(told), (int)tiny_status(rest), tiny_error(rest));
    CHECK(ok);
    CHECK(rooms_told(w, c));
    call_end(w);
    w->strange = 0;
  }
}

// ** freed tensors, and NULL **

static void check_dead(world *w, const struct api_call *c, tiny_tensor *const *dead) {
  tiny_tensor *kept[MOST_HANDLES];
  memcpy(kept, w->foreign, sizeof kept);
  memcpy(w->foreign, dead, sizeof kept);
  for (int i = 0; i < c->handles && !only_asks(c); i++) {
    w->strange = 1u << i;
    call_once(w, c);
    const int ok = refused(w) && tiny_status(w->t) == TINY_E_STATE && strstr(tiny_error(w->t), "was freed");
    if (!ok) printf("%s, argument %d freed: %s; status %d \"%s\"\n", c->name, i, refused(w) ? "refused" : "taken", (int)tiny_status(w->t), tiny_error(w->t));
    CHECK(ok);
    CHECK(rooms_told(w, c));
    call_end(w);
  }
  memset(w->foreign, 0, sizeof w->foreign);
  for (int i = 0; i < c->handles; i++) {   // NULL: may be allowed
    w->strange = 1u << i;
    call_once(w, c);
    if (w->kind == TENSOR && w->tensor && !tiny_ok(w->tensor)) CHECK(tiny_status(w->t) != TINY_OK);
    call_end(w);
  }
  w->strange = 0;
  memcpy(w->foreign, kept, sizeof kept);
}

// ** numbers out of range **

static void check_numbers(world *w, const struct api_call *c) {
  static const int64_t far[] = {-1, -2, 0, 255, INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX};
  for (int i = 0; i < c->numbers; i++)
    for (size_t k = 0; k < sizeof far / sizeof *far; k++) {
      w->number_at = i; w->number = far[k];
      call_once(w, c);
      const int silent = (w->kind == TENSOR && w->tensor && !tiny_ok(w->tensor) && tiny_status(w->t) == TINY_OK) ||
          (w->kind == CODE && w->code != TINY_OK && w->code != TINY_E_ARG && tiny_status(w->t) == TINY_OK && w->t && c->owners + c->handles);
      if (silent) printf("%s, number %d is %lld: refused, but no word of it\n", c->name, i, (long long)far[k]);
      CHECK(!silent);
      if (w->kind == TENSOR && !tiny_ok(w->tensor)) CHECK(rooms_told(w, c));
      w->number_at = -1;
      call_end(w);
    }
}

// ** as many dims as there may be **

// Operators that need a dim more between say so, or are right.
static void check_dims(world *w, const struct api_call *c) {
  if (!c->handles || only_asks(c)) return;
  static const int dtypes[] = {0, 1 << 2, 1 << 2 | 1};       // of arguments 0, 2 .. and of 1, 3 ..
  for (int k = 0; k < 2 * 3 * 3; k++) {
    w->many = TINY_MAX_DIMS - k % 2; w->where = k / 2 % 3; w->dtypes = dtypes[k / 6];
    call_once(w, c);
    const int poison = w->kind == TENSOR && w->tensor && !tiny_ok(w->tensor);
    if (w->kind == TENSOR && tiny_ok(w->tensor) && tiny_nelem_of(w->tensor) < 1000) tiny_realize(&w->tensor, 1);
    const int ok = poison ? tiny_status(w->t) != TINY_OK : tiny_status(w->t) != TINY_E_INTERNAL;
    if (!ok || tiny_status(w->t) == TINY_E_INTERNAL) printf("%s, %d dims, %d %d: %s\n", c->name, w->many, w->where, w->dtypes, tiny_error(w->t));
    CHECK(ok && tiny_status(w->t) != TINY_E_INTERNAL);
    w->many = 0;
    call_end(w);
  }
}

// ** shapes up to 2^60 elements **

// They are taken or refused; no product of dims overflows (UBSan), and nothing walks them.
static void check_large_call(world *w, const struct api_call *c) {
  if (!c->handles || only_asks(c)) return;
  for (int k = 0; k < NLARGE * 2; k++) {
    w->large = 1 + k / 2; w->dtypes = k % 2 ? 1 << 2 | 1 : 0;
    call_once(w, c);
    const int poison = w->kind == TENSOR && w->tensor && !tiny_ok(w->tensor);
    const int ok = (!poison || tiny_status(w->t) != TINY_OK) && tiny_status(w->t) != TINY_E_INTERNAL;
    if (!ok) printf("%s, large %d: %s\n", c->name, k, tiny_error(w->t));
    CHECK(ok);
    w->large = 0;
    call_end(w);
  }
}

static void check_large(void) {            // nothing is computed: sizes that depend on data are refused
  static world w;
  device = "NULL";
  world_begin(&w);
  for (int k = 0; k < NCALLS; k++) {
    if (getenv("TEST_LOUD")) { printf("large: %s\n", api_calls[k].name); fflush(stdout); }
    check_large_call(&w, &api_calls[k]);
  }
  tiny_close(w.other);
  tiny_close(w.t);
  device = "INTERP";
}

// ** floating-point modes of the caller **

// What a call gives, as a hash of bits; 0: nothing that can be read.
static uint64_t bits_given(const world *w) {
  float got[256];
  if (w->kind != TENSOR || !tiny_ok(w->tensor) || tiny_nelem_of(w->tensor) < 1 || tiny_nelem_of(w->tensor) > 256) return 0;
  tiny_tensor *x = tiny_cast(w->tensor, TINY_F32);
  const size_t nbytes = (size_t)tiny_nelem_of(x) * 4;
  return tiny_read(x, got, nbytes) == TINY_OK ? tn_hash_bytes(1, got, nbytes) | 1 : 0;
}
static uint64_t call_in(world *w, const struct api_call *c, int rounding, int traps, int *kept) {
  feclearexcept(FE_ALL_EXCEPT);
  fesetround(rounding);
#ifdef __GLIBC__
  if (traps) feenableexcept(FE_ALL_EXCEPT);
#endif
  tiny_seed(w->t, 1);
  call_once(w, c);
  const uint64_t bits = bits_given(w);
  call_end(w);
  *kept = fegetround() == rounding && !fetestexcept(FE_ALL_EXCEPT);
#ifdef __GLIBC__
  *kept &= fegetexcept() == (traps ? FE_ALL_EXCEPT : 0);
  fedisableexcept(FE_ALL_EXCEPT);
#else
  (void)traps;
#endif
  feclearexcept(FE_ALL_EXCEPT);
  fesetround(FE_TONEAREST);
  return bits;
}

// Each call gives the same bits whatever mode the caller is in, traps nothing, and leaves mode and flags as they were.
static void check_mode(world *w, const struct api_call *c) {
  static const int rounding[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  int kept = 0;
  const uint64_t want = call_in(w, c, FE_TONEAREST, 0, &kept);
  for (size_t i = 0; i < sizeof rounding / sizeof *rounding; i++) {
    const uint64_t bits = call_in(w, c, rounding[i], 1, &kept);
    if (!kept || bits != want) printf("%s: mode %d: %s\n", c->name, (int)i, kept ? "other bits" : "mode or flags");
    CHECK(kept && bits == want);
  }
}
static void check_modes(void) {            // also with numbers that are no powers of two
  static world w;
  for (side = 4; side < 6; side++) {
    world_begin(&w);
    for (int k = 0; k < NCALLS; k++) {
      if (getenv("TEST_LOUD")) { printf("modes: %s\n", api_calls[k].name); fflush(stdout); }
      for (w.number_at = -1; w.number_at < api_calls[k].numbers; w.number_at++) {
        w.number = 3;
        w.times = 1;
        check_mode(&w, &api_calls[k]);
        w.times = 0.7;
        check_mode(&w, &api_calls[k]);
      }
      w.number_at = -1;
    }
    tiny_close(w.other);
    tiny_close(w.t);
  }
  side = 4;
}

// ** contexts that did not open **

static void check_unopened(void) {
  for (long n = 1;; n++) {
    memory_count m = {0, 0, 0, 0};
    static world w;
    m.fail_at = n;
    memset(&w, 0, sizeof w);
    w.number_at = -1; w.times = 1; w.bare = 1;
    w.t = w.other = open_quiet(&m);
    if (m.calls < n) { CHECK(w.t && tiny_status(w.t) == TINY_OK); tiny_close(w.t); CHECK_EQ(m.live, 0); break; }
    CHECK(!w.t || tiny_status(w.t) == TINY_E_MEMORY);
    for (int i = 0; i < MOST_HANDLES; i++) { w.home[i] = tiny_zeros(w.t, TINY_F32, TINY_SHAPE(4, 4)); CHECK(!tiny_ok(w.home[i])); }
    for (int k = 0; k < NCALLS && w.t; k++) {
      api_calls[k].call(&w);
      if (w.kind == TENSOR) CHECK(!tiny_ok(w.tensor));
      w.kind = NOTHING;
      CHECK_EQ(tiny_status(w.t), TINY_E_MEMORY);
      owners_end(&w);
    }
    tiny_close(w.t);
    if (m.live) printf("allocation %ld of tiny_open refused: %ld blocks are left\n", n, m.live);
    CHECK_EQ(m.live, 0);
    CHECK_EQ(m.wrong, 0);
  }
}

int main(void) {
  static world w;
  tiny_tensor *dead[MOST_HANDLES];
  check_unopened();
  check_modes();
  check_large();
  world_begin(&w);
  for (int i = 0; i < MOST_HANDLES; i++) { dead[i] = square(w.t, i); tiny_free(dead[i]); }
  for (int k = 0; k < NCALLS; k++) {
    if (getenv("TEST_LOUD")) { printf("%s\n", api_calls[k].name); fflush(stdout); }
    check_foreign(&w, &api_calls[k]);
    check_dead(&w, &api_calls[k], dead);
    check_numbers(&w, &api_calls[k]);
    check_dims(&w, &api_calls[k]);
  }
  check_usable(w.t, w.home[0]);
  check_usable(w.other, w.foreign[0]);
  tiny_close(w.other);
  check_usable(w.t, w.home[0]);
  tiny_close(w.t);
  return test_report();
}
