// kept: calls of kernels that look whether what the host's convention keeps for the caller is kept: general and vector
// registers, filled before and compared after, the stack's place, and on arm64 x18, which is the system's on macOS and
// Windows. For x86-64 (System V, Windows) and arm64; elsewhere kernels are called and nothing is seen.
#ifndef TINY_TEST_KEPT
#define TINY_TEST_KEPT

typedef struct kept_call {
  void *kernel, *arg[4];
  uint64_t general[2][12];                 // before, after
  uint64_t vector[2][20];
  uint64_t stack[2];
} kept_call;

#if defined(__x86_64__) && defined(__GNUC__)
  #ifdef _WIN32
    #define KEPT_ALL 8                     // rbx rbp r12 r13 r14 r15 rdi rsi
    #define KEPT_VECTOR 20                 // words of 8 bytes: xmm6 to xmm15
    #define KEPT_NAME "kept_run"
    #define KEPT_IN "mov %rcx, %rax\n"
    #define KEPT_ARGS "mov 8(%rax), %rcx\n mov 16(%rax), %rdx\n mov 24(%rax), %r8\n mov 32(%rax), %r9\n"
  #else
    #define KEPT_ALL 6                     // rbx rbp r12 r13 r14 r15
    #define KEPT_VECTOR 0
    #ifdef __APPLE__
      #define KEPT_NAME "_kept_run"
    #else
      #define KEPT_NAME "kept_run"
    #endif
    #define KEPT_IN "mov %rdi, %rax\n"
    #define KEPT_ARGS "mov 8(%rax), %rdi\n mov 16(%rax), %rsi\n mov 24(%rax), %rdx\n mov 32(%rax), %rcx\n"
  #endif
  #define KEPT_X(n, do) do(6, n) do(7, n) do(8, n) do(9, n) do(10, n) do(11, n) do(12, n) do(13, n) \
    do(14, n) do(15, n)
  #define KEPT_OUT_(r, n) "movups %xmm" #r ", " n "+16*(" #r "-6)(%rax)\n"
  #define KEPT_IN_(r, n) "movups " n "+16*(" #r "-6)(%rax), %xmm" #r "\n"
  #define KEPT_SAVE_(r, n) "movups %xmm" #r ", " n "+16*(" #r "-6)(%rsp)\n"
  #define KEPT_BACK_(r, n) "movups " n "+16*(" #r "-6)(%rsp), %xmm" #r "\n"
  // The struct: kernel 0, arg 8, general 40 and 136, vector 232 and 392, stack 552.
  __asm__(".text\n.globl " KEPT_NAME "\n" KEPT_NAME ":\n"
    KEPT_IN
    "push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n push %rdi\n push %rsi\n"
    "sub $200, %rsp\n mov %rax, 192(%rsp)\n"
    KEPT_X("32", KEPT_SAVE_)
    "mov 40(%rax), %rbx\n mov 48(%rax), %rbp\n mov 56(%rax), %r12\n mov 64(%rax), %r13\n mov 72(%rax), %r14\n"
    "mov 80(%rax), %r15\n mov 88(%rax), %rdi\n mov 96(%rax), %rsi\n"
    KEPT_X("232", KEPT_IN_)
    KEPT_ARGS
    "mov %rsp, 552(%rax)\n call *(%rax)\n mov %rsp, %r11\n mov 192(%rsp), %rax\n mov %r11, 560(%rax)\n"
    "mov %rbx, 136(%rax)\n mov %rbp, 144(%rax)\n mov %r12, 152(%rax)\n mov %r13, 160(%rax)\n mov %r14, 168(%rax)\n"
    "mov %r15, 176(%rax)\n mov %rdi, 184(%rax)\n mov %rsi, 192(%rax)\n"
    KEPT_X("392", KEPT_OUT_)
    KEPT_X("32", KEPT_BACK_)
    "add $200, %rsp\n"
    "pop %rsi\n pop %rdi\n pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n ret\n");
