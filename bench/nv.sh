#!/usr/bin/env bash
# nv.sh: tiny_nv.h on the NVIDIA GPU of this machine, in the order in which a first try teaches most: what is there and who
# may open it, what the driver tells, a kernel from machine code to a result, then tests on the GPU. Ten minutes.
#
#   bench/nv.sh [LOG]        LOG: build/nv.log
cd "$(dirname "$0")/.." || exit 1
log=${1:-build/nv.log}
mkdir -p build/nv_first "$(dirname "$log")"
python3 tools/amalgamate.py || exit 1
say() { printf '\n== %s\n' "$*"; }
build() { "${CC:-cc}" -std=c11 -O2 -w -I. "examples/$1.c" -o "build/nv_first/$1" -lm -lpthread -ldl; }
{
  say "files and driver"
  id
  uname -srm
  ls -l /dev/nvidia* 2>&1
  cat /proc/driver/nvidia/version /proc/driver/nvidia/params 2>&1 | head -n 60
  command -v ptxas nvidia-smi strace

  say "what the driver tells (examples/nvinfo.c)"
  build nvinfo && timeout 60 build/nv_first/nvinfo

  say "a kernel, step by step (examples/saxpy_nv.c)"
  build saxpy_nv && timeout 120 build/nv_first/saxpy_nv
  status=$?
  if [ $status != 0 ] && command -v strace >/dev/null; then
    say "the same, each call of the kernel"
    timeout 120 strace -f -e trace=openat,ioctl,mmap,munmap,close build/nv_first/saxpy_nv 2>&1 | tail -n 120
  fi
  dmesg 2>/dev/null | grep -E 'NVRM|Xid' | tail -n 20

  say "tests on the GPU (tests/nv.h, TEST_NV=real)"
  export TINY_DEV=INTERP TEST_NV=real
  make -s build/nv/test_order build/nv/test_vectors build/nv/test_random &&
    for run in "TEST_ROUNDS=40 build/nv/test_order" "TEST_STRIDE=20 build/nv/test_vectors" \
               "TEST_ON=INTERP build/nv/test_random"; do
      echo "$run"
      timeout 300 env $run 2>&1 | tail -n 6
    done
} 2>&1 | tee "$log"
