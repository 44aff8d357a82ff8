#!/bin/bash
# stack_builds: test_stack with tiny.h as both compilers make it (tests/whole.c), with and without optimisation: frames
# differ much between them. `make test` runs what the default compiler makes of the rooms, and sanitised. One build runs
# longer chains: 30,000 of each class, and a million of those that no kernel is needed for.
cd "$(dirname "$0")/.." || exit 1
mkdir -p build/stack
passed=0 failed=0
for build in gcc-O2 clang-O0 clang-O2; do
  compiler=${build%-*}
  if ! command -v "$compiler" > /dev/null; then echo "stack_builds: $compiler is not here"; continue; fi
  program=build/stack/$build
  if make -s "build/whole/$build.o" &&
     $compiler -std=c11 -w -I. -DTEST_WHOLE tests/test_stack.c "build/whole/$build.o" -o "$program" -lm -lpthread &&
     "$program" > "$program.out" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "$build:"; tail -5 "$program.out"
  fi
done
for chain in "30000 " "1000000 reshape"; do
  [ -x build/stack/gcc-O2 ] || continue
  if TEST_CHAIN=${chain% *} TEST_CLASS=${chain#* } build/stack/gcc-O2 > build/stack/long.out 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "chains of $chain:"; tail -5 build/stack/long.out
  fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
