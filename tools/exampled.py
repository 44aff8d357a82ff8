#!/usr/bin/env python3
"""Lists the public functions that no example calls, of those that run in the tests: examples/, the pages of docs/ and the manual's
sequences of calls. Says how many there are; exit 1 if any has none.

  tools/exampled.py
"""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def load(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def main():
    manual = load(os.path.join(ROOT, "src/api/manual.txt"))
    code = manual[manual.index("STEP BY STEP"):manual.index("OPTIONS (macros")]
    for path in glob.glob(os.path.join(ROOT, "examples/*.c")):
        code += load(path)
    for path in glob.glob(os.path.join(ROOT, "docs/*.md")):
        code += "".join(re.findall(r"^```c(?:pp)?\n(.*?)^```", load(path), re.M | re.S))
    called, public, without = set(re.findall(r"\btiny_\w+", code)), [], []
    for path in sorted(glob.glob(os.path.join(ROOT, "src/api/*.h"))):
        public += re.findall(r"^TINY_API\s[^;(]*?\b(tiny_\w+)\(", load(path), re.M)
    without = [name for name in public if name not in called]
    for name in without:
        print("no example calls %s" % name)
    print("%d passed, %d failed" % (len(public) - len(without), len(without)))
    return len(without) > 0


if __name__ == "__main__":
    sys.exit(main())
