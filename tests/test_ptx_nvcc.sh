#!/usr/bin/env bash
# test_ptx_nvcc.sh: CUDA C by NVRTC on the PTX machine in the place of INTERP (tests/ptx.h): operator vectors, a part of
# them, and random programs, groups and warps in order and at random; and ptxas takes every text of test_ptx_machine and
# test_ptx_wide that runs. All of it: make test-nv.
cd "$(dirname "$0")/.." || exit 1
. tests/says.sh
ptxas=$(command -v ptxas || echo /usr/local/cuda/bin/ptxas)
if [ -x "$ptxas" ]; then
  texts=$(mktemp -d)
  trap 'rm -rf "$texts"' EXIT
  make -s build/plain/test_ptx_machine build/plain/test_ptx_wide >/dev/null
  for program in test_ptx_machine test_ptx_wide; do
    mkdir "$texts/$program"
    TEST_PTX_TEXTS=$texts/$program build/plain/$program >/dev/null ||
      { echo "$program fails" >&2; failed=$((failed + 1)); }
  done
  [ "$(find "$texts" -name '*.ptx' | wc -l)" -gt 100 ] || { echo "no texts" >&2; failed=$((failed + 1)); }
  for text in $(find "$texts" -name '*.ptx' | sort | awk "NR % ${TEST_STEP:-4} == 0"); do
    says "$(tail -n +7 "$text")" '^$' bash -c '"$0" -arch=sm_90a "$1" -o /dev/null && echo' "$ptxas" "$text"
  done
else echo "test_ptx_nvcc.sh: texts left out: there is no ptxas"; fi

if ! ldconfig -p 2>/dev/null | grep -q libnvrtc && [ ! -e /usr/local/cuda/lib64/libnvrtc.so ] &&
   [ -z "$TINY_CUDA_NVRTC" ]; then
  echo "test_ptx_nvcc.sh: CUDA C left out: there is no libnvrtc"
  report
fi
make -s build/ptx/test_vectors build/ptx/test_random >/dev/null || { failed=$((failed + 1)); report; }
export TINY_DEV=INTERP
says "vectors" " passed, 0 failed" env TEST_STRIDE="${TEST_STRIDE:-150}" build/ptx/test_vectors
says "vectors, at random" " passed, 0 failed" \
  env TEST_PTX_SEED=5 TEST_STRIDE="${TEST_STRIDE:-150}" build/ptx/test_vectors
for seed in ${TEST_SEEDS:-11}; do
  says "random programs, seed $seed" " passed, 0 failed" \
    env TEST_SEED="$seed" TEST_ON=INTERP TEST_PTX_SEED="$seed" build/ptx/test_random
done
report
