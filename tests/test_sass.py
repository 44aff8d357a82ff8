#!/usr/bin/env python3
"""sass: tools/sass_count.py finds kernels, loops and instructions in cubins that are put together here, word by word as
listings have them, and in what nvcc makes of kernels whose instructions are known; what is no such cubin it refuses.
Where there is no nvcc the latter are left out."""
import os
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tools"))
import sass_count as sass                  # noqa: E402

tally = {True: 0, False: 0}


def check(ok, what):
    tally[bool(ok)] += 1
    if not ok:
        print("failed: " + what, file=sys.stderr)


# ** cubins made here **

def elf(sm, code, registers=42):
    """An ELF with one kernel k: .strtab .symtab .nv.info .text.k .shstrtab."""
    names = b"\0.strtab\0.symtab\0.nv.info\0.text.k\0.shstrtab\0"
    info = struct.pack("<BBHII", 4, 0x11, 8, 1, 0) + struct.pack("<BBHII", 4, 0x2f, 8, 1, registers)
    symbols = bytes(24) + struct.pack("<IBBHQQ", 1, 18, 0, 4, 0, len(code))
    parts = [(b"", b""), (b".strtab", b"\0k\0"), (b".symtab", symbols), (b".nv.info", info), (b".text.k", code),
             (b".shstrtab", names)]
    body, rows = b"", []
    for name, data in parts:
        rows.append(struct.pack("<IIQQQQIIQQ", names.index(name + b"\0") if name else 0, 1 if name else 0, 0, 0,
                                64 + len(body), len(data), 0, 0, 1, 0))
        body += data
    head = b"\x7fELF\x02\x01\x01\x41\x08" + bytes(7) + struct.pack(
        "<HHIQQQIHHHHHH", 2, 190, 1, 0, 0, 64 + len(body), sm << 8, 64, 0, 0, 64, len(rows), len(rows) - 1)
    return head + body + b"".join(rows)


def words(*pairs):
    return b"".join(struct.pack("<QQ", low, high) for low, high in pairs)


# By cuobjdump and nvcc 13: FADD, ISETP, @P0 BRA -3, EXIT, BRA to itself, NOP; of sm_80 and sm_90.
FADD, ISETP = (0x0000000500047221, 0x004fe20000000000), (0x000000070000720c, 0x000fda0003f06270)
LEAVE, NOP = (0x000000000000794d, 0x000fea0003800000), (0x0000000000007918, 0x000fc00000000000)
BACK = {80: (0xffffffd000000947, 0x000fea000383ffff), 90: (0xfffffffc00f40947, 0x000fea000383ffff)}
SELF = {80: (0xfffffff000007947, 0x000fc0000383ffff), 90: (0xfffffffc00fc7947, 0x000fc0000383ffff)}


def made(folder, data):
    path = os.path.join(folder, "made.cubin")
    with open(path, "wb") as f:
        f.write(data)
    return list(sass.kernels_of(path))


def refused(folder, data, word, what):
    try:
        made(folder, data)
        check(False, what + " is taken")
    except sass.Misread as e:
        check(word in str(e), "%s: %s" % (what, e))


def test_made(folder):
    for sm in (80, 90):
        code = words(NOP, FADD, ISETP, BACK[sm], LEAVE, SELF[sm], NOP)
        (k,) = made(folder, elf(sm, code))
        check((k.name, k.sm, k.registers, len(k.code)) == ("k", sm, 42, 7), "sm_%d: what a kernel is" % sm)
        check([i.name for i in k.code] == ["NOP", "FADD", "ISETP", "BRA", "EXIT", "BRA", "NOP"], "sm_%d: names" % sm)
        check(k.loops == [frozenset((1, 2, 3))], "sm_%d: the loop" % sm)
        check(sass.counts(k.code, sass.busiest(k)) == {"fma": 1, "integer": 1, "control": 1}, "sm_%d: its kinds" % sm)
        strange = words((FADD[0] | 0x1ff, FADD[1]), FADD, ISETP, BACK[sm], LEAVE, SELF[sm])
        (k,) = made(folder, elf(sm, strange))
        check(sass.unknown(k) == "0x3ff x 1" and sass.counts(k.code)["unknown"] == 1, "sm_%d: an unknown one" % sm)
        refused(folder, elf(170 - sm, code), "branch", "code of sm_%d as of sm_%d" % (sm, 170 - sm))
        refused(folder, elf(sm, code[:-8]), "16 bytes", "half an instruction")
        refused(folder, elf(sm, words(BACK[sm], LEAVE, SELF[sm])), "outside", "a branch before the kernel")
        refused(folder, elf(sm, words((0x7949, 0), LEAVE, SELF[sm])), "register", "a branch by a register")
        begin, end = (0x0000002000007945, 0x000fe20003800000), (0x0000000000007941, 0x000fea0003800000)
        (k,) = made(folder, elf(sm, words(begin, FADD, end, LEAVE, SELF[sm])))
        check([i.name for i in k.code[:3]] == ["BSSY", "FADD", "BSYNC"], "sm_%d: a region" % sm)
        refused(folder, elf(sm, words(begin, end, LEAVE, SELF[sm])), "elsewhere", "a region that ends elsewhere")
    whole = elf(80, code)
    refused(folder, elf(120, code), "sm_120", "a target without a table")
    refused(folder, b"\x7fELF\x01" + whole[5:], "no ELF", "an ELF of 32 bits")
    for n in (0, 3, 63, 100, len(whole) - 1):
        refused(folder, whole[:n], "ELF" if n < 64 else "outside", "%d bytes of it" % n)


