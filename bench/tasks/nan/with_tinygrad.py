import numpy as np
from tinygrad import Tensor, nn

stages = {"embed": nn.Linear(64, 32), "scale": Tensor.log, "head": nn.Linear(32, 10)}
nans = []

data = Tensor(np.loadtxt("examples/data/digits.csv", delimiter=",", dtype=np.int32)[:100])
h = data[:, :64] / 16
for name, stage in stages.items():
    h = stage(h)
    if h.isnan().any().item():
        nans.append(name)
h.sparse_categorical_crossentropy(data[:, 64]).realize()
print("first", nans[0])
