#!/usr/bin/env python3
"""Writes tests/corpus/cache: shipped kernels (src/runtime/container.c) from which the fuzzer of their reader starts. The
fuzzer puts in the digests, which are zeros here.

  tools/corpus_cache.py
"""
import os
import struct

ROOT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "corpus", "cache")
HEAD, TARGET, MODULE, KERNEL = "<8sII32s32sQ4I", "<32s8I32sQQII", "<QQII", "<32s8q2d4I64s"


def aligned(n):
    return (n + 15) // 16 * 16


def container(targets, modules, kernels, order=0x01020304, format_=1, extra=b""):
    """targets: (name, features); modules: (target, bytes); kernels: (key, module, name), in order."""
    at = struct.calcsize(HEAD) + len(targets) * struct.calcsize(TARGET) + len(modules) * struct.calcsize(MODULE) + \
        len(kernels) * struct.calcsize(KERNEL)
    tables, binaries, end = b"", b"", at
    for name, features in targets:
        tables += struct.pack(TARGET, name, *features, *[0] * (8 - len(features)), b"", 1 << 20, 8 << 20, 32, 0)
    for target, data in modules:
        start = aligned(end)
        binaries += bytes(start - end) + data
        tables += struct.pack(MODULE, start, len(data), target, 0)
        end = start + len(data)
    for key, module, name in kernels:
        tables += struct.pack(KERNEL, bytes([key]) * 32, 4, 1, 1, 1, 1, 1, 4, 64, 100.0, 200.0, module, 0, 0, 0, name)
    head = struct.pack(HEAD, b"tinykern", order, format_, b"", b"", end, len(targets), len(modules), len(kernels), 0)
    return head + tables + binaries + extra


def main():
    sysv, arm = (b"CPU x86-64 SysV", [7, 1]), (b"CPU AArch64", [3])
    more = (b"CPU x86-64 SysV", [15, 3])
    seeds = {
        "empty": container([], [], []),
        "one": container([sysv], [(0, b"object")], [(1, 0, b"E_4")]),
        "module": container([sysv], [(0, b"an object of two kernels")], [(1, 0, b"E_4"), (2, 0, b"r_8_8")]),
        "targets": container([sysv, arm], [(0, b"x86"), (1, b"arm")], [(1, 1, b"E_4"), (1, 0, b"E_4")]),
        "levels": container([more, sysv], [(0, b"more"), (1, b"less")], [(1, 1, b"E_4"), (1, 0, b"E_4"), (3, 0, b"E_5")]),
        "unsorted": container([sysv], [(0, b"object")], [(2, 0, b"E_4"), (1, 0, b"E_5")]),
        "beyond": container([sysv], [(0, b"object")], [(1, 7, b"E_4")]),
        "order": container([sysv], [(0, b"object")], [(1, 0, b"E_4")], order=0x04030201),
        "format": container([sysv], [(0, b"object")], [(1, 0, b"E_4")], format_=2),
        "trailing": container([sysv], [(0, b"object")], [(1, 0, b"E_4")], extra=b"more"),
        "short": container([sysv], [(0, b"object")], [(1, 0, b"E_4")])[:150],
        "text": b"no cache of kernels",
    }
    os.makedirs(ROOT, exist_ok=True)
    for name, data in seeds.items():
        with open(os.path.join(ROOT, name), "wb") as f:
            f.write(data)
    print(f"{len(seeds)} seeds in {ROOT}")


if __name__ == "__main__":
    main()
