// metal: a picture, blurred on the GPU of a Mac, and how long each part took; then the same between two passes of the
// program's own, in the command buffer that it commits, as a game does it: by buffers, and by textures.
//   cc -O2 -I. examples/metal.m tiny_metal.m -framework Metal -framework Foundation -o metal &&
//   ./metal [picture.ppm [out.png]]
//
// The blur works on light, not on the numbers of a file: the program's first pass makes light of bytes, its last one
// bytes of light. Nothing comes back to the CPU between them. All three ways are compared with the device CPU; returns
// 2 if one of them differs, 1 after an error. Objects are counted by hand: without -fobjc-arc.
#import <Foundation/Foundation.h>
#import <Metal/Metal.h>
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include "tiny_metal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RADIUS = 6, FRAMES = 8, GROUP = 64 };

// ** what is computed: pictures are (1,C,H,W) of light **

// Each channel by itself with a bell curve, along rows, then along columns; the edge goes on outside.
static tiny_tensor *blur(tiny_tensor *x) {
  tiny_ctx *t = tiny_ctx_of(x);
  const int channels = (int)tiny_shape_of(x).dim[1], size = 2 * RADIUS + 1;
  tiny_tensor *at = tiny_mul_scalar(tiny_arange(t, -RADIUS, RADIUS + 1, 1, TINY_F32), 2.0 / RADIUS);
  tiny_tensor *bell = tiny_softmax(tiny_mul_scalar(tiny_square(at), -0.5), 0);               // of sum 1
  tiny_conv_desc rows = {.groups = channels, .pad = {0, RADIUS}, .padding = TINY_PAD_REPLICATE}, columns = rows;
  columns.pad[0] = RADIUS; columns.pad[1] = 0;
  x = tiny_conv2d(x, tiny_expand(bell, TINY_SHAPE(channels, 1, 1, size)), NULL, &rows);
  bell = tiny_reshape(bell, TINY_SHAPE(size, 1));
  return tiny_conv2d(tiny_contiguous(x), tiny_expand(bell, TINY_SHAPE(channels, 1, size, 1)), NULL, &columns);
}
// Bytes to light and back, near enough to sRGB: what the two passes do, as tensors.
static tiny_tensor *light_of(tiny_tensor *bytes) {
  return tiny_square(tiny_mul_scalar(tiny_cast(bytes, TINY_F32), 1.0 / 255));
}
static tiny_tensor *bytes_of(tiny_tensor *light) {
  return tiny_cast(tiny_add_scalar(tiny_mul_scalar(tiny_sqrt(tiny_clamp(light, 0, 1)), 255), 0.5), TINY_U8);
}

// ** the program's own passes **

static const char *const passes =
  "#include <metal_stdlib>\n"
  "using namespace metal;\n"
  "kernel void light(device const uchar *in [[buffer(0)]], device float *out [[buffer(1)]],\n"
  "                  constant uint &n [[buffer(2)]], uint i [[thread_position_in_grid]]) {\n"
  "  if (i < n) { const float x = float(in[i]) / 255.0f; out[i] = x * x; }\n"
  "}\n"
  "kernel void shown(device const float *in [[buffer(0)]], device uchar *out [[buffer(1)]],\n"
  "                  constant uint &n [[buffer(2)]], uint i [[thread_position_in_grid]]) {\n"
  "  if (i < n) out[i] = uchar(sqrt(clamp(in[i], 0.0f, 1.0f)) * 255.0f + 0.5f);\n"
  "}\n"
  // The same with a texture on one side; bytes are (C,H,W), of which a pixel has three.
  "kernel void light_texture(device const uchar *in [[buffer(0)]],\n"
  "                          texture2d<float, access::write> out [[texture(0)]],\n"
  "                          constant uint &n [[buffer(2)]], uint i [[thread_position_in_grid]]) {\n"
  "  const uint w = out.get_width();\n"
  "  if (i >= n) return;\n"
  "  const float3 x = float3(float(in[i]), float(in[i + n]), float(in[i + 2 * n])) / 255.0f;\n"
  "  out.write(float4(x * x, 1.0f), uint2(i % w, i / w));\n"
  "}\n"
  "kernel void shown_texture(texture2d<float, access::read> in [[texture(0)]], device uchar *out [[buffer(1)]],\n"
  "                          constant uint &n [[buffer(2)]], uint i [[thread_position_in_grid]]) {\n"
  "  const uint w = in.get_width();\n"
  "  if (i >= n) return;\n"
  "  const float4 x = in.read(uint2(i % w, i / w));\n"
  "  for (uint c = 0; c < 3; c++) out[i + c * n] = uchar(sqrt(clamp(x[c], 0.0f, 1.0f)) * 255.0f + 0.5f);\n"
  "}\n";

