// mock_cuda: a CUDA driver that executes, strictly: libcuda.so.1 of machines without a GPU.
//
// Streams run late: what is given to them waits until somebody waits for it, or a die says so. Device memory has
// addresses that nobody may touch: each block lies elsewhere, between pages that fault. Kernels are C++
// (mock_nvrtc.cpp), one work item a fiber where they have barriers, or PTX, which ptx_machine.h executes. What a driver would tolerate is written to stderr
// and counted, and the process ends with status 99: freed memory in use, copies that leave a block, handles of another
// context, modules unloaded while they are queued, what is left when a context goes.
//
// MOCK_CUDA_DEVICES=2  MOCK_CUDA_SM=90  MOCK_CUDA_VERSION=13000  MOCK_CUDA_POOLS=1  MOCK_CUDA_SEED=0
// MOCK_CUDA_INIT=0 (what cuInit says)
// Built with MOCK_CUDA_OLD it is a driver of before CUDA 12, without what tells the copy unit of tensors.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>
#include "mock_cuda.h"
#include "ptx_machine.h"

#define EXPORT extern "C" __attribute__((visibility("default")))
typedef unsigned long long u64;
enum { OK = 0, INVALID = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, BAD_DEVICE = 101, BAD_IMAGE = 200, BAD_CONTEXT = 201,
       BAD_PTX = 218, BAD_HANDLE = 400, NOT_FOUND = 500, NOT_READY = 600, ILLEGAL = 700, NO_RESOURCES = 701,
       PEER_ENABLED = 704 };
enum {
  ITEMS = 1024,
  STACK = 64 << 10,
  WARP = 32,
  SHARED = 99 << 10,
  SHARED_STATIC = 48 << 10,
  PAGE = 4096,
  LINE = 256
};
static const u64 BASE = 0x7A0000000000;    // where device addresses begin

static std::recursive_mutex one;           // a driver has locks; this one has one
typedef std::lock_guard<std::recursive_mutex> locked;
static long env_of(const char *name, long otherwise) {
  const char *text = getenv(name);
  return text && *text ? strtol(text, nullptr, 10) : otherwise;
}

// image: the module whose variable it is
struct block {
  u64 at; size_t nbytes; char *pages, *near; size_t npages; struct context *of; bool pool, dying; struct module *image;
};
struct function; struct event;
// variables: where those that were asked for lie
struct module {
  void *library; ptx_module *ptx; struct context *of; std::vector<function *> functions; int queued;
  std::map<std::string, u64> variables;
};
// ptx: the kernel of a module that is PTX; entry: of others
struct function {
  module *of; mock_entry *entry; const ptx_kernel *ptx; std::string name; int shared;
  int parameters() const { int n = 0; while (ptx && place(n).second) n++; return ptx ? n : entry->n; }
  size_t nbytes(int i) const { return ptx ? place(i).second : (size_t)entry->nbytes[i]; }
  std::pair<size_t, size_t> place(int i) const {             // where it begins, its bytes; 0: there is none
    size_t at = 0, n = 0;
    return ptx_param(of->ptx, name.c_str(), i, &at, &n) ? std::make_pair(at, n) : std::make_pair((size_t)0, (size_t)0);
  }
};
struct work { std::function<int()> run; module *uses; const void *pinned; };  // pinned: what a copy reads, writes
struct stream { struct context *of; std::deque<work> queue; u64 given, done; };
struct event { struct context *of; stream *in; u64 place; bool timed, recorded; double ms; };
struct node { function *f; unsigned grid[3], block[3], shared; std::vector<u64> value; };
struct graph { std::vector<node *> nodes; };
struct exec { struct context *of; std::vector<node> nodes; std::vector<node *> from; };
struct context {
  int device, refs; int lost; stream *standard;
  std::set<stream *> streams; std::set<event *> events; std::set<module *> modules; std::set<exec *> execs;
  std::map<char *, size_t> pinned; std::set<context *> peers;
};
static std::map<u64, block> blocks;        // by their first address
static std::set<context *> contexts;
static std::set<graph *> graphs;
static std::map<int, context *> primary;
static thread_local std::vector<context *> current;
static u64 next_address = BASE, limit, die, live, done_everywhere;
static int wrongs, initialised;
static long die_at, die_code, refuse_at, calls, refuse_code, lose_at, kernels, graph_launches, changed, overlapped;
static long maps;
static double clock_ms = 1000, item_ms;
static int early_bits;

static int wrong(const char *what, const char *detail = "") {
  if (wrongs < 20) fprintf(stderr, "mock_cuda: %s%s%s\n", what, *detail ? ": " : "", detail);
  wrongs++;
  if (getenv("MOCK_CUDA_ABORT")) abort();  // where it happens
  return INVALID;
}
static struct at_end {
  ~at_end() {
    if (!contexts.empty()) wrong("a context is left at the end");
    if (!graphs.empty()) wrong("a graph is left at the end");
    if (wrongs) { fprintf(stderr, "mock_cuda: %d wrongs\n", wrongs); fflush(stderr); _exit(99); }
  }
} at_end;

// Each entry point begins so: is it this call's turn to be refused?
static int refused() {
  calls++;
  if (!initialised) return 3;
  if (die_at && calls >= die_at) return (int)die_code;
  return refuse_at && calls == refuse_at ? (int)refuse_code : OK;
}
#define BEGIN locked hold(one); if (const int no = refused()) return no
static context *now() { return current.empty() ? nullptr : current.back(); }
#define BEGIN_IN BEGIN; context *const here = now(); if (!here) return wrong("no context is current", __func__); \
  if (here->lost) return here->lost

// ** memory **

