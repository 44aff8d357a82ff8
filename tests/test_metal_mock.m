// test_metal_mock: the mock of Metal (metal_mock.h): programs that are right run and are let through, on every chip, at
// once and late; each thing that is done wrong is told by name; each call that can fail does.
#include "metal_mock_programs.h"
#include "metal_mock_mistakes.h"

static void test_failures(void) {
  world w;
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  world_open(&w, &(metal_mock_desc){ .chips = "apple9" });
  NSError *error = nil;
  metal_mock_fail(METAL_MOCK_BUFFER, 2);
  id<MTLBuffer> first = [w.device newBufferWithLength:16 options:0];
  CHECK(first != nil && [w.device newBufferWithLength:16 options:0] == nil);
  [first release];
  metal_mock_fail(METAL_MOCK_DEVICES, 1);
  CHECK(MTLCreateSystemDefaultDevice() == nil);
  metal_mock_fail(METAL_MOCK_QUEUE, 1);
  CHECK([w.device newCommandQueue] == nil);
  metal_mock_fail(METAL_MOCK_COMMAND_BUFFER, 1);
  CHECK([w.queue commandBuffer] == nil);
  metal_mock_fail(METAL_MOCK_ENCODER, 1);
  id<MTLCommandBuffer> b = [w.queue commandBuffer];
  CHECK([b computeCommandEncoder] == nil);
  metal_mock_fail(METAL_MOCK_TEXTURE, 1);
  CHECK(metal_mock_texture(w.device, MTLPixelFormatR8Unorm, 4, 4, 0) == NULL);
  metal_mock_fail(METAL_MOCK_EVENT, 1);
  CHECK([w.device newSharedEvent] == nil);
  metal_mock_fail(METAL_MOCK_INDIRECT, 1);
  CHECK(indirect_of(&w, 1) == nil);
  metal_mock_fail(METAL_MOCK_LIBRARY, 1);
  CHECK([w.device newLibraryWithSource:string(kernels_text) options:nil error:&error] == nil && error != nil);
  metal_mock_fail(METAL_MOCK_FUNCTION, 1);
  CHECK([w.library newFunctionWithName:@"twice"] == nil);
  metal_mock_fail(METAL_MOCK_PIPELINE, 1);
  id<MTLFunction> f = [w.library newFunctionWithName:@"twice"];
  error = nil;
  CHECK([w.device newComputePipelineStateWithFunction:f error:&error] == nil && error != nil);
  [f release];
  metal_mock_fail(METAL_MOCK_ARCHIVE, 1);
  MTLBinaryArchiveDescriptor *d = [MTLBinaryArchiveDescriptor new];
  CHECK([w.device newBinaryArchiveWithDescriptor:d error:&error] == nil);
  [d release];
  metal_mock_fail(METAL_MOCK_RESIDENCY, 1);
  MTLResidencySetDescriptor *r = [MTLResidencySetDescriptor new];
  CHECK([w.device newResidencySetWithDescriptor:r error:&error] == nil);
  [r release];
  metal_mock_fail(METAL_MOCK_ANY, 2);
  id<MTLBuffer> kept = [w.device newBufferWithLength:16 options:0];
  CHECK(kept != nil && [w.device newCommandQueue] == nil);
  [kept release];
  world_close(&w);
  [pool release];
  world_clean("failures");
}

static void test_executions(void) {
  static const int codes[] = { 1, 2, 3, 4, 7, 8, 9, 10, 12, 11 };
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
    world w;
    NSAutoreleasePool *pool = [NSAutoreleasePool new];
    world_open(&w, &(metal_mock_desc){ .chips = "apple8", .seed = 7 });
    metal_mock_fail_execution(codes[i], 2);
    for (int turn = 1; turn <= 3; turn++) {
      id<MTLCommandBuffer> b = [w.queue commandBuffer];
      id<MTLComputeCommandEncoder> e = [b computeCommandEncoder];
      dispatch(e, w.more, w.x, w.y);
      [e endEncoding];
      finish(b);
      const int lasts = codes[i] == MTLCommandBufferErrorDeviceRemoved ||
                        codes[i] == MTLCommandBufferErrorAccessRevoked;
      const int fails = turn == 2 || (turn == 3 && lasts);
      CHECK_EQ([b status], fails ? MTLCommandBufferStatusError : MTLCommandBufferStatusCompleted);
      CHECK_EQ([[b error] code], fails ? codes[i] : 0);
      if (fails) CHECK([[[b error] domain] isEqual:MTLCommandBufferErrorDomain]);
    }
    id<MTLCommandQueue> another = [w.device newCommandQueue];
    CHECK((another == nil) == (codes[i] == MTLCommandBufferErrorDeviceRemoved));
    [another release];
    world_close(&w);
    [pool release];
    world_clean("executions");
  }
}

