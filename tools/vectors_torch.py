#!/usr/bin/env python3
# vectors_torch: writes tests/vectors/torch.inc, what PyTorch says of every operator on small inputs. Only needed to add cases.
#   python3 tools/vectors_torch.py        (Debian: apt install python3-torch, then /usr/bin/python3)
import math, os
import torch
import torch.nn.functional as F

torch.manual_seed(7)
torch.set_num_threads(1)
NAMES = {torch.bool: "BOOL", torch.int8: "I8", torch.uint8: "U8", torch.int16: "I16", torch.int32: "I32", torch.int64: "I64",
         torch.float16: "F16", torch.bfloat16: "BF16", torch.float32: "F32", torch.float64: "F64"}

def coarse(*shape): return (torch.randn(*shape) * 8).round() / 8      # sums of products are exact in f32

# The inputs, by the names that both columns below use.
inputs = {
    "x": torch.tensor([[1.5, -2.25, 0.0, 3.75], [-0.5, 0.001, 7.0, -6.5], [0.3, -0.7, 2.0, -1.0]]),
    "y": torch.tensor([[2.0, 0.5, -1.0, 3.75], [-0.5, 4.0, -2.5, 1.0], [0.1, 3.0, 2.0, -5.0]]),
    "p": torch.tensor([0.25, 1.0, 2.5, 9.0]),
    "big": torch.tensor([-90.0, -30.0, -10.0, 10.0, 30.0, 80.0, 1e-5, -1e-5]),
    "odd": torch.tensor([math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0]),
    "half": torch.tensor([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0.49999997, 3.2, -3.7]),
    "z": torch.tensor(0.75),
    "i": torch.tensor([[7, -7, 3, 0], [5, -5, 2, -1], [100, -100, 1, 9]], dtype=torch.int32),
    "j": torch.tensor([2, -2, 3, 4], dtype=torch.int32),
    "u": torch.tensor([[200, 3, 255], [0, 17, 128]], dtype=torch.uint8),
    "s": torch.tensor([100, -100, 27, -128], dtype=torch.int8),
    "l": torch.tensor([1 << 40, -(1 << 35), 12], dtype=torch.int64),
    "m": torch.tensor([[True, False, True, False], [False, False, True, True], [True, True, True, True]]),
    "h": torch.tensor([[0.5, -1.25, 2.0], [3.5, 0.125, -0.75]], dtype=torch.float16),
    "w": torch.tensor([[1.0, 0.5, -2.0], [0.25, 4.0, 3.0], [-1.5, 0.75, 1.0]], dtype=torch.bfloat16),
    "d": torch.tensor([[1e-3, -2.5], [3.25, 40.0]], dtype=torch.float64),
    "a": torch.randn(2, 3, 4), "b": torch.randn(2, 4, 5), "v": torch.randn(4), "k": torch.randn(5, 4),
    "img": coarse(2, 4, 6, 5), "c3": coarse(6, 4, 3, 3), "c2": coarse(4, 2, 2, 3), "bias": coarse(6),
    "ix": torch.tensor([3, 0, 2, 0, 1], dtype=torch.int32), "gx": torch.tensor([[0, 2, 1, 1], [2, 2, 0, 1]], dtype=torch.int64),
    "lab": torch.tensor([2, 0, 3], dtype=torch.int64), "lab8": torch.tensor([2, 0, 3], dtype=torch.uint8),
    "ties": torch.tensor([[1.0, 5.0, 5.0, 2.0], [-1.0, -1.0, -3.0, -1.0]]), "none": torch.zeros(0, 3), "long": torch.randn(2, 70),
    "gamma": torch.randn(4), "beta": torch.randn(4), "mean": torch.randn(4), "var": torch.rand(4) + 0.5,
}

cases = []                                     # (C, Python)
def case(c, python): cases.append((c, python))

for op in "exp exp2 sin cos tan tanh sigmoid relu square abs neg sign floor ceil round trunc isnan".split():
    for name in ("x", "odd" if op not in "neg" else "p", "half"):
        case(f"tiny_{op}({name})", f"torch.{op}({name})")