# A cold block behind the kernel that branches back into straight code is no loop; one out of a loop belongs to it.
def test_flow(folder):
    always, never = 0x7947, 0x0947
    jump = lambda low, by: ((by * 4 << 34 & 0xffffffffffffffff) | low, (by * 4 >> 30 & 0x3ffff) | 0x03800000)
    code = words(jump(never, 4), FADD, FADD, LEAVE, SELF[80], ISETP, jump(always, -6), SELF[80])
    (k,) = made(folder, elf(80, code))
    check(k.loops == [], "a block behind the kernel is taken for a loop")
    code = words(NOP, jump(never, 4), FADD, jump(never, -3), LEAVE, SELF[80], ISETP, jump(always, -6), SELF[80])
    (k,) = made(folder, elf(80, code))
    check(k.loops == [frozenset((1, 2, 3, 6, 7))], "a loop with a block behind the kernel: %s" % k.loops)
    nested = words(NOP, NOP, FADD, ISETP, jump(never, -3), FADD, jump(never, -6), LEAVE, SELF[80])
    (k,) = made(folder, elf(80, nested))
    check(sorted(map(len, k.loops)) == [3, 6] and len(sass.busiest(k)) == 3, "nested loops: %s" % k.loops)


# What writes nothing is no instruction of what computes; of two loops that with more products and loads is the busiest.
def test_padded(folder):
    pad, add = (0x0000003f3f3f7290, 0x000fe2000fffe03f), (0x0000000504047290, 0x000fe2000fffe03f)
    (k,) = made(folder, elf(80, words(pad, add, LEAVE, SELF[80])))
    check([i.kind for i in k.code] == ["pad", "uniform", "control", "control"], "a pad: %s" % [i.kind for i in k.code])
    lds, jump = (0x0000000002047984, 0x000e220000000800), BACK[80]
    code = words(NOP, FADD, ISETP, jump, lds, lds, FADD, jump, LEAVE, SELF[80])
    (k,) = made(folder, elf(80, code))
    check(sorted(sass.busiest(k)) == [5, 6, 7], "loads do not count: %s" % sorted(sass.busiest(k)))


# ** what nvcc makes **

KERNEL = r"""
extern "C" __global__ void __launch_bounds__(128) known(float *out, const unsigned *in, int n) {
  __shared__ alignas(16) unsigned shared[1024];
  float c[4] = {0, 0, 0, 0};
  unsigned a[4], at = (unsigned)__cvta_generic_to_shared(shared + threadIdx.x % 32 * 4);
  #pragma unroll 1
  for (int i = 0; i < n; i++) {
    shared[threadIdx.x] = in[i * 128 + threadIdx.x];
    __syncthreads();
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(at) : "memory");
    #pragma unroll
    for (int m = 0; m < MATRICES; m++)
      asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
                   "{%0, %1, %2, %3};"
                   : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[m % 2]), "r"(a[2]), "r"(a[3]));
    __syncthreads();
  }
  out[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}
"""


def test_nvcc(folder):
    source = os.path.join(folder, "known.cu")
    for arch in ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90"):
        for matrices in (3, 8):
            with open(source, "w", encoding="utf-8") as f:
                f.write("#define MATRICES %d\n%s" % (matrices, KERNEL))
            cubin, (spills, used) = sass.compiled(source, arch, folder)
            (k,) = sass.kernels_of(cubin)
            n = sass.counts(k.code, sass.busiest(k))
            what = "%s, %d products" % (arch, matrices)
            check(k.name == "known" and k.shared == 4096 + 1024 * (arch == "sm_90"), what + ": %d bytes" % k.shared)
            check([k.registers] == used and spills == 0, what + ": %d registers, ptxas %s" % (k.registers, used))
            check(n["matrix"] == matrices and n["ldmatrix"] == 1 and n["ldg"] == 1 and n["sts"] == 1, what + ": %s" % n)
            check(n["barrier"] == 2 and n["stg"] == 0 and n["fma"] == 0, what + ": %s" % n)
            check(sass.counts(k.code)["stg"] == 1 and sass.counts(k.code)["fma"] == 3, what + ": outside of the loop")
            check(not sass.unknown(k), what + ": " + sass.unknown(k))


# Kernels as `make sass` has them: counted, written, compiled, counted again.
def test_written(folder):
    subprocess.run(["make", "-s", "build/bench/count"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["build/bench/count", "-k", "softmax 2048x1024", "-w", folder, "sm_90"], cwd=ROOT, check=True,
                   stdout=subprocess.DEVNULL)
    source = os.path.join(folder, "sm_90-01.cu")
    check(os.path.exists(source), "a kernel is written")
    if shutil.which("nvcc"):
        with tempfile.TemporaryDirectory() as scratch:
            row = sass.row(source, "sm_90", scratch)
        check(row[0] == "softmax 2048x1024" and row[2].isdigit() and int(row[3]) > 0 and row[4] == "0",
              "a row: %s" % (row,))
        page = os.path.join(folder, "page.md")
        check(sass.build(folder, ["sm_90"], page) == 0 and open(page).read().count("\n") == 3, "a page")


def main():
    with tempfile.TemporaryDirectory() as folder:
        test_made(folder)
        test_flow(folder)
        test_padded(folder)
        test_written(folder)
        if shutil.which("nvcc"):
            test_nvcc(folder)
        else:
            print("left out: kernels by nvcc, which is not here")
    print("%d passed, %d failed" % (tally[True], tally[False]))
    return tally[False] > 0


if __name__ == "__main__":
    sys.exit(main())
