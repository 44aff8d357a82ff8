#!/usr/bin/env bash
# headers: tiny.h compiles without a warning in every way that people include it, in a folder that holds nothing else.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cp "$root/tiny.h" "$root"/tiny_*.h . || exit 1
passed=0 failed=0
warn="-Wall -Wextra -Wpedantic -Werror"
libs="-lm -lpthread"

# try NAME COMMAND...: the command must succeed and say nothing.
try() {
  local name=$1 said
  shift
  if said=$("$@" 2>&1) && [ -z "$said" ]; then passed=$((passed + 1)); return; fi
  failed=$((failed + 1))
  printf 'failed: %s\n    %s\n%s\n' "$name" "$*" "$(head -n 20 <<<"$said")"
}

report() {
  echo "$passed passed, $failed failed"
  [ $failed = 0 ]
  exit
}

# For one gcc in a few seconds, and for each clang in none, indentation is compared with braces: once by gcc.
c11="gcc -std=c11 -Wno-misleading-indentation"

# The languages: name, compiler, flags.
each_language() {
  "$@" gcc-c11 $c11
  "$@" clang-c11 clang -std=c11
  "$@" g++-c++17 g++ -x c++ -std=c++17
  "$@" clang++-c++17 clang++ -x c++ -std=c++17
}

main='int main(void) { tiny_shape s = TINY_SHAPE(2, 3); tiny_views v = tiny_views_of(s); return v.n != 1 || TINY_SHAPE().ndim; }'
printf '#define TINY_IMPLEMENTATION\n#include "tiny.h"\n%s\n' "$main" >one.c
printf '#include "tiny.h"\n#include "tiny.h"\n%s\n' "$main" >user.c
printf '#define TINY_IMPLEMENTATION\n#include "tiny.h"\n#include "tiny.h"\n' >library.c
# A library and who uses it are two files; a whole program in one file is hello.c, where the library is its own and leaves
# no name in the object, so that many can be linked (one whose library others could use: test_examples.sh).
only_main() { ! nm -g --defined-only "$1" | grep -vE ' ([VWuw] .*|_*main)$'; }
says_hello() { "$1" | grep -q '^on [A-Z]*: '; }
declarations() { try "$1, declarations only" "${@:2}" $warn -c user.c -o "user_$1.o"; }
extern_link() {
  try "$1, the library" "${@:2}" $warn -c library.c -o "library_$1.o"
  try "$1, linked" "$2" "user_$1.o" "library_$1.o" -o "two_$1" $libs && try "$1, linked, runs" "./two_$1"
}
static_link() {
  try "$1, static" "${@:2}" $warn -DTINY_STATIC -I. -c "$root/examples/hello.c" -o "static_$1.o" &&
    try "$1, static, as often as one likes" only_main "static_$1.o"
  try "$1, static, linked" "$2" "static_$1.o" -o "static_$1" $libs && try "$1, static, runs" says_hello "./static_$1"
}

# A companion: behind tiny.h; in a second file, where tiny.h is declarations alone; private to a file; by itself. It takes
# a second each, as the library itself is not compiled again.
companion() {
  local name=$1
  shift
  try "$1, $name alone in its file" "${@:2}" $warn -Wconversion -Wshadow -c "second_$name.c" -o "second_$name.o"
  try "$1, $name used" "${@:2}" $warn -c "uses_$name.c" -o "uses_$name.o"
  try "$1, $name, static" "${@:2}" $warn -DTINY_STATIC -DTINY_IMPLEMENTATION -fsyntax-only "uses_$name.c"
}
for path in tiny_*.h; do
  name=${path%.h}
  printf '#include "tiny.h"\n#define TINY_IMPLEMENTATION\n#include "%s"\n' "$path" >"second_$name.c"
  printf '#include "%s"\n#include "tiny.h"\n#include "%s"\n' "$path" "$path" >"uses_$name.c"
  printf 'int main(void) { static tiny_desc d; d.backends[0] = &%s; tiny_close(tiny_open(&d)); return 0; }\n' "$name" >>"uses_$name.c"
done

# Every standard, all warnings that people ask for; warnings of the optimiser, and arithmetic that it is told to bend.
much="$warn -Wconversion -Wshadow"
parses() { try "$1, all warnings" "${@:2}" $much -fsyntax-only one.c; }
each_language parses
for path in tiny_*.h; do each_language companion "${path%.h}"; done
[ -z "${TEST_BRIEF:-}" ] || report         # all that `make check` asks
try "gcc, indentation" gcc -std=c11 -Wmisleading-indentation -Werror -fsyntax-only one.c
for std in c17 c2x; do
  try "gcc $std, all warnings" gcc -std=$std $much -Wno-misleading-indentation -fsyntax-only one.c
  try "clang $std, all warnings" clang -std=$std $much -fsyntax-only one.c
