#!/usr/bin/env bash
# fuzz.sh FUZZER..: runs each (build/fuzz/fuzz_X) for FUZZ_SECONDS (60) or, where that is set, FUZZ_RUNS inputs; it
# starts from tests/corpus/X where there is one, and keeps what it finds in FUZZER.corpus. FUZZ_CALLS: so many calls of
# fuzz_api, however long they take. Prints a table: inputs, seconds, places of code reached by the seeds and in the end.
# Ends with the first fuzzer that finds something.
set -u
limit=${FUZZ_RUNS:+-runs=$FUZZ_RUNS}
limit=${limit:--max_total_time=${FUZZ_SECONDS:-60}}
enough=${FUZZ_CALLS:+-runs=-1}
printf '| fuzzer | inputs | seconds | places reached by the seeds | in the end | found |\n|---|---|---|---|---|---|\n'
for fuzzer in "$@"; do
  name=${fuzzer##*fuzz_}
  seeds=tests/corpus/$name
  length=600
  most=$limit
  case $name in elf) length=4096 ;; program) length=16000 ;; saved | load) length=16000 seeds=tests/corpus/program ;; amd | cubin) length=16000 ;; cache) length=2000 ;; api) length=2000 most=${enough:-$limit} ;; esac
  log=$fuzzer.log
  mkdir -p "$fuzzer.corpus"
  start=$SECONDS
  "$fuzzer" $most -max_len=$length -seed="${FUZZ_SEED:-1}" -timeout=60 -rss_limit_mb=3000 -print_final_stats=1 \
    -artifact_prefix="$fuzzer." "$fuzzer.corpus" $(ls -d "$seeds" 2>/dev/null) >"$log" 2>&1
  status=$?
  first=$(sed -n 's/.*INITED cov: \([0-9]*\).*/\1/p' "$log" | head -n 1)
  last=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
  inputs=$(sed -n 's/^stat::number_of_executed_units: *//p; s/^#\([0-9]*\).*/\1/p' "$log" | tail -n 1)
  printf '| %s | %s | %s | %s | %s | %s |\n' "$name" "${inputs:-?}" $((SECONDS - start)) "${first:-?}" "${last:-?}" \
    "$([ $status = 0 ] && echo nothing || echo "something: $log")"
  [ $status = 0 ] || { tail -n 30 "$log"; exit 1; }
done
