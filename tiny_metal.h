/* tiny_metal.h 0.1.0, source 5d82fb61b8bfa30eef348986ce209be5b4ed93f9e591eea40d40d059806878d0

This file is written by tools/amalgamate.py from src/ and never edited by hand.

---- begin src/metal/manual.txt ----
tiny_metal.h and tiny_metal.m: Apple's GPUs for tiny.h, by Metal.

WHAT IT IS
  The device METAL. tiny_metal.m is one file of Objective-C, beside tiny.h and this header in a program for macOS or
  iOS; C and C++ include this header. Nothing is linked but Metal and Foundation.

      #include "tiny.h"
      #include "tiny_metal.h"

      tiny_desc desc = {.device = "METAL", .backends = {&tiny_metal}};
      tiny_ctx *t = tiny_open(&desc);
      if (tiny_status(t) != TINY_OK) puts(tiny_error(t));        // no GPU, as in most virtual machines: it says so

      cc main.c tiny.c tiny_metal.m -framework Metal -framework Foundation

  tiny_metal.m compiles with ARC and without, and needs no flags.

DEVICES
  "METAL"              the system's default GPU
  "METAL:1"            number 1 of those that the system lists, counted from 0
  "METAL:radeon"       the first whose name has this in it, in letters of either case
  "METAL:id-100000abc" the one with this registry id, in hexadecimal
  A name that is none is answered by a list of those there are. Several may be opened at once: "METAL:0,METAL:1,CPU".
  Without .device METAL is opened where it can be, else the CPU.

WHAT IT NEEDS
  macOS 11 or iOS 14. Matrix units and exchange between lanes are used from family Apple7 on (M1, A14), bfloat where the
  system has MSL 3.1 (macOS 14, iOS 17); on other GPUs kernels do without. There is no f64: TINY_E_COMPILE where a graph
  needs it; move that part to the CPU by tiny_to.

MEMORY
  Where GPU and host share memory, tensors are seen by both, and tiny_read copies once. A GPU with memory of its own
  (Intel Macs) has private buffers; bytes go there and back by blits. A tensor is at most maxBufferLength bytes, and all
  of the process's memory on the GPU at most recommendedMaxWorkingSetSize: TINY_E_MEMORY says which.

A HOST THAT USES METAL ITSELF
  tiny_metal_host names a device by the host's MTLCommandQueue; MTLBuffers are tensors without a copy (tiny_metal_blob),
  pages of the host's as well (tiny_metal_pages), and MTLTextures are read and written by blits (tiny_metal_texture,
  tiny_metal_write).
  Between two passes of a frame, without a round trip to the CPU:

      id<MTLCommandBuffer> frame = [queue commandBuffer];
      // .. encode what makes `in`
      tiny_metal_encode(t, (__bridge void *)frame);
      tiny_run(program, &in, &out);                              // encoded into frame
      tiny_metal_encode(t, NULL);
      // .. encode what uses `out`
      [frame commit];

  Until it is committed, nothing that was asked for meanwhile, or later, can be read. Other queues of the host's are
  ordered by events: tiny_metal_wait, tiny_metal_signal.

KERNELS OF YOUR OWN
  tiny_kernel takes the Metal Shading Language: kernel void name(device float *out [[buffer(0)]], device const float *in
  [[buffer(1)]], ..): the output, then the inputs, a number is an input of one element, 31 in all. global counts
  threadgroups, local the threads of each. Or .binary: a .metallib that Xcode's compiler made.

CACHE
  Texts of kernels are kept, and what the GPU's compiler made of them where the system gives it away (MTLBinaryArchive).
  Both are for one GPU and one version of the system.

ORDER
  What the library gives to a device goes to one queue, several launches to an encoder, with barriers between those that
  touch the same memory. Launches that are handed over together again and again are an indirect command buffer, of which
  only arguments that changed are set.

NUMBERS
  Fast math is off. exp, log, sin and what is made of them have the errors of docs/operators.md. The GPU may flush
  subnormals of f32 to 0.

ERRORS
  TINY_E_DEVICE    no GPU, no such GPU, one that was removed or taken away, a kernel that took too long or read memory
                   that is not its own
  TINY_E_MEMORY    the GPU has no room, or a tensor is too large for one buffer
  TINY_E_COMPILE   Metal's compiler does not take a kernel: what it said follows, with lines
  TINY_E_STATE     something is to be read that stands in a command buffer which the host has not committed
  What fails on the GPU after a call has returned is told, once, by the next that waits for it, tiny_read or tiny_sync.
---- end src/metal/manual.txt ----
*/
#ifndef TINY_METAL_H
#define TINY_METAL_H
// ---- begin src/metal/api.h ----
// api.h: the backend METAL, and how a host that uses Metal itself shares with it.
//
// Objects of Metal are void * here, (__bridge void *)object, so that C and C++ can name them; none is retained beyond
// what is said.
#ifndef TINY_API
  #include "tiny.h"
