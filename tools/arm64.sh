#!/bin/sh
# arm64.sh PROGRAM...: tests (such as test_matmul) as an arm64 system runs them, with NEON, on a machine of another kind:
# built by a cross compiler, run by qemu-user. What they compile themselves goes through this machine's clang.
#   Debian: apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
# test_cpu fails twice: cc is this machine's own there. FLAGS are added to the compiler's: by the built-in compiler
#   TINY_CC=builtin TEST_STRIDE=40 tools/arm64.sh test_vectors
set -eu
cd "$(dirname "$0")/.."
. tools/arm64_tools.sh
for program; do
  echo "build $there/$program"
  aarch64-linux-gnu-gcc -std=c11 -O1 -w -I. ${FLAGS:-} "tests/$program.c" -static -o "$there/$program" -lm -lpthread 2>/dev/null
done
status=0
for program; do
  printf '%s: ' "$program"
  "$qemu" "$there/$program" > "$there/$program.txt" 2>&1 || status=1
  tail -n 1 "$there/$program.txt"
done
exit $status
