#!/usr/bin/env python3
"""Counts the machine instructions of NVIDIA's kernels: what stands in their busiest loop, and in all, by kind.

  tools/sass_count.py CUBIN..                            each kernel of each cubin; -v: each opcode; -l: each loop, too
  tools/sass_count.py --sources FOLDER [--arch sm_80 ..] compiles its *.cu by nvcc first; --write PAGE: as a table;
                                                         --beside PAGE: its *.ptx by ptxas, too, beside them

A cubin is an ELF; the code of a kernel is the section .text.NAME, in instructions of 16 bytes (sm_75 and later), the
operation in the low 12 bits: 9 that name it, and 3 that tell which operand is a register, a constant or memory. What is
not in the table below is counted as unknown and printed by its number; no name is guessed.

The busiest loop: of the loops in which no other one computes, that with the most matrix instructions, else the most
products of floats and loads, else the most instructions. A loop is a natural one (Aho, Lam, Sethi, Ullman: Compilers, 9.6): all
blocks from which a branch to the loop's head is reached and that its head dominates, wherever they lie. Each of its
instructions is counted once, also those behind a condition.
"""
import argparse
import collections
import glob
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

# Operations by the low 9 bits, sm_75 to sm_90. Sources: the instructions with their encodings that CuAssembler has
# collected of sm_75, 80 and 86 (github.com/cloudcores/CuAssembler, CuAsm/InsAsmRepos; 2,331 encodings, of which no two
# names share their 9 bits); names: NVIDIA, CUDA Binary Utilities, "Instruction Set Reference".
KNOWN = """
002 MOV 003 P2R 004 R2P 005 CS2R 006 VOTE 007 SEL 008 FSEL 009 FMNMX 00a FSET 00b FSETP 00c ISETP 010 IADD3 011 LEA
012 LOP3 013 IABS 015 VABSDIFF4 016 PRMT 017 IMNMX 019 SHF 01a SGXT 01b BMSK 01c PLOP3 020 FMUL 021 FADD 022 FSWZADD
023 FFMA 024 IMAD 025 IMAD 026 IDP 027 IMAD 028 DMUL 029 DADD 02a DSETP 02b DFMA 030 HADD2 031 HFMA2 032 HMUL2
033 HSET2 034 HSETP2 035 HFMA2 036 HMMA 037 IMMA 038 I2I 039 I2IP 03a MOVM 03b LDSM 03c HMMA 03d BMMA 03e F2FP
03f DMMA 040 HMNMX2 043 F2IP 045 I2FP 082 UMOV 083 UP2UR 086 VOTEU 087 USEL 08c UISETP 090 UIADD3 091 ULEA 092 ULOP3
096 UPRMT 097 UIADD3 099 USHF 09a USGXT 09c UPLOP3 0a4 UIMAD 0a5 UIMAD 0b9 ULDC 0bb ULDC 0bd UFLO 0be UBREV
0bf UPOPC 100 FLO 101 BREV 102 FCHK 104 F2F 105 F2I 106 I2F 107 FRND 108 MUFU 109 POPC 110 F2F 111 F2I 112 I2F
113 FRND 118 NOP 119 S2R 11a DEPBAR 11c B2R 11d BAR 141 BSYNC 142 BREAK 143 CALL 144 CALL 145 BSSY 146 YIELD 147 BRA
148 WARPSYNC 149 BRX 14d EXIT 14e LEPC 150 RET 155 BMOV 156 BMOV 158 BRXU 15c BPT 15d NANOSLEEP 160 TEX 161 TEX
163 TLD4 164 TLD4 166 TLD 167 TLD 16c TXD 16d TXD 16f TXQ 170 TXQ 180 LD 181 LDG 182 LDC 183 LDL 184 LDS 185 ST
186 STG 187 STL 188 STS 189 SHFL 18a ATOM 18b ATOM 18c ATOMS 18d ATOMS 18e RED 18f CCTL 192 MEMBAR 199 SULD 19a SULD
19b SUST 19c SUST 19d SUST 19e SUST 1a1 MATCH 1a8 ATOMG 1a9 ATOMG 1aa QSPC 1ab ERRBAR 1ae LDGSTS 1af LDGDEPBAR
1b0 ARRIVES 1c2 R2UR 1c3 S2UR 1c4 REDUX
"""
# What sm_90 has more, or has in another place: listings by cuobjdump that stand in public repositories, with encodings.
KNOWN_90 = """
036 VIADD 048 VIMNMX 1a7 SYNCS 1b2 SYNCS 1b4 UTMALDG 1c5 WARPGROUP 1f0 HGMMA
"""
KINDS = [
    ("matrix", "HMMA IMMA BMMA DMMA HGMMA"),
    ("ldmatrix", "LDSM MOVM"),
    ("lds", "LDS"), ("sts", "STS ATOMS"),
    ("ldgsts", "LDGSTS UTMALDG"),
    ("ldg", "LDG LD TEX TLD TLD4 TXD TXQ SULD"), ("stg", "STG ST SUST RED ATOM ATOMG"),
    ("local", "LDL STL"),
    ("const", "LDC ULDC"),
    ("fma", "FFMA FADD FMUL DFMA DADD DMUL HFMA2 HADD2 HMUL2 FSWZADD"),
    ("float", "FMNMX FSEL FSET FSETP DSETP HSET2 HSETP2 HMNMX2 FCHK FRND"),
    ("special", "MUFU"),
    ("convert", "F2F F2I I2F F2FP F2IP I2FP I2I I2IP"),
    ("integer", "IADD3 VIADD IMAD LEA LOP3 SHF IABS VABSDIFF4 IMNMX VIMNMX SGXT BMSK IDP ISETP PLOP3 FLO BREV POPC "
                "LEPC"),
    ("uniform", "UMOV UP2UR VOTEU USEL UISETP UIADD3 ULEA ULOP3 UPRMT USHF USGXT UPLOP3 UIMAD UFLO UBREV UPOPC R2UR "
                "S2UR"),
    ("move", "MOV SEL PRMT P2R R2P CS2R S2R B2R BMOV"),
    ("lanes", "SHFL VOTE MATCH REDUX QSPC"),
    ("barrier", "BAR DEPBAR LDGDEPBAR MEMBAR ERRBAR ARRIVES SYNCS WARPGROUP CCTL"),
    ("control", "BRA BRX BRXU BSSY BSYNC BREAK CALL RET EXIT WARPSYNC YIELD NANOSLEEP BPT NOP"),
    ("pad", ""),                           # writes nothing: ptxas has them between matrix instructions that wait
]
KIND = {name: kind for kind, names in KINDS for name in names.split()}
NONE = 63                                  # the uniform register that is zero
BRANCH, EXIT, RETURN, INDIRECT = "BRA", "EXIT", "RET", ("BRX", "BRXU")
ALWAYS, NO_REGISTER = 7, 255               # the predicate that holds; the register that is zero

