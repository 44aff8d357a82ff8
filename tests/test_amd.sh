#!/usr/bin/env bash
# test_amd: AMD in the place of INTERP (tests/amd.h) on GPUs that are played, whose kernels the built-in compiler writes and
# the emulator runs: operator vectors and random programs, a part of them, orders of calls, and digits.c and transformer.c,
# made small; its header in files of its own; an example on the emulator; HIP C by a COMGR that is played. `make test-amd`: all, on the three GPUs.
# TEST_AMD_COMPILER=clang: by clang.
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

# The emulator as a device of its own, for the curious (tests/amd_device.h).
cat >"$work/rdna.c" <<'C'
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include "tiny_amd.h"
#define TINY_RDNA
#include "tests/amd_device.h"
int main(void) {
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = "RDNA:gfx1201", .backends = {&tiny_rdna}, .cache_dir = "", .debug = "p"});
  float out[4];
  tiny_read(tiny_mul(tiny_full(t, 2, TINY_F32, TINY_SHAPE(4)), tiny_full(t, 3, TINY_F32, TINY_SHAPE(4))), out, sizeof out);
  printf("%s %s %g\n", tiny_error(t), tiny_device_name(t, 0), (double)out[3]);
  tiny_close(t);
}
C
says "RDNA" "instructions, .* cycles" bash -c "cc -std=gnu11 -w -I. '$work/rdna.c' -o '$work/rdna' -lm -lpthread -ldl && '$work/rdna' 2>&1"

# The example whose GPU may be an emulator; one of its levels is HIP C.
clang=$(for v in 23 22 21 20 19 18 17; do command -v clang-$v && break; done)
if [ -n "$clang" ]; then
  make -s build/library/plain.o && cc -std=gnu11 -w -DSUM_ON_EMULATOR -DTN_VERIFY_PASSES=1 -include build/library.h -include tests/static_api.h -I. examples/sum_amd.c \
    build/library/plain.o -o "$work/sum_amd" -lm -lpthread -ldl
  for gpu in ${TEST_AMD_GPUS:-gfx1100}; do says "a sum at five levels, $gpu" "5 of 5 levels are right" "$work/sum_amd" $gpu; done
  # HIP C by COMGR, which is played by that clang.
  make -s build/mock/libamd_comgr.so.2 && cc -std=gnu11 -w -DTN_VERIFY_PASSES=1 -include build/library.h -include tests/static_api.h -I. tests/amd_comgr.c \
    build/library/plain.o -o "$work/amd_comgr" -lm -lpthread -ldl
  says "HIP C by COMGR" "all is well" env LD_LIBRARY_PATH="$PWD/build/mock" MOCK_COMGR_CLANG="$clang" "$work/amd_comgr" ${TEST_AMD_GPUS:-gfx1100}
else echo "test_amd.sh: HIP C left out: there is no clang of 17 or later"; fi
if [ -z "$clang" ] && [ "${TEST_AMD_COMPILER:-}" = clang ]; then
  echo "test_amd.sh: kernels left out: there is no clang of 17 or later"
  report
fi
make -s build/amd/test_vectors build/amd/test_order build/amd/test_random build/amd/test_saved_random >/dev/null || { failed=$((failed + 1)); report; }

# Examples train: on fewer digits, by a smaller network; what they print of losses is the same on the CPU, to a part in 10^4.
# example NAME SED: compiled with the object that the programs of amd share.
example() {
  sed "$2" "examples/$1.c" >"$work/$1.c"
  cc -std=c11 -w -I. -DTN_VERIFY_PASSES=1 -include build/library.h "$work/$1.c" build/library/amd.o -o "$work/$1" -lm -lpthread -ldl
}
losses() { grep -o 'loss [0-9.]*' | cut -d' ' -f2; }
# trains NAME ARGUMENTS..: its losses are those of the CPU, and change.
trains() {
  local name=$1
  shift
  [ -s "$work/$name.cpu" ] || TINY_DEV=CPU "$work/$name" "$@" 2>&1 | losses >"$work/$name.cpu"
  "$work/$name" "$@" >"$work/$name.said" 2>&1
  losses <"$work/$name.said" >"$work/$name.gpu"
  paste "$work/$name.cpu" "$work/$name.gpu" | awk '
    { n++; if ($1 == "" || $2 == "" || ($1 - $2) ^ 2 > (1e-4 * $1) ^ 2) bad = 1; if (n > 1 && $1 != was) moves = 1; was = $1 }
    END { if (n > 1 && moves && !bad) print n " losses are the same" }' | grep . || { cat "$work/$name.said"; return 1; }
}
head -n 162 examples/data/digits.csv >"$work/digits.csv"
example digits 's/ROWS = 1797, TRAIN = 1437/ROWS = 160, TRAIN = 128/; s/BATCH = 64, EPOCHS = 25/BATCH = 32, EPOCHS = 3/
  s/C1 = 16, C2 = 32, HIDDEN = 64/C1 = 4, C2 = 8, HIDDEN = 16/'
example transformer 's/LAYERS = 2, WIDTH = 64, HEADS = 4, WINDOW = 64, BATCH = 16/LAYERS = 1, WIDTH = 32, HEADS = 2, WINDOW = 16, BATCH = 4/
  s/SAMPLE = 400/SAMPLE = 3/; s/loss %.3f/loss %.6f/g; s/i % 100 == 99/1/'

export TINY_DEV=INTERP
seed=0
for gpu in ${TEST_AMD_GPUS:-gfx1100}; do
  export TEST_AMD=$gpu TEST_AMD_SEED=$seed
  says "orders of calls, $gpu" " passed, 0 failed" env TEST_ROUNDS="${TEST_ROUNDS:-6}" build/amd/test_order
  says "vectors, $gpu" " passed, 0 failed" env TEST_STRIDE="${TEST_STRIDE:-800}" build/amd/test_vectors
  says "a random program, $gpu" " passed, 0 failed" env TEST_SEED="$((seed + 11))" TEST_ON=INTERP build/amd/test_random
  [ -z "${TEST_RANDOM:-}" ] || says "random programs, $gpu" " passed, 0 failed" env TEST_ROUNDS="$TEST_RANDOM" TEST_FROM="$((seed * 100))" TEST_ON=INTERP build/amd/test_random
  says "saved programs, $gpu" " passed, 0 failed" env TEST_ROUNDS=${TEST_SAVED:-3} TEST_ON=INTERP build/amd/test_saved_random
  says "digits, $gpu" "losses are the same" trains digits "$work/digits.csv"
  says "transformer, $gpu" "losses are the same" trains transformer src/api/manual.txt 3 "${TEST_STEPS:-3}"
  seed=$((seed + 5))
done
report
