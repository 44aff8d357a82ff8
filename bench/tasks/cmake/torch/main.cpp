#include <torch/torch.h>
#include <iostream>

int main() { std::cout << "sum " << torch::tensor({1, 2, 3, 4}).sum().item<int>() << std::endl; }
