# arithmetic, comparisons, bits and logic
from vectors import *

first = lambda *d: d[0]
NONZERO = [(T(3, 4), T(4, lo=1, hi=5)), (T(2, 1, 5), T(3, 1, lo=2, hi=9)), (T(9, lo=-20, hi=20), T(values=3)), (T(0, 3), T(1, 3)), (T(), T(lo=1, hi=3))]
EDGES = [T(values=[float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 1.5, -2.5])]
EDGE_PAIRS = [(T(values=[5.5, -5.5, 0.0, -0.0, float("inf"), float("-inf"), float("nan"), 3.0, -3.0, 1.0, 1.0]),
               T(values=[float("inf"), float("inf"), float("-inf"), 2.0, 3.0, float("inf"), 1.0, float("nan"), float("-inf"), 0.0, -0.0]))]

for name, f in (("add", torch.add), ("mul", torch.mul)):
    op("tiny_" + name, "tiny_%s({0}, {1})" % name, f, PAIRS, dtypes=ALL)
    op("tiny_" + name, "tiny_%s({0}, {1})" % name, f, PAIRS[:2], dtypes=FP8, result=first)
    op("tiny_" + name, "tiny_%s({0}, {1})" % name, f, [(T(3, dtype=a), T(2, 3, dtype=b)) for a in ("bool", "u8", "i32", "f16", "f32") for b in ("i8", "i64", "bf16", "f64")] +
       [(T(dtype=a), T(3, dtype=b)) for a in ("i64", "f32", "f64") for b in ("u8", "f16", "i32")])
op("tiny_sub", "tiny_sub({0}, {1})", torch.sub, PAIRS, dtypes=INTS + FLOATS)
op("tiny_div", "tiny_div({0}, {1})", torch.div, NONZERO, dtypes=INTS + FLOATS)
op("tiny_floor_div", "tiny_floor_div({0}, {1})", lambda a, b: torch.div(a, b, rounding_mode="floor"), NONZERO, dtypes=INTS + FLOATS)
op("tiny_trunc_div", "tiny_trunc_div({0}, {1})", lambda a, b: torch.div(a, b, rounding_mode="trunc"), NONZERO, dtypes=INTS + FLOATS)
op("tiny_remainder", "tiny_remainder({0}, {1})", torch.remainder, NONZERO, dtypes=INTS + FLOATS, grad=False)
op("tiny_fmod", "tiny_fmod({0}, {1})", torch.fmod, NONZERO, dtypes=INTS + FLOATS, grad=False)
EXACT = [(T(values=[100.296875, -37.4375, 5.03125, -1000.5, 7.0]), T(values=[0.109375, 0.6875, -0.28125, 3.0625, 1 / 3])), (T(40, lo=-900, hi=900), T(40, lo=1, hi=4))]
for name in ("remainder", "fmod"):
    op("tiny_" + name, "tiny_%s({0}, {1})" % name, getattr(torch, name), EXACT, dtypes=["f32", "f64"])
    op("tiny_" + name, "tiny_%s({0}, {1})" % name, getattr(torch, name), EDGE_PAIRS, dtypes=FLOATS, grad=False)
