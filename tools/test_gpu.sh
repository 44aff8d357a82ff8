#!/bin/sh
# test_gpu.sh: all operator vectors, random programs and tests/test_cl.c on every device of every OpenCL driver, each also as
# a GPU. make test-gpu has built them. A device without f64 fails the vectors that want it, and says so.
# RUSTICL_ENABLE=llvmpipe brings Mesa's, where it is installed.
cd "$(dirname "$0")/.." || exit 1
export POCL_CACHE_DIR="${POCL_CACHE_DIR:-$PWD/build/pocl}"
failed=0 n=0
while export TEST_CL=$n && device=$(build/plain/test_cl device) && [ "${device#on }" != "$device" ]; do
  echo "CL:$n $device"
  build/plain/test_cl || failed=1
  TINY_DEV=INTERP build/cl/test_vectors || failed=1
  TEST_CL_GRID=1 TINY_DEV=INTERP build/cl/test_vectors || failed=1
  TEST_ON=INTERP TEST_ROUNDS="${TEST_ROUNDS:-4}" build/cl/test_random || failed=1
  TEST_CL_GRID=1 TEST_ON=INTERP TEST_ROUNDS="${TEST_ROUNDS:-4}" build/cl/test_random || failed=1
  n=$((n + 1))
done
[ $n != 0 ] || echo "test_gpu.sh: left out: $device"
exit $failed
