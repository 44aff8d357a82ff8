// brief: plain asan
// test_amd_lists: lists of kernels as text, at the edges of what the generator for AMD's GPUs (src/isa/amd_generate.c)
// takes: each runs on the emulator for three GPUs and gives what the interpreter gives, bit for bit.
//
//   TEST_AMD=gfx942            that GPU alone.
//   TEST_AMD_SEED=7            the order of groups and waves.
//   TEST_ROUNDS=n, TEST_FROM=n so many lists that are changed at random, from that one on, and nothing else; of some
//                              the interpreter does not see that items race.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include "../src/all.c"
#include <pthread.h>
#include "amd_device.h"
#include "test.h"
#include "memory_test.h"

enum { PARAMS = 128, ROOM = 32768, TEXT = 1 << 21 };         // memories of a kernel; bytes of each; of a text
static const char *const gpus[] = {"gfx1100", "gfx1201", "gfx942"};

// What a kernel is given. may: it may be refused; tolerance: of floats, relative
typedef struct subject {
  const char *name, *text; int64_t local[3], global[3], arg[4]; int nargs, may; double tolerance;
} subject;
typedef struct trial {
  const subject *s; const char *gpu; tiny_listing k; char *want[PARAMS]; int nmem, dtype[PARAMS]; tiny_bytes object;
  const char *why; memory_count *memory; long nth;           // the nth allocation from the generator's first on fails
} trial;

static int quietly;                        // lists that may be none at all
static int same, none, refused;

// ** memory: small numbers of the dtype, of both signs **

static void fill(char *at, int dtype, int which) {
  const int nb = tn_dtypes[dtype].nbytes;
  for (int i = 0; i < ROOM / nb; i++) {
    const int n = (i * 37 + which * 11) % 97 - 31;
    const double v = dtype == TINY_BOOL ? n & 1 : n;
    const int64_t f = tn_is_float(dtype) ? tn_dtype_convert(dtype, TINY_F64, tn_from_f64(v / 4)) :
                                           tn_dtype_convert(dtype, TINY_I64, (int64_t)v);
    tn_dtype_store(dtype, at + i * nb, f);
  }
}
// The first element that is apart, -1: none.
static int apart(int dtype, const char *a, const char *b, double tolerance) {
  const int nb = tn_dtypes[dtype].nbytes;
  for (int i = 0; i < ROOM / nb; i++) {
    if (!memcmp(a + i * nb, b + i * nb, (size_t)nb)) continue;
    if (!tn_is_float(dtype)) return i;
    const double x = tn_to_f64(tn_dtype_convert(TINY_F64, dtype, tn_dtype_load(dtype, a + i * nb))),
                 y = tn_to_f64(tn_dtype_convert(TINY_F64, dtype, tn_dtype_load(dtype, b + i * nb)));
    if (!(x != x && y != y) && !(fabs(x - y) <= tolerance * fabs(y))) return i;
  }
  return -1;
}

// ** a text becomes a list, the interpreter's results, and a code object **

static void constants_first(tiny_ctx *t, tn_list *list) {
  tiny_uop **was = (tiny_uop **)tn_scratch(t, (size_t)list->n * sizeof *was);
  int n = 0;
  memcpy(was, list->u, (size_t)list->n * sizeof *was);
  for (int rest = 0; rest < 2; rest++) for (int i = 0; i < list->n; i++)
    if ((was[i]->op != TINY_OP_CONST) == rest) list->u[n++] = was[i];
}
static void launch_of(const trial *r, tiny_launch *l, tiny_mem *mem) {
  memset(l, 0, sizeof *l);
  for (int k = 0; k < 3; k++) {
    l->local[k] = r->s->local[k] ? r->s->local[k] : 1;
    l->global[k] = r->s->global[k] ? r->s->global[k] : 1;
  }
  l->mem = mem; l->nmem = r->nmem;
  l->args = r->s->arg; l->nargs = r->s->nargs;
}
static tiny_code interpret(tiny_ctx *t, trial *r, tn_list *list) {
  tiny_mem mem[PARAMS];
  tiny_launch l;
  memset(mem, 0, sizeof mem);
  for (int i = 0; i < list->n; i++) {
    const tiny_uop *u = list->u[i];
    if (u->op != TINY_OP_PARAM || u->k >= PARAMS) continue;
    if (quietly && (u->v[0] > ROOM || u->v[0] * u->lanes * tn_dtypes[u->dtype].nbytes > ROOM))
      return tiny_fail(t, TINY_E_ARG, "there is no such memory");
    r->dtype[u->k] = u->dtype;
    if (u->k >= r->nmem) r->nmem = (int)u->k + 1;
  }
  for (int i = 0; i < r->nmem; i++) {
    if (!r->dtype[i]) r->dtype[i] = TINY_I32;
    r->want[i] = (char *)malloc(ROOM);
    fill(r->want[i], r->dtype[i], i);
    mem[i].base = r->want[i];
  }
  launch_of(r, &l, mem);
  void *module = tn_interp_backend.load_uops(t, list->u, list->n);
  if (!module) return t->code;
  l.kernel = module;
  const tiny_code code = tn_interp_backend.launch(t, &l);
  tn_interp_backend.unload(t, module);
  return code;
}
static tiny_code make(tiny_ctx *t, void *arg) {
  trial *r = (trial *)arg;
  tn_list list = {NULL, 0, 0};
  tiny_renderer target;
  tiny_rendered one;
  tiny_bytes kernel = {t, NULL, 0, 0};
  if (!tn_parse(t, r->s->text, &list)) return t->code;
  constants_first(t, &list);
  if (tn_verify_list(t, list.u, list.n) != TINY_OK || !tn_lang_amd(&target, r->gpu)) return t->code;
  if (interpret(t, r, &list) != TINY_OK) return t->code;
  if (tn_target_check(t, &target, list.u, list.n) != TINY_OK) { r->why = "the target has none"; return t->code; }
  int64_t local[3];
  for (int k = 0; k < 3; k++) local[k] = r->s->local[k] ? r->s->local[k] : 1;
  const uint8_t *hints = (const uint8_t *)tn_scratch(t, (size_t)list.n + 1);
  const tiny_listing k = {"one", list.u, list.n, hints, local, 0};
  if (r->memory) r->memory->fail_at = r->memory->calls + r->nth;
  r->why = tn_amd_render(t, (const tn_amd_chip *)target.own, &k, &kernel);
  if (r->why || t->code != TINY_OK) return t->code;
  memset(&one, 0, sizeof one);
  one.data = kernel.data; one.n = kernel.n;
  r->object.t = t;
  return tn_amd_bind(t, (const tn_amd_chip *)target.own, &one, 1, &r->object);
}

