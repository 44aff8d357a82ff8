// fuzz_api: bytes are calls of the public functions, on two contexts, INTERP and NULL, with wrong arguments among them.
//
// A byte below ACTIONS is one of the actions of this file: programs that mean something are made of these. Any other
// byte with the next one is a call of tests/api_calls.h, where every public function has its own, the new ones by
// themselves. Arguments are drawn from the bytes that follow; when they end, everything is ended, and after 256 inputs
// nothing may be left of either context.
//
// What holds after each call: what was refused left a code and a message in one of the contexts, no code is
// TINY_E_INTERNAL, and after tiny_clear there is no error. What is read on INTERP is what tiny_reference gives: exactly, or
// for sums of floats within the bound that the graph allows (bound_of); i32 tensors that are written, assigned,
// sliced and joined (the models) hold what a plain array holds.
//
// Bounded: shapes of at most 64 elements and a few huge ones, which the kernels of the backend refuse (fuzz_load), and a
// few plans an input. Each 2^20 calls say their number on stderr; with FUZZ_CALLS=n it ends after n.
// runs in make test: 300
#include "../src/all.c"
#include "memory_test.h"
#include "fuzz_io.h"

enum { SLOTS = 16, ROOM = 16, MOST_ELEMENTS = 64, MOST_NODES = 160, MODELS = 6, CELLS = 24 };
enum { INPUTS = 256, MOST_PLANS = 10, MOST_CALLS = 400, MOST_WORK = 1 << 15 };
enum { NOTHING, TENSOR, CODE, POINTER, NUMBER };

// A tensor and what its graph has cost so far. tainted: something huge is behind it, which nothing may compute.
typedef struct slot { tiny_tensor *x; int nodes, tainted; } slot;
// An i32 tensor and what it holds: cell[0..n-1] of the array that it is a view of.
typedef struct cells { int32_t v[CELLS]; int refs; } cells;
typedef struct model { tiny_tensor *x; cells *of; int n, at[CELLS]; } model;
typedef struct side {
  tiny_ctx *t; memory_count count; slot slot[SLOTS]; int next;
  tiny_params params; tiny_optim optim; tiny_ema ema; tiny_scaler scaler; tiny_program *program; tiny_archive *archive;
  tiny_loader *loader;
  tiny_tensor *input[2]; int inputs;
  tiny_recurrent_layer recurrent; tiny_plateau plateau;
} side;
typedef struct world {
  const uint8_t *data; size_t n, at;
  side side[2], *s; tiny_ctx *t;           // t: of s
  // of the call that runs
  int kind; tiny_tensor *tensor; tiny_code code; const void *pointer; int64_t given;
  int strange, huge, nodes, foreign;       // was given what it may refuse without a word; numbers out of all bounds
  tiny_tensor *list[32], *out[ROOM][ROOM];
  tiny_views views;
  model model[MODELS];
  unsigned char bytes[4096], got[4096], want[4096], host[4][512];
  int64_t longs[16]; int ints[16]; double reals[16];
} world;
static unsigned long long fuzz_calls, fuzz_most;

static void give_tensor(world *w, tiny_tensor *x) { w->kind = TENSOR; w->tensor = x; }
static void give_code(world *w, tiny_code code) { w->kind = CODE; w->code = code; }
static void give_pointer(world *w, const void *p) { w->kind = POINTER; w->pointer = p; }
static void give_number(world *w, int64_t n) { w->kind = NUMBER; w->given = n; }

// ** arguments from bytes **

static int byte_of(world *w) { return w->at < w->n ? w->data[w->at++] : 0; }
static int below(world *w, int n) { return byte_of(w) % n; }

// 0 to 15: a slot; 16 to 207: the slots that were filled last; then a foreign one, NULL, poison.
static tiny_tensor *handle_of(world *w) {
  const int b = byte_of(w);
  side *s = w->s;
  if (b >= 252) { w->strange = 1; return b == 252 ? NULL : tn_poison(w->t); }
  if (b >= 248) { w->foreign = 1; s = &w->side[s == w->side]; }
  slot *one = b < SLOTS ? &s->slot[b] : &s->slot[(s->next + 2 * SLOTS - 1 - b % 4) % SLOTS];
  w->strange |= !one->x;
  w->huge |= one->tainted;
  w->nodes += w->nodes < 1 << 20 ? one->nodes : 0;
  return one->x;
}
static tiny_tensor **list_of(world *w, int i) {
  w->list[i] = handle_of(w); w->list[i + 1] = handle_of(w);
  return w->list + i;
}
// Most bytes leave a number what it usually is or make it small.
static int64_t number_of(world *w, int64_t usual) {
  static const int64_t far[] = {-1000, 255, 1000, 65536, INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX, (int64_t)1 << 33, -65537};
  const int b = byte_of(w);
  if (b < 128) return usual;
  if (b < 246) return b % 10 - 3;
  w->huge = 1;
  return far[b - 246];
}
static double double_of(world *w, double usual) {
  static const double far[] = {0, -0.0, 1, -1, 2, 1e-300, 1e300, HUGE_VAL, -HUGE_VAL, (double)NAN, 0.1, 1e-8, 3, 100, -7.5, 1e9};
  const int b = byte_of(w);
  if (b < 128) return usual;
  w->huge |= b >= 192;                     // counts and steps of ranges are doubles
  return b < 192 ? (b - 160) / 8.0 : far[b % 16];
}
static const char *text_of(world *w, const char *usual) {
  static const char *const texts[] = {"", "a", "ij,jk->ik", "ij->", "ii->i", "...", "a,a,a", "ij,jk->q", "%s", "b c -> c b", "i,->", ",", "->", "\xff", "sum", "F"};
  const int b = byte_of(w);
  return b < 128 ? usual : texts[b % 16];
}
static tiny_shape the_shape(world *w, int at) {
  tiny_shape s = TINY_SHAPE();
  const int b = byte_of(w);
  int64_t n = 1;
  (void)at;
  if (b < 64) return TINY_SHAPE(2, 2);
  if (b < 96) return TINY_SHAPE(4);
  if (b >= 250) {
    w->huge = 1;
    s.ndim = b == 250 ? -1 : b == 251 ? TINY_MAX_DIMS + 1 : b == 252 ? TINY_MAX_DIMS : 2;
    for (int i = 0; i < TINY_MAX_DIMS; i++) s.dim[i] = b == 252 ? 1 : b == 253 ? (int64_t)1 << 40 : b == 254 ? -1 : 70000;
    return s;
  }
  s.ndim = b % 5;
  for (int i = 0; i < s.ndim; i++) {
    s.dim[i] = below(w, 7);                  // zeros as well
    if (n * s.dim[i] > MOST_ELEMENTS) s.dim[i] = 1;
    n *= s.dim[i];
  }
  return s;
}
#define H(i) handle_of(w)
#define L(i) list_of(w, i)
#define O(i) w->out[i]
#define N(i, usual) number_of(w, usual)
#define D(i, usual) double_of(w, usual)
#define T(usual) text_of(w, usual)
#define P(usual) (below(w, 8) ? "build/fuzz_api.npz" : "build/no/such/folder")
#define C(i) count_of(w)
static int count_of(world *w) {
  const int b = byte_of(w);
  return b < 248 ? b % 3 : -1 - b % 2;
}

