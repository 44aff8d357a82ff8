#!/usr/bin/env bash
# test_shipped_examples: what the examples capture is saved by them as they are (tests/saves.h), on this processor with
# machine code for AVX-512 alone, and run by a build that only runs (tests/shipped_play.c), as on a processor that has SSE2
# and no more, and on an arm64 that qemu plays: the same bits by lists compiled, trusted and not, and interpreted, and on
# all of them. Of the other examples none has a program with a fixed graph: they plan each frame anew (crowd, digits,
# filter, hello, operators, pipeline, reaction, regression, series, sound, style, transformer: what repeats is found again,
# and is no program), run what another saved (shipped), or are for devices that are not here (accelerator, amdinfo,
# export_nv, nvinfo, saxpy_nv, sum_amd).
cd "$(dirname "$0")/.." || exit 1
. tests/says.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags="-std=gnu11 -w -I. -Iexamples -Itests"
small="ship0 levels0 agent0" large="agent1 game0 physics0"       # these would be interpreted for minutes
[ -s tiny.h ] && grep -q TINY_RUNTIME_ONLY tiny.h || { python3 tools/amalgamate.py && python3 tools/hpp.py; }
echo '#define TINY_IMPLEMENTATION
#include "tiny.h"' >"$work/tiny.c"
cc $flags -O0 -c "$work/tiny.c" -o "$work/tiny.o" && cc $flags -O1 tests/shipped_play.c -o "$work/play" -lm -lpthread || exit 1

for example in agent:2 game:1 levels:1 physics:1 ship:1; do
  name=${example%:*} count=${example#*:}
  sed '/#define TINY_IMPLEMENTATION/d' "examples/$name.c" >"$work/$name.c"
  says "saved by $name" "saved .*/$name$((count - 1)).tiny" bash -c "cc $flags -include tests/saves.h '$work/$name.c' '$work/tiny.o' -o '$work/$name' \
    -lm -lpthread -ldl && cd '$work' && TINY_CC=builtin TINY_CACHE= SAVES='$work' SAVES_NAME=$name SAVES_COUNT=$count SAVES_LEVELS=avx512 ./$name"
done
says "by SSE2, and interpreted" " 0 failed" bash -c "'$work/play' '$work' CPU:sse2 same $small | tee '$work/sse2'"
says "by SSE2" " 0 failed" bash -c "'$work/play' '$work' CPU:sse2 compiled $large | tee -a '$work/sse2'"
says "by AVX-512, where it is there" " 0 failed" "$work/play" "$work" CPU compiled levels0
if command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64 >/dev/null; then
  says "by arm64" " 0 failed" bash -c "aarch64-linux-gnu-gcc -static $flags -O1 tests/shipped_play.c -o '$work/arm' -lm -lpthread &&
    qemu-aarch64 '$work/arm' '$work' CPU compiled $small $large | tee '$work/arm64'"
  bits() { grep -E '^[a-z]+[0-9] [0-9a-f]{16}$' "$work/$1" | sort; }
  says "by arm64 the bits of SSE2" "^6 the same$" bash -c "$(declare -f bits); work='$work'; [ \"\$(bits sse2)\" = \"\$(bits arm64)\" ] && echo \"\$(bits sse2 | wc -l) the same\""
else echo "no arm64: aarch64-linux-gnu-gcc or qemu-aarch64 is missing"; fi
report
