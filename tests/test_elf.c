// The loader: real objects run; relocations of both processors come out as the manuals say; damaged objects
// give errors.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include "../src/base/process.c"
#include "../src/runtime/elf.c"
#include "test.h"
#include "memory_test.h"

#if defined(TN_OS_ARM64)
  static const int HOST = TN_ELF_ARM64;
  #define HOST_TRIPLE "--target=aarch64-none-elf"
#else
  static const int HOST = TN_ELF_X86;
  #define HOST_TRIPLE "--target=x86_64-none-unknown-elf"
#endif

// Float and double constants, jump tables, tables of pointers, calls in and out, a big array on the stack.
static const char source[] =
  "extern void *memset(void *, int, unsigned long);\n"
  "extern float fmodf(float, float);\n"
  "static const double tab[8] = { 1.5, 2.5, 3.5, 4.5, 1, 2, 3, 4 };\n"
  "static const char *const words[3] = { \"zero\", \"one\", \"two\" };\n"
  "__attribute__((noinline)) double scaled(double x, int i) { return x * tab[i & 7] + 0.1; }\n"
  "__attribute__((noinline)) int branch(int k, int x, float *f) {\n"
  "  switch (k) {\n"
  "    case 0: f[0] = 1; return x + 1;  case 1: f[1] = 3; return x * 3; case 2: f[5] = 3; return x ^ 55;\n"
  "    case 3: f[1] = 5; return 9;      case 4: f[2] = 2; return x / 3; case 5: f[7] = 1; return x;\n"
  "    case 6: f[9] = 8; return x * x; }\n"
  "  return 0; }\n"
  "int letter(int i, int k) { return words[i][k]; }\n"
  "float outside(float x) { return fmodf(x, 3.0f) * 1.25f; }\n"
  "long filled(int v) { char big[5000]; memset(big, v, sizeof big); long s = 0;\n"
  "  for (int i = 0; i < 5000; i++) s += ((volatile char *)big)[i]; return s; }\n"
  "int shared(int i) { static const int t[4] = { 1000, 2000, 3000, 4000 }; return *(const volatile int *)&t[i]; }\n";

static int64_t externs_called;
static float my_fmodf(float a, float b) { externs_called++; return fmodf(a, b); }
static const tn_elf_name names[] = { { "memset", (void (*)(void))memset }, { "memcpy", (void (*)(void))memcpy },
                                     { "fmodf", (void (*)(void))my_fmodf } };

static const char *clang_path(void) {
  static char path[TN_OS_PATH];
  return path[0] || tn_os_find_program("clang", 0, path, sizeof path) ? path : NULL;
}

// Compiles source; out lives in t's scratch memory.
static int compile(tiny_ctx *t, const char *text, const char *const *flags, tiny_bytes *out) {
  const char *argv[32];
  int n = 0;
  argv[n++] = clang_path();
  for (; *flags; flags++) argv[n++] = *flags;
  argv[n++] = "-ffreestanding"; argv[n++] = "-fno-stack-protector"; argv[n++] = "-w";
  argv[n++] = "-x"; argv[n++] = "c"; argv[n++] = "-c"; argv[n++] = "-"; argv[n++] = "-o"; argv[n++] = "-"; argv[n] = NULL;
  tn_job job;
  memset(&job, 0, sizeof job);
  job.argv = argv; job.input = text; job.input_nbytes = strlen(text);
  tn_process_run(t, &job, 1, 1);
  *out = job.out;
  if (job.exit_code) fprintf(stderr, "%s\n", job.err.data);
  return job.exit_code == 0;
}

#define FIND(type, var, image, name) type var; { void *p_ = tn_elf_symbol(image, name); memcpy(&var, &p_, sizeof p_); CHECK(p_ != NULL); }
typedef double (*scaled_fn)(double, int);
typedef int (*branch_fn)(int, int, float *);
typedef int (*letter_fn)(int, int);
typedef float (*outside_fn)(float);
typedef long (*filled_fn)(int);
typedef int (*shared_fn)(int);

