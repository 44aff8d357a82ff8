#!/bin/sh
# vectors on a second device: every operator vector is computed on INTERP, of inputs that lie on the CPU, and its gradients
# flow back to them (TEST_BRIEF: of a third, and of each operator with each dtype). make test has built test_vectors.
cd "$(dirname "$0")/.." || exit 1
[ -x build/plain/test_vectors ] || make -s build/plain/test_vectors || exit 1
TINY_DEV=CPU,INTERP exec build/plain/test_vectors
