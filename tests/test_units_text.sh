#!/usr/bin/env bash
# test_units_text: what test_warp_matrix writes for units of warps is taken by nvcc for NVIDIA's targets and by clang for
# AMD's, without spills; so is what test_attention_grid writes, with as many spills as it has; what is no instruction of a target is refused. Compilers that are not here are left out.
cd "$(dirname "$0")/.." || exit 1
folder=build/units passed=0 failed=0
make -s build/plain/test_warp_matrix build/plain/test_attention_grid >/dev/null && rm -rf $folder &&
  mkdir -p $folder/attention && TEST_UNITS=$folder build/plain/test_warp_matrix >/dev/null &&
  TEST_UNITS=$folder/attention build/plain/test_attention_grid >/dev/null ||
  { echo "test_warp_matrix or test_attention_grid writes nothing"; echo "0 passed, 1 failed"; exit 1; }
good() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); printf 'failed: %s\n' "$1" >&2; tail -n 12 $folder/said >&2; }
nvidia() { nvcc -arch="$1" -std=c++17 -cubin -w -Xptxas -v -o $folder/out "$2" >$folder/said 2>&1; }
amd() { "$clang" -x hip --cuda-device-only --offload-arch="$1" -nogpuinc -nogpulib -O3 -S -o $folder/out "$2" >$folder/said 2>&1; }
if command -v nvcc >/dev/null; then
  for target in sm_75 sm_80 sm_90 sm_120; do
    if ! nvidia $target $folder/$target.cu; then bad "nvcc refuses $target"
    elif grep "spill" $folder/said | grep -qv " 0 bytes spill stores"; then bad "kernels for $target spill"
    else good; fi
  done
  for target in sm_75 sm_90; do
    if nvidia $target $folder/attention/$target.cu; then good; else bad "nvcc refuses attention for $target"; fi
  done
  if nvidia sm_75 $folder/sm_80.cu; then bad "nvcc takes units of sm_80 for sm_75"; else good; fi
else echo "test_units_text: nvcc is left out, it is not here"; fi
clang=$(command -v clang++-19 || command -v clang++-18 || true)
if [ -n "$clang" ]; then
  for target in gfx1100 gfx1201 gfx942; do
    if ! amd $target $folder/$target.hip; then bad "clang refuses $target"
    elif grep -E "vgpr_spill_count: +[1-9]" $folder/out >$folder/said; then bad "kernels for $target spill"
    else good; fi
  done
  for target in gfx1100 gfx1201 gfx942; do
    if amd $target $folder/attention/$target.hip; then good; else bad "clang refuses attention for $target"; fi
  done
  if amd gfx1201 $folder/gfx1100.hip; then bad "clang takes units of gfx1100 for gfx1201"; else good; fi
else echo "test_units_text: clang 18 or 19 is left out, it is not here"; fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
