#!/usr/bin/env python3
"""amalgamate: the header can be taken apart again, its lines found back, and a stale one is noticed."""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
counts = {True: 0, False: 0}


def check(ok, what):
    counts[bool(ok)] += 1
    if not ok:
        print("failed: " + what)


def tool(folder, *args):
    p = subprocess.run([sys.executable, os.path.join(folder, "tools/amalgamate.py"), *args], cwd=folder,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    return p.returncode, p.stdout


def load(*path):
    with open(os.path.join(*path), "rb") as f:
        return f.read()


def change(path, old, new):
    data = load(path)
    with open(path, "wb") as f:
        f.write(data.replace(old, new, 1))


def files_of(folder):
    return sorted(os.path.relpath(p, folder) for p in glob.glob(folder + "/**/*", recursive=True) if os.path.isfile(p))


def test_split(copy):
    check(tool(copy, "--split", "tiny.h", "out")[0] == 0, "--split runs")
    sources = [p for p in files_of(copy) if p.startswith("src/") and not p.startswith("src/cpp/")]     # which is tiny.hpp's
    absent = set(sources) - set(files_of(copy + "/out"))
    for companion in glob.glob(copy + "/tiny_*.[hm]"):
        name = os.path.basename(companion)
        check(tool(copy, "--split", name, "out_" + name)[0] == 0, "--split runs on " + name)
        absent -= set(files_of(copy + "/out_" + name))
        for path in files_of(copy + "/out_" + name):
            check(load(copy, "out_" + name, path) == load(copy, path), "%s: %s is restored byte for byte" % (name, path))
    check(not absent, "src/all.c, or that of a companion, names every room; they lack " + ", ".join(sorted(absent)))
    check(set(files_of(copy + "/out")) - set(sources) == {"LICENSE"}, "the header holds src/ and the licence, nothing else")
    for path in files_of(copy + "/out"):
        check(load(copy, "out", path) == load(copy, path), path + " is restored byte for byte")


def test_where(copy):
    lines = load(copy, "tiny.h").decode().splitlines()
    asked = []
    for path in files_of(copy + "/out"):
        source = load(copy, path).decode().splitlines()
        begin = next(i for i, line in enumerate(lines) if line.endswith("---- begin %s ----" % path))
        if path in ("src/all.c", "src/api/api.h"):
            continue                           # lists: their lines are split by what they include
        for n in (1, len(source) // 2 + 1, len(source)):
            asked.append((str(begin + 1 + n), "%s:%d" % (path, n)))
            check(lines[begin + n] == source[n - 1], "line %d of %s stands there" % (n, path))
    status, said = tool(copy, "--where", "tiny.h", *(line for line, _ in asked))
    said = said.splitlines()
    check(status == 0 and len(said) == len(asked), "--where answers each line")
    for (line, want), got in zip(asked, said):
        check(got == want, "--where finds %s, said %s" % (want, got))
    check(tool(copy, "--where", "tiny.h", *asked[0][:1]) == (0, asked[0][1] + "\n"), "one line alone, too")
    check(tool(copy, "--where", "tiny.h", "1")[0] != 0, "line 1 belongs to no file")
    check(tool(copy, "--where", "tiny.h", str(len(lines) + 1))[0] != 0, "there is no line after the last")


def test_table(copy):
    lines = load(copy, "tiny.h").decode().splitlines()
    table = lines.index("Where things stand in tiny.h")
    check(table > lines.index("#endif // TINY_IMPLEMENTATION") and lines[-1] == "*/", "the table ends the header")
    for path in files_of(copy + "/out"):
        rows = [line.split() for line in lines[table:] if " " + path + " " in line]
        if path.endswith(".c") and path != "src/all.c":
            check(len(rows) == 1 and lines[int(rows[0][0]) - 2] == "// ---- begin %s ----" % path,
                  "the table gives the first line of " + path)


def test_stale(copy):
    check(tool(copy, "--check") == (0, ""), "--check is content")
    first = load(copy, "tiny.h")
    check(tool(copy)[0] == 0 and load(copy, "tiny.h") == first, "two runs give the same bytes")
    change(copy + "/src/base/text.c", b"static", b"STATIC")
    status, said = tool(copy, "--check")
    check(status == 1 and "src/base/text.c" in said and "src/base/hash.c" not in said, "--check names the room that changed")
    check(tool(copy)[0] == 0 and tool(copy, "--check")[0] == 0, "writing it again helps")
    check(load(copy, "tiny.h") != first, "the change is in the header")
    change(copy + "/src/base/text.c", b"STATIC", b"static")
    tool(copy)
    check(load(copy, "tiny.h") == first, "and out again")
    change(copy + "/tiny.h", b"TINY_AMALGAMATED", b"TINY_amalgamated")
    check(tool(copy, "--check")[0] == 1, "--check sees a change outside of the rooms")
    os.remove(copy + "/tiny.h")
    check(tool(copy, "--check")[0] == 1, "--check sees that there is no header")


def test_bad_sources(copy):
    change(copy + "/src/base/text.c", b"static", b"static\r")
    status, said = tool(copy)
    check(status != 0 and "src/base/text.c" in said, "a carriage return is refused")
    change(copy + "/src/base/text.c", b"static\r", b"// ---- end src/base/text.c ----\nstatic")
    status, said = tool(copy)
    check(status != 0 and "looks like a mark" in said, "a line that looks like a mark is refused")
    os.remove(copy + "/src/base/text.c")
    status, said = tool(copy)
    check(status != 0 and "src/base/text.c" in said and "Traceback" not in said, "a missing room is named")


with tempfile.TemporaryDirectory() as copy:
    for name in ("src", "tools"):
        shutil.copytree(os.path.join(ROOT, name), os.path.join(copy, name))
    shutil.copy(os.path.join(ROOT, "LICENSE"), copy)
    check(tool(copy)[0] == 0, "the header is written")
    test_split(copy)
    test_where(copy)
    test_table(copy)
    test_stale(copy)
    test_bad_sources(copy)
print("%d passed, %d failed" % (counts[True], counts[False]))
sys.exit(counts[False] != 0)