static void test_memory(void) {
  world w;
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  world_open(&w, &(metal_mock_desc){ .chips = "apple7", .memory_nbytes = 1 << 20, .max_buffer_nbytes = 1 << 22 });
  CHECK_EQ([w.device maxBufferLength], 1 << 22);
  const size_t before = [w.device currentAllocatedSize];
  CHECK([w.device newBufferWithLength:1 << 21 options:0] == nil);
  id<MTLBuffer> b = [w.device newBufferWithLength:1 << 19 options:0];
  CHECK(b != nil && [w.device currentAllocatedSize] == before + (1 << 19));
  [b release];
  CHECK_EQ([w.device currentAllocatedSize], before);
  world_close(&w);
  [pool release];
  world_clean("memory");
}

static void test_chips(void) {
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  CHECK(metal_mock_reset(&(metal_mock_desc){ .chips = "apple7,nobody" }));
  CHECK(!metal_mock_reset(NULL));
  CHECK(MTLCreateSystemDefaultDevice() == nil);
  NSArray *all = MTLCopyAllDevices();
  CHECK_EQ([all count], 0);
  [all release];
  metal_mock_reset(&(metal_mock_desc){ .chips = "mac2,apple8,paravirtual", .system = 14 });
  all = MTLCopyAllDevices();
  CHECK_EQ([all count], 3);
  id<MTLDevice> radeon = [all objectAtIndex:0], m2 = [all objectAtIndex:1], machine = [all objectAtIndex:2];
  CHECK(![radeon hasUnifiedMemory] && ![radeon isRemovable] && ![radeon supportsFamily:MTLGPUFamilyApple7]);
  CHECK([radeon supportsFamily:MTLGPUFamilyMac2] && [radeon supportsFamily:MTLGPUFamilyMetal3]);
  CHECK([m2 supportsFamily:MTLGPUFamilyApple8] && ![m2 supportsFamily:MTLGPUFamilyApple9]);
  CHECK(![machine supportsFamily:MTLGPUFamilyApple7]);
  CHECK([m2 registryID] != [radeon registryID]);
  CHECK([m2 respondsToSelector:@selector(hasUnifiedMemory)]);
  CHECK(![m2 respondsToSelector:@selector(newResidencySetWithDescriptor:error:)]);
  id<MTLTexture> t = metal_mock_texture(radeon, MTLPixelFormatR8Unorm, 4, 4, MTLStorageModeShared);
  CHECK(t == nil && strstr(metal_mock_mistake(0), "no textures of storage mode 0"));
  metal_mock_forget();
  [all release];
  [pool release];
  world_clean("chips");
  pool = [NSAutoreleasePool new];
  metal_mock_reset(&(metal_mock_desc){ .chips = "intel,egpu" });
  all = MTLCopyAllDevices();
  CHECK([[all objectAtIndex:0] isLowPower] && [[all objectAtIndex:0] hasUnifiedMemory]);
  CHECK([[all objectAtIndex:1] isRemovable] && [[all objectAtIndex:1] isHeadless]);
  CHECK(![[all objectAtIndex:1] isLowPower] && ![[all objectAtIndex:0] isRemovable]);
  [all release];
  metal_mock_reset(&(metal_mock_desc){ .chips = "a14" });
  id<MTLDevice> phone = MTLCreateSystemDefaultDevice();
  CHECK(![phone respondsToSelector:@selector(isLowPower)] && ![phone supportsFamily:MTLGPUFamilyMac2]);
  CHECK([phone newBufferWithLength:16 options:MTLResourceStorageModeManaged] == nil);
  CHECK(strstr(metal_mock_mistake(0), "no buffers of storage mode 1"));
  [phone release];
  [pool release];
}

