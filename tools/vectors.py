#!/usr/bin/env python3
"""Writes tests/vectors/: what PyTorch and NumPy give for every operator, dtype and shape, with gradients.

  tools/vectors.py [--coverage] [room ..]   the rooms named, or all; needs PyTorch (Debian: apt install python3-torch,
                                    then /usr/bin/python3 tools/vectors.py) and cc. --coverage prints which operator has
                                    values (v) and gradients (g) of which dtype, and what it refuses (.)

A room is a table tools/vectors/<room>.py of lines op(..); from it come <room>.inc, the operators as C functions, and
<room>.bin, the cases. Each operator gets, besides the cases of its lines, one of every dtype and kind of shape that no line has: tiny.h says
which of these it refuses (tools/vectors/accepts.c), PyTorch and NumPy what they give. tests/test_vectors.c runs them. Values of floats are computed in float64 from the rounded inputs, then
rounded to the dtype of the result; gradients are those of sum(out * w), w[i] = ((7i + 3) mod 11 - 5) / 4.
A case in <room>.bin, little-endian: u16 operator, u8 inputs, u8 outputs, u32 bits of inputs with gradients, f32 tolerance (below 0: signs of
zero count as well, and each value for itself), then
the inputs, outputs and gradients, each u8 dtype, u8 dims, u32 per dim, the elements.
"""
import copy, hashlib, os, runpy, struct, subprocess, sys, warnings
import numpy as np
import torch
import torch.nn.functional as F

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FROM, TO = os.path.join(ROOT, "tools/vectors"), os.path.join(ROOT, "tests/vectors")

# ** dtypes, by the names of tiny.h **

