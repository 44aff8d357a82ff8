#!/bin/sh
# setup.sh run|test|bench|site|browser: looks for what `make run`, `test`, `bench`, `site` or `browser` needs. What is
# missing it installs with the system's package manager when it may, otherwise it prints the one command that does. Says
# nothing when all is there.
set -eu
purpose=${1:-run}

has() { command -v "$1" >/dev/null 2>&1; }
# Does this clang link a program with these flags? (Its sanitizers come in a package of their own.)
clang_links() { echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d && n ? 0 : 0; }' |
  clang -x c - "$@" -o /dev/null >/dev/null 2>&1; }
clang_of_ir() { for c in clang clang-21 clang-20 clang-19 clang-18 clang-17 clang-16 clang-15; do    # LLVM 15 and later
  has $c && echo 'define void @f(ptr %p) { ret void }' | $c -w -x ir -S - -o /dev/null 2>/dev/null && return 0; done; return 1; }
finds_browser() { for b in chromium-headless-shell chrome-headless-shell chromium chromium-browser google-chrome; do
  has $b && return 0; done; return 1; }
# The newest clang, for Objective-C: does it link what is sanitised?
objective_c() { for c in clang-21 clang-20 clang-19 clang-18; do
  has $c && { echo 'int main(void) { return 0; }' | $c -x c - -fsanitize=address,undefined -o /dev/null >/dev/null 2>&1; return; }; done; return 1; }
python_finds() { for p in python3 /usr/bin/python3; do has $p && $p -c "import $1" 2>/dev/null && return 0; done; return 1; }

# What is needed, as words that the table below turns into packages.
need=
want() { case " $need " in *" $1 "*) ;; *) need="$need $1" ;; esac; }
has cc || want cc
case $purpose:$(uname -m) in                # kernels are compiled by the library itself, where it can
  run:x86_64 | run:aarch64 | run:arm64) ;;
  *) has clang || want clang ;;
esac
has python3 || want python3
if [ "$purpose" = test ]; then
  has g++ || want c++
  has clang++ || want clang
  [ "$(uname)" != Linux ] || has valgrind || want valgrind
  has z3 || want z3
  has cmake || want cmake                  # tests/test_packaging.sh builds by these
  has meson || want meson
  has ninja || want ninja
  has pkg-config || want pkg-config
  python_finds numpy || want numpy
  clang_links -fsanitize=fuzzer,address,undefined || want sanitizers
  clang_of_ir || want clang-of-ir
  ! has apt-get || has llvm-mc-19 || want amd-assembler        # instructions of AMD's GPUs beside LLVM's: test_amd_isa
  # OpenCL on the processor, and what loads its drivers: tests/test_cl.sh
  ! has apt-get || [ -n "$(find /etc/OpenCL/vendors -name '*.icd' 2>/dev/null | head -n 1)" ] || want pocl
  # Objective-C with a Foundation, and a linker of Mach-O: tests/test_metal.sh, test_metal_cross.sh
  ! has apt-get || { [ -f /usr/include/GNUstep/Foundation/Foundation.h ] && objective_c; } || want objective-c
  ! has apt-get || has ld64.lld-19 || want mach-o
  if has apt-get && [ "$(uname -m)" = x86_64 ]; then                 # Windows, as far as it can be had here
    has x86_64-w64-mingw32-g++-posix || want mingw
    has wine || want wine
  fi
  if has apt-get; then                     # other compilers and machines for exported programs: test_export
    has tcc || want tcc
    [ "$(uname -m)" != x86_64 ] || has aarch64-linux-gnu-gcc || want arm64-gcc
    [ "$(uname -m)" != x86_64 ] || has qemu-aarch64 || want qemu-user
  fi
  [ "$(uname)" != Linux ] || finds_browser || want browser     # the viewer of traces is tried in it
  [ "$(uname)" != Linux ] || has node || want node             # runs kernels as modules of WebAssembly: test_wasm_run
fi
if [ "$purpose" = browser ]; then
  has emcc || want emscripten
  has node || want node
  finds_browser || want browser
fi
if [ "$purpose" = test ] || [ "$purpose" = site ]; then has mkdocs || want mkdocs; fi
if [ "$purpose" = bench ]; then            # what the library is compared with
  [ -n "$(find /usr/lib /usr/lib64 /usr/local/lib /opt/homebrew/lib -name 'libopenblas.*' 2>/dev/null | head -n 1)" ] || want openblas
  [ -f /usr/include/oneapi/dnnl/dnnl.h ] || [ -f /usr/local/include/oneapi/dnnl/dnnl.h ] || want onednn
  python_finds torch || want torch
  python_finds numpy || want numpy
fi
[ -n "$need" ] || exit 0

