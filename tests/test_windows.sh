#!/usr/bin/env bash
# windows: the header by MinGW against Windows' own headers, as C and as C++, without a warning; a program and tests of rooms run under
# Wine. There is no compiler of kernels there: they are interpreted, or compiled by the built-in compiler.
set -u
cd "$(dirname "$0")/.." || exit 1
for program in x86_64-w64-mingw32-gcc-posix x86_64-w64-mingw32-g++-posix wine; do
  command -v $program >/dev/null && continue
  echo "skipped: there is no $program here"
  echo "0 passed, 0 failed"
  exit 0
done
work=build/windows
mkdir -p $work
export WINEPREFIX=$PWD/$work/wine WINEDEBUG=-all TINY_DEV= TEST_BRIEF=1
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

try "C" x86_64-w64-mingw32-gcc-posix -std=c11 -O1 $warn examples/hello.c -o $work/hello.exe -lm
try "C++" x86_64-w64-mingw32-g++-posix -std=c++17 -x c++ -fsyntax-only -DTINY_IMPLEMENTATION $warn -include tiny.h /dev/null
said=$(timeout 120 wine $work/hello.exe 2>/dev/null | tr -d '\r')
if grep -qE '^on CPU: 0\.[0-9]{4} 0\.[0-9]{4} 0\.[0-9]{4} \.\.$' <<<"$said"; then passed=$((passed + 1))
else failed=$((failed + 1)); printf 'failed: hello under Wine\n%s\n' "$said"; fi

# Words that windows.h takes away are the tests' own.
printf '#include <windows.h>\n#undef near\n#undef far\n' >$work/words.h
# run ROOM HOW FLAG..: the room's test, built with the flags.
run() {
  local room=$1 how=$2
  shift 2
  try "$room builds" x86_64-w64-mingw32-gcc-posix -std=c11 -w -DTN_VERIFY_PASSES=1 -static -Wl,--stack,8388608 -I. -include $work/words.h \
      "-DTEST_PROGRAM=\"$work/$room.exe\"" "$@" tests/test_$room.c -o $work/$room.exe -lm || return
  said=$(timeout 300 wine $work/$room.exe 2>/dev/null | tr -d '\r' | grep -E '^[0-9]+ passed, [0-9]+ failed$' | tail -n 1)
  [ -n "$said" ] || said="0 passed, 1 failed"
  echo "$room under Wine, $how: $said"
  passed=$((passed + ${said%% *}))
  said=${said#*, }
  failed=$((failed + ${said%% *}))
}
export TINY_DEV=INTERP
for room in uop eval tensor capture memory io threads; do run $room interpreted; done
export TINY_DEV=CPU TINY_CC=builtin TEST_STRIDE=10
for room in isa isa_host vectors elementwise random threads; do run $room compiled; done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
