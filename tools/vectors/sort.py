from vectors import *

SOME = ["bool", "i8", "u8", "i32", "i64", "f16", "bf16", "f32", "f64"]
REAL = ["i32", "f16", "f32", "f64"]
nan, inf = float("nan"), float("inf")
def V(*values, dtype=None): return T(*np.shape(values), values=list(values), dtype=dtype)
SHAPES = [T(), T(1), T(0), T(7), T(3, 5), T(2, 3, 4), T(0, 3), T(3, 0), T(33, lo=-2, hi=2)]
ODD = [V(1.0, nan, -0.0, inf, 0.0, -inf, nan, -2.0)]
def with_ints(f): return lambda x: tuple(y.int() if i else y for i, y in enumerate(f(x)))
def two(c): return "tiny_tensor *i; out[0] = %s; out[1] = i; return 2;" % c

for down in (0, 1):
    op("tiny_sort", two("tiny_sort({0}, -1, %d, &i)" % down), with_ints(lambda x, d=down: torch.sort(x, dim=-1, descending=bool(d), stable=True)), SHAPES, dtypes=SOME)
    op("tiny_sort", two("tiny_sort({0}, 0, %d, &i)" % down), with_ints(lambda x, d=down: torch.sort(x, dim=0, descending=bool(d), stable=True)), [T(5, 3), T(4, 2, 3)], dtypes=REAL)
    op("tiny_sort", two("tiny_sort({0}, 0, %d, &i)" % down), with_ints(lambda x, d=down: torch.sort(x, dim=0, descending=bool(d), stable=True)), ODD, dtypes=FLOATS, grad=False)
    op("tiny_argsort", "tiny_argsort({0}, -1, %d)" % down, lambda x, d=down: torch.sort(x, dim=-1, descending=bool(d), stable=True)[1].int(), [T(5), T(2, 7), T(0, 3)], dtypes=SOME, grad=False)
    op("tiny_topk", two("tiny_topk({0}, 2, -1, %d, &i)" % down), with_ints(lambda x, d=down: torch.topk(x, 2, -1, bool(d))), [T(4, 6, distinct=True), T(2, distinct=True)], dtypes=["i32", "i64", "f32", "f64"])
    op("tiny_topk", two("tiny_topk({0}, 1, 0, %d, &i)" % down), with_ints(lambda x, d=down: torch.topk(x, 1, 0, bool(d))), [T(4, 6, distinct=True), T()], dtypes=["i32", "f32"])
