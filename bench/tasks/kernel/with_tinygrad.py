from tinygrad import Device, Tensor, UOp
from tinygrad.uop.ops import KernelInfo, Ops

source = """
void leak(float *restrict y, float *restrict x) {
  for (int i = 0; i < 1000; i++) y[i] = x[i] > 0 ? x[i] : 0.1f * x[i] * x[i];
}
"""
binary = Device.default.compiler.compile(source)


def from_source(y, x):
    sink = UOp.sink(y, x, arg=KernelInfo(name="leak"))
    linear = UOp(Ops.LINEAR, src=tuple(sink.toposort()))
    code = UOp(Ops.SOURCE, arg=source), UOp(Ops.BINARY, arg=binary)
    return UOp(Ops.PROGRAM, src=(sink, linear, *code))


def from_ir(y, x):
    i = UOp.range(1000, 0)
    return y[i].store((x[i] > 0).where(x[i], 0.1 * x[i] * x[i])).end(i).sink(arg=KernelInfo())


x = 2 * Tensor.linspace(-1, 1, 1000)
for name, kernel in ("source", from_source), ("ir", from_ir):
    print(name, Tensor.empty(1000).custom_kernel(x, fxn=kernel)[0].sum().item())
