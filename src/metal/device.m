// device: a GPU: which one, what it can do, and what is said when it fails.
//
// In:    what stands behind "METAL:". Out: a tn_metal with its limits; errors as a code and a sentence.
// Holds: GPUs are counted as the system lists them. What a GPU can do is told by its families, what a language version
//        has by the system: Apple, "Metal Feature Set Tables".
#ifndef TN_METAL_DEVICE
#define TN_METAL_DEVICE
#ifndef TINY_AMALGAMATED
#include "retain.m"
#include "api.h"
#include "../base/digits.c"
#include "../base/prepared.c"
#include "../render/lang_metal.c"
#endif

enum {
  TN_METAL_FLIGHT = 32,                    // command buffers that are not completed, at most; Metal's queues take 64
  TN_METAL_CHUNKS = 4, TN_METAL_CHUNK = 4 << 20,             // of memory by which bytes go to private buffers
  TN_METAL_TOUCHED = 64,                   // pieces of memory that are looked at between two barriers
  TN_METAL_BUFFERS = 31,                   // arguments of a kernel (Metal Feature Set Tables)
  TN_METAL_LOST = 4, TN_METAL_REMOVED = 11                   // MTLCommandBufferErrorAccessRevoked, ..DeviceRemoved
};

// Memory that launches were given. va: a number that no other memory has, bytes of it counted on from there.
typedef struct tn_metal_block {
  void *base; uint64_t va, used; size_t nbytes; char *host; int own;   // base NULL: free; host NULL: not seen by it
} tn_metal_block;
typedef struct tn_metal_slot { TN_UNOWNED id<MTLCommandBuffer> buffer; uint64_t *stamp; } tn_metal_slot;
// What goes when command buffer `used` has completed.
typedef struct tn_metal_gone {
  struct tn_metal_gone *next; TN_UNOWNED id object; uint64_t used; int memory;
} tn_metal_gone;
// An event of another device that command buffer `used` waits for, and the one that gives it its value.
typedef struct tn_metal_awaited {
  struct tn_metal_awaited *next; TN_UNOWNED id<MTLSharedEvent> event; TN_UNOWNED id<MTLCommandBuffer> buffer;
  uint64_t value, used;
} tn_metal_awaited;
typedef struct tn_metal_chunk { TN_UNOWNED id<MTLBuffer> buffer; uint64_t used; size_t fill; } tn_metal_chunk;
typedef struct tn_metal_pages {           // of the host's, wrapped
  struct tn_metal_pages *next; void *data; size_t nbytes; TN_UNOWNED id<MTLBuffer> buffer;
} tn_metal_pages;
typedef struct tn_metal_touched { const void *base; int written; } tn_metal_touched;

typedef struct tn_metal {
  tiny_ctx *t;
  TN_UNOWNED id<MTLDevice> gpu; TN_UNOWNED id<MTLCommandQueue> queue;
  TN_UNOWNED id<MTLSharedEvent> event; uint64_t event_value;
  char name[96], target[192];
  int family, mac, version, has;           // family: 7 of Apple7; version: 31 of MSL 3.1; has: TN_METAL_LANES ..
  int unified, indirect;                   // memory is shared with the host; there are indirect command buffers
  size_t one, most, shared; int items[3];
  uint64_t number, done;                   // of the command buffer that is open or comes next; of the last completed
  tn_metal_slot slot[TN_METAL_FLIGHT];
  TN_UNOWNED id<MTLComputeCommandEncoder> compute; TN_UNOWNED id<MTLBlitCommandEncoder> blit;
  const void *pipeline; int ndispatch;     // set in the encoder; dispatches of the open command buffer
  tn_metal_touched touched[TN_METAL_TOUCHED]; int ntouched;
  TN_UNOWNED id<MTLCommandBuffer> hosts; int into_host, hosts_apart;   // apart: of another queue
  int failed, lost; char why[320];         // of a command buffer, until it is told; lost: for good
  tn_metal_block *blocks; size_t nblock, cap; uint64_t next_va;
  tn_metal_chunk chunk[TN_METAL_CHUNKS]; int chunk_now; size_t chunk_nbytes;
  tn_metal_gone *gone; tn_metal_awaited *awaited;
  struct tn_metal_fresh *fresh;            // libraries that were compiled and are to be loaded (program.m)
  tn_metal_pages *pages;
  tn_prepared prepared; struct tn_metal_list *list_made; int list_uses; size_t list_numbers;   // graph.m
  TN_UNOWNED id residency; int residency_changed;
} tn_metal;

