// EXP2, EXP, LOG2, SIN, COS and POW as expressions: evaluated by tn_alu, and as C that is compiled with fused multiply-adds and run.
// `test_transcendental all` measures all 2^32 arguments of f32 (half an hour); `.. all exp2 3 16` the third sixteenth of one.
#include "../src/rules/transcendental.c"
#include "../src/ir/eval.c"
#include "test.h"
#include <dlfcn.h>
#include <fenv.h>
#include <time.h>
#include <unistd.h>

static tiny_ctx *test_open(void) {
  tiny_ctx *t = (tiny_ctx *)calloc(1, sizeof *t);
  t->alloc.fn = tn_default_alloc;
  tn_ir_open(t);
  tn_match_open(t);
  return t;
}

// ** an expression as a C function: out[i] = f(x[i], y[i]) **

static const char *const c_types[TINY_DTYPE_COUNT] = {"void", "unsigned char", "signed char", "unsigned char", "short", "unsigned short",
  "int", "unsigned", "long long", "unsigned long long", "?", "?", "?", "?", "float", "double", "long long"};

static void print_node(FILE *f, tiny_uop *u, int id) {
  const char *type = c_types[u->dtype];
  int s[3] = {0, 0, 0};
  for (uint32_t i = 0; i < u->nsrc && i < 3; i++) s[i] = (int)u->src[i]->mark;
  fprintf(f, "const %s v%d = ", type, id);
  const char *sign = u->op == TINY_OP_ADD ? "+" : u->op == TINY_OP_MUL ? "*" : u->op == TINY_OP_SUB ? "-" : u->op == TINY_OP_FDIV ? "/" :
    u->op == TINY_OP_AND ? "&" : u->op == TINY_OP_OR ? "|" : u->op == TINY_OP_XOR ? "^" : u->op == TINY_OP_SHL ? "<<" : u->op == TINY_OP_SHR ? ">>" :
    u->op == TINY_OP_LT ? "<" : u->op == TINY_OP_NE ? "!=" : NULL;
  if (u->op == TINY_OP_ARG) fprintf(f, "%s[i];\n", u->k ? "y" : "x");
  else if (u->op == TINY_OP_CONST && tn_is_float(u->dtype)) {
    const double d = tn_to_f64(u->k);
    if (d != d) fprintf(f, "__builtin_nan(\"\");\n");
    else if (fabs(d) == HUGE_VAL) fprintf(f, "%s__builtin_inf();\n", d < 0 ? "-" : "");
    else fprintf(f, "%a;\n", d);
  } else if (u->op == TINY_OP_CONST) fprintf(f, "(%s)%lluull;\n", type, (unsigned long long)u->k);
  else if (u->op == TINY_OP_CAST) fprintf(f, "(%s)v%d;\n", type, s[0]);
  else if (u->op == TINY_OP_BITCAST) fprintf(f, "({ union { %s f; %s t; } u; u.f = v%d; u.t; });\n", c_types[u->src[0]->dtype], type, s[0]);
  else if (u->op == TINY_OP_TRUNC) fprintf(f, "__builtin_trunc(v%d);\n", s[0]);
  else if (u->op == TINY_OP_WHERE) fprintf(f, "v%d ? v%d : v%d;\n", s[0], s[1], s[2]);
  else if (sign) fprintf(f, "(%s)(v%d %s v%d);\n", type, s[0], sign, s[1]);
  else fprintf(f, "?%s;\n", tiny_op_name(u->op));
}

typedef struct print_call { FILE *f; tiny_uop *u; const char *name; int ops; } print_call;
static tiny_code print_function(tiny_ctx *t, void *arg) {
  print_call *c = (print_call *)arg;
  tn_list all = {NULL, 0, 0};
  tn_toposort(t, c->u, &all);
  const char *type = c_types[c->u->dtype];
  fprintf(c->f, "void %s(const %s *x, const %s *y, %s *out, long n) { for (long i = 0; i < n; i++) {\n", c->name, type, type, type);
  for (int i = 0; i < all.n; i++) {
    print_node(c->f, all.u[i], i);
    all.u[i]->mark = (uint32_t)i;
    c->ops += tn_op_is(all.u[i]->op, TINY_ALU) || all.u[i]->op == TINY_OP_CAST;
  }
  fprintf(c->f, "out[i] = v%d; } }\n", all.n - 1);
  t->ir->epoch += (uint32_t)all.n + 1;     // marks were used
  return TINY_OK;
}

