// threads: atomics, threads and locks, in structs of the caller: no memory is asked for.
#ifndef TN_BASE_THREADS
#define TN_BASE_THREADS
#ifndef TINY_AMALGAMATED
#include "os.c"
#endif

// ** atomics: sequentially consistent, on int64_t **

#if defined(_MSC_VER) && !defined(__clang__)
static inline int64_t tn_os_atomic_add(int64_t *p, int64_t v) { return _InterlockedExchangeAdd64(p, v); }
static inline int64_t tn_os_atomic_load(int64_t *p) { return _InterlockedOr64(p, 0); }
static inline void tn_os_atomic_store(int64_t *p, int64_t v) { _InterlockedExchange64(p, v); }
#else
static inline int64_t tn_os_atomic_add(int64_t *p, int64_t v) {
  return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST);
}
static inline int64_t tn_os_atomic_load(int64_t *p) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); }
static inline void tn_os_atomic_store(int64_t *p, int64_t v) { __atomic_store_n(p, v, __ATOMIC_SEQ_CST); }
#endif

static inline void tn_os_relax(void) {     // tells the core that it spins
#if defined(_WIN32)
  YieldProcessor();
#elif defined(TN_OS_X86)
  __asm__ volatile("pause");
#elif defined(TN_OS_ARM64)
  __asm__ volatile("isb");                 // as long as x86's pause; yield is none on most cores
#endif
}

// ** threads and locks **

#ifndef TINY_NO_THREADS

// The core that the calling thread runs on, -1: not known.
static int tn_os_core_now(void) {
#ifdef __linux__
  unsigned core = 0;
  return syscall(SYS_getcpu, &core, NULL, NULL) ? -1 : (int)core;
#else
  return -1;
#endif
}

// The thread with this number runs on the cores of m but one, if there are others.
static void tn_os_keep_off(int64_t thread, const tn_os_cores_mask *m, int core) {
#ifdef __linux__
  enum { BITS = 8 * sizeof(unsigned long) };
  tn_os_cores_mask own = *m;
  unsigned long some = 0;
  if (core < 0 || core >= own.n * BITS) return;
  own.bits[core / BITS] &= ~(1ul << core % BITS);
  for (long i = 0; i < own.n; i++) some |= own.bits[i];
  if (some && thread) syscall(SYS_sched_setaffinity, (int)thread, (size_t)own.n * sizeof *own.bits, own.bits);
#else
  (void)thread; (void)m; (void)core;
#endif
}

#ifndef _WIN32
static int64_t tn_os_thread_number(void) { // of the calling thread, for tn_os_keep_off; 0: not known
#ifdef __linux__
  return syscall(SYS_gettid);
#else
  return 0;
#endif
}
#endif

enum { TN_OS_STACK = 1024 * 1024 };        // bytes: imported kernels may want more than the 128 KiB of some systems

typedef struct tn_os_thread { void (*fn)(void *arg); void *arg;
  int64_t number;                          // once it runs
#ifdef _WIN32
  HANDLE id;
#else
  pthread_t id;
#endif
} tn_os_thread;

#ifdef _WIN32
typedef SRWLOCK tn_os_mutex;
typedef CONDITION_VARIABLE tn_os_cond;
static void tn_os_mutex_open(tn_os_mutex *m) { InitializeSRWLock(m); }
static void tn_os_mutex_close(tn_os_mutex *m) { (void)m; }
static void tn_os_lock(tn_os_mutex *m) { AcquireSRWLockExclusive(m); }
static void tn_os_unlock(tn_os_mutex *m) { ReleaseSRWLockExclusive(m); }
static void tn_os_cond_open(tn_os_cond *c) { InitializeConditionVariable(c); }
static void tn_os_cond_close(tn_os_cond *c) { (void)c; }
static void tn_os_wait(tn_os_cond *c, tn_os_mutex *m) { SleepConditionVariableSRW(c, m, INFINITE, 0); }
static void tn_os_wake_one(tn_os_cond *c) { WakeConditionVariable(c); }
static void tn_os_wake_all(tn_os_cond *c) { WakeAllConditionVariable(c); }

static DWORD WINAPI tn_os_thread_main(void *arg) {
  tn_os_thread *thread = (tn_os_thread *)arg;
  thread->fn(thread->arg);
  return 0;
}
static int tn_os_thread_start(tn_os_thread *thread, void (*fn)(void *arg), void *arg) {
  thread->fn = fn; thread->arg = arg;
  const DWORD reserved = STACK_SIZE_PARAM_IS_A_RESERVATION;
  thread->id = CreateThread(NULL, TN_OS_STACK, tn_os_thread_main, thread, reserved, NULL);
  return thread->id != NULL;
}
static void tn_os_thread_join(tn_os_thread *thread) {
  WaitForSingleObject(thread->id, INFINITE);
  CloseHandle(thread->id);
}
#else
typedef pthread_mutex_t tn_os_mutex;
typedef pthread_cond_t tn_os_cond;
static void tn_os_mutex_open(tn_os_mutex *m) { pthread_mutex_init(m, NULL); }
static void tn_os_mutex_close(tn_os_mutex *m) { pthread_mutex_destroy(m); }
static void tn_os_lock(tn_os_mutex *m) { pthread_mutex_lock(m); }
static void tn_os_unlock(tn_os_mutex *m) { pthread_mutex_unlock(m); }
static void tn_os_cond_open(tn_os_cond *c) { pthread_cond_init(c, NULL); }
static void tn_os_cond_close(tn_os_cond *c) { pthread_cond_destroy(c); }
static void tn_os_wait(tn_os_cond *c, tn_os_mutex *m) { pthread_cond_wait(c, m); }
static void tn_os_wake_one(tn_os_cond *c) { pthread_cond_signal(c); }
static void tn_os_wake_all(tn_os_cond *c) { pthread_cond_broadcast(c); }

static void *tn_os_thread_main(void *arg) {
  tn_os_thread *thread = (tn_os_thread *)arg;
  tn_os_atomic_store(&thread->number, tn_os_thread_number());
  thread->fn(thread->arg);
  return NULL;
}
// The thread takes no signals: the host's handlers go on running on the host's threads.
#ifdef TN_OS_PAGE                          // there are none
static int tn_os_thread_create(tn_os_thread *thread, const pthread_attr_t *attr) {
  return pthread_create(&thread->id, attr, tn_os_thread_main, thread);
}
#else
static int tn_os_thread_create(tn_os_thread *thread, const pthread_attr_t *attr) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(TN_OS_SIG_SETMASK, &all, &before);
  const int failed = pthread_create(&thread->id, attr, tn_os_thread_main, thread);
  pthread_sigmask(TN_OS_SIG_SETMASK, &before, NULL);
  return failed;
}
#endif
static int tn_os_thread_start(tn_os_thread *thread, void (*fn)(void *arg), void *arg) {
  pthread_attr_t attr;
  thread->fn = fn; thread->arg = arg;
  if (pthread_attr_init(&attr)) return 0;
  pthread_attr_setstacksize(&attr, TN_OS_STACK);
  const int failed = tn_os_thread_create(thread, &attr);
  pthread_attr_destroy(&attr);
  return !failed;
}
static void tn_os_thread_join(tn_os_thread *thread) { pthread_join(thread->id, NULL); }
#endif

#endif // TINY_NO_THREADS
#endif