done
for std in c++20 c++2b; do
  try "g++ $std, all warnings" g++ -x c++ -std=$std $much -fsyntax-only one.c
  try "clang++ $std, all warnings" clang++ -x c++ -std=$std $much -fsyntax-only one.c
done
# Behind the standard headers that define short words, those of windows.h, and names of namespace std.
cat >crowded.c <<'END'
#include <complex.h>
#include <iso646.h>
#include <stdalign.h>
#include <stdnoreturn.h>
#include <tgmath.h>
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define near
#define far
#define small char
#define ERROR 0
#define IN
#define OUT
#define OPTIONAL
#define interface struct
#define DELETE 0x10000
#define TRUE 1
#define FALSE 0
#define TINY_IMPLEMENTATION
#include "tiny.h"
END
{ printf '#include <%s>\n' algorithm cmath complex functional string vector; echo 'using namespace std;'; cat one.c; } >named.cc
try "gcc, behind words of others" $c11 $much -fsyntax-only crowded.c
try "clang, behind words of others" clang -std=c11 $much -fsyntax-only crowded.c
try "g++, using namespace std" g++ -std=c++20 $much -fsyntax-only named.cc
try "clang++, using namespace std" clang++ -std=c++20 $much -fsyntax-only named.cc
# The dialect of MSVC, as far as clang can tell: no extensions, no variable length arrays.
try "no GNU extensions" clang -std=c11 $warn -Wvla -Wgnu -fsyntax-only one.c
# Words that windows.h takes away: the host may have included all of it.
try "macros of windows.h" gcc -std=c11 -fsyntax-only -Dnear= -Dfar= -Dsmall=char -Dhyper=int -Dinterface=struct -DIN= -DOUT= \
  -DOPTIONAL= -DCONST=const -DVOID=void -DERROR=0 -DABSOLUTE=1 -DRELATIVE=2 '-Dmin(a,b)=0' '-Dmax(a,b)=0' one.c

# With all warnings by both compilers, at -O0 and -O2: tests/whole.c, whose objects other tests have a use for.
built() { make -s -C "$root" "build/whole/$1.o" 2>&1 | grep -v '^build '; [ -f "$root/build/whole/$1.o" ]; }
for whole in gcc-O0 gcc-O2 clang-O0 clang-O2; do try "$whole, warnings of the optimiser" built $whole; done

# NaN, infinity, -0 and subnormals are what they are, though all is compiled and linked with -ffast-math. Looked at by
# their bits: this file is compiled with it, too.
cat >fast.c <<'END'
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include <stdio.h>
static unsigned bits_of(tiny_tensor *x, int i) {
  unsigned out[8] = {0};
  if (tiny_read(x, out, 4 * (size_t)tiny_nelem_of(x)) != TINY_OK) puts("not read");
  return out[i];
}
static int check(const char *name, tiny_tensor *x, int i, unsigned want) {
  const unsigned got = bits_of(x, i);
  if (got == want || ((got & 0x7fffffffu) > 0x7f800000u && (want & 0x7fffffffu) > 0x7f800000u)) return 0;
  printf("%s: %08x, not %08x\n", name, got, want);
  return 1;
}
int main(void) {
  const unsigned in[8] = {0x7fc00000, 0x7f800000, 0xff800000, 0x80000000, 0, 0x00000123, 0x3f800000, 0xbf800000};
  const char *const devices[2] = {"CPU", "INTERP"};
  int wrong = 0;
  for (int d = 0; d < 2; d++) {
    tiny_desc desc = tiny_desc();
    desc.device = devices[d];
    tiny_ctx *t = tiny_open(&desc);
    tiny_tensor *x = tiny_from(t, in, TINY_F32, TINY_SHAPE(8)), *zero = tiny_full(t, 0, TINY_F32, TINY_SHAPE(8));
    tiny_tensor *negative = tiny_full(t, -1, TINY_F32, TINY_SHAPE(2));
    wrong += check("nan + 0", tiny_add(x, zero), 0, in[0]) + check("relu of inf", tiny_relu(x), 1, in[1]);
    wrong += check("max of nan", tiny_amax(x, TINY_ALL, 0), 0, in[0]) + check("-inf", tiny_minimum(x, zero), 2, in[2]);
    wrong += check("-(-0)", tiny_neg(x), 3, 0) + check("-0", tiny_neg(x), 4, in[3]);
    wrong += check("subnormal", tiny_mul(x, tiny_div(x, x)), 5, in[5]) + check("inf - inf", tiny_sub(x, x), 1, in[0]);
    wrong += check("is nan", tiny_cast(tiny_isnan(x), TINY_F32), 0, in[6]) + check("0 / 0", tiny_div(zero, zero), 0, in[0]);
    wrong += check("1 / -0", tiny_reciprocal(x), 3, in[2]) + check("nan < 0", tiny_cast(tiny_lt(x, zero), TINY_F32), 0, 0);
    wrong += check("f16", tiny_cast(tiny_cast(x, TINY_F16), TINY_F32), 0, in[0]);
    wrong += check("f16 of inf", tiny_cast(tiny_cast(x, TINY_F16), TINY_F32), 2, in[2]);
    wrong += check("folded nan", tiny_sqrt(negative), 1, in[0]) + check("folded -inf", tiny_log(tiny_sub(negative, negative)), 1, in[2]);
    if (tiny_status(t) != TINY_OK) { puts(tiny_error(t)); wrong++; }
    tiny_close(t);
  }
  return wrong;
}
END
sed 's/tiny_desc desc = tiny_desc();/tiny_desc desc = {0};/' fast.c >fast_c.c
# try_fast NAME FILE COMPILER...: right, or refused with a word on what to do.
try_fast() {
  local name=$1 said
  shift
  if said=$("${@:2}" "$1" -o fast $libs 2>&1); then try "$name computes" ./fast
  else try "$name is refused" grep -q 'error:.*-fno-finite-math-only' <<<"$said"; fi
}
# -Ofast is -O3, whose warnings are looked at here, and -ffast-math.
try_fast "gcc -Ofast" fast_c.c $c11 $much -Ofast
try_fast "g++ -ffast-math" fast.c g++ -x c++ -std=c++17 -O1 -ffast-math
try_fast "clang -ffast-math" fast_c.c clang -std=c11 -O1 -ffast-math
try_fast "clang -ffast-math -fno-finite-math-only" fast_c.c clang -std=c11 -O1 -ffast-math -fno-finite-math-only
each_language declarations
each_language extern_link
each_language static_link