// Everything of the program's own. Objects are counted by hand: what `new` gave, `release` takes.
typedef struct host {
  id<MTLDevice> device;
  id<MTLCommandQueue> queue;
  id<MTLLibrary> library;
  id<MTLBuffer> bytes, light, soft, shown; // (C,H,W): as the file has it, as light, blurred, for the screen
  id<MTLTexture> scene, screen;            // (H,W) pixels of 4 floats
  uint32_t pixels, values;
} host;

static int complain(const char *what, NSError *error) {
  fprintf(stderr, "metal: %s%s%s\n", what, error ? ": " : "", error ? [[error localizedDescription] UTF8String] : "");
  return 1;
}
static id<MTLComputePipelineState> pipeline(const host *h, const char *name) {
  NSError *error = nil;
  id<MTLFunction> function = [h->library newFunctionWithName:[NSString stringWithUTF8String:name]];
  id<MTLComputePipelineState> state = [h->device newComputePipelineStateWithFunction:function error:&error];
  [function release];
  if (!state) complain(name, error);
  return state;
}
static id<MTLTexture> texture(const host *h, NSUInteger width, NSUInteger height) {
  MTLTextureDescriptor *d = [[MTLTextureDescriptor alloc] init];
  [d setPixelFormat:MTLPixelFormatRGBA32Float];
  [d setWidth:width];
  [d setHeight:height];
  [d setUsage:MTLTextureUsageShaderRead | MTLTextureUsageShaderWrite];
  [d setStorageMode:MTLStorageModePrivate];
  id<MTLTexture> made = [h->device newTextureWithDescriptor:d];
  [d release];
  return made;
}
static int host_begin(host *h, const uint8_t *data, NSUInteger width, NSUInteger height) {
  NSError *error = nil;
  memset(h, 0, sizeof *h);
  h->device = MTLCreateSystemDefaultDevice();
  if (!h->device) return complain("there is no Metal device here", nil);
  h->queue = [h->device newCommandQueue];
  h->library = [h->device newLibraryWithSource:[NSString stringWithUTF8String:passes] options:nil error:&error];
  if (!h->library) return complain("the passes do not compile", error);
  h->pixels = (uint32_t)(width * height);
  h->values = 3 * h->pixels;
  h->bytes = [h->device newBufferWithBytes:data length:h->values options:MTLResourceStorageModeShared];
  h->light = [h->device newBufferWithLength:h->values * sizeof(float) options:MTLResourceStorageModePrivate];
  h->soft = [h->device newBufferWithLength:h->values * sizeof(float) options:MTLResourceStorageModePrivate];
  h->shown = [h->device newBufferWithLength:h->values options:MTLResourceStorageModeShared];
  h->scene = texture(h, width, height);
  h->screen = texture(h, width, height);
  return !h->bytes || !h->light || !h->soft || !h->shown || !h->scene || !h->screen ? complain("no memory", nil) : 0;
}
static void host_end(host *h) {
  [h->screen release]; [h->scene release];
  [h->shown release]; [h->soft release]; [h->light release]; [h->bytes release];
  [h->library release]; [h->queue release]; [h->device release];
}

// One pass: a kernel over n items, from and to a buffer or a texture.
static int encode_pass(id<MTLCommandBuffer> commands, id<MTLComputePipelineState> state, id<MTLBuffer> in,
                       id<MTLBuffer> out, id<MTLTexture> picture, uint32_t n) {
  if (!state) return 1;
  id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
  [encoder setComputePipelineState:state];
  if (in) [encoder setBuffer:in offset:0 atIndex:0];
  if (out) [encoder setBuffer:out offset:0 atIndex:1];
  if (picture) [encoder setTexture:picture atIndex:0];
  [encoder setBytes:&n length:sizeof n atIndex:2];
  [encoder dispatchThreadgroups:MTLSizeMake((n + GROUP - 1) / GROUP, 1, 1)
          threadsPerThreadgroup:MTLSizeMake(GROUP, 1, 1)];
  [encoder endEncoding];
  return 0;
}

// ** frames: the program's pass, the library's kernels, the program's pass; one command buffer **

static double now(void) { return 1e-6 * (double)tiny_now_ns(); }           // ms

