# Convolution, its transpose, unfold and fold.
from vectors import *

def d(**k):                                # a descriptor in C
    return "&(tiny_conv_desc){{%s}}" % ", ".join(".%s = %s" % (n, "{{%s}}" % ", ".join(map(str, v)) if isinstance(v, tuple) else v) for n, v in k.items())
def x(*dims): return T(*dims, lo=-2, hi=2)

def conv(n, c, torch_args, shapes, dtypes=("f32",), bias=True):
    f = [F.conv1d, F.conv2d, F.conv3d][n - 1]
    for name in ["tiny_conv%dd" % n] + (["tiny_conv"] if dtypes != ("f32",) else []):
        op(name, "%s({0}, {1}, %s, %s)" % (name, "{2}" if bias else "NULL", c), lambda *a: f(*a, **torch_args), shapes, dtypes=dtypes, tol=8)

# the dtypes, and what may be missing
conv(2, "NULL", {}, [(x(2, 4, 5, 6), x(3, 4, 3, 2), x(3)), (x(3, 4, 4), x(2, 3, 1, 1), x(2)), (x(0, 2, 4, 4), x(3, 2, 2, 2), x(3))], FLOATS)
conv(2, "NULL", {}, [(x(1, 2, 5, 5), x(3, 2, 5, 5))], FLOATS, bias=False)
conv(1, "NULL", {}, [(x(2, 3, 7), x(4, 3, 3), x(4)), (x(3, 5), x(2, 3, 5), x(2))], FLOATS)
conv(3, "NULL", {}, [(x(1, 2, 3, 4, 3), x(3, 2, 2, 2, 2), x(3)), (x(2, 3, 3, 3), x(2, 2, 1, 2, 3), x(2))], FLOATS)
op("tiny_conv2d", "tiny_conv2d({0}, {1}, NULL, NULL)", F.conv2d, [(x(1, 2, 4, 5), x(3, 2, 2, 2))], dtypes=["i32", "i64"])

# strides, pads, dilations, groups
for stride in 1, 2, 3:
    for pad in 0, 1, 3:
        for dilation in 1, 2:
            k = dict(stride=stride, padding=pad, dilation=dilation)
            conv(1, d(stride=(stride,), pad=(pad,), dilation=(dilation,)), k, [(x(1, 2, 9), x(2, 2, 4), x(2))])
            if stride != dilation + 1:
                conv(2, d(stride=(stride, 1), pad=(pad, 1), dilation=(1, dilation)), dict(stride=(stride, 1), padding=(pad, 1), dilation=(1, dilation)),
                     [(x(1, 2, 6, 7), x(3, 2, 3, 2), x(3))])
conv(2, d(stride=(2, 2), pad=(1, 1), groups=2), dict(stride=2, padding=1, groups=2), [(x(2, 4, 5, 5), x(6, 2, 3, 3), x(6))])
conv(2, d(pad=(1, 1), groups=4), dict(padding=1, groups=4), [(x(1, 4, 4, 5), x(4, 1, 3, 3), x(4)), (x(1, 4, 4, 5), x(8, 1, 3, 3), x(8))])
conv(1, d(dilation=(3,), groups=3), dict(dilation=3, groups=3), [(x(2, 6, 8), x(3, 2, 2), x(3))])
conv(3, d(stride=(1, 2, 1), pad=(0, 1, 2), dilation=(1, 1, 2), groups=2), dict(stride=(1, 2, 1), padding=(0, 1, 2), dilation=(1, 1, 2), groups=2),
     [(x(1, 4, 3, 4, 4), x(2, 2, 2, 2, 2), x(2))])
# pads of one side, and pads made of the image
for before, after in (2, 0), (0, 2), (1, 3):
    op("tiny_conv1d", "tiny_conv1d({0}, {1}, NULL, %s)" % d(pad=(before,), pad_after=(after - before,), stride=(2,)),
       lambda x, w, b=before, a=after: F.conv1d(F.pad(x, (b, a)), w, stride=2), [(x(1, 2, 6), x(2, 2, 3))])
for k in 1, 2, 3, 4:
    conv(1, d(same=1), dict(padding="same"), [(x(1, 2, 5), x(2, 2, k), x(2))])
