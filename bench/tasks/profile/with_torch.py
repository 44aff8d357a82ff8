import torch
from torch import nn
from torch.profiler import profile, record_function

embed, head = nn.Linear(64, 256), nn.Linear(256, 10)
x = torch.randn(1024, 64)

with profile() as profiler:
    for _ in range(10):
        with record_function("embed"):
            h = embed(x).relu()
        with record_function("mix"):
            h = (h @ h.T).softmax(-1) @ h
        with record_function("head"):
            head(h)

events = profiler.key_averages()
print(events.table(sort_by="cpu_time_total"))
stages = [e for e in events if e.key in ("embed", "mix", "head")]
print("slowest", max(stages, key=lambda e: e.cpu_time_total).key)
