// all: the whole library as one translation unit, one #include a room, in reading order. A room uses only rooms above
// it. Development builds and tests compile this file; tools/amalgamate.py follows the list to write tiny.h.
// Rooms between TN_SMALL_BEGIN and TN_SMALL_END are compiled for their size: all but those in which planning, launching
// and the interpreter spend their time (bench/compile.md).

// With TINY_RUNTIME_ONLY rooms are left out that a build which only runs saved programs has no use for; of the others
// it leaves out what nothing calls, and so does the compiler.
#if defined(TINY_RUNTIME_ONLY) && !defined(TINY_AMALGAMATED)
  #define TINY_AMALGAMATED                 // this list alone says which rooms there are
#endif
#if defined(TINY_RUNTIME_ONLY) && defined(__GNUC__)
  #pragma GCC diagnostic push
  #pragma GCC diagnostic ignored "-Wunused-function"
  #pragma GCC diagnostic ignored "-Wunused-const-variable"
#endif

// ** base: digits, floats, numbers, memory, hashes, text, the version; the operating system in five rooms **
#include "base/digits.c"
#include "base/float.c"
TN_SMALL_BEGIN
#include "base/number.c"
TN_SMALL_END
#include "base/memory.c"
#include "base/hash.c"
TN_SMALL_BEGIN
#include "base/text.c"
#include "base/version.c"
#include "base/os.c"
#include "base/caches.c"
#include "base/threads.c"
#include "base/files.c"
#ifndef TINY_RUNTIME_ONLY
#include "base/trace.c"
#include "base/process.c"
#endif
TN_SMALL_END

// ** ir: the node, its arithmetic, what targets can do, its text, patterns, the reference interpreter, the verifier **
#include "ir/dtype.c"
#include "ir/fma.c"
#include "ir/alu.c"
TN_SMALL_BEGIN
#include "ir/label.c"
#include "ir/listing.c"
#include "machine/units.c"
TN_SMALL_END
#include "ir/uop.c"
#include "ir/walk.c"
TN_SMALL_BEGIN
#include "ir/position.c"
#include "machine/machine.c"
#include "machine/costs.c"
#include "ir/args.c"
#include "ir/target.c"
#include "ir/print.c"
#ifndef TINY_RUNTIME_ONLY
#include "ir/graph_text.c"
#endif
TN_SMALL_END
#include "ir/match.c"
TN_SMALL_BEGIN
#include "ir/build.c"
#ifndef TINY_RUNTIME_ONLY
#include "ir/kernel.c"
#endif
#include "ir/combine.c"
#ifndef TINY_RUNTIME_ONLY
#include "ir/function.c"
#include "ir/special.c"
#endif
#ifndef TINY_NO_INTERP
#include "ir/decode.c"
TN_SMALL_END
#include "ir/eval.c"
#ifndef TINY_RUNTIME_ONLY
#include "ir/eval_graph.c"
#endif
TN_SMALL_BEGIN
#endif
#include "ir/spec.c"
#ifndef TINY_NO_IO
#include "ir/wire.c"
#endif

// ** rules: algebra as tables **
#if !defined(TINY_NO_NN) && !defined(TINY_RUNTIME_ONLY)
#include "rules/gradient.c"
#endif
#ifndef TINY_RUNTIME_ONLY
#include "rules/shard.c"
#endif
#include "rules/notation.c"
#ifndef TINY_RUNTIME_ONLY
#include "rules/affine.c"
#include "rules/divmod.c"
#include "rules/symbolic.c"
#include "rules/valid.c"
#include "rules/reduce.c"
#include "rules/online.c"
#include "rules/nested.c"
#include "rules/transcendental.c"
#include "rules/decompose.c"
#endif
#if defined(TN_ISA) && defined(TN_OS_X86)
#include "isa/x86_rules.c"
#endif
#include "rules/notation_end.c"

#ifndef TINY_RUNTIME_ONLY
// ** shape: views of memory **
#include "shape/view.c"
#include "shape/contraction.c"