// FALLING: e^-|x|; ALONE: on targets without f64
enum { EXP2, EXP, FALLING2, FALLING, LOG2, SIN, COS, SIN_ALONE, COS_ALONE, POW, POW_ALONE, NFUNCTIONS };
static const char *const names[NFUNCTIONS] = {"exp2", "exp", "falling2", "falling", "log2", "sin", "cos", "sin_alone", "cos_alone", "pow",
                                              "pow_alone"};
static int periodic(int which) { return which >= SIN && which <= COS_ALONE; }
// ulp: of f64's pow, and of f32's computed in f32
static double bound(int which, int dtype, double usual) {
  if (dtype == TINY_F64) return which >= POW ? 64 : usual;
  return which == POW_ALONE ? 6 : usual;
}
static tiny_uop *build(tiny_ctx *t, int which, int dtype) {
  tiny_uop *x = tn_uop_make(t, TINY_OP_ARG, dtype, 1, 0, NULL, 0, 0, NULL), *y = tn_uop_make(t, TINY_OP_ARG, dtype, 1, 0, NULL, 1, 0, NULL);
  switch (which) {
    case EXP2: case EXP: return tn_exp_of(t, x, which == EXP);
    case FALLING2: case FALLING: {
      tiny_uop *bits = tn_bitcast(t, x, tn_float_facts_of(dtype)->integer);
      bits = tn_u2(t, TINY_OP_OR, bits, tn_int(t, bits->dtype, dtype == TINY_F64 ? INT64_MIN : INT32_MIN));
      return tn_exp_falling_of(t, tn_bitcast(t, bits, dtype), which == FALLING);
    }
    case LOG2: return tn_log2_value(t, x);
    case SIN: case COS: return tn_sin_of(t, x, which == COS, 1);
    case SIN_ALONE: case COS_ALONE: return tn_sin_of(t, x, which == COS_ALONE, 0);
    default: return tn_pow_of(t, x, y, which == POW);
  }
}

typedef void (*f32_fn)(const float *x, const float *y, float *out, long n);
typedef void (*f64_fn)(const double *x, const double *y, double *out, long n);
static f32_fn f32_of[NFUNCTIONS];
static f64_fn f64_of[NFUNCTIONS];

static int compile(tiny_ctx *t, const char *compiler) {
  char path[64], command[512];
  snprintf(path, sizeof path, "/tmp/tiny_transcendental_%d", (int)getpid());
  snprintf(command, sizeof command, "%s.c", path);
  FILE *f = fopen(command, "w");
  if (!f) return 0;
  for (int i = 0; i < NFUNCTIONS; i++) for (int d = TINY_F32; d <= TINY_F64; d++) {
    char name[32];
    snprintf(name, sizeof name, "%s_%s", names[i], tn_dtypes[d].name);
    print_call c = {f, build(t, i, d), name, 0};
    tn_guard(t, print_function, &c);
    printf("%s: %d operations\n", name, c.ops);
  }
  fclose(f);
  snprintf(command, sizeof command, "%s -O2 -march=native -ffp-contract=fast -fno-math-errno -fwrapv -w -shared -fPIC %s.c -o %s.so", compiler, path, path);
  const int ok = system(command) == 0;
  snprintf(command, sizeof command, "%s.c", path);
  if (ok && !getenv("TINY_KEEP")) remove(command);
  snprintf(command, sizeof command, "%s.so", path);
  void *so = ok ? dlopen(command, RTLD_NOW) : NULL;
  if (ok) remove(command);
  for (int i = 0; so && i < NFUNCTIONS; i++) {
    char name[32];
    snprintf(name, sizeof name, "%s_f32", names[i]);
    void *p = dlsym(so, name);
    memcpy(&f32_of[i], &p, sizeof p);
    snprintf(name, sizeof name, "%s_f64", names[i]);
    p = dlsym(so, name);
    memcpy(&f64_of[i], &p, sizeof p);
  }
  return so != NULL;
}

