#!/usr/bin/env python3
# export_others: networks as C of tiny.h (tiny_program_export_c) beside what others use for this: onnx2c's C, and
# PyTorch. The networks are bench/export.c's, with weights of their own of the same sizes: batch 1, float, one thread.
#
#   cc -O2 -I. bench/export.c -o build/bench_export -lm -lpthread -ldl
#   OPENBLAS_CORETYPE=SkylakeX python3 bench/export_others.py [--onnx2c PATH] [--rounds N] [--folder FOLDER] [NAME ..]
#
# Needs torch and onnx of Python (Debian: python3-torch python3-onnx libopenblas0-pthread) and gcc. onnx2c is built from
# https://github.com/kraiskil/onnx2c; without it its rows are missing. In one process every candidate runs once a round,
# N rounds, in turn: ms are medians of the processor's time, which others on the machine disturb less, and of the
# clock's, and its least. Memory is the peak of a process of its own that has run it (VmHWM),
# less that of Python alone. What onnx2c gives is compared with PyTorch.
import argparse, ctypes, mmap, os, shutil, subprocess, sys, time

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NETWORKS = {"resnet": ("ResNet-18, 224x224", 4 * 3 * 224 * 224, 4 * 1000),
            "transformer": ("transformer, 4 layers of 256, 64 tokens", 4 * 64, 4 * 64 * 1000),
            "lstm": ("LSTM, 2 layers of 256, 32 steps", 4 * 32 * 128, 4 * 32 * 256)}
FLAGS = ["-O3", "-march=native"]
# Of a saved program, by a build that only runs: it is loaded and called on one thread.
PLAYER = """
#define TINY_RUNTIME_ONLY
#define TINY_IMPLEMENTATION
#include "tiny.h"
void *play_open(const char *path) {
  tiny_ctx *t = tiny_open(&(tiny_desc){.threads = 1});
  return tiny_program_load(t, &(tiny_program_source){.path = path, .trusted = 1});
}
void play_run(void *p, const void *const *in, void *const *out) { tiny_program_call((tiny_program *)p, in, out); }
"""

# ** the networks in PyTorch **