TORCH = {"bool": torch.bool, "i8": torch.int8, "u8": torch.uint8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64,
         "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64}
NAME = {v: k for k, v in TORCH.items()}
WIDER = {"u16": "i64", "u32": "i64", "u64": "i64", "f8e4m3": "f64", "f8e5m2": "f64"}      # what PyTorch 1.13 lacks is computed in
FLOATS, INTS, BOOLS = ["f16", "bf16", "f32", "f64"], ["i8", "u8", "i16", "i32", "i64"], ["bool"]
FP8, UNSIGNED = ["f8e4m3", "f8e5m2"], ["u16", "u32", "u64"]
ALL = BOOLS + INTS + FLOATS
EVERY = BOOLS + ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"] + FP8 + FLOATS
LIMITS = {"i8": (-128, 127), "u8": (0, 255), "u16": (0, 65535), "u32": (0, 2**32 - 1)}
def is_float(d): return d[0] in "fb" and d != "bool"
def real(*d): return d[0] if is_float(d[0]) else "f32"    # the result of functions of real numbers

def fp8(x, dtype):
    """The codes of x in an fp8 dtype, to nearest even. e4m3 has no infinity: beyond its range is NaN, as in PyTorch."""
    mantissa, bias, top = (3, 7, 448.0) if dtype == "f8e4m3" else (2, 15, 57344.0)
    codes = np.arange(128)
    e, m = codes >> mantissa, codes & ((1 << mantissa) - 1)
    values = np.where(e == 0, m * 2.0 ** (1 - bias - mantissa), (m + 2.0 ** mantissa) * 2.0 ** (e - bias - mantissa))
    grid = values[values <= top]
    x = np.asarray(x, np.float64)
    a = np.where(np.isnan(x), 0, np.minimum(np.abs(x), 1e30))
    above = np.clip(np.searchsorted(grid, a), 1, len(grid) - 1)
    low, high = grid[above - 1], grid[above]
    up = (a - low > high - a) | ((a - low == high - a) & ((above & 1) == 0))
    code = np.where(up, above, above - 1)
    over = a >= top + (grid[-1] - grid[-2]) / 2          # halfway to the next power rounds up, to even
    if dtype == "f8e4m3": over = a > 464
    code = np.where(over, 0x7F if dtype == "f8e4m3" else 0x7C, code)
    code = np.where(np.isnan(x), 0x7F, code) | np.where(np.signbit(x), 0x80, 0)
    return code.astype(np.uint8), values
def fp8_values(codes, dtype):
    values = fp8(np.zeros(1), dtype)[1].copy()
    if dtype == "f8e4m3": values[0x7F] = np.nan
    else: values[0x7C], values[0x7D:] = np.inf, np.nan
    return np.where(codes & 0x80, -1, 1) * values[codes & 0x7F]

def rounded(x, dtype):
    """x as a torch tensor whose values the dtype holds."""
    if dtype in FP8: return torch.from_numpy(np.array(fp8_values(fp8(x.detach().double().numpy(), dtype)[0], dtype), np.float64)).reshape(x.shape)
    if dtype in WIDER: return x.to(TORCH[WIDER[dtype]])
    return x.to(TORCH[dtype])

def raw(x, dtype):
    x = x.detach().contiguous()
    if dtype in FP8: return fp8(x.double().numpy(), dtype)[0].tobytes()
    if dtype == "bf16": return x.bfloat16().view(torch.int16).numpy().tobytes()
    if dtype in UNSIGNED: return x.numpy().astype({"u16": "<u2", "u32": "<u4", "u64": "<u8"}[dtype]).tobytes()
    return x.to(TORCH[dtype]).numpy().tobytes()

# ** tables **

class T:
    """An input: dims, and how it is filled. Random floats are multiples of 1/32 in [lo, hi), so that sums are exact."""
    def __init__(self, *dims, lo=-3, hi=3, dtype=None, distinct=False, values=None):
        self.dims, self.lo, self.hi, self.dtype, self.distinct, self.values = dims, lo, hi, dtype, distinct, values

    def make(self, dtype, rng):
        dtype = self.dtype or dtype
        if self.values is not None:
            x = torch.as_tensor(self.values, dtype=torch.float64 if is_float(dtype) else torch.int64)
            return dtype, rounded(x.abs() if dtype in UNSIGNED else x, dtype)
        n = int(np.prod(self.dims)) if self.dims else 1
        if dtype == "bool":
            x = rng.integers(0, 2, n)
        elif self.distinct and dtype in FP8:
            x = rng.permutation(n) - n // 2
            x = fp8_values(np.abs(x) + (0x28 if dtype == "f8e4m3" else 0x34), dtype) * np.where(x < 0, -1, 1)   # an octave has 8, or 4
        elif self.distinct:
            x = rng.permutation(n) - n // 2
            if is_float(dtype): x = x / (8 if n < 128 else 32)
            elif dtype[0] == "u": x = x + n // 2
        elif is_float(dtype):
            x = np.floor(rng.uniform(self.lo * 32, self.hi * 32, n)) / 32
        else:
            low, high = int(np.ceil(self.lo)), int(np.ceil(self.hi))
            least, most = LIMITS.get(dtype, (0, 2**63 - 1) if dtype[0] == "u" else (-2**31, 2**31 - 1))
            x = rng.integers(max(low, least), max(min(high, most + 1), max(low, least) + 1), n)
        return dtype, rounded(torch.from_numpy(np.asarray(x)).reshape(self.dims), dtype)

ONES = [T(), T(5), T(3, 4), T(0, 3), T(2, 1, 7)]
PAIRS = [(T(3, 4), T(3, 4)), (T(2, 1, 5), T(3, 1)), (T(), T(4)), (T(), T()), (T(0, 3), T(1, 3)), (T(7), T(7))]

table = []
def op(c_name, c, python, inputs, dtypes=("f32",), grad=True, tol=4, result=None):
    """A line of a table. dtypes: those that inputs without one take in turn. result: a dtype or function of the inputs' dtypes."""
    table.append((c_name, c, python, [i if isinstance(i, tuple) else (i,) for i in inputs], list(dtypes), grad, tol, result))

# ** values **

def several(x): return list(x) if isinstance(x, (tuple, list)) else [x]

def result_dtypes(python, dtypes, inputs, result, told):
    if result is not None:
        r = result(*dtypes) if callable(result) else result
        return list(r) if isinstance(r, (tuple, list)) else [r]
    def run(as_float):
        return [NAME[y.dtype] for y in several(python(*[x.float() if as_float(d) else x for x, d in zip(inputs, dtypes)]))]
    kinds, alone = {d for d in dtypes if is_float(d)}, set(dtypes) & set(WIDER)
    def named(d): return next(iter(alone)) if len(alone) == 1 and d == WIDER[next(iter(alone))] else d
    try:
        return [named(d) for d in run(lambda d: False)]
    except (RuntimeError, TypeError):                     # PyTorch has no such half on the CPU: f32 tells the kind
        if not kinds: return told                         # or no such integers: then tiny.h's rules are all there is
        if len(kinds) != 1: raise
        return [next(iter(kinds)) if d == "f32" else d for d in run(lambda d: d in ("f16", "bf16"))]

def case_values(python, dtypes, inputs, grad, result, told):
    wanted = result_dtypes(python, dtypes, inputs, result, told)
    leaves = [x.double().requires_grad_(grad) if is_float(d) else x for x, d in zip(inputs, dtypes)]
    if any(map(is_float, dtypes)):
        outs = several(python(*leaves))
    else:                                                 # PyTorch lacks some functions of integers, tables index with them
        ways = [inputs, [x.double() for x in inputs]]
        if any(map(is_float, wanted)): ways.reverse()
        try: outs = several(python(*ways[0]))
        except (RuntimeError, TypeError): outs = several(python(*ways[1]))
    if len(outs) != len(wanted): raise ValueError("%d outputs, %d dtypes" % (len(outs), len(wanted)))
    loss, grads = None, [None] * len(inputs)
    for k, y in enumerate(outs):
        if grad and y.requires_grad:
            i = torch.arange(y.numel(), dtype=torch.int64) + 3 * k
            part = (y.double().reshape(-1) * (((7 * i + 3) % 11 - 5) / 4.0)).sum()
            loss = part if loss is None else loss + part
    if loss is not None:
        which = [i for i, d in enumerate(dtypes) if is_float(d)]
        for i, g in zip(which, torch.autograd.grad(loss, [leaves[i] for i in which], allow_unused=True)):
            grads[i] = torch.zeros_like(leaves[i]) if g is None else g
    return [(d, rounded(y, d)) for d, y in zip(wanted, outs)], grads

# What stands for a dtype in a case; tests/test_vectors.c has the same list.
CODES = ["void", "bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f32", "f64", "f8e4m3", "f8e5m2"]

def tensor(dtype, x):
    return struct.pack("<BB%dI" % x.dim(), CODES.index(dtype), x.dim(), *x.shape) + raw(x, dtype)

class Room:
    """The table of a room as C functions and cases."""
    def __init__(self, name):
        table.clear()
        torch.manual_seed(0)
        runpy.run_path(os.path.join(FROM, name + ".py"))
        self.name, self.lines, self.rows, self.functions, self.data, self.numbers, self.cases = name, list(table), [], [], [], {}, 0
        self.covered, self.kinds, self.refused = {}, {}, {}
        for line in self.lines: self.number_of(line)

    def number_of(self, line):
        c_name, c = line[:2]
        body = c.format(*("in[%d]" % i for i in range(9))) if "{0}" in c or "{1}" in c else c
        body = body if "return" in body else "out[0] = %s; return 1;" % body
        if body not in self.numbers:
            n = self.numbers[body] = len(self.rows)
            self.functions.append("static int %s_%d(tiny_ctx *t, tiny_tensor **in, tiny_tensor **out) { (void)t; (void)in; %s }" % (self.name, n, body))
            self.rows.append('  {"%s", %s_%d},' % (c_name, self.name, n))
        return self.numbers[body], body

    def inputs(self, line, which, input_set, dtype):
        seed = hashlib.sha256(("%s %s %s" % (self.number_of(line)[1], which, dtype)).encode()).digest()
        rng = np.random.default_rng(list(seed))
        made = [i.make(dtype, rng) for i in input_set]
        return [d for d, _ in made], [x for _, x in made]

    def case(self, line, dtype, in_dtypes, inputs, back, told=()):
        c_name, c, python, _, _, _, tol, result = line
        outs, grads = case_values(python, in_dtypes, inputs, back, result, told)
        bits = sum(1 << i for i, g in enumerate(grads) if g is not None)
        self.cases += 1
        self.data.append(self.head(line, inputs, len(outs), bits))
        self.data += [tensor(d, x) for d, x in zip(in_dtypes, inputs)] + [tensor(d, y) for d, y in outs]
        self.data += [tensor(d, rounded(g, d)) for d, g in zip(in_dtypes, grads) if g is not None]
        has, kinds = self.covered.setdefault(c_name, {}), self.kinds.setdefault(c_name, set())
        dtype = dtype or outs[0][0]
        has[dtype] = max(has.get(dtype, "v"), "g" if bits else "v", key="vg".index)
        for x in inputs: kinds |= {"0" if x.dim() == 0 else "e" if x.numel() == 0 else "o" if any(d % 2 and d > 1 for d in x.shape) else ""}

    def head(self, line, inputs, nout, bits):
        return struct.pack("<HBBIf", self.number_of(line)[0], len(inputs), nout, bits, line[6])

    def table_cases(self):
        for line in self.lines:
            c_name, c, python, input_sets, dtypes, grad, tol, result = line
            for which, input_set in enumerate(input_sets):
                fixed = input_set and all(i.dtype for i in input_set) or not input_set
                for dtype in dtypes[:1] if fixed else dtypes:
                    in_dtypes, inputs = self.inputs(line, which, input_set, dtype)
                    back = bool(grad) and set(d for d in in_dtypes if is_float(d)) <= {"f32", "f64"} and any(map(is_float, in_dtypes))
                    try:
                        self.case(line, in_dtypes[0] if fixed and input_set else None if fixed else dtype, in_dtypes, inputs, back)
                    except Exception as e:
                        sys.exit("vectors: %s: %s %s %s: %s: %s" % (self.name, c, in_dtypes, [tuple(x.shape) for x in inputs], type(e).__name__, e))

    def missing(self):
        """[(operator, dtype or "0-d" or "empty", [(line, in_dtypes, inputs)])]: what no line has, and what may stand for it."""
        result = []
        for c_name in dict.fromkeys(line[0] for line in self.lines):
            sets = [(line, which, s) for line in self.lines if line[0] == c_name and line[6] > 0 for which, s in enumerate(line[3]) if s and not all(i.dtype for i in s)]
            sets.sort(key=lambda s: (sum(max(1, int(np.prod(i.dims))) for i in s[2]) == len(s[2]), not s[0][5], any(0 in i.dims for i in s[2]), any(i.values is not None for i in s[2])))
            for dtype in EVERY if sets else []:
                want = "g" if is_float(dtype) and any(s[0][5] for s in sets) else "v"
                if self.covered[c_name].get(dtype, "") in ("g", want): continue
                made = []
                for line, which, s in ([s for s in sets if not is_float(dtype) or any(map(is_float, s[0][4]))] or sets)[:6]:
                    if not is_float(dtype) and any(i.values is not None and not i.dtype and not np.isfinite(np.asarray(i.values, np.float64)).all() for i in s): continue
                    made.append((line,) + self.inputs(line, which, s, dtype))
                if made: result.append((c_name, dtype, made))
            for kind in "0e" if sets else "":
                made = [] if kind in self.kinds[c_name] else [self.shaped(s[0], s[2], kind) for s in sets[:6]]
                made = [m for m in made if m]
                if made: result.append((c_name, "0-d" if kind == "0" else "empty", made))
        return result

    def shaped(self, line, input_set, kind):
        """The line with inputs of no dims, or of none in the first; None where PyTorch has no such thing."""
        free = [i for i in input_set if not i.dtype and i.values is None]
        if not free or (kind == "e" and not free[0].dims): return None
        first, made = free[0].dims, []
        for i in input_set:
            i = copy.copy(i)
            if kind == "0" and i.values is None and not i.dtype: i.dims = ()
            if kind == "e" and i.values is None and len(i.dims) == len(first) and i.dims[0] == first[0]: i.dims = (0,) + i.dims[1:]
            made.append(i)
        in_dtypes, inputs = self.inputs(line, kind, made, "f32" if "f32" in line[4] else line[4][0])
        try: case_values(line[2], in_dtypes, inputs, False, line[7], [])
        except Exception: return None
        return line, in_dtypes, inputs

    def probe(self, missing):
        return b"".join(self.head(line, inputs, 0, 0) + b"".join(tensor(d, x) for d, x in zip(in_dtypes, inputs)) for _, _, made in missing for line, in_dtypes, inputs in made[:1])

    def fill(self, missing, answers):
        for (c_name, dtype, made), answer in zip(missing, answers):
            if not answer.startswith("ok"):
                self.refused.setdefault(c_name, {})[dtype] = answer
                continue
            why = None
            for back, (line, in_dtypes, inputs) in [(back, m) for back in (True, False) for m in made]:
                try:
                    self.case(line, dtype, in_dtypes, inputs, back and bool(line[5]) and any(map(is_float, in_dtypes)), answer.split()[1:])
                    break
                except Exception as e: why = why or str(e).split("\n")[0]
            else: print("vectors: nothing to compare %s of %s with: %s" % (c_name, dtype, why))

    def write(self):
        with open(os.path.join(TO, self.name + ".bin"), "wb") as f:
            f.write(b"".join(self.data))
        print("%-14s %4d operators %6d cases %9d bytes" % (self.name, len(self.covered), self.cases, sum(map(len, self.data))))

    def write_functions(self):
        with open(os.path.join(TO, self.name + ".inc"), "w") as f:
            f.write("// Written by tools/vectors.py from tools/vectors/%s.py with PyTorch %s; do not edit.\n" % (self.name, torch.__version__.split("a")[0]))
            f.write("\n".join(self.functions) + "\nstatic const vector_op %s_ops[] = {\n" % self.name + "\n".join(self.rows) + "\n};\n")

    def print_coverage(self):
        for c_name, has in self.covered.items():
            refused = self.refused.get(c_name, {})
            print("%-40s %s  %s" % (c_name, " ".join("%-6s" % (has.get(d) or ("." if d in refused else "-")) for d in EVERY), "".join(sorted(self.kinds[c_name]))))
            for d, why in refused.items(): print("    %s: %s" % (d, why))

def ask(rooms, missing):
    """What tiny.h says to the cases that are missing: for each "ok" and the dtypes of the results, or its error."""
    where = os.path.join(ROOT, "build/vectors")
    os.makedirs(where, exist_ok=True)
    subprocess.run(["cc", "-std=c11", "-w", os.path.join(FROM, "accepts.c"), "-o", where + "/accepts", "-lm", "-lpthread"], check=True)
    answers = []
    for room, lacks in zip(rooms, missing):
        if not lacks:
            answers.append([])
            continue
        with open(where + "/lacks.bin", "wb") as f: f.write(room.probe(lacks))
        said = subprocess.run([where + "/accepts", room.name, where + "/lacks.bin"], check=True, stdout=subprocess.PIPE, text=True)
        answers.append(said.stdout.splitlines())
    return answers

def write_index():
    rooms = sorted(n[:-4] for n in os.listdir(TO) if n.endswith(".bin"))
    with open(os.path.join(TO, "rooms.inc"), "w") as f:
        f.write("// Written by tools/vectors.py; do not edit.\n" + "".join('#include "%s.inc"\n' % r for r in rooms))
        f.write("static const vector_room rooms[] = {\n" + "".join('  {"%s", %s_ops, sizeof %s_ops / sizeof *%s_ops},\n' % (r, r, r, r) for r in rooms) + "};\n")

if __name__ == "__main__":
    sys.modules["vectors"] = sys.modules["__main__"]      # tables import this very module
    sys.path.insert(0, FROM)
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    names = [a for a in sys.argv[1:] if a != "--coverage"]
    rooms = [Room(name) for name in names or sorted(n[:-3] for n in os.listdir(FROM) if n.endswith(".py"))]
    for room in rooms: room.write_functions()
    write_index()
    for room in rooms: room.table_cases()
    missing = [room.missing() for room in rooms]
    for room, lacks, answers in zip(rooms, missing, ask(rooms, missing)):
        room.fill(lacks, answers)
        room.write()
        if "--coverage" in sys.argv: room.print_coverage()
