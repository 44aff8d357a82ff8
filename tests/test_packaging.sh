#!/usr/bin/env bash
# packaging: a program is built and run against tiny.h in every way that README's table names: by hand, make install,
# CMake, Meson, pkg-config. Recipes whose managers are not here are read for their syntax, and their versions compared.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
has() { command -v "$1" >/dev/null 2>&1; }
# Unoptimised, a clang compiles the library in a second.
if has clang && has clang++; then export CC=clang CXX=clang++; else export CC=cc CXX=c++; fi
export CFLAGS=-O0 CXXFLAGS=-O0
unset MAKEFLAGS MAKELEVEL MFLAGS

# try NAME COMMAND...: the command must succeed.
try() {
  local name=$1 said
  shift
  if said=$("$@" 2>&1); then passed=$((passed + 1)); return 0; fi
  failed=$((failed + 1))
  printf 'failed: %s\n    %s\n%s\n' "$name" "$*" "$(tail -n 20 <<<"$said")"
  return 1
}
# The program prints a number that the library computed, and what the library says of itself.
says() { local said; said=$("$@") && [ "$said" = "$line" ] || { echo "said: $said, not: $line"; return 1; }; }

version=$(sed -n 's/^#define TINY_VERSION "\(.*\)"/\1/p' "$root/tiny.h")
line="30 by tiny.h $version"
mkdir "$work/tiny"
cp -r "$root"/{src,tools} "$work/tiny"                # first: tiny.h is not older
cp -r "$root"/{tiny.h,tiny.hpp,tiny_cl.h,tiny_cuda.h,tiny_nv.h,tiny_amd.h,tiny_metal.h,tiny_metal.m,tiny.c,CMakeLists.txt,meson.build,package.json,build.zig,build.zig.zon,LICENSE,Makefile,packaging} "$work/tiny"
cd "$work" || exit 1
cat >sum.c <<'END'
#include "tiny.h"
#include <stdio.h>
#include <string.h>
int main(void) {
  const float in[4] = {1, 2, 3, 4};
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "INTERP";
  tiny_ctx *t = tiny_open(&d);
  tiny_tensor *x = tiny_from(t, in, TINY_F32, TINY_SHAPE(4));
  printf("%g by tiny.h %s\n", tiny_item(tiny_sum(tiny_mul(x, x), TINY_ALL, 0)), tiny_version());
  const tiny_code code = tiny_status(t);
  if (code != TINY_OK) printf("%s: %s\n", tiny_code_name(code), tiny_error(t));
  tiny_close(t);
  return code != TINY_OK || strcmp(tiny_version(), TINY_VERSION) != 0;
}
END
sed 's/tiny\.h"/tiny.hpp"/' sum.c >sum.cc             # C++ also finds the wrapper
{ echo '#define TINY_IMPLEMENTATION'; cat sum.c; } >whole.c

# Each header of the repository, and a file of another language beside one, lies where an installation puts headers; a recipe names it.
headers=$(cd "$root" && echo tiny*.h tiny*.hpp tiny_*.m)
brings() { local name; for name in $headers; do [ -f "$1/include/$name" ] || { echo "$name is missing"; return 1; }; done; }
names() { local name; for name in $headers; do grep -qF "$name" "$1" || { echo "$name is missing"; return 1; }; done; }

# By hand: one file, and tiny.c beside it.
try "header alone" $CC -std=c11 -O0 -Itiny whole.c -o whole -lm -lpthread && try "header alone, runs" says ./whole
try "tiny.c beside a program of C++" $CC -std=c11 -O0 -c tiny/tiny.c -o tiny.o &&
  try "linked" $CXX -std=c++17 -Itiny sum.cc tiny.o -o beside -lm -lpthread && try "runs" says ./beside

# make install, and pkg-config.
if try "make install" make -s -C tiny install PREFIX="$work/made here" CC="$CC" && try "make install, its headers" brings "$work/made here" &&
  has pkg-config; then
  export PKG_CONFIG_PATH="$work/made here/lib/pkgconfig"
  try "pkg-config: the version" [ "$(pkg-config --modversion tiny)" = "$version" ]
  eval "flags=($(pkg-config --cflags --libs tiny))"
  try "pkg-config" $CC -std=c11 sum.c -o by_pc "${flags[@]}" && try "pkg-config, runs" says ./by_pc
fi