// ** tensor: handles, operators, gradients, networks **
#include "tensor/tensor.c"
#include "tensor/label.c"
#include "tensor/graphs.c"
#include "tensor/create.c"
#include "tensor/shard.c"
#include "tensor/movement.c"
#include "tensor/length.c"
#include "tensor/join.c"
#include "tensor/elementwise.c"
#include "tensor/math.c"
#include "tensor/activation.c"
#include "tensor/reduce.c"
#include "tensor/scan.c"
#include "tensor/index.c"
#include "tensor/sort.c"
#include "tensor/random.c"
#include "tensor/matmul.c"
#include "tensor/einsum.c"
#ifndef TINY_NO_LINALG
#include "tensor/loops.c"
#include "tensor/factor.c"
#include "tensor/linalg.c"
#include "tensor/fft.c"
#include "tensor/signal.c"
#endif
#ifndef TINY_NO_NN
#include "tensor/conv.c"
#include "tensor/pool.c"
#include "tensor/image.c"
#include "tensor/augment.c"
#include "tensor/norm.c"
#include "tensor/embedding.c"
#include "tensor/attention.c"
#include "tensor/loss.c"
#include "tensor/recurrent.c"
#include "tensor/checkpoint.c"
#include "tensor/grad.c"
#include "tensor/optim.c"
#include "tensor/training.c"
#include "tensor/params.c"
#include "tensor/summary.c"
#include "tensor/modules.c"
#include "tensor/sequential.c"
#endif

// ** schedule: graph -> kernels **
#include "schedule/graph.c"
#include "schedule/place.c"
#include "schedule/pull.c"
#include "schedule/canonical.c"
#include "schedule/online.c"
#include "schedule/recompute.c"
#include "schedule/rangeify.c"
#include "schedule/tiled.c"
#include "schedule/order.c"
#include "schedule/masked.c"
#include "schedule/sums.c"
#include "schedule/atomics.c"
#include "schedule/plan.c"

// ** codegen: kernel -> program **
#include "codegen/replace.c"
#include "codegen/boxes.c"
#include "codegen/stages.c"
#include "codegen/expand.c"
#include "codegen/transpose.c"
#include "codegen/bounds.c"
#include "codegen/online.c"
#include "codegen/lower.c"
#include "codegen/linearize.c"
#include "codegen/scan.c"
#include "codegen/profile.c"
#include "codegen/collapse.c"
#include "codegen/rounded.c"
#include "codegen/transform.c"
#include "codegen/dot.c"
#include "codegen/scatter.c"
#include "codegen/matrix.c"
#include "codegen/warp_operands.c"
#include "codegen/warp_matrix.c"
#include "codegen/warp_nested.c"
#include "codegen/reuse.c"
#include "codegen/online_blocks.c"
#include "codegen/prefetch.c"
#include "codegen/opts.c"
#include "codegen/wording.c"
#include "codegen/hints.c"
#include "codegen/fuse.c"
#include "codegen/vectors.c"
#include "codegen/lanes.c"
#include "codegen/cost.c"
#include "codegen/tile.c"
#include "codegen/tensorcore.c"
#include "codegen/prefetch_rows.c"
#include "codegen/strided.c"
#include "codegen/row_blocks.c"
#include "codegen/elementwise.c"
#include "codegen/column_reduce.c"
#include "codegen/collective.c"
#include "codegen/warp_tiles.c"
#include "codegen/grid.c"
#include "codegen/grid_scatter.c"
#include "codegen/optimize.c"
#include "codegen/candidates.c"
#include "codegen/pipeline.c"
#endif

// ** isa: machine code of our own, x86-64, arm64 and wasm **
#ifdef TN_ISA
#include "isa/address.c"
#ifndef TN_OS_WASM
#include "isa/code.c"
#include "isa/copies.c"
#include "isa/constants.c"
#include "isa/registers.c"
#include "isa/induction.c"
#include "isa/unroll.c"
#include "isa/words.c"
#endif
#ifdef TN_OS_X86
#include "isa/x86.c"
#include "isa/x86_encode.c"
#include "isa/x86_text.c"
#include "isa/x86_levels.c"
#include "isa/x86_values.c"
#include "isa/x86_widths.c"
#include "isa/x86_memory.c"
#include "isa/x86_tiles.c"
#include "isa/x86_arithmetic.c"
#include "isa/x86_lanes.c"
#include "isa/x86_choice.c"
#include "isa/x86_expand.c"
#include "isa/x86_select.c"
#elif defined(TN_OS_ARM64)
#include "isa/arm64.c"
#include "isa/arm64_encode.c"
#include "isa/arm64_text.c"
#include "isa/arm64_values.c"
#include "isa/arm64_memory.c"
#include "isa/arm64_arithmetic.c"
#include "isa/arm64_lanes.c"
#include "isa/arm64_select.c"
#include "isa/arm64_peephole.c"
#else
#include "isa/wasm.c"
#include "isa/wasm_values.c"
#include "isa/wasm_memory.c"
#include "isa/wasm_arithmetic.c"
#include "isa/wasm_lanes.c"
#include "isa/wasm_select.c"
#include "isa/wasm_locals.c"
#include "isa/wasm_object.c"
#endif
#endif
#include "ir/match_end.c"

