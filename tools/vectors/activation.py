# activations, with their joints
from vectors import *

JOINTS = [T(values=[-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0, 6.0, 7.0, -7.0])]
FAR = [T(values=[-90.0, -30.0, 30.0, 90.0, float("inf"), float("-inf"), float("nan")])]
def activation(c, python, inputs=ONES, ints=False, far=FAR, **more):
    name = c.split("(")[0]
    op(name, c, python, inputs + JOINTS, dtypes=FLOATS, **more)
    op(name, c, python, far, dtypes=FLOATS, **dict(more, grad=False))
    op(name, c, python, inputs[:2], dtypes=FP8, grad=False, result=real)
    if ints: op(name, c, python, inputs[:3], dtypes=INTS)

activation("tiny_relu({0})", F.relu, ints=True)
activation("tiny_relu6({0})", F.relu6)
activation("tiny_sigmoid({0})", torch.sigmoid)
activation("tiny_silu({0})", F.silu)
activation("tiny_mish({0})", lambda x: x * torch.tanh(F.softplus(x)))
activation("tiny_gelu({0})", lambda x: x * 0.5 * torch.erfc(x * -0.5 ** 0.5))  # F.gelu cancels below 0
activation("tiny_gelu_tanh({0})", lambda x: F.gelu(x, approximate="tanh"))
activation("tiny_elu({0}, 1)", F.elu)
activation("tiny_elu({0}, 0.25)", lambda x: F.elu(x, 0.25))
activation("tiny_selu({0})", F.selu)
activation("tiny_celu({0}, 1.5)", lambda x: F.celu(x, 1.5))
activation("tiny_leaky_relu({0}, 0.01)", F.leaky_relu)
activation("tiny_rrelu({0}, 0.125, 0.375)", lambda x: F.rrelu(x, 0.125, 0.375, training=False))
op("tiny_prelu", "tiny_prelu({0}, {1})", F.prelu, [(T(2, 3, 4), T(3)), (T(5, 3), T(3)), (T(2, 3, 2, 2), T(1)), (T(7), T(1)), (T(0, 3), T(3))], dtypes=FLOATS)
activation("tiny_hardtanh({0}, -1, 1)", F.hardtanh)
activation("tiny_hardtanh({0}, -0.5, 3)", lambda x: F.hardtanh(x, -0.5, 3))
activation("tiny_hardsigmoid({0})", lambda x: F.relu6(x + 3) / 6)           # PyTorch's own gradient has a 1/6 of f32
activation("tiny_hardswish({0})", F.hardswish)
op("tiny_hardtanh", "tiny_hardtanh({0}, -1, 1)", lambda x: F.hardtanh(x.long()), [T(7)], dtypes=UNSIGNED + ["u8"], result=lambda d: d)
op("tiny_threshold", "tiny_threshold({0}, -0.5, 3)", lambda x: F.threshold(x.long(), -1, 3), [T(7)], dtypes=INTS + UNSIGNED, result=lambda d: d)
activation("tiny_threshold({0}, 0.5, -2)", lambda x: F.threshold(x, 0.5, -2))
activation("tiny_hardshrink({0}, 0.5)", F.hardshrink)
activation("tiny_softshrink({0}, 0.5)", F.softshrink, far=[T(values=FAR[0].values[:-1])])      # of NaN NaN, as later PyTorch has it
activation("tiny_tanhshrink({0})", F.tanhshrink)
activation("tiny_softsign({0})", F.softsign)
activation("tiny_softplus({0}, 1, 20)", F.softplus)
activation("tiny_softplus({0}, 2, 3)", lambda x: F.softplus(x, 2, 3))
activation("tiny_logsigmoid({0})", F.logsigmoid)
for axis, dims in ((-1, (3, 4)), (0, (4, 3)), (1, (2, 6, 5))): op("tiny_glu", "tiny_glu({0}, %d)" % axis, lambda x, axis=axis: F.glu(x, axis), [T(*dims)], dtypes=FLOATS)
op("tiny_glu", "tiny_glu({0}, 0)", lambda x: F.glu(x, 0), [T(0, 3), T(2)], dtypes=FLOATS)
