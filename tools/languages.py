#!/usr/bin/env python3
"""Compiles kernels in every language for every target, and tells which were accepted.

  tools/languages.py FOLDER [--only NAME ..] [--every N] [--jobs N] [--write PAGE]

FOLDER: what tests/test_languages.c writes with TEST_LANGUAGES=FOLDER. --only: targets whose names begin so; --every:
each N-th kernel. Many kernels make a module; where a compiler refuses one, each half is a module again, until it is
known which kernel it is. A page gets the table, and in which words graphs were refused. The last line is
`N passed, N failed`.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOGETHER = 50                              # kernels that one process compiles


def newest(name):
    """The newest clang, whatever it is called; another program as it is called."""
    return next(filter(shutil.which, ["%s-%d" % (name, n) for n in range(24, 14, -1)] + [name]), None)


def version(name):
    said = subprocess.run([newest(name), "--version"], stdout=subprocess.PIPE, text=True, check=False).stdout
    return int((re.search(r"version (\d+)", said) or [0, 0])[1])


def nvcc(arch):
    return ["nvcc", "-arch=sm_" + arch, "-std=c++17", "-cubin", "-w", "-Xptxas", "-v", "-o", "/dev/null"]


def ptxas(arch):
    return ["ptxas", "-arch=sm_" + arch, "-v", "-o", "/dev/null"]


def hip(gfx):
    return ["clang++", "-x", "hip", "--cuda-device-only", "--offload-arch=" + gfx, "-nogpuinc", "-nogpulib", "-O3",
            "-std=c++17", "-w", "-S", "-o", "-"]


def metal(version):
    """C++ for OpenCL, whose spaces of addresses are as Metal's: tests/metal_stub_types.h."""
    return ["clang++", "-x", "clcpp", "-cl-std=clc++2021", "-target", "x86_64-linux-gnu", "-Xclang",
            "-cl-ext=+cl_khr_fp16", "-cl-no-stdinc", "-nostdinc", "-fsyntax-only", "-w",
            "-D__METAL_VERSION__=" + version, "-Itests/apple/msl"]


def metal_text(text):
    """Arrays of threadgroup memory as pointers: that language has arrays in its own kernels alone. A pointer that says
    no space is an error in Metal, and not there."""
    text = re.sub(r"(threadgroup [\w:<>]+ )(\w+)\[[^\]]*\];", r"\1*\2 = nullptr;", text)
    for m in re.finditer(r"((?:\w+ )*)\b(?:bool|u?char|u?short|u?int|u?long|half|bfloat|float)[24]? [*&]\w", text):
        if not set(m[1].split()) & {"device", "constant", "threadgroup", "thread"}:
            return text + "\n#error a pointer without a space: %s\n" % m[0]
    return text


def opencl(*target):
    return ["clang", "-x", "cl", "-cl-std=CL1.2", "-Xclang", "-finclude-default-header",
            "-Xclang", "-cl-ext=+cl_khr_fp16,+cl_khr_fp64", "-w", "-O2", "-c", "-o", "/dev/null", *target]