#endif

// What stands in front of each of these: tiny_metal.m has them, also where tiny.h is private to a file.
#ifdef __cplusplus
  #define TINY_METAL_API extern "C" TINY_EXPORT
#else
  #define TINY_METAL_API extern TINY_EXPORT
#endif

// Apple's GPUs, and AMD's in Macs: for tiny_desc.backends. The manual above says what may stand behind "METAL:".
TINY_METAL_API const tiny_backend tiny_metal;

// A name for tiny_desc.device, where it may stand among others.
typedef struct tiny_metal_name { char text[48]; } tiny_metal_name;

// The device of an id<MTLCommandQueue> of the host's: what the library does goes to that queue, in order with what the
// host commits there itself. It is retained until tiny_close.
//     tiny_metal_name name = tiny_metal_host((__bridge void *)queue);
//     tiny_desc desc = {.device = name.text, .backends = {&tiny_metal}};
TINY_METAL_API tiny_metal_name tiny_metal_host(void *queue);

// The calls below are for the device that tiny_use_device names, which is to be METAL: TINY_E_ARG if it is not. Those
// that return a tensor poison it after an error.

// Elements of an id<MTLBuffer> of the device's, from `offset` bytes on, row-major, without a copy: read where it is
// used, and written by assignment and tiny_write. The buffer outlives the tensor and what is computed from it, and no
// two tensors are over the same bytes. A program may retain it, until it runs with another one or is freed.
// TINY_E_ARG: the buffer is too short, or offset is no multiple of an element.
TINY_METAL_API tiny_tensor *tiny_metal_blob(tiny_ctx *t, void *buffer, size_t offset, tiny_dtype dtype,
                                            tiny_shape shape);
// The same over whole pages of the host's memory (data and nbytes are multiples of the page's size: mmap,
// posix_memalign), where the GPU shares the host's: TINY_E_DEVICE where it does not. It outlives t.
TINY_METAL_API tiny_tensor *tiny_metal_pages(tiny_ctx *t, void *data, size_t nbytes, tiny_dtype dtype,
                                             tiny_shape shape);
// A tensor (H,W,C) with what an id<MTLTexture> (2D, its first level and slice) holds at this place of the order: u8
// for 8-bit formats, 16 bit and 32 bit integers and floats as they are; channels in the order of memory (bgra8: blue
// first). TINY_E_ARG: another format or kind.
TINY_METAL_API tiny_tensor *tiny_metal_texture(tiny_ctx *t, void *texture);
// x, (H,W,C) of the texture's size and dtype as above, into the texture at this place of the order. TINY_E_SHAPE,
// TINY_E_DTYPE: it does not fit.
TINY_METAL_API tiny_code tiny_metal_write(tiny_tensor *x, void *texture);

// From now on work is encoded into the host's id<MTLCommandBuffer>, which has no encoder open, until the call with
// NULL; after that the host goes on encoding, and commits it. Nothing of it is waited for meanwhile: tiny_read and
// tiny_sync are TINY_E_STATE until it is committed. On another queue of the GPU than the library's events order it.
TINY_METAL_API tiny_code tiny_metal_encode(tiny_ctx *t, void *command_buffer);
// What is asked for from now on waits until the id<MTLSharedEvent> or id<MTLEvent> has this value.
TINY_METAL_API tiny_code tiny_metal_wait(tiny_ctx *t, void *event, uint64_t value);
// The event gets this value when everything that was asked for before has happened.
TINY_METAL_API tiny_code tiny_metal_signal(tiny_ctx *t, void *event, uint64_t value);
// ---- end src/metal/api.h ----
#endif // TINY_METAL_H

/*
---- begin LICENSE ----
MIT License

Copyright (c) 2026 the tiny.h authors

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
---- end LICENSE ----
*/
