#!/usr/bin/env bash
# test_shipped: programs that one process saves (tests/shipped_make.c) and another runs that has nothing but the part of
# the library that runs (TINY_RUNTIME_ONLY, tests/shipped_play.c): the same bits, by the file's machine code, by its lists
# compiled here, and interpreted; on lesser processors; where nothing may be executed; in pieces, cancelled; bad files;
# which lists that are not trusted are compiled (tests/shipped_within.c). How large that part is,
# that it has no warnings and no names of its own but tiny_*; the examples ship.c and shipped.c.
cd "$(dirname "$0")/.." || exit 1
. tests/says.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
names="bare dtypes random rounds step recurrent transformer resnet million"
flags="-std=gnu11 -w -I. -Itests"
build() { cc $flags "$@" -lm -lpthread; }
build -O1 tests/shipped_make.c -o "$work/make" || exit 1
build -g -O1 -fsanitize=address,undefined tests/shipped_play.c -o "$work/play" || exit 1
build -O2 -DTINY_NO_ISA tests/shipped_play.c -o "$work/play_alone" || exit 1

# Each level that this processor has saves; the same level, and those above that may run it, load.
for level in "" :sse2 :avx2; do
  [ "$level" = :avx2 ] && ! grep -q avx2 /proc/cpuinfo && continue
  files="$work/files$level"
  mkdir "$files"
  says "saved on CPU$level" " 0 failed" "$work/make" "$files" "CPU$level" $names
  says "its machine code, CPU$level" " 0 failed" "$work/play" "$files" "CPU$level" trusted 0 $names
  says "its lists, verified, CPU$level" " 0 failed" "$work/play" "$files" "CPU$level" untrusted some $names
  [ "$level" = :avx2 ] && continue
  says "nothing may be executed, CPU$level" " 0 failed" "$work/play" "$files" "CPU$level" refused all $names
  says "machine code without a compiler, CPU$level" " 0 failed" "$work/play_alone" "$files" "CPU$level" trusted 0 $names
  says "interpreted, CPU$level" " 0 failed" "$work/play_alone" "$files" "CPU$level" untrusted all $names
done
# Random programs (tests/random.h).
drawn="$work/drawn"
mkdir "$drawn"
build -O1 -DTEST_PROGRAM='"test_saved_random"' tests/test_saved_random.c -o "$work/draw" || exit 1
says "random programs, saved" " 0 failed" env TEST_SAVE="$drawn" TEST_ROUNDS=24 "$work/draw"
programs=$(cd "$drawn" && ls ./*.tiny | sed 's/^..//; s/.tiny$//')
for way in "trusted 0" "untrusted some" "refused all"; do
  says "random programs, $way" " 0 failed" "$work/play" "$drawn" CPU $way $programs
done

says "bad files, arguments, refused memory" " 0 failed" "$work/play" "$work/files" bad step

build -g -O1 -fsanitize=address,undefined tests/shipped_within.c -o "$work/within" || exit 1
says "accesses that are taken are within their memory" " 0 failed" "$work/within"

# A processor lesser than the code wants takes the lists that any can compile.
mkdir "$work/greater"
SHIPPED_LEVELS=avx2 says "code for AVX2 alone" " 0 failed" "$work/make" "$work/greater" CPU:sse2 dtypes
says "loaded where there is SSE2" " 0 failed" "$work/play" "$work/greater" CPU:sse2 trusted 0 dtypes

# The same bits from an arm64 processor, where that can be played.
if command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64 >/dev/null; then
  says "arm64" " 0 failed" bash -c "aarch64-linux-gnu-gcc -static $flags -O1 tests/shipped_play.c -o '$work/arm' -lm -lpthread &&
    qemu-aarch64 '$work/arm' '$work/files:sse2' CPU untrusted some bare dtypes random rounds step recurrent"
fi

# Bytes of the object, with the compiler and without: code, constants and data, as `size` adds them.
small() {
  echo '#define TINY_IMPLEMENTATION
#include "src/all.c"' >"$work/small.c"
  gcc -std=c11 -Os -fno-asynchronous-unwind-tables -DTINY_RUNTIME_ONLY "$@" -I. -c "$work/small.c" -o "$work/small.o" && strip "$work/small.o" &&
    size "$work/small.o" | awk 'NR == 2 { print $4 }'
}
within() { local n; n=$(small "${@:2}") && echo "$n bytes of $1" && [ "$n" -le "$1" ]; }
if [ "$(uname -m)" = x86_64 ] && command -v gcc >/dev/null; then
  says "at most 200 KB" "bytes of" within $((200 * 1024))
  says "at most 60 KB without a compiler" "bytes of" within $((60 * 1024)) -DTINY_NO_ISA
  says "no name of others" "^none$" bash -c "nm -g --defined-only '$work/small.o' | grep -v ' tiny_' || echo none"
fi

# No warnings, whatever is left out besides.
for compiler in "gcc -std=c11 -x c" "g++ -std=c++17 -x c++" "clang-19 -std=c11 -x c" "clang++-19 -std=c++17 -x c++"; do
  command -v "${compiler%% *}" >/dev/null || continue
  for out in "" -DTINY_NO_ISA "-DTINY_NO_INTERP -DTINY_NO_THREADS" -DTINY_STATIC; do
    says "$compiler $out" "^quiet$" bash -c "$compiler -Wall -Wextra -Wpedantic -Werror -DTINY_RUNTIME_ONLY $out -fsyntax-only src/all.c && echo quiet"
  done
done

[ -s tiny.h ] && grep -q TINY_RUNTIME_ONLY tiny.h || { python3 tools/amalgamate.py && python3 tools/hpp.py; }
says "ship.c and shipped.c" "@" bash -c "cc -std=c11 -Wall -Wextra -Werror -O1 -I. examples/ship.c -o '$work/ship' -lm -lpthread &&
  cc -std=c11 -Wall -Wextra -Werror -Os -I. examples/shipped.c -o '$work/shipped' -lm -lpthread &&
  cd '$work' && TINY_CACHE= ./ship && ./shipped"
report