static void check_runs(tn_elf *e) {
  float f[10] = {0};
  FIND(scaled_fn, scaled, e, "scaled") FIND(branch_fn, branch, e, "branch") FIND(letter_fn, letter, e, "letter")
  FIND(outside_fn, outside, e, "outside") FIND(filled_fn, filled, e, "filled") FIND(shared_fn, shared, e, "shared")
  CHECK(scaled(2.0, 3) == 2.0 * 4.5 + 0.1);
  const int want[8] = { 11, 30, 61, 9, 3, 10, 100, 0 };
  for (int k = 0; k < 8; k++) CHECK_EQ(branch(k, 10, f), want[k]);
  CHECK(f[0] == 1 && f[5] == 3 && f[9] == 8);
  CHECK_EQ(letter(2, 1), 'w');
  externs_called = 0;
  CHECK(outside(7.5f) == 1.5f * 1.25f);
  CHECK_EQ(externs_called, 1);
  CHECK_EQ(filled(3), 15000);
  CHECK_EQ(shared(2), 3000);
  CHECK(tn_elf_symbol(e, "nothing") == NULL);
  CHECK(tn_elf_symbol(e, "tab") == NULL);
}

static void test_runs(tiny_ctx *t) {
  static const char *const ways[][6] = {
    { HOST_TRIPLE, "-O2", "-fPIE", NULL }, { HOST_TRIPLE, "-O0", "-fPIE", NULL }, { HOST_TRIPLE, "-O2", "-fPIC", NULL },
    { HOST_TRIPLE, "-O2", "-fPIC", "-fno-plt", NULL }, { HOST_TRIPLE, "-O1", "-mcmodel=large", NULL },
    { HOST_TRIPLE, "-O2", "-fPIE", "-g", NULL }, { HOST_TRIPLE, "-O2", "-fPIE", "-ffunction-sections", "-fdata-sections", NULL }
  };
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    tiny_bytes object;
    tn_elf *e = NULL;
    if (!compile(t, source, ways[i], &object)) { CHECK(!"clang takes the flags"); continue; }
    CHECK_EQ(tn_elf_load(t, object.data, object.n, HOST, names, 3, &e), TINY_OK);
    CHECK_STR(t->message, "");
    if (e) check_runs(e);
    tn_elf_unload(t, e);
  }
}

static void expect_error(tiny_ctx *t, const char *text, const char *const *flags, const char *says) {
  tiny_bytes object;
  tn_elf *e = NULL;
  CHECK(compile(t, text, flags, &object));
  CHECK_EQ(tn_elf_load(t, object.data, object.n, HOST, names, 3, &e), TINY_E_COMPILE);
  CHECK(e == NULL);
  const int said = strstr(t->message, says) != NULL;
  CHECK(said);
  if (!said) fprintf(stderr, "    got: %s\n", t->message);
  t->code = TINY_OK; t->message[0] = 0;
}
static void test_errors(tiny_ctx *t) {
  static const char *const pie[] = { HOST_TRIPLE, "-O2", "-fPIE", NULL };
  const char *const other[] = { HOST == TN_ELF_X86 ? "--target=aarch64-none-elf" : "--target=x86_64-none-unknown-elf", NULL };
  static const char *const common[] = { HOST_TRIPLE, "-O0", "-fcommon", "-fPIE", NULL };
  expect_error(t, "extern double launch_rocket(double); double f(double x) { return launch_rocket(x); }", pie, "'launch_rocket'");
  expect_error(t, "int f(void) { return 1; }", other, "another processor");
  expect_error(t, "int room[100]; int f(void) { return room[3]; }", common, "common");
  expect_error(t, "_Thread_local int x = 3; int f(void) { return x; }", pie, "kind");
  if (HOST == TN_ELF_X86) {
    static const char *const fixed[] = { HOST_TRIPLE, "-O2", "-fno-pic", NULL };
    tiny_bytes object;                     // absolute addresses of 32 bits: an error, or the image lies low enough
    tn_elf *e = NULL;
    CHECK(compile(t, source, fixed, &object));
    if (tn_elf_load(t, object.data, object.n, HOST, names, 3, &e) == TINY_OK) check_runs(e);
    else CHECK(strstr(t->message, "does not reach") != NULL);
    tn_elf_unload(t, e);
    t->code = TINY_OK; t->message[0] = 0;
  }
}