// ** render: program -> text **
#ifndef TINY_RUNTIME_ONLY
#include "render/lang_c.c"
#ifndef TINY_NO_IO
#include "render/lang_plain.c"
#include "render/plain_lanes.c"
#endif
#endif
#if !defined(TINY_NO_GPU) && !defined(TINY_RUNTIME_ONLY)
#include "render/lang_wgsl.c"
#endif
#ifndef TINY_RUNTIME_ONLY
#include "render/cstyle.c"
#include "render/llvm.c"
#endif

// ** runtime: devices, programs, execution **
#include "runtime/pool.c"
#include "runtime/queue.c"
#ifdef TN_OS_PAGE
#include "runtime/page.c"
#else
#include "runtime/elf.c"
#endif
#if defined(TN_ISA) && !defined(TN_OS_PAGE)
#include "isa/object.c"
#ifdef TN_OS_X86
#include "isa/x86_object.c"
#elif defined(TN_OS_ARM64)
#include "isa/arm64_object.c"
#endif
#endif
#include "runtime/cpu_compiler.c"
#include "runtime/cpu.c"
#ifndef TINY_NO_INTERP
#include "runtime/interp.c"
#endif
#ifndef TINY_RUNTIME_ONLY
#include "runtime/null.c"
TN_SMALL_END
#include "runtime/storage.c"
TN_SMALL_BEGIN
#include "runtime/device.c"
#include "runtime/cache.c"
#include "runtime/progress.c"
#endif
#include "runtime/container.c"
#ifndef TINY_RUNTIME_ONLY
#include "runtime/executable.c"
#include "runtime/observe.c"
#include "runtime/trace.c"
#include "runtime/compiler.c"
#include "runtime/program.c"
#include "runtime/warm.c"
#include "runtime/tiers.c"
#include "runtime/builds.c"
#include "runtime/beam.c"
#include "runtime/copy.c"
#include "runtime/collect.c"
TN_SMALL_END
#include "runtime/launch.c"
TN_SMALL_BEGIN
#include "runtime/budget.c"
#include "runtime/run.c"
#include "runtime/realize.c"
#include "runtime/find_nan.c"
#include "runtime/array_text.c"
#include "runtime/custom.c"
TN_SMALL_END
#include "runtime/capture.c"
#include "runtime/replay.c"
TN_SMALL_BEGIN
#include "runtime/profile.c"
#include "runtime/loader.c"
#include "runtime/ship.c"
#endif

// ** io: files of tensors **
#ifndef TINY_NO_IO
#include "io/source.c"
#ifndef TINY_RUNTIME_ONLY
#include "io/npy.c"
TN_SMALL_END
#include "io/inflate.c"
TN_SMALL_BEGIN
#include "io/json.c"
#include "io/archive.c"
#include "io/zip.c"
#include "io/safetensors.c"
#include "io/files.c"
#include "io/state.c"
#include "io/deflate.c"
#include "io/pixels.c"
#include "io/png.c"
#include "io/pnm.c"
#include "io/picture.c"
#include "io/wav.c"
#include "io/idx.c"
#include "io/csv.c"
#endif
#include "ship/saved.c"
#include "ship/opened.c"
#ifdef TINY_RUNTIME_ONLY
#include "ship/within.c"
#include "ship/play.c"
#else
#include "ship/save.c"
#include "ship/load.c"
#include "ship/call.c"
#include "ship/export_kernels.c"
#include "ship/export_c.c"
#endif
#endif

// ** the context: all of the above, opened and closed **
#ifndef TINY_RUNTIME_ONLY
#include "runtime/whole.c"
#endif
#include "runtime/context.c"
TN_SMALL_END
#if defined(TINY_RUNTIME_ONLY) && defined(__GNUC__)
  #pragma GCC diagnostic pop
#endif
