from collections import Counter
from tinygrad import Device, Tensor, TinyJit, nn
from tinygrad.helpers import cpu_profile

embed, head = nn.Linear(64, 256), nn.Linear(256, 10)
stages = {
    "embed": TinyJit(lambda x: embed(x).relu()),
    "mix": TinyJit(lambda h: (h @ h.T).softmax() @ h),
    "head": TinyJit(head),
}
x = Tensor.randn(1024, 64).realize()

times = Counter()
for _ in range(10):
    h = x
    for name, stage in stages.items():
        with cpu_profile(name) as event:
            h = stage(h)
            Device.default.synchronize()
        times[name] += event.en - event.st

for name, time in times.most_common():
    print(f"{name:5} {time / 1000:9.3f} ms {time / times.total():6.1%}")
print("slowest", times.most_common(1)[0][0])
