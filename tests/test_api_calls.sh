#!/usr/bin/env bash
# api_calls: the calls that tests/test_calls.c makes are those of every public function as src/api/ declares them now.
cd "$(dirname "$0")/.." && exec python3 tools/api_calls.py --check
