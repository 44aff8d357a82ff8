#!/usr/bin/env bash
# fuzz: every fuzzer takes FUZZ_RUNS inputs that are bred from tests/corpus, sanitised, and says how many places of the
# code it reached, a third of them in `make test` (TEST_BRIEF). `make fuzz` does it by the clock.
set -u
cd "$(dirname "$0")/.." || exit 1
passed=0 failed=0 usual=20000
[ -z "${TEST_BRIEF:-}" ] || usual=7000
rm -rf build/fuzz-brief/*.corpus
for source in tests/fuzz_*.c; do
  fuzzer=build/fuzz-brief/$(basename "$source" .c)
  runs=$(sed -n 's|^// runs in make test: ||p' "$source")
  if said=$(make -s "$fuzzer" 2>&1) && said=$(FUZZ_RUNS="${FUZZ_RUNS:-${runs:-$usual}}" tools/fuzz.sh "$fuzzer" 2>&1); then
    passed=$((passed + 1))
    tail -n 1 <<<"$said"
  else
    failed=$((failed + 1))
    printf 'failed: %s\n%s\n' "$fuzzer" "$(tail -n 30 <<<"$said")"
  fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