// ** on the emulator **

// 1: it gives what the interpreter gives. $TEST_AMD is its GPU.
static int emulated(tiny_ctx *t, const trial *r) {
  tiny_limits limits;
  tiny_mem mem[PARAMS];
  tiny_launch l;
  int right = 1;
  memset(&limits, 0, sizeof limits); memset(mem, 0, sizeof mem);
  amd_device *d = (amd_device *)amd_open(t, NULL, &limits);
  amd_module *m = (amd_module *)amd_load_module(d, r->object.data, r->object.n);
  for (int i = 0; i < r->nmem; i++) {
    mem[i].base = amd_alloc(d, ROOM);
    fill((char *)mem[i].base, r->dtype[i], i);
  }
  launch_of(r, &l, mem);
  l.kernel = m ? amd_find_kernel(d, m, "one") : NULL;
  const tiny_code code = m ? amd_launch_kernel(d, &l) : TINY_E_COMPILE;
  if (code != TINY_OK) fprintf(stderr, "%s on %s: %s\n", r->s->name, r->gpu, tiny_error(t));
  right &= code == TINY_OK;
  for (int i = 0; i < r->nmem && code == TINY_OK; i++) {
    const int at = apart(r->dtype[i], (const char *)mem[i].base, r->want[i], r->s->tolerance);
    if (at >= 0) {
      const int nb = tn_dtypes[r->dtype[i]].nbytes;
      fprintf(stderr, "%s on %s: element %d of memory %d is %llx, and should be %llx\n", r->s->name, r->gpu, at, i,
              (unsigned long long)tn_dtype_load(r->dtype[i], (char *)mem[i].base + at * nb),
              (unsigned long long)tn_dtype_load(r->dtype[i], r->want[i] + at * nb));
    }
    right &= at < 0;
  }
  for (int i = 0; i < r->nmem; i++) amd_free_block(d, mem[i].base, ROOM);
  if (m) amd_unload_module(d, m);
  amd_close(d);
  return right;
}
static void try_on(const subject *s, const char *gpu) {
  trial r;
  tiny_desc d;
  memset(&r, 0, sizeof r); memset(&d, 0, sizeof d);
  r.s = s; r.gpu = gpu;
  d.device = "INTERP"; d.cache_dir = ""; d.threads = 1; d.debug = "";
  tiny_ctx *t = tiny_open(&d);
  tiny_begin(t);
  const tiny_code code = tn_guard(t, make, &r);
  none += code != TINY_OK && !r.why; refused += r.why != NULL; same += code == TINY_OK && !r.why;
  if (!quietly && ((code != TINY_OK && !r.why) || (r.why && !s->may)))
    fprintf(stderr, "%s on %s: %s %s\n", s->name, gpu, r.why ? r.why : "", tiny_error(t));
  CHECK(quietly || (r.why ? s->may : code == TINY_OK));
  setenv("TEST_AMD", gpu, 1);
  setenv("TEST_AMD_COMPILER", "own", 1);
  if (!r.why && code == TINY_OK) CHECK(emulated(t, &r));
  for (int i = 0; i < r.nmem; i++) free(r.want[i]);
  tiny_end(t);
  tiny_close(t);
}
static void try_all(const subject *s) {
  const char *one = getenv("TEST_LISTS_GPU");
  if (!case_named("%s", s->name)) return;
  if (getenv("TEST_TELL")) fprintf(stderr, "%s\n%s\n", s->name, s->text);
  for (int i = 0; i < 3; i++) if (!one || !strcmp(one, gpus[i])) try_on(s, gpus[i]);
  case_end();
}

// ** texts **

// Of 4 groups of 64 items: x the item among all, s and q elements of p and of b.
#define ITEMS "i = (SPECIAL:i32:item0 64:i32) g = (SPECIAL:i32:group0 4:i32) x = (ADD:i32 (MUL:i32 g 64:i32) i) "
#define HEAD(d) "o = (PARAM:" d ":0 4096) p = (PARAM:" d ":1 4096) b = (PARAM:" d ":2 4096) n = (PARAM:i32:3 4096) " ITEMS \
  "s = (LOAD:" d " (INDEX:" d " p x)) q = (LOAD:" d " (INDEX:" d " b x)) y = (LOAD:i32 (INDEX:i32 n x)) e = (INDEX:" d " o x) "
#define GRID {64, 1, 1}, {4, 1, 1}
#define EVERY(X) X("bool") X("i8") X("u8") X("i16") X("u16") X("i32") X("u32") X("i64") X("u64") X("f16") X("bf16") X("f32") X("f64")
#define NUMBERS(X) X("i8") X("u8") X("i16") X("u16") X("i32") X("u32") X("i64") X("u64") X("f16") X("f32") X("f64")

