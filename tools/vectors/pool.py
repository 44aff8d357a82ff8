# Pooling: maxima with places, means, norms, adaptive windows, and the way back.
from vectors import *

def p(**k):
    return "&(tiny_pool_desc){{%s}}" % ", ".join(".%s = %s" % (n, "{{%s}}" % ", ".join(map(str, v)) if isinstance(v, tuple) else v) for n, v in k.items())
def x(*dims): return T(*dims, distinct=True)
MAX = [F.max_pool1d, F.max_pool2d, F.max_pool3d]
AVG = [F.avg_pool1d, F.avg_pool2d, F.avg_pool3d]
SHAPES = {1: [(2, 3, 9), (2, 8)], 2: [(2, 2, 6, 7), (1, 7, 5)], 3: [(1, 2, 4, 5, 4)]}

# the same in all dims
for n in 1, 2, 3:
    for k, s, pad in (2, 0, 0), (3, 2, 1), (2, 1, 1), (2, 3, 0), (3, 1, 0):
        f = dict(kernel_size=k, stride=s or None, padding=pad)
        dtypes = FLOATS if (k, n) == (3, 2) else ("f32",)
        op("tiny_max_pool%dd" % n, "tiny_max_pool%dd({0}, %d, %d, %d)" % (n, k, s, pad), lambda x, n=n, f=f: MAX[n - 1](x, **f), [x(*v) for v in SHAPES[n]], dtypes=dtypes)
        op("tiny_avg_pool%dd" % n, "tiny_avg_pool%dd({0}, %d, %d, %d)" % (n, k, s, pad), lambda x, n=n, f=f: AVG[n - 1](x, **f), [x(*v) for v in SHAPES[n]], dtypes=dtypes, result=real)
op("tiny_max_pool2d", "tiny_max_pool2d({0}, 2, 1, 1)", lambda x: F.max_pool2d(x.double(), 2, 1, 1).to(x.dtype), [T(1, 2, 4, 5)], dtypes=["i8", "u8", "i32"])

# places, dilations, ceil_mode
for k, s, pad, dil in ((2, 3), (0, 0), (0, 0), (1, 1)), ((3, 2), (2, 2), (1, 1), (1, 1)), ((3, 3), (1, 2), (1, 1), (2, 1)), ((2, 2), (3, 3), (1, 0), (1, 2)), ((2, 2), (2, 2), (0, 1), (2, 2)):
    for ceil in 0, 1:
        f = dict(kernel_size=k, stride=tuple(b or a for a, b in zip(k, s)), padding=pad, dilation=dil, ceil_mode=bool(ceil), return_indices=True)
        c = p(kernel=k, stride=s, pad=pad, dilation=dil, ceil_mode=ceil)
        def both(x, f=f):
            y, i = F.max_pool2d(x, **f)
            return y, i.int()
        op("tiny_max_pool", "out[0] = tiny_max_pool({0}, %s, &out[1]); return 2;" % c, both, [x(2, 1, 6, 7), x(1, 5, 5)], dtypes=FLOATS if (s, ceil) == ((2, 2), 1) else ("f32",))
for n, shape, k in (1, (2, 2, 9), (3,)), (3, (1, 2, 4, 5, 4), (2, 2, 3)):
    for ceil in 0, 1:
        f = dict(kernel_size=k, stride=2, padding=1, ceil_mode=bool(ceil), return_indices=True)
        def both(x, f=f, n=n):
            y, i = MAX[n - 1](x, **f)
            return y, i.int()
        op("tiny_max_pool", "out[0] = tiny_max_pool({0}, %s, &out[1]); return 2;" % p(kernel=k, stride=(2, 2, 2)[:n], pad=(1, 1, 1)[:n], ceil_mode=ceil), both, [x(*shape)])
op("tiny_max_pool", "out[0] = tiny_max_pool({0}, %s, &out[1]); return 2;" % p(kernel=(2, 2), stride=(1, 1), pad=(1, 1)),
   lambda x: (lambda y, i: (y, i.int()))(*F.max_pool2d(x, 2, 1, 1, return_indices=True)), [T(1, 1, 3, 3, values=np.full((1, 1, 3, 3), -np.inf)), T(1, 1, 2, 3, values=np.ones((1, 1, 2, 3)))], grad=False)

# what a mean is divided by
for k, s, pad in ((2, 3), (2, 2), (1, 1)), ((3, 3), (2, 1), (1, 1)), ((3, 2), (3, 2), (0, 0)), ((2, 2), (3, 3), (1, 1)):
    for ceil in 0, 1:
        for exclude, divisor in (0, 0), (1, 0), (0, 5):
            f = dict(kernel_size=k, stride=s, padding=pad, ceil_mode=bool(ceil), count_include_pad=not exclude, divisor_override=divisor or None)
            op("tiny_avg_pool", "tiny_avg_pool({0}, %s)" % p(kernel=k, stride=s, pad=pad, ceil_mode=ceil, exclude_pad=exclude, divisor=divisor),
               lambda x, f=f: F.avg_pool2d(x, **f), [x(2, 2, 6, 7), x(1, 5, 5)], dtypes=FLOATS if (s, ceil, divisor) == ((2, 2), 1, 0) else ("f32",), result=real)