# The language, its folder, the end of a file's name, and (target, least version, command that takes files) ..; WGSL has
# one kernel a file, of which its validator takes many.
LANGUAGES = [
    ("CUDA C", "cuda75", ".cu", [("sm_75", 0, nvcc("75"))]),
    ("CUDA C", "cuda80", ".cu", [("sm_" + a, 0, nvcc(a)) for a in ("80", "86", "89", "90a", "100", "120")]),
    *[("PTX", "ptx" + name, ".ptx", [("sm_" + a, 0, ptxas(a)) for a in archs]) for name, archs in
      (("75", ["75"]), ("80", ["80", "86"]), ("89", ["89"]), ("90", ["90a"]), ("100", ["100a"]), ("120", ["120a"]))],
    ("HIP C", "hip", ".hip", [(g, least, hip(g)) for g, least in
                              (("gfx90a", 15), ("gfx942", 17), ("gfx1100", 15), ("gfx1201", 19))]),
    ("OpenCL C", "opencl", ".cl", [("SPIR 64", 15, opencl("-target", "spir64", "-emit-llvm")),
                                   ("x86-64", 15, opencl("-target", "x86_64-linux-gnu"))]),
    ("OpenCL C, lanes", "clexchange", ".cl", [
        ("Intel", 15, opencl("-DSUB_GROUP=16", "-Dcl_intel_subgroups", "-cl-no-stdinc", "-target", "spir64",
                             "-emit-llvm")),
        ("Khronos", 15, opencl("-DSUB_GROUP=32", "-Dcl_khr_subgroups", "-Dcl_khr_subgroup_shuffle", "-target", "spir64",
                               "-emit-llvm"))]),
    ("Metal 2.4", "metal24", ".metal", [("spaces, 2.4", 17, metal("240"))]),
    ("Metal 3.1", "metal31", ".metal", [("spaces, 3.1", 17, metal("310"))]),
    *[("Metal " + v[0] + "." + v[1], name, ".metal", [(chip, 17, metal(v))]) for name, v, chip in
      (("apple7", "230", "Apple7"), ("apple8", "310", "Apple8"), ("apple9", "320", "Apple9"), ("mac2", "300", "Mac2"))],
    ("WGSL", "wgsl", ".wgsl", [("Dawn", 0, ["node", "tools/validate_wgsl.mjs"])]),
    ("WGSL, lanes", "wgslexchange", ".wgsl", [("Dawn, lanes", 0, ["node", "tools/validate_wgsl.mjs"])]),
    ("WGSL, f16", "wgsl16", ".wgsl", [("Dawn", 0, ["node", "tools/validate_wgsl.mjs"])]),
]
ALONE = ".wgsl"

Kernel = collections.namedtuple("Kernel", "name graph text")
# kernels, of them with vectors; names refused, what the first one's compiler says; graphs of kernels that spill, and of
# those with vectors
Result = collections.namedtuple("Result", "language target kernels lanes bad words spills lanes_spill")


def read(path):
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as f:
        return f.read()


def kernels_of(path, every):
    """The kernels of a file, each name once."""
    parts = re.split(r"^==== (\S+) (.*)\n", read(path), flags=re.M)[1:]
    kernels = {name: Kernel(name, graph, text) for name, graph, text in zip(parts[::3], parts[1::3], parts[2::3])}
    return list(kernels.values())[::every]


def missing(command, least):
    """Why a command cannot be run here; "": it can."""
    if command[0] == "node" and not os.path.isdir(ROOT + "/build/npm/node_modules/webgpu"):
        return "left out: no webgpu of npm in build/npm (tests/test_wgsl.sh installs it)"
    if not newest(command[0]):
        return "left out: there is no " + command[0]
    return "left out: %s is older than %d" % (command[0], least) if least and version(command[0]) < least else ""


def spilled(text):
    """Kernels that spill, as ptxas and clang for AMD's GPUs tell."""
    nvidia = re.findall(r"Function properties for (\S+)\n.*?, ([1-9]\d*) bytes spill stores", text)
    amd = re.findall(r"\.name: +(\S+)\n(?:.*\n){1,12}? *\.vgpr_spill_count: +([1-9]\d*)", text)
    return [name for name, _ in nvidia + amd]


def judge(command, end, prelude, kernels):
    """Names that the compiler refuses, what it says of the first, names that spill."""
    texts = [prelude + k.text for k in kernels] if end == ALONE else [prelude + "".join(k.text for k in kernels)]
    with tempfile.TemporaryDirectory() as folder:
        paths = ["%s/%d%s" % (folder, i, end) for i in range(len(texts))]
        for path, text in zip(paths, texts):
            with open(path, "w", encoding="utf-8") as f:
                f.write(metal_text(text) if end == ".metal" else text)
        r = subprocess.run([newest(command[0])] + command[1:] + paths, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           text=True, cwd=ROOT, check=False)
    if r.returncode == 0:
        return [], "", spilled(r.stdout)
    if len(kernels) == 1:
        return [kernels[0].name], r.stdout.strip()[:600], []
    half = len(kernels) // 2
    a, b = (judge(command, end, prelude, part) for part in (kernels[:half], kernels[half:]))
    return a[0] + b[0], a[1] or b[1], a[2] + b[2]


