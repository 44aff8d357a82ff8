// isa_counts: how many instructions kernels of arm64 take, by the built-in compiler and by clang: those that run.
//   tools/isa_counts.sh [-k TEXT]      -k: rows of bench/isa.c whose name has TEXT
//
// No time can be told by an emulator, but it tells what it executes. Each row runs twice, once compiled by each, on the
// same inputs, on one thread. This program, emulated, says by calls of two functions at known places what is run when;
// tools/isa_counts.py counts the instructions between, which qemu logs (-d in_asm,exec,nochain).
#define main isa_main
#include "isa.c"
#undef main

// A function that returns, where nothing else is: a call of its n-th instruction of two is a mark in the log.
typedef void (*mark_fn)(void);
enum { MARKS = 16 };
static const uintptr_t mark_place = (uintptr_t)0x50 << 32;
static int open_marks(void) {
  uint32_t *code = (uint32_t *)mmap((void *)mark_place, 4096, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | TN_OS_MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  if (code == MAP_FAILED) return 0;
  for (int i = 0; i < MARKS; i++) code[i] = 0xD65F03C0;       // ret
  return tn_os_make_executable(code, 4096);
}
static void mark(int n) {
  const uintptr_t at = mark_place + 4 * (uintptr_t)n;
  mark_fn fn;
  memcpy(&fn, &at, sizeof fn);
  fn();
}

// Marks: 0 ends; 1: it begins, by the built-in compiler; 2: by clang.
static int count_row(int which, int built_in) {
  tiny_ctx *t = open_with(built_in ? "builtin" : "clang");
  program p;
  row_inputs x;
  row_program(t, which, built_in, &p, &x);
  if (failed(t)) { tiny_close(t); return 0; }
  mark(1 + !built_in);
  program_run(&p);
  mark(0);
  tiny_close(t);
  return 1;
}
int main(int argc, char **argv) {
  char name[64];
  for (int i = 1; i + 1 < argc; i++) if (!strcmp(argv[i], "-k")) only = argv[i + 1];
  if (!open_marks()) return 1;
  for (int i = 0; i < ROWS_RACED; i++) {
    const int before = refused;
    snprintf(name, sizeof name, "%s %d x %d", rows_raced[i].name, (int)rows_raced[i].m, (int)rows_raced[i].n);
    if (!wanted(name) || rows_raced[i].product < 0) continue;
    row_name = name;
    const int both = count_row(i, 1) && count_row(i, 0);
    printf("%s%s\n", name, !both ? "; failed" : refused > before ? "; refused" : "");
    fflush(stdout);
  }
  printf("%s", reasons);
  return 0;
}