// what is there otherwise: of the same dtype; of a number; under a mask that is never on; of vectors
#define OTHERWISE(d) \
  {"otherwise of " d, HEAD(d) "(STORE e (LOAD:" d " (INDEX:" d " p (ADD:i32 x (AND:i32 y 63:i32)) (LT:bool y 7:i32)) q))", GRID, {0}, 0, 0, 0}, \
  {"zero otherwise of " d, HEAD(d) "(STORE e (LOAD:" d " (INDEX:" d " p (ADD:i32 x 3:i32) (LT:bool 7:i32 y))))", GRID, {0}, 0, 0, 0}, \
  {"otherwise of " d ", never there", HEAD(d) "(STORE e (LOAD:" d " (INDEX:" d " p x 0:bool) q))", GRID, {0}, 0, 0, 0}, \
  {"otherwise of " d " in LDS", HEAD(d) "l = (DEFINE:" d ":0:local 64) w = (STORE (INDEX:" d " l i) s) z = (BARRIER w) " \
    "(STORE e (LOAD:" d " (INDEX:" d " (AFTER l z) (ADD:i32 i (AND:i32 y 63:i32)) (LT:bool (ADD:i32 i (AND:i32 y 63:i32)) 64:i32)) q))", GRID, {0}, 0, 0, 0}, \
  {"otherwise of four " d, HEAD(d) "v = (LOAD:" d "x4 (INDEX:" d " b (MUL:i32 x 4:i32))) " \
    "(STORE (INDEX:" d " o (MUL:i32 x 4:i32)) (LOAD:" d "x4 (INDEX:" d " p (MUL:i32 x 4:i32) (LT:bool y 7:i32)) v))", GRID, {0}, 0, 0, 0}, \
  {"guarded store of " d, HEAD(d) "(STORE (INDEX:" d " o (ADD:i32 x 5:i32) (LT:bool y 9:i32)) s)", GRID, {0}, 0, 0, 0}, \
  {"guarded LDS store of " d, HEAD(d) "l = (DEFINE:" d ":0:local 128) w = (STORE (INDEX:" d " l i) s) " \
    "w2 = (STORE (INDEX:" d " (AFTER l w) i (LT:bool y 9:i32)) q) (STORE e (LOAD:" d " (INDEX:" d " (AFTER l w2) i)))", GRID, {0}, 0, 0, 0},
static const subject otherwise[] = { EVERY(OTHERWISE) };

// memory in registers: of known elements, of elements that are not, in conditions and loops that lanes leave one by one
#define REGISTERS(d) \
  {"REG of " d ", other elements", HEAD(d) "m = (DEFINE:" d ":0:reg 8) r = (RANGE:i32:1:loop 8:i32) " \
    "w = (STORE (INDEX:" d " m r) (LOAD:" d " (INDEX:" d " p (ADD:i32 (MUL:i32 x 8:i32) r)))) f = (END w r) " \
    "(STORE e (LOAD:" d " (INDEX:" d " (AFTER m f) (AND:i32 y 7:i32))))", GRID, {0}, 0, 0, 0}, \
  {"REG of " d ", backwards", HEAD(d) "m = (DEFINE:" d ":0:reg 8) r = (RANGE:i32:1:loop 8:i32) " \
    "w = (STORE (INDEX:" d " m (SUB:i32 7:i32 r)) (LOAD:" d " (INDEX:" d " p (ADD:i32 x r)))) f = (END w r) " \
    "(STORE e (LOAD:" d " (INDEX:" d " (AFTER m f) (SUB:i32 7:i32 (AND:i32 i 7:i32)))))", GRID, {0}, 0, 0, 0}, \
  {"REG of " d " in a condition", HEAD(d) "m = (DEFINE:" d ":0:reg 1) w = (STORE (INDEX:" d " m 0:i32) s) " \
    "c = (IF (LT:bool y 9:i32)) w2 = (STORE (INDEX:" d " (AFTER m w) 0:i32) q) f = (ENDIF c) " \
    "(STORE e (LOAD:" d " (INDEX:" d " (AFTER m f w2) 0:i32)))", GRID, {0}, 0, 0, 0}, \
  {"REG of four " d, HEAD(d) "m = (DEFINE:" d "x4:0:reg 3) z = (STORE (INDEX:" d " m 1:i32) (LOAD:" d "x4 (INDEX:" d " b x))) " \
    "r = (RANGE:i32:1:loop 5:i32) w = (STORE (INDEX:" d " (AFTER m z r) 1:i32) (LOAD:" d "x4 (INDEX:" d " p (ADD:i32 x r)))) f = (END w r) " \
    "(STORE (INDEX:" d " o (MUL:i32 x 4:i32)) (LOAD:" d "x4 (INDEX:" d " (AFTER m f) 1:i32)))", GRID, {0}, 0, 0, 0}, \
  {"REG of four " d ", other elements", HEAD(d) "m = (DEFINE:" d "x4:0:reg 3) r = (RANGE:i32:1:loop 3:i32) " \
    "w = (STORE (INDEX:" d " m r) (LOAD:" d "x4 (INDEX:" d " p (ADD:i32 x r)))) f = (END w r) " \
    "(STORE (INDEX:" d " o (MUL:i32 x 4:i32)) (LOAD:" d "x4 (INDEX:" d " (AFTER m f) (AND:i32 i 1:i32))))", GRID, {0}, 0, 0, 0},
static const subject registers[] = { EVERY(REGISTERS) };

