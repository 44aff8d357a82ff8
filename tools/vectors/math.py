# functions of real numbers
from vectors import *

def function(name, f, inputs=ONES, **more):
    op("tiny_" + name, "tiny_%s({0})" % name, f, inputs, dtypes=FLOATS, **more)
def domain(lo, hi): return [T(lo=lo, hi=hi), T(5, lo=lo, hi=hi), T(3, 4, lo=lo, hi=hi), T(0, 3), T(2, 1, 33, lo=lo, hi=hi)]
EDGES = [T(values=[float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 100.0, -100.0])]

ROWS = [("exp", torch.exp, -3, 3), ("exp2", torch.exp2, -3, 3), ("expm1", torch.expm1, -3, 3), ("log", torch.log, 0.03125, 9), ("log2", torch.log2, 0.03125, 9),
        ("log10", torch.log10, 0.03125, 9), ("log1p", torch.log1p, -0.96875, 3), ("sqrt", torch.sqrt, 0.03125, 9), ("rsqrt", torch.rsqrt, 0.03125, 9),
        ("reciprocal", torch.reciprocal, 0.03125, 9), ("sin", torch.sin, -9, 9), ("cos", torch.cos, -9, 9), ("tan", torch.tan, -1.25, 1.25),
        ("asin", torch.asin, -0.96875, 1), ("acos", torch.acos, -0.96875, 1), ("atan", torch.atan, -9, 9), ("sinh", torch.sinh, -3, 3), ("cosh", torch.cosh, -3, 3),
        ("tanh", torch.tanh, -3, 3), ("asinh", torch.asinh, -9, 9), ("acosh", torch.acosh, 1.03125, 9), ("atanh", torch.atanh, -0.96875, 1),
        ("deg2rad", torch.deg2rad, -360, 360), ("rad2deg", torch.rad2deg, -9, 9), ("erf", torch.erf, -3, 3), ("erfc", torch.erfc, -3, 3),
        ("erfinv", torch.erfinv, -0.96875, 1), ("lgamma", torch.lgamma, 0.125, 12), ("digamma", torch.digamma, 0.125, 12)]
for name, f, lo, hi in ROWS:
    # PyTorch's digamma' is good to half of f64's digits
    tol = 16 if name in ("erfinv", "lgamma", "digamma") else 8 if name in ("tan", "atanh", "erfc") else 4
    function(name, f, domain(lo, hi), tol=tol, grad=name != "digamma")
    if name == "digamma": op("tiny_digamma", "tiny_digamma({0})", f, domain(lo, hi), tol=tol)
    function(name, f, EDGES, grad=False, tol=8)
    op("tiny_" + name, "tiny_%s({0})" % name, f, [T(4, lo=1, hi=2 if name in ("asin", "acos", "erfinv", "atanh") else 4)], dtypes=INTS + BOOLS, tol=8)
    op("tiny_" + name, "tiny_%s({0})" % name, f, domain(lo, hi)[:3], dtypes=FP8, grad=False, result=real)
function("lgamma", torch.lgamma, [T(20, lo=-4.71875, hi=-0.03125)], grad=False, tol=64)
op("tiny_digamma", "tiny_digamma({0})", torch.digamma, [T(values=[-0.25, -1.75, -2.375, -7.625])], tol=32)
op("tiny_digamma", "tiny_digamma({0})", torch.digamma, [T(5, lo=0.125, hi=12)], dtypes=["f64"], tol=2.0 ** 20)
op("tiny_sinc", "tiny_sinc({0})", torch.sinc, [T(values=[0.25, -0.5, 1.75, 2.5, -3.25, 0.0])] + ONES[:1], dtypes=FLOATS, tol=8)
op("tiny_sinc", "tiny_sinc({0})", lambda x: (x == 0).double(), [T(5), T(4, lo=0)], dtypes=BOOLS + INTS + UNSIGNED, result="f32")
op("tiny_cbrt", "tiny_cbrt({0})", lambda x: torch.sign(x) * torch.pow(torch.abs(x), 1 / 3), [T(20, values=[i / 8 for i in range(-10, 0)] + [i / 4 for i in range(1, 11)])], dtypes=FLOATS)
op("tiny_logit", "tiny_logit({0}, 0)", torch.logit, [T(3, 4, lo=0.03125, hi=1), T(lo=0.25, hi=0.5)], dtypes=FLOATS)
op("tiny_logit", "tiny_logit({0}, 0.125)", lambda x: torch.logit(x, 0.125), [T(3, 4, lo=-1, hi=2)], dtypes=FLOATS, grad=False)
POINTS = [(T(3, 4, lo=0.25), T(4, lo=-3, hi=-0.25)), (T(2, 1, 5, lo=0.5), T(3, 1, lo=0.5)), (T(7, lo=-3, hi=-0.5), T(7, lo=-3, hi=-0.25)), (T(lo=-2, hi=-1), T(3, lo=0.25)), (T(0, 3), T(1, 3))]
ALL_EDGES = [(T(values=[0.0, 0.0, -0.0, -0.0, float("inf"), float("-inf"), float("inf"), 1.0, -1.0, float("nan"), 3.0]),
              T(values=[0.0, -0.0, 0.0, -0.0, float("inf"), float("-inf"), 2.0, float("inf"), float("-inf"), 1.0, 0.0]))]
for name in ("atan2", "hypot", "logaddexp", "logaddexp2"):
    f = getattr(torch, name)
    op("tiny_" + name, "tiny_%s({0}, {1})" % name, f, POINTS, dtypes=FLOATS, tol=32 if name == "logaddexp2" else 4)   # a sum of gradients cancels
    op("tiny_" + name, "tiny_%s({0}, {1})" % name, f, ALL_EDGES, dtypes=["f32", "f64"], grad=False)
op("tiny_atan2", "tiny_atan2({0}, {1})", torch.atan2, POINTS, dtypes=INTS, grad=False)
op("tiny_logaddexp", "tiny_logaddexp({0}, {1})", torch.logaddexp, [(T(values=[2.0, -1.0]), T(values=[2.0, -1.0]))], dtypes=["f32", "f64"])
op("tiny_xlogy", "tiny_xlogy({0}, {1})", torch.xlogy, [(T(3, 4), T(4, lo=0.25, hi=5)), (T(values=[0.0, 0.0, 0.0, 2.0, 3.0]), T(values=[0.0, float("inf"), float("nan"), 0.5, 1.0]))], dtypes=FLOATS, grad=False)
op("tiny_xlogy", "tiny_xlogy({0}, {1})", torch.xlogy, [(T(3, 4), T(4, lo=0.25, hi=5)), (T(values=[0.0, 2.0]), T(values=[2.0, 4.0]))], dtypes=["f32", "f64"])
