#!/usr/bin/env python3
"""manual: what it shows compiles and runs as it stands there; the entry of a kernel is what it says; declarations are
explained above them. The sequences are taken out of tiny.h and linked with the tests' object of the library.

  tests/test_manual.py [TITLE ...]     only these sequences
"""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WARN = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I" + ROOT]
LANGUAGES = [["gcc", "-std=c11"], ["clang", "-std=c11"], ["g++", "-x", "c++", "-std=c++17"],
             ["clang++", "-x", "c++", "-std=c++17"]]
LIBRARY = os.path.join(ROOT, "build/library/plain.o")
counts = {True: 0, False: 0}

# What each sequence prints.
PRINTS = {
    "Training": r"step 0: loss ([1-9]|0\.[1-9]).*\nstep 50: loss .*\nstep 100: loss 0\.0.*\n",
    "Capture and replay": r"(run [012]: 0\.\d+ 0\.\d+\n){3}",
    "Several devices": r"36 of 10 and 26\n",
    "A kernel of your own": r"0 is 0\n",
    "Errors": r"code 2, matmul: inner dims differ: \(2,3\) @ \(4,5\)\n",
    "Files": r"fc\.weight\nfc\.bias\n",
    "Looking": r"\(2,3\) f32 on CPU\n\[\[1\.  2\.  3\. \]\n \[4\.  5\.  0\.5\]\]\nmean: \(1,3\) f32 on CPU\n\[\[2\.5  3\.5  1\.75\]\]\n"
               r"\[ 0\.     1\.    \.\.\. 70\.697 70\.704\]\nlayer .*\nfc  .*weight \(10,784\), bias \(10,\)\ntotal  .*\n"
               r"digraph tiny \{ \.\.\.\n",
    "Batches": r"(2 pictures: mean 0\.[0-9]+\n){6}",
    "A device of your own": r"copy_in\ncompile\nkernel E_.* \{\n(  .* = .*\n)+\}\nload\nlaunch of \d+ groups of \d+\n"
                            r"copy_out\nunload\nclose\n",
}


def check(ok, what, said=""):
    counts[bool(ok)] += 1
    if not ok:
        print("failed: %s\n%s" % (what, "\n".join(said.splitlines()[:20])))
    return ok


def run(*command, **environment):
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True,
                       cwd=environment.pop("folder", None), env={**os.environ, **environment})
    return p.returncode, p.stdout