// vectors in memory, of so many elements, where they are aligned and where not
#define VECTOR(d, n) {"vectors " d "x" n, HEAD(d) "v = (LOAD:" d "x" n " (INDEX:" d " p (MUL:i32 i " n ":i32))) " \
    "u = (LOAD:" d "x" n " (INDEX:" d " b (ADD:i32 i 1:i32))) " \
    "w = (STORE (INDEX:" d " o (MUL:i32 i " n ":i32)) (MAX:" d "x" n " v u)) ", {63, 1, 1}, {1, 1, 1}, {0}, 0, 0, 0}, \
  {"vectors " d "x" n " in LDS", HEAD(d) "l = (DEFINE:" d ":0:local 4200) " \
    "" \
    "w = (STORE (INDEX:" d " l (MUL:i32 i " n ":i32)) (LOAD:" d "x" n " (INDEX:" d " p (MUL:i32 i " n ":i32)))) z = (BARRIER w) " \
    "(STORE (INDEX:" d " o (MUL:i32 i " n ":i32)) (LOAD:" d "x" n " (INDEX:" d " (AFTER l z) (ADD:i32 i 1:i32))))", {50, 1, 1}, {1, 1, 1}, {0}, 0, 0, 0},
#define VECTORS(d) VECTOR(d, "2") VECTOR(d, "3") VECTOR(d, "8") VECTOR(d, "16") VECTOR(d, "64")
static const subject vectors[] = { NUMBERS(VECTORS) };

// atomics, in memory, in LDS, in memory beyond 2 GiB; which chips have none of f64 says so
#define ATOMICS(d, may) {"adds of " d, HEAD(d) "(STORE:k=2 (INDEX:" d " o (AND:i32 y 7:i32)) s)", GRID, {0}, 0, may, 0}, \
  {"adds of " d " in a condition", HEAD(d) "(STORE:k=2 (INDEX:" d " o (AND:i32 y 7:i32) (LT:bool y 9:i32)) s)", GRID, {0}, 0, may, 0}, \
  {"adds of " d " to large memory", "o = (PARAM:" d ":0 4000000000) p = (PARAM:" d ":1 4096) n = (PARAM:i32:2 4096) " ITEMS \
    "y = (LOAD:i32 (INDEX:i32 n x)) (STORE:k=2 (INDEX:" d " o (AND:i32 y 7:i32)) (LOAD:" d " (INDEX:" d " p x)))", GRID, {0}, 0, may, 0},
static const subject atomics[] = { ATOMICS("i32", 0) ATOMICS("u32", 0) ATOMICS("i64", 0) ATOMICS("u64", 0) ATOMICS("f32", 0) ATOMICS("f64", 1) };

#define SHUFFLED(d, k) {"SHUFFLE of " d " by " k, HEAD(d) "(STORE e (SHUFFLE:" d ":k=" k " s))", GRID, {0}, 0, 0, 0}, \
  {"SHUFFLE of " d " by " k ", a number", HEAD(d) "(STORE e (SHUFFLE:" d ":k=" k " (LOAD:" d " (INDEX:" d " p g))))", GRID, {0}, 0, 0, 0},
#define SHUFFLES(d) SHUFFLED(d, "1") SHUFFLED(d, "2") SHUFFLED(d, "4") SHUFFLED(d, "8") SHUFFLED(d, "16")
static const subject shuffles[] = { EVERY(SHUFFLES) };

// loops: bounds of arguments, of memory, that are not above their beginnings
#define LOOP(name, d, from, end, a0, a1) {name, "o = (PARAM:" d ":0 4096) n = (PARAM:i32:1 4096) " ITEMS \
    "y = (LOAD:i32 (INDEX:i32 n x)) t = (AND:i32 y 7:i32) h = (ARG:" d ":0 -100 100) k = (ARG:" d ":1 -100 100) " \
    "m = (DEFINE:" d ":0:reg 1) z = (STORE (INDEX:" d " m 0:i32) 0:" d ") " \
    "r = (RANGE:" d ":1:loop " end from ") c = (INDEX:" d " (AFTER m z r) 0:i32) " \
    "w = (STORE c (ADD:" d " (LOAD:" d " c) (ADD:" d " r 3:" d "))) f = (END w r) " \
    "(STORE (INDEX:" d " o x) (LOAD:" d " (INDEX:" d " (AFTER m f) 0:i32)))", GRID, {a0, a1}, 2, 0, 0},
#define LOOPS(d) LOOP("loop of " d ", an argument", d, "", "h", 5, 0) LOOP("loop of " d ", a negative argument", d, "", "h", -5, 0) \
  LOOP("loop of " d ", from one argument to another", d, " k", "h", 9, 4) LOOP("loop of " d ", from beyond its end", d, " k", "h", 3, 4) \
  LOOP("loop of " d ", from beyond an end below 0", d, " k", "h", -9, 4) \
  LOOP("loop of " d ", no iterations", d, "", "0:" d, 0, 0) LOOP("loop of " d ", one", d, "", "1:" d, 0, 0) \
  LOOP("loop of " d ", seven", d, "", "7:" d, 0, 0) LOOP("loop of " d ", 24", d, "", "24:" d, 0, 0) \
  LOOP("loop of " d ", from a number", d, " 3:" d, "9:" d, 0, 0)
static const subject loops[] = { LOOPS("i32") LOOPS("i64") };

