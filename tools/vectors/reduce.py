from vectors import *
AX = [("0", 0), ("-1", -1), ("TINY_ALL", None), ("TINY_AXES(0, -1)", (0, -1))]
SHAPES = {"0": [T(5), T(2, 3, 5), T(2, 0), T(70)], "-1": [T(3, 4), T(2, 1), T(0, 3)], "TINY_ALL": [T(), T(3, 4)], "TINY_AXES(0, -1)": [T(2, 3, 5)]}
def i64(*d): return d[0] if is_float(d[0]) or d[0] == "u64" else "i64"
def folds(name, python, dtypes, result=None, empty=(), extra="", grad=True, tol=4, axes=AX, inputs=None):
    """name(x, axis, keepdim, extra) for every axis, and all dtypes along the last. empty: shapes without elements that it takes."""
    for c, axis in axes:
        every = range(-1, -1) if axis is None else axis
        def run(x, axis=axis, keep=False):
            if axis is None or not x.dim(): return python(x, tuple(range(x.dim())), keep)
            return python(x, axis if isinstance(axis, tuple) else (axis,), keep)
        sets = (inputs or SHAPES[c]) + ([T(0, 3)] if c == "0" and empty else []) + ([T(0)] if c == "TINY_ALL" and empty else [])
        op(name, "%s({0}, %s, 0%s)" % (name, c, extra), run, sets, dtypes=dtypes if c == "-1" else [d for d in dtypes if d in ("i32", "f32")], result=result, grad=grad, tol=tol)
        if c != "TINY_AXES(0, -1)":
            op(name, "%s({0}, %s, 1%s)" % (name, c, extra), lambda x, run=run, axis=axis: run(x, axis, True), [T(2, 3, 5)], dtypes=["f32"] if "f32" in dtypes else dtypes[:1], result=result, grad=grad, tol=tol)
def each(f):
    """A fold of one axis applied to several: the last first."""
    def run(x, axes, keep):
        for a in sorted((a % x.dim() if x.dim() else a for a in axes), reverse=True): x = f(x, a, keep)
        return x
    return run
def flat(f):
    """A fold of one axis applied to several at once: they are moved to the end and merged."""
    def run(x, axes, keep):
        n = x.dim()
        if not n: return f(x.reshape(1), 0)
        axes = sorted(a % n for a in axes)
        rest = [i for i in range(n) if i not in axes]
        y = x.permute(*rest, *axes).reshape([x.shape[i] for i in rest] + [int(np.prod([x.shape[i] for i in axes]))])
        y = f(y, -1)
        return y.reshape([1 if i in axes else x.shape[i] for i in range(n)]) if keep else y
    return run