typedef struct frames { double encode, gpu; } frames;      // ms of a frame: of the CPU to encode it, of the GPU
// What the library does in a frame: the kernels of a program that was captured once, or, for textures, a graph that it
// has met before.
typedef struct work { tiny_ctx *t; tiny_program *program; int textures; } work;

static tiny_code encode_blur(const work *w, const host *h) {
  if (!w->textures) return tiny_run(w->program, NULL, NULL);
  tiny_begin(w->t);
  tiny_tensor *x = tiny_permute(tiny_metal_texture(w->t, h->scene), TINY_SHAPE(2, 0, 1));   // (H,W,4) -> (4,H,W)
  tiny_tensor *soft = tiny_squeeze(blur(tiny_unsqueeze(x, 0)), 0);
  tiny_metal_write(tiny_permute(soft, TINY_SHAPE(1, 2, 0)), h->screen);
  return tiny_end(w->t);
}
static int frame(const host *h, const work *w, id<MTLComputePipelineState> first, id<MTLComputePipelineState> last,
                 frames *took) {
  const double from = now();
  const uint32_t n = w->textures ? h->pixels : h->values;
  id<MTLTexture> scene = w->textures ? h->scene : nil, screen = w->textures ? h->screen : nil;
  id<MTLCommandBuffer> commands = [h->queue commandBuffer];
  if (encode_pass(commands, first, h->bytes, scene ? nil : h->light, scene, n)) return 1;
  tiny_metal_encode(w->t, commands);       // from here on kernels go into this command buffer
  encode_blur(w, h);
  tiny_metal_encode(w->t, NULL);
  if (tiny_status(w->t) != TINY_OK) return 1;
  if (encode_pass(commands, last, screen ? nil : h->soft, h->shown, screen, n)) return 1;
  took->encode = now() - from;
  [commands commit];
  [commands waitUntilCompleted];           // a game would go on, and look at the picture later
  took->gpu = 1e3 * ([commands GPUEndTime] - [commands GPUStartTime]);
  if ([commands status] == MTLCommandBufferStatusCompleted) return 0;
  return complain("the command buffer failed", [commands error]);
}

// How far the bytes are from those that are wanted.
static int difference(const host *h, const uint8_t *want) {
  const uint8_t *got = [h->shown contents];
  int most = 0;
  for (uint32_t i = 0; i < h->values; i++) {
    const int d = abs(got[i] - want[i]);
    if (d > most) most = d;
  }
  return most;
}

// FRAMES frames, of which the first two are left out of the times: kernels are compiled then. Returns how far the last
// one's bytes are off, -1 after an error.
static int run_frames(const host *h, const work *w, const uint8_t *want) {
  id<MTLComputePipelineState> first = pipeline(h, w->textures ? "light_texture" : "light"),
                              last = pipeline(h, w->textures ? "shown_texture" : "shown");
  frames took, best = {1e9, 1e9};
  int failed = !first || !last;
  memset([h->shown contents], 0, h->values);
  for (int i = 0; i < FRAMES && !failed; i++) {
    @autoreleasepool {
      failed = frame(h, w, first, last, &took);
      if (i >= 2 && took.encode < best.encode) best.encode = took.encode;
      if (i >= 2 && took.gpu < best.gpu) best.gpu = took.gpu;
    }
  }
  [first release]; [last release];
  if (failed) return -1;
  const int off = difference(h, want);
  const char *const way = w->textures ? "by textures, its graph built in each frame" : "by buffers, a captured program";
  printf("  %-48s %8.3f ms to encode, %8.3f ms of the GPU\n", way, best.encode, best.gpu);
  return off;
}

