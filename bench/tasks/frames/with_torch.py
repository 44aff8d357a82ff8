import math, time
import torch

position = torch.stack([torch.linspace(-1, 1, 10000), torch.zeros(10000)], 1)
velocity = torch.zeros(10000, 2)

start = time.perf_counter()
for f in range(600):
    mouse = torch.tensor([math.cos(f / 50), math.sin(f / 50)])
    velocity = 0.99 * (velocity + (mouse - position) / 60)
    position += velocity / 60
    mean = position.mean(0).tolist()
print("mean", *mean)
print("frame", (time.perf_counter() - start) / 600 * 1000)
