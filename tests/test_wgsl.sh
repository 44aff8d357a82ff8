#!/usr/bin/env bash
# test_wgsl: what test_wgsl writes is WGSL that Dawn takes, which browsers have, and what is none it refuses. Dawn comes
# as a package of npm, 130 MB, into build/npm; where it is not to be had the test is left out, and says so.
cd "$(dirname "$0")/.." || exit 1
left_out() { echo "test_wgsl.sh: left out, $1"; echo "0 passed, 0 failed"; exit 0; }
command -v node >/dev/null && command -v npm >/dev/null || left_out "there is no node with npm"
if [ ! -d build/npm/node_modules/webgpu ]; then
  mkdir -p build/npm
  timeout 120 npm install --silent --no-audit --no-fund --ignore-scripts --prefix build/npm webgpu@0.6.2 \
    >build/npm/log 2>&1 || { rm -rf build/npm/node_modules; left_out "npm does not install webgpu"; }
fi
make -s build/plain/test_wgsl >/dev/null && mkdir -p build/wgsl && rm -f build/wgsl/*.wgsl &&
  TEST_WGSL=build/wgsl build/plain/test_wgsl >/dev/null ||
  { echo "test_wgsl writes nothing"; echo "0 passed, 1 failed"; exit 1; }
said=$(timeout 100 node tools/validate_wgsl.mjs build/wgsl/*.wgsl) || true
passed=$(echo "$said" | sed -n 's/^\([0-9]*\) passed, .*/\1/p'); failed=$(echo "$said" | sed -n 's/.* passed, \([0-9]*\) failed$/\1/p')
[ "${failed:-1}" = 0 ] || echo "$said" >&2
echo '@compute @workgroup_size(1) fn main() { let x: i32 = 1u; }' > build/npm/bad.wgsl
if timeout 100 node tools/validate_wgsl.mjs build/npm/bad.wgsl >/dev/null; then
  echo "Dawn takes what is no WGSL" >&2; failed=$((${failed:-1} + 1))
else passed=$((${passed:-0} + 1)); fi
echo "${passed:-0} passed, ${failed:-1} failed"
[ "${failed:-1}" = 0 ]