static block *block_at(u64 at) {
  auto i = blocks.upper_bound(at);
  if (i == blocks.begin()) return nullptr;
  block *b = &(--i)->second;
  return at < b->at + b->nbytes ? b : nullptr;
}
static char *near_of(u64 at, size_t nbytes, const char *who) {
  block *b = block_at(at);
  if (!b) { wrong("memory that is not there, or no longer", who); return nullptr; }
  if (at + nbytes > b->at + b->nbytes) { wrong("memory beyond a block", who); return nullptr; }
  return b->near + (at - b->at);
}
static int block_new(context *c, size_t nbytes, bool pool, u64 *out, module *image = nullptr) {
  if (!nbytes) return wrong("0 bytes are asked for");
  if (limit && live + nbytes > limit && !image) return OUT_OF_MEMORY;
  block b = {next_address, nbytes, nullptr, nullptr, 0, c, pool, false, image};
  const size_t whole = (nbytes + LINE - 1) / LINE * LINE;
  b.npages = (whole + PAGE - 1) / PAGE * PAGE + 2 * PAGE;
  b.pages = (char *)mmap(nullptr, b.npages, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (b.pages == MAP_FAILED) return OUT_OF_MEMORY;
  mprotect(b.pages + PAGE, b.npages - 2 * PAGE, PROT_READ | PROT_WRITE);
  b.near = b.pages + b.npages - PAGE - whole;
  memset(b.near, 0xC5, whole);             // nobody relies on zeros
  next_address += (whole + 2 * LINE) / LINE * LINE + 65536;
  if (!image) live += nbytes;
  blocks[b.at] = b;
  *out = b.at;
  return OK;
}
static int block_end(u64 at) {
  auto i = blocks.find(at);
  if (i == blocks.end()) return wrong("memory is freed that is not there");
  if (!i->second.image) live -= i->second.nbytes;
  munmap(i->second.pages, i->second.npages);
  blocks.erase(i);
  return OK;
}

// ** streams **

static int run_to(stream *s, u64 place) {
  while (s->done < place && !s->queue.empty()) {
    work w = s->queue.front();
    s->queue.pop_front();
    s->done++;
    done_everywhere++;
    const int code = s->of->lost ? s->of->lost : w.run();
    if (w.uses) w.uses->queued--;
    if (code && !s->of->lost) s->of->lost = code;
  }
  return s->of->lost;
}
static void roll() {                       // now and then some of what waits happens
  if (!early_bits) return;
  for (context *c : contexts) for (stream *s : c->streams) {
    die = die * 6364136223846793005u + 1442695040888963407u;
    if (!(die >> (64 - early_bits)) && s->given > s->done) run_to(s, s->done + 1 + (die >> 20) % (s->given - s->done));
  }
}
static int give(stream *s, std::function<int()> run, module *uses = nullptr, const void *pinned = nullptr) {
  if (uses) uses->queued++;
  s->queue.push_back(work{run, uses, pinned});
  s->given++;
  roll();
  return OK;
}
static stream *stream_of(void *handle) {
  context *c = now();
  if (!handle) return c->standard;
  if (c->streams.count((stream *)handle)) return (stream *)handle;
  wrong("a stream that is not of the current context, or no longer");
  return nullptr;
}

// ** kernels: items are fibers where they meet **

struct fiber { void *sp; mock_item self; bool ended; int waits; };
static fiber fibers[ITEMS];
static char *stacks;
static void *home_sp;
static int running;
static mock_entry *body;
static void **body_values;
static mock_item **now_of_module;

#if defined(__x86_64__)
asm(".text\n.globl mock_switch\n.hidden mock_switch\nmock_switch:\n"
    "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\nmov %rsp,(%rdi)\nmov %rsi,%rsp\n"
    "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n");
extern "C" void mock_switch(void **save, void *to);
static void fiber_main() {
  body->call(body_values);
  fibers[running].ended = true;
  mock_switch(&fibers[running].sp, home_sp);
}
static void fiber_begin(int i) {
  void **top = (void **)(stacks + (size_t)(i + 1) * STACK - 64);
  *--top = nullptr;                        // so that the stack is aligned as behind a call
  *--top = (void *)fiber_main;
  for (int k = 0; k < 6; k++) *--top = nullptr;
  fibers[i].sp = top;
}
static void fiber_go(int i) { mock_switch(&home_sp, fibers[i].sp); }
static void fiber_yield(int i) { mock_switch(&fibers[i].sp, home_sp); }
#else
#include <ucontext.h>
static ucontext_t ucontexts[ITEMS], home_context;
static void fiber_main() { body->call(body_values); fibers[running].ended = true; }
static void fiber_begin(int i) {
  getcontext(&ucontexts[i]);
  ucontexts[i].uc_stack.ss_sp = stacks + (size_t)i * STACK;
  ucontexts[i].uc_stack.ss_size = STACK;
  ucontexts[i].uc_link = &home_context;
  makecontext(&ucontexts[i], fiber_main, 0);
}
static void fiber_go(int i) { swapcontext(&home_context, &ucontexts[i]); }
static void fiber_yield(int i) { swapcontext(&ucontexts[i], &home_context); }
#endif
static void meet(int warp) {
  fibers[running].waits = warp ? 2 : 1;
  fiber_yield(running);
}
static void *near_for_kernel(void *at) {
  if (!at) return nullptr;
  void *p = near_of((u64)at, 1, "a kernel's parameter");
  return p;
}
// Those of a group, or of a warp, that have all come go on; 0: some wait for ever.
static int fibers_go(int n, bool backward) {
  for (int left = n; left; ) {
    int went = 0;
    for (int k = 0; k < n; k++) {
      const int i = backward ? n - 1 - k : k;
      if (fibers[i].ended || fibers[i].waits) continue;
      running = i;
      *now_of_module = &fibers[i].self;
      fiber_go(i);
      went++;
      left -= fibers[i].ended;
    }
    for (int w = 0; w < n; w += WARP) {
      const int end = w + WARP < n ? w + WARP : n;
      int all = 1;
      for (int i = w; i < end; i++) all &= fibers[i].ended || fibers[i].waits == 2;
      for (int i = w; i < end && all; i++) { went += fibers[i].waits != 0; fibers[i].waits = 0; }
    }
    int all = 1;
    for (int i = 0; i < n; i++) all &= fibers[i].ended || fibers[i].waits == 1;
    for (int i = 0; i < n && all; i++) { went += fibers[i].waits != 0; fibers[i].waits = 0; }
    if (!went && left) return 0;
  }
  return 1;
}
static void *memory_of_ptx(void *, uint64_t address, size_t nbytes, int) {
  const block *b = block_at(address);
  return b && address + nbytes <= b->at + b->nbytes ? b->near + (address - b->at) : nullptr;
}
static int run_ptx(const node &n) {
  char said[500];
  ptx_launch l = {};
  l.kernel = n.f->name.c_str();
  memcpy(l.grid, n.grid, sizeof l.grid);
  memcpy(l.block, n.block, sizeof l.block);
  l.dynamic_shared = n.shared;
  l.params = n.value.data(); l.param_nbytes = n.f->ptx->param_nbytes;
  l.memory.at = memory_of_ptx;
  l.seed = early_bits ? (uint32_t)(die >> 32) | 1 : 0;
  if (!ptx_run(n.f->of->ptx, &l, nullptr, said, sizeof said)) return OK;
  wrong(n.f->name.c_str(), said);
  return ILLEGAL;
}
static int run_kernel(const node &n) {
  static u64 lanes[ITEMS / WARP][WARP];
  static char shared[SHARED + 64] __attribute__((aligned(128)));
  const int items = (int)(n.block[0] * n.block[1] * n.block[2]);
  std::vector<void *> values;
  kernels++;
  clock_ms += 0.01 + item_ms * (double)((u64)n.grid[0] * n.grid[1] * n.grid[2] * (u64)items);
  if (lose_at && kernels >= lose_at) { lose_at = 0; return ILLEGAL; }
  if (n.f->ptx) return run_ptx(n);
  if (!stacks) stacks = (char *)mmap(nullptr, (size_t)ITEMS * STACK, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  for (int i = 0, at = 0; i < n.f->entry->n; at += (n.f->entry->nbytes[i++] + 7) / 8)
    values.push_back((void *)&n.value[(size_t)at]);
  body = n.f->entry;
  body_values = values.data();
  now_of_module = (mock_item **)dlsym(n.f->of->library, "mock_now");
  const bool backward = kernels & 1;       // no order of items is promised
  memset(shared, 0xC5, n.shared);
  for (unsigned gz = 0; gz < n.grid[2]; gz++) for (unsigned gy = 0; gy < n.grid[1]; gy++)
    for (unsigned gx = 0; gx < n.grid[0]; gx++) {
      for (int i = 0; i < items; i++) {
        mock_item *m = &fibers[i].self;
        const unsigned u = (unsigned)i, x = n.block[0], y = n.block[1];
        m->item = mock_dim{u % x, u / x % y, u / x / y};
        m->group = mock_dim{gx, gy, gz};
        m->items = mock_dim{n.block[0], n.block[1], n.block[2]};
        m->groups = mock_dim{n.grid[0], n.grid[1], n.grid[2]};
        m->meet = meet; m->near = near_for_kernel; m->shared = shared;
        m->lanes = lanes[i / WARP]; m->lane = i % WARP;
        fibers[i].ended = false; fibers[i].waits = 0;
        if (body->meets) fiber_begin(i);
      }
      if (body->meets && !fibers_go(items, backward)) {
        wrong("items wait for others that never come", n.f->name.c_str());
        return ILLEGAL;
      }
      for (int k = 0; k < items && !body->meets; k++) {
        *now_of_module = &fibers[backward ? items - 1 - k : k].self;
        body->call(body_values);
      }
    }
  return OK;
}
static int node_check(const node &n) {
  const u64 items = (u64)n.block[0] * n.block[1] * n.block[2];
  if (!n.f || !n.f->of) return wrong("a launch of no kernel");
  if (!n.grid[0] || !n.grid[1] || !n.grid[2] || !items || items > ITEMS || n.block[2] > 64 || n.grid[1] > 65535 ||
      n.grid[2] > 65535)
    return wrong("a launch over the limits", n.f->name.c_str());
  if (n.shared > SHARED_STATIC && (int)n.shared > n.f->shared)
    return wrong("shared memory that was not asked for", n.f->name.c_str());
  for (const u64 &v : n.value) if (v >= BASE && v < next_address && !block_at(v)) {
    char text[200];
    snprintf(text, sizeof text, "%s, parameter %d", n.f->name.c_str(), (int)(&v - n.value.data()));
    return wrong("a launch with memory that is not there", text);
  }
  return OK;
}
static std::vector<u64> values_of(const function *f, void **params) {
  std::vector<u64> out;                    // each parameter from a word on, of PTX as it has them
  for (int i = 0, n = f->parameters(); i < n; i++) {
    const size_t nbytes = f->nbytes(i);
    if (f->ptx) out.resize(std::max(out.size(), (f->place(i).first + 7) / 8));
    const size_t at = out.size();
    out.resize(at + (nbytes + 7) / 8);
    memcpy(&out[at], params[i], nbytes);
  }
  return out;
}

// ** the driver **

EXPORT int cuInit(unsigned) {
  locked hold(one);
  const int code = (int)env_of("MOCK_CUDA_INIT", 0);
  if (code) return code;
  if (!initialised) {
    mock_cuda_seed((u64)env_of("MOCK_CUDA_SEED", 0));
    initialised = 1;
  }
  return refused();
}
EXPORT int cuDriverGetVersion(int *out) { BEGIN; *out = (int)env_of("MOCK_CUDA_VERSION", 13000); return OK; }
static const struct { int code; const char *name, *text;
} codes[] = {{OK, "CUDA_SUCCESS", "no error"},
             {INVALID, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
             {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
             {NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
             {BAD_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
             {BAD_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
             {BAD_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
             {NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
             {ILLEGAL, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
             {NO_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"}};
EXPORT int cuGetErrorName(int code, const char **out) {
  for (const auto &c : codes) if (c.code == code) { *out = c.name; return OK; }
  return INVALID;
}
EXPORT int cuGetErrorString(int code, const char **out) {
  for (const auto &c : codes) if (c.code == code) { *out = c.text; return OK; }
  return INVALID;
}
EXPORT int cuDeviceGetCount(int *out) { BEGIN; *out = (int)env_of("MOCK_CUDA_DEVICES", 2); return OK; }
EXPORT int cuDeviceGet(int *out, int n) {
  BEGIN;
  if (n < 0 || n >= env_of("MOCK_CUDA_DEVICES", 2)) return BAD_DEVICE;
  *out = n;
  return OK;
}
EXPORT int cuDeviceGetName(char *out, int nbytes, int device) {
  BEGIN;
  snprintf(out, (size_t)nbytes, "mock GPU %d", device);
  return OK;
}
EXPORT int cuDeviceGetAttribute(int *out, int which, int) {
  BEGIN;
  const int sm = (int)env_of("MOCK_CUDA_SM", 90);
  const int known[][2] = {{1, ITEMS},
                          {2, 1024},
                          {3, 1024},
                          {4, 64},
                          {5, 2147483647},
                          {6, 65535},
                          {7, 65535},
                          {8, SHARED_STATIC},
                          {10, WARP},
                          {12, 65536},
                          {13, 1000000},
                          {16, 4},
                          {38, 4 << 20},
                          {39, 2048},
                          {75, sm / 10},
                          {76, sm % 10},
                          {81, 100 << 10},
                          {97, SHARED},
                          {115, (int)env_of("MOCK_CUDA_POOLS", 1)}};
  for (const auto &k : known) if (k[0] == which) { *out = k[1]; return OK; }
  return wrong("an attribute that the mock does not know");
}

static context *context_new(int device) {
  context *c = new context();
  c->device = device;
  c->standard = new stream{c, {}, 0, 0};
  c->streams.insert(c->standard);
  contexts.insert(c);
  return c;
}
static void module_end(module *m) {
  for (const auto &v : m->variables) block_end(v.second);
  for (function *f : m->functions) delete f;
  if (m->ptx) ptx_free(m->ptx);
  delete m;
}
static void context_end(context *c) {
  for (stream *s : c->streams) if (!c->lost) run_to(s, s->given);
  if (!c->lost) {
    if (c->streams.size() > 1) wrong("a stream is left in a context that goes");
    if (!c->events.empty()) wrong("an event is left in a context that goes");
    if (!c->modules.empty()) wrong("a module is left in a context that goes");
    if (!c->execs.empty()) wrong("a graph is left in a context that goes");
    if (!c->pinned.empty()) wrong("pinned memory is left in a context that goes");
    for (const auto &b : blocks) if (b.second.of == c) { wrong("device memory is left in a context that goes"); break; }
  }
  for (auto i = blocks.begin(); i != blocks.end();) {
    const u64 at = (i++)->first;
    if (blocks[at].of == c && !blocks[at].image) block_end(at);       // variables go with their module
  }
  for (stream *s : c->streams) delete s;
  for (event *e : c->events) delete e;
  for (exec *e : c->execs) delete e;
  for (module *m : c->modules) module_end(m);
  for (auto &p : c->pinned) free(p.first);
  contexts.erase(c);
  delete c;
}
EXPORT int cuDevicePrimaryCtxRetain(void **out, int device) {
  BEGIN;
  context *&c = primary[device];
  if (!c) c = context_new(device);
  c->refs++;
  *out = c;
  return OK;
}
EXPORT int cuDevicePrimaryCtxRelease_v2(int device) {
  BEGIN;
  context *&c = primary[device];
  if (!c) return wrong("a primary context is released that nobody has");
  if (!--c->refs) { context_end(c); c = nullptr; }
  return OK;
}
EXPORT int cuCtxCreate_v2(void **out, unsigned, int device) {
  BEGIN;
  context *c = context_new(device);
  current.push_back(c);
  *out = c;
  return OK;
}
EXPORT int cuCtxDestroy_v2(void *ctx) {
  BEGIN;
  if (!current.empty() && current.back() == ctx) current.pop_back();
  context_end((context *)ctx);
  return OK;
}
EXPORT int cuCtxPushCurrent_v2(void *ctx) {
  BEGIN;
  if (!contexts.count((context *)ctx)) return BAD_CONTEXT;
  current.push_back((context *)ctx);
  return OK;
}
EXPORT int cuCtxPopCurrent_v2(void **out) {
  locked hold(one);
  if (current.empty()) return wrong("no context to pop");
  *out = current.back();
  current.pop_back();
  return OK;
}
EXPORT int cuCtxGetCurrent(void **out) { BEGIN; *out = now(); return OK; }
EXPORT int cuCtxGetDevice(int *out) { BEGIN_IN; *out = here->device; return OK; }
EXPORT int cuDeviceCanAccessPeer(int *out, int device, int peer) { BEGIN; *out = device != peer; return OK; }
EXPORT int cuCtxEnablePeerAccess(void *peer, unsigned) {
  BEGIN_IN;
  if (!contexts.count((context *)peer)) return wrong("peer access to no context");
  return here->peers.insert((context *)peer).second ? OK : PEER_ENABLED;
}

EXPORT int cuStreamCreate(void **out, unsigned flags) {
  BEGIN_IN;
  if (flags > 1) return wrong("flags of a stream");
  stream *s = new stream{here, {}, 0, 0};
  here->streams.insert(s);
  *out = s;
  return OK;
}
EXPORT int cuStreamDestroy_v2(void *handle) {
  BEGIN_IN;
  stream *s = stream_of(handle);
  if (!s || !handle) return BAD_HANDLE;
  run_to(s, s->given);
  here->streams.erase(s);
  for (context *c : contexts) for (event *e : c->events) if (e->in == s) e->in = nullptr;
  delete s;
  return OK;
}
EXPORT int cuStreamSynchronize(void *handle) {
  BEGIN_IN;
  stream *s = stream_of(handle);
  return s ? run_to(s, s->given) : BAD_HANDLE;
}
EXPORT int cuEventCreate(void **out, unsigned flags) {
  BEGIN_IN;
  event *e = new event{here, nullptr, 0, !(flags & 2), false, 0};
  here->events.insert(e);
  *out = e;
  return OK;
}
static event *event_of(void *handle) {
  for (context *c : contexts) if (c->events.count((event *)handle)) return (event *)handle;
  wrong("an event that is not there, or no longer");
  return nullptr;
}
EXPORT int cuEventDestroy_v2(void *handle) {
  locked hold(one);
  event *e = event_of(handle);
  if (!e) return BAD_HANDLE;
  if (e->in && e->in->done < e->place && e->timed) run_to(e->in, e->place);
  e->of->events.erase(e);
  delete e;
  return OK;
}
EXPORT int cuEventRecord(void *handle, void *in) {
  BEGIN_IN;
  event *e = event_of(handle);
  stream *s = stream_of(in);
  if (!e || !s) return BAD_HANDLE;
  if (e->of != here) return wrong("an event is recorded in another context");
  e->in = s;
  e->place = s->given + 1;
  e->recorded = true;
  const u64 place = e->place;
  return give(s, [e, here, place] {
    if (here->events.count(e) && e->place == place) e->ms = clock_ms += 0.001;
    return 0;
  });
}
EXPORT int cuStreamWaitEvent(void *handle, void *what, unsigned) {
  BEGIN_IN;
  stream *s = stream_of(handle);
  event *e = event_of(what);
  if (!s || !e) return BAD_HANDLE;
  if (!e->recorded) return wrong("waiting for an event that was never recorded");
  stream *of = e->in;
  const u64 place = e->place;
  if (!of || of == s || of->done >= place) return OK;
  return give(s, [of, place] {
    for (context *c : contexts) if (c->streams.count(of)) run_to(of, place);
    return 0;
  });
}
EXPORT int cuEventSynchronize(void *handle) {
  BEGIN_IN;
  event *e = event_of(handle);
  if (!e) return BAD_HANDLE;
  return e->in ? run_to(e->in, e->place) : OK;
}
EXPORT int cuEventElapsedTime(float *ms, void *a, void *b) {
  BEGIN_IN;
  event *from = event_of(a), *to = event_of(b);
  if (!from || !to || !from->timed || !to->timed || !from->recorded || !to->recorded)
    return wrong("times of events that have none");
  if ((from->in && from->in->done < from->place) || (to->in && to->in->done < to->place)) return NOT_READY;
  *ms = (float)(to->ms - from->ms);
  return OK;
}

EXPORT int cuMemAlloc_v2(u64 *out, size_t nbytes) { BEGIN_IN; return block_new(here, nbytes, false, out); }
EXPORT int cuMemFree_v2(u64 at) {
  BEGIN_IN;
  auto i = blocks.find(at);
  if (i == blocks.end() || i->second.of != here || i->second.pool || i->second.image)
    return wrong("cuMemFree of what cuMemAlloc did not give");
  for (stream *s : here->streams) if (s->given > s->done) return wrong("memory is freed while something may use it");
  return block_end(at);
}
EXPORT int cuMemAllocAsync(u64 *out, size_t nbytes, void *in) {
  BEGIN_IN;
  return stream_of(in) ? block_new(here, nbytes, true, out) : BAD_HANDLE;
}
EXPORT int cuMemFreeAsync(u64 at, void *in) {
  BEGIN_IN;
  stream *s = stream_of(in);
  auto i = blocks.find(at);
  if (!s || i == blocks.end() || !i->second.pool || i->second.dying)
    return wrong("cuMemFreeAsync of what is not there");
  i->second.dying = true;
  return give(s, [at] { return block_end(at); });
}
EXPORT int cuMemHostAlloc(void **out, size_t nbytes, unsigned) {
  BEGIN_IN;
  char *p = (char *)malloc(nbytes);
  here->pinned[p] = nbytes;
  *out = p;
  return OK;
}
EXPORT int cuMemFreeHost(void *p) {
  BEGIN_IN;
  if (!here->pinned.count((char *)p)) return wrong("pinned memory that is not there");
  for (stream *s : here->streams)
    for (const work &w : s->queue)
      if (w.pinned >= p && w.pinned < (char *)p + here->pinned[(char *)p])
        wrong("pinned memory is freed while a copy may use it");
  here->pinned.erase((char *)p);
  free(p);
  return OK;
}
static bool is_pinned(context *c, const void *p, size_t nbytes) {
  auto i = c->pinned.upper_bound((char *)(uintptr_t)p);
  if (i == c->pinned.begin()) return false;
  --i;
  return (const char *)p + nbytes <= i->first + i->second;
}
EXPORT int cuMemcpyHtoDAsync_v2(u64 to, const void *from, size_t nbytes, void *in) {
  BEGIN_IN;
  stream *s = stream_of(in);
  if (!s || !near_of(to, nbytes, "copied to")) return INVALID;
  for (stream *other : here->streams)
    if (other != s && other->given > other->done + 1) {
      overlapped += (long)nbytes;
      break;
    }
  if (!is_pinned(here, from, nbytes)) {    // the driver has taken it when the call returns
    std::string data((const char *)from, nbytes);
    return give(s, [to, data, nbytes] {
      char *p = near_of(to, nbytes, "copied to");
      if (p) memcpy(p, data.data(), nbytes);
      return p ? 0 : ILLEGAL;
    });
  }
  return give(s, [to, from, nbytes] {
    char *p = near_of(to, nbytes, "copied to");
    if (p) memcpy(p, from, nbytes);
    return p ? 0 : ILLEGAL;
  }, nullptr, from);
}
EXPORT int cuMemcpyDtoHAsync_v2(void *to, u64 from, size_t nbytes, void *in) {
  BEGIN_IN;
  stream *s = stream_of(in);
  if (!s || !near_of(from, nbytes, "copied from")) return INVALID;
  give(s, [to, from, nbytes] {
    const char *p = near_of(from, nbytes, "copied from");
    if (p) memcpy(to, p, nbytes);
    return p ? 0 : ILLEGAL;
  }, nullptr, to);
  return is_pinned(here, to, nbytes) ? OK : run_to(s, s->given);
}
EXPORT int cuMemcpyPeerAsync(u64 to, void *to_ctx, u64 from, void *from_ctx, size_t nbytes, void *in) {
  BEGIN_IN;
  stream *s = stream_of(in);
  const block *a = block_at(to), *b = block_at(from);
  if (!s || !a || !b || a->of != to_ctx || b->of != from_ctx) return wrong("a peer copy of memory of other contexts");
  return give(s, [to, from, nbytes] {
    char *p = near_of(to, nbytes, "copied to a peer");
    const char *q = near_of(from, nbytes, "copied from a peer");
    if (p && q) memcpy(p, q, nbytes);
    return p && q ? 0 : ILLEGAL;
  });
}

static std::string image_of(const char *image) {
  std::string out;
  if (!memcmp(image, "\177ELF", 4)) { // its length stands in its header: the sections are last (ELF-64, figure 4-3)
    u64 at; uint16_t size, n;
    memcpy(&at, image + 0x28, 8); memcpy(&size, image + 0x3A, 2); memcpy(&n, image + 0x3C, 2);
    return std::string(image, at + (u64)size * n);
  }
  if (strncmp(image, "// ptx\n", 7)) return out;
  for (const char *p = image + 7; p[0] && p[1]; p += 2) {
    const char two[3] = {p[0], p[1], 0};
    out += (char)strtol(two, nullptr, 16);
  }
  return out;
}
static int load_ptx(context *c, const char *text, void **out) {
  char said[400];
  ptx_module *ptx = ptx_parse(text, strlen(text), said, sizeof said);
  if (!ptx) { wrong("PTX", said); return BAD_PTX; }
  module *m = new module{nullptr, ptx, c, {}, 0, {}};
  c->modules.insert(m);
  *out = m;
  return OK;
}
EXPORT int cuModuleLoadDataEx(void **out, const void *image, unsigned n, int *options, void **values) {
  BEGIN_IN;
  if (!strncmp((const char *)image, ".version", 8)) return load_ptx(here, (const char *)image, out);
  const std::string object = image_of((const char *)image);
  if (object.empty()) {
    size_t nbytes = 0;
    for (unsigned i = 0; i < n; i++) if (options[i] == 6) nbytes = (size_t)values[i];
    for (unsigned i = 0; i < n; i++)
      if (options[i] == 5) snprintf((char *)values[i], nbytes, "ptxas fatal: unexpected token at line 1");
    return BAD_PTX;
  }
  char path[] = "/tmp/mock-cubin-XXXXXX";
  const int fd = mkstemp(path);
  if (fd < 0 || write(fd, object.data(), object.size()) != (ssize_t)object.size()) return BAD_IMAGE;
  close(fd);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) fprintf(stderr, "mock_cuda: %s\n", dlerror());
  remove(path);
  if (!library) return BAD_IMAGE;
  module *m = new module{library, nullptr, here, {}, 0, {}};
  here->modules.insert(m);
  *out = m;
  return OK;
}
EXPORT int cuModuleUnload(void *handle) {
  BEGIN_IN;
  module *m = (module *)handle;
  if (!here->modules.count(m)) return wrong("a module that is not of the current context, or no longer");
  if (m->queued) return wrong("a module is unloaded while its kernels are queued");
  for (exec *e : here->execs)
    for (const node &k : e->nodes)
      if (k.f->of == m) {
        wrong("a module is unloaded that a graph uses");
        break;
      }
  here->modules.erase(m);
  if (m->library) dlclose(m->library);
  module_end(m);
  return OK;
}
EXPORT int cuModuleGetFunction(void **out, void *handle, const char *name) {
  BEGIN_IN;
  module *m = (module *)handle;
  if (!here->modules.count(m)) return wrong("a module that is not of the current context, or no longer");
  mock_entry *e = m->ptx ? nullptr : (mock_entry *)dlsym(m->library, (std::string("mock_") + name).c_str());
  const ptx_kernel *k = m->ptx ? ptx_find(m->ptx, name) : nullptr;
  if (!e && !k) return NOT_FOUND;
  function *f = new function{m, e, k, name, 0};
  m->functions.push_back(f);
  *out = f;
  return OK;
}
EXPORT int cuModuleGetGlobal_v2(u64 *at, size_t *nbytes, void *handle, const char *name) {
  BEGIN_IN;
  module *m = (module *)handle;
  const void *data = m->ptx ? ptx_data_of(m->ptx, name, nbytes) : dlsym(m->library, name);
  if (!data) return NOT_FOUND;
  if (!m->ptx) *nbytes = 4;                // those of tests are ints
  u64 &to = m->variables[name];
  if (!to) {
    if (const int code = block_new(m->of, *nbytes, false, &to, m)) return code;
    memcpy(near_of(to, *nbytes, "a variable"), data, *nbytes);
  }
  *at = to;
  return OK;
}
EXPORT int cuFuncGetAttribute(int *out, int which, void *f) {
  BEGIN_IN;
  if (which) return wrong("an attribute of kernels that the mock does not know");
  *out = strstr(((function *)f)->name.c_str(), "heavy") ? 256 : ITEMS;
  return OK;
}
EXPORT int cuFuncGetParamInfo(void *f, size_t i, size_t *offset, size_t *nbytes) {
  BEGIN_IN;
  const function *g = (function *)f;
  if (i >= (size_t)g->parameters()) return INVALID;
  *offset = g->ptx ? g->place((int)i).first : 8 * i; *nbytes = g->nbytes((int)i);
  return OK;
}
EXPORT int cuFuncSetAttribute(void *f, int which, int value) {
  BEGIN_IN;
  if (which != 8 || value > SHARED) return wrong("an attribute of a kernel is set that it cannot have");
  ((function *)f)->shared = value;
  return OK;
}
EXPORT int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, void *in, void **params, void **extra) {
  BEGIN_IN;
  stream *s = stream_of(in);
  const node n = {(function *)f, {gx, gy, gz}, {bx, by, bz}, shared, values_of((function *)f, params)};
  if (!s || extra || n.f->of->of != here) return wrong("a launch with handles of another context");
  const int code = node_check(n);
  return code ? code : give(s, [n] { return run_kernel(n); }, n.f->of);
}

// ** tensors that the copy unit is told of **
//
// What the driver refuses stands in its manual: CUDA driver API, "Tensor Map Object Management". The bits are those
// that ptx_wide.c reads, and has the source of.

struct map_type { int nbytes, bits; };     // of an element; of the field; types are in the order of CUtensorMapDataType
static const map_type map_types[] = {{1, 0}, {2, 1}, {4, 2}, {4, 3}, {8, 4}, {8, 5},
                                     {2, 6}, {4, 7}, {8, 9}, {2, 10}, {4, 8}};
struct map_of {
  int type; unsigned dims; u64 address; const u64 *extents, *strides; const unsigned *box, *each;
  int interleave, swizzle, promotion, beyond;
};
static bool map_is_refused(const map_of &m) {
  enum { TYPES = sizeof map_types / sizeof *map_types, DIMS = 5, BOX = 256, EACH = 8 };
  if (m.type < 0 || m.type >= TYPES || !m.dims || m.dims > DIMS || m.address % 16) return true;
  if (m.interleave < 0 || m.interleave > 2 || m.swizzle < 0 || m.swizzle > 6 || m.promotion < 0 || m.promotion > 3 ||
      m.beyond < 0 || m.beyond > 1 || (m.beyond && (m.type < 6 || m.type > 10)))
    return true;
  if (m.interleave && (m.dims < 3 || (m.interleave == 2 && (m.address % 32 || m.swizzle != 1)))) return true;
  const u64 row = (u64)m.box[0] * (u64)map_types[m.type].nbytes, most[] = {row, 32, 64, 128, 128, 128, 128};
  if (!m.interleave && (row % 16 || row > most[m.swizzle])) return true;
  for (unsigned i = 0; i < m.dims; i++) {
    if (!m.extents[i] || m.extents[i] > (u64)1 << 32 || !m.box[i] || m.box[i] > BOX || !m.each[i] || m.each[i] > EACH)
      return true;
    if (i && (m.strides[i - 1] % (m.interleave == 2 ? 32 : 16) || m.strides[i - 1] >> 40)) return true;
  }
  return false;
}
static void map_encode(const map_of &m, uint32_t *out) {
  memset(out, 0, 128);
  out[0] = (uint32_t)m.address; out[1] = (uint32_t)(m.address >> 32);
  out[2] = (m.dims - 1) << 4 | (uint32_t)map_types[m.type].bits << 7 | (uint32_t)m.swizzle << 13;
  for (unsigned i = 0; i < m.dims; i++) {
    const u64 stride = i ? m.strides[i - 1] >> 4 : 0;
    out[8 + i] = (uint32_t)(m.extents[i] - 1);
    out[13] |= (m.each[i] - 1) << 3 * i;
    if (!i) { out[13] |= (m.box[0] - 1) << 24; continue; }
    out[2 + i] = (uint32_t)stride;
    out[7] |= (uint32_t)(stride >> 32) << 4 * (i - 1);
    out[14] |= (m.box[i] - 1) << 8 * (i - 1);
  }
}
#ifndef MOCK_CUDA_OLD
EXPORT int cuTensorMapEncodeTiled(void *out, int type, unsigned dims, void *address, const u64 *extents,
                                  const u64 *strides, const unsigned *box, const unsigned *each, int interleave,
                                  int swizzle, int promotion, int beyond) {
  BEGIN;
  const map_of m = {type, dims, (u64)address, extents, strides, box, each, interleave, swizzle, promotion, beyond};
  if ((uintptr_t)out % 64 || map_is_refused(m)) return INVALID;
  if (interleave || swizzle > 3) return wrong("a tensor map that the mock does not know");
  u64 last = (u64)map_types[type].nbytes;
  for (unsigned i = 0; i < dims; i++) last += (extents[i] - 1) * (i ? strides[i - 1] : (u64)map_types[type].nbytes);
  if (!near_of(m.address, last, "a tensor map")) return INVALID;           // which a driver would take
  map_encode(m, (uint32_t *)out);
  maps++;
  return OK;
}
#endif

// CUDA_KERNEL_NODE_PARAMS_v1
struct node_params { void *func; unsigned grid[3], block[3], shared; void **params, **extra; };
static node node_of(const node_params *p) {
  node n = {(function *)p->func,
            {p->grid[0], p->grid[1], p->grid[2]},
            {p->block[0], p->block[1], p->block[2]},
            p->shared,
            values_of((function *)p->func, p->params)};
  return n;
}
EXPORT int cuGraphCreate(void **out, unsigned) {
  BEGIN_IN;
  graph *g = new graph;
  graphs.insert(g);
  *out = g;
  return OK;
}
EXPORT int cuGraphDestroy(void *handle) {
  BEGIN_IN;
  graph *g = (graph *)handle;
  if (!graphs.erase(g)) return wrong("a graph that is not there");
  for (node *n : g->nodes) delete n;
  delete g;
  return OK;
}
EXPORT int cuGraphAddKernelNode(void **out, void *handle, void *const *after, size_t nafter, const node_params *p) {
  BEGIN_IN;
  graph *g = (graph *)handle;
  if (nafter != !g->nodes.empty() || (nafter && after[0] != g->nodes.back()))
    return wrong("the mock takes chains alone");
  const node n = node_of(p);
  if (const int code = node_check(n)) return code;
  g->nodes.push_back(new node(n));
  *out = g->nodes.back();
  return OK;
}
EXPORT int cuGraphInstantiateWithFlags(void **out, void *handle, u64) {
  BEGIN_IN;
  exec *e = new exec{here, {}, ((graph *)handle)->nodes};
  for (node *n : e->from) e->nodes.push_back(*n);
  here->execs.insert(e);
  *out = e;
  return OK;
}
EXPORT int cuGraphExecKernelNodeSetParams(void *handle, void *which, const node_params *p) {
  BEGIN_IN;
  exec *e = (exec *)handle;
  if (!here->execs.count(e)) return wrong("a graph that is not of the current context, or no longer");
  for (size_t i = 0; i < e->from.size(); i++) if (e->from[i] == which) {
    const node n = node_of(p);
    if (n.f != e->nodes[i].f) return wrong("a node gets another kernel");
    changed++;
    e->nodes[i] = n;
    return node_check(n);
  }
  return wrong("a node that is not in the graph");
}
EXPORT int cuGraphLaunch(void *handle, void *in) {
  BEGIN_IN;
  exec *e = (exec *)handle;
  stream *s = stream_of(in);
  if (!s || !here->execs.count(e)) return wrong("a graph that is not of the current context, or no longer");
  graph_launches++;
  for (const node &n : e->nodes) {
    if (const int code = node_check(n)) return code;
    give(s, [n] { return run_kernel(n); }, n.f->of);
  }
  return OK;
}
EXPORT int cuGraphExecDestroy(void *handle) {
  BEGIN_IN;
  if (!here->execs.erase((exec *)handle)) return wrong("a graph that is not of the current context, or no longer");
  delete (exec *)handle;
  return OK;
}

// ** what tests ask of it **

EXPORT long mock_cuda_refuse(long n, int code) {
  locked hold(one);
  const long was = calls;
  calls = 0; refuse_at = n; refuse_code = code;
  return was;
}
EXPORT void mock_cuda_die(long n, int code) {
  locked hold(one);
  if (die_at && !n) {                      // as when a driver is started again
    while (!contexts.empty()) { (*contexts.begin())->lost = (int)die_code; context_end(*contexts.begin()); }
    primary.clear();
    for (graph *g : graphs) { for (node *k : g->nodes) delete k; delete g; }
    graphs.clear();
    current.clear();
  }
  calls = 0; die_at = n; die_code = code;
}
EXPORT void mock_cuda_memory(u64 nbytes) { locked hold(one); limit = nbytes; }
EXPORT void mock_cuda_speed(double ns) { locked hold(one); item_ms = ns * 1e-6; }
EXPORT void mock_cuda_lose(long n) { locked hold(one); lose_at = n ? kernels + n : 0; }
EXPORT void mock_cuda_seed(u64 seed) {
  static const int bits[8] = {0, 3, 1, 6, 2, 4, 5, 0};
  locked hold(one);
  die = seed * 0x9E3779B97F4A7C15u + 1;
  early_bits = bits[seed & 7];
}
EXPORT int mock_cuda_wrongs(void) { return wrongs; }
EXPORT long mock_cuda_graphs(void) { return graph_launches; }
EXPORT long mock_cuda_changed(void) { return changed; }
EXPORT u64 mock_cuda_live(void) { return live; }
EXPORT long mock_cuda_maps(void) { return maps; }
EXPORT long mock_cuda_overlapped(void) { return overlapped; }
