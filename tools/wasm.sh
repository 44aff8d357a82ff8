#!/bin/sh
# wasm.sh PROGRAM...: tests (such as test_matmul) in an engine of WebAssembly: the library built by emscripten, run by
# node, kernels compiled by the library itself and loaded by the page (TINY_CC=builtin, unless it is set).
#   Debian: apt-get install emscripten nodejs
#   TEST_STRIDE=40 tools/wasm.sh test_vectors
set -eu
cd "$(dirname "$0")/.."
for program in emcc node; do
  command -v $program >/dev/null || { echo "wasm: $program is missing: see the head of $0" >&2; exit 1; }
done
there=build/wasm
mkdir -p $there
echo 'Module.preRun = [function () { Object.assign(ENV, process.env) }]' > $there/environment.js
export NODE_PATH="${NODE_PATH:-/usr/share/nodejs}"         # Debian's emscripten finds acorn there
for program; do
  echo "build $there/$program"
  emcc -std=gnu11 -O1 -w -I. ${FLAGS:-} "tests/$program.c" -o "$there/$program.js" -sALLOW_TABLE_GROWTH \
    -sALLOW_MEMORY_GROWTH -sINITIAL_MEMORY=67108864 -sTOTAL_STACK=4194304 -sNODERAWFS -sEXIT_RUNTIME \
    --pre-js $there/environment.js
done
export TINY_CC="${TINY_CC:-builtin}"
fetch=                                     # node 18 and later: emscripten 3.1.6 would read the module by fetch
node --no-experimental-fetch -e 0 2>/dev/null && fetch=--no-experimental-fetch
status=0
for program; do
  printf '%s: ' "$program"
  node $fetch "$there/$program.js" > "$there/$program.txt" 2>&1 || status=1
  tr '\r' '\n' < "$there/$program.txt" | tail -n 1
done
exit $status
