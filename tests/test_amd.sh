#!/usr/bin/env bash
# test_amd: AMD in the place of INTERP (tests/amd.h) on GPUs that are played, whose kernels clang compiles and the emulator
# runs: operator vectors and random programs, a part of them, and orders of calls; its header in files of its own; an example on the emulator.
# `make test-amd`: all, on the three GPUs.
cd "$(dirname "$0")/.." || exit 1
. tests/says.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -s tiny_amd.h ] || make -s tiny.h

# In two files: tiny.h's library, tiny_amd.h's, and their user.
printf '#include "tiny.h"\n#define TINY_IMPLEMENTATION\n#include "tiny_amd.h"\n' >"$work/library.c"
printf '#include "tiny_amd.h"\nint main(void) { return tiny_amd.version != TINY_BACKEND_VERSION || tiny_amd_on(0, 0).text[0] != 65; }\n' \
  >"$work/user.c"
printf '#define TINY_IMPLEMENTATION\n#include "tiny.h"\n' >"$work/tiny.c"
says "two files, linked" "^good$" bash -c "cd '$work' && for f in tiny library user; do cc -std=c11 -I'$PWD' -w -c \$f.c || exit 1; done &&
  cc tiny.o library.o user.o -o both -lm -lpthread -ldl && ./both && echo good"

clang=$(for v in 23 22 21 20 19 18 17; do command -v clang-$v && break; done)
if [ -z "$clang" ]; then
  echo "test_amd.sh: kernels left out: there is no clang of 17 or later"
  report
fi
# The example whose GPU may be an emulator.
make -s build/library/plain.o && cc -std=gnu11 -w -DSUM_ON_EMULATOR -DTN_VERIFY_PASSES=1 -include build/library.h -include tests/static_api.h -I. examples/sum_amd.c \
  build/library/plain.o -o "$work/sum_amd" -lm -lpthread -ldl
for gpu in ${TEST_AMD_GPUS:-gfx1100}; do says "a sum at five levels, $gpu" "5 of 5 levels are right" "$work/sum_amd" $gpu; done
make -s build/amd/test_vectors build/amd/test_order build/amd/test_random >/dev/null || { failed=$((failed + 1)); report; }

export TINY_DEV=INTERP
seed=0
for gpu in ${TEST_AMD_GPUS:-gfx1100}; do
  export TEST_AMD=$gpu TEST_AMD_SEED=$seed
  says "orders of calls, $gpu" " passed, 0 failed" env TEST_ROUNDS="${TEST_ROUNDS:-6}" build/amd/test_order
  says "vectors, $gpu" " passed, 0 failed" env TEST_STRIDE="${TEST_STRIDE:-800}" build/amd/test_vectors
  says "random programs, $gpu" " passed, 0 failed" env TEST_SEED="$((seed + 11))" TEST_ON=INTERP TEST_ROUNDS="${TEST_ROUNDS:-6}" build/amd/test_random
  seed=$((seed + 5))
done
report