// ** owners, as the calls want them **

static const char *const the_names[2] = {"a", "b"};
static tiny_writer the_writer(void) {
  static fuzz_bytes b;
  b.n = 0;
  const tiny_writer to = {fuzz_write, &b};
  return to;
}
static tiny_views *the_views(world *w) {
  if (!w->views.n) w->views = tiny_views_of(TINY_SHAPE(4, 4));
  return &w->views;
}
static tiny_plateau *the_plateau(world *w) { return &w->s->plateau; }
static tiny_params *the_params(world *w) {
  side *s = w->s;
  if (!s->params.n) tiny_params_add(&s->params, NULL, "first", handle_of(w), 1);
  for (int i = 0; i < s->params.n; i++) w->strange |= !tiny_ok(s->params.param[i].tensor);    // was freed
  return &s->params;
}
static tiny_optim *the_optim(world *w) {
  if (!w->s->optim.n) w->s->optim.kind = (tiny_optim_kind)below(w, TINY_OPTIM_COUNT + 1);
  return &w->s->optim;
}
static tiny_ema *the_ema(world *w) { return &w->s->ema; }
static tiny_scaler *the_scaler(world *w) { return &w->s->scaler; }
static tiny_program *the_program(world *w) { return w->s->program; }
static tiny_archive *the_archive(world *w) { return w->s->archive; }
static tiny_loader *the_loader(world *w) {
  static const double items[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  tiny_loader_desc d;
  memset(&d, 0, sizeof d);
  d.array[0].data = items; d.array[0].dtype = TINY_F64; d.array[0].shape = TINY_SHAPE(2);
  d.narray = 1; d.n = 4; d.batch = 3; d.prefetch = -1;
  if (!w->s->loader) w->s->loader = tiny_loader_open(w->t, &d);
  return w->s->loader;
}
static tiny_recurrent_layer *the_recurrent_layer(world *w) {
  if (!w->s->recurrent.n) w->s->recurrent = tiny_recurrent_layer_new(w->t, TINY_RNN, 2, 2, NULL, 1);
  for (int i = 0; i < w->s->recurrent.n; i++) {              // was refused memory
    const tiny_recurrent_weights *r = &w->s->recurrent.w[i];
    w->strange |= !tiny_ok(r->w_ih) || !tiny_ok(r->w_hh) || !tiny_ok(r->b_ih) || !tiny_ok(r->b_hh);
  }
  return &w->s->recurrent;
}
static void owners_end(side *s) {
  tiny_params_free(&s->params);
  tiny_optim_free(&s->optim);
  tiny_ema_free(&s->ema);
  tiny_scaler_free(&s->scaler);
  tiny_recurrent_layer_free(&s->recurrent);
  if (s->program) tiny_program_free(s->program);
  if (s->archive) tiny_archive_close(s->archive);
  tiny_loader_close(s->loader);
  s->program = NULL; s->archive = NULL; s->loader = NULL;
}

#include "api_calls.h"
enum { NCALLS = sizeof api_calls / sizeof *api_calls };

// ** contexts **

// Kernels that would take long are not run: their steps, loops within loops, are counted first.
static void *fuzz_load(void *dev, tiny_uop *const *list, int n) {
  double at = 1, steps = 0;
  for (int i = 0; i < n; i++) {
    const tiny_uop *u = list[i];
    if (u->op == TINY_OP_RANGE || u->op == TINY_OP_SPECIAL) at *= (double)u->vmax + 1;
    if (u->op == TINY_OP_END) for (uint32_t k = 1; k < u->nsrc; k++) at /= fmax(1, (double)u->src[k]->vmax + 1);
    steps += at;
  }
  if (steps > MOST_WORK) { tiny_fail((tiny_ctx *)dev, TINY_E_DEVICE, "more steps than this fuzzer waits for"); return NULL; }
  return tn_interp_load_uops(dev, list, n);
}
// Sizes out of range are asked for in earnest where they fit: not here.
static void *modest_fn(void *user, void *ptr, size_t old_nbytes, size_t new_nbytes) {
  return new_nbytes > (size_t)1 << 24 ? NULL : memory_fn(user, ptr, old_nbytes, new_nbytes);
}
static void side_open(side *s, const char *device) {
  static tiny_backend bounded;
  tiny_desc d;
  memset(&d, 0, sizeof d);
  bounded = tn_interp_backend;
  bounded.load_uops = fuzz_load;
  d.device = device; d.backends[0] = &bounded; d.cache_dir = ""; d.threads = 1; d.max_nbytes = 1 << 20; d.debug = getenv("FUZZ_DEBUG") ? getenv("FUZZ_DEBUG") : "0";
  d.alloc.fn = modest_fn; d.alloc.user = &s->count;
  s->t = tiny_open(&d);
  FUZZ_CHECK(s->t && tiny_status(s->t) == TINY_OK);
}
// What an input begins with.
static void side_fill(side *s) {
  for (int i = 0; i < SLOTS; i++) {        // f32 (2,2) and one i32 (4) in four
    const float v[4] = {(float)i, 0.5f, -1.25f, 3};
    const int32_t k[4] = {i % 4, 2, 0, 1};
    s->slot[i].x = i % 4 == 3 ? tiny_from(s->t, k, TINY_I32, TINY_SHAPE(4)) : tiny_from(s->t, v, TINY_F32, TINY_SHAPE(2, 2));
    s->slot[i].nodes = 1; s->slot[i].tainted = 0;
  }
  s->next = 0;
}
static void side_usable(tiny_ctx *t) {
  int32_t got[4] = {0};
  const int32_t v[4] = {1, -2, 3, 40};
  tiny_tensor *x = tiny_from(t, v, TINY_I32, TINY_SHAPE(4));
  const tiny_code code = tiny_read(tiny_add(x, x), got, sizeof got);
  if (code != TINY_OK) fprintf(stderr, "unusable: %s\n", tiny_error(t));
  FUZZ_CHECK(code == TINY_OK && !tiny_error(t)[0]);
  for (int i = 0; i < 4 && t->device[0]->backend->load_uops == fuzz_load; i++) FUZZ_CHECK(got[i] == 2 * v[i]);
}
// Ends what an input has left, so that the next one finds the context as a new one, but for what it remembers of plans:
// reading the sets of rules takes a hundred times as long as an input.
static void side_clear(side *s) {
  tiny_ctx *t = s->t;
  s->count.fail_at = 0;
  tiny_clear(t);
  owners_end(s);
  tiny_clear(t);
  tiny_begin(t);
  while (t->tensors->depth) { tiny_end(t); tiny_clear(t); }
  while (t->tensors->kept) tiny_free(tn_handle(t->tensors->kept));
  t->tensors->random = 0;
  t->seed = 0;
  memset(s->slot, 0, sizeof s->slot);
  memset(s->input, 0, sizeof s->input);
  s->inputs = 0;
  memset(&s->plateau, 0, sizeof s->plateau);
  tiny_begin(t);
  side_usable(t);
  FUZZ_CHECK(tiny_end(t) == TINY_OK);
}
static void side_close(side *s) {
  tiny_close(s->t);
  FUZZ_CHECK(s->count.live == 0 && s->count.wrong == 0);
  memset(s, 0, sizeof *s);
}

// ** how far what is read may be from the reference **

// most: no element is larger; err: 0 exact, infinity: nothing can be said (a comparison of what is inexact).
typedef struct bound { double most, err; } bound;
typedef struct bound_call { tiny_uop *root; bound out; } bound_call;

static double node_nelem(const tiny_uop *u) { return (double)tn_dims_nelem(u->ndim, u->dim); }
static bound bound_leaf(const tiny_uop *u) {
  const bound unknown = {HUGE_VAL, 0};
  bound b = {0, 0};
  const tn_storage *s = (const tn_storage *)u->ptr;
  const int nb = tn_dtypes[u->dtype].nbytes;
  if (u->op != TINY_OP_BUFFER || !s || !s->mem || tn_bits(u->dtype) == 0 || u->v[0] > 512) return unknown;
  for (int64_t i = 0; i < u->v[0]; i++) {
    const double x = tn_to_f64(tn_dtype_convert(TINY_F64, u->dtype, tn_dtype_load(u->dtype, (const char *)s->mem + i * nb)));
    if (x != x) return unknown;
    b.most = fmax(b.most, fabs(x));
  }
  return b;
}
static bound bound_float(const tiny_uop *u, const bound *s, double eps) {
  bound b = {HUGE_VAL, HUGE_VAL};
  const double n = u->nsrc ? node_nelem(u->src[0]) / fmax(1, node_nelem(u)) : 1;
  switch (u->op) {
    case TINY_OP_CONST: b.most = fabs(tn_to_f64(u->k)); b.err = 0; break;
    case TINY_OP_BUFFER: return bound_leaf(u);
    case TINY_OP_RESHAPE: case TINY_OP_PERMUTE: case TINY_OP_EXPAND: case TINY_OP_PAD: case TINY_OP_SHRINK: case TINY_OP_FLIP:
    case TINY_OP_VIEW: case TINY_OP_CONTIGUOUS: case TINY_OP_DETACH: case TINY_OP_NEG: return s[0];
    case TINY_OP_SCALAR: b.err = 0; break;
    case TINY_OP_MAX: b.most = fmax(s[0].most, s[1].most); b.err = fmax(s[0].err, s[1].err); break;
    case TINY_OP_WHERE: if (s[0].err == 0) { b.most = fmax(s[1].most, s[2].most); b.err = fmax(s[1].err, s[2].err); } break;
    case TINY_OP_ADD: case TINY_OP_SUB: b.most = s[0].most + s[1].most; b.err = s[0].err + s[1].err + eps * b.most; break;
    case TINY_OP_MUL: b.most = s[0].most * s[1].most; b.err = s[0].most * s[1].err + s[1].most * s[0].err + s[0].err * s[1].err + eps * b.most; break;
    case TINY_OP_CAST: b.most = s[0].most; b.err = s[0].err + eps * b.most; break;
    case TINY_OP_SIN: b.most = 1; b.err = s[0].err + 8 * eps * (1 + s[0].most); break;
    case TINY_OP_REDUCE:
      if ((u->k & 0xFF) == TINY_OP_MAX && n >= 1) return s[0];
      if ((u->k & 0xFF) == TINY_OP_ADD) { b.most = n * s[0].most; b.err = n * s[0].err + n * eps * b.most; }
      break;
    default: break;
  }
  return b;
}
static bound bound_node(const tiny_uop *u, const bound *s) {
  static const double largest[TINY_DTYPE_COUNT] = {[TINY_F8E4M3] = 448, [TINY_F8E5M2] = 57344, [TINY_F16] = 65504, [TINY_BF16] = 3e38,
                                                   [TINY_F32] = 3e38, [TINY_F64] = 1e308};
  bound b = {0, 0};
  if (!tn_is_float(u->dtype)) {
    b.most = fmax(fabs((double)u->vmin), fabs((double)u->vmax));
    for (uint32_t i = 0; i < u->nsrc; i++) b.err += s[i].err;
    if (b.err != 0) b.err = HUGE_VAL;
    return b;
  }
  const double eps = ldexp(4, -1 - tn_dtypes[u->dtype].mantissa);
  b = bound_float(u, s, eps);
  // what is only moved or chosen is exact, whatever it is
  if (b.err == 0) return b;
  if (!(b.err < HUGE_VAL) || !(b.most < largest[u->dtype] / 2)) b.err = b.most = HUGE_VAL;
  else b.err += u->dtype == TINY_F64 ? 1e-300 : tn_is_narrow(u->dtype) ? eps / 64 : 1e-37;
  return b;
}
static tiny_code bound_guarded(tiny_ctx *t, void *arg) {
  enum { MOST = 512 };
  static bound all[MOST];
  bound s[4];
  bound_call *c = (bound_call *)arg;
  tn_list list = {NULL, 0, 0};
  c->out.most = c->out.err = HUGE_VAL;
  tn_toposort(t, c->root, &list);
  if (list.n > MOST) return TINY_OK;
  for (int i = 0; i < list.n; i++) {
    const tiny_uop *u = list.u[i];
    for (uint32_t k = 0; k < u->nsrc && k < 4; k++)
      for (int j = 0; j < i; j++) if (list.u[j] == u->src[k]) s[k] = all[j];
    const bound unknown = {HUGE_VAL, HUGE_VAL};
    all[i] = u->nsrc <= 4 ? bound_node(u, s) : unknown;
  }
  // what was computed from the caller's memory keeps its value; the reference looks at the memory as it is now
  for (int i = 0; i < list.n; i++) {
    const tn_storage *memory = list.u[i]->op == TINY_OP_BUFFER ? (const tn_storage *)list.u[i]->ptr : NULL;
    for (int k = i; memory && memory->borrowed && k < list.n; k++) if (list.u[k]->realized) return TINY_OK;
  }
  if (list.n) c->out = all[list.n - 1];
  return TINY_OK;
}
static double bound_of(tiny_ctx *t, tiny_uop *u) {
  bound_call c = {u, {HUGE_VAL, HUGE_VAL}};
  tn_guard(t, bound_guarded, &c);
  return c.out.err;
}
static int same_within(int dtype, const unsigned char *got, const unsigned char *want, int64_t n, double err) {
  for (int64_t i = 0; i < n; i++) {
    const int nb = tn_dtypes[dtype].nbytes;
    const int64_t x = tn_dtype_load(dtype, got + i * nb), y = tn_dtype_load(dtype, want + i * nb);
    if (x == y) continue;
    const double p = tn_to_f64(x), q = tn_to_f64(y);
    if (tn_is_float(dtype) && (p == q || (p != p && q != q) || fabs(p - q) <= 3 * err)) continue;
    fprintf(stderr, "element %lld: got %.17g, the reference says %.17g, within %g\n", (long long)i,
            tn_is_float(dtype) ? p : (double)x, tn_is_float(dtype) ? q : (double)y, 3 * err);
    return 0;
  }
  return 1;
}

// What is read is what the reference says, before and after.
static void check_read(world *w, slot *one) {
  tiny_tensor *x = one->x;
  if (!tiny_ok(x) || one->tainted || w->t != w->side[0].t) return;
  const int dtype = tiny_dtype_of(x);
  const size_t nbytes = (size_t)tiny_nelem_of(x) * tiny_dtype_nbytes((tiny_dtype)dtype);
  if (nbytes > sizeof w->got) return;
  tiny_clear(w->t);
  const double err = bound_of(w->t, tn_uop_of(x));
  const tiny_code code = tiny_reference(x, w->want, nbytes);
  tiny_clear(w->t);
  if (tiny_read(x, w->got, nbytes) != TINY_OK || code != TINY_OK) return;
  one->nodes = 1;
  if (err == HUGE_VAL) return;
  const int same = same_within(dtype, w->got, w->want, tiny_nelem_of(x), err);
  FUZZ_CHECK(same);
  FUZZ_CHECK(tiny_reference(x, w->want, nbytes) != TINY_OK || same_within(dtype, w->got, w->want, tiny_nelem_of(x), err));
}

// ** a call, and what holds after it **

static void keep_result(world *w, tiny_tensor *x) {
  if (!tiny_ok(x)) return;
  side *s = tiny_ctx_of(x) == w->side[0].t ? &w->side[0] : &w->side[1];
  const int64_t n = tiny_nelem_of(x);
  for (int i = 0; i < SLOTS; i++) if (s->slot[i].x == x) return;
  for (int i = 0; i < MODELS; i++) if (w->model[i].x == x) return;
  if (w->nodes > MOST_NODES && !w->huge) { tiny_free(x); return; }
  slot *one = &s->slot[s->next++ % SLOTS];
  tiny_free(one->x);
  one->x = x; one->nodes = w->nodes < 1 << 20 ? w->nodes + 1 : 1 << 20; one->tainted = w->huge || n > 8 * MOST_ELEMENTS;
}
static void call_begin(world *w) {
  for (int i = 0; i < 2; i++) tiny_clear(w->side[i].t);
  w->kind = NOTHING; w->tensor = NULL; w->pointer = NULL; w->code = TINY_OK;
  w->strange = w->huge = w->nodes = w->foreign = 0;
  for (int i = 0; i < ROOM; i++) w->out[i][0] = NULL;
}
static void call_end(world *w, uint64_t nodes) {
  int failed = 0;
  for (int i = 0; i < 2; i++) {
    tiny_ctx *t = w->side[i].t;
    const tiny_code code = tiny_status(t);
    if (code == TINY_E_INTERNAL) fprintf(stderr, "%s\n", tiny_error(t));
    FUZZ_CHECK((unsigned)code <= TINY_E_INTERNAL && code != TINY_E_INTERNAL);
    FUZZ_CHECK((code != TINY_OK) == (tiny_error(t)[0] != 0));
    failed |= code != TINY_OK;
  }
  if (w->kind == TENSOR && w->tensor && !tiny_ok(w->tensor) && !w->strange) FUZZ_CHECK(failed);
  const uint64_t now = tiny_stats_of(w->t).nodes;
  w->nodes += now > nodes ? (int)(now - nodes) : 1;
  for (int i = 0; i < 2; i++) {
    tiny_clear(w->side[i].t);
    FUZZ_CHECK(tiny_status(w->side[i].t) == TINY_OK && !tiny_error(w->side[i].t)[0]);
  }
  if (w->kind == TENSOR) keep_result(w, w->tensor);
  for (int i = 0; i < ROOM; i++) for (int k = 0; k < ROOM && w->out[i][k]; k++) { keep_result(w, w->out[i][k]); w->out[i][k] = NULL; }
}
static void say(const world *w, const char *name) {
  if (getenv("FUZZ_LOUD")) fprintf(stderr, "%d %s\n", w->t == w->side[1].t, name);
}
static void call_from_table(world *w) {
  // what reads or writes as much of the caller's memory as it is told to is an action
  static const char *const other[] = {"tiny_from", "tiny_blob", "tiny_read", "tiny_write", "tiny_reference", "tiny_load_npy_from", "tiny_archive_from"};
  const struct api_call *c = &api_calls[(byte_of(w) << 8 | byte_of(w)) % NCALLS];
  for (size_t i = 0; i < sizeof other / sizeof *other; i++) if (!strcmp(c->name, other[i])) return;
  say(w, c->name);
  if (!strcmp(c->name, "tiny_begin") && w->t->tensors->depth > 4) return;
  c->call(w);
}

// ** models: i32 tensors beside plain arrays **

static void model_drop(model *m) {
  tiny_free(m->x);
  if (m->of && !--m->of->refs) free(m->of);
  m->x = NULL; m->of = NULL;
}
static model *model_new(world *w, tiny_tensor *x, cells *of, int n) {
  model *m = &w->model[below(w, MODELS)];
  of->refs++;
  model_drop(m);
  m->x = tiny_keep(x); m->of = of; m->n = n;
  if (!tiny_ok(m->x)) { model_drop(m); return NULL; }
  return m;
}
static model *model_any(world *w) {
  model *m = &w->model[below(w, MODELS)];
  for (int i = 0; i < MODELS && !m->x; i++) m = &w->model[i];
  return m->x ? m : NULL;
}
static void model_cells(world *w, int32_t *v) { for (int i = 0; i < CELLS; i++) v[i] = byte_of(w) - 100; }
static void model_from(world *w) {
  const int cols = 1 + below(w, 6), rows = 1 + below(w, CELLS / 6);
  cells *c = (cells *)calloc(1, sizeof *c);
  model_cells(w, c->v);
  model *m = model_new(w, tiny_from(w->t, c->v, TINY_I32, TINY_SHAPE(rows, cols)), c, rows * cols);
  for (int i = 0; m && i < m->n; i++) m->at[i] = i;
}
static void model_read(world *w, model *m) {
  int32_t got[CELLS];
  tiny_clear(w->t);
  if (tiny_read(m->x, got, (size_t)m->n * 4) != TINY_OK) return;
  for (int i = 0; i < m->n; i++) {
    if (got[i] != m->of->v[m->at[i]]) fprintf(stderr, "a model: element %d is %d, and should be %d\n", i, got[i], m->of->v[m->at[i]]);
    FUZZ_CHECK(got[i] == m->of->v[m->at[i]]);
  }
}
// Rows and columns from..to, perhaps turned around and across: a view of the same memory.
static void model_view(world *w, model *m) {
  const tiny_shape s = tiny_shape_of(m->x);
  const int rows = (int)s.dim[0], cols = (int)s.dim[1], r0 = below(w, rows), c0 = below(w, cols), how = below(w, 4);
  const int nr = 1 + below(w, rows - r0), nc = 1 + below(w, cols - c0), across = how & 1, flip = how >> 1;
  const model was = *m;
  tiny_tensor *x = tiny_shrink(was.x, TINY_SHAPE(r0, r0 + nr, c0, c0 + nc));
  if (flip) x = tiny_flip(x, TINY_SHAPE(1));
  if (across) x = tiny_permute(x, TINY_SHAPE(1, 0));
  model *v = model_new(w, x, was.of, nr * nc);
  for (int i = 0; v && i < v->n; i++) {
    int r = across ? i % nr : i / nc, c = across ? i / nr : i % nc;
    if (flip) c = nc - 1 - c;
    v->at[i] = was.at[(r0 + r) * cols + c0 + c];
  }
}
static void model_cat(world *w, model *a, model *b) {
  const tiny_shape s = tiny_shape_of(a->x), r = tiny_shape_of(b->x);
  tiny_tensor *const xs[2] = {a->x, b->x};
  tiny_tensor *x = tiny_cat(xs, 2, 0);
  FUZZ_CHECK(tiny_ok(x) == (s.dim[1] == r.dim[1]) || tiny_status(w->t) == TINY_E_MEMORY);
  if (!tiny_ok(x) || a->n + b->n > CELLS) { tiny_free(x); return; }
  cells *c = (cells *)calloc(1, sizeof *c);
  for (int i = 0; i < a->n; i++) c->v[i] = a->of->v[a->at[i]];
  for (int i = 0; i < b->n; i++) c->v[a->n + i] = b->of->v[b->at[i]];
  model *m = model_new(w, x, c, a->n + b->n);
  for (int i = 0; m && i < m->n; i++) m->at[i] = i;
}
// Other tensors over the memory of m are no longer told apart from what was built of it: they are left.
static void model_alone(world *w, const model *m) {
  for (int i = 0; i < MODELS; i++) if (&w->model[i] != m && w->model[i].of == m->of) model_drop(&w->model[i]);
}
static void model_set(model *m, const int32_t *v) { for (int i = 0; i < m->n; i++) m->of->v[m->at[i]] = v[i]; }
static void model_write(world *w, model *m) {
  int32_t v[CELLS];
  model_cells(w, v);
  model_alone(w, m);
  tiny_clear(w->t);
  if (tiny_write(m->x, v, (size_t)m->n * 4) != TINY_OK) { model_drop(m); return; }
  model_set(m, v);
}
static void model_assign(world *w, model *m, model *value) {
  int32_t v[CELLS];
  const tiny_shape s = tiny_shape_of(m->x), r = tiny_shape_of(value->x);
  const int fits = !memcmp(&s, &r, sizeof s);
  tiny_tensor *x = fits ? value->x : tiny_full(w->t, byte_of(w) - 128, TINY_I32, TINY_SHAPE());
  for (int i = 0; i < m->n; i++) v[i] = fits ? value->of->v[value->at[i]] : w->data[w->at - (w->at > 0)] - 128;
  if (!fits && w->at >= w->n) return;
  tiny_clear(w->t);
  if (tiny_assign(m->x, x) != m->x || tiny_status(w->t) != TINY_OK) { model_drop(m); return; }
  model_alone(w, m);
  model_set(m, v);
}

// ** actions **

enum { ACTIONS = 64 };
typedef tiny_tensor *(*unary)(tiny_tensor *x);
typedef tiny_tensor *(*binary)(tiny_tensor *a, tiny_tensor *b);
static void act_from(world *w) {
  const tiny_dtype dtype = (tiny_dtype)number_of(w, TINY_F32);
  tiny_shape s = the_shape(w, 0);
  for (int i = 0; i < 64; i++) w->bytes[i] = (unsigned char)byte_of(w);
  if (dtype == TINY_F32) for (int i = 0; i < 64; i++) { const float v = (float)(w->bytes[i] - 128) / 8; memcpy(w->bytes + i * 4, &v, 4); }
  if (dtype == TINY_BOOL) for (int i = 0; i < 64; i++) w->bytes[i] &= 1;
  if (w->huge && s.ndim == 2 && s.dim[0] == 70000) return;   // would be read
  give_tensor(w, tiny_from(w->t, w->bytes, dtype, s));
}
static void act_binary(world *w) {
  static const binary f[] = {tiny_add, tiny_sub, tiny_mul, tiny_maximum, tiny_matmul, tiny_div, tiny_lt, tiny_pow};
  const int k = below(w, 8);
  tiny_tensor *a = handle_of(w);
  give_tensor(w, f[k](a, handle_of(w)));
}
static void act_unary(world *w) {
  static const unary f[] = {tiny_neg, tiny_relu, tiny_tanh, tiny_exp, tiny_square, tiny_abs, tiny_sin, tiny_sqrt, tiny_clone, tiny_detach};
  const int k = below(w, 10);
  give_tensor(w, f[k](handle_of(w)));
}
static void act_reduce(world *w) {
  static tiny_tensor *(*const f[])(tiny_tensor *x, int axis, int keepdim) = {tiny_sum, tiny_amax, tiny_mean};
  const int k = below(w, 3), axis = (int)number_of(w, TINY_ALL);
  tiny_tensor *x = handle_of(w);
  give_tensor(w, f[k](x, axis, below(w, 2)));
}
static void act_move(world *w) {
  static tiny_tensor *(*const f[])(tiny_tensor *x, tiny_shape s) = {tiny_reshape, tiny_permute, tiny_expand, tiny_flip, tiny_shrink};
  const int k = below(w, 7);
  tiny_tensor *x = handle_of(w);
  if (k == 5) { give_tensor(w, tiny_slice(x, (int)number_of(w, 0), number_of(w, 0), number_of(w, 2), number_of(w, 1))); return; }
  if (k == 6) { give_tensor(w, tiny_pad(x, the_shape(w, 0), double_of(w, 1))); return; }
  tiny_shape s = tiny_shape_of(x);
  if (below(w, 2)) s = the_shape(w, 0);
  else if (k == 1) for (int i = 0; i < s.ndim; i++) s.dim[i] = s.ndim - 1 - i;
  else if (k == 0) { for (int i = 1; i < s.ndim; i++) s.dim[0] *= s.dim[i]; s.ndim = s.ndim > 0; }
  else if (k == 3) { s.ndim = s.ndim > 0; s.dim[0] = 0; }
  else if (k == 4) { for (int i = s.ndim; i-- > 0 && i < 8;) { s.dim[2 * i + 1] = s.dim[i]; s.dim[2 * i] = s.dim[i] > 1; } s.ndim = s.ndim * 2; }
  give_tensor(w, f[k](x, s));
}
static void act_cat(world *w) { tiny_tensor **xs = list_of(w, 0); give_tensor(w, tiny_cat(xs, count_of(w), (int)number_of(w, 0))); }
static void act_assign(world *w) { tiny_tensor *x = handle_of(w); give_tensor(w, tiny_assign(x, handle_of(w))); }
static size_t size_of(world *w, tiny_tensor *x) {
  const int b = byte_of(w);
  const int64_t n = tiny_nelem_of(x);
  if (b >= 240) { w->strange = 1; return b == 240 ? 0 : (size_t)b; }
  return n < 512 ? (size_t)n * tiny_dtype_nbytes(tiny_dtype_of(x)) : 4095;
}
static void act_write(world *w) {
  tiny_tensor *x = handle_of(w);
  for (int i = 0; i < 8; i++) w->bytes[i] = (unsigned char)byte_of(w);
  give_code(w, tiny_write(x, w->bytes, size_of(w, x)));
}
static void act_read(world *w) { tiny_tensor *x = handle_of(w); give_code(w, tiny_read(x, w->got, size_of(w, x))); }
static void act_check(world *w) {
  side *s = w->s;
  const int b = byte_of(w);
  check_read(w, b < SLOTS ? &s->slot[b] : &s->slot[(s->next + 2 * SLOTS - 1 - b % 4) % SLOTS]);
}
static void act_reference(world *w) {
  tiny_tensor *x = handle_of(w);
  if (!w->huge) give_code(w, tiny_reference(x, w->want, size_of(w, x)));
}
// The gradients of a sum by two tensors, and a step with them where asked.
static void act_grad(world *w) {
  tiny_tensor *x = handle_of(w), **params = list_of(w, 0), *grads[2] = {NULL, NULL};
  const int n = count_of(w);
  give_code(w, tiny_grad(below(w, 4) ? tiny_sum(tiny_cast(x, TINY_F32), TINY_ALL, 0) : x, params, n, grads));
  if (w->code == TINY_OK && n > 0 && below(w, 2)) give_code(w, tiny_optim_step(the_optim(w), params, grads, n));
  else for (int i = 0; i < 2; i++) w->out[0][i] = grads[i];
}
static void act_capture(world *w) {
  side *s = w->s;
  tiny_tensor **in = list_of(w, 0), **out = list_of(w, 2);
  const int n = count_of(w), m = count_of(w);
  if (s->program) tiny_program_free(s->program);
  s->program = tiny_capture(w->t, in, n, out, m);
  if (s->program) FUZZ_CHECK(n >= 0 && m >= 0);
  // the frame's assignments are the program's now, and happen when it runs
  if (s->program && s == &w->side[0]) for (int i = 0; i < MODELS; i++) model_drop(&w->model[i]);
  s->inputs = s->program ? n : 0;
  for (int i = 0; i < 2; i++) s->input[i] = in[i];
}
static void act_run(world *w) {
  side *s = w->s;
  tiny_tensor **in = byte_of(w) < 128 ? s->input : list_of(w, 0);
  if (s->program) give_code(w, tiny_run(s->program, in, w->out[0]));
  if (w->code == TINY_OK) return;
  for (int i = 0; i < 2; i++) FUZZ_CHECK(!w->out[0][i] || !tiny_ok(w->out[0][i]));
}
static void act_program_free(world *w) { tiny_program_free(w->s->program); w->s->program = NULL; }
// Memory of the host, written between, behind its back.
static void act_blob(world *w) {
  const int k = below(w, 4);
  const tiny_dtype dtype = (tiny_dtype)number_of(w, TINY_F32);
  const tiny_shape s = the_shape(w, 0);
  if (w->huge) return;
  int64_t strides[TINY_MAX_DIMS] = {0};
  for (int i = 0; i < s.ndim; i++) strides[i] = below(w, 4) - (below(w, 4) == 0);
  int64_t low = 0;                         // what negative strides reach back to is memory as well: in the middle
  for (int i = 0; i < s.ndim; i++) low += strides[i] < 0 ? -strides[i] * s.dim[i] : 0;
  const int plain = below(w, 2);
  if (!plain && low * 8 + 200 > 256) return;
  give_tensor(w, tiny_blob(w->t, w->host[k] + (plain ? 0 : 256), dtype, s, plain ? NULL : strides));
}
static void act_host(world *w) {
  const int k = below(w, 4), at = byte_of(w);
  for (int i = 0; i < 4; i++) w->host[k][at + i * 2] = (unsigned char)byte_of(w) & 1;
}
static void act_scalar(world *w) { give_tensor(w, tiny_scalar(w->t, double_of(w, 0.5), (tiny_dtype)number_of(w, TINY_F32))); }
static void act_random(world *w) {
  const int k = below(w, 3);
  if (k == 2) { tiny_seed(w->t, (uint64_t)byte_of(w)); return; }
  const tiny_shape s = the_shape(w, 0);
  give_tensor(w, k ? tiny_rand(w->t, s) : tiny_randn(w->t, s));
}
static void act_begin(world *w) { if (w->t->tensors->depth < 5) tiny_begin(w->t); }
static void act_end(world *w) { give_code(w, tiny_end(w->t)); w->strange = 1; }
static void act_keep(world *w) { give_tensor(w, tiny_keep(handle_of(w))); }
static void act_free(world *w) { tiny_free(handle_of(w)); }
static void act_realize(world *w) { tiny_tensor **xs = list_of(w, 0); give_code(w, tiny_realize(xs, count_of(w))); }
static void act_other(world *w) {
  w->s = &w->side[w->s == w->side];
  w->t = w->s->t;
}
static void act_refuse(world *w) { w->s->count.fail_at = w->s->count.calls + 1 + byte_of(w); }
// Saved into memory and loaded again: the same.
static void act_archive(world *w) {
  static fuzz_bytes b;
  tiny_tensor *x = handle_of(w);
  tiny_save_desc d;
  if (w->huge || tiny_nelem_of(x) > 512) return;
  memset(&d, 0, sizeof d);
  d.names = the_names; d.tensors = &x; d.n = 1; d.format = below(w, 2) ? "npz" : "safetensors";
  b.n = 0;
  d.writer.fn = fuzz_write; d.writer.user = &b;
  give_code(w, tiny_save_as(&d));
  if (w->code != TINY_OK || w->foreign) return;
  w->s->count.fail_at = 0;                 // what is compared is not refused
  tiny_archive *a = tiny_archive_from(w->t, b.data, b.n);
  tiny_tensor *y = a ? tiny_archive_get(a, "a") : NULL;
  if (tiny_ok(y) && w->t == w->side[0].t) fuzz_same(x, y);
  if (a) tiny_archive_close(a);
  give_tensor(w, y);
}
static void act_bytes(world *w) {
  const size_t n = (size_t)byte_of(w);
  for (size_t i = 0; i < n; i++) w->bytes[i] = (unsigned char)byte_of(w);
  give_tensor(w, tiny_load_npy_from(w->t, w->bytes, n));
}
static void act_model(world *w) {
  const int k = below(w, 8);
  if (w->t != w->side[0].t) return;
  model *a = model_any(w), *b = model_any(w);
  if (!a || k < 2) { model_from(w); return; }
  switch (k) {
    case 2: model_view(w, a); break;
    case 3: model_cat(w, a, b); break;
    case 4: model_write(w, a); break;
    case 5: model_assign(w, a, b); break;
    default: model_read(w, a);
  }
}
#define A(name) {#name, act_##name}
static const struct { const char *name; void (*fn)(world *w); } actions[] = {
  A(from), A(binary), A(unary), A(reduce), A(move), A(cat), A(assign), A(write), A(read), A(check), A(reference),
  A(grad), A(capture), A(run), A(program_free), A(blob), A(host), A(scalar), A(random), A(begin), A(end), A(keep),
  A(free), A(realize), A(other), A(refuse), A(archive), A(bytes), A(model), A(model), A(binary), A(unary),
};
#undef A
enum { NACTIONS = sizeof actions / sizeof *actions };

static void act(world *w, int i) {
  say(w, actions[i].name);
  actions[i].fn(w);
}

// ** inputs **

static void count_call(void) {
  if (!fuzz_calls++) fuzz_most = getenv("FUZZ_CALLS") ? strtoull(getenv("FUZZ_CALLS"), NULL, 10) : 0;
  if (!(fuzz_calls & ((1 << 20) - 1))) fprintf(stderr, "%llu calls\n", fuzz_calls);
}
static uint64_t plans_of(const world *w) {
  uint64_t n = 0;
  for (int i = 0; i < 2; i++) { const tiny_stats s = tiny_stats_of(w->side[i].t); n += s.schedules + s.compiled; }
  return n;
}
// A new world of the two contexts: those of the last input, or after INPUTS of them new ones.
static void world_begin(world *w, const uint8_t *data, size_t nbytes) {
  static int inputs;
  const side a = w->side[0], b = w->side[1];
  memset(w, 0, sizeof *w);
  w->side[0] = a; w->side[1] = b;
  w->data = data; w->n = nbytes;
  if (inputs++ % INPUTS == 0) {
    for (int i = 0; i < 2; i++) if (w->side[i].t) side_close(&w->side[i]);
    side_open(&w->side[0], "INTERP");
    side_open(&w->side[1], "NULL");
  }
  for (int i = 0; i < 2; i++) side_fill(&w->side[i]);
  w->s = &w->side[0]; w->t = w->s->t;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes) {
  static world w;
  world_begin(&w, data, nbytes);
  const uint64_t plans = plans_of(&w);
  for (int i = 0; i < MOST_CALLS && w.at < w.n && plans_of(&w) - plans < MOST_PLANS; i++) {
    call_begin(&w);
    const uint64_t nodes = tiny_stats_of(w.t).nodes;
    const int b = byte_of(&w);
    if (b < ACTIONS) act(&w, b % NACTIONS); else call_from_table(&w);
    count_call();
    call_end(&w, nodes);
  }
  for (int i = 0; i < MODELS; i++) { if (w.model[i].x) model_read(&w, &w.model[i]); model_drop(&w.model[i]); }
  for (int i = 0; i < 2; i++) side_clear(&w.side[i]);
  if (fuzz_most && fuzz_calls >= fuzz_most) {
    fprintf(stderr, "%llu calls, as many as were asked for\n", fuzz_calls);
    _Exit(0);                              // libFuzzer takes an exit for a finding
  }
  return 0;
}