for op in "exp tanh sigmoid".split(): case(f"tiny_{op}(big)", f"torch.{op}(big)")
for op in "sqrt rsqrt reciprocal log log2".split():
    case(f"tiny_{op}(p)", f"torch.{op}(p)"); case(f"tiny_{op}(odd)", f"torch.{op}(odd)")
for op in "exp sin sqrt sigmoid log".split(): case(f"tiny_{op}(u)", f"torch.{op}(u)")      # integers become f32
for op in "exp tanh sin sqrt".split(): case(f"tiny_{op}(tiny_abs(h))", f"torch.{op}(h.float().abs()).half()")
for op in "exp tanh log".split(): case(f"tiny_{op}(tiny_abs(w))", f"torch.{op}(w.float().abs()).bfloat16()")
case("tiny_silu(x)", "F.silu(x)"); case("tiny_silu(big)", "F.silu(big)")
case("tiny_gelu_tanh(x)", "F.gelu(x.double(), approximate='tanh').float()"); case("tiny_relu(i)", "F.relu(i)")
for op in "abs neg sign square floor".split(): case(f"tiny_{op}(i)", f"torch.{op}(i)")
case("tiny_neg(u)", "torch.neg(u)"); case("tiny_neg(s)", "torch.neg(s)")
case("tiny_clamp(x, -1, 2)", "torch.clamp(x, -1, 2)"); case("tiny_clamp(i, -3, 5)", "torch.clamp(i, -3, 5)"); case("tiny_clamp(odd, -1, 1)", "torch.clamp(odd, -1, 1)")
case("tiny_logical_not(x)", "torch.logical_not(x)"); case("tiny_logical_not(m)", "torch.logical_not(m)")
for op, py in (("add", "+"), ("sub", "-"), ("mul", "*"), ("div", "/")):
    for l, r in (("x", "y"), ("x", "p"), ("i", "j"), ("x", "i"), ("z", "x"), ("z", "i"), ("l", "z"), ("d", "z"), ("h", "z"), ("u", "z")):
        case(f"tiny_{op}({l}, {r})", f"{l} {py} {r}")
case("tiny_add(m, m)", "m + m"); case("tiny_mul(m, x)", "m * x"); case("tiny_add(u, tiny_like(u, 100))", "u + 100"); case("tiny_mul(s, s)", "s * s")
case("tiny_add(h, h)", "h + h"); case("tiny_mul(w, w)", "w * w"); case("tiny_add(u, tiny_slice(s, 0, 0, 3, 1))", "u + s[0:3]")
case("tiny_floor_div(i, j)", "torch.div(i, j, rounding_mode='floor')"); case("tiny_floor_div(x, y)", "torch.floor_divide(x, y)")
case("tiny_remainder(i, j)", "torch.remainder(i, j)"); case("tiny_remainder(x, y)", "torch.remainder(x, y)"); case("tiny_floor_div(u, tiny_like(u, 7))", "u // 7")
case("tiny_pow(x, tiny_like(x, 3))", "x ** 3"); case("tiny_pow(x, tiny_like(x, -2))", "x ** -2"); case("tiny_pow(p, tiny_like(p, 0.5))", "p ** 0.5")
case("tiny_pow(x, tiny_like(x, 0))", "x ** 0"); case("tiny_pow(i, tiny_like(i, 3))", "i ** 3"); case("tiny_pow(tiny_abs(i), tiny_abs(j))", "i.abs() ** j.abs()")
case("tiny_pow(p, p)", "p ** p"); case("tiny_pow(tiny_like(x, 2), x)", "2.0 ** x"); case("tiny_pow(d, tiny_like(d, 7))", "d ** 7")
for op in "maximum minimum".split():
    for l, r in (("x", "y"), ("i", "j"), ("x", "z"), ("m", "tiny_lt(x, y)"), ("u", "tiny_like(u, 100)"), ("odd", "tiny_like(odd, 0.5)")):
        case(f"tiny_{op}({l}, {r})", f"torch.{op}(*same({l}, {dict([('tiny_lt(x, y)', 'x < y'), ('tiny_like(u, 100)', 'torch.tensor(100, dtype=torch.uint8)'), ('tiny_like(odd, 0.5)', 'torch.tensor(0.5)')]).get(r, r)}))")
