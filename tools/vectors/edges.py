# signs of zero, what is no number, and the ends of ranges: compared to the bit, but for functions that are rounded (a tolerance below 0)
from vectors import *

NAN, INF = float("nan"), float("inf")
JOINTS = [0.5, -0.5, 1.0, -1.0, 1.5, -1.5, 2.5, -2.5, 3.0, -3.0, 6.0]
SPECIAL = [NAN, INF, -INF, 0.0, -0.0] + JOINTS + [0.25, -0.25, 3.5, -3.5, 1e-3, -1e-3]
DENORMAL = [2.0 ** -140, -2.0 ** -140, 2.0 ** -149, -2.0 ** -149, 3.4e38, -3.4e38]
EXACT, CLOSE = -1e-9, -8.0

def exact(c, python, values=SPECIAL + DENORMAL, grad=True):
    op(c.split("(")[0], c, python, [T(values=values)], dtypes=FLOATS, grad=grad, tol=EXACT)
def close(c, python, values, grad=False):
    op(c.split("(")[0], c, python, [T(values=values)], dtypes=FLOATS, grad=grad, tol=CLOSE)

for name in "neg abs sign square trunc floor ceil round frac".split(): exact("tiny_%s({0})" % name, getattr(torch, name))
exact("tiny_relu({0})", F.relu)
exact("tiny_relu6({0})", F.relu6)
exact("tiny_hardtanh({0}, -1, 1)", F.hardtanh)
exact("tiny_hardshrink({0}, 0.5)", F.hardshrink)
exact("tiny_softshrink({0}, 0.5)", F.softshrink, values=(SPECIAL + DENORMAL)[1:])
exact("tiny_threshold({0}, 0.5, -2)", lambda x: F.threshold(x, 0.5, -2))
exact("tiny_leaky_relu({0}, 0.25)", lambda x: F.leaky_relu(x, 0.25))
exact("tiny_clamp({0}, -1, 1.5)", lambda x: torch.clamp(x, -1, 1.5))
exact("tiny_clamp({0}, 0, 1)", lambda x: torch.clamp(x, 0, 1))
exact("tiny_reciprocal({0})", torch.reciprocal, values=SPECIAL[:9], grad=False)
exact("tiny_sqrt({0})", torch.sqrt, values=[NAN, INF, -INF, 0.0, -0.0, 1.0, -1.0, 0.25], grad=False)
close("tiny_hardsigmoid({0})", lambda x: F.relu6(x + 3) / 6, SPECIAL, grad=True)
close("tiny_hardswish({0})", F.hardswish, [NAN, INF, 0.0, -0.0, 1.0, -1.0, 3.5, -3.5], grad=True)

ODD = [NAN, 0.0, -0.0, 2.0 ** -140, -2.0 ** -140, 0.5, -0.5, 1e-3, -1e-3]
WIDE = ODD + [INF, -INF, 1.0, -1.0, 3.0, -3.0]
for name in "expm1 sin tan sinh asinh atan tanh erf".split(): close("tiny_%s({0})" % name, getattr(torch, name), WIDE if name not in ("sin", "tan") else ODD, grad=True)
for name in "exp exp2 cos cosh sigmoid erfc".split(): close("tiny_%s({0})" % name, getattr(torch, name), WIDE if name != "cos" else ODD)
for name in "asin atanh erfinv".split(): close("tiny_%s({0})" % name, getattr(torch, name), ODD + [1.0, -1.0, 2.0])
for name in "log log2 log10 log1p acos acosh rsqrt lgamma".split(): close("tiny_%s({0})" % name, getattr(torch, name), WIDE)
close("tiny_digamma({0})", torch.digamma, [NAN, INF, 0.5, 2.0, 0.0, -0.0])
op("tiny_digamma", "tiny_digamma({0})", torch.digamma, [T(values=[INF, 0.5, 2.0, 0.0, -0.0])], tol=CLOSE)   # PyTorch's trigamma has 9 digits
for name, f in (("silu", F.silu), ("gelu", lambda x: x * 0.5 * torch.erfc(x * -0.5 ** 0.5)), ("softsign", F.softsign), ("tanhshrink", F.tanhshrink), ("logsigmoid", F.logsigmoid)):
    close("tiny_%s({0})" % name, f, [NAN, 0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 3.0, INF])

def pairs(values): return T(values=[a for a in values for b in values]), T(values=[b for a in values for b in values])
FEW = [NAN, INF, -INF, 0.0, -0.0, 1.0, -1.0, 2.5, -2.5, 0.75]
for name in "fmod remainder".split():
    op("tiny_" + name, "tiny_%s({0}, {1})" % name, getattr(torch, name), [pairs(FEW)], dtypes=FLOATS, grad=False, tol=EXACT)
for name in "floor trunc".split():
    op("tiny_%s_div" % name, "tiny_%s_div({0}, {1})" % name, lambda a, b, n=name: torch.div(a, b, rounding_mode=n), [pairs(FEW)], dtypes=FLOATS, grad=False, tol=EXACT)
FAR = [(T(values=[5.8, -5.8, 1e30, 3e38, -3e38, 1.0, 2.0 ** -149, -7.25]), T(values=[1.18e-38, 1.18e-38, 1e-30, 0.75, 3.0, 3e38, 3e38, -2.0 ** -140]))]
for name in "fmod remainder".split():
    op("tiny_" + name, "tiny_%s({0}, {1})" % name, getattr(torch, name), FAR, dtypes=["bf16", "f32"], grad=False, tol=EXACT)
