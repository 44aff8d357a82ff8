#!/usr/bin/env python3
"""bench/tasks: ten tasks, written for four libraries.

  tools/tasks.py                          writes the table of lines into bench/tasks/README.md
  tools/tasks.py check                    is it that table, and does what it says hold?
  tools/tasks.py run LIBRARY [TASK..]     runs a library's programs, and checks what they print
  tools/tasks.py files                    writes build/tasks/block.*: the weights in each library's format
  tools/tasks.py record                   writes bench/tasks/block.safetensors, by PyTorch

LIBRARY: tiny, torch, tinygrad, ggml. TINYGRAD and GGML in the environment: folders of their sources, with what CMake built
of ggml in its folder `build`.
"""
import json
import os
import re
import struct
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TASKS = os.path.join(TOP, "bench/tasks")
BUILD = os.path.join(TOP, "build/tasks")
README = os.path.join(TASKS, "README.md")
LIBRARIES = ["tiny", "torch", "tinygrad", "ggml"]
TITLES = {"tiny": "tiny.h", "torch": "PyTorch", "tinygrad": "tinygrad", "ggml": "ggml"}

# task -> what it prints: a word, and what may follow it
PRINTS = {
    "mlp": {"accuracy": lambda a: float(a) >= 0.85},
    "cnn": {"accuracy": lambda a: float(a) >= 0.85, "loaded": lambda a: float(a) >= 0.90},
    "frames": {"mean": lambda a: near(a, (-1.0788, -0.5659), 1e-3), "frame": lambda a: float(a) > 0},
    "kernel": {"source": lambda a: near(a, (567.3006,), 1e-2), "ir": lambda a: near(a, (567.3006,), 1e-2)},
    "device": {"held": lambda a: int(a) > 0, "error": lambda a: float(a) <= 1e-4},
    "cpp": {"loss": lambda a: float(a) < 0.01},
    "cmake": {"sum": lambda a: float(a) == 10},
    "profile": {"slowest": lambda a: a == "mix"},
    "nan": {"first": lambda a: "scale" in a or "log" in a},
    "block": {"difference": lambda a: float(a) <= 1e-4},
}

HALF_OF_GGML = "kernel"                    # it has no IR to write the second half in


def near(text, wanted, within):
    got = [float(word) for word in text.split()]
    return len(got) == len(wanted) and all(abs(a - b) <= within for a, b in zip(got, wanted))


# Lines.

def sources(library, task):
    """The files that are a library's program for a task."""
    folder = os.path.join(TASKS, task)
    if os.path.isdir(os.path.join(folder, library)): folder = os.path.join(folder, library)
    stem = re.compile(r"(main|CMakeLists|(with_)?%s(_block)?)[.](c|cpp|py|txt)$" % library)
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return [os.path.join(folder, n) for n in names if stem.match(n)]


