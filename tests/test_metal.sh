#!/usr/bin/env bash
# test_metal: METAL in the place of INTERP (tests/metal.h) on Apple's GPUs that are played, whose kernels are run as C++;
# operator vectors and random programs, a part of them, orders of calls, digits.c and transformer.c, made small; the
# example examples/metal.m and the list for who has a Mac, both as programs of a Mac that find the mock; tiny_metal.m by
# both compilers of Objective-C. `make test-metal`: all of it, on every chip, and a part of it sanitised.
# TEST_METAL_CHIPS: which chips; TEST_STRIDE, TEST_ROUNDS, TEST_RANDOM, TEST_STEPS: how much.
cd "$(dirname "$0")/.." || exit 1
. tests/says.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ ! -f /usr/include/GNUstep/Foundation/Foundation.h ]; then
  echo "test_metal.sh: left out: there is no Foundation (GNUstep's, libgnustep-base-dev)"
  report
fi
libs="-lgnustep-base -lobjc -ldl -lm -lpthread"
make -s build/metal/test_vectors build/metal/test_order build/metal/test_random build/metal/test_saved_random build/mock/metal/example build/mock/metal/page build/mock/metal/device build/mock/metal/test_metal_mock \
  >"$work/built" 2>&1 || { tail -n 20 "$work/built"; failed=$((failed + 1)); report; }

# tiny_metal.m by GCC, which has no blocks and no pools of its own.
foundation="-fconstant-string-class=NSConstantString -fobjc-exceptions -fexceptions -isystem /usr/include/GNUstep"
says "by gcc" "^good$" bash -c "said=\$(gcc -x objective-c -std=gnu11 $foundation -Itests/apple/metal -I. -Wall -Wextra -Werror \
  -fsyntax-only tiny_metal.m 2>&1) && [ -z \"\$said\" ] && echo good || { echo \"\$said\"; exit 1; }"

# The program of the page, which stands for itself.
says "docs/metal.md" "^on METAL.*: 499500$" build/mock/metal/page

# The mock itself.
says "the mock" " passed, 0 failed" build/mock/metal/test_metal_mock

# Programs as they are on a Mac: the mock says what it found wrong by its status.
for chip in ${TEST_METAL_CHIPS:-apple7 mac2}; do
  says "examples/metal.m, $chip" "all three agree with the CPU" env METAL_MOCK_CHIPS=$chip METAL_MOCK_SEED=3 build/mock/metal/example
done
says "what wants a Mac" " passed, 0 failed" env METAL_MOCK_CHIPS=apple9 METAL_MOCK_SEED=5 build/mock/metal/device

# Examples train: on fewer digits, by a smaller network; what they print of losses is the same on the CPU, to a part in 10^4.
# example NAME SED: compiled with the object that the programs of metal share.
example() {
  sed "$2" "examples/$1.c" >"$work/$1.c"
  cc -std=c11 -w -I. -DTN_VERIFY_PASSES=1 -include build/library.h "$work/$1.c" build/library/metal.o build/mock/metal.o -o "$work/$1" $libs
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
programs=(11 17 22)                        # that want no f64
for chip in ${TEST_METAL_CHIPS:-apple7 apple9 mac2}; do
  export TEST_METAL=$chip TEST_METAL_SEED=$seed
  says "orders of calls, $chip" " passed, 0 failed" env TEST_ROUNDS="${TEST_ROUNDS:-6}" build/metal/test_order
  says "vectors, $chip" " passed, 0 failed" env TEST_STRIDE="${TEST_STRIDE:-2000}" build/metal/test_vectors
  says "a random program, $chip" " passed, 0 failed" env TEST_SEED="${programs[$((seed / 6 % 3))]}" TEST_ON=INTERP build/metal/test_random
  says "a saved program, $chip" " passed, 0 failed" env TEST_SEED=2 TEST_ON=INTERP build/metal/test_saved_random
  [ -z "${TEST_SAVED:-}" ] || says "saved programs, $chip" " passed, 0 failed" env TEST_ROUNDS="$TEST_SAVED" TEST_ON=INTERP build/metal/test_saved_random
  [ -z "${TEST_RANDOM:-}" ] || says "random programs, $chip" " passed, 0 failed" env TEST_ROUNDS="$TEST_RANDOM" TEST_FROM="$((seed * 100))" TEST_ON=INTERP build/metal/test_random
  if [ "$seed" = 6 ] || [ -n "${TEST_RANDOM:-}" ]; then      # one chip, or all of them
    export TEST_METAL_FAST=1
    says "digits, $chip" "losses are the same" trains digits "$work/digits.csv"
    says "transformer, $chip" "losses are the same" trains transformer src/api/manual.txt 3 "${TEST_STEPS:-3}"
    unset TEST_METAL_FAST
  fi
  seed=$((seed + 6))
done
# Sanitised: leaks, what was freed, undefined behaviour, of tiny_metal.m and the mock; threads of the mock.
if [ -n "${TEST_METAL_ASAN:-}" ]; then
  make -s build/metal-asan/test_vectors build/metal-asan/test_order build/mock/metal-asan/test_metal_mock >/dev/null || { failed=$((failed + 1)); report; }
  export TEST_METAL=apple8 TEST_METAL_SEED=7
  says "the mock, sanitised" " passed, 0 failed" build/mock/metal-asan/test_metal_mock
  says "orders of calls, sanitised" " passed, 0 failed" env TEST_ROUNDS="${TEST_ROUNDS:-6}" build/metal-asan/test_order
  says "vectors, sanitised" " passed, 0 failed" env TEST_STRIDE=400 build/metal-asan/test_vectors
  make -s build/mock/metal-tsan/test_metal_mock >/dev/null || { failed=$((failed + 1)); report; }
  says "the mock, ThreadSanitizer" " passed, 0 failed" build/mock/metal-tsan/test_metal_mock
fi
report
