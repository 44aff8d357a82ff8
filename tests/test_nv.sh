#!/usr/bin/env bash
# test_nv: NV in the place of INTERP (tests/nv.h) on GPUs that are played: operator vectors and random programs, a part of
# them, orders of calls, and digits.c and transformer.c, made small, on an early GPU and a late one; and its header in files
# of its own. `make test-nv`: all.
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

make -s build/nv/test_vectors build/nv/test_order build/nv/test_random build/nv/test_saved_random >/dev/null || { failed=$((failed + 1)); report; }

# Examples train: on fewer digits, by a smaller network; what they print of losses is the same on the CPU, to a part in 10^4.
# example NAME SED: compiled with the object that the programs of nv share.
example() {
  sed "$2" "examples/$1.c" >"$work/$1.c"
  cc -std=c11 -w -I. -DTN_VERIFY_PASSES=1 -include build/library.h "$work/$1.c" build/library/nv.o -o "$work/$1" -lm -lpthread -ldl
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
gpus=${TEST_NV_GPUS:-3}
for gpu in $gpus; do
  export TEST_NV=$gpu TEST_NV_SEED=$((gpu % 2 * 5))
  says "orders of calls, GPU $gpu" " passed, 0 failed" env TEST_ROUNDS="${TEST_ROUNDS:-12}" build/nv/test_order
  says "vectors, GPU $gpu" " passed, 0 failed" env TEST_STRIDE="${TEST_STRIDE:-400}" build/nv/test_vectors
  says "random programs, GPU $gpu" " passed, 0 failed" env TEST_SEED="$((gpu + 11))" TEST_ON=INTERP build/nv/test_random
  says "saved programs, GPU $gpu" " passed, 0 failed" env TEST_COMPILES=1 TEST_ROUNDS=${TEST_SAVED:-3} TEST_ON=INTERP build/nv/test_saved_random
  says "digits, GPU $gpu" "losses are the same" trains digits "$work/digits.csv"
  says "transformer, GPU $gpu" "losses are the same" trains transformer src/api/manual.txt 3 10
done
report