op("tiny_floor_div", "tiny_floor_div({0}, {1})", lambda a, b: torch.div(a, b, rounding_mode="floor"), FAR, dtypes=["bf16", "f32"], grad=False, tol=CLOSE)
op("tiny_copysign", "tiny_copysign({0}, {1})", torch.copysign, [pairs(FEW[1:])], dtypes=FLOATS, grad=False, tol=EXACT)
for name in "add sub mul div".split():
    op("tiny_" + name, "tiny_%s({0}, {1})" % name, getattr(torch, name), [pairs(FEW)], dtypes=FLOATS, grad=False, tol=EXACT)
NONZERO = [x for x in FEW if x != 0]
for name in "maximum minimum fmax fmin".split():
    op("tiny_" + name, "tiny_%s({0}, {1})" % name, getattr(torch, name), [pairs(NONZERO + [0.0])], dtypes=FLOATS, grad=True, tol=EXACT)
for name in "atan2 hypot logaddexp pow heaviside".split():
    op("tiny_" + name, "tiny_%s({0}, {1})" % name, getattr(torch, name), [pairs(FEW)], dtypes=FLOATS, grad=False, tol=CLOSE)

# NaN in what is reduced. Among several PyTorch's max of all shares the gradient, its amax makes it NaN: each row is one of all.
NANS = [T(values=[[1.0, NAN, 3.0], [2.0, NAN, NAN], [5.0, 5.0, 1.0], [NAN, NAN, NAN], [NAN, INF, -INF], [-INF, -INF, INF]])]
def rows_of(f): return lambda x: torch.stack([f(row) for row in x])
for name in "max min".split():
    f = getattr(torch, name)
    op("tiny_a" + name, "tiny_a%s({0}, 1, 0)" % name, rows_of(f), NANS, dtypes=FLOATS, tol=CLOSE)
    op("tiny_a" + name, "tiny_a%s({0}, TINY_ALL, 0)" % name, f, NANS, dtypes=FLOATS, tol=CLOSE)
    op("tiny_%s" % name, "tiny_%s({0}, 1, 0, NULL)" % name, lambda x, f=f: f(x, 1)[0], [T(values=[[1.0, NAN, 3.0], [2.0, NAN, 1.0]])], dtypes=FLOATS, tol=EXACT)
    op("tiny_cum" + name, "tiny_cum%s({0}, 1, NULL)" % name, lambda x, n=name: getattr(torch, "cum" + n)(x, 1)[0], NANS, dtypes=FLOATS, tol=EXACT)
for p, order in ((INF, "HUGE_VAL"), (-INF, "-HUGE_VAL")):
    op("tiny_norm", "tiny_norm({0}, %s, 1, 0)" % order, lambda x, p=p: torch.linalg.vector_norm(x, p, 1), [T(values=[[1.0, NAN, 3.0], [2.0, NAN, NAN], [5.0, 5.0, 1.0]])], dtypes=FLOATS, tol=8)
op("tiny_max_pool1d", "tiny_max_pool1d({0}, 3, 1, 0)", lambda x: F.max_pool1d(x, 3, 1), [T(values=[[[1.0, NAN, 3.0, 2.0, 0.5, 7.0, NAN, 4.0]]])], dtypes=FLOATS, tol=EXACT)
op("tiny_median", "tiny_median({0}, 1, 0, NULL)", lambda x: x.median(1)[0], [T(values=[[1.0, NAN, 3.0], [2.0, 4.0, NAN]])], dtypes=FLOATS, tol=EXACT)
op("tiny_quantile", "tiny_quantile({0}, tiny_scalar(t, 0.25, TINY_F32), 1, 0)", lambda x: torch.quantile(x, 0.25, 1), [T(values=[[1.0, NAN, 3.0], [2.0, NAN, NAN], [5.0, 5.0, 1.0]])], dtypes=["f32", "f64"], tol=CLOSE)

# elu(-0) is the -0 of expm1, in PyTorch 1.13 it is 0: signs of zero do not count here; its gradient at NaN depends on the number of elements
for name, c, f in (("elu", "tiny_elu({0}, 1.5)", lambda x: F.elu(x, 1.5)), ("selu", "tiny_selu({0})", F.selu), ("celu", "tiny_celu({0}, 2)", lambda x: F.celu(x, 2.0))):
    op("tiny_" + name, c, f, [T(values=[INF, -INF, 0.0, -0.0, 0.5, -0.5, 2.0, -2.0, 2.0 ** -140, -2.0 ** -140])], dtypes=FLOATS, tol=8)

# where x is 0 and the logarithm infinite, x has no gradient, PyTorch's is infinite, and y's is 0, PyTorch's NaN: values alone there
for name in "xlogy xlog1py".split():
    f = getattr(torch.special, name)
    op("tiny_" + name, "tiny_%s({0}, {1})" % name, f, [pairs(FEW)], dtypes=FLOATS, grad=False)
    op("tiny_" + name, "tiny_%s({0}, {1})" % name, f, [(T(values=[0.0, -0.0, 1.0, 0.0, -0.0, NAN, 1.0, 1.0, -1.0]), T(values=[0.5, 2.5, INF, NAN, NAN, 0.75, 2.5, NAN, 0.25]))], dtypes=["f32", "f64"])