op("tiny_floor_div", "tiny_floor_div({0}, {1})", lambda a, b: torch.div(a, b, rounding_mode="floor"), EXACT + EDGE_PAIRS, dtypes=["f32", "f64"], grad=False)
op("tiny_trunc_div", "tiny_trunc_div({0}, {1})", lambda a, b: torch.div(a, b, rounding_mode="trunc"), EDGE_PAIRS, dtypes=FLOATS, grad=False)
SIGNED, NEGATIVE = ["i8", "i16", "i32", "i64"] + FLOATS, [(T(2, 1, 5, lo=-9, hi=9), T(3, 1, lo=-4, hi=-1))]
op("tiny_floor_div", "tiny_floor_div({0}, {1})", lambda a, b: torch.div(a, b, rounding_mode="floor"), NEGATIVE, dtypes=SIGNED)
op("tiny_trunc_div", "tiny_trunc_div({0}, {1})", lambda a, b: torch.div(a, b, rounding_mode="trunc"), NEGATIVE, dtypes=SIGNED)
op("tiny_remainder", "tiny_remainder({0}, {1})", torch.remainder, NEGATIVE, dtypes=SIGNED, grad=False)
op("tiny_fmod", "tiny_fmod({0}, {1})", torch.fmod, NEGATIVE, dtypes=SIGNED, grad=False)
op("tiny_pow", "tiny_pow({0}, {1})", torch.pow, [(T(3, 4, lo=0.25, hi=4), T(4, lo=-2, hi=3)), (T(5, lo=0.5, hi=2), T())], dtypes=FLOATS)
op("tiny_pow", "tiny_pow({0}, {1})", torch.pow, [(T(3, 4), T(4, lo=0, hi=4)), (T(values=[0, 1, 2, 3, 5]), T(values=[0, 3, 7, 2, 2]))], dtypes=INTS)
for e in (-2, 0, 0.5, 1, 2, 3, 7): op("tiny_pow", "tiny_pow({0}, tiny_like({0}, %g))" % e, lambda x, e=e: torch.pow(x, e), [T(3, 4, lo=0.25)], dtypes=FLOATS)
for name in ("maximum", "minimum"):
    op("tiny_" + name, "tiny_%s({0}, {1})" % name, getattr(torch, name), PAIRS, dtypes=ALL)
    op("tiny_" + name, "tiny_%s({0}, tiny_like({0}, 1))" % name, lambda x, n=name: getattr(torch, n)(x, torch.ones_like(x)), [T(values=[-1, 0, 1, 2, 3, 1])], dtypes=FLOATS)
for name in ("maximum", "minimum", "fmax", "fmin"):
    op("tiny_" + name, "tiny_%s({0}, {1})" % name, getattr(torch, name), EDGE_PAIRS, dtypes=FLOATS, grad=False)
for name in ("fmax", "fmin"): op("tiny_" + name, "tiny_%s({0}, {1})" % name, getattr(torch, name), PAIRS, dtypes=INTS + FLOATS, grad=False)
for name in "lt gt le ge eq ne".split():
    op("tiny_" + name, "tiny_%s({0}, {1})" % name, getattr(torch, name), PAIRS, dtypes=ALL, grad=False)
    op("tiny_" + name, "tiny_%s({0}, {1})" % name, getattr(torch, name), EDGE_PAIRS, dtypes=FLOATS, grad=False)
for name in "and or xor".split():
    op("tiny_logical_" + name, "tiny_logical_%s({0}, {1})" % name, getattr(torch, "logical_" + name), PAIRS, dtypes=ALL, grad=False)
    op("tiny_bitwise_" + name, "tiny_bitwise_%s({0}, {1})" % name, getattr(torch, "bitwise_" + name), PAIRS, dtypes=INTS + BOOLS, grad=False)
