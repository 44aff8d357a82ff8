#!/usr/bin/env python3
# digits_torch: the network of examples/digits.c in PyTorch, the reference for its time and accuracy.
#   OPENBLAS_CORETYPE=SkylakeX python3 bench/digits_torch.py [seeds]
import sys, time
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

TRAIN, BATCH, EPOCHS, RATE = 1437, 64, 25, 4e-3


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(1, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16)
        self.conv2, self.norm2 = nn.Conv2d(16, 32, 3, padding=1, bias=False), nn.BatchNorm2d(32)
        self.dense1, self.dense2 = nn.Linear(32 * 4 * 4, 64), nn.Linear(64, 10)

    def forward(self, x):
        x = F.relu(self.norm1(self.conv1(x)))
        x = F.max_pool2d(F.relu(self.norm2(self.conv2(x))), 2)
        x = F.dropout(x.flatten(1), 0.2, self.training)
        return self.dense2(F.dropout(F.relu(self.dense1(x)), 0.2, self.training))


def shifted(images, rng):
    out = np.zeros_like(images)
    for i, (dy, dx) in enumerate(rng.integers(-1, 2, size=(len(images), 2))):
        a = np.pad(images[i, 0], 1)
        out[i, 0] = a[1 + dy:9 + dy, 1 + dx:9 + dx]
    return out


def train(seed, images, labels):
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    net = Net()
    adam = torch.optim.Adam(net.parameters(), lr=RATE)
    steps = EPOCHS * (TRAIN // BATCH)
    start, step = time.time(), 0
    for epoch in range(EPOCHS):
        net.train()
        order = rng.permutation(TRAIN)
        for b in range(TRAIN // BATCH):
            rows = order[b * BATCH:(b + 1) * BATCH]
            adam.param_groups[0]["lr"] = RATE * (1 - step / steps)
            loss = F.cross_entropy(net(torch.from_numpy(shifted(images[rows], rng))), torch.from_numpy(labels[rows]))
            adam.zero_grad()
            loss.backward()
            adam.step()
            step += 1
    spent = time.time() - start
    net.eval()
    with torch.no_grad():
        right = (net(torch.from_numpy(images[TRAIN:])).argmax(1).numpy() == labels[TRAIN:]).mean()
    print(f"seed {seed}: {100 * right:.2f} % in {spent:.2f} s, last loss {loss.item():.4f}", flush=True)


torch.set_num_threads(2)
data = np.loadtxt("examples/data/digits.csv", delimiter=",", dtype=np.float32)
images, labels = data[:, :64].reshape(-1, 1, 8, 8) / 16, data[:, 64].astype(np.int64)
for seed in range(1, 1 + (int(sys.argv[1]) if len(sys.argv) > 1 else 1)):
    train(seed, images, labels)
