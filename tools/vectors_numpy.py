#!/usr/bin/python3
"""Writes tests/vectors/numpy.inc: what numpy makes of random tensor graphs, to hold the reference interpreter against.

  tools/vectors_numpy.py > tests/vectors/numpy.inc       needs numpy; the result is checked in, tests do not need it

Only operations with one right answer are used (no transcendentals, sums of integers only), so tests compare bytes.
"""
import sys

import numpy as np

SEED, GRAPHS, STEPS = 20240511, 64, 7
DTYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "i32": np.int32, "u8": np.uint8, "i8": np.int8,
          "i16": np.int16, "u32": np.uint32, "i64": np.int64}
FLOATS = ("f16", "f32", "f64")


class Graph:
    def __init__(self, rng):
        self.rng, self.lines = rng, []
        self.dtype = str(rng.choice(list(DTYPES)))
        shape = [int(rng.integers(1, 5)) for _ in range(int(rng.integers(1, 4)))]
        self.input = rng.integers(0, 20, size=shape).astype(DTYPES[self.dtype])
        if self.dtype in FLOATS:
            self.input = (self.input / DTYPES[self.dtype](4) - DTYPES[self.dtype](2)).astype(DTYPES[self.dtype])
        self.value, self.exact = self.input, True
        self.line("(RESHAPE (BUFFER:%s:#9001 %d) [%s])" % (self.dtype, self.input.size, join(shape)))

    def line(self, text):
        self.lines.append("v%d = %s" % (len(self.lines), text))

    @property
    def x(self):
        return "v%d" % (len(self.lines) - 1)

    def permute(self):
        axes = [int(a) for a in self.rng.permutation(self.value.ndim)]
        self.value = self.value.transpose(axes)
        self.line("(PERMUTE %s [%s])" % (self.x, join(axes)))

    def flip(self):
        axes = [a for a in range(self.value.ndim) if self.rng.integers(2)] or [0]
        self.value = np.flip(self.value, axes)
        self.line("(FLIP:%s:axes=%s %s)" % (self.dtype, ",".join(map(str, axes)), self.x))

    def pad(self):
        amount = [(int(self.rng.integers(3)), int(self.rng.integers(2))) for _ in self.value.shape]
        if self.value.size > 60:
            return
        self.value = np.pad(self.value, amount)
        self.line("(PAD %s [%s])" % (self.x, join(a for pair in amount for a in pair)))

    def shrink(self):
        bounds = [(b, int(self.rng.integers(b, d)) + 1) for d in self.value.shape for b in [int(self.rng.integers(d))]]
        self.value = self.value[tuple(slice(b, e) for b, e in bounds)]
        self.line("(SHRINK %s [%s])" % (self.x, join(a for pair in bounds for a in pair)))

    def reshape(self):
        n, shape = self.value.size, []
        for d in range(2, n + 1):
            while n % d == 0 and len(shape) < 4:
                shape.append(d)
                n //= d
        shape = [int(a) for a in self.rng.permutation(shape + ([n] if n > 1 else []))] or [1]
        self.value = self.value.reshape(shape)
        self.line("(RESHAPE %s [%s])" % (self.x, join(shape)))

    def expand(self):
        shape = [int(self.rng.integers(1, 4)) if d == 1 else d for d in self.value.shape]
        self.value = np.broadcast_to(self.value, shape)
        self.line("(EXPAND %s [%s])" % (self.x, join(shape)))

    def reduce(self):
        axes = tuple(a for a in range(self.value.ndim) if self.rng.integers(2))
        if not axes:
            return
        op = "MAX" if self.dtype in FLOATS else str(self.rng.choice(["ADD", "MAX", "MUL"]))
        fn = {"ADD": np.add, "MAX": np.maximum, "MUL": np.multiply}[op]
        self.value = fn.reduce(self.value, axis=axes, keepdims=True, dtype=DTYPES[self.dtype])
        self.line("(REDUCE:%s:%s:axes=%s %s)" % (self.dtype, op, ",".join(map(str, axes)), self.x))

    def binary(self):
        c = DTYPES[self.dtype](int(self.rng.integers(1, 9)))
        ops = {"ADD": np.add, "MUL": np.multiply, "MAX": np.maximum}
        ops.update({"FDIV": np.true_divide} if self.dtype in FLOATS else
                   {"IDIV": np.floor_divide, "MOD": np.remainder, "AND": np.bitwise_and, "XOR": np.bitwise_xor})
        op = str(self.rng.choice(list(ops)))
        self.value = ops[op](self.value, c).astype(DTYPES[self.dtype])
        self.line("(%s %s %s:%s)" % (op, self.x, c, self.dtype))

    def itself(self):
        self.value = (self.value * self.value).astype(DTYPES[self.dtype])
        self.line("(MUL %s (CONTIGUOUS %s))" % (self.x, self.x))

    def where(self):
        c = DTYPES[self.dtype](int(self.rng.integers(1, 9)))
        self.value = np.where(self.value < c, self.value, c * c)
        self.line("(WHERE (LT %s %s:%s) %s %s:%s)" % (self.x, c, self.dtype, self.x, c * c, self.dtype))

    def cast(self):
        to = str(self.rng.choice(list(DTYPES)))
        if self.dtype in FLOATS and to not in FLOATS and (np.abs(self.value.astype(np.float64)) > 100).any():
            return                                    # numpy does not say what casts out of range give
        if self.dtype in FLOATS and to[0] == "u" and (self.value < 0).any():
            return
        self.value = self.value.astype(DTYPES[to])
        self.dtype = to
        self.line("(CAST:%s %s)" % (to, self.x))

    def step(self):
        moves = [self.permute, self.flip, self.pad, self.shrink, self.reshape, self.expand, self.reduce, self.binary,
                 self.binary, self.itself, self.where, self.cast]
        moves[int(self.rng.integers(len(moves)))]()


