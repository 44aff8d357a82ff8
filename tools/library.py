#!/usr/bin/env python3
"""Writes library.c: all of src/ as a text that tests share one object of, with everything that is static in it; library.h:
what a test sees of it; and sizes.h, of which below.

  tools/library.py FOLDER

A test that is compiled behind library.h (-include) sees each room as it stands, by the rooms' own guards: their #include
lines bring nothing more. Functions are declared, but those that macros make, which are `extern inline` by the rule of
GNU C: known to the compiler, emitted by none but the object. Tables are weak, and become the object's.

Sizes that a test sets with a `#define TN_..`, where the sources say `#ifndef TN_..`, are variables here, weak in the
object; sizes.h, which test.h includes, defines those that the test gives. A test that sets anything else
cannot share an object: it belongs among the Makefile's OWN, or is refused.
"""
import glob
import os
import re
import sys

FUNCTION = re.compile(r"static (?!inline\b)(?=[\w *]*?\w\()")
INCLUDE = re.compile(r'\s*#include "([^"]+)"\n')
SIZE = re.compile(r"\s+#define (TN_\w+) (.*?)\s*(?://.*)?\n")
SET = re.compile(r"^ *# *define (T(?:N|INY)_\w+)", re.M)
BY_FLAG = {"TN_TEST_IR"}                   # the Makefile sets it
ALONE = re.compile(r"TN_TEST_BACKEND|RULES_END|TN_X86_REGS|isa/arm64_object|TN_TIER_GAIN|TN_OS_REFUSES")           # of the Makefile's OWN
BODY = re.compile(r"^(?:static(?! inline\b)|TINY_API) [^;={}#]*\([^;{}#]*\)(?= \{)", re.M)
LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//.*')
HEAD = """// Written by tools/library.py.
#pragma GCC system_header
#ifdef TEST_LIBRARY
  #define TEST_FUNCTION
  #define TEST_DECLARED
  #define TEST_TABLE
  #define TEST_SIZE(name, value) __attribute__((weak)) __typeof__(value) test_##name = value;
#else
  #define TEST_SIZE(name, value) extern __typeof__(value) test_##name;
  #define TEST_SIZES "../%s/sizes.h"
  #define TEST_DECLARED extern
  #define TEST_FUNCTION extern __inline__ __attribute__((gnu_inline))
  #define TEST_TABLE __attribute__((weak))
  #ifndef _GNU_SOURCE
    #define _GNU_SOURCE                    // as some tests do
  #endif
#endif
"""


def sizes_of_tests():
    """What tests set: by name, one that does."""
    sizes = dict.fromkeys(BY_FLAG, "the Makefile")
    for path in sorted(glob.glob("tests/test_*.c")):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        if not ALONE.search(text):
            sizes.update(dict.fromkeys(SET.findall(text), path))
    return sizes


def declared(text):
    """A room with a declaration for each function, but inline ones. Lines stay where they are."""
    out, at = [], 0
    for m in BODY.finditer(text):
        if m.start() < at:
            continue
        end, depth = m.end(), None
        while depth != 0:
            line, end = end, text.index("\n", end + 1)
            code = LITERAL.sub("", text[line:end])
            depth = (depth or 0) + code.count("{") - code.count("}")
        out += [text[at:m.end()], ";", "\n" * text.count("\n", m.end(), end)]
        at = end
    return "".join(out) + text[at:]


def expand(path, seen, sizes, bodies, out):
    """Writes a room behind those that it includes, and says which sizes are variables: those of `sizes` that are seen."""
    seen.add(path)
    out.append('#line 1 "%s"\n' % path)
    in_macro, guard, found = False, "", set()
    with open(path, encoding="utf-8") as f:
        text = f.read()
    for number, line in enumerate((text if bodies else declared(text)).splitlines(True), 1):
        m = INCLUDE.fullmatch(line)
        if m:
            room = os.path.normpath(os.path.join(os.path.dirname(path), m.group(1)))
            if room not in seen:
                found |= expand(room, seen, sizes, bodies, out)
                out.append('#line %d "%s"\n' % (number + 1, path))
            else:
                out.append("\n")
            continue
        if line.startswith("#"):
            guard = line
        m = SIZE.fullmatch(line)
        if m and m.group(1) in sizes and guard.startswith("#ifndef TN_"):
            found.add(m.group(1))
            out.append('TEST_SIZE(%s, %s)\n#define %s test_%s\n#line %d "%s"\n' %
                       (m.group(1), m.group(2), m.group(1), m.group(1), number + 1, path))
            continue
        text = line.lstrip() if in_macro else line
        if FUNCTION.match(text):
            line = ("TEST_FUNCTION " if in_macro else "TEST_DECLARED ") + text[len("static "):]
        elif text.startswith("TINY_API ") and not in_macro:
            line = "TEST_DECLARED " + text[len("TINY_API "):]
        elif line.startswith("static const "):
            line = "TEST_TABLE " + line[len("static "):]
        in_macro = line.endswith("\\\n")
        out.append(line.replace("#define TINY_API extern", "#define TINY_API TEST_FUNCTION"))
    return found


def write(path, text):
    """Leaves the file alone, and so all that is made of it, if it holds this."""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            if f.read() == text:
                return
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def main(folder):
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    os.makedirs(folder, exist_ok=True)
    sizes = sizes_of_tests()
    names = sorted(sizes)
    for out, bodies in ("library.c", True), ("library.h", False):
        lines = [HEAD % folder] + ['#pragma push_macro("%s")\n#undef %s\n' % (name, name) for name in names]
        found = expand("src/all.c", set(), sizes, bodies, lines)
        for name in set(names) - found:
            sys.exit("library: %s sets %s, which is no size of src/ that has an #ifndef of its own" % (sizes[name], name))
        lines += ['#pragma pop_macro("%s")\n' % name for name in names]
        lines.append("#undef TINY_H                              // tiny.h is here, too\n"
                     "#define TINY_H\n#define TINY_IMPLEMENTATION_DONE\n")
        write(os.path.join(folder, out), "".join(lines))
    text = "".join("#ifdef %s\n  __typeof__(test_%s) test_%s = %s;\n#else\n  #define %s test_%s\n#endif\n" % ((name,) * 6)
                   for name in names)
    write(os.path.join(folder, "sizes.h"), "// Written by tools/library.py.\n" + text)


if __name__ == "__main__":
    main(*sys.argv[1:])
