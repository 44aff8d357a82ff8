#!/usr/bin/env bash
# operators: each has a comment with the name that PyTorch or NumPy gives it, an example, and stands in docs/ as it reads now.
cd "$(dirname "$0")/.." || exit 1
mkdir -p build/operators && make -s build/library/plain.o || exit 1
gcc -std=c11 -I. -include build/library.h examples/operators.c build/library/plain.o -o build/operators/examples -lm -lpthread -ldl &&
build/operators/examples >build/operators/examples.txt || exit 1
exec python3 tools/operators.py --check
