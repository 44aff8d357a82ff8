#!/usr/bin/env bash
# rules_proof: instances of the integer rules, proven by z3. More of them: build/plain/test_rules --smt SEED | tools/prove_rules.py
set -u
cd "$(dirname "$0")/.." || exit 1
program=build/plain/test_rules
[ -x "$program" ] || make -s "$program" || { echo "0 passed, 1 failed"; exit 1; }
"$program" --smt | python3 tools/prove_rules.py