// ** errors in ulp of the true result **

static double ulp_error(double got, double want, int dtype) {            // want: with more digits than dtype has
  const double rounded = tn_dtype_round(dtype, want);
  if (want != want || got != got) return (want != want) == (got != got) ? 0 : 1e9;
  if (fabs(rounded) == HUGE_VAL || fabs(got) == HUGE_VAL) return got == rounded ? 0 : fabs(got) > 3e38 && fabs(rounded) > 3e38 && (got < 0) == (rounded < 0) ? 0.9 : 1e9;
  if (got == 0 && want == 0) return signbit(got) == signbit(want) ? 0 : 1e8;
  int e = want == 0 ? -1074 : ilogb(want);
  if (e < tn_dtypes[dtype].least) e = tn_dtypes[dtype].least;
  return fabs(got - want) / ldexp(1, e - tn_dtypes[dtype].mantissa);
}
static double ulp_error_long(double got, long double want) {
  const double rounded = (double)want;
  if (want != want || got != got) return (want != want) == (got != got) ? 0 : 1e9;
  if (fabs(rounded) == HUGE_VAL || fabs(got) == HUGE_VAL) return got == rounded ? 0 : fabs(got) > 1e308 && fabs(rounded) > 1e308 ? 0.9 : 1e9;
  if (got == 0 && rounded == 0) return signbit(got) == signbit(rounded) ? 0 : 1e8;
  int e = rounded == 0 ? -1074 : ilogb(rounded);
  if (e < -1022) e = -1022;
  return (double)(fabsl((long double)got - want) / ldexpl(1, e - 52));
}
static double reference(int which, double x, double y) {
  switch (which) {
    case EXP2: return exp2(x);
    case EXP: return exp(x);
    case FALLING2: return exp2(-fabs(x));
    case FALLING: return exp(-fabs(x));
    case LOG2: return log2(x);
    case SIN: case SIN_ALONE: return sin(x);
    case COS: case COS_ALONE:              // the f64 next to an odd multiple of pi / 2 (Muller, "Elementary Functions", table 11.1); glibc errs there
      return fabs(x) == 6381956970095103.0 * 0x1p797 ? -4.68716592425462761e-19 : cos(x);
    default: return pow(x, y);
  }
}
static long double reference_long(int which, double x, double y) {
  switch (which) {
    case EXP2: return exp2l(x);
    case EXP: return expl(x);
    case FALLING2: return exp2l(-fabsl((long double)x));
    case FALLING: return expl(-fabsl((long double)x));
    case LOG2: return log2l(x);
    case SIN: case SIN_ALONE: return sinl(x);
    case COS: case COS_ALONE: return cosl(x);
    default: return powl(x, y);
  }
}

static uint64_t seed = 1;
static uint64_t next(void) { return seed = tn_hash_mix(seed, 7); }
static double from_bits(uint64_t b) { double d; memcpy(&d, &b, 8); return d; }
static float from_bits32(uint32_t b) { float d; memcpy(&d, &b, 4); return d; }

enum { CHUNK = 1 << 16 };
static float fx[CHUNK], fy[CHUNK], fo[CHUNK];
static double dx[CHUNK], dy[CHUNK], out[CHUNK];

static double worst_of_chunk(int which, double *at) {
  double worst = 0;
  f32_of[which](fx, fy, fo, CHUNK);
  for (int i = 0; i < CHUNK; i++) {
    const double e = ulp_error(fo[i], reference(which, fx[i], fy[i]), TINY_F32);
    if (e > worst) { worst = e; *at = fx[i]; }
  }
  return worst;
}