// What a GPU hasn't, no pipeline has: by what the kernel itself calls, also by macros, not by what else is there.
static void test_units(const char *chip, int lanes, int matrices) {
  static const char text[] =
    "#include <metal_stdlib>\nusing namespace metal;\n"
    "#define SUM(name, T) inline T name##_of(T x) { return simd_sum(x); } // {\n"
    "SUM(sum, float)\n"
    "inline float2 product(float2 x) {\n  simdgroup_matrix<float, 8, 8> a;\n  a.thread_elements()[0] = x[0];\n"
    "  a.thread_elements()[1] = x[1];\n  simdgroup_multiply(a, a, a);\n"
    "  return float2(a.thread_elements()[0], a.thread_elements()[1]);\n}\n"
    "kernel void plain(device float *x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] = 1; }\n"
    "kernel void lanes(device float *x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] = sum_of(x[i]); }\n"
    "[[kernel, max_total_threads_per_threadgroup(64)]] void matrices(device float2 *x [[buffer(0)]],\n"
    "  uint i [[thread_position_in_grid]]) {\n  x[i] = product(x[i]);\n}\n";
  static const char *const names[3] = { "plain", "lanes", "matrices" };
  const int has[3] = { 1, lanes, matrices };
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  metal_mock_reset(&(metal_mock_desc){ .chips = chip });
  id<MTLDevice> d = MTLCreateSystemDefaultDevice();
  NSError *error = nil;
  id<MTLLibrary> l = [d newLibraryWithSource:string(text) options:nil error:&error];
  CHECK(l != nil);
  if (!l) fprintf(stderr, "%s\n", [[error localizedDescription] UTF8String]);
  for (int i = 0; i < 3; i++) {
    id<MTLFunction> f = [l newFunctionWithName:string(names[i])];
    id<MTLComputePipelineState> p = f ? [d newComputePipelineStateWithFunction:f error:&error] : nil;
    CHECK(f != nil && (p != nil) == has[i]);
    if (f && !p) CHECK(strstr([[error localizedDescription] UTF8String], "unlowered function call") != NULL);
    if (p) CHECK_EQ([p maxTotalThreadsPerThreadgroup], i == 2 ? 64 : 1024);
    [p release];
    [f release];
  }
  [l release];
  [d release];
  [pool release];
  world_clean("units");
}

static void test_threads_limit(void) {
  world w;
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  world_open(&w, &(metal_mock_desc){ .chips = "apple7", .max_threads = 32 });
  CHECK_EQ([w.more maxTotalThreadsPerThreadgroup], 32);
  id<MTLComputeCommandEncoder> e = encoder(&w);
  dispatch(e, w.more, w.x, w.y);
  end(&w, e);
  CHECK_EQ(metal_mock_mistakes(), 1);
  world_close(&w);
  [pool release];
}

// Many command buffers of two threads on queues of their own, put off at random, none of which mixes with another.
static void *many(void *argument) {
  world *w = argument;
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  id<MTLCommandQueue> q = [w->device newCommandQueueWithMaxCommandBufferCount:4];
  id<MTLBuffer> x = [w->device newBufferWithLength:N * 4 options:0];
  for (int i = 0; i < 50; i++) {
    NSAutoreleasePool *inner = [NSAutoreleasePool new];
    id<MTLCommandBuffer> b = [q commandBuffer];
    id<MTLComputeCommandEncoder> e = [b computeCommandEncoder];
    dispatch(e, w->more, x, x);
    [e endEncoding];
    [b commit];
    if (i % 10 == 9) {
      [b waitUntilCompleted];
      CHECK(((float *)[x contents])[N - 1] == (float)(i + 1));
    }
    [inner release];
  }
  [x release];
  [q release];
  [pool release];
  return NULL;
}

static void test_threads(void) {
  world w;
  pthread_t thread;
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  world_open(&w, &(metal_mock_desc){ .chips = "apple7", .seed = 3 });
  pthread_create(&thread, NULL, many, &w);
  many(&w);
  pthread_join(thread, NULL);
  CHECK_EQ(metal_mock_counted().committed, 100);
  world_close(&w);
  [pool release];
  world_clean("threads");
}

static void test_late(void) {                // what is committed has not happened yet, for some seed
  int late = 0;
  for (uint32_t seed = 1; seed < 30 && !late; seed++) {
    world w;
    NSAutoreleasePool *pool = [NSAutoreleasePool new];
    world_open(&w, &(metal_mock_desc){ .chips = "apple7", .seed = seed });
    id<MTLComputeCommandEncoder> e = encoder(&w);
    dispatch(e, w.more, w.x, w.y);
    [e endEncoding];
    [w.b commit];
    usleep(300);
    late = [w.b status] < MTLCommandBufferStatusScheduled;
    [w.b waitUntilCompleted];
    CHECK(((float *)[w.x contents])[0] == 1);
    world_close(&w);
    [pool release];
  }
  CHECK(late);
}

// A wait for what nobody signals ends with Metal's time-out; what is behind it in the queue goes on.
static void test_timeout(void) {
  world w;
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  world_open(&w, &(metal_mock_desc){ .chips = "apple7", .timeout_ms = 20 });
  id<MTLSharedEvent> event = [w.device newSharedEvent];
  id<MTLCommandBuffer> b = [w.queue commandBuffer];
  [b encodeWaitForEvent:event value:1];
  finish(b);
  CHECK_EQ([[b error] code], MTLCommandBufferErrorTimeout);
  run_saxpy(&w);
  [event release];
  world_close(&w);
  [pool release];
  world_clean("timeout");
}

