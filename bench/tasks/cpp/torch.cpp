#include <torch/torch.h>
#include <iostream>

int main() {
  auto x = torch::tensor({{0.f, 0.f}, {0.f, 1.f}, {1.f, 0.f}, {1.f, 1.f}});
  auto y = torch::tensor({{0.f}, {1.f}, {1.f}, {0.f}});
  torch::nn::Sequential model(torch::nn::Linear(2, 16), torch::nn::Tanh(),
                              torch::nn::Linear(16, 1));
  torch::optim::Adam optimizer(model->parameters(), 0.05);
  torch::Tensor loss;
  for (int step = 0; step < 500; step++) {
    optimizer.zero_grad();
    loss = torch::mse_loss(model->forward(x), y);
    loss.backward();
    optimizer.step();
  }
  std::cout << "loss " << loss.item<float>() << std::endl;
}
