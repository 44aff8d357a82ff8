import numpy as np
from tinygrad import Context, Tensor, TinyJit, nn


def block(inputs, outputs):
    return nn.Conv2d(inputs, outputs, 3, padding=1), Tensor.relu, Tensor.max_pool2d


def network():
    return [*block(1, 16), *block(16, 32), lambda x: x.flatten(1), nn.Linear(128, 10)]


def accuracy(layers):
    return (x[1500:].sequential(layers).argmax(1) == y[1500:]).mean().item()


@TinyJit
@Context(TRAINING=1)
def epoch():
    for batch in Tensor.randperm(1500).split(100):
        optimizer.zero_grad()
        x[batch].sequential(layers).sparse_categorical_crossentropy(y[batch]).backward()
        optimizer.step()


data = Tensor(np.loadtxt("examples/data/digits.csv", delimiter=",", dtype=np.int32))
x, y = data[:, :64].reshape(-1, 1, 8, 8) / 16, data[:, 64]

layers = network()
optimizer = nn.optim.Adam(nn.state.get_parameters(layers), lr=0.01)
for _ in range(10):
    epoch()
print(f"accuracy {accuracy(layers):.4f}")

nn.state.safe_save(nn.state.get_state_dict(layers), "build/tasks/cnn.safetensors")
loaded = network()
nn.state.load_state_dict(loaded, nn.state.safe_load("build/tasks/cnn.safetensors"), verbose=False)
print(f"loaded {accuracy(loaded):.4f}")