for op in "lt gt le ge eq ne".split():
    for l, r in (("x", "y"), ("i", "j"), ("x", "i"), ("odd", "odd"), ("u", "tiny_like(u, 128)"), ("m", "tiny_logical_not(m)")):
        case(f"tiny_{op}({l}, {r})", f"torch.{op}({l}, {dict([('tiny_like(u, 128)', '128'), ('tiny_logical_not(m)', '~m')]).get(r, r)})")
for op in "and or xor".split():
    case(f"tiny_bitwise_{op}(i, j)", f"torch.bitwise_{op}(i, j)"); case(f"tiny_bitwise_{op}(m, tiny_lt(x, y))", f"torch.bitwise_{op}(m, x < y)")
case("tiny_shift_left(i, tiny_abs(j))", "i << j.abs()"); case("tiny_shift_right(i, tiny_abs(j))", "i >> j.abs()"); case("tiny_shift_right(u, tiny_like(u, 3))", "u >> 3")
case("tiny_where(m, x, y)", "torch.where(m, x, y)"); case("tiny_where(m, x, z)", "torch.where(m, x, z)"); case("tiny_where(tiny_lt(p, z), p, tiny_like(p, -1))", "torch.where(p < z, p, torch.tensor(-1.0))")
for dt in "bool int8 uint8 int16 int32 int64 float16 bfloat16 float64".split():
    case(f"tiny_cast(tiny_mul(p, tiny_like(p, 10)), TINY_{NAMES[getattr(torch, dt)]})", f"(p * 10).to(torch.{dt})")
case("tiny_cast(i, TINY_U8)", "i.to(torch.uint8)"); case("tiny_cast(l, TINY_F32)", "l.float()"); case("tiny_cast(l, TINY_I32)", "l.to(torch.int32)"); case("tiny_cast(x, TINY_BOOL)", "x.bool()")

case("tiny_reshape(x, TINY_SHAPE(2, -1))", "x.reshape(2, -1)"); case("tiny_permute(a, TINY_SHAPE(2, 0, -2))", "a.permute(2, 0, 1)"); case("tiny_transpose(a, 0, -1)", "a.transpose(0, -1)")
case("tiny_expand(p, TINY_SHAPE(2, 3, -1))", "p.expand(2, 3, 4)"); case("tiny_pad(x, TINY_SHAPE(1, 2, -1, 1), 9)", "F.pad(x, (-1, 1, 1, 2), value=9)"); case("tiny_pad(i, TINY_SHAPE(0, 1, 2, 0), 0)", "F.pad(i, (2, 0, 0, 1))")
case("tiny_shrink(x, TINY_SHAPE(1, 3, 0, 2))", "x[1:3, 0:2]"); case("tiny_flip(a, TINY_SHAPE(0, -1))", "a.flip(0, 2)"); case("tiny_slice(x, 1, 1, 4, 2)", "x[:, 1:4:2]")
case("tiny_slice(x, 1, 0, 100, 3)", "x[:, ::3]"); case("tiny_slice(v, 0, -1, -100, -2)", "v.flip(0)[::2]"); case("tiny_slice(long_, 1, 60, 3, -7)", "long[:, 4:61].flip(1)[:, ::7]"); case("tiny_slice(v, 0, 3, 1, 1)", "v[3:1]")
case("tiny_squeeze(tiny_unsqueeze(x, 1), 1)", "x"); case("tiny_unsqueeze(x, -1)", "x.unsqueeze(-1)"); case("tiny_squeeze(tiny_reshape(p, TINY_SHAPE(1, 4, 1)), TINY_ALL)", "p"); case("tiny_flatten(a, 1, 2)", "a.flatten(1, 2)"); case("tiny_flatten(z, 0, -1)", "z.flatten()")
case("cat3(x, y, x, 1)", "torch.cat([x, y, x], 1)"); case("cat3(i, x, i, 0)", "torch.cat([i, x, i], 0)"); case("stack3(x, y, x, -1)", "torch.stack([x, y, x], -1)"); case("stack3(x, y, x, 0)", "torch.stack([x, y, x], 0)"); case("cat3(m, m, m, 0)", "torch.cat([m, m, m], 0)")