def lines(path):
    """Those that are neither empty nor only a comment."""
    text = open(path).read()
    if path.endswith((".c", ".cpp")):          # a string is kept, a comment goes
        text = re.sub(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/', lambda m: m.group(1) or "", text, flags=re.S)
    return sum(1 for l in text.splitlines() if l.strip() and not l.lstrip().startswith("#" if path.endswith((".py", ".txt")) else "\0"))


def counts():
    """(task, library) -> lines; a program that there is not is left out."""
    found = {(t, l): sources(l, t) for t in PRINTS for l in LIBRARIES}
    return {k: sum(map(lines, v)) for k, v in found.items() if v}


def table():
    n = counts()
    rows = ["| task | " + " | ".join(TITLES[l] for l in LIBRARIES) + " | tiny.h : PyTorch | tiny.h : ggml |", "|---" * 7 + "|"]
    for t in PRINTS:
        ratio = ["%.2f" % (n[t, "tiny"] / n[t, l]) if (t, l) in n else "" for l in ("torch", "ggml")]
        rows.append("| %s | " % t + " | ".join(str(n.get((t, l), "none")) for l in LIBRARIES) + " | %s | %s |" % tuple(ratio))
    total = {l: sum(n.get((t, l), 0) for t in PRINTS) for l in LIBRARIES}
    rows.append("| all | " + " | ".join(str(total[l]) for l in LIBRARIES) +
                " | %.2f | %.2f |" % (total["tiny"] / total["torch"], total["tiny"] / total["ggml"]))
    return "\n".join(rows) + "\n"


def with_table(text):
    return re.sub(r"(<!-- tools/tasks.py -->\n).*?(?=<!-- end -->)", lambda m: m.group(1) + table(), text, flags=re.S)


def check():
    n = counts()
    ok = {
        "the table in bench/tasks/README.md is what tools/tasks.py writes": with_table(open(README).read()) == open(README).read(),
        "every task has a program for tiny.h": all((t, "tiny") in n for t in PRINTS),
        "fewer lines than ggml's in all": sum(n[t, "tiny"] for t in PRINTS if (t, "ggml") in n) <
                                          sum(n[t, "ggml"] for t in PRINTS if (t, "ggml") in n),
        "fewer lines than ggml's in each task that it does": all(n[t, "tiny"] < n[t, "ggml"] for t in PRINTS if t != HALF_OF_GGML),
        "at most 1.5 times PyTorch's in eight": sum(n[t, "tiny"] <= 1.5 * n[t, "torch"] for t in PRINTS) >= 8,
    }
    for what, holds in ok.items():
        if not holds: print("FAILED: " + what)
    print("%d passed, %d failed" % (sum(ok.values()), len(ok) - sum(ok.values())))
    return all(ok.values())


# Runs.

def python_with(module):
    for python in "python3", "/usr/bin/python3":
        if subprocess.run([python, "-c", "import " + module], stderr=subprocess.DEVNULL, cwd="/").returncode == 0: return python
    sys.exit("tasks: no Python here has " + module)


def made(command):
    subprocess.run(command, check=True, cwd=TOP)


def implementation():
    """tiny.h, compiled once for all programs."""
    out, ins = os.path.join(BUILD, "tiny.o"), [os.path.join(TOP, f) for f in ("tiny.c", "tiny.h")]
    if not os.path.exists(out) or os.path.getmtime(out) < max(map(os.path.getmtime, ins)):
        made([os.environ.get("CC", "cc"), "-std=c11", "-O1", "-c", ins[0], "-o", out])
    return out


def by_cmake(source, *options):
    out = os.path.join(BUILD, "cmake-" + os.path.basename(source))
    for step in (["-S", source, "-B", out, "-DCMAKE_BUILD_TYPE=Debug", *options], ["--build", out]):
        subprocess.run(["cmake", *step], check=True, cwd=TOP, stdout=subprocess.DEVNULL)
    programs = [os.path.join(out, n) for n in os.listdir(out)]
    return [p for p in programs if os.path.isfile(p) and os.access(p, os.X_OK)][0]


def program(library, task):
    """The command that runs a program, which is compiled first where it has to be, and what its environment adds."""
    files = sources(library, task)
    if not files: return None, {}
    main = [f for f in files if not f.endswith("_block.py")][0]
    out, cc, cxx = os.path.join(BUILD, task + "-" + library), os.environ.get("CC", "cc"), os.environ.get("CXX", "c++")
    strict = ["-Wall", "-Wextra", "-Werror"]
    if task == "cmake":
        where = {"tiny": "-DTINY=" + TOP, "torch": "-DTORCH=", "ggml": "-DGGML=" + os.environ.get("GGML", "")}
        return [by_cmake(os.path.dirname(main), where[library])], {}
    if library == "tiny":
        language = [cc, "-std=c11"] if main.endswith(".c") else [cxx, "-std=c++17"]
        made([*language, "-O1", *strict, "-I" + TOP, main, implementation(), "-o", out, "-lm", "-lpthread"])
        return [out], {}
    if library == "ggml":
        ggml = os.environ["GGML"]
        made([cxx, "-std=c++17", "-O2", "-I" + ggml + "/include", "-I" + ggml + "/src", main, "-o", out, "-L" + ggml + "/build/src",
              "-lggml", "-lggml-cpu", "-lggml-base", "-Wl,-rpath," + ggml + "/build/src", "-lm", "-lpthread"])
        return [out], {}
    if main.endswith(".cpp"):
        made([cxx, "-std=c++17", "-O2", "-w", main, "-o", out, "-I/usr/include/torch/csrc/api/include", "-ltorch", "-ltorch_cpu", "-lc10"])
        return [out], {}
    return [python_with("torch" if library == "torch" else "numpy"), main], \
        {"PYTHONPATH": os.environ.get("TINYGRAD", ""), "CPU": "1"} if library == "tinygrad" else {}


def run(library, tasks):
    passed = failed = 0
    files()
    for task in tasks or PRINTS:
        command, more = program(library, task)
        if not command: print("%-8s none" % task); continue
        start = time.time()
        done = subprocess.run(command, cwd=TOP, env={**os.environ, **more}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              universal_newlines=True)
        said = dict(l.split(" ", 1) for l in done.stdout.splitlines() if " " in l)
        wanted = {w: c for w, c in PRINTS[task].items() if not (library == "ggml" and w == "ir")}    # it has none
        wrong = [w for w, c in wanted.items() if w not in said or not c(said[w].replace("ms", "").strip())]
        print("%-8s %5.2f s  %s" % (task, time.time() - start, ", ".join("%s %s" % (w, said.get(w, "?")) for w in wanted)))
        passed += len(wanted) - len(wrong)
        failed += len(wrong)
        if wrong or done.returncode:
            failed += done.returncode != 0
            print("FAILED: %s, %s: %s, exit status %d\n%s" % (task, library, wrong, done.returncode, (done.stdout + done.stderr)[-4000:]))
    print("%d passed, %d failed" % (passed, failed))
    return not failed


# The weights of the task "block": numbers of PyTorch, kept in the repository.

def record():
    import torch
    sys.path.insert(0, os.path.join(TASKS, "block"))
    from torch_block import Block
    torch.manual_seed(1)
    block, x = Block().eval(), torch.randn(2, 16, 32)
    with torch.no_grad():
        arrays = dict(block.state_dict(), x=x, y=block(x))
    header, data = {}, b""
    for name, a in arrays.items():
        raw = a.contiguous().numpy().tobytes()
        header[name] = {"dtype": "F32", "shape": list(a.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(os.path.join(TASKS, "block.safetensors"), "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)


# name -> (shape, bytes of f32)
def arrays_of(path):
    raw = open(path, "rb").read()
    n = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8:8 + n])
    return {k: (v["shape"], raw[8 + n + v["data_offsets"][0]:8 + n + v["data_offsets"][1]]) for k, v in header.items()}


# GGUF, version 3 (ggml's docs/gguf.md): dims from the fastest, data aligned to 32 bytes.
def write_gguf(path, arrays):
    text = lambda s: struct.pack("<Q", len(s)) + s.encode()
    head, data = b"GGUF" + struct.pack("<IQQ", 3, len(arrays), 0), b""
    for name, (shape, raw) in arrays.items():
        head += text(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *reversed(shape))
        head += struct.pack("<IQ", 0, len(data))
        data += raw + b"\0" * (-len(raw) % 32)
    with open(path, "wb") as f: f.write(head + b"\0" * (-len(head) % 32) + data)


def write_pt(path, arrays):
    try: import torch
    except ImportError: return
    torch.save({k: torch.frombuffer(bytearray(raw), dtype=torch.float32).reshape(shape)
                for k, (shape, raw) in arrays.items()}, path)


def files():
    os.makedirs(BUILD, exist_ok=True)
    arrays = arrays_of(os.path.join(TASKS, "block.safetensors"))
    write_gguf(os.path.join(BUILD, "block.gguf"), arrays)
    write_pt(os.path.join(BUILD, "block.pt"), arrays)


def main(arguments):
    what = arguments[0] if arguments else "table"
    if what == "table":
        text = with_table(open(README).read())
        open(README, "w").write(text)
    elif what == "check": return 0 if check() else 1
    elif what == "run": return 0 if run(arguments[1], arguments[2:]) else 1
    else: {"files": files, "record": record}[what]()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