def join(numbers):
    return " ".join(str(n) for n in numbers)


def octets(array):
    data = np.ascontiguousarray(array).tobytes()
    return "".join("\\%03o" % b for b in data), len(data)


def main():
    rng = np.random.default_rng(SEED)
    np.seterr(all="ignore")
    print("// Written by tools/vectors_numpy.py with numpy %s; do not edit." % np.__version__)
    print("static const struct { uint32_t f32; uint16_t f16; } vector_f16[] = {")
    bits = np.concatenate([rng.integers(0x32000000, 0x48000000, 200), rng.integers(0x33000000, 0x39000000, 100),
                           [0, 0x80000000, 0x477FEFFF, 0x477FF000, 0x477FEFFE, 0x33000000, 0x33000001, 0x387FE000, 0x387FF000,
                            0x7F800000, 0xFF800000, 0x7F7FFFFF, 0x3F801000, 0x3F803000, 0x3F801001]]).astype(np.uint32)
    halves = bits.view(np.float32).astype(np.float16).view(np.uint16)
    for i in range(0, len(bits), 8):
        print("  " + " ".join("{0x%08X,0x%04X}," % (b, h) for b, h in zip(bits[i:i + 8], halves[i:i + 8])))
    print("};\n")
    print("static const struct vector_graph { const char *text; int nbytes; const char *in, *out; } vector_graphs[] = {")
    done = 0
    while done < GRAPHS:
        g = Graph(rng)
        for _ in range(STEPS):
            g.step()
        if g.value.size > 120 or len(g.lines) < 4:
            continue
        if g.dtype in FLOATS and np.isnan(g.value).any():
            continue
        out, nbytes = octets(g.value)
        print('  {"%s",\n   %d, "%s",\n   "%s"},' % ("\\n\"\n   \"".join(g.lines), nbytes, octets(g.input)[0], out))
        done += 1
    print("};")


if __name__ == "__main__":
    sys.exit(main())
