#!/usr/bin/env python3
"""look: tensors are written as NumPy writes arrays, to the character: every dtype that both have, values of all sizes and
edges, shapes, and options. bf16 and the kinds of f8, which NumPy lacks, are read back by their own digits. Graphs are JSON
that Python reads, and text that Graphviz takes where it is installed.

  tests/test_look.py [-v] [SEED]        -v: how many cases of each dtype"""
import collections
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
for python in ("python3", "/usr/bin/python3"):
    try:
        import numpy as np
        break
    except ImportError:
        if os.path.realpath(sys.executable) != os.path.realpath(python) and os.path.exists("/usr/bin/python3"):
            os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
        print("0 passed, 1 failed")
        sys.exit("NumPy is missing")

# A line of numbers for each case: dtype, precision, threshold, edge, width, suppress, how it lies (1: the memory has the
# dims backwards, 2: it is computed), dims; then its bytes as hexadecimal text. Prints each, ended by a line of =.
PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tiny.h"
static unsigned char data[1 << 24];
static char text[1 << 24];
static tiny_tensor *as(tiny_ctx *t, int lies, int dtype, tiny_shape s) {
  tiny_shape back = s, axes = s;
  for (int i = 0; i < s.ndim; i++) { back.dim[i] = s.dim[s.ndim - 1 - i]; axes.dim[i] = s.ndim - 1 - i; }
  if (lies == 1) return tiny_permute(tiny_from(t, data, (tiny_dtype)dtype, back), axes);
  tiny_tensor *x = tiny_from(t, data, (tiny_dtype)dtype, s);
  return lies == 2 ? tiny_where(tiny_ones(t, TINY_BOOL, TINY_SHAPE()), x, x) : x;
}
static int graphs(tiny_ctx *t) {
  tiny_tensor *x = tiny_from(t, data, TINY_F32, TINY_SHAPE(4, 6)), *w = tiny_from(t, data, TINY_F32, TINY_SHAPE(6, 6)), *g[2], *of[2];
  tiny_tensor *n = tiny_length(t, 2, 0, 4), *y = tiny_softmax(tiny_matmul(tiny_slice_to(x, 0, n), w), -1);
  of[0] = x; of[1] = w;
  tiny_grad(tiny_sum(tiny_square(y), TINY_ALL, 0), of, 2, g);
  tiny_tensor *all[] = {y, g[0], g[1], tiny_sort(x, 0, 0, NULL), tiny_full(t, -0.0, TINY_F16, TINY_SHAPE()), tiny_flip(x, TINY_SHAPE(0, 1)),
                        tiny_rand(t, TINY_SHAPE(3)), tiny_assign(tiny_shrink(w, TINY_SHAPE(0, 2, 0, 6)), tiny_like(w, 1)), tiny_full(t, 1.0 / 0.0, TINY_F32, TINY_SHAPE(2))};
  enum { N = sizeof all / sizeof *all };
  for (int i = 0; i <= N; i++) {
    tiny_tensor *const *some = i < N ? &all[i] : all;
    tiny_graph_json(some, i < N ? 1 : N, text, sizeof text);
    printf("%s\n=\n", text);
    tiny_graph_dot(some, i < N ? 1 : N, text, sizeof text);
    printf("%s\n=\n", text);
  }
  if (tiny_status(t)) puts(tiny_error(t));
  tiny_close(t);
  return 0;
}
int main(int argc, char **argv) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "INTERP";
  tiny_ctx *t = tiny_open(&d);
  if (argc > 1 && !strcmp(argv[1], "graphs")) return graphs(t);
  int dtype, precision, edge, width, suppress, lies, ndim;
  long long threshold, dim;
  while (scanf("%d %d %lld %d %d %d %d %d", &dtype, &precision, &threshold, &edge, &width, &suppress, &lies, &ndim) == 8) {
    tiny_text_desc o;
    tiny_shape s;
    unsigned byte;
    size_t n = 0;
    memset(&o, 0, sizeof o);
    memset(&s, 0, sizeof s);
    o.bare = 1; o.precision = precision; o.threshold = threshold; o.edge = edge; o.width = width; o.suppress = suppress;
    s.ndim = ndim;
    for (int i = 0; i < ndim; i++) { if (scanf("%lld", &dim) != 1) return 2; s.dim[i] = dim; }
    while (scanf("%2x", &byte) == 1) data[n++] = (unsigned char)byte;
    if (scanf("%*[.]") != 0) return 2;
    tiny_begin(t);
    const size_t length = tiny_to_text(as(t, lies, dtype, s), &o, text, sizeof text);
    tiny_end(t);
    if (length != strlen(text)) return 3;
    printf("%s\n=\n", text);
  }
  if (tiny_status(t)) puts(tiny_error(t));
  tiny_close(t);
  return 0;
}
"""
DTYPES = {"?": 1, "b": 2, "B": 3, "h": 4, "H": 5, "i": 6, "I": 7, "q": 8, "Q": 9, "e": 12, "f": 14, "d": 15}
SHAPES = [(), (1,), (2,), (7,), (40,), (3, 5), (1, 1), (2, 3, 4), (5, 1, 3), (2, 2, 2, 2), (12, 13), (1, 1, 1, 1, 1, 3)]
LARGE = [(2000,), (40, 50), (9, 10, 11), (3, 4, 7, 5, 6), (1500, 1), (1, 1500), (2, 8, 2, 8, 8)]
EMPTY = [(0,), (2, 0), (0, 3, 4)]
counts = {True: 0, False: 0}
cases_of = collections.Counter()


def check(ok, what):
    counts[bool(ok)] += 1
    if not ok and counts[False] <= 10:
        print("failed: " + what)


def floats(rng, kind, n):
    """Values of one kind of size, or of several."""
    d = np.dtype(kind)
    info = np.finfo(d)
    few = [0.0, -0.0, 1.0, -1.0, 0.1, 0.5, 2.0 / 3, 10.0, 100.0, 1000.0, 9.9999, 0.99999999, 1e-3, 123.456, -0.05, 1e-5, 1e4]
    style = rng.randrange(12)
    if style == 0:
        x = [rng.choice(few) for _ in range(n)]
    elif style == 1:
        x = [rng.uniform(-1, 1) for _ in range(n)]
    elif style == 2:
        x = [rng.randrange(-50, 50) for _ in range(n)]
    elif style == 3:
        x = [rng.randrange(-50, 50) / 4 for _ in range(n)]
    elif style == 4:
        x = [rng.gauss(0, 1) * 10 ** rng.randrange(-3, 3) for _ in range(n)]
    elif style == 5:                             # any bits at all
        return np.frombuffer(rng.bytes(n * d.itemsize), d)
    elif style == 6:
        x = [rng.choice([np.nan, np.inf, -np.inf]) if rng.random() < 0.3 else rng.uniform(-9, 9) for _ in range(n)]
    elif style == 7:
        x = [rng.choice([np.nan, np.inf]) for _ in range(n)]
    elif style == 8:                             # borders of exponents, and their neighbours
        x = [np.nextafter(d.type(2.0 ** rng.randrange(max(info.minexp, -1000), info.maxexp - 1)), d.type(rng.choice([0, np.inf])))
             if rng.random() < 0.7 else 2.0 ** rng.randrange(info.minexp, info.maxexp - 1) for _ in range(n)]
    elif style == 9:
        x = [rng.choice([info.tiny, info.max, info.smallest_subnormal, -info.max, 1.0]) for _ in range(n)]
    elif style == 10:
        x = [round(rng.uniform(0, 2), rng.randrange(1, 5)) for _ in range(n)]
    else:
        x = [rng.uniform(0.9, 1.1) * 10 ** rng.randrange(-9, 9) for _ in range(n)]
    with np.errstate(all="ignore"):
        return np.array(x).astype(d)


def values(rng, kind, shape):
    n = int(np.prod(shape, dtype=int))
    if kind == "?":
        return np.array([rng.random() < 0.5 for _ in range(n)], "?").reshape(shape)
    if kind in "efd":
        return floats(rng, kind, n).reshape(shape)
    info = np.iinfo(kind)
    low, high = (info.min, info.max) if rng.random() < 0.4 else (max(info.min, -99), 120)
    return np.array([rng.randint(low, high) for _ in range(n)], kind).reshape(shape)


# NumPy 1 compares with 0.0001 as a double, NumPy 2 in the dtype, and so does tiny.h.
def asks_the_release(x):
    if x.dtype.kind != "f" or int(np.__version__.split(".")[0]) > 1:
        return False
    with np.errstate(all="ignore"):
        return bool(np.any(np.abs(x) == x.dtype.type(1e-4)))


def cases(rng):
    for kind in DTYPES:
        for i in range(260 if kind in "efd" else 60):
            shape = rng.choice(SHAPES) if i % 10 else rng.choice(LARGE if i % 30 else EMPTY)
            x = values(rng, kind, shape)
            precision = rng.choice([8, 8, 8, 4, 2, 1, 0, 17, 3])
            threshold, edge = rng.choice([(1000, 3), (1000, 3), (5, 1), (10, 2), (1, 3), (100000, 3)])
            yield x, precision, threshold, edge, rng.choice([75, 75, 75, 20, 5, 120, 1]), rng.random() < 0.15, rng.randrange(3)


def numbers_of(text):
    return [float(w) for w in text.replace("[", " ").replace("]", " ").split() if w != "..."]


def narrow(code, exponent, fraction, finite):
    """The value of a code of a float of so many bits."""
    sign = -1.0 if code >> (exponent + fraction) & 1 else 1.0
    e, m, bias = code >> fraction & ((1 << exponent) - 1), code & ((1 << fraction) - 1), (1 << (exponent - 1)) - 1
    top = (1 << exponent) - 1
    if finite and e == top and m == (1 << fraction) - 1:
        return float("nan")
    if not finite and e == top:
        return float("nan") if m else sign * float("inf")
    return sign * (m * 2.0 ** (1 - bias - fraction) if e == 0 else (m + (1 << fraction)) * 2.0 ** (e - bias - fraction))


NARROW = {10: (4, 3, True, 1), 11: (5, 2, False, 1), 13: (8, 7, False, 2)}


def check_graphs(program):
    """A graph and the same for Graphviz, in turn: one node for each row but folded constants, one edge for each source."""
    p = subprocess.run([program, "graphs"], stdout=subprocess.PIPE, universal_newlines=True)
    texts = p.stdout.split("\n=\n")
    check(p.returncode == 0 and len(texts) == 21 and not texts[-1], "graphs are written: %s" % texts[-1])
    for i in range(0, len(texts) - 1, 2):
        graph, dot = json.loads(texts[i]), texts[i + 1]
        nodes = graph["nodes"]
        check(graph["version"] == 1 and [n["id"] for n in nodes] == list(range(len(nodes))), "rows are numbered")
        check(all(s < n["id"] for n in nodes for s in n["src"]), "sources come first")
        check(all(set(n) - {"memory"} == {"id", "op", "dtype", "shape", "src", "arg"} for n in nodes), "fields")
        check(all(0 <= r < len(nodes) for r in graph["roots"]), "roots")
        inside = {n["id"] for n in nodes if n["op"] == "CONST"}
        label = r'"(?:[^"\\]|\\.)*"'
        lines = dot.splitlines()
        drawn = [int(m.group(1)) for m in (re.fullmatch(r"  n(\d+) \[label=%s(, \w+=(\w+|%s))*\];" % (label, label), x) for x in lines) if m]
        edges = [tuple(map(int, m.groups())) for m in (re.fullmatch(r"  n(\d+) -> n(\d+);", x) for x in lines) if m]
        bold = [x for x in lines if re.fullmatch(r"  n\d+ \[penwidth=2\];", x)]
        check(len(lines) == 4 + len(drawn) + len(edges) + len(bold) and len(bold) == len(graph["roots"]), "every line is known\n" + dot)
        check(drawn == [n["id"] for n in nodes if n["id"] not in inside - set(graph["roots"])], "nodes\n" + dot)
        check(sorted(edges) == sorted((s, n["id"]) for n in nodes for s in n["src"] if s not in inside), "edges\n" + dot)
        if shutil.which("dot"):
            p = subprocess.run(["dot", "-Tsvg"], input=dot, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
            check(p.returncode == 0 and p.stdout.count('class="node"') == len(drawn), "Graphviz takes it\n" + p.stdout[:500])


def main(verbose, seed):
    rng = random.Random(seed)
    if not hasattr(rng, "bytes"):
        rng.bytes = lambda n: bytes(rng.randrange(256) for _ in range(n))
    rows, wanted, lines = [], [], []
    for x, precision, threshold, edge, width, suppress, lies in cases(rng):
        if asks_the_release(x):
            continue
        x = np.ascontiguousarray(x).reshape(x.shape)
        with np.errstate(all="ignore"):
            wanted.append(np.array2string(x, max_line_width=width, precision=precision, suppress_small=suppress,
                                          threshold=threshold, edgeitems=edge))
        stored = np.ascontiguousarray(x.T) if lies == 1 else x
        rows.append((x, precision, threshold, edge, width, suppress, lies))
        lines.append("%d %d %d %d %d %d %d %d %s\n%s." % (
            DTYPES[x.dtype.char if x.dtype.char in DTYPES else {"l": "q", "L": "Q"}[x.dtype.char]], precision or -1, threshold, edge,
            width, suppress, lies, x.ndim, " ".join(map(str, x.shape)), stored.tobytes().hex()))
    codes = {}
    for dtype, (exponent, fraction, finite, nbytes) in NARROW.items():     # every code, in rows as they are printed in full
        for begin in range(0, 256 if nbytes == 1 else 65536, 128):
            codes[len(lines)] = (dtype, begin)
            data = b"".join((begin + i).to_bytes(nbytes, "little") for i in range(128))
            lines.append("%d 17 1000 3 75 0 0 1 128\n%s." % (dtype, data.hex()))
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "texts.c"), os.path.join(folder, "texts")
        with open(source, "w", encoding="utf-8") as f:
            f.write(PROGRAM)
        subprocess.run(["make", "-s", "build/library/plain.o"], cwd=ROOT, check=True)
        subprocess.run(["cc", "-std=c11", "-w", "-I" + ROOT, source, os.path.join(ROOT, "build/library/plain.o"), "-o", program, "-lm",
                        "-lpthread", "-ldl"], check=True)
        p = subprocess.run([program], input="\n".join(lines) + "\n", stdout=subprocess.PIPE, universal_newlines=True)
        check_graphs(program)
    check(p.returncode == 0, "the program returns %d" % p.returncode)
    got = p.stdout.split("\n=\n")
    check(len(got) == len(lines) + 1 and not got[-1], "every case is written: %d of %d %s" % (len(got) - 1, len(lines), got[-1]))
    for (x, *options), want, text in zip(rows, wanted, got):
        cases_of[x.dtype.name] += 1
        check(text == want, "%s %s, precision, threshold, edge, width, suppress, lies %s\n--- got\n%s\n--- NumPy\n%s" % (
            x.dtype.name, x.shape, options, text, want))
    for at, (dtype, begin) in codes.items():
        told = numbers_of(got[at])
        exponent, fraction, finite, _ = NARROW[dtype]
        want = [narrow(begin + i, exponent, fraction, finite) for i in range(128)]
        ok = len(told) == 128
        for t, w in zip(told, want):             # nearer to w than half the way to its neighbours
            step = 2.0 ** (max(np.frexp(w)[1] - 1, 2 - (1 << (exponent - 1))) - fraction) if np.isfinite(w) and w else 0.0
            ok = ok and (t != t if w != w else t == w if not np.isfinite(w) or w == 0 else abs(t - w) <= step / 2)
        check(ok, "dtype %d, codes from %d\n%s" % (dtype, begin, got[at]))
    if verbose:
        print(", ".join("%s %d" % item for item in cases_of.items()), "against NumPy", np.__version__)
    print("%d passed, %d failed" % (counts[True], counts[False]))
    return counts[False] != 0


sys.exit(main("-v" in sys.argv, next((int(a) for a in sys.argv[1:] if a.isdigit()), 20)))