conv(2, d(same=1, dilation=(1, 2)), dict(padding="same", dilation=(1, 2)), [(x(2, 1, 4, 6), x(2, 1, 3, 2), x(2))])
for name, mode in ("REFLECT", "reflect"), ("REPLICATE", "replicate"), ("CIRCULAR", "circular"):
    for n, p, shape, w in (1, (2,), (1, 2, 5), (2, 2, 3)), (2, (1, 3), (2, 1, 4, 5), (2, 1, 3, 3)), (3, (1, 2, 1), (1, 1, 3, 3, 4), (1, 1, 2, 3, 2)):
        op("tiny_conv%dd" % n, "tiny_conv%dd({0}, {1}, NULL, %s)" % (n, d(pad=p, padding="TINY_PAD_" + name)),
           lambda x, w, n=n, p=p, m=mode: [F.conv1d, F.conv2d, F.conv3d][n - 1](F.pad(x, [v for q in p[::-1] for v in (q, q)], mode=m), w), [(x(*shape), x(*w))], tol=8)

def transpose(n, c, torch_args, shapes, dtypes=("f32",), bias=True):
    f = [F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d][n - 1]
    for name in ["tiny_conv_transpose%dd" % n] + (["tiny_conv_transpose"] if dtypes != ("f32",) else []):
        op(name, "%s({0}, {1}, %s, %s)" % (name, "{2}" if bias else "NULL", c), lambda *a: f(*a, **torch_args), shapes, dtypes=dtypes, tol=8)
transpose(1, "NULL", {}, [(x(2, 3, 4), x(3, 2, 3), x(2)), (x(3, 4), x(3, 2, 1), x(2))], FLOATS)
transpose(2, "NULL", {}, [(x(2, 3, 3, 4), x(3, 2, 2, 3), x(2)), (x(0, 3, 3, 4), x(3, 2, 2, 3), x(2))], FLOATS)
transpose(3, "NULL", {}, [(x(1, 2, 2, 3, 2), x(2, 3, 2, 1, 2), x(3))], FLOATS)
for stride in 1, 2, 3:
    for dilation in 1, 2, 3:
        for pad, more in (0, 0), (1, 0), (2, 1):
            if more >= max(stride, dilation): continue
            k = dict(stride=stride, padding=pad, dilation=dilation, output_padding=more)
            transpose(1, d(stride=(stride,), pad=(pad,), dilation=(dilation,), output_pad=(more,)), k, [(x(1, 2, 5), x(2, 2, 4), x(2)), (x(1, 2, 5), x(2, 1, 2), x(1))])
transpose(2, d(stride=(2, 2), pad=(1, 1), output_pad=(1, 1), groups=2), dict(stride=2, padding=1, output_padding=1, groups=2), [(x(2, 4, 3, 3), x(4, 3, 3, 3), x(6))])
transpose(2, d(stride=(2, 2)), dict(stride=2), [(x(1, 3, 3, 4), x(3, 2, 2, 2), x(2))])
transpose(2, d(stride=(3, 1), pad=(2, 0), dilation=(2, 3), output_pad=(2, 2)), dict(stride=(3, 1), padding=(2, 0), dilation=(2, 3), output_padding=(2, 2)), [(x(1, 2, 3, 4), x(2, 1, 2, 2), x(1))])
transpose(3, d(stride=(2, 1, 2), pad=(1, 0, 1), groups=2, output_pad=(1, 0, 0)), dict(stride=(2, 1, 2), padding=(1, 0, 1), groups=2, output_padding=(1, 0, 0)),
          [(x(1, 2, 3, 2, 2), x(2, 2, 3, 2, 2), x(4))])

def p(**k): return d(**k).replace("conv", "pool")
for k, s, pad, dil in ((2, 2), 1, 0, 1), ((2, 3), 2, 1, 1), ((3, 2), 1, 2, 2), ((2, 2), 3, 0, 1), ((2, 2), 2, 0, 1), ((3, 3), 2, 1, 2):
    c = p(kernel=k, stride=(s, s), pad=(pad, pad), dilation=(dil, dil))
    f = dict(kernel_size=k, stride=s, padding=pad, dilation=dil)
    op("tiny_unfold", "tiny_unfold({0}, %s)" % c, lambda x, f=f: F.unfold(x, **f), [x(2, 3, 5, 6), x(2, 5, 5)], dtypes=FLOATS if s == 1 else ("f32",))
    for size in (5, 6), (7, 5):
        n = [(size[i] + 2 * pad - dil * (k[i] - 1) - 1) // s + 1 for i in range(2)]
        op("tiny_fold", "tiny_fold({0}, TINY_SHAPE%s, %s)" % (size, c), lambda x, f=f, size=size: F.fold(x, size, **f),
           [x(2, 2 * k[0] * k[1], n[0] * n[1]), x(k[0] * k[1], n[0] * n[1])], dtypes=FLOATS if s == 1 else ("f32",))