def load(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def section(manual, title):
    """The lines of a section: from its title to the next line that begins at the margin."""
    lines = manual.splitlines()
    at = next(i for i, line in enumerate(lines) if line.split(" (")[0] == title) + 1
    end = next((i for i in range(at, len(lines)) if lines[i] and lines[i][0] != " "), len(lines))
    return lines[at:end]


def sequences(manual):
    """{title: code}: in STEP BY STEP titles are indented by 2 and code by 6."""
    found, code = {}, None
    for line in section(manual, "STEP BY STEP"):
        if line.startswith(" " * 6) or not line:
            if code is not None:
                code.append(line[6:])
        elif re.fullmatch(r"  [A-Z][a-z ]+", line):
            code = found[line.strip()] = []
    return {title: "\n".join(lines).strip() + "\n" for title, lines in found.items()}


def program(code):
    """A sequence with a main that runs it."""
    name, takes = re.findall(r"^static tiny_code (\w+)\((.*)\) \{", code, re.M)[-1]
    main = "int main(void) { return %s(); }\n" % name
    if takes != "void":
        main = ("int main(void) {\n  tiny_ctx *t = tiny_open(NULL);\n  const tiny_code code = %s(t);\n"
                "  if (code != TINY_OK) puts(tiny_error(t));\n  tiny_close(t);\n  return code;\n}\n" % name)
    return "#include <stdio.h>\n#include <string.h>\n#include \"tiny.h\"\n\n" + code + "\n" + main


def test_sequence(title, code, folder):
    numbers = [int(n) for n in re.findall(r"^ *// (\d+)\. ", code, re.M)]
    check(numbers == list(range(1, len(numbers) + 1)) and len(numbers) > 3, "%s: steps are numbered" % title, str(numbers))
    source, built = os.path.join(folder, "sequence.c"), os.path.join(folder, "sequence")
    with open(source, "w", encoding="utf-8") as f:
        f.write(program(code))
    for i, language in enumerate(LANGUAGES):
        status, said = run(*language, *WARN, source, "-c", "-o", built + ".o")
        if not check(status == 0 and not said, "%s, %s" % (title, language[0]), said) or i % 2:
            continue
        status, said = run(language[0], built + ".o", LIBRARY, "-o", built, "-lm", "-lpthread", "-ldl")
        if check(status == 0, "%s, %s, linked" % (title, language[0]), said):
            status, said = run(built, folder=folder)
            check(status == 0 and re.fullmatch(PRINTS[title], said), "%s, %s, runs" % (title, language[0]),
                  "status %d\n%s" % (status, said))


# The entry as the manual has it, in C and in LLVM IR, is that of every kernel that is written.
def test_entry(manual, folder):
    text = " ".join(" ".join(section(manual, "KERNELS OF YOUR OWN")).split())
    source, program = os.path.join(folder, "entry.c"), os.path.join(folder, "entry")
    with open(source, "w", encoding="utf-8") as f:
        f.write("#include \"tiny.h\"\nint main(void) {\n  static float out[4096];\n  tiny_ctx *t = tiny_open(NULL);\n"
                "  tiny_tensor *x = tiny_rand(t, TINY_SHAPE(64, 64));\n"
                "  tiny_read(tiny_matmul(x, tiny_exp(x)), out, 4 * 4096);\n"
                "  const int code = tiny_status(t);\n  tiny_close(t);\n  return code;\n}\n")
    status, said = run("gcc", *WARN, source, LIBRARY, "-o", program, "-lm", "-lpthread", "-ldl")
    check(status == 0, "the program that writes kernels", said)
    for device, form, kernel in (("NULL", r"void NAME\([^)]*\)", r"^(void) (\w+)(\(.*\)) \{$"),
                                 ("NULL:LLVM", r"define void @NAME\([^)]*\)", r"^(define) .*(@\w+)(\(.*\)) #0 \{$")):
        status, written = run(program, TINY_DEV=device, TINY_DEBUG="c", TINY_CACHE="")
        entries = re.findall(kernel, written, re.M)
        check(status == 0 and len(entries) > 1, "%s writes kernels" % device, written)
        told = re.findall(form, text)
        check(len(told) == 1, "the manual tells the entry of %s once" % device, "\n".join(told))
        for entry in entries:
            check(told and entry[2] == told[0][told[0].index("("):], "%s: the entry is the manual's" % entry[1],
                  "%s\n%s" % (entry[2], told[0] if told else ""))
    for path in ("src/runtime/cpu.c", "src/render/lang_c.c"):
        for args in re.findall(r"void [A-Z]\w*(\(void \*const \*mem[^)]*\))", load(path)):
            check(args.count(",") == 3 and "char *restrict local" in args, "%s tells the entry" % path, args)


# Every declaration has its comment above it; members of structs and enums may have a short one behind.
def test_comments():
    for part in re.findall(r'#include "(.*)"', load("src/api/api.h")):
        lines, wrong = load("src/api/" + part).splitlines(), []
        for i, line in enumerate(lines):
            if not re.match(r"(TINY_API\b|typedef (struct|enum)|struct|enum)\s", line):
                continue
            above = lines[i - 1]
            if re.match(r"typedef struct (\w+) \1;", above):
                above = lines[i - 2]
            if not above.startswith("// ") or above.startswith("// **"):
                wrong.append("%d, nothing above: %s" % (i + 1, line))
            end = i
            while not re.search(r"[;{]", lines[end]):
                end += 1
            if "//" in "".join(lines[i:end + 1]):
                wrong.append("%d, something behind: %s" % (i + 1, line))
        wrong += ["%d, goes on: %s" % (i + 1, line) for i, line in enumerate(lines) if re.match(r"\s{16,}// ", line)]
        check(not wrong, "src/api/%s: comments of declarations stand above them" % part, "\n".join(wrong))


def main(titles):
    status, said = run("make", "-s", "build/library/plain.o", folder=ROOT)
    if not check(status == 0, "the library", said):
        return 1
    manual = load("tiny.h")
    manual = manual[:manual.index("\n---- end src/api/manual.txt ----")]
    found = sequences(manual)
    check(set(found) == set(PRINTS), "what is printed is known of each sequence", ", ".join(set(found) ^ set(PRINTS)))
    with tempfile.TemporaryDirectory() as folder:
        for title in found:
            if title in PRINTS and (not titles or title in titles):
                test_sequence(title, found[title], folder)
        if not titles:
            test_entry(manual, folder)
            test_comments()
    print("%d passed, %d failed" % (counts[True], counts[False]))
    return counts[False] != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