op("tiny_sort", two("tiny_sort({0}, -1, 0, &i)"), with_ints(lambda x: torch.sort(x, dim=-1, stable=True)), [T(2, 300, lo=-90, hi=90)], dtypes=["i8", "f32", "f64"])
for down in (0, 1): op("tiny_topk", two("tiny_topk({0}, 2, -1, %d, &i)" % down), with_ints(lambda x, d=down: tuple(y[..., :2] for y in torch.sort(x, dim=-1, descending=bool(d), stable=True))), [T(4, 5)], dtypes=BOOLS + ["u16"])
op("tiny_topk", "tiny_topk({0}, 0, 0, 1, NULL)", lambda x: torch.topk(x, 0, 0)[0], [T(4)], grad=False)
for keep in (0, 1):
    op("tiny_kthvalue", two("tiny_kthvalue({0}, 2, -1, %d, &i)" % keep), with_ints(lambda x, k=keep: torch.kthvalue(x, 2, -1, bool(k))), [T(5, distinct=True), T(3, 4, distinct=True)], dtypes=["i32", "f32", "f64"])
    op("tiny_median", two("tiny_median({0}, 1, %d, &i)" % keep), with_ints(lambda x, k=keep: torch.median(x, 1, bool(k))), [T(3, 5, distinct=True), T(3, 4, distinct=True), T(2, 3, 2, distinct=True), T(2, 1)], dtypes=["i32", "f32", "f64"])
    op("tiny_nanmedian", two("tiny_nanmedian({0}, 1, %d, &i)" % keep), with_ints(lambda x, k=keep: torch.nanmedian(x, 1, bool(k))), [T(3, 5, distinct=True), V([nan, 1.0, 3.0, nan], [2.0, 0.0, -1.0, 5.0])], dtypes=["f32", "f64"])
    for name in ("quantile", "nanquantile"):
        q = getattr(torch, name)
        op("tiny_" + name, "tiny_%s({0}, {1}, -1, %d)" % (name, keep), lambda x, p, q=q, k=keep: q(x, p.to(x.dtype), dim=-1, keepdim=bool(k)), [(T(3, 5), T(values=0.3, dtype="f64")), (T(3, 5), V(0.0, 0.5, 0.9375, 1.0, dtype="f64")), (T(6), V(0.25, dtype="f64")), (V([nan, 1.0, 3.0, nan], [2.0, 0.0, -1.0, 5.0]), V(0.5, 0.75, dtype="f64")), (T(1), T(values=0.5, dtype="f64"))], dtypes=["f64"], tol=16, grad=False, result="f64")
        op("tiny_" + name, "tiny_%s({0}, {1}, 1, %d)" % (name, keep), lambda x, p, q=q, k=keep: q(x, p, dim=1, keepdim=bool(k)), [(T(2, 5, 3), V(0.25, 0.5)), (T(2, 3, 2), T(values=0.5))], dtypes=["f32", "f64"], tol=16)
        op("tiny_" + name, "tiny_%s({0}, {1}, TINY_ALL, %d)" % (name, keep), lambda x, p, q=q, k=keep: q(x, p, dim=None, keepdim=bool(k)), [(T(2, 5), V(0.25, 0.5)), (T(2, 3), T(values=0.5))], dtypes=["f32", "f64"], tol=16, grad=False)
    op("tiny_mode", "tiny_mode({0}, -1, %d, NULL)" % keep, lambda x, k=keep: torch.mode(x, -1, bool(k))[0], [T(9, lo=-1, hi=2), T(4, 6, lo=-1, hi=2), T(1), V([1, 2, 2, 1], [3, 0, 1, 2])], dtypes=["u8", "i32", "i64", "f32"], grad=False)
op("tiny_median", two("tiny_median({0}, 0, 0, &i)"), with_ints(lambda x: torch.median(x, 0)), [V(3.0, nan, 1.0, 2.0), T()], dtypes=["f32"], grad=False)
op("tiny_median", "tiny_median({0}, TINY_ALL, 0, NULL)", lambda x: torch.median(x), [T(3, 4, distinct=True), T(5, distinct=True)], dtypes=["i32", "f32", "f64"])
op("tiny_nanmedian", "tiny_nanmedian({0}, TINY_ALL, 0, NULL)", lambda x: torch.nanmedian(x), [T(3, 4, distinct=True), V(nan, 2.0, 1.0), V(nan, nan)], dtypes=["f32", "f64"], grad=False)

# ** places **
EDGES = V(-2.0, -0.5, 0.0, 0.0, 1.0)
for right in (0, 1):
    op("tiny_searchsorted", "tiny_searchsorted({0}, {1}, %d)" % right, lambda s, v, r=right: torch.searchsorted(s, v, right=bool(r)).int(), [(EDGES, T(7)), (EDGES, V(-2.0, 0.0, 1.0, 5.0, -9.0)), (EDGES, T()), (EDGES, T(2, 3)), (V([1.0, 2.0, 3.0], [0.0, 0.0, 0.0]), T(2, 4)), (V(1.0), T(3)), (T(0), T(3)), (EDGES, T(0))], dtypes=["f16", "f32", "f64"], grad=False)
    op("tiny_searchsorted", "tiny_searchsorted({0}, {1}, %d)" % right, lambda s, v, r=right: torch.searchsorted(s, v, right=bool(r)).int(), [(V(-3, -3, 0, 2, 2, 7), T(9)), (V(0, 1, 1, 4), T(3, 3))], dtypes=["i8", "i32", "i64"], grad=False)
    op("tiny_bucketize", "tiny_bucketize({0}, {1}, %d)" % right, lambda x, e, r=right: torch.bucketize(x, e, right=bool(r)).int(), [(T(3, 4), EDGES), (T(), EDGES), (T(5, dtype="i32"), V(-1, 0, 2, dtype="i32"))], dtypes=["f32", "f64"], grad=False)