Instruction = collections.namedtuple("Instruction", "opcode name kind low high")
Kernel = collections.namedtuple("Kernel", "name sm registers shared code loops")


class Misread(Exception):
    """A cubin that is not as this page says."""


def table(text):
    words = text.split()
    return {int(code, 16): name for code, name in zip(words[::2], words[1::2])}


def operations(sm):
    return {**table(KNOWN), **(table(KNOWN_90) if sm >= 90 else {})}


# ** ELF: System V ABI, "ELF Header", "Sections"; 64 bits, little endian **

def sections(data):
    """(name, bytes, size, type) of each; of what has no bytes in the file, none."""
    if data[:6] != b"\x7fELF\x02\x01" or len(data) < 64:
        raise Misread("no ELF of 64 bits")
    offset, flags, n, names = struct.unpack_from("<Q", data, 40) + struct.unpack_from("<I8xHH", data, 48)
    if offset + 64 * n > len(data) or names >= n:
        raise Misread("its sections lie outside of it")
    rows = [struct.unpack_from("<IIQQQQ", data, offset + 64 * i) for i in range(n)]
    text = data[rows[names][4]:rows[names][4] + rows[names][5]]
    out = []
    for name, kind, _, _, at, size in rows:
        there = b"" if kind == 8 else data[at:at + size]              # SHT_NOBITS
        out.append((text[name:text.index(b"\0", name)].decode(), there, size))
    return out, flags