// ** what goes wrong **

// MTLCommandBufferError (MTLCommandBuffer.h).
static const struct { int error; const char *says; } tn_metal_errors[] = {
  {1, "an internal error within Metal: try it again"},
  {2, "a timeout: a kernel took too long, and the system ended it: split the work"},
  {3, "a page fault: a kernel used an address that is not its own"},
  {TN_METAL_LOST, "the system has taken the GPU from this process, after too many errors: start it again"},
  {7, "not permitted: this process may not use the GPU, as an app in the background"},
  {8, "there is no memory for what the kernels need: free tensors, or set tiny_desc.max_nbytes"},
  {9, "an invalid resource: memory was gone when a kernel used it; the host's outlives what is computed from it"},
  {10, "a memoryless texture cannot be read or written: take another storage mode"},
  {TN_METAL_REMOVED, "the GPU was removed: open another context on one that is there"},
  {12, "a kernel's stack is full"}
};
static const char *tn_metal_error_says(int error) {
  for (size_t i = 0; i < sizeof tn_metal_errors / sizeof *tn_metal_errors; i++)
    if (tn_metal_errors[i].error == error) return tn_metal_errors[i].says;
  return "see MTLCommandBufferError for the number";
}
// Text of an error of Metal's, cut to nbytes; "" where there is none.
static void tn_metal_text(NSError *error, char *out, size_t nbytes) {
  const char *text = error ? [[error localizedDescription] UTF8String] : NULL;
  snprintf(out, nbytes, "%s", text ? text : "");
}
static tiny_code tn_metal_lost(const tn_metal *d) {
  return tiny_fail(d->t, TINY_E_DEVICE, "%s: the device is lost: %s", d->name, d->why);
}

// ** those there are **

#ifdef TN_METAL_OSX
static NSArray *tn_metal_all(void) {
  NSArray *all = MTLCopyAllDevices();
#ifndef TN_METAL_ARC
  [all autorelease];
#endif
  return all;
}
#else
static NSArray *tn_metal_all(void) {       // elsewhere than in Macs there is one
  id<MTLDevice> gpu = MTLCreateSystemDefaultDevice();
  NSArray *all = gpu ? [NSArray arrayWithObject:gpu] : [NSArray array];
#ifndef TN_METAL_ARC
  [gpu release];
#endif
  return all;
}
#endif
// Has it been pulled out? Asked where Metal gives nothing. What was asked for is lost then.
static int tn_metal_is_gone(tn_metal *d) {
  NSArray *all = tn_metal_all();
  for (NSUInteger i = 0; i < [all count] && !d->lost; i++) if ([all objectAtIndex:i] == d->gpu) return 0;
  if (!d->lost) snprintf(d->why, sizeof d->why, "%s", tn_metal_error_says(TN_METAL_REMOVED));
  d->lost = 1;
  return 1;
}
static tiny_code tn_metal_none(tn_metal *d, const char *what) {
  if (tn_metal_is_gone(d)) return tn_metal_lost(d);
  return tiny_fail(d->t, TINY_E_MEMORY, "%s: Metal makes no %s: the system is short of memory; free some", d->name,
                   what);
}

// ** which one **