static const double special[] = {0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 3, -3, 1e-45, -1e-45, 1.1754943508222875e-38, 1e-40, 127.99999, 128, -126, -149, -149.5, -150, -150.1, -151, -1e30, 1e30,
  3.4028234663852886e38, -3.4028234663852886e38, 1e38, 1e22, 16777216, 16777215, 262144, 0.7071067811865476, 1.4142135, 0.99999994, 1.0000001, 3.1415927, 1.5707964, 11, 22, 355, 5e-324, 2.2250738585072014e-308,
  1e308, -1e308, 1.7976931348623157e308, 1023.9999999999999, 1024, -1022, -1074, -1075, -1075.5, -1076, 6381956970095103.0 * 0x1p797, 0x1.6ac5b262ca1ffp+849, 4.5, 1e-300, 1e300, 9007199254740993.0, HUGE_VAL, -HUGE_VAL, (double)NAN};
enum { NSPECIAL = sizeof special / sizeof *special };

static void sample_f32(void) {
  for (int which = 0; which < NFUNCTIONS; which++) {
    double worst = 0, at = 0;
    for (int round = 0; round < 24; round++) {
      for (int i = 0; i < CHUNK; i++) {
        fx[i] = from_bits32((uint32_t)next()); fy[i] = from_bits32((uint32_t)next());
        if (round & 1) { fx[i] = (float)((double)(int64_t)next() * 0x1p-63 * (periodic(which) ? 100 : 160)); }
        if (round % 3 == 1) fy[i] = (float)((double)(int64_t)next() * 0x1p-63 * 40);
        if (round % 3 == 2) fy[i] = (float)((int)(next() % 41) - 20);
        if (round < 1) { fx[i] = (float)special[i % NSPECIAL]; fy[i] = (float)special[i / NSPECIAL % NSPECIAL]; }
        if (round == 2) fx[i] = 1 + (float)((double)(int64_t)next() * 0x1p-64);
      }
      double a = 0;
      const double e = worst_of_chunk(which, &a);
      if (e > worst) { worst = e; at = a; }
    }
    printf("%s f32: %.4f ulp at %.9g\n", names[which], worst, at);
    CHECK(worst <= bound(which, TINY_F32, 1));
  }
}

static void sample_f64(void) {
  for (int which = 0; which < NFUNCTIONS; which++) {
    double worst = 0, at = 0, at_y = 0;
    for (int round = 0; round < 12; round++) {
      for (int i = 0; i < CHUNK; i++) {
        dx[i] = from_bits(next()); dy[i] = from_bits(next());
        if (round & 1) dx[i] = (double)(int64_t)next() * 0x1p-63 * (periodic(which) ? 1e6 : 1100);
        if (round % 3 == 1) dy[i] = (double)(int64_t)next() * 0x1p-63 * 40;
        if (round % 3 == 2) dy[i] = (double)((int)(next() % 41) - 20);
        if (round < 1) { dx[i] = special[i % NSPECIAL]; dy[i] = special[i / NSPECIAL % NSPECIAL]; }
        if (round == 2) dx[i] = 1 + (double)(int64_t)next() * 0x1p-64;
      }
      f64_of[which](dx, dy, out, CHUNK);
      for (int i = 0; i < CHUNK; i++) {
        // x87's argument reduction stops at 2^63, so larger sines have libm's f64 for reference (0.55 ulp)
        const double e = sizeof(long double) > 8 && !(periodic(which) && fabs(dx[i]) > 1e15) ? ulp_error_long(out[i], reference_long(which, dx[i], dy[i]))
                                                  : ulp_error(out[i], reference(which, dx[i], dy[i]), TINY_F64);
        if (e > worst) { worst = e; at = dx[i]; at_y = dy[i]; }
      }
    }
    printf("%s f64: %.4f ulp at %.17g, %.17g\n", names[which], worst, at, at_y);
    CHECK(worst <= bound(which, TINY_F64, 1));
  }
}

