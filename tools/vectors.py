#!/usr/bin/env python3
"""Writes tests/vectors/: what PyTorch and NumPy give for every operator, dtype and shape, with gradients.

  tools/vectors.py [room ..]        the rooms named, or all; needs PyTorch (Debian: apt install python3-torch,
                                    then /usr/bin/python3 tools/vectors.py)

A room is a table tools/vectors/<room>.py of lines op(..); from it come <room>.inc, the operators as C functions, and
<room>.bin, the cases. tests/test_vectors.c runs them. Values of floats are computed in float64 from the rounded inputs, then
rounded to the dtype of the result; gradients are those of sum(out * w), w[i] = ((7i + 3) mod 11 - 5) / 4.
A case in <room>.bin, little-endian: u16 operator, u8 inputs, u8 outputs, u32 bits of inputs with gradients, f32 tolerance, then
the inputs, outputs and gradients, each u8 dtype, u8 dims, u32 per dim, the elements.
"""
import hashlib, os, runpy, struct, sys, warnings
import numpy as np
import torch
import torch.nn.functional as F

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FROM, TO = os.path.join(ROOT, "tools/vectors"), os.path.join(ROOT, "tests/vectors")

# ** dtypes, by the names of tiny.h **

TORCH = {"bool": torch.bool, "i8": torch.int8, "u8": torch.uint8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64,
         "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64}
NAME = {v: k for k, v in TORCH.items()}
WIDER = {"u16": "i32", "u32": "i64", "u64": "i64", "f8e4m3": "f64", "f8e5m2": "f64"}      # what PyTorch 1.13 lacks is computed in
FLOATS, INTS, BOOLS = ["f16", "bf16", "f32", "f64"], ["i8", "u8", "i16", "i32", "i64"], ["bool"]
FP8, UNSIGNED = ["f8e4m3", "f8e5m2"], ["u16", "u32", "u64"]
ALL = BOOLS + INTS + FLOATS
LIMITS = {"i8": (-128, 127), "u8": (0, 255), "u16": (0, 65535), "u32": (0, 2**32 - 1)}
def is_float(d): return d[0] in "fb" and d != "bool"

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
            return dtype, rounded(torch.as_tensor(self.values, dtype=torch.float64 if is_float(dtype) else torch.int64), dtype)
        n = int(np.prod(self.dims)) if self.dims else 1
        if dtype == "bool":
            x = rng.integers(0, 2, n)
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

def result_dtypes(python, dtypes, inputs, result):
    if result is not None:
        r = result(*dtypes) if callable(result) else result
        return list(r) if isinstance(r, (tuple, list)) else [r]
    def run(halves):
        return [NAME[y.dtype] for y in several(python(*[x.float() if halves and d in ("f16", "bf16") else x for x, d in zip(inputs, dtypes)]))]
    try:
        return run(False)
    except RuntimeError:                                  # PyTorch has no such half on the CPU: f32 tells the kind
        kinds = {d for d in dtypes if is_float(d)}
        if len(kinds) != 1: raise
        return [next(iter(kinds)) if d == "f32" else d for d in run(True)]

def case_values(python, dtypes, inputs, grad, result):
    wanted = result_dtypes(python, dtypes, inputs, result)
    leaves = [x.double().requires_grad_(grad) if is_float(d) else x for x, d in zip(inputs, dtypes)]
    if not any(map(is_float, dtypes)) and any(map(is_float, wanted)):
        try: outs = several(python(*[x.double() for x in inputs]))
        except RuntimeError: outs = several(python(*inputs))
    else:
        outs = several(python(*leaves))
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

def write_room(room):
    table.clear()
    torch.manual_seed(0)
    runpy.run_path(os.path.join(FROM, room + ".py"))
    functions, rows, data, known, cases = [], [], [], {}, 0
    for c_name, c, python, input_sets, dtypes, grad, tol, result in table:
        body = c.format(*("in[%d]" % i for i in range(9))) if "{0}" in c or "{1}" in c else c
        body = body if "return" in body else "out[0] = %s; return 1;" % body
        if body not in known:
            known[body] = len(rows)
            functions.append("static int %s_%d(tiny_ctx *t, tiny_tensor **in, tiny_tensor **out) { (void)t; (void)in; %s }" % (room, len(rows), body))
            rows.append('  {"%s", %s_%d},' % (c_name, room, len(rows)))
        for set_number, input_set in enumerate(input_sets):
            fixed = input_set and all(i.dtype for i in input_set) or not input_set
            for dtype in dtypes[:1] if fixed else dtypes:
                seed = hashlib.sha256(("%s %d %s" % (body, set_number, dtype)).encode()).digest()
                rng = np.random.default_rng(list(seed))
                made = [i.make(dtype, rng) for i in input_set]
                in_dtypes, inputs = [d for d, _ in made], [x for _, x in made]
                back = bool(grad) and set(d for d in in_dtypes if is_float(d)) <= {"f32", "f64"} and any(map(is_float, in_dtypes))
                try:
                    outs, grads = case_values(python, in_dtypes, inputs, back, result)
                except Exception as e:
                    sys.exit("vectors: %s: %s %s %s: %s: %s" % (room, c, in_dtypes, [tuple(x.shape) for x in inputs], type(e).__name__, e))
                bits = sum(1 << i for i, g in enumerate(grads) if g is not None)
                data.append(struct.pack("<HBBIf", known[body], len(inputs), len(outs), bits, tol))
                data += [tensor(d, x) for d, x in zip(in_dtypes, inputs)] + [tensor(d, y) for d, y in outs]
                data += [tensor(d, rounded(g, d)) for d, g in zip(in_dtypes, grads) if g is not None]
                cases += 1
    with open(os.path.join(TO, room + ".inc"), "w") as f:
        f.write("// Written by tools/vectors.py from tools/vectors/%s.py with PyTorch %s; do not edit.\n" % (room, torch.__version__.split("a")[0]))
        f.write("\n".join(functions) + "\nstatic const vector_op %s_ops[] = {\n" % room + "\n".join(rows) + "\n};\n")
    with open(os.path.join(TO, room + ".bin"), "wb") as f:
        f.write(b"".join(data))
    print("%-14s %4d operators %6d cases %9d bytes" % (room, len({r.split('"')[1] for r in rows}), cases, sum(map(len, data))))

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
    for name in sys.argv[1:] or sorted(n[:-3] for n in os.listdir(FROM) if n.endswith(".py")):
        write_room(name)
    write_index()