for axis in (0, 1, -1):
    for keep in (0, 1):
        for op in "sum mean prod".split(): case(f"tiny_{op}(x, {axis}, {keep})", f"x.{op}({axis}, keepdim={bool(keep)})")
        for op in "max min".split(): case(f"tiny_a{op}(x, {axis}, {keep})", f"x.a{op}({axis}, keepdim={bool(keep)})")
        case(f"tiny_argmax(ties, {axis}, {keep})", f"first(ties, {axis}, {bool(keep)})"); case(f"tiny_var(x, {axis}, {keep}, 1)", f"x.var({axis}, unbiased=True, keepdim={bool(keep)})")
case("tiny_argmin(x, 1, 0)", "x.argmin(1).int()"); case("tiny_argmax(x, TINY_ALL, 0)", "x.argmax().int()"); case("tiny_argmin(i, TINY_ALL, 0)", "i.argmin().int()"); case("tiny_argmax(u, 1, 0)", "u.argmax(1).int()"); case("tiny_argmax(odd, 0, 0)", "odd.argmax().int()")
for op in "sum prod amax amin mean".split(): case(f"tiny_{op}(a, TINY_ALL, 0)", f"a.{op}()")
case("tiny_sum(i, 0, 0)", "i.sum(0)"); case("tiny_sum(tiny_cast(u, TINY_I16), 1, 0)", "u.sum(1)"); case("tiny_sum(m, 0, 0)", "m.sum(0)"); case("tiny_amax(i, 1, 0)", "i.max(1).values"); case("tiny_amin(i, 0, 0)", "i.min(0).values"); case("tiny_amin(u, 0, 0)", "u.min(0).values")
case("tiny_prod(i, 1, 0)", "i.prod(1)"); case("tiny_amax(m, 1, 0)", "m.any(1)"); case("tiny_amin(m, 1, 0)", "m.all(1)"); case("tiny_sum(l, 0, 0)", "l.sum(0)"); case("tiny_sum(h, 1, 0)", "h.float().sum(1).half()"); case("tiny_mean(w, 0, 0)", "w.float().mean(0).bfloat16()"); case("tiny_mean(i, 0, 0)", "i.float().mean(0)")
case("tiny_reduce(a, TINY_REDUCE_SUM, TINY_SHAPE(0, 2), 1)", "a.sum((0, 2), keepdim=True)"); case("tiny_reduce(a, TINY_REDUCE_AMAX, TINY_SHAPE(-1, 0), 0)", "a.amax((0, 2))"); case("tiny_sum(none, 0, 0)", "none.sum(0)"); case("tiny_prod(none, 0, 0)", "none.prod(0)"); case("tiny_amax(none, 1, 0)", "none.amax(1)"); case("tiny_sum(z, 0, 0)", "z")
for axis in (0, 1): case(f"tiny_cumsum(x, {axis})", f"x.cumsum({axis})"); case(f"tiny_cumsum(i, {axis})", f"i.cumsum({axis})")
case("tiny_cumsum(long_, 1)", "long.double().cumsum(1).float()"); case("tiny_cumsum(h, 1)", "h.float().cumsum(1).half()"); case("tiny_amax(odd, 0, 0)", "odd.max()")