folds("tiny_sum", flat(lambda x, a: x.sum(a)), ALL, result=i64, empty=True)
folds("tiny_prod", flat(lambda x, a: x.prod(a)), ALL, result=i64, empty=True, tol=16)
op("tiny_prod", "tiny_prod({0}, 1, 0)", lambda x: x.prod(1), [T(4, 4, values=[[2, 0, 3, 1.5], [0, 0, 1, 2], [1, -2, 3, 0.5], [0, 0, 0, 0]])], dtypes=["f32", "f64"])
folds("tiny_amax", flat(lambda x, a: x.amax(a)), ALL)
folds("tiny_amin", flat(lambda x, a: x.amin(a)), ALL)
folds("tiny_mean", flat(lambda x, a: x.mean(a)), INTS + FLOATS, result=real, empty=True)
folds("tiny_var", flat(lambda x, a: x.var(a, unbiased=True)), INTS + FLOATS, result=real, extra=", 1", grad=True, tol=8, inputs=[T(3, 4), T(2, 3, 5)], axes=AX[:3])
folds("tiny_var", flat(lambda x, a: x.var(a, unbiased=False)), ["f32"], extra=", 0", tol=8)
op("tiny_var", "tiny_var({0}, 0, 0, 1)", lambda x: x.var(0, unbiased=True), [T(1), T(1, 3), T(0, 2)], dtypes=["f32", "f64"], grad=False)
op("tiny_var", "tiny_var({0}, TINY_AXES(0, 2), 1, 1)", lambda x: x.var((0, 2), unbiased=True, keepdim=True), [T(2, 3, 5)], dtypes=["f32", "f64"], tol=8)
folds("tiny_std", flat(lambda x, a: x.std(a, unbiased=True)), INTS + FLOATS, result=real, extra=", 1", tol=16, inputs=[T(3, 4, distinct=True), T(2, 3, 5, distinct=True)], axes=AX[:3])
op("tiny_std", "tiny_std({0}, 1, 0, 0)", lambda x: x.std(1, unbiased=False), [T(3, 3, values=[[1, 1, 1], [0, 1, 2], [-2, -2, -2]])], dtypes=["f32", "f64"], tol=16)
op("tiny_var_mean", "out[0] = tiny_var_mean({0}, -1, 0, 1, &out[1]); return 2;", lambda x: torch.var_mean(x, -1, unbiased=True), [T(5), T(3, 4)], dtypes=FLOATS, tol=8)
op("tiny_std_mean", "out[0] = tiny_std_mean({0}, 0, 1, 1, &out[1]); return 2;", lambda x: torch.std_mean(x, 0, unbiased=True, keepdim=True), [T(3, 4, distinct=True), T(5, distinct=True)], dtypes=FLOATS, tol=16)
op("tiny_var_mean", "out[0] = tiny_var_mean({0}, -1, 0, 1, &out[1]); return 2;", lambda x: torch.var_mean(x, -1, unbiased=True), [T(), T(0, 3)], grad=False)
NAN = float("nan")
HOLES = [T(3, 4, values=[[1, NAN, 2, NAN], [0.5, 1, -2, 3], [NAN, NAN, NAN, NAN]])]
folds("tiny_nansum", flat(lambda x, a: x.nansum(a)), FLOATS, inputs=HOLES, result=i64)
folds("tiny_nansum", flat(lambda x, a: x.nansum(a)), ["i32", "bool"], result=i64, grad=False)
folds("tiny_nanmean", flat(lambda x, a: x.nanmean(a)), FLOATS, inputs=HOLES, grad=False)
folds("tiny_nanmean", flat(lambda x, a: x.nanmean(a)), ["f32"], inputs=[T(3, 4, values=[[1, NAN, 2, NAN], [0.5, 1, -2, 3], [NAN, 4, NAN, NAN]])], axes=AX[:3])
folds("tiny_any", flat(lambda x, a: (x != 0).any(a)), ALL, result="bool", grad=False, empty=True)
folds("tiny_all", flat(lambda x, a: (x != 0).all(a)), ALL, result="bool", grad=False, empty=True)
folds("tiny_all", flat(lambda x, a: (x != 0).all(a)), ["i32", "f32"], result="bool", grad=False, inputs=[T(3, 4, lo=1)])
folds("tiny_count_nonzero", flat(lambda x, a: (x != 0).sum(a)), ALL, result="i64", grad=False, empty=True)
op("tiny_aminmax", "out[0] = tiny_aminmax({0}, 1, 0, &out[1]); return 2;", lambda x: (x.amin(1), x.amax(1)), [T(3, 4), T(2, 3, 2)], dtypes=ALL)
op("tiny_aminmax", "out[0] = tiny_aminmax({0}, TINY_ALL, 0, &out[1]); return 2;", lambda x: (x.amin(), x.amax()), [T(3, 4), T()])
ODD = [T(6, values=[NAN, 1, 2, NAN, -1, 0]), T(4, values=[float("inf"), 1, float("inf"), -float("inf")])]
for f in ("max", "min"):
    op("tiny_a" + f, "tiny_a%s({0}, 0, 0)" % f, lambda x, f=f: getattr(x, "a" + f)(0), ODD, dtypes=FLOATS, grad=False)
    def first(x, axis, keep, f=f):
        """PyTorch does not promise which of equals it gives."""
        x = x if f == "max" else -x.long() - 1 if not x.is_floating_point() else -x
        x = x.double()
        best = (x == x.amax(axis, keepdim=True)) | torch.isnan(x)
        return best.int().argmax(axis, keepdim=keep)
    sets = [T(4), T(3, 4), T(2, 3, 5), T(2, 1, 7), T(0, 3, 2)]
    for c, axis, keep in (("1", 1, False), ("-1", -1, True)):
        use = sets[1:3] if axis == 1 else sets
        op("tiny_arg" + f, "tiny_arg%s({0}, %s, %d)" % (f, c, keep), lambda x, a=axis, k=keep, g=first: g(x, a, k), use, dtypes=ALL if keep else ["f32"], result="i32", grad=False)
        op("tiny_%s" % f, "out[0] = tiny_%s({0}, %s, %d, &out[1]); return 2;" % (f, c, keep),
           lambda x, a=axis, k=keep, g=first: (x.gather(a, g(x, a, True)) if k else x.gather(a, g(x, a, True)).squeeze(a), g(x, a, k)), use, dtypes=["f32"] if keep else ALL, result=lambda d: [d, "i32"])
    op("tiny_arg" + f, "tiny_arg%s({0}, TINY_ALL, 0)" % f, lambda x, g=first: g(x.reshape(-1), 0, False), [T(), T(3, 4)], dtypes=["i32", "f32"], result="i32", grad=False)
    op("tiny_%s" % f, "out[0] = tiny_%s({0}, TINY_ALL, 1, &out[1]); return 2;" % f,
       lambda x, g=first: (x.reshape(-1)[g(x.reshape(-1), 0, False)].reshape([1] * x.dim()), g(x.reshape(-1), 0, False).reshape([1] * x.dim())), [T(3, 4), T()], dtypes=["i32", "f32"], result=lambda d: [d, "i32"])
    op("tiny_arg" + f, "tiny_arg%s({0}, 0, 0)" % f, lambda x, f=f: getattr(x, "arg" + f)(0), [ODD[0]], dtypes=FLOATS, result="i32", grad=False)