def numpy_histogram(x, e, w=None, density=False):
    y = np.histogram(x.double().numpy(), e.double().numpy(), weights=None if w is None else w.double().numpy(), density=density)[0]
    return torch.from_numpy(y.astype(np.float64))
RISING = V(-2.0, -0.5, 0.0, 1.0)
op("tiny_histogram", "tiny_histogram({0}, {1}, NULL, 0)", numpy_histogram, [(T(20), RISING), (V(-2.0, 1.0, 1.5, -0.5), RISING), (T(0), RISING)], dtypes=["f32", "f64"], grad=False, result=real)
op("tiny_histogram", "tiny_histogram({0}, {1}, {2}, 0)", numpy_histogram, [(T(4, 5), RISING, T(4, 5))], dtypes=["f32", "f64"], grad=False, result=lambda *d: real(d[2]))
op("tiny_histogram", "tiny_histogram({0}, {1}, NULL, 1)", lambda x, e: numpy_histogram(x, e, None, True), [(T(20), RISING)], dtypes=["f32", "f64"], grad=False, result=real)

op("tiny_histogram", "tiny_histogram({0}, {1}, NULL, 0)", numpy_histogram, [(T(20, hi=6), V(0, 1, 3, 4))], dtypes=["u8"] + UNSIGNED, grad=False, result="f32")
op("tiny_histogram", "tiny_histogram({0}, {1}, NULL, 0)", numpy_histogram, [(T(20), V(0, 1))], dtypes=BOOLS, grad=False, result="f32")

# ** sets **
op("tiny_isin", "tiny_isin({0}, {1})", torch.isin, [(T(4, 5), T(3)), (T(6), T(2, 2)), (T(), T(5)), (T(4), T(0)), (T(40), T(90, lo=-30, hi=30)), (T(0), T(3))], dtypes=["i32", "u8", "f32", "f64"], grad=False)
three = "tiny_tensor *i, *c; out[0] = %s; out[1] = i; out[2] = c; return 3;"
def ints(f): return lambda x: tuple(y.int() if i else y for i, y in enumerate(f(x, return_inverse=True, return_counts=True)))
op("tiny_unique", three % "tiny_unique({0}, &i, &c)", ints(torch.unique), [T(9, lo=-1, hi=2), T(3, 4, lo=-2, hi=2), T(1), T(), T(0), T(300, lo=-9, hi=9, dtype="i32"), V(2, 2, 2)], dtypes=["u8", "i32", "i64", "f32"], grad=False)
op("tiny_unique", "tiny_unique({0}, NULL, NULL)", lambda x: torch.unique(x), [V(nan, 1.0, -0.0, nan, 1.0, 0.0, inf)], dtypes=["f32", "f64"], grad=False)
op("tiny_unique_consecutive", three % "tiny_unique_consecutive({0}, &i, &c)", ints(torch.unique_consecutive), [T(9, lo=0, hi=2), T(3, 4, lo=0, hi=2), T(1), V(2, 2, 2)], dtypes=["u8", "i32", "i64", "f32"], grad=False)
op("tiny_unique_consecutive", "tiny_unique_consecutive({0}, NULL, NULL)", lambda x: torch.unique_consecutive(x), [V(nan, nan, 1.0, 1.0)], dtypes=["f32"], grad=False)
