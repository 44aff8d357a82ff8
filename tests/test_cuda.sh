#!/usr/bin/env bash
# test_cuda: CUDA in the place of INTERP (tests/cuda.h) on the mock driver: operator vectors and random programs, a part of
# them, and orders of calls; NVRTC where there is a real one; and its header in files of its own.
# bench/gpu.sh runs them on a GPU.
cd "$(dirname "$0")/.." || exit 1
. tests/says.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# In two files: tiny.h's library, tiny_cuda.h's, and their user.
printf '#include "tiny.h"\n#define TINY_IMPLEMENTATION\n#include "tiny_cuda.h"\n' >"$work/library.c"
printf '#include "tiny_cuda.h"\nint main(void) { return tiny_cuda.version != TINY_BACKEND_VERSION || tiny_cuda_host(0, 0).text[0] != 67; }\n' \
  >"$work/user.c"
printf '#define TINY_IMPLEMENTATION\n#include "tiny.h"\n' >"$work/tiny.c"
says "two files, linked" "^good$" bash -c "cd '$work' && for f in tiny library user; do cc -std=c11 -I'$PWD' -w -c \$f.c || exit 1; done &&
  cc tiny.o library.o user.o -o both -lm -lpthread -ldl && ./both && echo good"

make -s mock build/cuda/test_vectors build/cuda/test_order build/cuda/test_random build/cuda/test_saved_random >/dev/null || { failed=$((failed + 1)); report; }
# What the toolkit has, where there is one: the language as NVRTC takes it, and the stub of the driver.
nvrtc=/usr/local/cuda/lib64/libnvrtc.so
if [ -e $nvrtc ]; then
  says "NVRTC" "^sm_90a: taken" env TINY_CUDA_LANGUAGE=C TINY_CUDA_DRIVER="$PWD/build/mock/libcuda.so.1" TINY_CUDA_NVRTC="$nvrtc" \
    bash -c 'cc -std=c11 -w -I. tests/cuda_nvrtc.c -o "$0" -lm -lpthread -ldl && "$0"' "$work/nvrtc"
else echo "test_cuda.sh: NVRTC left out: there is no $nvrtc"; fi
stub=/usr/local/cuda/lib64/stubs/libcuda.so
if [ -e $stub ]; then says "the toolkit's stub" "the toolkit's stub and no driver" env TINY_CUDA_DRIVER=$stub bash -c 'TINY_DEV=INTERP build/cuda/test_order; true'
else echo "test_cuda.sh: the stub of the driver left out: there is no $stub"; fi

export TINY_DEV=INTERP TINY_CUDA_DRIVER="$PWD/build/mock/libcuda.so.1" TINY_CUDA_NVRTC="$PWD/build/mock/libnvrtc.so.13"
says "orders of calls" " passed, 0 failed" env TEST_ROUNDS=${TEST_ROUNDS:-12} MOCK_CUDA_SEED=3 build/cuda/test_order
for language in PTX C; do
  says "vectors, $language" " passed, 0 failed" env TINY_CUDA_LANGUAGE=$language TEST_STRIDE=${TEST_STRIDE:-400} build/cuda/test_vectors
done
says "saved programs" " passed, 0 failed" env TINY_CUDA_LANGUAGE=PTX TEST_ROUNDS=${TEST_SAVED:-3} TEST_ON=INTERP build/cuda/test_saved_random
for seed in 11 12; do
  says "random programs, seed $seed" " passed, 0 failed" env TINY_CUDA_LANGUAGE=$([ $seed = 11 ] && echo PTX || echo C) TEST_SEED=$seed TEST_ON=INTERP MOCK_CUDA_SEED=$seed build/cuda/test_random
done
report
