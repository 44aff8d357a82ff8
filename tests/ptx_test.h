// ptx_test: a kernel of a few lines of PTX on the machine of ptx_machine.h, and what it leaves in memory.
#ifndef PTX_TEST_H
#define PTX_TEST_H
#include "ptx_machine.c"
#include "test.h"

enum { AT = 0x10000, NBYTES = 1 << 16 };
static unsigned char memory[NBYTES];
static void *memory_at(void *user, uint64_t address, size_t nbytes, int writes) {
  (void)user;
  (void)writes;
  return address >= AT && address + nbytes <= AT + NBYTES ? memory + (address - AT) : NULL;
}
static char error[400];
static ptx_counts counts;
// %tid.x is %t, and %o the address of the thread's 8 bytes of the result, %m of memory's second half.
static const char head[] = ".version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out, .param "
                           ".u32 n) {\n"
                           ".reg .pred %p<9>; .reg .b16 %h<99>; .reg .b32 %r<99>, %t; .reg .f32 %f<99>; .reg .b64 "
                           "%d<99>, %o, %m; .reg .f64 %g<9>;\n"
                           "ld.param.u64 %m, [out]; mov.u32 %t, %tid.x; mad.wide.u32 %o, %t, 8, %m; add.u64 %m, %m, "
                           "32768;\n";
enum { HEAD_LINES = 7 };                    // the body's first line
static ptx_launch launch_of(uint32_t threads, uint32_t seed) {
  static uint64_t params[2] = {AT, 5};
  ptx_launch l;
  memset(&l, 0, sizeof l);
  l.kernel = "k"; l.grid[0] = 1; l.block[0] = threads; l.dynamic_shared = 4096;
  l.params = params; l.param_nbytes = sizeof params;
  l.memory.at = memory_at; l.seed = seed; l.max_steps = 100000;
  return l;
}
// $TEST_PTX_TEXTS: a folder for the texts of what runs, which ptxas has to take as well (test_ptx_nvcc.sh).
static void keep_text(const char *text) {
  static int n;
  const char *folder = getenv("TEST_PTX_TEXTS");
  char path[300];
  if (!folder) return;
  snprintf(path, sizeof path, "%s/%d.ptx", folder, n++);
  FILE *f = fopen(path, "wb");
  CHECK(f && fputs(text, f) >= 0);
  if (f) fclose(f);
}
// 0: it ran.
static int run_of(const char *body, uint32_t threads, uint32_t groups, uint32_t seed) {
  static char text[20000];
  snprintf(text, sizeof text, "%s%s\nret; }\n", head, body);
  ptx_module *m = ptx_parse(text, strlen(text), error, sizeof error);
  if (!m) return 2;
  ptx_launch l = launch_of(threads, seed);
  l.grid[0] = groups;
  const int code = ptx_run(m, &l, &counts, error, sizeof error);
  ptx_free(m);
  if (!code && !seed) keep_text(text);
  return code;
}
static uint64_t result(int thread) { uint64_t x; memcpy(&x, memory + 8 * thread, 8); return x; }

#define F(x) ptx_raw32(x)
#define G(x) ptx_b64(x)

// What a machine says of a mistake: the line of the body (1: the first), the thread (NULL: any), words.
typedef struct mistake { const char *body; int line, threads; const char *thread, *says; } mistake;
// Elements of matrices.
static int of_a(int row, int k) { return (row * 3 + k * 5) % 7 - 3; }
static int of_b(int k, int column) { return (k * 2 + column * 3) % 5 - 2; }
#endif