op("tiny_logical_not", "tiny_logical_not({0})", torch.logical_not, ONES + EDGES[:0], dtypes=ALL, grad=False)
op("tiny_bitwise_not", "tiny_bitwise_not({0})", torch.bitwise_not, ONES, dtypes=INTS + BOOLS, grad=False)
SHIFTS = [(T(3, 4, lo=-100, hi=100), T(4, lo=0, hi=7)), (T(values=[1, 2, 3, 100, 127, 5]), T(values=[0, 1, 2, 3, 6, 7]))]
op("tiny_shift_left", "tiny_shift_left({0}, {1})", torch.bitwise_left_shift, SHIFTS, dtypes=INTS)
op("tiny_shift_right", "tiny_shift_right({0}, {1})", torch.bitwise_right_shift, SHIFTS, dtypes=INTS)
op("tiny_where", "tiny_where({0}, {1}, {2})", torch.where, [(T(3, 4, dtype="bool"), T(3, 4), T(3, 4)), (T(3, 1, dtype="bool"), T(4), T(2, 1, 1)), (T(dtype="bool"), T(3), T(1)), (T(0, 2, dtype="bool"), T(2), T(1))], dtypes=ALL)
op("tiny_clamp", "tiny_clamp({0}, -1, 1.5)", lambda x: torch.clamp(x, -1, 1.5), ONES, dtypes=FLOATS)
op("tiny_clamp", "tiny_clamp({0}, -1, 1)", lambda x: torch.clamp(x, -1, 1), EDGES + [T(values=[-2, -1, 0, 1, 2])], dtypes=FLOATS, grad=False)
op("tiny_clamp", "tiny_clamp({0}, 1, 2)", lambda x: torch.clamp(x, 1, 2), ONES, dtypes=INTS + UNSIGNED)
op("tiny_clamp", "tiny_clamp({0}, 0, 1)", lambda x: x, [T(5)], dtypes=BOOLS)
op("tiny_square", "tiny_square({0})", lambda x: x * x, [T(5)], dtypes=BOOLS)
op("tiny_clamp", "tiny_clamp({0}, -1, HUGE_VAL)", lambda x: torch.clamp(x if x.is_floating_point() else x.long(), min=-1), ONES[:3], dtypes=INTS + UNSIGNED + FLOATS, result=lambda d: d)
op("tiny_clamp", "tiny_clamp({0}, -300, 300)", lambda x: torch.clamp(x.long(), -300, 300), [T(5, lo=-100, hi=127), T(3, lo=-1000, hi=1000)], dtypes=INTS + UNSIGNED, result=lambda d: d)
THREE = [(T(3, 4), T(3, 4, lo=-2, hi=0), T(4, lo=0, hi=2)), (T(5), T(1, lo=1, hi=3), T(2, 1, lo=-1, hi=1)), (T(), T(), T()), (T(0, 3), T(3), T(1))]
op("tiny_clamp_to", "tiny_clamp_to({0}, {1}, {2})", lambda x, a, b: torch.clamp(x, a, b), THREE, dtypes=INTS + FLOATS, grad=False)
APART = [(T(values=[0.1, -3.0, 2.0, 5.0]), T(values=[-1.0, -2.0, 1.0, 0.0]), T(values=[1.0, 4.0, 1.5, 3.0]))]
op("tiny_clamp_to", "tiny_clamp_to({0}, {1}, {2})", lambda x, a, b: torch.clamp(x, a, b), APART, dtypes=["f32", "f64"])
op("tiny_clamp_to", "tiny_clamp_to({0}, NULL, {1})", lambda x, b: torch.clamp(x, max=b), [(T(3, 4, distinct=True), T(4, values=[0.0, 1.0, -1.0, 5.0]))], dtypes=["f32", "f64"], grad=False)
op("tiny_clamp_to", "tiny_clamp_to({0}, {1}, NULL)", lambda x, b: torch.clamp(x, min=b), [(T(3, 4, distinct=True), T(4, values=[0.0, 1.0, -1.0, 5.0]))], dtypes=["f32", "f64"], grad=False)
op("tiny_lerp", "tiny_lerp({0}, {1}, {2})", torch.lerp, [(T(3, 4), T(3, 4), T(3, 4, lo=-1, hi=2)), (T(5), T(2, 1), T()), (T(0, 3), T(3), T(1))], dtypes=FLOATS)
op("tiny_addcmul", "tiny_addcmul({0}, {1}, {2}, 0.5)", lambda x, a, b: torch.addcmul(x, a, b, value=0.5), [(T(3, 4), T(3, 4), T(4)), (T(5), T(2, 1), T(5)), (T(0, 3), T(3), T(1))], dtypes=FLOATS)
op("tiny_addcmul", "tiny_addcmul({0}, {1}, {2}, 2)", lambda x, a, b: torch.addcmul(x, a, b, value=2), [(T(3, 4), T(3, 4), T(4))], dtypes=INTS)
op("tiny_addcdiv", "tiny_addcdiv({0}, {1}, {2}, 0.5)", lambda x, a, b: torch.addcdiv(x, a, b, value=0.5), [(T(3, 4), T(3, 4), T(4, lo=1, hi=3)), (T(5), T(2, 1), T(5, lo=-3, hi=-1))], dtypes=FLOATS)
op("tiny_neg", "tiny_neg({0})", torch.neg, ONES, dtypes=INTS + FLOATS)
op("tiny_abs", "tiny_abs({0})", torch.abs, ONES, dtypes=INTS + FLOATS)
op("tiny_sign", "tiny_sign({0})", torch.sign, ONES, dtypes=ALL)
op("tiny_square", "tiny_square({0})", torch.square, ONES, dtypes=INTS + FLOATS)
HALVES = [T(values=[-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.25, -3.75])]
for name in "trunc floor ceil round".split():
    op("tiny_" + name, "tiny_%s({0})" % name, getattr(torch, name), ONES + HALVES, dtypes=FLOATS)
    op("tiny_" + name, "tiny_%s({0})" % name, getattr(torch, name), EDGES, dtypes=FLOATS, grad=False)
    op("tiny_" + name, "tiny_%s({0})" % name, lambda x: x, ONES[:3], dtypes=INTS)
