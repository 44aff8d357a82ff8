#!/usr/bin/env bash
# fuzz: each reader of files takes FUZZ_RUNS inputs that are bred from tests/corpus, sanitised. `make fuzz` does it by the clock.
set -u
cd "$(dirname "$0")/.." || exit 1
passed=0 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for corpus in tests/corpus/*; do
  reader=$(basename "$corpus")
  mkdir "$work/$reader"
  if said=$(make -s "build/fuzz-brief/fuzz_$reader" 2>&1) &&
     said=$("build/fuzz-brief/fuzz_$reader" -runs="${FUZZ_RUNS:-20000}" -max_len=600 -seed=1 -rss_limit_mb=2000 -print_final_stats=1 \
            -artifact_prefix="build/fuzz-brief/" "$work/$reader" "$corpus" 2>&1); then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'failed: fuzz_%s\n%s\n' "$reader" "$(tail -n 20 <<<"$said")"
  fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
