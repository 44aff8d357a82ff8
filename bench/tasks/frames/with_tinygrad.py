import math, time
from tinygrad import Tensor, TinyJit

position = Tensor.linspace(-1, 1, 10000).stack(Tensor.zeros(10000), dim=1).contiguous()
velocity = Tensor.zeros(10000, 2).contiguous()


@TinyJit
def frame(mouse):
    velocity.assign(0.99 * (velocity + (mouse - position) / 60))
    position.assign(position + velocity / 60)
    return position.mean(0)


start = time.perf_counter()
for f in range(600):
    mean = frame(Tensor([math.cos(f / 50), math.sin(f / 50)])).tolist()
print("mean", *mean)
print("frame", (time.perf_counter() - start) / 600 * 1000)
