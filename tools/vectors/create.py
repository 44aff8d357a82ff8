from vectors import *

# Ranges: of PyTorch's own dtypes; each operator with none, one and several elements, both ways.
C = {d: d.upper() for d in EVERY}
def made(c, d, values):
    """An operator without inputs: what it gives in dtype d, from float64 values."""
    op(c[:c.index("(")], c % C[d], lambda v=values: v.double(), [()], result=d)
for d in EVERY:
    made("tiny_full(t, 1, TINY_%s, TINY_SHAPE(2, 3))", d, torch.ones(2, 3))
    made("tiny_zeros(t, TINY_%s, TINY_SHAPE(0, 3))", d, torch.zeros(0, 3))
    made("tiny_ones(t, TINY_%s, TINY_SHAPE())", d, torch.ones(()))
    made("tiny_eye(t, 3, TINY_%s)", d, torch.eye(3))
    for n, m, k in ((3, 4, 0), (4, 2, -1), (3, 3, 2), (2, 3, 9), (2, 3, -9), (0, 3, 0)):
        made("tiny_eye_nm(t, %d, %d, %d, TINY_%%s)" % (n, m, k), d, torch.from_numpy(np.eye(n, m, k)))
        made("tiny_tri(t, %d, %d, %d, TINY_%%s)" % (n, m, k), d, torch.from_numpy(np.tri(n, m, k)))
for d in EVERY[1:]:
    for a, b, s in ((0, 5, 1), (2, 2, 1)) + (() if d[0] == "u" else ((5, -5, -3), (-3, 4, 2))):
        made("tiny_arange(t, %d, %d, %d, TINY_%%s)" % (a, b, s), d, torch.arange(a, b, s))
    if is_float(d): made("tiny_arange(t, 1, 2, 0.25, TINY_%s)", d, torch.arange(1, 2, 0.25))
    for a, b, n in ((1, 7, 1), (1, 2, 0), (0, 10, 4), (0, 10, 6)) + (() if d[0] == "u" else ((0, 1, 5), (-3, 8, 12), (2, 2, 3), (5, -5, 11), (-1, 6, 33))):
        made("tiny_linspace(t, %d, %d, %d, TINY_%%s)" % (a, b, n), d, torch.linspace(a, b, n, dtype=torch.float64))
for d in FP8 + FLOATS:
    for a, b, n, base in ((0, 3, 4, 2), (-2, 2, 9, 2), (1, -1, 5, 2.5), (2, 2, 1, 3), (0, 1, 0, 3)) + (((0, 3, 4, 10),) if d not in FP8 else ()):
        made("tiny_logspace(t, %d, %d, %d, %s, TINY_%%s)" % (a, b, n, base), d, torch.logspace(a, b, n, base, dtype=torch.float64))
op("tiny_full_like", "tiny_full_like({0}, 3)", lambda x: torch.full_like(x, 3), [T(2, 3), T(), T(0, 2)], dtypes=INTS + FLOATS, grad=False)
op("tiny_zeros_like", "tiny_zeros_like({0})", torch.zeros_like, [T(2, 3), T()], dtypes=ALL, grad=False)
op("tiny_ones_like", "tiny_ones_like({0})", torch.ones_like, [T(2, 3), T()], dtypes=ALL, grad=False)
op("tiny_like", "tiny_like({0}, 2)", lambda x: torch.full((), 2, dtype=x.dtype), [T(2, 3)], dtypes=INTS + FLOATS, grad=False)
for k in (0, 1, -1, 4, -5):
    op("tiny_tril", "tiny_tril({0}, %d)" % k, lambda x, k=k: x.tril(k), [T(3, 4), T(2, 4, 3), T(0, 3), T(1, 1)], dtypes=["f32"] if k else ALL)
    op("tiny_triu", "tiny_triu({0}, %d)" % k, lambda x, k=k: x.triu(k), [T(3, 4), T(2, 4, 3), T(0, 3), T(1, 1)], dtypes=["f32"] if k else ALL)
op("tiny_clone", "tiny_clone({0})", torch.clone, ONES, dtypes=ALL)
op("tiny_contiguous", "tiny_contiguous(tiny_transpose({0}, 0, -1))", lambda x: x.transpose(0, -1).contiguous(), [T(2, 3)], dtypes=ALL)
op("tiny_detach", "tiny_mul(tiny_detach({0}), {0})", lambda x: x.detach() * x, [T(2, 3)], dtypes=["f32"])
for d in ALL:
    op("tiny_cast", "tiny_cast({0}, TINY_%s)" % C[d], lambda x, d=d: x.to(TORCH[d]), [T(2, 5, lo=0 if d == "u8" else -3), T(lo=0), T(0, 3)], dtypes=ALL, grad=is_float(d), result=d)
for d in EVERY:
    op("tiny_cast", "tiny_cast({0}, TINY_%s)" % C[d], lambda x: x.double(), [T(2, 5, lo=0, hi=9)], dtypes=[a for a in EVERY if a not in ALL or d not in ALL], grad=is_float(d), result=d)
# Elements of other sizes, from bytes that are no NaN of a float.
WORDS = torch.tensor([[0x3F9E0652, -0x3F812345, 0x40490FDB, 12], [1, -0x40000000, 0x3DCCCCCD, 0x41200000]], dtype=torch.int32)
for a in ("u8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"):
    values = WORDS.view(TORCH[a])
    for b in ("u8", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"):
        want = WORDS.view(TORCH[b])
        if is_float(a) and not bool(torch.isfinite(values).all()) or is_float(b) and not bool(torch.isfinite(want).all()): continue
        op("tiny_bitcast", "tiny_bitcast({0}, TINY_%s)" % C[b], lambda x, v=want: v, [T(*values.shape, dtype=a, values=values.double() if is_float(a) else values)], grad=False, result=b)
for b, view in (("u16", "<u2"), ("u32", "<u4"), ("u64", "<i8"), ("f8e4m3", "u1"), ("f8e5m2", "u1")):
    want = WORDS.numpy().view(view).astype(np.int64)
    want = torch.from_numpy(fp8_values(want.astype(np.uint8), b) if b in FP8 else want)
    op("tiny_bitcast", "tiny_bitcast({0}, TINY_%s)" % C[b], lambda x, v=want: v, [T(2, 16, dtype="u8", values=WORDS.view(torch.uint8))], grad=False, result=b)
    if b in ("u16", "u32", "f8e4m3"): op("tiny_bitcast", "tiny_bitcast({0}, TINY_U8)", lambda x: WORDS.view(torch.uint8), [T(*want.shape, dtype=b, values=want)], grad=False, result="u8")