#elif defined(__aarch64__) && defined(__GNUC__)
  #define KEPT_ALL 12                      // x18 to x29
  #define KEPT_VECTOR 8                    // d8 to d15
  #ifdef __APPLE__
    #define KEPT_NAME "_kept_run"
  #else
    #define KEPT_NAME "kept_run"
  #endif
  __asm__(".text\n.globl " KEPT_NAME "\n.p2align 2\n" KEPT_NAME ":\n"
    "stp x29, x30, [sp, #-192]!\n stp x19, x20, [sp, #16]\n stp x21, x22, [sp, #32]\n stp x23, x24, [sp, #48]\n"
    "stp x25, x26, [sp, #64]\n stp x27, x28, [sp, #80]\n stp d8, d9, [sp, #96]\n stp d10, d11, [sp, #112]\n"
    "stp d12, d13, [sp, #128]\n stp d14, d15, [sp, #144]\n stp x0, x18, [sp, #160]\n"
    "mov x9, x0\n add x10, x9, #40\n ldp x18, x19, [x10]\n ldp x20, x21, [x10, #16]\n ldp x22, x23, [x10, #32]\n"
    "ldp x24, x25, [x10, #48]\n ldp x26, x27, [x10, #64]\n ldp x28, x29, [x10, #80]\n add x10, x9, #232\n"
    "ldp d8, d9, [x10]\n ldp d10, d11, [x10, #16]\n ldp d12, d13, [x10, #32]\n ldp d14, d15, [x10, #48]\n"
    "mov x10, sp\n str x10, [x9, #552]\n ldp x0, x1, [x9, #8]\n ldp x2, x3, [x9, #24]\n ldr x11, [x9]\n blr x11\n"
    "mov x10, sp\n ldr x9, [sp, #160]\n str x10, [x9, #560]\n add x10, x9, #136\n stp x18, x19, [x10]\n"
    "stp x20, x21, [x10, #16]\n stp x22, x23, [x10, #32]\n stp x24, x25, [x10, #48]\n stp x26, x27, [x10, #64]\n"
    "stp x28, x29, [x10, #80]\n add x10, x9, #392\n stp d8, d9, [x10]\n stp d10, d11, [x10, #16]\n"
    "stp d12, d13, [x10, #32]\n stp d14, d15, [x10, #48]\n"
    "ldr x18, [sp, #168]\n ldp x19, x20, [sp, #16]\n ldp x21, x22, [sp, #32]\n ldp x23, x24, [sp, #48]\n"
    "ldp x25, x26, [sp, #64]\n ldp x27, x28, [sp, #80]\n ldp d8, d9, [sp, #96]\n ldp d10, d11, [sp, #112]\n"
    "ldp d12, d13, [sp, #128]\n ldp d14, d15, [sp, #144]\n ldp x29, x30, [sp], #192\n ret\n");
#endif

static int kept_calls, kept_broken;        // how many kernels were called, and how many did not keep it all

#ifdef KEPT_ALL
void kept_run(kept_call *c);
static void kept_task(tn_cpu_kernel kernel, void *const *mem, const long long *args, long long task, char *local) {
  kept_call c;
  memcpy(&c.kernel, &kernel, sizeof kernel);
  c.arg[0] = (void *)(uintptr_t)mem; c.arg[1] = (void *)(uintptr_t)args;
  c.arg[2] = (void *)(uintptr_t)task; c.arg[3] = local;
  for (int i = 0; i < 12; i++) c.general[0][i] = 0xABCD000000000000u + (uint64_t)i * 0x10001;
  for (int i = 0; i < 20; i++) c.vector[0][i] = 0x4321000000000000u + (uint64_t)i * 0x30003;
  kept_run(&c);
  const int same = !memcmp(c.general[0], c.general[1], KEPT_ALL * 8) && c.stack[0] == c.stack[1] &&
      !memcmp(c.vector[0], c.vector[1], KEPT_VECTOR * 8);
  kept_calls++;
  kept_broken += !same;
}
#else
static void kept_task(tn_cpu_kernel kernel, void *const *mem, const long long *args, long long task, char *local) {
  kernel(mem, args, task, local);
}
#endif

// The CPU, whose kernels are called so.
static tiny_code kept_launch(void *dev, const tiny_launch *l) {
  static char room[1 << 20];
  char *local = room + (TN_CPU_ALIGN - (uintptr_t)room % TN_CPU_ALIGN);
  void *mem[TN_CPU_PARAMS];
  tn_cpu_kernel kernel;
  if (l->nmem > TN_CPU_PARAMS || l->local_nbytes + TN_CPU_ALIGN > sizeof room) return tn_cpu_launch(dev, l);
  memcpy(&kernel, &l->kernel, sizeof kernel);
  for (int i = 0; i < l->nmem; i++) mem[i] = tn_cpu_at(l->mem[i]);
  if (l->stamp) l->stamp[0] = tn_os_now();
  for (int64_t i = 0; i < (l->tasks < 1 ? 1 : l->tasks); i++)
    kept_task(kernel, mem, (const long long *)(const void *)l->args, (long long)i, l->local_nbytes ? local : NULL);
  if (l->stamp) l->stamp[1] = tn_os_now();
  return TINY_OK;
}
static const tiny_backend *kept_backend(void) {
  static tiny_backend b;
  b = tn_cpu_backend;
  b.name = "KEPT"; b.launch = kept_launch;
  return &b;
}
#endif
