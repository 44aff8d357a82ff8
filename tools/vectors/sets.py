# sets of slices, ranks between elements, parts of a range, common divisors, equality within bounds
from vectors import *

nan, inf = float("nan"), float("inf")
REAL = ["f32", "f64"]
def V(*values, dtype=None): return T(*np.shape(values), values=list(values), dtype=dtype)
three = "tiny_tensor *i, *c; out[0] = %s; out[1] = i; out[2] = c; return 3;"

# ** slices **
def ints(f, axis): return lambda x: tuple(y.int() if i else y for i, y in enumerate(f(x, return_inverse=True, return_counts=True, dim=axis)))
for name in ("unique", "unique_consecutive"):
    f = getattr(torch, name)
    op("tiny_%s_along" % name, three % "tiny_%s_along({0}, 0, &i, &c)" % name, ints(f, 0), [T(6, 2, lo=0, hi=2), T(5, 3, lo=-1, hi=1), T(9, lo=0, hi=3), T(1, 4), T(4, 2, 2, lo=0, hi=2)], dtypes=["bool", "u8", "i32", "i64", "f16", "f32"], grad=False)
    op("tiny_%s_along" % name, three % "tiny_%s_along({0}, -1, &i, &c)" % name, ints(f, -1) if "_" in name else lambda x: in_order(-1)(x), [T(2, 7, lo=0, hi=2), T(2, 3, 5, lo=0, hi=1)], dtypes=["i32", "f64"], grad=False)
def in_order(axis):                                       # PyTorch 1.13 orders slices of several dims by another rule
    def f(x):
        y, i, c = np.unique(x.detach().numpy(), return_inverse=True, return_counts=True, axis=axis)
        return torch.from_numpy(y), torch.from_numpy(i.astype(np.int32)), torch.from_numpy(c.astype(np.int32))
    return f
def slices(x):
    x = x.detach().numpy()
    return torch.from_numpy(x[[i for i in range(len(x)) if not i or not (x[i] == x[i - 1]).all()]].copy())
op("tiny_unique_consecutive_along", "tiny_unique_consecutive_along({0}, 0, NULL, NULL)", slices, [V([nan, 1.0], [nan, 1.0], [-0.0, 2.0], [0.0, 2.0])], dtypes=REAL, grad=False)
op("tiny_unique_along", "tiny_unique_along({0}, 0, NULL, NULL)", lambda x: torch.unique(x, dim=0), [T(40, 7, lo=0, hi=1, dtype="i8")], grad=False)

# ** quantiles **
RULES = ["lower", "higher", "midpoint", "nearest"]
for rule in RULES:
    c = "TINY_QUANTILE_" + rule.upper()
    for name in ("quantile", "nanquantile"):
        q = getattr(torch, name)
        op("tiny_%s_by" % name, "tiny_%s_by({0}, {1}, -1, 0, %s)" % (name, c), lambda x, p, q=q, rule=rule: q(x.double(), p.double(), dim=-1, interpolation=rule), [(T(3, 5, distinct=True), T(values=0.375, dtype="f64")), (T(6, distinct=True), V(0.0, 0.25, 0.3125, 0.5, 1.0, dtype="f64")), (V([nan, 1.0, 3.0, nan], [2.0, 0.0, -1.0, 5.0]), V(0.5, 0.75, dtype="f64"))], dtypes=["f64"], tol=16, grad=False, result=real)
        op("tiny_%s_by" % name, "tiny_%s_by({0}, {1}, 1, 1, %s)" % (name, c), lambda x, p, q=q, rule=rule: q(x.double(), p.detach().double(), dim=1, keepdim=True, interpolation=rule), [(T(2, 5, distinct=True), V(0.25, 0.5, dtype="f32"))], dtypes=["f32", "f64", "u8", "i32"], tol=16, result=real)
op("tiny_quantile_by", "tiny_quantile_by({0}, {1}, TINY_ALL, 0, TINY_QUANTILE_LINEAR)", lambda x, p: torch.quantile(x, p), [(T(2, 5), V(0.25, 0.5))], dtypes=REAL, tol=16, grad=False)