def registers(info, symbols):
    """Of each kernel: attributes 0x2f of .nv.info, (symbol, count). CuAssembler, CuNVInfo: EIATTR_REGCOUNT."""
    at, out = 0, {}
    while at + 4 <= len(info):
        form, attribute, nbytes = struct.unpack_from("<BBH", info, at)
        if form == 4 and attribute == 0x2f:
            symbol, count = struct.unpack_from("<II", info, at + 4)
            out[symbols[symbol]] = count
        at += 4 + (nbytes if form == 4 else 0)
    return out


def symbol_names(parts):
    strings, out = parts.get(".strtab", b""), []
    for at in range(0, len(parts.get(".symtab", b"")), 24):
        (name,) = struct.unpack_from("<I", parts[".symtab"], at)
        out.append(strings[name:strings.index(b"\0", name)].decode())
    return out


# ** instructions **

def decode(code, sm):
    if len(code) % 16:
        raise Misread("code that is not of 16 bytes each")
    known, out = operations(sm), []
    for low, high in struct.iter_unpack("<QQ", code):
        name = known.get(low & 0x1ff, "?")
        kind = KIND.get(name, "unknown")
        if name == "IMAD" and low >> 24 & 255 == NO_REGISTER:         # 0 * x + y
            kind = "move"
        if name == "UIADD3" and {low >> at & 255 for at in (16, 24, 32)} == {NONE}:
            kind = "pad"
        out.append(Instruction(low & 0xfff, name, kind, low, high))
    return out


def distance(ins):
    """Signed, in 4 bytes, from the next instruction on: bits 34 to 81."""
    field = ins.low >> 34 | (ins.high & 0x3ffff) << 30
    return field - (field >> 47 << 48)


def target(i, ins, sm):
    """Where a branch goes. From sm_90 on the distance has 8 more bits below, in 16 to 23. Source: Mesa, nak,
    sm70_encode.rs; that a kernel's last branch goes to itself shows that its target has them so."""
    by = distance(ins)
    if sm >= 90:
        by = by << 8 | ins.low >> 16 & 255
    if by % 4:
        raise Misread("a branch between instructions")
    return i + 1 + by // 4


def guarded(ins):
    """Whether it may not happen: its own predicate, or a branch's second one (bits 87 to 90) or any other condition."""
    own = ins.low >> 12 & 15
    second = ins.name == BRANCH and (ins.high >> 23 & 15 != ALWAYS or ins.low >> 24 & 255 or ins.low >> 32 & 3)
    return own != ALWAYS or bool(second)


def successors(i, code, sm):
    ins = code[i]
    out = [target(i, ins, sm)] if ins.name == BRANCH else []
    if ins.name not in (BRANCH, EXIT, RETURN) or guarded(ins):
        out.append(i + 1)
    return [s for s in out if s < len(code)]


