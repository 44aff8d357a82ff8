#!/bin/sh
# test_gpu.sh: all operator vectors, random programs and tests/test_cl.c on every device of every OpenCL driver, each
# also as a GPU. make test-gpu has built them. What wants f64 is refused by a device without, and counted.
# RUSTICL_ENABLE=llvmpipe brings Mesa's, where it is installed. TEST_STRIDE=40: every 40th vector. TEST_ROOMS="conv fft":
# of those files of tests/vectors.
#
# A processor's compiler takes nearly all of the time. PoCL compiles a kernel twice: for groups of any size, when its
# program is asked for as bytes, and for this size when it is launched, unless POCL_WORK_GROUP_SPECIALIZATION is 0. It
# does so on one core: programs run side by side, as many as there are cores. A program has the vectors of one file, as
# PoCL 3.1 keeps a released kernel's library mapped, and ends the process when there are vm.max_map_count such pieces.
cd "$(dirname "$0")/.." || exit 1
export POCL_CACHE_DIR="${POCL_CACHE_DIR:-$PWD/build/pocl}"
export POCL_WORK_GROUP_SPECIALIZATION="${POCL_WORK_GROUP_SPECIALIZATION:-0}" TEST_ROUNDS="${TEST_ROUNDS:-4}"
out=build/test-gpu failed=0 n=0
# Each line a program with what it is told; its name is the file of what it says.
runs() {
  for grid in '' -grid; do
    for room in ${TEST_ROOMS:-$(basename -s .bin tests/vectors/*.bin)}; do
      echo "${grid:+TEST_CL_GRID=1 }TINY_DEV=INTERP build/cl/test_vectors $room >$out/vectors$grid/$room"
    done
    echo "${grid:+TEST_CL_GRID=1 }TEST_ON=INTERP build/cl/test_random >$out/random$grid/all"
  done
}
# What several programs count; one that ends without is a failure. Then what they were refused.
sum() {
  tail -q -n 1 "$@" | awk '/ passed, [0-9]+ failed$/ { p += $1; f += $3; next } { f++ } END { print p + 0 " passed, " f + 0 " failed" }'
  cat "$@" | awk '/^refused: / { n += $2 } END { if (n) print ", " n " refused" }'
}
while export TEST_CL=$n && device=$(build/plain/test_cl device) && [ "${device#on }" != "$device" ]; do
  echo "CL:$n $device"
  build/plain/test_cl || failed=1
  rm -rf $out && mkdir -p $out/vectors $out/vectors-grid $out/random $out/random-grid
  runs | xargs -d '\n' -P "$(getconf _NPROCESSORS_ONLN)" -I{} sh -c '{} 2>&1' || failed=1
  for said in vectors vectors-grid random random-grid; do echo "$said: $(sum $out/$said/* | tr -d '\n')"; done
  for said in $out/*/*; do tail -n 1 "$said" | grep -q ', 0 failed$' || { echo "$said:"; cat "$said"; } >&2; done
  n=$((n + 1))
done
[ $n != 0 ] || echo "test_gpu.sh: left out: $device"
exit $failed