# consumer NAME TARGETS HEAD: a project of CMake, in C and in C++.
consumer() {
  mkdir -p "$1"
  printf 'cmake_minimum_required(VERSION 3.14)\nproject(consumer C CXX)\nset(CMAKE_CXX_STANDARD 17)\n%s
add_executable(sum %s)\ntarget_link_libraries(sum PRIVATE %s)\n' "$4" "$3" "$2" >"$1/CMakeLists.txt"
  try "$1, configured" cmake -S "$1" -B "$1/build" "${@:5}" && try "$1, built" cmake --build "$1/build" &&
    try "$1, runs" says "$1/build/sum"
}
exports() { nm -D --defined-only "$1" | awk '$2 == "T" { print $3 }' | sed 's/@.*//'; }
# find_package with a component that there is not.
absent() {
  mkdir -p absent
  printf 'cmake_minimum_required(VERSION 3.14)\nproject(consumer C)\nfind_package(tiny COMPONENTS parts)
if(tiny_FOUND)\nmessage(FATAL_ERROR found)\nendif()\n' >absent/CMakeLists.txt
  cmake -S absent -B absent/build -DCMAKE_PREFIX_PATH="$1"
}
only_ours() { exports "$1" | grep -qx tiny_open && ! exports "$1" | grep -v '^tiny_'; }
if has cmake; then
  consumer add_subdirectory tiny::tiny "$work/sum.c" "add_subdirectory($work/tiny first)
add_subdirectory($work/tiny second)"
  consumer fetch_content tiny::header "$work/whole.c" "include(FetchContent)
FetchContent_Declare(tiny SOURCE_DIR $work/tiny)
FetchContent_MakeAvailable(tiny)"
  for kind in OFF ON; do
    installed="$work/installed $kind"
    try "cmake, shared $kind" cmake -S tiny -B "build_$kind" -DBUILD_SHARED_LIBS=$kind -DCMAKE_INSTALL_PREFIX=/elsewhere \
      -DCMAKE_INSTALL_LIBDIR=lib && try "cmake, shared $kind, built" cmake --build "build_$kind" &&
      try "cmake, shared $kind, installed" cmake --install "build_$kind" --prefix "$installed" || continue
    try "cmake, shared $kind, its headers" brings "$installed"
    consumer "find_package_$kind" tiny::tiny "$work/sum.cc" "find_package(tiny $version REQUIRED COMPONENTS tiny)" -DCMAKE_PREFIX_PATH="$installed"
    try "cmake, no such component" absent "$installed"
  done
  if [ "$(uname)" = Linux ]; then try "a shared library exports tiny_ alone" only_ours "$work/installed ON/lib/libtiny.so"; fi
  if has pkg-config; then
    export PKG_CONFIG_PATH="$work/installed ON/lib/pkgconfig"
    eval "flags=($(pkg-config --cflags --libs tiny))"
    try "pkg-config of cmake" $CC -std=c11 sum.c -o by_cmake "${flags[@]}" -Wl,-rpath,"$work/installed ON/lib" &&
      try "pkg-config of cmake, runs" says ./by_cmake
  fi
else echo "cmake is not here"; fi

if has meson && has ninja; then
  mkdir -p meson/subprojects
  cp -r tiny meson/subprojects/tiny
  cp sum.c whole.c meson
  cat >meson/meson.build <<'END'
project('consumer', 'c', default_options: ['buildtype=plain', 'c_std=c11'])
executable('sum', 'sum.c', dependencies: dependency('tiny', fallback: 'tiny'))
executable('whole', 'whole.c', dependencies: dependency('tiny-header', fallback: 'tiny'))
END
  unset PKG_CONFIG_PATH
  try "meson, configured" meson setup meson_build meson && try "meson, built" ninja -C meson_build &&
    try "meson, runs" says meson_build/sum && try "meson, header alone, runs" says meson_build/whole
else echo "meson is not here"; fi

# What is not here is read: its syntax, and that all name one version.
for json in package.json packaging/vcpkg/vcpkg.json; do
  try "$json" python3 -c 'import json, sys; sys.exit(json.load(open(sys.argv[1]))["version"] != sys.argv[2])' tiny/$json "$version"
done
try "conanfile.py" python3 -c 'import sys; compile(open(sys.argv[1]).read(), sys.argv[1], "exec")' tiny/packaging/conan/conanfile.py
try "conanfile.py, its version" grep -q "version = \"$version\"" tiny/packaging/conan/conanfile.py
try "meson.build, its version" grep -q "version: '$version'" tiny/meson.build
try "build.zig.zon, its version" grep -q "version = \"$version\"" tiny/build.zig.zon
for recipe in CMakeLists.txt meson.build build.zig build.zig.zon package.json packaging/conan/conanfile.py; do
  try "$recipe, its headers" names tiny/$recipe
done
if has zig; then
  try "zig" zig build --build-file tiny/build.zig --prefix "$work/zig"
else echo "zig is not here"; fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
