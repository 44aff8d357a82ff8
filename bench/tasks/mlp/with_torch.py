import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

data = torch.tensor(np.loadtxt("examples/data/digits.csv", delimiter=",", dtype=np.int64))
x, y = data[:, :64] / 16, data[:, 64]

model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
for epoch in range(20):
    for batch in torch.randperm(1500).split(100):
        optimizer.zero_grad()
        F.cross_entropy(model(x[batch]), y[batch]).backward()
        optimizer.step()

accuracy = (model(x[1500:]).argmax(1) == y[1500:]).float().mean()
print(f"accuracy {accuracy:.4f}")