def check_branches(code, sm):
    """The padding behind a kernel is a branch to itself and NOPs. A BSYNC stands before what a BSSY points to."""
    last = max((i for i, ins in enumerate(code) if ins.name == BRANCH), default=None)
    if last is None or target(last, code[last], sm) != last:
        raise Misread("the last branch does not go to itself: sm_%d writes them otherwise" % sm)
    ends = {i + 1 + distance(ins) // 4 for i, ins in enumerate(code) if ins.name == "BSSY"}
    for i, ins in enumerate(code):
        if ins.name in INDIRECT:
            raise Misread("a branch by a register, whose loops are not known")
        if ins.name == BRANCH and not 0 <= target(i, ins, sm) < len(code):
            raise Misread("a branch to the outside")
        if ins.name == "BSYNC" and i + 1 not in ends:
            raise Misread("a BSYNC that goes on elsewhere")


# ** loops **

def blocks_of(code, sm):
    """First instruction of each block -> (end, the blocks that may follow)."""
    follow = {i: successors(i, code, sm) for i, ins in enumerate(code) if ins.name in (BRANCH, EXIT, RETURN)}
    heads = sorted({0} | {s for after in follow.values() for s in after} | {i + 1 for i in follow if i + 1 < len(code)})
    out = {}
    for head, end in zip(heads, heads[1:] + [len(code)]):
        out[head] = (end, follow.get(end - 1, [end] if end < len(code) else []))
    return out


def dominators(blocks):
    """Of each block that is reached those that every way to it passes; a set is the bits of a number."""
    bit = {head: 1 << n for n, head in enumerate(sorted(blocks))}
    before = collections.defaultdict(list)
    reached, left = set(), [0]
    while left:
        head = left.pop()
        if head not in reached:
            reached.add(head)
            left += blocks[head][1]
            for s in blocks[head][1]:
                before[s].append(head)
    everything = sum(bit.values())
    dom = {head: everything if head else bit[0] for head in reached}
    changed = True
    while changed:
        changed = False
        for head in sorted(reached - {0}):
            new = everything
            for b in before[head]:
                new &= dom[b]
            new |= bit[head]
            changed, dom[head] = changed or new != dom[head], new
    return dom, bit, before


def loops_of(code, sm):
    """Natural loops, each the set of its instructions; a branch to itself behind the kernel is not reached."""
    blocks = blocks_of(code, sm)
    dom, bit, before = dominators(blocks)
    loops = collections.defaultdict(set)
    for latch in dom:
        for head in blocks[latch][1]:
            if not dom[latch] & bit[head]:
                continue
            body, left = {head}, [latch]
            while left:
                b = left.pop()
                if b not in body:
                    body.add(b)
                    left += before[b]
            loops[head] |= body
    return [frozenset(i for b in body for i in range(b, blocks[b][0])) for _, body in sorted(loops.items())]


def counts(code, which=None):
    return collections.Counter(ins.kind for i, ins in enumerate(code) if which is None or i in which)


def weight(code, loop):
    n = counts(code, loop)
    return n["matrix"], n["fma"] and n["fma"] + n["lds"] + n["ldg"], len(loop)


def busiest(kernel):
    weights = {loop: weight(kernel.code, loop) for loop in kernel.loops}
    first = next((k for k in range(3) if any(w[k] for w in weights.values())), 2)
    inner = [a for a in weights if not any(b < a and w[first] for b, w in weights.items())]
    return max(inner, key=weights.get, default=frozenset())


def kernels_of(path):
    with open(path, "rb") as f:
        found, flags = sections(f.read())
    parts, sizes = {n: d for n, d, _ in found}, {n: s for n, _, s in found}
    sm = flags >> 8 & 255
    if not 75 <= sm <= 90:
        raise Misread("sm_%d: there is a table for sm_75 to sm_90" % sm)
    used = registers(parts.get(".nv.info", b""), symbol_names(parts))
    for name, data in sorted(parts.items()):
        if name.startswith(".text."):
            code = decode(data, sm)
            check_branches(code, sm)
            yield Kernel(name[6:], sm, used.get(name[6:], 0), sizes.get(".nv.shared." + name[6:], 0), code,
                         loops_of(code, sm))


# ** what is printed **

def by_kind(n):
    order = [k for k, _ in KINDS] + ["unknown"]
    return " ".join("%s %d" % (k, n[k]) for k in order if n[k])


def unknown(kernel):
    found = collections.Counter(ins.opcode for ins in kernel.code if ins.kind == "unknown")
    return ", ".join("0x%03x x %d" % (code, n) for code, n in sorted(found.items()))


def share(n):
    """Of a loop's instructions those that compute, in percent: of matrices, or of floats where there are none."""
    return 100 * (n["matrix"] or n["fma"]) / max(sum(n.values()), 1)


def by_opcode(kernel, which):
    found = collections.Counter(ins.name if ins.kind != "move" or ins.name != "IMAD" else "IMAD.MOV"
                                for i, ins in enumerate(kernel.code) if i in which)
    return " ".join("%s %d" % pair for pair in found.most_common())


def show(kernel, verbose, every):
    whole, loop = counts(kernel.code), busiest(kernel)
    print("%s: sm_%d, %d registers, %d bytes of shared memory, %d instructions, %d loops" % (
        kernel.name[:120], kernel.sm, kernel.registers, kernel.shared, len(kernel.code), len(kernel.loops)))
    print("  all:  " + by_kind(whole))
    for some in (kernel.loops if every else [loop] if loop else []):
        n = counts(kernel.code, some)
        print("  loop: %d instructions, %.1f %% compute: %s" % (len(some), share(n), by_kind(n)))
        if verbose:
            print("        " + by_opcode(kernel, some))
    if unknown(kernel):
        print("  unknown: " + unknown(kernel))


# ** kernels that are compiled here **

def compiled(source, arch, folder):
    """The cubin, spilled bytes by ptxas; None, what the compiler says: it refuses."""
    out = os.path.join(folder, "kernel.cubin")
    command = ["nvcc", "-std=c++17", "-cubin", "-w", "-Xptxas"] if source.endswith(".cu") else ["ptxas"]
    r = subprocess.run(command + ["-v", "-arch=" + arch, "-o", out, source],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if r.returncode:
        return None, r.stdout.strip()[:600]
    spills = re.findall(r"(\d+) bytes spill stores, (\d+) bytes spill loads", r.stdout)
    used = re.findall(r"Used (\d+) registers", r.stdout)
    return out, (sum(int(a) + int(b) for a, b in spills), [int(n) for n in used])


HEAD = ("kernel", "target", "registers: counted", "nvcc", "spilled", "loop", "compute: counted", "SASS", "per product",
        "of the loop, by kind")


def cells(kernel):
    """Of the busiest loop: instructions, share, instructions for each of matrices, kinds; of all, where there is none."""
    loop = busiest(kernel)
    n = counts(kernel.code, loop or None)
    strange = "; unknown in all: " + unknown(kernel) if unknown(kernel) else ""
    if not loop:
        return "-", "-", "", "no loop; all: " + by_kind(n) + strange
    per = "%.2f" % (sum(n.values()) / n["matrix"]) if n["matrix"] else ""
    return str(sum(n.values())), "%.0f" % share(n), per, by_kind(n) + strange


def row(source, arch, folder):
    """A line of the table; a word where it cannot be had."""
    with open(source, encoding="utf-8") as f:
        said = re.match(r"// (.*); (\d+) registers and ([\d.]+) % of", f.readline())
    name, counted, computing = said.groups() if said else (os.path.basename(source), "", "")
    cubin, told = compiled(source, arch, folder)
    if not cubin:
        return (name, arch, counted, "refused: " + told, "", "", computing, "", "", "")
    kernel = next(kernels_of(cubin))
    if kernel.registers not in told[1]:
        raise Misread("%s: %d registers, but ptxas says %s" % (name, kernel.registers, told[1]))
    loop, computing_here, per, kinds = cells(kernel)
    return (name, arch, counted, str(kernel.registers), str(told[0]), loop, "-" if loop == "-" else computing,
            computing_here, per, kinds)


# ** CUDA C and PTX of one kernel **

BESIDE = ("kernel", "target", "registers: nvcc", "PTX", "spilled: nvcc", "PTX", "shared: nvcc", "PTX",
          "instructions: nvcc", "PTX", "loop: nvcc", "PTX", "of a product: nvcc", "PTX", "ratio", "mix: nvcc", "PTX")


def measured(source, arch, folder):
    """Registers, spilled bytes, bytes of shared memory that the text declares, instructions without padding; of the
    busiest loop, and for each that it does: of matrices, of floats, else loads; the mix of the loop, or of all. None: it
    is refused."""
    cubin, told = compiled(source, arch, folder)
    if not cubin:
        return None
    kernel = next(kernels_of(cubin))
    loop = busiest(kernel)
    n = counts(kernel.code, loop or None)
    nops = sum(ins.name == "NOP" or ins.kind == "pad" for ins in kernel.code)
    if not loop:
        n["control"] -= sum(ins.name == "NOP" for ins in kernel.code)
    pads = n.pop("pad", 0)
    per = sum(n.values()) / (n["matrix"] or max(n["fma"], n["ldg"], n["stg"], 1))
    return (kernel.registers, told[0], kernel.shared, len(kernel.code) - nops, len(loop) and len(loop) - pads, per,
            by_kind(n))


def beside(source, arch, folder):
    """A line of the table that compares a kernel's two texts, and the ratio of their instructions; None: refused."""
    with open(source, encoding="utf-8") as f:
        name = f.readline()[3:].split(";")[0]
    both = [measured(source[:-3] + end, arch, folder) for end in (".cu", ".ptx")]
    if None in both:
        return (name, arch) + ("refused",) * (len(BESIDE) - 2), None
    row = [name, arch]
    for a, b in list(zip(*both))[:5]:
        row += [str(a or "-"), str(b or "-")]
    ratio = both[1][5] / both[0][5]
    return tuple(row + ["%.2f" % both[0][5], "%.2f" % both[1][5], "%.3f" % ratio, both[0][6], both[1][6]]), ratio


def compare(folder, archs, page):
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for arch in archs:
            for source in sorted(glob.glob(os.path.join(folder, arch + "-*.cu"))):
                rows.append(beside(source, arch, scratch))
                print(" | ".join(rows[-1][0]), flush=True)
    with open(page, "w", encoding="utf-8") as f:
        f.write("| %s |\n|%s\n" % (" | ".join(BESIDE), "---|" * len(BESIDE)))
        f.writelines("| %s |\n" % " | ".join(r) for r, _ in rows)
    return not rows or any(ratio is None for _, ratio in rows)


def build(folder, archs, page):
    if not shutil.which("nvcc"):
        print("left out: there is no nvcc")
        return 0
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for arch in archs:
            for source in sorted(glob.glob(os.path.join(folder, arch + "-*.cu"))):
                rows.append(row(source, arch, scratch))
                print(" | ".join(rows[-1]), flush=True)
    if page:
        with open(page, "w", encoding="utf-8") as f:
            f.write("| %s |\n|%s\n" % (" | ".join(HEAD), "---|" * len(HEAD)))
            f.writelines("| %s |\n" % " | ".join(r) for r in rows)
    return not rows or any(r[3].startswith("refused") for r in rows)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("cubins", nargs="*")
    p.add_argument("-v", action="store_true")
    p.add_argument("-l", action="store_true")
    p.add_argument("--sources")
    p.add_argument("--arch", nargs="+", default=["sm_80", "sm_90"])
    p.add_argument("--write")
    p.add_argument("--beside")
    a = p.parse_args()
    try:
        for path in a.cubins:
            for kernel in kernels_of(path):
                show(kernel, a.v, a.l)
        if a.beside and shutil.which("nvcc"):
            return compare(a.sources, a.arch, a.beside)
        return build(a.sources, a.arch, a.write) if a.sources else 0
    except Misread as e:
        sys.exit("%s" % e)


if __name__ == "__main__":
    sys.exit(main())
