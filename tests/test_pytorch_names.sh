#!/usr/bin/env bash
# pytorch_names: docs/from-pytorch-names.md has every name of PyTorch's that src/api/ is marked with, and names only what there is.
cd "$(dirname "$0")/.." && exec python3 tools/pytorch_names.py --check
