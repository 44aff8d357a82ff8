#!/usr/bin/env bash
# headers: tiny.h compiles without a warning in every way that people include it, in a folder that holds nothing else.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cp "$root/tiny.h" . || exit 1
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

# The languages: name, compiler, flags.
each_language() {
  "$@" gcc-c11 gcc -std=c11
  "$@" clang-c11 clang -std=c11
  "$@" g++-c++17 g++ -x c++ -std=c++17
  "$@" clang++-c++17 clang++ -x c++ -std=c++17
}

main='int main(void) { tiny_shape s = TINY_SHAPE(2, 3); tiny_views v = tiny_views_of(s); return v.n != 1 || TINY_SHAPE().ndim; }'
printf '#define TINY_IMPLEMENTATION\n#include "tiny.h"\n%s\n' "$main" >one.c
printf '#include "tiny.h"\n#include "tiny.h"\n%s\n' "$main" >user.c
printf '#define TINY_IMPLEMENTATION\n#include "tiny.h"\n#include "tiny.h"\n' >library.c
printf '#define TINY_STATIC\n#define TINY_IMPLEMENTATION\n#include "tiny.h"\n%s\n' "$main" >static_main.c
printf '#define TINY_STATIC\n#define TINY_IMPLEMENTATION\n#include "tiny.h"\nint other(void);\nint other(void) { return TINY_MAX_DIMS; }\n' >static_other.c

one_file() { try "$1, one file" "${@:2}" $warn one.c -o "one_$1" $libs && try "$1 runs" "./one_$1"; }
declarations() { try "$1, declarations only" "${@:2}" $warn -c user.c -o "user_$1.o"; }
extern_link() { try "$1, the library" "${@:2}" $warn -c library.c -o "library_$1.o"; }
static_link() { try "$1, twice in one link" "${@:2}" $warn static_main.c static_other.c -o "static_$1" $libs; }
hello() { try "$1, hello.c" "${@:2}" $warn "$root/examples/hello.c" -I. -o "hello_$1" $libs; }

each_language one_file
try "warnings of the optimiser" gcc -std=c11 $warn -O2 -c one.c -o optimised.o
each_language declarations
each_language extern_link
each_language static_link
if [ -f "$root/examples/hello.c" ]; then each_language hello; fi

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
  without "without $part" gcc -std=c11 -D$part
  without "C++ without $part" clang++ -x c++ -std=c++17 -D$part
  try "the manual names $part" grep -qE "^  $part +[a-z]" tiny.h
done
without "without any part" gcc -std=c11 ${parts//TINY/-DTINY}
without "C++ without any part" clang++ -x c++ -std=c++17 ${parts//TINY/-DTINY}

# The dialect of MSVC, as far as clang can tell: no extensions, no variable length arrays.
try "no GNU extensions" clang -std=c11 $warn -Wvla -Wgnu -fsyntax-only one.c
# Words that windows.h takes away: the host may have included all of it.
try "macros of windows.h" gcc -std=c11 -fsyntax-only -Dnear= -Dfar= -Dsmall=char -Dhyper=int -Dinterface=struct -DIN= -DOUT= \
  -DOPTIONAL= -DCONST=const -DVOID=void -DERROR=0 -DABSOLUTE=1 -DRELATIVE=2 '-Dmin(a,b)=0' '-Dmax(a,b)=0' one.c

echo "$passed passed, $failed failed"
[ $failed = 0 ]
