#!/usr/bin/env bash
# operators: each has a comment with the name that PyTorch or NumPy gives it, and stands in docs/operators.md as it reads now.
cd "$(dirname "$0")/.." && exec python3 tools/operators.py --check
