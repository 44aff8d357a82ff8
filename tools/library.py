#!/usr/bin/env python3
"""Writes build/library.h: all of src/ as a text that tests share one object of, with everything that is static in it.

  tools/library.py OUT

A test that is compiled behind it (-include) sees each room as it stands, by the rooms' own guards: their #include lines
bring nothing more. Functions are `extern inline` by the rule of GNU C: known to the compiler, emitted by none but the
object, which is the same text with TEST_LIBRARY defined. Tables are weak, and become the object's.
"""
import os
import re
import sys

FUNCTION = re.compile(r"static (?!inline\b)(?=[\w *]*?\w\()")
INCLUDE = re.compile(r'\s*#include "([^"]+)"\n')
HEAD = """// Written by tools/library.py.
#pragma GCC system_header
#ifdef TEST_LIBRARY
  #define TEST_FUNCTION
  #define TEST_TABLE
#else
  #define TEST_FUNCTION extern __inline__ __attribute__((gnu_inline))
  #define TEST_TABLE __attribute__((weak))
  #ifndef _GNU_SOURCE
    #define _GNU_SOURCE                    // as some tests do
  #endif
#endif
"""


def expand(path, seen, out):
    seen.add(path)
    out.append('#line 1 "%s"\n' % path)
    in_macro = False
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            m = INCLUDE.fullmatch(line)
            if m:
                room = os.path.normpath(os.path.join(os.path.dirname(path), m.group(1)))
                if room not in seen:
                    expand(room, seen, out)
                    out.append('#line %d "%s"\n' % (number + 1, path))
                else:
                    out.append("\n")
                continue
            text = line.lstrip() if in_macro else line
            if FUNCTION.match(text):
                line = "TEST_FUNCTION " + text[len("static "):]
            elif line.startswith("static const "):
                line = "TEST_TABLE " + line[len("static "):]
            in_macro = line.endswith("\\\n")
            out.append(line.replace("#define TINY_API extern", "#define TINY_API TEST_FUNCTION"))


def main(out):
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    lines = [HEAD]
    expand("src/all.c", set(), lines)
    lines.append("#undef TINY_H                              // tiny.h is here, too\n"
                 "#define TINY_H\n#define TINY_IMPLEMENTATION_DONE\n")
    os.makedirs(os.path.dirname(out), exist_ok=True)
    with open(out, "w", encoding="utf-8") as f:
        f.writelines(lines)


if __name__ == "__main__":
    main(*sys.argv[1:])
