import numpy as np
from tinygrad import Context, Tensor, TinyJit, nn

data = Tensor(np.loadtxt("examples/data/digits.csv", delimiter=",", dtype=np.int32))
x, y = data[:, :64] / 16, data[:, 64]

layers = [nn.Linear(64, 64), Tensor.relu, nn.Linear(64, 10)]
optimizer = nn.optim.Adam(nn.state.get_parameters(layers), lr=0.003)


@TinyJit
@Context(TRAINING=1)
def epoch():
    for batch in Tensor.randperm(1500).split(100):
        optimizer.zero_grad()
        x[batch].sequential(layers).sparse_categorical_crossentropy(y[batch]).backward()
        optimizer.step()


for _ in range(20):
    epoch()

accuracy = (x[1500:].sequential(layers).argmax(1) == y[1500:]).mean().item()
print(f"accuracy {accuracy:.4f}")
