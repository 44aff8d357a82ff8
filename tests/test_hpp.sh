#!/usr/bin/env bash
# hpp: tiny.hpp is what tools/hpp.py writes, compiles without a warning by g++ and clang++ as C++17 and C++20, whatever is left out, and does what
# tests/test_hpp.cpp says: with exceptions and without, and under the address sanitizer.
set -u
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
warn="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wsign-conversion -Wold-style-cast -Wnon-virtual-dtor -Werror -I."
libs="-lm -lpthread -ldl"
make -s build/library/plain.o build/library/asan.o || exit 1

# try NAME COMMAND...: the command must succeed.
try() {
  local name=$1 said
  shift
  if said=$("$@" 2>&1); then passed=$((passed + 1)); return 0; fi
  failed=$((failed + 1))
  printf 'failed: %s\n    %s\n%s\n' "$name" "$*" "$(head -n 20 <<<"$said")"
  return 1
}
run() { try "$1" "${@:2}" $warn tests/test_hpp.cpp "build/library/$object.o" -o "$work/test" $libs && try "$1, runs" "$work/test"; }

try "tools/hpp.py" tools/hpp.py --check
object=plain
run "g++" g++ -std=c++17 -g
run "g++, exceptions" g++ -std=c++20 -g -O1 -DTINY_EXCEPTIONS
object=asan
sanitize="-g -fsanitize=address,undefined -fno-sanitize-recover=all"
run "clang++, sanitized" clang++ -std=c++17 $sanitize
run "clang++, sanitized, exceptions" clang++ -std=c++20 $sanitize -DTINY_EXCEPTIONS
for out in NN IO LINALG INTERP DISK "NN -DTINY_NO_IO -DTINY_NO_LINALG"; do
  try "without $out" clang++ -std=c++17 $warn -DTINY_NO_$out -fsyntax-only tests/test_hpp.cpp
done
try "as Effective C++ has it" g++ -std=c++17 $warn -Weffc++ -fsyntax-only tests/test_hpp.cpp
try "without exceptions and RTTI" clang++ -std=c++20 $warn -fno-exceptions -fno-rtti -fsyntax-only tests/test_hpp.cpp
# Behind windows.h, which may have been included without NOMINMAX.
{ printf '#include <%s>\n' algorithm cstdint cstddef initializer_list memory stdexcept string tuple type_traits vector
  printf '#define %s\n' 'min(a, b) ((a) < (b) ? (a) : (b))' 'max(a, b) ((a) > (b) ? (a) : (b))' near far 'small char' 'interface struct' IN OUT \
    OPTIONAL 'ERROR 0' 'DELETE 0x10000' 'TRUE 1' 'FALSE 0' 'VOID void' 'CONST const'
  echo '#include "tiny.hpp"'; } >"$work/windows.cpp"
try "macros of windows.h" g++ -std=c++17 $warn -fsyntax-only "$work/windows.cpp"
# Two files of a program, of which one implements.
printf '#include "tiny.hpp"\ntiny::Tensor twice(const tiny::Tensor &x) { return x * 2; }\n' >"$work/other.cpp"
printf '#include "tiny.hpp"\ntiny::Tensor twice(const tiny::Tensor &x);\nint main() { tiny::Context t("INTERP"); return twice(tiny::ones(t, {})).item() != 2; }\n' >"$work/main.cpp"
try "two files" g++ -std=c++17 $warn "$work/other.cpp" "$work/main.cpp" build/library/plain.o -o "$work/two" $libs && try "two files, runs" "$work/two"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
