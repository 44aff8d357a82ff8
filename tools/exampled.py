#!/usr/bin/env python3
"""Lists the public functions that no example calls, of those that the tests compile and run: examples/, the pages of docs/ and the
manual's sequences of calls. Says how many there are; exit 1 if any has none.

  tools/exampled.py

A call counts where the compiler keeps it: each program is compiled with optimisation, and what its object asks of the library is
what it calls. A name in a comment or a string, in a function that nothing calls or behind `if (0)` is none; what a program might
call, and does not for its data, is one.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests"))
import test_docs
import test_manual

COMPILE = {"c": ["gcc", "-std=c11", "-O1", "-w", "-c", "-I" + ROOT, "-I" + os.path.join(ROOT, "examples")],
           "cpp": ["g++", "-std=c++17", "-O1", "-w", "-c", "-I" + ROOT]}


def programs():
    """(place, language, source) of every program that the tests run."""
    for path in sorted(glob.glob(os.path.join(ROOT, "examples/*.c"))):
        yield os.path.relpath(path, ROOT), "c", test_manual.load(path).replace("#define TINY_IMPLEMENTATION\n", "")
    for path in sorted(glob.glob(os.path.join(ROOT, "docs/*.md"))):
        for place, language, source, _, _, _ in test_docs.programs(os.path.basename(path)[:-3]):
            yield place, language, source
    for title, code in test_manual.sequences(test_manual.load("src/api/manual.txt")).items():
        yield title, "c", test_manual.program(code)


def calls(place, language, source, folder):
    """Names that the program's object leaves open."""
    path, built = os.path.join(folder, "program." + language), os.path.join(folder, "program.o")
    with open(path, "w", encoding="utf-8") as f:
        f.write(source)
    said = subprocess.run(COMPILE[language] + [path, "-o", built], stderr=subprocess.PIPE, universal_newlines=True)
    if said.returncode:
        sys.exit("%s does not compile:\n%s" % (place, said.stderr))
    return set(re.findall(r"^ *U (tiny_\w+)", subprocess.run(["nm", built], stdout=subprocess.PIPE, universal_newlines=True).stdout, re.M))


def main():
    called, public = set(), []
    with tempfile.TemporaryDirectory() as folder:
        for program in programs():
            called |= calls(*program, folder)
    for path in sorted(glob.glob(os.path.join(ROOT, "src/api/*.h"))):
        public += re.findall(r"^TINY_API\s[^;(]*?\b(tiny_\w+)\(", test_manual.load(path), re.M)
    without = [name for name in public if name not in called]
    for name in without:
        print("no example calls %s" % name)
    print("%d passed, %d failed" % (len(public) - len(without), len(without)))
    return len(without) > 0


if __name__ == "__main__":
    sys.exit(main())
