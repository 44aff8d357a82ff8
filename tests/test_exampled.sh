#!/usr/bin/env bash
# exampled: every public function is called by an example, a page of docs/ or a sequence of the manual, all of which the tests run.
cd "$(dirname "$0")/.." && exec tools/exampled.py