def resnet():
    from torch import nn
    def conv(i, o, k, stride):
        return nn.Sequential(nn.Conv2d(i, o, k, stride, k // 2, bias=False), nn.BatchNorm2d(o))
    class Block(nn.Module):
        def __init__(self, i, o, stride):
            super().__init__()
            self.a, self.b = conv(i, o, 3, stride), conv(o, o, 3, 1)
            self.short = conv(i, o, 1, stride) if stride > 1 else nn.Identity()
        def forward(self, x):
            return (self.b(self.a(x).relu()) + self.short(x)).relu()
    layers = [conv(3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    for stage in range(4):
        for block in range(2):
            width = 64 << stage
            layers.append(Block(width // 2 if stage and not block else width, width, 2 if stage and not block else 1))
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000))

def transformer(length=64, width=256, heads=8, layers=4, words=1000):
    import torch
    from torch import nn
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = nn.LayerNorm(width)
            self.q, self.k, self.v = (nn.Linear(width, width) for _ in range(3))
            self.out = nn.Linear(width, width, bias=False)
            self.up, self.down = nn.Linear(width, 4 * width, bias=False), nn.Linear(4 * width, width, bias=False)
            self.scale = nn.Parameter(torch.ones(width))
            self.register_buffer("mask", torch.full((length, length), -1e9).triu(1))
        def forward(self, x):
            y = self.norm(x)
            q, k, v = (f(y).reshape(1, length, heads, width // heads).permute(0, 2, 1, 3)
                       for f in (self.q, self.k, self.v))
            y = torch.softmax(torch.matmul(q, k.transpose(2, 3)) * (width // heads) ** -0.5 + self.mask, -1)
            x = x + self.out(torch.matmul(y, v).permute(0, 2, 1, 3).reshape(1, length, width))
            y = x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-5) * self.scale
            return x + self.down(nn.functional.gelu(self.up(y)))
    class Whole(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Parameter(torch.randn(words, width) * 0.1)
            self.place = nn.Parameter(torch.randn(1, length, width) * 0.1)
            self.blocks = nn.Sequential(*(Block() for _ in range(layers)))
        def forward(self, ids):
            x = nn.functional.embedding(ids, self.table) + self.place
            return torch.matmul(self.blocks(x), self.table.transpose(0, 1))
    return Whole()

def lstm():
    import torch
    from torch import nn
    class Whole(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = nn.LSTM(128, 256, 2)
            self.register_buffer("zero", torch.zeros(2, 1, 256))   # onnx2c wants it said
        def forward(self, x):
            return self.lstm(x, (self.zero, self.zero))[0]
    return Whole()

def network(name):
    import torch
    torch.set_num_threads(1)
    torch.manual_seed(1)
    net = {"resnet": resnet, "transformer": transformer, "lstm": lstm}[name]().eval()
    x = {"resnet": lambda: torch.randn(1, 3, 224, 224), "transformer": lambda: torch.randint(0, 1000, (1, 64)),
         "lstm": lambda: torch.randn(32, 1, 128)}[name]()
    return net, x

# ** candidates: each gives a function that runs once, and what it gave (None: of other weights) **

def build(source, to, flags, say):
    if not os.path.exists(to):
        start = time.time()
        done = subprocess.run(["gcc", "-w", *flags, "-shared", "-fPIC", source, "-o", to, "-lm", "-I" + HERE])
        if done.returncode: return None
        say[to] = time.time() - start
    return to

def buffers(name):
    n, m = NETWORKS[name][1:]
    x = ctypes.create_string_buffer(n)
    if name == "transformer":
        for i in range(64): ctypes.cast(x, ctypes.POINTER(ctypes.c_int32))[i] = i * 7 % 1000
    else:
        numbers = ctypes.cast(x, ctypes.POINTER(ctypes.c_float))
        for i in range(n // 4): numbers[i] = (i * 7919 % 4093) / 2046.5 - 1
    return x, ctypes.create_string_buffer(m)

def pointers(x):
    return (ctypes.c_void_p * 1)(ctypes.addressof(x))

def of_export(vectors):
    def make(name, folder, say):
        so = build(f"{folder}/{name}{vectors}.c", f"{folder}/{name}{vectors}.so", FLAGS, say)
        c = ctypes.CDLL(so)
        c.net_workspace.restype = ctypes.c_size_t
        path = f"{folder}/{name}{vectors}.weights"
        nbytes = os.path.getsize(path)
        held = mmap.mmap(-1, nbytes)       # aligned to pages
        with open(path, "rb") as f: f.readinto(held)
        at = ctypes.addressof(ctypes.c_char.from_buffer(held))
        work = ctypes.create_string_buffer(c.net_workspace())
        x, y = buffers(name)
        ins, outs = pointers(x), pointers(y)
        keep = (held, work, x, y)
        return lambda: (c.net_run(ins, outs, work, ctypes.c_void_p(at)), keep)[0]
    return make

def of_program(name, folder, say):
    source = f"{folder}/player.c"
    if not os.path.exists(source): open(source, "w").write(PLAYER)
    c = ctypes.CDLL(build(source, f"{folder}/player.so", ["-O2"], say))
    c.play_open.restype = ctypes.c_void_p
    p = ctypes.c_void_p(c.play_open(f"{folder}/{name}.tiny".encode()))
    if not p: return None
    x, y = buffers(name)
    ins, outs = pointers(x), pointers(y)
    return lambda: (c.play_run(p, ins, outs), x, y)[0]

def of_onnx2c(flags, tag):
    def make(name, folder, say):
        if not os.path.exists(f"{folder}/{name}_onnx2c.c"): return None
        so = build(f"{folder}/{name}_onnx2c.c", f"{folder}/{name}_onnx2c_{tag}.so", flags, say)
        if not so: return None
        c = ctypes.CDLL(so)
        n, m = NETWORKS[name][1:]
        x = ctypes.create_string_buffer(open(f"{folder}/{name}.input", "rb").read())
        y = ctypes.create_string_buffer(m)
        run = lambda: c.entry(x, y)
        run.out = y
        return run
    return make

def of_torch(script):
    def make(name, folder, say):
        import torch
        torch.set_grad_enabled(False)
        net, x = network(name)
        if script:
            net = torch.jit.freeze(torch.jit.trace(net, x))
            for _ in range(3): net(x)
        return lambda: net(x)
    return make

CANDIDATES = {
    "tiny.h, C, vectors of 16 bytes": of_export(16), "tiny.h, C, vectors of 32 bytes": of_export(32),
    "tiny.h, saved program, build that only runs": of_program,
    "onnx2c, gcc -O3 -march=native": of_onnx2c(FLAGS, "O3"),
    "onnx2c, gcc -Ofast -march=native": of_onnx2c(["-Ofast", "-march=native"], "Ofast"),
    "PyTorch, eager": of_torch(0), "PyTorch, TorchScript, frozen": of_torch(1)}

# ** files that they run **

def prepare(name, folder, onnx2c, say):
    import numpy, torch
    torch.set_grad_enabled(False)
    net, x = network(name)
    model = f"{folder}/{name}.onnx"
    data = x.numpy()
    open(f"{folder}/{name}.input", "wb").write(data.tobytes())
    open(f"{folder}/{name}.output", "wb").write(net(x).numpy().tobytes())
    if not onnx2c: return
    if not os.path.exists(model): torch.onnx.export(net, x, model, opset_version=13)
    text = f"{folder}/{name}_onnx2c.c"
    if os.path.exists(text): return
    start = time.time()
    with open(text, "w") as f:
        done = subprocess.run([onnx2c, model], stdout=f, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        print(f"  onnx2c refuses {name}: {done.stderr.strip()[-200:]}")
        os.remove(text)
    say[text] = time.time() - start

def difference(name, folder, run):
    import numpy
    a, b = (numpy.frombuffer(x, numpy.float32) for x in (open(f"{folder}/{name}.output", "rb").read(), run.out.raw))
    return float(abs(a - b).max() / abs(a).max())

def peak_kb():
    for line in open("/proc/self/status"):
        if line.startswith("VmHWM"): return int(line.split()[1])

def alone(name, folder, candidate):        # in a process of its own: what it takes of memory
    bare = peak_kb()
    run = CANDIDATES[candidate](name, folder, {})
    for _ in range(3): run()
    print(peak_kb() - bare)

def main():
    p = argparse.ArgumentParser()
    p.add_argument("--onnx2c", default=shutil.which("onnx2c"))
    p.add_argument("--rounds", type=int, default=15)
    p.add_argument("--folder", default=os.path.join(HERE, "build", "export_others"))
    p.add_argument("--alone")
    p.add_argument("network", nargs="*")
    a = p.parse_args()
    os.makedirs(a.folder, exist_ok=True)
    if a.alone: return alone(a.network[0], a.folder, a.alone)
    if not os.path.exists(f"{a.folder}/lstm.tiny"):
        subprocess.run([f"{HERE}/build/bench_export", "write", a.folder], check=True)
    for name in a.network or NETWORKS:
        say, runs, times, memory = {}, {}, {}, {}
        prepare(name, a.folder, a.onnx2c, say)
        for candidate, make in CANDIDATES.items():
            run = make(name, a.folder, say)
            if run: runs[candidate], times[candidate] = run, []
        for n in range(a.rounds + 1):      # the first does not count
            for candidate, run in runs.items():
                start, used = time.perf_counter(), time.thread_time()
                run()
                used = time.thread_time() - used
                if n: times[candidate].append(((time.perf_counter() - start) * 1e3, used * 1e3))
        print(f"\n{NETWORKS[name][0]}: {a.rounds} rounds\n")
        print("| | ms of the processor | ms, median | least | MB | differs from PyTorch by |")
        print("|---|---|---|---|---|---|")
        for candidate, run in runs.items():
            said = subprocess.run([sys.executable, __file__, "--folder", a.folder, "--alone", candidate, name],
                                  capture_output=True, text=True).stdout.split()
            t, used = (sorted(x) for x in zip(*times[candidate]))
            by = f"{difference(name, a.folder, run):.1e}" if hasattr(run, "out") else ""
            mb = f"{int(said[-1]) / 1024:.1f}" if said else "?"
            print(f"| {candidate} | {used[len(t) // 2]:.2f} | {t[len(t) // 2]:.2f} | {t[0]:.2f} | {mb} | {by} |",
                  flush=True)
        for path, seconds in say.items():
            size = os.path.getsize(path) if os.path.exists(path) else 0
            print(f"  {os.path.basename(path)}: {seconds:.1f} s, {size / 1e6:.2f} MB")

if __name__ == "__main__": main()
