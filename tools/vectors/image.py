# Other sizes, other places: interpolate, grid_sample, affine_grid, shuffles.
from vectors import *

def i(**k):
    return "&(tiny_interpolate_desc){{%s}}" % ", ".join(".%s = %s" % (n, "{{%s}}" % ", ".join(map(str, v)) if isinstance(v, tuple) else v) for n, v in k.items())
def x(*dims): return T(*dims, lo=-2, hi=2)
LINEAR = ["linear", "bilinear", "trilinear"]
SHAPES = {1: (2, 2, 5), 2: (1, 2, 4, 5), 3: (1, 1, 3, 4, 2)}

def resize(n, mode, torch_mode, c, dtypes=("f32",), shape=None, **k):
    op("tiny_interpolate", "tiny_interpolate({0}, %s)" % i(mode="TINY_" + mode, **c), lambda x, k=k: F.interpolate(x, mode=torch_mode, **k), [x(*(shape or SHAPES[n]))], dtypes=dtypes, tol=64 if "f64" in dtypes else 16)

for n, sizes in (1, [(9,), (3,), (10,), (5,), (1,)]), (2, [(7, 9), (8, 10), (2, 3), (4, 1), (1, 8)]), (3, [(5, 3, 4), (6, 8, 4), (2, 2, 1)]):
    for size in sizes:
        d = FLOATS if size in ((7, 9), (9,)) else ("f32",)
        resize(n, "NEAREST", "nearest", dict(size=size), FLOATS + ["u8"] if size == (7, 9) else d, size=size)
        resize(n, "NEAREST_EXACT", "nearest-exact", dict(size=size), d, size=size)
        resize(n, "AREA", "area", dict(size=size), d, size=size)
        for align in 0, 1:
            resize(n, "LINEAR", LINEAR[n - 1], dict(size=size, align_corners=align), d, size=size, align_corners=bool(align))
            if n == 2: resize(n, "CUBIC", "bicubic", dict(size=size, align_corners=align), d, size=size, align_corners=bool(align))
for scale in 2, 1.5, 0.7, 3, 2.6:
    for n in 1, 2:
        c = dict(scale=(scale,) * n)
        resize(n, "NEAREST", "nearest", c, scale_factor=scale)
        resize(n, "NEAREST_EXACT", "nearest-exact", c, scale_factor=scale)
        resize(n, "AREA", "area", c, scale_factor=scale)
        for align in 0, 1:
            c = dict(scale=(scale,) * n, align_corners=align)
            resize(n, "LINEAR", LINEAR[n - 1], c, scale_factor=scale, align_corners=bool(align))
            if n == 2: resize(n, "CUBIC", "bicubic", c, scale_factor=scale, align_corners=bool(align))
op("tiny_interpolate", "tiny_interpolate({0}, %s)" % i(size=(4, 6)), lambda x: F.interpolate(x, size=(4, 6)), [T(0, 2, 2, 3)])

def g(**k): return i(**k).replace("interpolate", "grid")
PADS = [("ZEROS", "zeros"), ("REPLICATE", "border"), ("REFLECT", "reflection")]
for n, shape, grid in (2, (2, 2, 4, 5), (2, 3, 4, 2)), (3, (1, 2, 3, 4, 2), (1, 2, 2, 3, 3)):
    for mode, name in ("LINEAR", "bilinear"), ("NEAREST", "nearest"), ("CUBIC", "bicubic"):
        if mode == "CUBIC" and n == 3: continue
        for pad, pad_name in PADS:
            for align in 0, 1:
                # grids at multiples of 1/32 plus 1/97: no position lies on a kink
                c = "tiny_grid_sample({0}, tiny_add({1}, tiny_like({1}, 1.0 / 97)), %s)" % g(mode="TINY_" + mode, padding="TINY_PAD_" + pad, align_corners=align)
                op("tiny_grid_sample", c, lambda x, y, m=name, p=pad_name, a=align: F.grid_sample(x, y + 1 / 97, mode=m, padding_mode=p, align_corners=bool(a)),
                   [(x(*shape), T(*grid, lo=-1.6, hi=1.6))], dtypes=["f32", "f64"] if n == 2 else ["f32"], tol=128)
op("tiny_grid_sample", "tiny_grid_sample({0}, {1}, NULL)", lambda x, y: F.grid_sample(x, y, align_corners=False),
   [(x(1, 2, 4, 4), T(1, 3, 3, 2, lo=-1.2, hi=1.2)), (T(0, 2, 4, 4), T(0, 3, 3, 2)), (T(1, 2, 4, 4), T(1, 0, 3, 2)), (T(1, 1, 4, 4), T(1, 2, 1, 2, values=[[[[-1, -1]], [[1, 1]]]]))],
   dtypes=FLOATS, grad=False, tol=8)
for align in 0, 1:
    for size in (2, 1, 3, 4), (1, 3, 1, 5):
        op("tiny_affine_grid", "tiny_affine_grid({0}, TINY_SHAPE%s, %d)" % (size, align), lambda t, s=size, a=align: F.affine_grid(t, s, align_corners=bool(a)), [T(size[0], 2, 3)], dtypes=FLOATS, tol=8)
    op("tiny_affine_grid", "tiny_affine_grid({0}, TINY_SHAPE(2, 1, 2, 3, 4), %d)" % align, lambda t, a=align: F.affine_grid(t, (2, 1, 2, 3, 4), align_corners=bool(a)), [T(2, 3, 4)], tol=8)

op("tiny_pixel_shuffle", "tiny_pixel_shuffle({0}, 2)", lambda x: F.pixel_shuffle(x, 2), [T(2, 8, 3, 2), T(4, 2, 3), T(1, 2, 4, 1, 2)], dtypes=FLOATS + ["i32"])
op("tiny_pixel_shuffle", "tiny_pixel_shuffle({0}, 3)", lambda x: F.pixel_shuffle(x, 3), [T(1, 9, 2, 3)])
op("tiny_pixel_unshuffle", "tiny_pixel_unshuffle({0}, 2)", lambda x: F.pixel_unshuffle(x, 2), [T(2, 3, 4, 6), T(1, 2, 2), T(2, 1, 2, 2, 4)], dtypes=FLOATS + ["i32"])
# of nothing PyTorch 1.13 gives the shape of x
for name, shape, to in ("pixel_shuffle", (0, 8, 3, 2), (0, 2, 6, 4)), ("pixel_unshuffle", (0, 3, 4, 6), (0, 12, 2, 3)):
    op("tiny_" + name, "tiny_%s({0}, 2)" % name, lambda x, to=to: x.reshape(to), [T(*shape)])
op("tiny_channel_shuffle", "tiny_channel_shuffle({0}, 3)", lambda x: x.reshape(x.shape[0], 3, -1, *x.shape[2:]).transpose(1, 2).reshape(x.shape), [T(2, 6, 2, 3), T(1, 9, 4)], dtypes=FLOATS + ["i32"])
