# parts replaced, repeated and joined; differences and areas between neighbours; slices of a norm
from vectors import *

SOME = ["bool", "i8", "u8", "i32", "i64", "f16", "bf16", "f32", "f64"]
REAL = ["f32", "f64"]
def V(*values, dtype=None): return T(*np.shape(values), values=list(values), dtype=dtype)

# ** replaced **
for axis, at in ((0, 1), (-1, -2)):
    op("tiny_select_scatter", "tiny_select_scatter({0}, {1}, %d, %d)" % (axis, at), lambda x, s, a=axis, i=at: torch.select_scatter(x, s.to(x.dtype), a, i), [(T(3, 3), T(3)), (T(2, 5, 2), T(5, 2) if axis == 0 else T(2, 5))], dtypes=SOME if axis == 0 else REAL, result=lambda *d: d[0])
op("tiny_select_scatter", "tiny_select_scatter({0}, {1}, 0, 2)", lambda x, s: torch.select_scatter(x, s, 0, 2), [(T(4), T()), (T(3, 0), T(0))], dtypes=["f32"])
def slice_scatter(axis, start, stop, step):
    def f(x, s):
        places = list(range(*slice(start, stop, step).indices(x.shape[axis])))
        y, shape = x.movedim(axis, 0).clone(), None
        if places: y[places] = s.movedim(axis, 0).to(x.dtype)
        return y.movedim(0, axis)
    return f
for (axis, start, stop, step), sets in (((0, 1, 3, 1), [(T(4, 3), T(2, 3)), (T(5), T(2))]), ((-1, 0, 7, 3), [(T(2, 7), T(2, 3))]), ((1, -2, -6, -2), [(T(2, 5, 2), T(2, 2, 2))]), ((0, 3, 1, 1), [(T(4, 2), T(0, 2)), (T(0, 2), T(0, 2))])):
    op("tiny_slice_scatter", "tiny_slice_scatter({0}, {1}, %d, %d, %d, %d)" % (axis, start, stop, step), slice_scatter(axis, start, stop, step), sets, dtypes=SOME if axis == -1 else REAL, result=lambda *d: d[0])
for k, sets in ((0, [(T(3, 3), T(3)), (T(3, 5), T(3)), (T(4, 2), T(2))]), (1, [(T(3, 5), T(3)), (T(4, 2), T(1))]), (-2, [(T(4, 3), T(2))]), (9, [(T(2, 3), T(0))])):
    op("tiny_diagonal_scatter", "tiny_diagonal_scatter({0}, {1}, %d, 0, 1)" % k, lambda x, s, k=k: torch.diagonal_scatter(x, s.to(x.dtype), k), sets, dtypes=SOME if k == -2 else REAL, result=lambda *d: d[0])
op("tiny_diagonal_scatter", "tiny_diagonal_scatter({0}, {1}, 1, 2, 0)", lambda x, s: torch.diagonal_scatter(x, s, 1, 2, 0), [(T(3, 2, 4), T(2, 2))], dtypes=REAL)

# ** joined, repeated **
op("tiny_cat", "tiny_tensor *x[3]; x[0] = {0}; x[1] = {1}; x[2] = {2}; out[0] = tiny_cat(x, 3, -1); return 1;", lambda a, b, c: torch.cat((a, b, c), -1), [(T(0), T(2, 3), T(2, 1)), (T(2, 3), T(0), T(2, 1)), (T(0), T(0), T(2, 2, 2)), (T(0), T(0), T(0)), (T(0), T(3), T(0))], dtypes=["i32", "f32", "f64"])
op("tiny_cat", "tiny_tensor *x[2]; x[0] = {0}; x[1] = {1}; out[0] = tiny_cat(x, 2, 0); return 1;", lambda a, b: torch.cat((a.double(), b.double()), 0), [(T(0, dtype="f64"), T(2, 3, dtype="f32"))], result="f64")
repeat = lambda axis: lambda x, r: torch.repeat_interleave(x, r.long(), dim=axis)
op("tiny_repeat_interleave_by", "tiny_repeat_interleave_by({0}, {1}, 0)", repeat(0), [(T(3, 2), V(2, 0, 3, dtype="i64")), (T(4), V(1, 2, 0, 1, dtype="u8")), (T(2, 3), V(2, dtype="i32")), (T(3), T(values=2, dtype="i32")), (T(3, 2), V(0, 0, 0, dtype="i32")), (T(0, 2), T(0, dtype="i64"))], dtypes=SOME, result=lambda *d: d[0])
op("tiny_repeat_interleave_by", "tiny_repeat_interleave_by({0}, {1}, -1)", repeat(-1), [(T(2, 3), V(1, 0, 4, dtype="i16")), (T(2, 2, 3), V(3, 1, 1, dtype="i32"))], dtypes=REAL, result=lambda *d: d[0])
op("tiny_repeat_interleave_by", "tiny_repeat_interleave_by({0}, {1}, TINY_ALL)", lambda x, r: torch.repeat_interleave(x.reshape(-1), r.long()), [(T(2, 2), V(1, 0, 4, 2, dtype="i32")), (T(), V(3, dtype="i32"))], dtypes=REAL, result=lambda *d: d[0])