// where elements are: offsets at the edges of fields, of memory that is large, of 64 bits
#define AT(name, size, at) {name, "o = (PARAM:i32:0 4096) p = (PARAM:i32:1 " size ") n = (PARAM:i32:2 4096) h = (ARG:i64:0 -4000000000000 4000000000000) " \
    "j = (ARG:i32:1 -2000000000 2000000000) " ITEMS "y = (LOAD:i32 (INDEX:i32 n x)) w = (CAST:i64 x) (STORE (INDEX:i32 o x) (LOAD:i32 (INDEX:i32 p " at ")))", \
    GRID, {-1073741824, -1000000}, 2, 0, 0}, \
  {name ", where it may be", "o = (PARAM:i32:0 4096) p = (PARAM:i32:1 " size ") n = (PARAM:i32:2 4096) h = (ARG:i64:0 -4000000000000 4000000000000) " \
    "j = (ARG:i32:1 -2000000000 2000000000) " ITEMS "y = (LOAD:i32 (INDEX:i32 n x)) w = (CAST:i64 x) (STORE (INDEX:i32 o x) (LOAD:i32 (INDEX:i32 p " at " (LT:bool y 9:i32)) y))", \
    GRID, {-1073741824, -1000000}, 2, 0, 0}, \
  {name ", in a loop", "o = (PARAM:i32:0 4096) p = (PARAM:i32:1 " size ") n = (PARAM:i32:2 4096) h = (ARG:i64:0 -4000000000000 4000000000000) " \
    "j = (ARG:i32:1 -2000000000 2000000000) " ITEMS "y = (LOAD:i32 (INDEX:i32 n x)) w = (CAST:i64 x) r = (RANGE:i32:1:loop 3:i32) t = (STORE (INDEX:i32 o (ADD:i32 r (MUL:i32 x 3:i32))) (LOAD:i32 (INDEX:i32 p " at "))) (END t r)", \
    GRID, {-1073741824, -1000000}, 2, 0, 0}, \
  {name ", stored", "o = (PARAM:i32:0 " size ") n = (PARAM:i32:1 4096) h = (ARG:i64:0 -4000000000000 4000000000000) " \
    "j = (ARG:i32:1 -2000000000 2000000000) " ITEMS "y = (LOAD:i32 (INDEX:i32 n x)) w = (CAST:i64 x) (STORE (INDEX:i32 o " at ") y)", \
    GRID, {-1073741824, -1000000}, 2, 0, 0},
static const subject places[] = {
  AT("a place, plain", "8192", "x") AT("1023 elements on", "8192", "(ADD:i32 x 1023:i32)") AT("1024 elements on", "8192", "(ADD:i32 x 1024:i32)")
  AT("backwards", "8192", "(SUB:i32 300:i32 x)") AT("backwards beyond a field", "8192", "(SUB:i32 3000:i32 x)")
  AT("an argument on", "8192", "(ADD:i32 (ADD:i32 x 1000000:i32) j)")
  AT("an argument on, far", "500000000", "(ADD:i32 (ADD:i32 x 1000000:i32) j)")
  AT("large, plain", "4000000000", "x") AT("large, of 64 bits", "4000000000", "w")
  AT("large, an argument of 64 bits", "4000000000", "(ADD:i64 (ADD:i64 w h) 1073741824:i64)")
  AT("large, backwards", "4000000000", "(SUB:i64 300:i64 w)")
  AT("large, shifted", "400000000000", "(ADD:i64 (SHL:i64 (SUB:i64 (ADD:i64 h 1073741825:i64) 1:i64) 33:i64) w)")
  AT("large, multiplied", "400000000000", "(ADD:i64 (MUL:i64 (ADD:i64 h 1073741824:i64) 8589934593:i64) w)")
  AT("large, unsigned", "4000000000", "(CAST:u32 x)")
  AT("large, unsigned, backwards", "4000000000", "(SUB:u32 300:u32 (CAST:u32 x))")
};

// groups of all shapes
#define GROUP_OF(name, a, b, c) {name, "o = (PARAM:i32:0 4096) p = (PARAM:i32:1 4096) l = (DEFINE:i32:0:local 1024) " \
    "u = (SPECIAL:i32:item0 " #a ":i32) v = (SPECIAL:i32:item1 " #b ":i32) w = (SPECIAL:i32:item2 " #c ":i32) " \
    "gx = (SPECIAL:i32:group0 2:i32) gy = (SPECIAL:i32:group1 2:i32) gz = (SPECIAL:i32:group2 1:i32) " \
    "i = (ADD:i32 (MUL:i32 (ADD:i32 (MUL:i32 w " #b ":i32) v) " #a ":i32) u) " \
    "x = (ADD:i32 (MUL:i32 (ADD:i32 (MUL:i32 (ADD:i32 gy gz) 2:i32) gx) 1024:i32) i) " \
    "s = (STORE (INDEX:i32 l i) (LOAD:i32 (INDEX:i32 p x))) z = (BARRIER s) " \
    "(STORE (INDEX:i32 o x) (ADD:i32 i (LOAD:i32 (INDEX:i32 (AFTER l z) (SUB:i32 " #a "*" #b "*" #c ":i32 (ADD:i32 i 1:i32))))))", {a, b, c}, {2, 2, 1}, {0}, 0, 0, 0},
static subject groups[] = { GROUP_OF("a group of 1", 1, 1, 1) GROUP_OF("a group of 33", 33, 1, 1) GROUP_OF("a group of 1000", 1000, 1, 1)
  GROUP_OF("a group of 1024", 1024, 1, 1) GROUP_OF("a group of 1, 33", 1, 33, 1) GROUP_OF("a group of 7, 5, 3", 7, 5, 3)
  GROUP_OF("a group of 1, 1, 64", 1, 1, 64) GROUP_OF("a group of 32, 32", 32, 32, 1) GROUP_OF("a group of 16, 1, 4", 16, 1, 4) };