// The blur from one buffer of the host's to the other, captured: an assignment to the second that is in the frame.
static tiny_program *capture(tiny_ctx *t, const host *h, int64_t height, int64_t width) {
  tiny_tensor *light = tiny_metal_blob(t, h->light, 0, TINY_F32, TINY_SHAPE(1, 3, height, width));
  tiny_tensor *soft = tiny_metal_blob(t, h->soft, 0, TINY_F32, TINY_SHAPE(1, 3, height, width));
  tiny_begin(t);
  tiny_assign(soft, blur(light));
  tiny_program *p = tiny_capture(t, NULL, 0, NULL, 0);
  tiny_end(t);
  return p;
}
static int in_frames(const uint8_t *data, const uint8_t *want, int64_t height, int64_t width) {
  host h;
  int failed = host_begin(&h, data, (NSUInteger)width, (NSUInteger)height);
  if (!failed) {
    const tiny_metal_name name = tiny_metal_host(h.queue);
    tiny_ctx *t = tiny_open(&(tiny_desc){.device = name.text, .backends = {&tiny_metal}});
    work w = {t, capture(t, &h, height, width), 0};
    puts("between two passes of the program's own, in one command buffer:");
    for (; w.textures < 2 && !failed && tiny_status(t) == TINY_OK; w.textures++) {
      const int off = run_frames(&h, &w, want);
      if (off > 1) printf("  its bytes are up to %d from those of the CPU\n", off);
      failed = off < 0 ? 1 : off > 1 ? 2 : 0;
    }
    if (tiny_status(t) != TINY_OK) failed = complain(tiny_error(t), nil);
    tiny_program_free(w.program);
    tiny_close(t);
  }
  host_end(&h);
  return failed;
}

// ** alone: the library opens the device, and does all of it **

static void told(const char *what, double *from) {
  const double to = now();
  printf("  %-48s %8.3f ms\n", what, to - *from);
  *from = to;
}
// Bytes (C,H,W), blurred on the CPU: what the others are compared with.
static int wanted(const char *path, uint8_t **data, uint8_t **want, tiny_shape *shape) {
  tiny_ctx *t = tiny_open(NULL);
  tiny_tensor *x = tiny_load_image(t, path);
  *shape = tiny_shape_of(x);
  if (tiny_status(t) == TINY_OK && shape->dim[0] != 3) {
    tiny_close(t);
    return complain("a picture of three colours is wanted", nil);
  }
  const size_t n = tiny_status(t) == TINY_OK ? (size_t)(shape->dim[0] * shape->dim[1] * shape->dim[2]) : 0;
  *data = malloc(n + 1); *want = malloc(n + 1);
  if (n && *data && *want) {
    tiny_read(x, *data, n);
    tiny_read(bytes_of(blur(light_of(tiny_unsqueeze(x, 0)))), *want, n);
  }
  const int failed = tiny_status(t) != TINY_OK ? complain(tiny_error(t), nil) : !*data || !*want;
  tiny_close(t);
  return failed;
}
static int alone(const uint8_t *data, const uint8_t *want, tiny_shape s, const char *out) {
  const size_t n = (size_t)(s.dim[0] * s.dim[1] * s.dim[2]);
  uint8_t *got = malloc(n);
  int most = 0;
  double from = now();
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = "METAL", .backends = {&tiny_metal}});
  printf("alone, on %s:\n", tiny_device_name(t, 0));
  told("the device is opened", &from);
  tiny_tensor *x = tiny_from(t, data, TINY_U8, s);
  for (int i = 0; i < 2; i++) {
    tiny_begin(t);
    tiny_write(x, data, n);                // the picture, the next picture
    tiny_sync(t);
    told("a picture is there", &from);
    tiny_tensor *soft = bytes_of(blur(light_of(tiny_unsqueeze(x, 0))));
    tiny_realize(&soft, 1);
    tiny_sync(t);
    told(i ? "blurred again" : "blurred, kernels compiled", &from);
    if (got) tiny_read(soft, got, n);
    told("read back", &from);
    if (i && out) tiny_save_image(tiny_squeeze(soft, 0), out);
    tiny_end(t);                           // what was computed in between goes
  }
  int failed = tiny_status(t) != TINY_OK ? complain(tiny_error(t), nil) : !got;
  for (size_t i = 0; i < n && !failed; i++) most = abs(got[i] - want[i]) > most ? abs(got[i] - want[i]) : most;
  if (most > 1) printf("  its bytes are up to %d from those of the CPU\n", most);
  tiny_close(t);
  free(got);
  return failed ? failed : most > 1 ? 2 : 0;
}

int main(int argc, char **argv) {
  uint8_t *data = NULL, *want = NULL;
  tiny_shape s;
  int failed;
  @autoreleasepool {
    failed = wanted(argc > 1 ? argv[1] : "examples/data/scene.ppm", &data, &want, &s);
    if (!failed) failed = alone(data, want, s, argc > 2 ? argv[2] : NULL);
    if (!failed) failed = in_frames(data, want, s.dim[1], s.dim[2]);
    if (!failed) printf("all three agree with the CPU, %lld x %lld pixels\n", (long long)s.dim[2], (long long)s.dim[1]);
  }
  free(data);
  free(want);
  return failed;
}