static void test_writable(tiny_ctx *t) {   // data is placed behind the code, where it can be written
  static const char *const pie[] = { HOST_TRIPLE, "-O0", "-fPIE", NULL };
  tiny_bytes object;
  tn_elf *e = NULL;
  CHECK(compile(t, "static int count = 41; static int zeros[5000]; int next(void) { zeros[4999]++; return ++count + zeros[4999] + zeros[0]; }", pie, &object));
  CHECK_EQ(tn_elf_load(t, object.data, object.n, HOST, names, 3, &e), TINY_OK);
  if (!e) return;
  typedef int (*next_fn)(void);
  FIND(next_fn, next, e, "next")
  CHECK_EQ(next(), 43);
  CHECK_EQ(next(), 45);
  tn_elf_unload(t, e);
}

// ** the other processor's relocations, by what the instructions then refer to **

static uint32_t word_at(const char *p) { uint32_t w; memcpy(&w, p, 4); return w; }

// The address that adrp (and the add or load behind it) makes; arm64 only.
static uint64_t adrp_target(const char *p) {
  const uint32_t w = word_at(p);
  int64_t pages = (int64_t)((uint64_t)(w >> 5 & 0x7ffff) << 2 | (w >> 29 & 3));
  if (pages >> 20) pages -= 1 << 21;
  return ((uint64_t)(uintptr_t)p & ~(uint64_t)4095) + (uint64_t)(pages * 4096);
}

static void test_arm64(tiny_ctx *t) {
  static const char *const flags[] = { "--target=aarch64-none-elf", "-O2", NULL };
  const char text[] =
    "extern double fmod(double, double);\n"
    "__attribute__((noinline)) int near(int x) { return x * 7 + 3; }\n"
    "int call(int x) { return near(x) + 1; }\n"
    "double table(int i) { static const double t[4] = { 1, 2, 3, 5 }; return t[i]; }\n"
    "double constant(void) { return 3.25; }\n"
    "double outside(double x) { return fmod(x, 2) + 1; }\n";
  const tn_elf_name some[] = { { "fmod", (void (*)(void))(double (*)(double, double))fmod } };
  tiny_bytes object;
  tn_elf *e = NULL;
  CHECK(compile(t, text, flags, &object));
  CHECK_EQ(tn_elf_load(t, object.data, object.n, TN_ELF_ARM64, some, 1, &e), TINY_OK);
  CHECK_STR(t->message, "");
  if (!e) return;
  const char *near_at = (const char *)tn_elf_symbol(e, "near"), *p = (const char *)tn_elf_symbol(e, "call");
  int calls = 0, stubs = 0, constants = 0, tables = 0;
  for (int i = 0; i < 8; i++, p += 4) if (word_at(p) >> 26 == 0x25) {         // bl
    const int64_t distance = (int64_t)((uint64_t)(word_at(p) & 0x3ffffff) << 38) >> 36;
    calls += p + distance == near_at;
  }
  p = (const char *)tn_elf_symbol(e, "outside");
  for (int i = 0; i < 10; i++, p += 4) if (word_at(p) >> 26 == 0x25) {
    const char *stub = p + ((int64_t)((uint64_t)(word_at(p) & 0x3ffffff) << 38) >> 36);
    uint64_t to, fmod_at = 0;
    memcpy(&to, stub + 8, 8);
    memcpy(&fmod_at, &some[0].fn, sizeof some[0].fn);
    stubs += word_at(stub) == 0x58000050 && word_at(stub + 4) == 0xd61f0200 && to == fmod_at;
  }
  p = (const char *)tn_elf_symbol(e, "table");
  for (int i = 0; i < 3; i++) if ((word_at(p + 4 * i) & 0x9f000000u) == 0x90000000u) {
    const double want[4] = { 1, 2, 3, 5 };
    const uint64_t low = word_at(p + 4 * i + 4) >> 10 & 0xfff;                // add x, x, :lo12:
    tables += !memcmp((const void *)(uintptr_t)(adrp_target(p + 4 * i) + low), want, sizeof want);
  }
  p = (const char *)tn_elf_symbol(e, "constant");
  constants = (word_at(p) & 0xffe01fe0u) == 0x1e601000u;                      // fmov d0, 3.25 needs no memory
  CHECK_EQ(calls, 1); CHECK_EQ(stubs, 1); CHECK_EQ(tables, 1); CHECK_EQ(constants, 1);
  tn_elf_unload(t, e);
}