// LDS up to its end; one more is refused
#define LDS_OF(name, n, at, may) {name, HEAD("i32") "l = (DEFINE:i32:0:local " n ") w = (STORE (INDEX:i32 l (ADD:i32 i " at ":i32)) s) z = (BARRIER w) " \
    "(STORE e (LOAD:i32 (INDEX:i32 (AFTER l z) (SUB:i32 (ADD:i32 " at ":i32 63:i32) i))))", GRID, {0}, 0, may, 0},
static const subject lds[] = { LDS_OF("LDS of 64 KiB", "16384", "16320", 0) LDS_OF("LDS beyond 64 KiB", "16385", "16321", 1) };

// Elements that lie apart, of which each may be there or not; one number otherwise for a vector: right, or refused.
static const subject gathers[] = {
  {"elements apart", HEAD("f32") "(STORE (INDEX:f32 o (MUL:i32 x 2:i32)) (LOAD:f32x2 (INDEX:f32x2 p (STACK:i32x2 x (AND:i32 y 63:i32)))))", GRID, {0}, 0, 1, 0},
  {"elements apart, stored", HEAD("f32") "(STORE (INDEX:f32x2 o (STACK:i32x2 x (ADD:i32 x 512:i32))) (STACK:f32x2 s q))", GRID, {0}, 0, 1, 0},
  {"elements that may be there", HEAD("f32") "(STORE (INDEX:f32 o (MUL:i32 x 2:i32)) (LOAD:f32x2 (INDEX:f32 p x (STACK:boolx2 (LT:bool y 9:i32) (LT:bool i 9:i32)))))", GRID, {0}, 0, 1, 0},
  {"elements that may be stored", HEAD("f32") "(STORE (INDEX:f32 o (MUL:i32 x 2:i32) (STACK:boolx2 (LT:bool y 9:i32) (LT:bool i 9:i32))) (STACK:f32x2 s q))", GRID, {0}, 0, 1, 0},
  {"one f16 otherwise", HEAD("f16") "(STORE (INDEX:f16 o (MUL:i32 x 4:i32)) (LOAD:f16x4 (INDEX:f16 p (MUL:i32 x 4:i32) (LT:bool y 9:i32)) q))", GRID, {0}, 0, 1, 0},
  {"one i64 otherwise", HEAD("i64") "(STORE (INDEX:i64 o (MUL:i32 x 4:i32)) (LOAD:i64x4 (INDEX:i64 p (MUL:i32 x 4:i32) (LT:bool y 9:i32)) q))", GRID, {0}, 0, 1, 0},
  {"one i8 otherwise", HEAD("i8") "(STORE (INDEX:i8 o (MUL:i32 x 8:i32)) (LOAD:i8x8 (INDEX:i8 p (MUL:i32 x 8:i32) (LT:bool y 9:i32)) q))", GRID, {0}, 0, 1, 0}
};
static const subject conditions[] = {
  {"conditions in conditions", HEAD("i32") "c = (IF (LT:bool y 20:i32)) c2 = (IF (LT:bool 3:i32 y)) w = (STORE e (ADD:i32 s y)) "
    "c3 = (IF (LT:bool i 7:i32)) w2 = (STORE e q) f3 = (ENDIF c3) f2 = (ENDIF c2) c4 = (IF (LT:bool y -9:i32)) w3 = (STORE e 77:i32) f4 = (ENDIF c4) f = (ENDIF c)", GRID, {0}, 0, 0, 0},
  {"a condition of a number", HEAD("i32") "c = (IF (LT:bool g 2:i32)) w = (STORE e s) f = (ENDIF c)", GRID, {0}, 0, 0, 0},
  {"conditions that are known", HEAD("i32") "c = (IF 1:bool) w = (STORE e s) f = (ENDIF c) c2 = (IF 0:bool) w2 = (STORE e q) f2 = (ENDIF c2)", GRID, {0}, 0, 0, 0},
  {"bools that are kept", HEAD("i32") "m = (DEFINE:bool:0:reg 4) z = (STORE (INDEX:bool m 2:i32) (LT:bool y 3:i32)) "
    "a = (RANGE:i32:1:loop 5:i32) k = (INDEX:bool (AFTER m z a) 2:i32) w = (STORE k (NE:bool (LOAD:bool k) (LT:bool (ADD:i32 a y) 9:i32))) f = (END w a) "
    "(STORE e (WHERE:i32 (LOAD:bool (INDEX:bool (AFTER m f) 2:i32)) s q))", GRID, {0}, 0, 0, 0}
};
#define RUN(table) for (size_t i = 0; i < sizeof table / sizeof *table; i++) try_all(&table[i])

// ** texts that are made **