static void test_removed(void) {
  world w;
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  world_open(&w, &(metal_mock_desc){ .chips = "mac2" });
  metal_mock_remove(0);
  id<MTLComputeCommandEncoder> e = encoder(&w);
  dispatch(e, w.more, w.x, w.y);
  end(&w, e);
  CHECK_EQ([[w.b error] code], MTLCommandBufferErrorDeviceRemoved);
  CHECK([w.device newBufferWithLength:16 options:0] == nil);
  world_close(&w);
  [pool release];
  world_clean("removed");
}

// A queue gives out no more than it has, and waits until one is completed.
static void test_queue_limit(void) {
  world w;
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  world_open(&w, &(metal_mock_desc){ .chips = "apple7", .seed = 5 });
  id<MTLCommandQueue> q = [w.device newCommandQueueWithMaxCommandBufferCount:2];
  for (int i = 0; i < 20; i++) {
    id<MTLCommandBuffer> b = [q commandBuffer];
    id<MTLComputeCommandEncoder> e = [b computeCommandEncoder];
    dispatch(e, w.more, w.x, w.y);
    [e endEncoding];
    if (i == 19) finish(b); else [b commit];
  }
  CHECK(((float *)[w.x contents])[0] == 20);
  [q release];
  world_close(&w);
  [pool release];
  world_clean("queue limit");
}

// A program that knows nothing of the mock: chips by the environment, and status 3 where it leaves something.
static int unknowing(int leaks) {
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  id<MTLDevice> d = MTLCreateSystemDefaultDevice();
  const int right = [[d name] isEqual:@"Apple M2"];
  id<MTLBuffer> b = [d newBufferWithLength:16 options:0];
  if (!leaks) [b release];
  [d release];
  [pool release];
  return right ? 0 : 1;
}

static void test_unknowing(const char *program) {
  char command[4200];
  for (int leaks = 0; leaks < 2; leaks++) {
    snprintf(command, sizeof command, "METAL_MOCK_CHIPS=apple8 '%s' %s 2>&1", program, leaks ? "leaks" : "clean");
    FILE *f = popen(command, "r");
    char said[1000] = "";
    CHECK(f != NULL);
    if (!f) return;
    said[fread(said, 1, sizeof said - 1, f)] = 0;
    CHECK_EQ(pclose(f), leaks ? 3 << 8 : 0);
    CHECK((strstr(said, "metal_mock: MTLBuffer is still alive") != NULL) == leaks);
  }
}

static void test_no_kernels(void) {
  world w;
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  world_open(&w, &(metal_mock_desc){ .chips = "apple7", .no_kernels = 1 });
  id<MTLComputeCommandEncoder> e = encoder(&w);
  dispatch(e, w.more, w.x, w.y);
  end(&w, e);
  CHECK(((float *)[w.x contents])[5] == 5);
  CHECK_EQ(metal_mock_counted().dispatches, 1);
  world_close(&w);
  [pool release];
  world_clean("no kernels");
}

int main(int argc, char **argv) {
  if (argc > 1) return unknowing(!strcmp(argv[1], "leaks"));
  static const char *const chips[] = { "apple7", "apple8", "apple9", "a14", "mac2", "egpu", "intel", "paravirtual" };
  for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
    for (uint32_t seed = 0; seed < 3; seed++) test_programs(chips[i], seed);
  for (uint32_t seed = 0; seed < 2; seed++) test_mistakes(seed);
  if (case_named("failures")) test_failures();
  if (case_named("executions")) test_executions();
  if (case_named("memory")) test_memory();
  if (case_named("chips")) test_chips();
  if (case_named("units of apple7")) test_units("apple7", 1, 1);
  if (case_named("units of mac2")) test_units("mac2", 1, 0);
  if (case_named("units of paravirtual")) test_units("paravirtual", 0, 0);
  if (case_named("threads of a pipeline")) test_threads_limit();
  if (case_named("threads")) test_threads();
  if (case_named("late")) test_late();
  if (case_named("no kernels")) test_no_kernels();
  if (case_named("timeout")) test_timeout();
  if (case_named("removed")) test_removed();
  if (case_named("queue limit")) test_queue_limit();
  if (case_named("unknowing")) test_unknowing(argv[0]);
  metal_mock_reset(NULL);
  return test_report();
}
