#!/usr/bin/env bash
# test_cl: operator vectors and random programs on OpenCL, a part of them, by PoCL or whatever driver is the first; what
# opening says where there is no driver, and where libOpenCL is too old. make test-gpu runs all of them on every device.
cd "$(dirname "$0")/.." || exit 1
passed=0 failed=0
report() { echo "$passed passed, $failed failed"; [ "$failed" = 0 ]; exit; }
make -s build/plain/test_cl >/dev/null || { failed=1; report; }
# PoCL keeps what it has compiled; a day with a fresh folder takes 30 s.
export POCL_CACHE_DIR=${POCL_CACHE_DIR:-$PWD/build/pocl} OCL_ICD_VENDORS=${OCL_ICD_VENDORS:-}
[ -n "$OCL_ICD_VENDORS" ] || unset OCL_ICD_VENDORS

# says NAME TEXT COMMAND..: the command succeeds, and TEXT is in what it says.
says() {
  local name=$1 text=$2 said
  shift 2
  if said=$("$@" 2>&1) && grep -q "$text" <<<"$said"; then passed=$((passed + 1)); return; fi
  failed=$((failed + 1))
  printf 'failed: %s\n%s\n' "$name" "$said" >&2
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
says "no driver" "install the driver of the GPU" env OCL_ICD_VENDORS="$work" build/plain/test_cl without
if [ "$(uname)" = Linux ]; then
  echo 'int clGetPlatformIDs(void) { return 0; }' | cc -shared -fPIC -x c - -o "$work/libOpenCL.so.1"
  says "an old library" "older than OpenCL 1.2" env LD_LIBRARY_PATH="$work" build/plain/test_cl without
fi

device=$(build/plain/test_cl device)
case $device in
  on*) echo "$device" ;;
  *) echo "test_cl.sh: left out, but for what opening says: $device"; report ;;
esac
make -s build/cl/test_vectors build/cl/test_random >/dev/null || { failed=$((failed + 1)); report; }
export TINY_DEV=INTERP                     # which is OpenCL in these (tests/cl.h)
for grid in "" 1; do
  [ -z "$grid" ] || export TEST_CL_GRID=1  # as for a GPU
  says "vectors ${grid:+by a grid}" " passed, 0 failed" env TEST_STRIDE=${TEST_STRIDE:-1200} build/cl/test_vectors
  for seed in 11 12; do
    says "random programs ${grid:+by a grid}, seed $seed" " passed, 0 failed" env TEST_SEED=$seed TEST_ON=INTERP build/cl/test_random
  done
done
report
