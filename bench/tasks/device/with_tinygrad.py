import sys
from tinygrad import Device, Tensor
from tinygrad.device import Allocator, Compiled
from tinygrad.runtime.ops_python import PythonProgram, PythonRenderer


class MineAllocator(Allocator):
    held = 0

    def _alloc(self, size, options):
        self.held += size
        return memoryview(bytearray(size))

    def _free(self, buffer, options):
        self.held -= len(buffer)

    def _copyin(self, dest, src):
        dest[:] = src

    def _copyout(self, dest, src):
        dest[:] = src

    def _offset(self, buffer, size, offset):
        return buffer[offset : offset + size]


class MineDevice(Compiled):
    def __init__(self, device):
        super().__init__(device, MineAllocator(self), [PythonRenderer], PythonProgram)


sys.modules["tinygrad.runtime.ops_mine"] = sys.modules[__name__]

x, w, b = (Tensor.uniform(*shape, low=-1, high=1) for shape in [(4, 64), (64, 32), (32,)])
y = (x.to("mine") @ w.to("mine") + b.to("mine")).relu().realize()
print("held", Device["mine"].allocator.held)
print("error", (y.to("CPU") - (x @ w + b).relu()).abs().max().item())
