# functions of mathematical physics; where PyTorch's are not good to the last digits of f64, mpmath's
from vectors import *
import mpmath
mpmath.mp.dps = 30
nan, inf = float("nan"), float("inf")

def exactly(f, slope):
    """f(.., x) by mpmath as a function of tensors, with slope(.., x) for its gradient by the last of them."""
    def each(g, tensors):
        return torch.tensor([float(g(*map(mpmath.mpf, v))) for v in zip(*(t.detach().double().reshape(-1).tolist() for t in tensors))], dtype=torch.float64).reshape(tensors[-1].shape)
    class Exact(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *tensors):
            ctx.save_for_backward(*tensors)
            return each(f, tensors)
        @staticmethod
        def backward(ctx, g):
            return (None,) * (len(ctx.saved_tensors) - 1) + (g * each(slope, ctx.saved_tensors),)
    return lambda *tensors: Exact.apply(*torch.broadcast_tensors(*tensors))

def domain(lo, hi): return [T(lo=lo, hi=hi), T(5, lo=lo, hi=hi), T(3, 4, lo=lo, hi=hi), T(0, 3)]
for name in ("i0", "i0e", "i1", "i1e"):
    f = getattr(torch.special, name)
    op("tiny_" + name, "tiny_%s({0})" % name, f, domain(-7, 7), dtypes=FLOATS, tol=16)
    op("tiny_" + name, "tiny_%s({0})" % name, f, [T(16, lo=-40, hi=40)], dtypes=["f32", "f64"], tol=16, grad=not name.endswith("e"))
    ends = f if name.endswith("e") else lambda x, f=f, odd=name == "i1": torch.where(torch.isinf(x), x if odd else x.abs(), f(x))     # PyTorch says NaN
    op("tiny_" + name, "tiny_%s({0})" % name, ends, [T(values=[nan, inf, -inf, 0.0, -0.0, 10.0, -10.0, 20.0, 1e-20])], dtypes=["f32", "f64"], grad=False, tol=8)
    op("tiny_" + name, "tiny_%s({0})" % name, f, [T(4, lo=0, hi=6)], dtypes=INTS + BOOLS, tol=8)

for n in (0, 1, 2, 5, 24):
    psi = exactly(lambda x, n=n: mpmath.psi(n, x), lambda x, n=n: mpmath.psi(n + 1, x))
    op("tiny_polygamma", "tiny_polygamma(%d, {0})" % n, psi, [T(7, lo=0.5, hi=12)] if n > 5 else [T(7, lo=0.125, hi=12), T(lo=1, hi=2)] if n else [T(7, lo=0.125, hi=12)], dtypes=["f32", "f64"] if n in (0, 24) else FLOATS if n < 5 else ["f16", "f32", "f64"] if n == 3 else ["f32", "f64"], tol=64 if n == 24 else 16, grad=n > 0, result=real)
    if n in (1, 2, 5): op("tiny_polygamma", "tiny_polygamma(%d, {0})" % n, psi, [T(values=[-0.25, -1.75, -2.375, -7.625, 30.0, 1000.0])], dtypes=["f32", "f64"], tol=32, result=real)
for n, end in ((1, inf), (2, -inf)):                      # PyTorch adds up rounded cotangents at whole numbers
    op("tiny_polygamma", "tiny_polygamma(%d, {0})" % n, lambda x, end=end: torch.where(torch.isnan(x), x, torch.where(x > 0, 0 * torch.ones_like(x), end * torch.ones_like(x))), [T(values=[nan, inf, 0.0, -0.0, -1.0, -7.0])], dtypes=["f32", "f64"], grad=False)

POINTS = [(T(3, 4), T(4, lo=-0.9375, hi=5)), (T(values=[0.0, 0.0, 0.0, 2.0, 3.0]), T(values=[-1.0, inf, nan, 0.5, 1.0]))]
op("tiny_xlog1py", "tiny_xlog1py({0}, {1})", torch.special.xlog1py, POINTS, dtypes=FLOATS, grad=False)
op("tiny_xlog1py", "tiny_xlog1py({0}, {1})", torch.special.xlog1py, [(T(3, 4), T(4, lo=-0.75, hi=5)), (T(), T(3, lo=0, hi=5)), (T(2, 1), T(0)), (T(values=[0.0, 2.0]), T(values=[2.0, 4.0]))], dtypes=["f32", "f64"])

lower = lambda a, x: mpmath.gammainc(a, 0, x, regularized=True)
upper = lambda a, x: mpmath.gammainc(a, x, mpmath.inf, regularized=True)
density = lambda a, x: mpmath.exp((a - 1) * mpmath.log(x) - x - mpmath.loggamma(a))
NEAR = [(T(5, lo=0.125, hi=6), T(5, lo=0.0625, hi=9)), (T(3, 1, lo=0.0625, hi=3), T(4, lo=0.0625, hi=1)), (T(lo=1, hi=2), T(lo=1, hi=2))]
LARGE = [(T(values=[20.0, 20.0, 20.0, 100.0, 100.0, 1000.0, 1000.0, 9.0, 0.03125, 0.03125]), T(values=[12.0, 20.0, 31.0, 100.5, 84.0, 1010.0, 960.0, 1.5, 2.0, 0.015625]))]
for name, of, slope, torchs in (("igamma", lower, density, torch.igamma), ("igammac", upper, lambda a, x: -density(a, x), torch.igammac)):
    f = exactly(of, slope)
    op("tiny_" + name, "tiny_%s({0}, {1})" % name, f, NEAR, dtypes=FLOATS, tol=16, result=real)
    op("tiny_" + name, "tiny_%s({0}, {1})" % name, f, LARGE, dtypes=["f32", "f64"], tol=32, result=real)
    op("tiny_" + name, "tiny_%s({0}, {1})" % name, f, [(T(values=[1.0, 1.5, 3.0, 7.5, 0.3125, 0.5, 2.0, 0.0009765625]), T(values=[4.9e-34, 1e-20, 1.37e-12, 0.0489, 1e-30, 1e-37, 1e-17, 1e-37]))], dtypes=["f32", "f64"], tol=-8, result=real)
    ends = (T(values=[0.0, 0.0, 1.0, 1.0, inf, inf, -1.0, 1.0, nan, 0.5, 2.0, 0.0, 3.0]), T(values=[0.0, 1.0, 0.0, inf, 1.0, inf, 1.0, -1.0, 1.0, 0.0, 1e9, inf, nan]))
    op("tiny_" + name, "tiny_%s({0}, {1})" % name, torchs, [ends, (T(0, 3), T(1, 3))], dtypes=["f32", "f64"], grad=False)
    op("tiny_" + name, "tiny_%s({0}, {1})" % name, f, [(T(4, lo=1, hi=5), T(4, lo=1, hi=5))], dtypes=INTS, grad=False, tol=8, result="f32")
    op("tiny_" + name, "tiny_%s({0}, {1})" % name, f, [(T(values=[1, 1]), T(values=[1, 1]))], dtypes=BOOLS, grad=False, tol=8, result="f32")