// The interpreter's value, without fused multiply-adds.
static void by_interpreter(tiny_ctx *t) {
  for (int d = TINY_F32; d <= TINY_F64; d++) for (int which = 0; which < NFUNCTIONS; which++) {
    tiny_uop *u = build(t, which, d);
    double worst = 0;
    for (int i = 0; i < 400; i++) {
      double v[2];
      for (int j = 0; j < 2; j++) v[j] = i < NSPECIAL * 4 ? special[(i + j * (i / NSPECIAL)) % NSPECIAL] : (double)(int64_t)next() * 0x1p-63 * (i & 1 ? 10 : 120);
      if (d == TINY_F32) for (int j = 0; j < 2; j++) v[j] = tn_dtype_round(TINY_F32, v[j]);
      const int64_t vars[2] = {tn_from_f64(v[0]), tn_from_f64(v[1])};
      int64_t k = 0;
      CHECK_EQ(tn_eval_expr(t, u, vars, 2, &k), TINY_OK);
      const double e = d == TINY_F32 ? ulp_error(tn_to_f64(k), reference(which, v[0], v[1]), TINY_F32) : ulp_error(tn_to_f64(k), reference(which, v[0], v[1]), TINY_F64);
      if (e > worst) worst = e;
      if (e > bound(which, d, 1.6)) fprintf(stderr, "%s %s(%.17g, %.17g) = %.17g\n", tn_dtypes[d].name, names[which], v[0], v[1], tn_to_f64(k));
    }
    CHECK(worst <= bound(which, d, 1.6));   // libm's own error on top
  }
}

static void all(int argc, char **argv) {
  for (int which = 0; which < POW; which++) {
    if (argc > 2 && strcmp(argv[2], names[which])) continue;
    const int parts = argc > 4 ? atoi(argv[4]) : 1, part = argc > 3 ? atoi(argv[3]) : 0;
    double worst = 0, at = 0;
    for (uint64_t base = ((uint64_t)part << 32) / (uint64_t)parts; base < ((uint64_t)(part + 1) << 32) / (uint64_t)parts; base += CHUNK) {
      for (int i = 0; i < CHUNK; i++) fx[i] = from_bits32((uint32_t)base + (uint32_t)i);
      double a = 0;
      const double e = worst_of_chunk(which, &a);
      if (e > worst) { worst = e; at = a; }
    }
    printf("%s f32, part %d of %d: %.4f ulp at %.9g\n", names[which], part, parts, worst, at);
    CHECK(worst <= 1.0);
  }
}

// What is nothing comes of no product that underflows, which some processors take more than a hundred cycles for.
static void far_below(void) {
  static const double far[] = {-1100, -1e6, -HUGE_VAL};
  const int n = (int)(sizeof far / sizeof *far);
  for (int which = EXP2; which <= EXP; which++) {
    for (int i = 0; i < 64; i++) { dx[i] = far[i % n]; fx[i] = (float)far[i % n]; }
    feclearexcept(FE_ALL_EXCEPT);
    f32_of[which](fx, fy, fo, 64);
    f64_of[which](dx, dy, out, 64);
    CHECK(!fetestexcept(FE_UNDERFLOW));
    for (int i = 0; i < 64; i++) CHECK(fo[i] == 0 && out[i] == 0);
  }
}

static void speed(void) {
  for (int which = 0; which < NFUNCTIONS; which++) {
    for (int i = 0; i < CHUNK; i++) { fx[i] = (float)(i + 1) * 1e-3f; fy[i] = 1.5f; dx[i] = fx[i]; dy[i] = 1.5; }
    clock_t a = clock();
    for (int r = 0; r < 200; r++) f32_of[which](fx, fy, fo, 4096);
    clock_t b = clock();
    for (int r = 0; r < 200; r++) f64_of[which](dx, dy, out, 4096);
    clock_t c = clock();
    printf("%s: f32 %.2f ns, f64 %.2f ns\n", names[which], (double)(b - a) / CLOCKS_PER_SEC * 1e9 / 200 / 4096, (double)(c - b) / CLOCKS_PER_SEC * 1e9 / 200 / 4096);
  }
}

int main(int argc, char **argv) {
  tiny_ctx *t = test_open();
  const int compiled = compile(t, "clang 2>/dev/null") || compile(t, "gcc");
  if (!compiled) printf("skipped: no compiler\n");
  if (argc > 1 && !strcmp(argv[1], "speed")) { speed(); return 0; }
  if (argc > 1 && compiled) { all(argc, argv); return test_report(); }
  if (compiled) { sample_f32(); sample_f64(); far_below(); }
  by_interpreter(t);
  tn_match_close(t);
  tn_ir_close(t);
  tn_scratch_reset(t, 1);
  free(t);
  return test_report();
}