static void check_write(int machine, uint32_t type, int64_t v, uint32_t before, uint32_t after, int fits) {
  const tn_elf_how *how = tn_elf_how_of(machine, type);
  char place[8] = {0};
  memcpy(place, &before, 4);
  CHECK(how != NULL);
  if (!how) return;
  CHECK_EQ(tn_elf_write(how, place, v), fits);
  CHECK_EQ(word_at(place), fits ? after : before);
}
// Encodings as the Arm Architecture Reference Manual has them (C6.2), and as llvm-mc writes them.
static void test_fields(void) {
  check_write(183, 283, 0x1000, 0x94000000u, 0x94000400u, 1);                 // bl +4096
  check_write(183, 283, -4, 0x94000000u, 0x97ffffffu, 1);                     // bl -4
  check_write(183, 283, (1 << 27) - 4, 0x94000000u, 0x95ffffffu, 1);
  check_write(183, 283, 1 << 27, 0x94000000u, 0, 0);
  check_write(183, 282, -(1 << 27), 0x14000000u, 0x16000000u, 1);
  check_write(183, 275, 0x3000, 0x90000000u, 0xf0000000u, 1);                 // adrp x0, 3 pages on
  check_write(183, 275, -0x1000, 0x90000001u, 0xf0ffffe1u, 1);
  check_write(183, 275, (int64_t)1 << 32, 0x90000000u, 0, 0);
  check_write(183, 277, 0x12345678, 0x91000000u, 0x9119e000u, 1);             // add x0, x0, #0x678
  check_write(183, 286, 0x12345678, 0xf9400000u, 0xf9433c00u, 1);             // ldr x0, [x0, #0x678]
  check_write(183, 286, 0x12345674, 0xf9400000u, 0, 0);                       // not a multiple of 8
  check_write(183, 299, 0x10, 0x3dc00000u, 0x3dc00400u, 1);                   // ldr q0, [x0, #16]
  check_write(183, 285, 0x104, 0xbd400000u, 0xbd410400u, 1);                  // ldr s0, [x0, #260]
  check_write(183, 264, 0x123456789abcdef0, 0xf2800000u, 0xf29bde00u, 1);     // movk x0, #0xdef0
  check_write(183, 266, 0x123456789abcdef0, 0xf2a00000u, 0xf2b35780u, 1);     // movk x0, #0x9abc, lsl 16
  check_write(183, 269, 0x123456789abcdef0, 0xf2e00000u, 0xf2e24680u, 1);     // movk x0, #0x1234, lsl 48
  check_write(183, 263, 0x10000, 0xd2800000u, 0, 0);
  check_write(183, 280, -8, 0x54000000u, 0x54ffffc0u, 1);                     // b.eq -8
  check_write(183, 279, 8, 0x36000000u, 0x36000040u, 1);                      // tbz w0, 0, +8
  check_write(183, 274, 5, 0x10000000u, 0x30000020u, 1);                      // adr x0, +5
  check_write(62, 2, -1, 0, 0xffffffffu, 1);
  check_write(62, 2, (int64_t)1 << 31, 7, 7, 0);
  check_write(62, 2, -((int64_t)1 << 31), 0, 0x80000000u, 1);
  check_write(62, 10, 0xffffffffll, 0, 0xffffffffu, 1);
  check_write(62, 10, -1, 0, 0, 0);
  check_write(62, 10, (int64_t)1 << 32, 0, 0, 0);
  check_write(62, 11, 0x80000000ll, 0, 0, 0);
  CHECK(tn_elf_how_of(62, 999) == NULL && tn_elf_how_of(183, 2) == NULL);
}

// ** damage **

