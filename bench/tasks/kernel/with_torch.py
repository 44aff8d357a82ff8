import torch
from torch.utils.cpp_extension import load_inline

source = """
torch::Tensor kernel(torch::Tensor x) {
  auto y = torch::empty_like(x);
  auto in = x.data_ptr<float>(), out = y.data_ptr<float>();
  for (int64_t i = 0; i < x.numel(); i++) out[i] = in[i] > 0 ? in[i] : 0.1f * in[i] * in[i];
  return y;
}
"""
compiled = load_inline("compiled", source, functions="kernel")
traced = torch.fx.symbolic_trace(lambda x: torch.where(x > 0, x, 0.1 * x * x))

x = torch.linspace(-1, 1, 1000)
print("source", compiled.kernel(2 * x).sum().item())
print("ir", traced(2 * x).sum().item())