# C and C++ files of one program share the library, whichever language it was compiled as.
for user in gcc-c11 clang++-c++17; do
  for library in clang-c11 g++-c++17; do
    try "$user uses the library of $library" g++ user_$user.o library_$library.o -o mixed $libs && try "it runs" ./mixed
  done
done

# Nothing but tiny_ and TINY_ reaches the including file or the linker (TN_, tn_: the implementation's own).
no_other_names() { ! nm -g --defined-only "$1" | awk '{ print $NF }' | grep -v '^_*tiny_'; }
no_other_macros() {
  ! "${@:2}" -E -dD "$1" | awk '
    $1 == "#" { file = $3 }
    $1 == "#define" && file ~ /tiny\.h/ { sub(/\(.*/, "", $2); ours[$2] = 1 }
    $1 == "#undef" { delete ours[$2] }
    END { for (name in ours) if (name !~ /^(TINY_|TN_|_)/) print name }' | grep .
}
if [ -f library_gcc-c11.o ]; then try "exported names" no_other_names library_gcc-c11.o; fi
try "macros of the declarations" no_other_macros user.c gcc -std=c11
try "macros of the implementation" no_other_macros one.c gcc -std=c11

# Each part can be left out, and all of them; the manual names each. What is left computes.
cat >sum.c <<'END'
#define TINY_IMPLEMENTATION
#include "tiny.h"
int main(void) {
  const float in[4] = {1, 2, 3, 4};
  tiny_ctx *t = tiny_open(NULL);
  tiny_tensor *x = tiny_from(t, in, TINY_F32, TINY_SHAPE(4));
  const int wrong = tiny_item(tiny_sum(tiny_mul(x, x), TINY_ALL, 0)) != 30 || tiny_status(t) != TINY_OK;
  if (wrong) puts(tiny_error(t));
  tiny_close(t);
  return wrong;
}
END
without() {
  try "$1" "${@:2}" $warn sum.c -o without $libs && try "$1, computes" ./without
}
parts=$(grep -E '^ *# *(if|elif)' tiny.h | grep -oE '\bTINY_NO_[A-Z0-9_]+' | sort -u)
for part in $parts; do
  try "without $part" $c11 $warn -D$part -fsyntax-only sum.c
  try "without $part, optimised" $c11 $warn -O1 -D$part -fsyntax-only sum.c
  try "clang without $part, optimised" clang -std=c11 $warn -O1 -D$part -fsyntax-only sum.c
  without "C++ without $part" clang++ -x c++ -std=c++17 -D$part
  try "the manual names $part" grep -qE "^  $part +[a-z]" tiny.h
done
without "without any part" $c11 ${parts//TINY/-DTINY}
without "C++ without any part" clang++ -x c++ -std=c++17 ${parts//TINY/-DTINY}

report
