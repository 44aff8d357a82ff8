#!/usr/bin/env bash
# test_nv: NV in the place of INTERP (tests/nv.h) on GPUs that are played: operator vectors and random programs, a part of
# them, and orders of calls, on an early GPU and a late one; and its header in files of its own. `make test-nv`: all.
cd "$(dirname "$0")/.." || exit 1
. tests/says.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# In two files: tiny.h's library, tiny_nv.h's, and their user.
printf '#include "tiny.h"\n#define TINY_IMPLEMENTATION\n#include "tiny_nv.h"\n' >"$work/library.c"
printf '#include "tiny_nv.h"\nint main(void) { return tiny_nv.version != TINY_BACKEND_VERSION || tiny_nv_on(0, 0).text[0] != 78; }\n' \
  >"$work/user.c"
printf '#define TINY_IMPLEMENTATION\n#include "tiny.h"\n' >"$work/tiny.c"
says "two files, linked" "^good$" bash -c "cd '$work' && for f in tiny library user; do cc -std=c11 -I'$PWD' -w -c \$f.c || exit 1; done &&
  cc tiny.o library.o user.o -o both -lm -lpthread -ldl && ./both && echo good"

make -s build/nv/test_vectors build/nv/test_order build/nv/test_random >/dev/null || { failed=$((failed + 1)); report; }
export TINY_DEV=INTERP
gpus=${TEST_NV_GPUS:-3}
for gpu in $gpus; do
  export TEST_NV=$gpu TEST_NV_SEED=$((gpu % 2 * 5))
  says "orders of calls, GPU $gpu" " passed, 0 failed" env TEST_ROUNDS="${TEST_ROUNDS:-12}" build/nv/test_order
  says "vectors, GPU $gpu" " passed, 0 failed" env TEST_STRIDE="${TEST_STRIDE:-400}" build/nv/test_vectors
  says "random programs, GPU $gpu" " passed, 0 failed" env TEST_SEED="$((gpu + 11))" TEST_ON=INTERP build/nv/test_random
done
report