# ** parts of a range **
def histogram(bins, lo, hi, density=False):
    def f(x, w=None):
        a = x.detach().double().numpy()
        y, e = np.histogram(a, bins, None if lo == hi else (lo, hi), weights=None if w is None else w.detach().double().numpy(), density=density)
        return torch.from_numpy(y.astype(np.float64)), torch.from_numpy(e)
    return f
two = "tiny_tensor *e; out[0] = %s; out[1] = e; return 2;"
op("tiny_histogram_bins", two % "tiny_histogram_bins({0}, 8, -2, 2, NULL, 0, &e)", histogram(8, -2, 2), [T(20), T(4, 5), T(0), T()], dtypes=["i32", "u8", "f16", "f32", "f64"], grad=False, result=lambda d: [real(d)] * 2)
op("tiny_histogram_bins", two % "tiny_histogram_bins({0}, 4, 0, 0, NULL, 0, &e)", histogram(4, 0, 0), [T(20), T(values=[2.0, 2.0]), T(0)], dtypes=REAL, grad=False, tol=8, result=lambda d: [real(d)] * 2)
op("tiny_histogram_bins", two % "tiny_histogram_bins({0}, 3, -3, 3, {1}, 1, &e)", histogram(3, -3, 3, True), [(T(20), T(20, lo=0.5))], dtypes=REAL, grad=False, tol=8, result=lambda *d: [real(d[1]), real(d[0])])

# ** whole numbers **
WHOLE = [(T(3, 4, lo=-30, hi=31), T(4, lo=-30, hi=31)), (V(0, 0, 12, 18, 7), V(0, 5, 0, 12, 7)), (T(), T(3)), (T(0, 3), T(1, 3))]
for name in ("gcd", "lcm"):
    op("tiny_" + name, "tiny_%s({0}, {1})" % name, getattr(torch, name), WHOLE, dtypes=INTS, grad=False)
    op("tiny_" + name, "tiny_%s({0}, {1})" % name, lambda a, b, f=getattr(np, name): torch.from_numpy(f(a.numpy(), b.numpy())), [(V(46368, 1836311903, 1073741824, -2147483648), V(28657, 1134903170, 6, 6))] if name == "gcd" else [(V(46368, 6), V(28657, 4))], dtypes=["i32", "i64"], grad=False)
op("tiny_gcd", "tiny_gcd({0}, {1})", torch.gcd, [(V(7540113804746346429, 2**62, -2**62), V(4660046610375530309, 6 * 2**40, 3**39))], dtypes=["i64"], grad=False)

# ** equality within bounds **
CLOSE = [(V(1.0, 1.0, 1.0, nan, inf, inf, -inf, 0.0, 100.0), V(1.0, 1.0625, 1.5, nan, inf, -inf, 3.0, 0.0625, 101.0)), (T(3, 4), T(4)), (T(), T(3)), (T(0, 3), T(1, 3))]
for equal in (0, 1):
    op("tiny_isclose", "tiny_isclose({0}, {1}, 0.0625, 0.125, %d)" % equal, lambda a, b, e=equal: torch.isclose(*torch.broadcast_tensors(a, b), 0.0625, 0.125, bool(e)), CLOSE, dtypes=FLOATS, grad=False, result="bool")
    op("tiny_allclose", "tiny_allclose({0}, {1}, 0.0625, 0.125, %d)" % equal, lambda a, b, e=equal: torch.tensor(torch.allclose(*torch.broadcast_tensors(a, b), 0.0625, 0.125, bool(e))), CLOSE + [(V(1.0, nan), V(1.0625, nan))], dtypes=REAL, grad=False, result="bool")
op("tiny_isclose", "tiny_isclose({0}, {1}, 0.25, 0, 0)", lambda a, b: torch.isclose(a.double(), b.double(), 0.25, 0), [(V(3, 4, 9, 0), V(4, 4, 12, 1)), (T(4), T(4))], dtypes=INTS + BOOLS, grad=False, result="bool")
op("tiny_allclose", "tiny_allclose({0}, {1}, 0.25, 0, 0)", lambda a, b: torch.tensor(torch.allclose(a.double(), b.double(), 0.25, 0)), [(V(3, 4, 9), V(4, 4, 12))], dtypes=INTS, grad=False, result="bool")