case("tiny_matmul(a, b)", "(a.double() @ b.double()).float()"); case("tiny_matmul(a, v)", "a @ v"); case("tiny_matmul(v, b)", "v @ b"); case("tiny_matmul(v, v)", "v @ v"); case("tiny_matmul(x, tiny_reshape(k, TINY_SHAPE(4, 5)))", "x @ k.reshape(4, 5)"); case("tiny_matmul(tiny_unsqueeze(a, 1), b)", "a.unsqueeze(1) @ b")
case("tiny_matmul(h, tiny_transpose(h, 0, 1))", "(h.float() @ h.float().T).half()"); case("tiny_matmul(w, w)", "(w.float() @ w.float()).bfloat16()"); case("tiny_matmul(i, tiny_transpose(i, 0, 1))", "i @ i.T"); case("tiny_matmul(tiny_transpose(none, 0, 1), none)", "none.T @ none"); case("tiny_matmul(d, d)", "d @ d")
case("tiny_linear(a, k, NULL)", "F.linear(a, k)"); case("tiny_linear(v, k, tiny_slice(bias, 0, 0, 5, 1))", "F.linear(v, k, bias[:5])")
for axis in (0, -1): case(f"tiny_softmax(x, {axis})", f"x.softmax({axis})"); case(f"tiny_log_softmax(x, {axis})", f"x.log_softmax({axis})"); case(f"tiny_logsumexp(x, {axis}, 0)", f"x.logsumexp({axis})")
case("tiny_softmax(big, 0)", "big.softmax(0)"); case("tiny_softmax(h, 1)", "h.float().softmax(1).half()"); case("tiny_softmax(u, 1)", "u.float().softmax(1)"); case("tiny_logsumexp(tiny_log(tiny_like(x, 0)), 0, 0)", "torch.tensor(-math.inf)"); case("tiny_softmax(tiny_where(m, x, tiny_like(x, -HUGE_VAL)), 1)", "torch.where(m, x, torch.tensor(-math.inf)).softmax(1)")
case("tiny_cross_entropy(x, lab, NULL)", "F.cross_entropy(x, lab)"); case("tiny_cross_entropy(x, lab8, NULL)", "F.cross_entropy(x, lab)"); case("tiny_one_hot(lab, 5)", "F.one_hot(lab, 5).bool()"); case("tiny_one_hot(lab8, 300)", "F.one_hot(lab, 300).bool()")
case("tiny_gather(x, 0, gx)", "x.gather(0, gx)"); case("tiny_gather(x, 1, tiny_cast(gx, TINY_I32))", "x.gather(1, gx)"); case("tiny_index_select(x, 1, ix)", "x.index_select(1, ix)"); case("tiny_index_select(i, 0, lab8_)", "i.index_select(0, lab.clamp(max=2))"); case("tiny_index_select(m, 1, ix)", "m.index_select(1, ix)"); case("tiny_index_select(odd, 0, ix)", "odd.index_select(0, ix)")