static int tn_metal_lower(int c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }
static int tn_metal_names_it(const char *name, const char *part) {
  for (; *name; name++) {
    size_t i = 0;
    while (part[i] && tn_metal_lower(name[i]) == tn_metal_lower(part[i])) i++;
    if (!part[i]) return 1;
  }
  return 0;
}
static const char *tn_metal_name_of(id<MTLDevice> gpu) {
  const char *name = [[gpu name] UTF8String];
  return name ? name : "";
}
static id<MTLDevice> tn_metal_choose(NSArray *all, const char *which) {
  const char *end;
  const NSUInteger n = [all count];
  const uint64_t number = tn_digits_value(which, 10, &end);
  if (!*end && end != which) return number < n ? [all objectAtIndex:(NSUInteger)number] : nil;
  const int by_id = !strncmp(which, "id-", 3);
  const uint64_t wanted = by_id ? tn_digits_value(which + 3, 16, NULL) : 0;
  for (NSUInteger i = 0; i < n; i++) {
    id<MTLDevice> gpu = [all objectAtIndex:i];
    if (by_id ? [gpu registryID] == wanted : tn_metal_names_it(tn_metal_name_of(gpu), which)) return gpu;
  }
  return nil;
}
static const char *tn_metal_kind(id<MTLDevice> gpu) {
#ifdef TN_METAL_OSX
  if (![gpu respondsToSelector:@selector(isLowPower)]) return "";
  return [gpu isRemovable] ? ", external" : [gpu isLowPower] ? ", low power" : [gpu isHeadless] ? ", headless" : "";
#else
  (void)gpu;
  return "";
#endif
}
static tiny_code tn_metal_not_there(const tn_metal *d, NSArray *all, const char *which) {
  char names[1200] = "";
  const int n = (int)[all count];
  for (int k = 0; k < n; k++) {
    id<MTLDevice> gpu = [all objectAtIndex:(NSUInteger)k];
    const size_t at = strlen(names);
    snprintf(names + at, sizeof names - at, "%sMETAL:%d (METAL:id-%llx) %.80s%s", k ? ", " : "", k,
             (unsigned long long)[gpu registryID], tn_metal_name_of(gpu), tn_metal_kind(gpu));
  }
  return tiny_fail(d->t, TINY_E_DEVICE, "there is no device METAL:%.100s; there are: %s", which, names);
}
// "": the system's default, or else the first of all.
static tiny_code tn_metal_find_gpu(tn_metal *d, const char *which) {
  if (!*which) {
    d->gpu = TN_NEW(id<MTLDevice>, MTLCreateSystemDefaultDevice());
    if (d->gpu) return TINY_OK;
  }
  NSArray *all = tn_metal_all();
  id<MTLDevice> gpu = !*which && [all count] ? [all objectAtIndex:0] : tn_metal_choose(all, which);
  if (gpu) {
    d->gpu = TN_RETAINED(id<MTLDevice>, gpu);
    return TINY_OK;
  }
  if ([all count]) return tn_metal_not_there(d, all, which);
  return tiny_fail(d->t, TINY_E_DEVICE, "METAL: the system has no GPU for Metal, as in most virtual machines: open the "
                   "CPU");
}

// ** what it can do **

