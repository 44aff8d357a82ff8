#!/usr/bin/env bash
# tasks: the programs of bench/tasks for tiny.h do what they are to do, and the table of lines is what it says.
cd "$(dirname "$0")/.." || exit 1
lines=$(python3 tools/tasks.py check); a=$?
printf '%s\n' "$lines"
runs=$(python3 tools/tasks.py run tiny); b=$?
printf '%s\n' "$runs"
passed=$(printf '%s\n%s\n' "$lines" "$runs" | awk '$2 == "passed," { p += $1; f += $3 } END { print p " passed, " f " failed" }')
printf '%s\n' "$passed"
[ $a = 0 ] && [ $b = 0 ]