# ** between neighbours **
for n in (0, 1, 2, 5): op("tiny_diff", "tiny_diff({0}, %d, -1, NULL, NULL)" % n, lambda x, n=n: torch.diff(x, n, -1), [T(7), T(3, 4), T(1), T(0, 3), T(2, 0)] if n == 1 else [T(2, 7), T(3)], dtypes=SOME if n == 1 else ["bool", "f32", "f64"] if n == 2 else REAL)
op("tiny_diff", "tiny_diff({0}, 1, 0, {1}, {2})", lambda x, a, b: torch.diff(x, 1, 0, a, b), [(T(3, 2), T(1, 2), T(2, 2)), (T(4), T(1), T(0))], dtypes=["i32", "f32", "f64"])
op("tiny_diff", "tiny_diff({0}, 2, 1, NULL, {1})", lambda x, b: torch.diff(x, 2, 1, None, b), [(T(3, 2), T(3, 1))], dtypes=REAL)
for name in ("trapezoid", "cumulative_trapezoid"):
    f = getattr(torch, name)
    op("tiny_" + name, "tiny_%s({0}, NULL, 0.5, -1)" % name, lambda y, f=f: f(y, dx=0.5), [T(5), T(3, 4), T(1), T(0), T(2, 0, 3)], dtypes=SOME, result=real)
    op("tiny_" + name, "tiny_%s({0}, {1}, 0, 0)" % name, lambda y, x, f=f: f(y, x, dim=0), [(T(4), T(4)), (T(5, 3), T(5)), (T(3, 2), T(3, 2)), (T(2, 3, 2), T(2, 1, 2))], dtypes=["f16", "f32", "f64"], result=real)
    op("tiny_" + name, "tiny_%s({0}, {1}, 0, 1)" % name, lambda y, x, f=f: f(y, x, dim=1), [(T(2, 4, 3), T(4, 3)), (T(2, 3), T(3))], dtypes=["f32"], result=real)

# ** slices of a norm **
for p, c in ((2, "2"), (1, "1"), (float("inf"), "HUGE_VAL"), (3, "3")):
    op("tiny_renorm", "tiny_renorm({0}, %s, 0, 2.5)" % c, lambda x, p=p: torch.renorm(x, p, 0, 2.5), [T(4, 3), T(2, 3, 2)], dtypes=FLOATS if p == 2 else REAL, tol=16)
op("tiny_renorm", "tiny_renorm({0}, 2, -1, 1)", lambda x: torch.renorm(x, 2, -1, 1), [T(4, 3), T(0, 3)], dtypes=REAL, tol=16)
def embedding(padding, most, p):
    def f(w, ids):
        v = w.detach().clone()
        F.embedding(ids.long().reshape(-1), v, None, most, p)
        return F.embedding(ids.long(), w + (v - w).detach(), None if padding < 0 else padding)
    return f
for padding, most, p in ((-1, 1.5, 2), (1, 2.0, 1)):
    op("tiny_embedding_max_norm", "tiny_embedding_max_norm({1}, {0}, %d, %g, %g)" % (padding, most, p), embedding(padding, most, p), [(T(5, 3), V(4, 1, 1, 0, dtype="i64")), (T(3, 2), T(2, 3, lo=0, hi=3, dtype="i32"))], dtypes=FLOATS if p == 2 else REAL, tol=16, result=lambda *d: d[0])
