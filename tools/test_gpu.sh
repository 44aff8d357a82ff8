#!/bin/sh
# test_gpu.sh: all operator vectors, random programs and tests/test_cl.c on every device of every OpenCL driver, each
# also as a GPU. make test-gpu has built them. What wants f64 is refused by a device without, and counted.
# RUSTICL_ENABLE=llvmpipe brings Mesa's, where it is installed. TEST_STRIDE=40: every 40th vector.
#
# A processor's compiler takes nearly all of the time. PoCL compiles a kernel twice: for groups of any size, when its
# program is asked for as bytes, and for this size when it is launched, unless POCL_WORK_GROUP_SPECIALIZATION is 0. It
# does so on one core: vectors as on a processor and as on a GPU, and random programs, run side by side, as many as
# there are cores.
cd "$(dirname "$0")/.." || exit 1
export POCL_CACHE_DIR="${POCL_CACHE_DIR:-$PWD/build/pocl}"
export POCL_WORK_GROUP_SPECIALIZATION="${POCL_WORK_GROUP_SPECIALIZATION:-0}" TEST_ROUNDS="${TEST_ROUNDS:-4}"
out=build/test-gpu failed=0 n=0
mkdir -p $out && rm -f $out/*
# Each line a program with what it is told; its name is the file of what it says.
runs() {
  echo "TINY_DEV=INTERP build/cl/test_vectors >$out/vectors"
  echo "TEST_CL_GRID=1 TINY_DEV=INTERP build/cl/test_vectors >$out/vectors-grid"
  echo "TEST_ON=INTERP build/cl/test_random >$out/random"
  echo "TEST_CL_GRID=1 TEST_ON=INTERP build/cl/test_random >$out/random-grid"
}
while export TEST_CL=$n && device=$(build/plain/test_cl device) && [ "${device#on }" != "$device" ]; do
  echo "CL:$n $device"
  build/plain/test_cl || failed=1
  runs | xargs -d '\n' -P "$(getconf _NPROCESSORS_ONLN)" -I{} sh -c '{} 2>&1' || failed=1
  for said in vectors vectors-grid random random-grid; do
    echo "$said: $(tail -n 2 $out/$said | tr '\n' ' ')"
    grep -q ', 0 failed$' $out/$said || cat $out/$said >&2
  done
  n=$((n + 1))
done
[ $n != 0 ] || echo "test_gpu.sh: left out: $device"
exit $failed
