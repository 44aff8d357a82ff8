#!/usr/bin/env bash
# test_cl: operator vectors and random programs on OpenCL, a part of them, by PoCL or whatever driver is the first; what
# opening says where there is no driver, and where libOpenCL is too old. make test-gpu runs all of them on every device.
cd "$(dirname "$0")/.." || exit 1
. tests/says.sh
make -s build/plain/test_cl >/dev/null || { failed=1; report; }
# PoCL keeps what it has compiled; a day with a fresh folder takes 30 s.
export POCL_CACHE_DIR=${POCL_CACHE_DIR:-$PWD/build/pocl} OCL_ICD_VENDORS=${OCL_ICD_VENDORS:-}
[ -n "$OCL_ICD_VENDORS" ] || unset OCL_ICD_VENDORS

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
says "no driver" "install the driver of the GPU" env OCL_ICD_VENDORS="$work" build/plain/test_cl without
if [ "$(uname)" = Linux ]; then
  echo 'int clGetPlatformIDs(void) { return 0; }' | cc -shared -fPIC -x c - -o "$work/libOpenCL.so.1"
  says "an old library" "older than OpenCL 1.2" env LD_LIBRARY_PATH="$work" build/plain/test_cl without
  # Devices that open for nobody. mock_cl says what it was not given back.
  cc -std=gnu11 -w -shared -fPIC tests/mock_cl.c -o "$work/libOpenCL.so.1" || failed=1
  refused() { says "$1" "$2" env LD_LIBRARY_PATH="$work" "${@:3}" bash -c 'build/plain/test_cl without 2>&1; ! build/plain/test_cl without 2>&1 | grep -q mock_cl:'; }
  refused "no device" "finds no device: install the driver of the GPU" MOCK_CL_DEVICES=0
  refused "an old device" "(OpenCL 1.1 mock) is older than OpenCL 1.2: update its driver" "MOCK_CL_VERSION=OpenCL 1.1 mock"
  refused "a strange version" "is older than OpenCL 1.2" MOCK_CL_VERSION=nothing
  refused "a device that is away" "is not available now: another program may have it" MOCK_CL_AVAILABLE=0
  refused "no compiler" "comes without a compiler: take another device" MOCK_CL_COMPILER=0
  refused "big-endian" "big-endian memory" MOCK_CL_LITTLE=0
  refused "no context" "clCreateContext returned -6 on mock of a GPU: the driver has no memory left" MOCK_CL_CONTEXT=-6
  refused "a lost device" "clCreateContext returned -2 on mock of a GPU: the device is lost" MOCK_CL_CONTEXT=-2
  refused "no queue" "clCreateCommandQueue returned -5 on mock of a GPU" MOCK_CL_CONTEXT=0 MOCK_CL_QUEUE=-5
  # Sub-groups whose size kernels are told, and no others.
  sized=cl_intel_required_subgroup_size
  lanes() { says "$1" "$2" env LD_LIBRARY_PATH="$work" MOCK_CL_CONTEXT=0 MOCK_CL_QUEUE=0 "${@:3}" build/plain/test_cl lanes; }
  lanes "sub-groups" "warp 16, 16 exchange, .*-DSUB_GROUP=16$" "MOCK_CL_EXTENSIONS=$sized cl_intel_subgroups" "MOCK_CL_SUB_GROUPS=8 16 32"
  lanes "long sub-groups" "warp 32, 32 exchange, .*-DSUB_GROUP=32$" "MOCK_CL_EXTENSIONS=cl_khr_subgroup_shuffle $sized" "MOCK_CL_SUB_GROUPS=32 64"
  lanes "sub-groups too long" "warp 0, 0 exchange, -cl-std=CL1.2$" "MOCK_CL_EXTENSIONS=$sized cl_khr_subgroup_shuffle" MOCK_CL_SUB_GROUPS=64
  lanes "sub-groups of any size" "warp 64, 0 exchange, -cl-std=CL1.2$" "MOCK_CL_EXTENSIONS=cl_khr_subgroups cl_khr_subgroup_shuffle" MOCK_CL_WARP=64
  lanes "no exchanges" "warp 0, 0 exchange, -cl-std=CL1.2$" "MOCK_CL_EXTENSIONS=$sized" "MOCK_CL_SUB_GROUPS=8 16"
  lanes "no sizes" "warp 0, 0 exchange, -cl-std=CL1.2$" "MOCK_CL_EXTENSIONS=$sized cl_intel_subgroups"
  lanes "a CPU" "warp 0, 0 exchange, -cl-std=CL1.2$" "MOCK_CL_EXTENSIONS=$sized cl_intel_subgroups" "MOCK_CL_SUB_GROUPS=8 16" MOCK_CL_TYPE=2
fi

device=$(build/plain/test_cl device)
case $device in
  on*) echo "$device" ;;
  *) echo "test_cl.sh: left out, but for what opening says: $device"; report ;;
esac
make -s build/cl/test_vectors build/cl/test_random build/cl/test_atomics >/dev/null || { failed=$((failed + 1)); report; }
export TINY_DEV=INTERP                     # which is OpenCL in these (tests/cl.h)
says "sums that groups add to memory" " passed, 0 failed" env TEST_CL_GRID=1 TEST_BRIEF=1 build/cl/test_atomics
for grid in "" 1; do
  [ -z "$grid" ] || export TEST_CL_GRID=1  # as for a GPU
  says "vectors ${grid:+by a grid}" " passed, 0 failed" env TEST_STRIDE=${TEST_STRIDE:-1200} build/cl/test_vectors
  for seed in 11 12; do
    says "random programs ${grid:+by a grid}, seed $seed" " passed, 0 failed" env TEST_SEED=$seed TEST_ON=INTERP build/cl/test_random
  done
done
report