static int tn_metal_has_family(const tn_metal *d, int family) {
  return [d->gpu supportsFamily:(MTLGPUFamily)family] ? 1 : 0;
}
// The newest version of the language that the system's compiler has (MTLLanguageVersion).
static int tn_metal_newest_version(const tn_metal *d) {
  (void)d;
  if (TN_SINCE(15.0, 18.0, d->gpu, "newResidencySetWithDescriptor:error:")) return 32;
  if (TN_SINCE(14.0, 17.0, d->gpu, "architecture")) return 31;
  if (TN_SINCE(13.0, 16.0, d->gpu, "newIOCommandQueueWithDescriptor:error:")) return 30;
  if (TN_SINCE(12.0, 15.0, d->gpu, "supportsRenderDynamicLibraries")) return 24;
  return 23;
}
// Cores of Apple's GPUs, which Metal does not tell: of the largest that is sold under the name (Apple's technical
// specifications). The first row that the name holds counts.
static int tn_metal_cores(const char *name) {
  static const struct { const char *part; int cores; } known[] = {
    {"M1 Ultra", 64}, {"M1 Max", 32}, {"M1 Pro", 16}, {"M1", 8}, {"M2 Ultra", 76}, {"M2 Max", 38}, {"M2 Pro", 19},
    {"M2", 10}, {"M3 Ultra", 80}, {"M3 Max", 40}, {"M3 Pro", 18}, {"M3", 10}, {"M4 Max", 40}, {"M4 Pro", 20},
    {"M4", 10}, {"M5", 10}, {"Apple A", 5}
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strstr(name, known[i].part)) return known[i].cores;
  return 0;
}
static void tn_metal_describe(tn_metal *d) {
  enum { APPLE = 1000, APPLE_MOST = 1015, MAC_2 = 2002 };   // MTLGPUFamily
  snprintf(d->name, sizeof d->name, "METAL (%.64s)", tn_metal_name_of(d->gpu));
  for (int f = APPLE_MOST; f > APPLE && !d->family; f--) if (tn_metal_has_family(d, f)) d->family = f - APPLE;
  d->mac = tn_metal_has_family(d, MAC_2);
  d->version = tn_metal_newest_version(d);
  d->unified = [d->gpu hasUnifiedMemory] ? 1 : 0;
  d->has = (d->family >= 6 || d->mac ? TN_METAL_LANES : 0) | (d->family >= 7 ? TN_METAL_MATRICES : 0);
  d->indirect = d->family >= 6 || d->mac;
  d->one = (size_t)[d->gpu maxBufferLength];
  d->chunk_nbytes = d->one && d->one < (size_t)TN_METAL_CHUNK ? d->one : (size_t)TN_METAL_CHUNK;
  d->shared = (size_t)[d->gpu maxThreadgroupMemoryLength];
  if (TN_SINCE(10.12, 16.0, d->gpu, "recommendedMaxWorkingSetSize"))
    d->most = (size_t)[d->gpu recommendedMaxWorkingSetSize];
  const MTLSize items = [d->gpu maxThreadsPerThreadgroup];
  d->items[0] = (int)items.width; d->items[1] = (int)items.height; d->items[2] = (int)items.depth;
  snprintf(d->target, sizeof d->target, "%.100s apple%d%s msl%d has%d", tn_metal_name_of(d->gpu), d->family,
           d->mac ? " mac2" : "", d->version, d->has);
}
// Registers of an item, caches: bench/gpu.h has the sources. Apple's simdgroups are 32 wide; of AMD's GPUs in Macs the
// widest are 64, which kernels do not rely on where lanes exchange nothing.
static void tn_metal_limits(const tn_metal *d, tiny_limits *limits) {
  limits->warp = 32;
  limits->compute_units = d->family ? tn_metal_cores(tn_metal_name_of(d->gpu)) : 0;
  limits->vector_nbytes = 16; limits->vector_registers = 128;
  limits->shared_nbytes = d->shared;
  limits->local_total = d->items[0] < 1024 ? d->items[0] : 1024;
  for (int i = 0; i < 3; i++) {
    limits->local_max[i] = d->items[i];
    limits->global_max[i] = i ? 65535 : INT32_MAX;
  }
  if (d->has & TN_METAL_MATRICES) limits->units = tiny_warp_units("apple7", &limits->nunits);
  if (d->version < 31 && limits->nunits > 2) limits->nunits = 2;             // the third is of bfloat
  limits->dtypes = TN_METAL_ARITHMETIC;
  limits->atomics = TN_METAL_ATOMICS(d->version);
  for (int i = 0; i < 3; i++) limits->memory[i].line = 128;
  limits->memory[0].nbytes = limits->memory[1].nbytes = limits->cache_nbytes = d->family ? 8 << 10 : 16 << 10;
}
#endif
