#!/usr/bin/env python3
"""Writes tests/corpus/elf: objects as compilers make them, from which the fuzzer of the loader starts. The first byte of
a seed chooses the processor (tests/fuzz_elf.c), the rest is the object.

  tools/corpus_elf.py          needs clang, gcc, aarch64-linux-gnu-gcc and tcc; those that are missing are named
"""
import os
import shutil
import subprocess
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "corpus", "elf")
# What kernels have in them: loops, constants in memory, tables of addresses, calls, data, memory that is zero.
SOURCES = {
    "loop": "void f(float *a, const float *b, long n) { for (long i = 0; i < n; i++) a[i] = b[i] * 1.5f + 0.25f; }",
    "call": "float fmodf(float, float); void *memset(void *, int, unsigned long);\n"
            "float f(float *x) { memset(x, 0, 64); return fmodf(x[1], 3.0f); }",
    "data": "static int counts[40], zeros[30]; int table[4] = {1, 2, 3, 5}; const int *const at[3] = {table, counts, zeros};\n"
            "int f(int i) { counts[i]++; return *at[i % 3] + table[i & 3]; }",
    "switch": "int g(int), h(int); int g(int x) { return x * 3; } int h(int x) { return x ^ 77; }\n"
              "int f(int i) { switch (i) { case 0: return g(i); case 1: return h(i); case 2: return 9; case 3: return g(2);\n"
              "  case 4: return 44; case 5: return h(1) + g(3); default: return i; } }",
}
X86, ARM = 0, 1
COMPILERS = [
    ("clang-O2", X86, ["clang", "-target", "x86_64-none-elf", "-O2", "-mavx2"], ["loop", "call", "data", "switch"]),
    ("clang-O0", X86, ["clang", "-target", "x86_64-none-elf", "-O0"], ["call", "data"]),
    ("clang-pic", X86, ["clang", "-target", "x86_64-none-elf", "-O1", "-fPIC"], ["call", "data"]),
    ("clang-large", X86, ["clang", "-target", "x86_64-none-elf", "-O1", "-mcmodel=large"], ["call"]),
    ("clang-arm", ARM, ["clang", "-target", "aarch64-none-elf", "-O2"], ["loop", "call", "data", "switch"]),
    ("clang-arm-pic", ARM, ["clang", "-target", "aarch64-none-elf", "-O1", "-fPIC"], ["call", "data"]),
    ("clang-arm-large", ARM, ["clang", "-target", "aarch64-none-elf", "-O1", "-mcmodel=large"], ["call"]),
    ("gcc-O2", X86, ["gcc", "-O2", "-mcmodel=small", "-fno-pic"], ["loop", "call", "data", "switch"]),
    ("gcc-pic", X86, ["gcc", "-O1", "-fPIC", "-fno-plt"], ["call", "data"]),
    ("gcc-arm", ARM, ["aarch64-linux-gnu-gcc", "-O2"], ["call", "data", "switch"]),
    ("tcc", X86, ["tcc"], ["loop", "call", "data", "switch"]),
]
FLAGS = ["-ffreestanding", "-fno-asynchronous-unwind-tables", "-fno-ident", "-fno-stack-protector", "-g0"]


def main():
    shutil.rmtree(ROOT, ignore_errors=True)
    os.makedirs(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        for name, processor, command, texts in COMPILERS:
            if not shutil.which(command[0]):
                print("corpus_elf: no", command[0])
                continue
            for text in texts:
                source, made = os.path.join(folder, text + ".c"), os.path.join(folder, "made.o")
                with open(source, "w") as f:
                    f.write(SOURCES[text] + "\n")
                flags = [] if command[0] == "tcc" else FLAGS
                subprocess.run(command + flags + ["-c", source, "-o", made], check=True)
                with open(made, "rb") as f, open(os.path.join(ROOT, "%s-%s" % (name, text)), "wb") as out:
                    out.write(bytes([processor]) + f.read())


if __name__ == "__main__":
    main()
