#!/usr/bin/env python3
"""isa_counts.py LOG NAMES: instructions between the marks of bench/isa_counts.c, from qemu's log, a row a line.

LOG: what `qemu-aarch64 -d in_asm,exec,nochain` writes, such as a pipe. NAMES: what the program printed, a row a line.
A block that is executed counts as many instructions as qemu showed when it translated it."""
import math
import re
import sys

MARKS = 0x50 << 32
EXECUTED = re.compile(r"Trace \d+: \S+ \[[0-9a-f]+/([0-9a-f]+)/")


def read_log(lines):
    """[(built in, clang)]: instructions of each run, in order."""
    runs, size, first, total, by = [], {}, None, None, 0
    for line in lines:
        if line.startswith("0x"):
            at = int(line[:line.index(":")], 16)
            if first is None:
                first = at
                size[first] = 0
            size[first] += 1
        elif line.startswith("Trace"):
            first = None
            at = int(EXECUTED.match(line).group(1), 16)
            if MARKS <= at < MARKS + 64:
                mark = (at - MARKS) // 4
                if mark:
                    total, by = 0, mark
                elif total is not None:
                    runs.append((by, total))
                    total = None
            elif total is not None:
                total += size.get(at, 0)
        else:
            first = None
    return runs


def main():
    with open(sys.argv[1], errors="replace") as log:
        runs = read_log(log)
    with open(sys.argv[2]) as names:
        rows = [line.rstrip("\n") for line in names]
    logs, worst, at = [], None, 0
    for name in rows:
        if at + 2 > len(runs) or "; failed" in name:
            print(f"  {name}")
            continue
        (_, ours), (_, theirs) = runs[at], runs[at + 1]
        at += 2
        ratio = ours / max(theirs, 1)
        print(f"  {name:36} {ours:12} {theirs:12} {ratio:8.3f}")
        if "; refused" in name:
            continue
        logs.append(math.log(ratio))
        worst = max(worst or (0, ""), (ratio, name))
    if logs:
        mean = math.exp(sum(logs) / len(logs))
        print(f"built in : clang, instructions, geometric mean of {len(logs)} rows {mean:.3f}, "
              f"most {worst[0]:.3f} ({worst[1]})")


main()
