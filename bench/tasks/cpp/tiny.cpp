// cpp: xor, learned by 2 - 16 - 1 with tanh.
#include "tiny.hpp"
#include <cstdio>

struct Net {
  tiny::LinearLayer in, out;
  tiny::Params params;
  explicit Net(const tiny::Context &t) : in(t, 2, 16), out(t, 16, 1), params(t) {
    in.params(params, "in");
    out.params(params, "out");
  }
  tiny::Tensor operator()(const tiny::Tensor &x) const { return out(in(x).tanh()); }
};

int main() {
  tiny::Context t;
  Net net(t);
  tiny::Tensor x = t.from(std::vector<float>{0, 0, 0, 1, 1, 0, 1, 1}, {4, 2});
  tiny::Tensor y = t.from(std::vector<float>{0, 1, 1, 0}, {4, 1});
  tiny::Optim adam(TINY_ADAM, 0.05);
  for (int step = 0; step < 500; step++) {
    tiny::Frame frame(t);
    adam.step(net.params.tensors(), tiny::grad(net(x).mse_loss(y), net.params.tensors()));
  }
  double loss = net(x).mse_loss(y).item();
  if (t.status() == TINY_OK)
    std::printf("loss %g\n", loss);
  else
    std::fprintf(stderr, "%s\n", t.error());
  return t.status() != TINY_OK;
}