INF = float("inf")
CN = {2: "2", 1: "1", 0: "0", INF: "HUGE_VAL", -INF: "-HUGE_VAL", 3: "3", 2.5: "2.5", 0.5: "0.5", -1: "-1", -2.5: "-2.5"}
def norm(p): return flat(lambda x, a: torch.linalg.vector_norm(x if x.is_floating_point() else x.double(), p, a))
for p in CN:
    for c, axis in AX:
        main = p in (2, 1, INF)
        if axis != -1 and p not in (2, 3, INF): continue
        f = norm(p)
        op("tiny_norm", "tiny_norm({0}, %s, %s, 0)" % (CN[p], c), lambda x, f=f, axis=axis: f(x, tuple(range(x.dim())) if axis is None or not x.dim() else axis if isinstance(axis, tuple) else (axis,), False),
           [T(2, 3, 5, distinct=True)] + ([T()] if axis is None else []) + ([T(0, 3)] if axis == 0 and p in (0, 1, 2, 3) else []),
           dtypes=(INTS + FLOATS if axis == -1 else ["f32"]) if main else ["f32", "f64"] if axis == -1 else ["f32"], result=real, tol=32)
    op("tiny_norm", "tiny_norm({0}, %s, 1, 1)" % CN[p], lambda x, p=p: torch.linalg.vector_norm(x, p, 1, True), [T(4, 3, values=[[0, 0, 0], [3, 0, -4], [1, 1, -1], [0.5, 2, -2]])] if p > 0 else [T(2, 3, values=[[3, 1, -4], [1, 1, -1]])], dtypes=["f32", "f64"], tol=32)
    op("tiny_dist", "tiny_dist({0}, {1}, %s)" % CN[p], lambda a, b, p=p: torch.linalg.vector_norm((a.double() if not a.is_floating_point() else a) - b, p), [(T(3, 4), T(3, 4)), (T(2, 1, 3), T(4, 1)), (T(), T())] if p >= 0 else [(T(4, distinct=True), T(4, lo=30, hi=40))], dtypes=["f32"] if p not in (1, 2) else ["i32", "f16", "f32", "f64"], result=real, tol=64)
op("tiny_dist", "tiny_dist({0}, {1}, 1)", lambda a, b: (a.double() - b.double()).abs().sum(), [(T(4, lo=-120, hi=120), T(4, lo=-120, hi=120))], dtypes=INTS + UNSIGNED, result="f32")
for o, f, at in (("SUM", lambda x, a, k: x.sum(a, keepdim=k), 0), ("AMAX", lambda x, a, k: x.amax(a, keepdim=k), 0), ("AMIN", lambda x, a, k: x.amin(a, keepdim=k), 0)):
    op("tiny_reduce", "tiny_reduce({0}, TINY_REDUCE_%s, TINY_SHAPE(0, -1), 0)" % o, lambda x, f=f: f(x, (0, -1), False), [T(3, 4), T(2, 3, 5)], dtypes=["i32", "f32", "f16"], result=i64 if o == "SUM" else None)
    op("tiny_reduce", "tiny_reduce({0}, TINY_REDUCE_%s, TINY_SHAPE(1), 1)" % o, lambda x, f=f: f(x, (1,), True), [T(3, 4), T(2, 3, 5)], dtypes=["f32"])