for s, p, dl in ((1, 0, 1), (1, 1, 1), (2, 1, 1), (3, 0, 1), (1, 2, 2), (2, 2, 2), (4, 1, 1)): case(f"conv(img, c3, bias, {s}, {p}, {dl}, 1)", f"F.conv2d(img, c3, bias, {s}, {p}, {dl})")
case("conv(img, c2, NULL, 1, 1, 1, 2)", "F.conv2d(img, c2, None, 1, 1, 1, 2)"); case("tiny_conv2d(img, c3, NULL, NULL)", "F.conv2d(img, c3)")
for k, s, p in ((2, 0, 0), (3, 1, 1), (3, 2, 1), (2, 3, 0), (2, 1, 0), (3, 2, 0)): case(f"tiny_max_pool2d(img, {k}, {s}, {p})", f"F.max_pool2d(img, {k}, {s or k}, {p})"); case(f"tiny_avg_pool2d(img, {k}, {s}, {p})", f"F.avg_pool2d(img, {k}, {s or k}, {p})")
case("tiny_max_pool2d(tiny_reshape(i, TINY_SHAPE(1, 1, 3, 4)), 2, 1, 1)", "F.max_pool2d(i.reshape(1, 1, 3, 4).double(), 2, 1, 1).int()")
case("tiny_layer_norm(a, 1, v, p, 1e-5)", "F.layer_norm(a, (4,), v, p)"); case("tiny_layer_norm(a, 2, NULL, NULL, 1e-3)", "F.layer_norm(a, (3, 4), eps=1e-3)"); case("tiny_layer_norm(h, 1, NULL, NULL, 1e-5)", "F.layer_norm(h.float(), (3,)).half()")
case("norm(img, mean, var, gamma, beta, 1)", "F.batch_norm(img.double(), None, None, gamma.double(), beta.double(), True).float()"); case("norm(img, mean, var, gamma, beta, 0)", "F.batch_norm(img, mean, var, gamma, beta)"); case("norm(img, mean, var, NULL, NULL, 0)", "F.batch_norm(img, mean, var)")
case("tiny_arange(t, 0, 5, 1, TINY_I32)", "torch.arange(0, 5).int()"); case("tiny_arange(t, 1, 2, 0.3, TINY_F32)", "torch.arange(1, 2, 0.3)"); case("tiny_arange(t, 5, -5, -3, TINY_I64)", "torch.arange(5, -5, -3)"); case("tiny_eye(t, 3, TINY_F32)", "torch.eye(3)"); case("tiny_full(t, -1, TINY_U8, TINY_SHAPE(2))", "torch.tensor([255, 255], dtype=torch.uint8)")
case("tiny_scalar(t, 0.1, TINY_F64)", "torch.tensor(0.1, dtype=torch.float64)"); case("tiny_mul(h, tiny_scalar(t, 3, TINY_F32))", "h * 3"); case("tiny_zeros(t, TINY_I8, TINY_SHAPE())", "torch.tensor(0, dtype=torch.int8)")


def same(l, r):
    dt = torch.result_type(l, r)
    return l.to(dt), r.to(dt)


def first(x, axis, keep):                      # PyTorch does not promise which of equals argmax gives
    best = (x == x.max(axis, keepdim=True).values).int()
    return best.argmax(axis, keepdim=keep).int() if best.dim() else best


def square(x): return x * x


def c_number(v):
    v = float(v) if not isinstance(v, int) else v
    if v != v: return "NAN"
    if v in (math.inf, -math.inf): return "HUGE_VAL" if v > 0 else "-HUGE_VAL"
    return repr(float(v)).rstrip("0").rstrip(".") if float(v) == int(v) and abs(v) < 1e15 else repr(float(v))


def c_array(name, tensor):
    numbers = ", ".join(c_number(v) for v in tensor.flatten().tolist()) or "0"
    return f"static const double {name}[] = {{{numbers}}};"


torch.square = square
scope = dict(inputs, torch=torch, F=F, math=math, same=same, first=first)
inputs["long_"] = inputs.pop("long")
inputs["lab8_"] = inputs["lab8"].clamp(max=2)
lines = [f"// Written by tools/vectors_torch.py with PyTorch {torch.__version__}; do not edit. Case: operator, what it gives.", "static void vectors(void) {"]
for name, x in inputs.items():
    dims = ", ".join(map(str, x.shape))
    lines.append(f"  {c_array(name + '_data', x)}\n  tiny_tensor *{name} = input({name}_data, TINY_{NAMES[x.dtype]}, TINY_SHAPE({dims}));")
for n, (c, python) in enumerate(cases):
    want = eval(python, scope)
    dims = ", ".join(map(str, want.shape))
    lines.append(f"  {c_array(f'want{n}', want)}\n  expect(\"{c.replace(chr(34), '')}\", {c}, TINY_{NAMES[want.dtype]}, TINY_SHAPE({dims}), want{n});")
lines.append("}")
out = os.path.join(os.path.dirname(__file__), "..", "tests", "vectors", "torch.inc")
open(out, "w").write("\n".join(lines) + "\n")
print(len(cases), "cases")
