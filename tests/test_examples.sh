#!/usr/bin/env bash
# examples: each compiles without a warning, by gcc and clang, runs to a good end, and says what its head promises.
# The long ones are kept short. What runs is linked with the tests' object of the library: it stands for the text of
# tiny.h behind tools/library.py's, which is the same, and one example is compiled whole. `tests/test_examples.sh NAME...` tries these alone.
set -u
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
warn="-std=c11 -Wall -Wextra -Wpedantic -Werror -I."
libs="-lm -lpthread -ldl"
shared="-Wno-misleading-indentation -DTN_VERIFY_PASSES=1 -include build/library.h"
make -s build/library/plain.o || exit 1
named=" $* "

# try NAME COMMAND...: the command must succeed and say nothing.
try() {
  local name=$1 said
  shift
  if said=$("$@" 2>&1) && [ -z "$said" ]; then passed=$((passed + 1)); return 0; fi
  failed=$((failed + 1))
  printf 'failed: %s\n    %s\n%s\n' "$name" "$*" "$(head -n 20 <<<"$said")"
  return 1
}

# says REGEX COMMAND...: the command must succeed, with a line like that.
says() {
  local line=$1 said status
  shift
  said=$("$@" </dev/null 2>&1); status=$?
  if [ $status = 0 ] && grep -qE "$line" <<<"$said"; then return 0; fi
  printf 'status %d; a line was to be like: %s\n%s\n' $status "$line" "$(tail -n 12 <<<"$said")"
  return 1
}

# example NAME REGEX ARGUMENTS...
tried=
example() {
  local name=$1 line=$2
  shift 2
  tried="$tried $name"
  if [ "$named" != "  " ] && [[ $named != *" $name "* ]]; then return; fi
  try "$name, clang" clang $warn -fsyntax-only "examples/$name.c"
  local own=
  ! grep -q '#include "tiny_' "examples/$name.c" || own="-include tests/static_api.h"     # a companion's rooms
  if [ "$name" = hello ] || [ "$name" = shipped ]; then try "$name, gcc" gcc $warn "examples/$name.c" -o "$work/$name" $libs || return
  else try "$name, gcc" gcc $warn $shared $own "examples/$name.c" build/library/plain.o -o "$work/$name" $libs || return; fi
  SECONDS=0
  try "$name runs" says "$line" "$work/$name" "$@"
  printf '%-12s %3d s\n' "$name" $SECONDS
}

example hello       '^on [A-Z]+: 0\.[0-9]{4} 0\.[0-9]{4} 0\.[0-9]{4} \.\.$'
example operators   '^  tiny_cumsum\(x, 1\) = \[\[1 3 6\] \[4 9 15\]\]$'
example levels      '^  UOps +4194299 '
example ship        '/ring\.tiny is saved: run shipped ' "$work/ring.tiny"
example shipped     '^[ .:]*[-=+*#%@]+' "$work/ring.tiny"
example accelerator '^largest difference [0-9.e-]+$'
example digits      '^9[789]\.[0-9]+ % of the 360 test digits are right$'
example transformer '^loss [0-2]\.[0-9]+, below 3\.0$' src/api/manual.txt 150 3
example series      '^root mean square error of 80 years: network [12][0-9]\.[0-9], as last year 31\.6, as 11 years ago 35\.4$'
example filter      '^as it is, .* Mean brightness (0\.[0-9]{3}).*, blurred \1'
example style       '^.*/style\.ppm after .* [4-9]\.[0-9] times as near$' examples/data/scene.ppm examples/data/painting.ppm \
                    "$work/style.ppm" 40
example agent       '^5120000 frames were played; of the last rockets [89][0-9]\.[0-9] % landed$' 2500
example physics     '^240 cells of paddles, 150 steps: [0-9]\.[0-9] % of the word is missed$' WAVE 1200
example sound       '^.*/sound\.wav: 13\.6 s; the long A has (439|440)\.[0-9] Hz, the filter takes [78]\.[0-9] dB of the hiss$' \
                    "$work/sound.wav"
example regression  '^all ways agree$'
example pipeline    '^[1-9][0-9]* pixels on contours in the last frame, the same either way$'
# Where there is no driver they say so.
example amdinfo     '^(no GPU can be used by AMD.s kernel driver: .+|[1-9][0-9]* GPUs?)$'
example sum_amd     '^(no GPU can be used by AMD.s kernel driver: .+|5 of 5 levels are right)$'
example nvinfo      '^(no GPU can be used by NVIDIA.s kernel driver: .+|[1-9][0-9]* GPUs?)$'
example saxpy_nv    '^(no GPU can be used by NVIDIA.s kernel driver: .+|on the GPU.s clock .*; 0 of 1048576 values are wrong.*)$'
example export_nv   '^(nothing was exported: .+|.*model.kernels has the model.s kernels for 2 targets)$' "$work/model.kernels" sm_80 sm_90a
# The shortest runs end well too: nothing was planned late.
shortest() { try "$1 at its shortest" says '0 later$' "$work/$1" "$2"; }
example reaction    '^500 frames .* plans and programs made, 0 later$' 500
example game        '^tiny_run: 12 frames, [0-9]+ late, the network told [0-9]+ times$' 12
example crowd       '^400 frames, 0 to [0-9]+ particles; .* 0 later$' 400
for name in reaction crowd; do [ ! -e "$work/$name" ] || shortest $name 2; done

# What the examples wrote: the sizes that the heads of the files promise.
if [ -e "$work/sound" ]; then
  try "sound.wav is a WAV file" says '^RIFF 599796 WAVE 1 1 22050 599760$' python3 -c "
import wave, struct, sys
head = open(sys.argv[1], 'rb').read(44)
w = wave.open(sys.argv[1])
print('RIFF', struct.unpack('<I', head[4:8])[0], 'WAVE', w.getnchannels(), w.getsampwidth() // 2, w.getframerate(), 2 * w.getnframes())
" "$work/sound.wav"
fi

# The bench: ratios are for people to read, but it must build.
if [ "$named" = "  " ]; then
  peer=
  [ ! -f /usr/include/oneapi/dnnl/dnnl.h ] || peer=-DBENCH_ONEDNN
  try "the bench, gcc" gcc $warn -Wno-misleading-indentation $peer -fsyntax-only bench/bench.c
  try "the bench without oneDNN" gcc $warn -Wno-misleading-indentation -fsyntax-only bench/bench.c
  try "the bench's loops" clang $warn -fsyntax-only bench/hand.c
fi

for file in examples/*.c; do
  name=$(basename "$file" .c)
  try "$name is tried" grep -qw "$name" <<<"$tried"
  try "the README names $name" grep -qF "(examples/$name.c)" README.md
  # What the head says finds its headers: compiling the library for each would take minutes.
  head=$(sed -nE 's|^//   (cc [^&]*).*|\1|p' "$file" | head -n 1)
  try "the head of $name says how it is built" test -n "$head"
  try "$name by the command of its head" bash -c "${head/ -o $name/ -E -o /dev/null}"
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
