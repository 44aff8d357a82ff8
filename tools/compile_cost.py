#!/usr/bin/env python3
"""What compiling tiny.h costs: processor seconds and bytes, by compiler and level, or by room.

  tools/compile_cost.py [HEADER..]             a table by compiler and level; several headers take turns
  tools/compile_cost.py --rooms [COUNT]        a table by room at -O2: clang's time (-ftime-trace) and bytes, gcc's bytes
  tools/compile_cost.py --hello [HEADER..]     bytes of examples/hello.c at -O2, stripped

A function that was inlined counts where it was inlined to. bench/compile.md keeps the tables.
"""
import collections
import json
import os
import re
import resource
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEADER = os.path.join(ROOT, "tiny.h")
WAYS = [("clang", "-std=c11"), ("gcc", "-std=c11"), ("clang++", "-std=c++17"), ("g++", "-std=c++17")]
LEVELS = ["-O0", "-O1", "-O2"]
DEFINITION = re.compile(r"^(?:static|TINY_API)\b[^;={}]*?\b(\w+)\(|^\s*RULES\((\w+)")


def compiled(command, folder):
    """Seconds of the processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, cwd=folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime


def command(compiler, standard, level, header, out):
    language = "c++" if compiler.endswith("++") else "c"
    return [compiler, standard, level, "-w", "-DTINY_IMPLEMENTATION", "-c", "-x", language, header, "-o", out]


def bytes_of(path):
    """Code and constants, as `size` counts them."""
    return int(subprocess.check_output(["size", path], universal_newlines=True).splitlines()[1].split()[0])


def levels(headers, folder):
    print("| compiler | level |" + "".join(" %s: s | KB |" % os.path.basename(h) for h in headers))
    print("|---|---|" + "---|---|" * len(headers))
    for compiler, standard in WAYS:
        for level in LEVELS:
            row = "| %s %s | %s |" % (compiler, standard, level)
            for header in headers:
                took = compiled(command(compiler, standard, level, header, "x.o"), folder)
                row += " %.1f | %.0f |" % (took, bytes_of(os.path.join(folder, "x.o")) / 1000)
            print(row, flush=True)


def hello(headers, folder):
    ways = [], ["-DTINY_STATIC"], ["-DTINY_STATIC", "-DTINY_NO_GPU"]
    print("| compiler |" + "".join(" %s: KB | TINY_STATIC | and TINY_NO_GPU |" % os.path.basename(h) for h in headers))
    print("|---|" + "---|---|---|" * len(headers))
    for compiler in "clang", "gcc":
        row = ""
        for header in headers:
            for way in ways:
                subprocess.run([compiler, "-std=c11", "-O2", "-w", "-s", *way, "-include", header,
                                "-I" + ROOT, os.path.join(ROOT, "examples/hello.c"), "-DTINY_IMPLEMENTATION", "-o", "hello",
                                "-lm", "-lpthread"], check=True, cwd=folder)
                row += " %.0f |" % (os.path.getsize(os.path.join(folder, "hello")) / 1000)
        print("| %s |%s" % (compiler, row))


def room_of_functions():
    room, rooms = [], {}
    with open(HEADER, encoding="utf-8") as f:
        for line in f:
            mark = re.match(r"// ---- (begin|end) (\S+) ----", line)
            if mark:
                room = room + [mark.group(2)] if mark.group(1) == "begin" else room[:-1]
                continue
            m = DEFINITION.match(line)
            if m and room and "api/" not in room[-1] and not line.rstrip().endswith(";"):
                rooms[m.group(1) or "tn_" + m.group(2)] = rooms[m.group(2) or m.group(1)] = room[-1]
    return rooms


def sizes(path, rooms):
    total = collections.Counter()
    for line in subprocess.check_output(["nm", "-S", path], universal_newlines=True).splitlines():
        words = line.split()
        if len(words) == 4 and words[2] in "tT":
            total[rooms.get(words[3].split(".")[0], "(other)")] += int(words[1], 16)
    return total


def seconds(path, rooms):
    """Of each room's functions in clang's trace: what a step took without those within it."""
    with open(path, encoding="utf-8") as f:
        events = [e for e in json.load(f)["traceEvents"] if e.get("ph") == "X" and not e["name"].startswith("Total ")]
    total, within = collections.Counter(), []
    for e in sorted(events, key=lambda e: (e["ts"], -e["dur"])):
        while within and within[-1][0] <= e["ts"]:
            within.pop()
        name = re.sub(r"^\(|\)$", "", e.get("args", {}).get("detail", "")).split(".")[0]
        room = rooms.get(name) or (within[-1][1] if within else "(other)")
        total[room] += e["dur"]
        if within:
            total[within[-1][1]] -= e["dur"]
        within.append((e["ts"] + e["dur"], room))
    return total


def by_room(count, folder):
    rooms, size = room_of_functions(), {}
    for compiler in "clang", "gcc":
        trace = ["-ftime-trace", "-ftime-trace-granularity=100"] if compiler == "clang" else []
        subprocess.run(command(compiler, "-std=c11", "-O2", HEADER, compiler + ".o") + trace, check=True, cwd=folder)
        size[compiler] = sizes(os.path.join(folder, compiler + ".o"), rooms)
    time = seconds(os.path.join(folder, "clang.json"), rooms)
    print("| room | clang, % of its time | clang, KB | gcc, KB |\n|---|---|---|---|")
    all_time = sum(time.values())
    order = sorted(set(time) | set(size["clang"]), key=lambda r: -size["clang"][r])
    for room in order[:count]:
        print("| %s | %.1f | %.1f | %.1f |" % (room, 100 * time[room] / all_time, size["clang"][room] / 1e3, size["gcc"][room] / 1e3))
    print("| all | 100 | %.1f | %.1f |" % tuple(sum(size[c].values()) / 1e3 for c in ("clang", "gcc")))


def main(args):
    with tempfile.TemporaryDirectory() as folder:
        if args[:1] == ["--rooms"]:
            return by_room(int(args[1]) if len(args) > 1 else None, folder)
        headers = [os.path.abspath(a) for a in args if not a.startswith("--")] or [HEADER]
        return (hello if args[:1] == ["--hello"] else levels)(headers, folder)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
