// cpp: xor, learned by 2 - 16 - 1 with tanh.
#include "tiny.hpp"
#include <cstdio>

int main() {
  tiny::Context t;
  tiny::LinearLayer in(t, 2, 16), out(t, 16, 1);
  tiny::Params params(t);
  in.params(params, "in");
  out.params(params, "out");
  tiny::Tensor x = t.from(std::vector<float>{0, 0, 0, 1, 1, 0, 1, 1}, {4, 2});
  tiny::Tensor y = t.from(std::vector<float>{0, 1, 1, 0}, {4, 1});
  auto loss = [&] { return out(in(x).tanh()).mse_loss(y); };
  tiny::Optim adam(TINY_ADAM, 0.05);
  for (int step = 0; step < 500; step++) {
    tiny::Frame frame(t);
    adam.minimize(loss(), params);
  }
  std::printf("loss %g\n", loss().item());
  if (t.status() != TINY_OK) std::fprintf(stderr, "%s\n", t.error());
  return t.status() != TINY_OK;
}