static uint64_t random_state = 1;
static uint32_t random_below(uint32_t n) { random_state = tn_hash_mix(random_state, 1); return (uint32_t)((random_state >> 11) % n); }

static int loads_damaged(tiny_ctx *t, const char *data, size_t n, int machine) {
  tn_elf *e = NULL;
  char *exact = (char *)malloc(n ? n : 1); // so that a sanitizer sees each byte read behind the end
  memcpy(exact, data, n);
  const tiny_code code = tn_elf_load(t, exact, n, machine, names, 3, &e);
  if (code == TINY_OK) tn_elf_symbol(e, "branch");
  tn_elf_unload(t, e);
  free(exact);
  t->code = TINY_OK; t->message[0] = 0;
  return code == TINY_OK;
}
static void test_damaged(tiny_ctx *t, const char *const *flags, int machine) {
  tiny_bytes object;
  CHECK(compile(t, source, flags, &object));
  const size_t n = object.n;
  char *copy = (char *)malloc(n);
  int loaded = 0, rounds = 0;
  for (size_t cut = 0; cut < n; cut++) loaded += loads_damaged(t, object.data, cut, machine);
  CHECK_EQ(loaded, 0);                     // the section table is last: every cut is seen
  for (; rounds < 6000; rounds++) {
    memcpy(copy, object.data, n);
    for (uint32_t i = 0, flips = 1 + random_below(4); i < flips; i++) {
      uint64_t header;
      memcpy(&header, copy + 40, 8);       // half of the damage goes where it hurts: headers and tables
      const uint32_t at = random_below(2) || header >= n ? random_below((uint32_t)n) : (uint32_t)header + random_below((uint32_t)(n - header));
      copy[at] = random_below(3) ? (char)(copy[at] ^ (1 << random_below(8))) : (char)(random_below(2) ? 0xff : 0x80);
    }
    loaded += loads_damaged(t, copy, n, machine);
  }
  CHECK(loaded > 0 && loaded < rounds);
  free(copy);
}

typedef struct object_arg { tiny_bytes object; tn_elf *e; } object_arg;
static tiny_code load_guarded(tiny_ctx *t, void *arg) {
  object_arg *a = (object_arg *)arg;
  return tn_elf_load(t, a->object.data, a->object.n, HOST, names, 3, &a->e);
}
static void test_no_memory(tiny_ctx *compiling) {
  static const char *const pie[] = { HOST_TRIPLE, "-O2", "-fPIE", NULL };
  object_arg a;
  CHECK(compile(compiling, source, pie, &a.object));
  for (int guarded = 0; guarded < 2; guarded++) {
    int reached = 0;
    for (long n = 1; n < 50 && !reached; n++) {
      tiny_ctx t;
      memory_count m = { 0, n, 0, 0 };
      memory_context(&t, &m);
      a.e = NULL;
      const tiny_code code = guarded ? tn_guard(&t, load_guarded, &a) : load_guarded(&t, &a);
      reached = m.calls < n;
      CHECK_EQ(code, reached ? TINY_OK : TINY_E_MEMORY);
      CHECK_EQ(a.e != NULL, reached);
      tn_elf_unload(&t, a.e);
      tn_scratch_reset(&t, 1);
      CHECK_EQ(m.live, 0); CHECK_EQ(m.wrong, 0);
    }
    CHECK(reached);
  }
}

int main(void) {
  tiny_ctx t;
  memory_count m = { 0, 0, 0, 0 };
  memory_context(&t, &m);
  test_fields();
  if (!clang_path()) { printf("no clang: only the fields were tested\n"); return test_report(); }
  test_runs(&t);
  test_errors(&t);
  test_writable(&t);
  test_arm64(&t);
  static const char *const pie[] = { HOST_TRIPLE, "-O2", "-fPIE", NULL }, *const arm[] = { "--target=aarch64-none-elf", "-O2", NULL };
  test_damaged(&t, pie, HOST);
  test_damaged(&t, arm, TN_ELF_ARM64);
  test_no_memory(&t);
  tn_scratch_reset(&t, 1);
  CHECK_EQ(m.live, 0); CHECK_EQ(m.wrong, 0);
  return test_report();
}