for n, k in (1, (3,)), (3, (2, 3, 2)):
    for exclude in 0, 1:
        f = dict(kernel_size=k, stride=2, padding=1, ceil_mode=True, count_include_pad=not exclude)
        op("tiny_avg_pool", "tiny_avg_pool({0}, %s)" % p(kernel=k, stride=(2, 2, 2)[:n], pad=(1, 1, 1)[:n], ceil_mode=1, exclude_pad=exclude),
           lambda x, f=f, n=n: AVG[n - 1](x, **f), [x(*SHAPES[n][0])], result=real)

for n, norm in (1, 1), (1, 2), (2, 2), (2, 3), (2, 1.5):
    for k, s, ceil in (2, 0, 0), (3, 2, 0), (3, 2, 1):
        op("tiny_lp_pool", "tiny_lp_pool({0}, %s, %s)" % (norm, p(kernel=(k,) * n, stride=(s,) * n, ceil_mode=ceil)),
           lambda x, n=n, norm=norm, k=k, s=s, ceil=ceil: [F.lp_pool1d, F.lp_pool2d][n - 1](x, norm, k, s or None, bool(ceil)),
           [T(*SHAPES[n][0], lo=0.25, hi=3)], dtypes=FLOATS if (norm, s) == (2, 2) else ("f32",), tol=16)

AAVG = [F.adaptive_avg_pool1d, F.adaptive_avg_pool2d, F.adaptive_avg_pool3d]
AMAX = [F.adaptive_max_pool1d, F.adaptive_max_pool2d, F.adaptive_max_pool3d]
for n, shape, outs in (1, (2, 3, 7), [(1,), (3,), (7,), (10,)]), (1, (2, 8), [(4,), (5,)]), (2, (2, 2, 6, 7), [(1, 1), (3, 7), (4, 3), (2, 9), (5, 6)]), (3, (1, 2, 4, 5, 3), [(2, 3, 2), (2, 5, 1), (5, 2, 3)]):
    for o in outs:
        shapes = [x(*shape)]
        dtypes = FLOATS if o in ((4, 3), (3, 7), (3,)) else ("f32",)
        op("tiny_adaptive_avg_pool", "tiny_adaptive_avg_pool({0}, TINY_SHAPE(%s))" % ", ".join(map(str, o)), lambda x, n=n, o=o: AAVG[n - 1](x, o), shapes, dtypes=dtypes, tol=8)
        def both(x, n=n, o=o):
            y, i = AMAX[n - 1](x, o, return_indices=True)
            return y, i.int()
        op("tiny_adaptive_max_pool", "out[0] = tiny_adaptive_max_pool({0}, TINY_SHAPE(%s), &out[1]); return 2;" % ", ".join(map(str, o)), both, shapes, dtypes=dtypes)
op("tiny_adaptive_avg_pool", "tiny_adaptive_avg_pool({0}, TINY_SHAPE(-1, 2))", lambda x: F.adaptive_avg_pool2d(x, (None, 2)), [x(2, 3, 5), x(0, 3, 4, 5)])

UN = [F.max_unpool1d, F.max_unpool2d, F.max_unpool3d]
for n, shape, k, s, pad in (1, (2, 2, 8), 2, 2, 0), (1, (2, 9), 3, 3, 0), (2, (2, 2, 6, 7), 2, 2, 0), (2, (1, 2, 7, 7), 3, 3, 1), (3, (1, 2, 4, 4, 6), 2, 2, 0):
    size = shape[-n:]
    def back(x, n=n, k=k, s=s, pad=pad, size=size):
        y, i = MAX[n - 1](x, k, s, pad, return_indices=True)
        return UN[n - 1](y * 2, i, k, s, pad, output_size=size)
    c = p(kernel=(k,) * n, stride=(s,) * n, pad=(pad,) * n)
    op("tiny_max_unpool", "tiny_tensor *i, *y = tiny_max_pool({0}, %s, &i); out[0] = tiny_max_unpool(tiny_add(y, y), i, %s, TINY_SHAPE(%s)); return 1;" % (c, c, ", ".join(map(str, size))),
       back, [x(*shape)], dtypes=FLOATS if n == 2 else ("f32",))
op("tiny_max_unpool", "tiny_tensor *i, *y = tiny_max_pool({0}, %s, &i); out[0] = tiny_max_unpool(y, i, %s, TINY_SHAPE()); return 1;" % ((p(kernel=(3, 3), stride=(2, 2)),) * 2),
   lambda x: (lambda y, i: F.max_unpool2d(y, i, 3, 2))(*F.max_pool2d(x, 3, 2, return_indices=True)), [x(1, 2, 7, 5)], grad=False)