op("tiny_sum", "tiny_sum({0}, TINY_AXES(), 0)", lambda x: x * 1, [T(3, 4)], dtypes=["f32"])
op("tiny_mean", "tiny_mean({0}, TINY_AXES(-2, 0), 1)", lambda x: x.mean((-2, 0), keepdim=True), [T(2, 3, 5), T(2, 3, 4, 2)], dtypes=["f32", "f16"])

# Running folds: below and over a block of 32, and a block of blocks.
RUN = [T(5), T(3, 4), T(2, 70), T(0, 3), T(), T(2, 0)]
LONG = [T(40), T(2, 1100, lo=-1, hi=1)]
for axis in (0, -1):
    op("tiny_cumsum", "tiny_cumsum({0}, %d)" % axis, lambda x, a=axis: x.cumsum(a), (RUN if axis else RUN[:3]) + LONG[:1], dtypes=ALL if axis else ["i32", "f32"], result=i64, tol=8)
    op("tiny_cumprod", "tiny_cumprod({0}, %d)" % axis, lambda x, a=axis: x.cumprod(a), [T(5), T(3, 4), T(0, 3), T(), T(40, lo=-1.5, hi=1.5)], dtypes=ALL if axis else ["i32", "f32"], result=i64, tol=32)
    op("tiny_logcumsumexp", "tiny_logcumsumexp({0}, %d)" % axis, lambda x, a=axis: (x if x.is_floating_point() else x.double()).logcumsumexp(a), RUN[:4] + LONG[:1] + [T(6, lo=-100, hi=100)], dtypes=["i32"] + FLOATS if axis else ["f32"], result=real, tol=64)
op("tiny_cumsum", "tiny_cumsum({0}, 1)", lambda x: x.cumsum(1), LONG[1:], dtypes=["f32"], tol=32)
op("tiny_cumprod", "tiny_cumprod({0}, 1)", lambda x: x.cumprod(1), [T(3, 5, values=[[2, 0, 3, 1, 2], [0, 0, 1, 2, 3], [1, 2, 3, 0, 0]]), T(2, 40, values=torch.where(torch.arange(80).reshape(2, 40) % 33 == 32, 0.0, 1.0 + torch.arange(80).reshape(2, 40) % 3 / 8))], dtypes=["f32", "f64"], tol=64)
op("tiny_logcumsumexp", "tiny_logcumsumexp({0}, 0)", lambda x: x.logcumsumexp(0), [T(4, values=[-INF, -90, 80, 79]), T(5, values=[-INF, -INF, 1, INF, 2]), T(3, values=[NAN, 1, 2])], dtypes=["f32", "f64"], grad=False, tol=16)
for f in ("cummax", "cummin"):
    for axis in (0, 1, -1):
        sets = [T(3, 4), T(2, 70), T(4, 5, 2), T(0, 3), T(2, 0)] if axis == 1 else [T(3, 4), T(), T(40)]
        op("tiny_" + f, "out[0] = tiny_%s({0}, %d, &out[1]); return 2;" % (f, axis), lambda x, f=f, a=axis: tuple(getattr(x, f)(a)), sets, dtypes=ALL if axis == -1 else ["f32"], result=lambda d: [d, "i32"])
    op("tiny_" + f, "out[0] = tiny_%s({0}, 0, &out[1]); return 2;" % f, lambda x, f=f: tuple(getattr(x, f)(0)), ODD + [T(6, values=[1, 5, NAN, 7, NAN, 2]), T(5, values=[INF, 1, 1, INF, 0]), T(4, values=[-INF, -INF, 2, 2])], dtypes=FLOATS, result=lambda d: [d, "i32"], grad=False)
    op("tiny_" + f, "tiny_%s({0}, 0, NULL)" % f, lambda x, f=f: getattr(x, f)(0).values, [T(5), T(3, 2)], dtypes=["f32"])
