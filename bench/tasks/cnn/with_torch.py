import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


def block(inputs, outputs):
    return nn.Conv2d(inputs, outputs, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)


def network():
    return nn.Sequential(*block(1, 16), *block(16, 32), nn.Flatten(), nn.Linear(128, 10))


def accuracy(model):
    return (model(x[1500:]).argmax(1) == y[1500:]).float().mean()


data = torch.tensor(np.loadtxt("examples/data/digits.csv", delimiter=",", dtype=np.int64))
x, y = data[:, :64].view(-1, 1, 8, 8) / 16, data[:, 64]

model = network()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(10):
    for batch in torch.randperm(1500).split(100):
        optimizer.zero_grad()
        F.cross_entropy(model(x[batch]), y[batch]).backward()
        optimizer.step()
print(f"accuracy {accuracy(model):.4f}")

torch.save(model.state_dict(), "build/tasks/cnn.pt")
loaded = network()
loaded.load_state_dict(torch.load("build/tasks/cnn.pt"))
print(f"loaded {accuracy(loaded):.4f}")