static char text[TEXT];
static size_t length;
static void add(const char *format, ...) {
  va_list args;
  va_start(args, format);
  length += (size_t)vsnprintf(text + length, sizeof text - length, format, args);
  va_end(args);
}
static void try_made(const char *name, int may, int nargs) {
  subject s;
  memset(&s, 0, sizeof s);
  s.name = name; s.text = text; s.local[0] = 64; s.global[0] = 2; s.may = may; s.nargs = nargs;
  for (int i = 0; i < nargs; i++) s.arg[i] = 3 * i + 1;
  try_all(&s);
}
// More values at a time than there are registers.
static void test_many_values(const char *d, int n, const char *name) {
  length = 0;
  add(HEAD("i32") "a = (PARAM:%s:4 4096) o2 = (PARAM:%s:5 4096) ", d, d);
  for (int i = 0; i < n; i++) add("v%d = (LOAD:%s (INDEX:%s a (ADD:i32 x %d:i32))) ", i, d, d, i * 3);
  add("m0 = (MAX:%s v0 v%d) ", d, n - 1);
  for (int i = 1; i < n; i++) add("m%d = (SUB:%s m%d (MAX:%s v%d v%d)) ", i, d, i - 1, d, i, n - 1 - i);
  for (int i = 0; i < n; i++) add("t%d = (XOR:i32 %s%d%s y) ", i, i ? "t" : "s", i ? i - 1 : 0, "");
  add("w = (STORE e t%d) (STORE (INDEX:%s o2 x) m%d)", n - 1, d, n - 1);
  for (char *c = strstr(text, "XOR:i32 s0"); c; c = NULL) memcpy(c, "XOR:i32 s ", 10);
  try_made(name, 0, 0);
}
static void test_deep(int n, int may, const char *name) {
  length = 0;
  add(HEAD("i32") "m = (DEFINE:i32:0:reg 1) z = (STORE (INDEX:i32 m 0:i32) 0:i32) ");
  for (int i = 0; i < n; i++) add("r%d = (RANGE:i32:%d:loop %d:i32) ", i, i + 1, i % 9 == 0 ? 2 : 1);
  add("k = (INDEX:i32 (AFTER m z r%d) 0:i32) w = (STORE k (ADD:i32 (LOAD:i32 k) r0)) ", n - 1);
  for (int i = n - 1; i >= 0; i--) add("f%d = (END %s%d r%d) ", i, i == n - 1 ? "w" : "f", i == n - 1 ? 0 : i + 1, i);
  for (char *c = strstr(text, "(END w0"); c; c = NULL) memcpy(c, "(END w ", 7);
  add("(STORE e (LOAD:i32 (INDEX:i32 (AFTER m f0) 0:i32)))");
  try_made(name, may, 0);
}
static void test_long(int n) {
  length = 0;
  add(HEAD("i32") "m0 = (ADD:i32 s y) ");
  for (int i = 1; i < n; i++)
    add("m%d = (%s:i32 m%d %s) ", i, i % 3 == 0 ? "ADD" : i % 3 == 1 ? "XOR" : "MUL", i - 1, i % 2 ? "q" : i % 5 ? "y" : "12345:i32");
  add("(STORE e m%d)", n - 1);
  try_made("a long list", 0, 0);
}
static void test_long_branch(void) {       // bodies that a branch's 16 bits do not pass
  length = 0;
  add(HEAD("i32") "k = (ARG:i32:0 0 9) r = (RANGE:i32:1:loop k) m0 = (ADD:i32 s r) ");
  for (int i = 1; i < 20000; i++) add("m%d = (%s:i32 m%d %s) ", i, i % 2 ? "ADD" : "XOR", i - 1, i % 3 ? "m0" : "123456:i32");
  add("w = (STORE e m19999) (END w r)");
  try_made("a long body", 0, 1);
}
static void test_many_params(int n, int may, const char *name) {
  length = 0;
  add("i = (SPECIAL:i32:item0 64:i32) ");
  for (int i = 0; i < n; i++) add("p%d = (PARAM:i32:%d 4096) v%d = (LOAD:i32 (INDEX:i32 p%d i)) ", i, i, i, i);
  for (int i = 1; i < n; i++) add("m%d = (ADD:i32 %s%d v%d) ", i, i == 1 ? "v" : "m", i - 1, i);
  add("a = (ARG:i32:0 0 99) (STORE (INDEX:i32 p0 i) (ADD:i32 a m%d))", n - 1);
  subject s;
  memset(&s, 0, sizeof s);
  s.name = name; s.text = text; s.local[0] = 64; s.global[0] = 1; s.may = may; s.nargs = 1; s.arg[0] = 5;
  try_all(&s);
}

// ** memory that is refused while code is generated: a code and a sentence, nothing is lost **

static void test_refused_memory(const char *gpu, const char *of) {
  long refusals = 0;
  for (long nth = 1, done = 0; !done && nth < 1000; nth++) {
    const subject s = {"memory", of, GRID, {0}, 0, 0, 0};
    memory_count m = {0, 0, 0, 0};
    trial r;
    tiny_desc d;
    memset(&r, 0, sizeof r); memset(&d, 0, sizeof d);
    r.s = &s; r.gpu = gpu; r.memory = &m; r.nth = nth;
    d.device = "INTERP"; d.cache_dir = ""; d.threads = 1; d.debug = "";
    d.alloc.fn = memory_fn; d.alloc.user = &m;
    tiny_ctx *t = tiny_open(&d);
    tiny_begin(t);
    const tiny_code code = tn_guard(t, make, &r);
    done = m.calls < m.fail_at;
    m.fail_at = 0;
    if (!done) {
      const int without = code == TINY_OK && !r.why;         // it came another way
      CHECK(without || code == TINY_E_MEMORY || r.why);
      CHECK(without || *tiny_error(t) || (r.why && *r.why));
      refusals++;
    }
    for (int i = 0; i < r.nmem; i++) free(r.want[i]);
    tiny_end(t);
    tiny_close(t);
    CHECK(m.live == 0 && m.wrong == 0);
  }
  CHECK(refusals > 0);
}

// ** two contexts on two threads, both generate and run **