def result_of(pool, language, target, folder, end, command, every):
    prelude, bad, words, spills = read(folder + "/prelude.txt"), [], "", []
    kernels = [kernels_of("%s/%s.txt" % (folder, kind), every) for kind in ("kernels", "lanes")]
    for some in kernels:                   # a kernel of each kind may have the other's name
        parts = [some[i:i + TOGETHER] for i in range(0, len(some), TOGETHER)]
        answers = list(pool.map(lambda part: judge(command, end, prelude, part), parts))
        graphs = {k.name: k.graph for k in some}
        bad += [n for a in answers for n in a[0]]
        words = words or next((a[1] for a in answers if a[1]), "")
        spills.append([graphs[n] for a in answers for n in a[2]])
    return Result(language, target, len(kernels[0]) + len(kernels[1]), len(kernels[1]), bad, words, *spills)


def told_spills(spills):
    return "%d: %s" % (len(spills), ", ".join(sorted(set(spills)))) if spills else "0"


def row(result):
    r = result
    told = r.language.startswith(("CUDA", "PTX", "HIP"))
    return (r.language, r.target, str(r.kernels), str(r.lanes), str(r.kernels - len(r.bad)), str(len(r.bad)),
            told_spills(r.spills) if told else "", told_spills(r.lanes_spill) if told else "")


HEADING = """Written by `make languages EVERY=%d` (`tools/languages.py`): kernels of operators' tests and of
[tests/language_graphs.h](../tests/language_graphs.h), for a device with groups of up to 1,024 items and 48 KB of shared
memory (Metal: 32; WGSL: 256 items, 16 KB; PTX: each GPU's own limits and matrix units), compiled in each language for each target. *with vectors*: of them, those
that are scheduled as for a CPU with vectors of 16 bytes, several of whose register tiles are too large for one item.
*failed*: a compiler refuses what was written. *spills*: kernels whose registers do not suffice, by ptxas and by clang,
and their graphs: maker, dtype, variant; those with vectors apart, which are one item's each, and whose loops ptxas
unrolls until there is no register left.
"""
HEAD = ("language", "target", "kernels", "with vectors", "accepted", "failed", "spills", "spills with vectors")


def refused(folder):
    """In which words graphs are refused, how many each."""
    words = [line.split(": ", 1)[1] for line in read(folder + "/refused.txt").splitlines()]
    return collections.Counter(re.sub(r"^an index of -?\d+", "an index beyond 32 bits", w) for w in words)


def page(rows, words, every):
    out = ["# Languages\n", HEADING % every]
    out.append("| " + " | ".join(HEAD) + " |\n|" + "---|" * len(HEAD))
    out += ["| " + " | ".join(r) + " |" for r in rows]
    out.append("\n## Refused with a word\n\nGraphs that have no kernel in a language, and what the error says.\n\n"
               "| language | graphs | |\n|---|---|---|")
    out += ["| %s | %d | %s |" % w for w in words]
    return "\n".join(out) + "\n"


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("folder")
    p.add_argument("--only", nargs="+", default=[""])
    p.add_argument("--every", type=int, default=1)
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--write")
    a = p.parse_args()
    rows, words, passed, failed = [], [], 0, 0
    pool = concurrent.futures.ThreadPoolExecutor(a.jobs)
    for language, name, end, targets in LANGUAGES:
        folder = os.path.join(a.folder, name)
        if not os.path.isdir(folder):
            continue
        words += [(language, n, w) for w, n in sorted(refused(folder).items())]
        for target, least, command in targets:
            if not target.startswith(tuple(a.only)):
                continue
            why = missing(command, least)
            r = None if why else result_of(pool, language, target, folder, end, command, a.every)
            rows.append((language, target, why) + ("",) * (len(HEAD) - 3) if why else row(r))
            print(" | ".join(rows[-1]), flush=True)
            if r:
                passed, failed = passed + r.kernels - len(r.bad), failed + len(r.bad)
                if r.bad:
                    print("%s: %s" % (r.bad[0], r.words), file=sys.stderr)
    if a.write:
        with open(a.write, "w", encoding="utf-8") as f:
            f.write(page(rows, words, a.every))
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