for d in (-1, 1, 2): op("tiny_round_to", "tiny_round_to({0}, %d)" % d, lambda x, d=d: torch.round(x, decimals=d), [T(40, lo=-50, hi=50)], dtypes=["f32", "f64"])
op("tiny_frac", "tiny_frac({0})", torch.frac, ONES, dtypes=FLOATS)
op("tiny_copysign", "tiny_copysign({0}, {1})", torch.copysign, [(T(values=[1.5, -2.0, 3.0, -4.0]), T(values=[-1.0, 2.0, 0.0, -0.0]))], dtypes=FLOATS)
op("tiny_copysign", "tiny_copysign({0}, {1})", torch.copysign, PAIRS, dtypes=INTS + FLOATS, grad=False)
op("tiny_heaviside", "tiny_heaviside({0}, {1})", torch.heaviside, [(T(3, 4, lo=-1, hi=2), T(4)), (T(values=[-1, 0, 2]), T(values=[5, 6, 7]))], dtypes=INTS + FLOATS, grad=False)
op("tiny_nan_to_num", "tiny_nan_to_num({0}, 0, NAN, NAN)", torch.nan_to_num, EDGES, dtypes=["f64"])
op("tiny_nan_to_num", "tiny_nan_to_num({0}, 2, 3, -4)", lambda x: torch.nan_to_num(x, 2, 3, -4), EDGES + ONES[:2], dtypes=FLOATS)
for name in "isnan isinf isposinf isneginf isfinite signbit".split():
    op("tiny_" + name, "tiny_%s({0})" % name, getattr(torch, name), ONES[:3], dtypes=ALL, grad=False)
    op("tiny_" + name, "tiny_%s({0})" % name, getattr(torch, name), EDGES, dtypes=FLOATS, grad=False)

# ** a tensor and a number **
for v in (2, 2.5, -3):
    for name, f in (("add", lambda x, v: x + v), ("mul", lambda x, v: x * v)):
        op("tiny_%s_scalar" % name, "tiny_%s_scalar({0}, %g)" % (name, v), lambda x, f=f, v=v: f(x, v), ONES[:4], dtypes=ALL if v > 0 else ["i32", "f32", "f64"])
    for name, f in (("sub", lambda x, v: x - v), ("rsub", lambda x, v: v - x), ("div", lambda x, v: x / v), ("maximum", lambda x, v: x.clamp(min=v)), ("minimum", lambda x, v: x.clamp(max=v))):
        op("tiny_%s_scalar" % name, "tiny_%s_scalar({0}, %g)" % (name, v), lambda x, f=f, v=v: f(x, v), [T(3, 4, lo=-2, hi=2), T(lo=-2, hi=2)], dtypes=["i32", "i64", "f16", "f32", "f64"] if "m" not in name or v != 2.5 else FLOATS)
    for name, f in (("floor_div", lambda x, v: torch.div(x, v, rounding_mode="floor")), ("remainder", torch.remainder)):
        op("tiny_%s_scalar" % name, "tiny_%s_scalar({0}, %g)" % (name, v), lambda x, f=f, v=v: f(x, v), [T(3, 4, lo=-20, hi=20)], dtypes=["i32", "i64", "f16", "f32", "f64"], grad=False)
    for name in "lt gt le ge eq ne".split():
        op("tiny_%s_scalar" % name, "tiny_%s_scalar({0}, %g)" % (name, v), lambda x, n=name, v=v: getattr(torch, n)(x, v), [T(3, 4)], dtypes=["i8", "i32", "i64", "f16", "f32", "f64"], grad=False)
op("tiny_rdiv_scalar", "tiny_rdiv_scalar({0}, 3)", lambda x: 3 / x, [T(3, 4, lo=1, hi=5)], dtypes=["i32", "f16", "f32", "f64"])
for v in (0, 0.5, 2, 3): op("tiny_pow_scalar", "tiny_pow_scalar({0}, %g)" % v, lambda x, v=v: torch.pow(x, v), [T(3, 4, lo=0.25, hi=4)], dtypes=["f16", "f32", "f64"] + (["i32", "u8"] if v in (2, 3) else []))
op("tiny_rpow_scalar", "tiny_rpow_scalar({0}, 2)", lambda x: torch.pow(2, x), [T(3, 4, lo=0, hi=4)], dtypes=["i32", "f16", "f32", "f64"])