typedef struct worker { int from, right, n; } worker;
static void *on_a_thread(void *arg) {
  worker *w = (worker *)arg;
  const size_t n = sizeof registers / sizeof *registers;
  for (size_t i = (size_t)w->from; i < n; i += 8, w->n++) {
    trial r;
    tiny_desc d;
    memset(&r, 0, sizeof r); memset(&d, 0, sizeof d);
    r.s = &registers[i]; r.gpu = gpus[0];
    d.device = "INTERP"; d.cache_dir = ""; d.threads = 1; d.debug = "";
    tiny_ctx *t = tiny_open(&d);
    tiny_begin(t);
    w->right += tn_guard(t, make, &r) == TINY_OK && !r.why && emulated(t, &r);
    for (int k = 0; k < r.nmem; k++) free(r.want[k]);
    tiny_end(t);
    tiny_close(t);
  }
  return NULL;
}
static void test_threads(void) {
  pthread_t thread[2];
  worker w[2] = {{0, 0, 0}, {3, 0, 0}};
  if (!case_named("two threads")) return;
  setenv("TEST_AMD", gpus[0], 1); setenv("TEST_AMD_COMPILER", "own", 1);
  for (int i = 0; i < 2; i++) CHECK(!pthread_create(&thread[i], NULL, on_a_thread, &w[i]));
  for (int i = 0; i < 2; i++) pthread_join(thread[i], NULL);
  for (int i = 0; i < 2; i++) CHECK(w[i].n > 5 && w[i].right == w[i].n);
}

// ** texts that are changed at random: what the interpreter runs, runs the same, or is refused **

static int chosen(int n) {
  static uint64_t state = 88172645463325252u;
  if (n < 0) state = (uint64_t)-n * 0x9E3779B97F4A7C15u | 1;
  state ^= state << 13; state ^= state >> 7; state ^= state << 17;
  return n > 0 ? (int)((state >> 20) % (uint64_t)n) : 0;
}
static const subject *any_subject(void) {
  static const struct { const subject *first; size_t n; } tables[] = {
    {conditions, sizeof conditions / sizeof *conditions}, {otherwise, sizeof otherwise / sizeof *otherwise},
    {registers, sizeof registers / sizeof *registers}, {vectors, sizeof vectors / sizeof *vectors},
    {atomics, sizeof atomics / sizeof *atomics}, {shuffles, sizeof shuffles / sizeof *shuffles},
    {loops, sizeof loops / sizeof *loops}, {places, sizeof places / sizeof *places},
    {groups, sizeof groups / sizeof *groups}};
  const int i = chosen((int)(sizeof tables / sizeof *tables));
  return &tables[i].first[chosen((int)tables[i].n)];
}
static void change_word(void) {
  static const char *const ops[] = {"ADD", "SUB", "MUL", "MAX", "AND", "OR", "XOR", "LT", "NE", "EQ"};
  static const char *const dtypes[] = {"i32", "u32", "i64", "u64", "f32", "f64", "i8", "u8", "i16", "f16", "bool", "i32x2", "i32x4", "f32x8", "u8x16"};
  static const char *const numbers[] = {"0", "1", "2", "3", "5", "7", "8", "31", "63", "64", "100", "255", "1023", "4095", "-1"};
  const size_t n = strlen(text);
  const char *with = NULL;
  size_t at = (size_t)chosen((int)n), end;
  while (at && text[at] != '(' && text[at] != ' ' && text[at] != ':') at--;
  end = ++at;
  while (text[end] && !strchr("() :", text[end])) end++;
  if (text[at - 1] == '(') with = ops[chosen(10)];
  else if (text[at - 1] == ':' && text[at] > '9') with = dtypes[chosen(15)];
  else if ((text[at] >= '0' && text[at] <= '9') || text[at] == '-') with = numbers[chosen(15)];
  else if (text[at] >= 'a' && text[at] <= 'z') with = chosen(2) ? "y" : chosen(2) ? "x" : chosen(2) ? "s" : "i";
  if (!with || end <= at) return;
  memmove(text + at + strlen(with), text + end, n + 1 - end);
  memcpy(text + at, with, strlen(with));
}
static void test_changed(int from, int rounds) {
  for (int i = from; i < from + rounds; i++) {
    chosen(-i - 1);
    subject s = *any_subject();
    char name[80];
    snprintf(text, sizeof text, "%s", s.text);
    for (int k = 1 + chosen(2); k > 0; k--) change_word();
    snprintf(name, sizeof name, "changed list %d", i);
    s.name = name; s.text = text; s.may = 1; s.tolerance = 1e-6;
    const int before = test_failed;
    quietly = 1;
    try_all(&s);
    quietly = 0;
    if (test_failed > before) fprintf(stderr, "%s\n", text);
  }
}

int main(void) {
  // the text of a group's size is a product that no number is
  static char made[16][2048];
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
    const char *at = strstr(groups[i].text, "(SUB:i32 ") + 9;
    snprintf(made[i], sizeof made[i], "%.*s%d%s", (int)(at - groups[i].text), groups[i].text,
             (int)(groups[i].local[0] * groups[i].local[1] * groups[i].local[2]), strstr(at, ":i32"));
    groups[i].text = made[i];
  }
  if (getenv("TEST_ROUNDS")) { test_changed((int)test_from(1), test_rounds(300)); goto told; }
  RUN(gathers); RUN(conditions); RUN(otherwise); RUN(registers); RUN(vectors); RUN(atomics); RUN(shuffles); RUN(loops);
  RUN(places); RUN(groups); RUN(lds);
  test_many_values("f32", 400, "400 values of f32");
  test_many_values("f64", 300, "300 values of f64");
  test_many_values("i64", 200, "200 values of i64");
  test_deep(60, 0, "60 loops inside each other");
  test_long(10000);
  test_long_branch();
  test_many_params(120, 0, "120 memories");
  test_many_params(128, 1, "128 memories and an argument");
  test_threads();
  test_long(1500);
  for (int i = 0; i < 3; i++) if (case_named("refused memory, %s", gpus[i])) test_refused_memory(gpus[i], text);
  test_changed(1, test_some(300));
told:
  if (getenv("TEST_ROUNDS")) printf("%d the same, %d no lists, %d refused\n", same, none, refused);
  return test_report();
}