# package <manager> <word>: the package's name.
package() {
  case $1:$2 in
    apt-get:cc) echo gcc libc6-dev ;;
    apt-get:c++ | apk:c++) echo g++ ;;
    dnf:c++) echo gcc-c++ ;;
    apt-get:numpy) echo python3-numpy ;;
    apt-get:mingw) echo gcc-mingw-w64-x86-64-posix g++-mingw-w64-x86-64-posix ;;
    apt-get:wine) echo wine wine64 ;;
    apt-get:arm64-gcc) echo gcc-aarch64-linux-gnu libc6-dev-arm64-cross ;;
    apt-get:torch) echo python3-torch ;;
    apt-get:pocl) echo pocl-opencl-icd ocl-icd-libopencl1 ;;
    apt-get:openblas) echo libopenblas-dev ;;
    apt-get:onednn) echo libdnnl-dev ;;
    dnf:openblas) echo openblas-devel ;;
    dnf:onednn) echo onednn-devel ;;
    dnf:torch) echo python3-torch ;;
    pacman:torch) echo python-pytorch ;;
    apt-get:sanitizers)                    # of the version that the package clang stands for, or of the one that is here
      version=$(clang -dumpversion 2>/dev/null | cut -d. -f1) || version=
      [ -n "$version" ] || version=$(apt-cache depends clang 2>/dev/null | sed -n "s/.*Depends: clang-\([0-9]*\)\$/\1/p" | head -n 1)
      echo "libclang-rt-${version:+$version-}dev" ;;
    apt-get:clang-of-ir)                   # the latest that this system has beside the package clang, if any
      for version in 21 20 19 18 17 16 15; do
        apt-cache show clang-$version >/dev/null 2>&1 && { echo clang-$version; break; }
      done ;;
    apt-get:amd-assembler)                 # of the version whose text the tests expect
      if apt-cache show llvm-19 >/dev/null 2>&1; then echo llvm-19; fi ;;
    apt-get:objective-c)
      echo gobjc libgnustep-base-dev
      for version in 21 20 19 18; do
        apt-cache show clang-$version >/dev/null 2>&1 && { echo clang-$version libclang-rt-$version-dev; break; }
      done ;;
    apt-get:mach-o) if apt-cache show lld-19 >/dev/null 2>&1; then echo lld-19; fi ;;
    apt-get:browser)                       # 64 MB to fetch; all of Chromium is twice as much, and not every system has it
      for name in chromium-headless-shell chromium; do
        apt-cache show $name >/dev/null 2>&1 && { echo $name; break; }
      done ;;
    apt-get:node | dnf:node | apk:node | pacman:node) echo nodejs ;;
    dnf:browser) echo chromium-headless ;;
    apk:browser | pacman:browser) echo chromium ;;
    dnf:clang-of-ir | apk:clang-of-ir | pacman:clang-of-ir) echo clang ;;
    apt-get:ninja | dnf:ninja) echo ninja-build ;;
    apk:pkg-config | pacman:pkg-config) echo pkgconf ;;
    dnf:cc) echo gcc ;;
    dnf:numpy) echo python3-numpy ;;
    dnf:sanitizers | apk:sanitizers) echo compiler-rt ;;
    apk:cc) echo build-base ;;
    apk:openblas) echo openblas-dev ;;
    apk:numpy) echo py3-numpy ;;
    pacman:cc | pacman:c++) echo gcc ;;
    pacman:python3) echo python ;;
    pacman:numpy) echo python-numpy ;;
    pacman:sanitizers) echo compiler-rt ;;
    brew:cc | brew:c++ | brew:clang | brew:sanitizers | brew:clang-of-ir) echo llvm ;;
    *) echo "$2" ;;
  esac
}

packages() { for word in $need; do printf ' %s' "$(package $manager "$word")"; done; }

manager=
for m in apt-get dnf apk pacman brew; do
  if has $m; then manager=$m; break; fi
done
if [ -z "$manager" ]; then
  echo "setup: please install:$need" >&2
  exit 1
fi

case $manager in
  apt-get) install="apt-get install -y --no-install-recommends" update="apt-get update -q" ;;
  dnf)     install="dnf install -y" update=: ;;
  apk)     install="apk add" update=: ;;
  pacman)  install="pacman -S --noconfirm --needed" update="pacman -Sy" ;;
  brew)    install="brew install" update=: ;;
esac

if [ $manager != brew ] && [ "$(id -u)" != 0 ]; then
  [ -n "$(packages | tr -d ' ')" ] || exit 0               # this system has none of what is missing
  echo "setup: some packages are missing and only root can install them. Please run:" >&2
  echo "  sudo sh -c '$update && $install$(packages)'" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
$update >&2
echo "setup: $install$(packages)" >&2
$install $(packages) >&2
