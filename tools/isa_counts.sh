#!/bin/sh
# isa_counts.sh [-k TEXT]: instructions that kernels of arm64 run, of the built-in compiler's and of clang's, by
# bench/isa_counts.c under qemu-user. A minute for some rows; all take several.
set -eu
cd "$(dirname "$0")/.."
. tools/arm64_tools.sh
echo "build $there/isa_counts"
aarch64-linux-gnu-gcc -std=gnu11 -O1 -w -I. bench/isa_counts.c -static -o $there/isa_counts -lm -lpthread 2>/dev/null
log=$there/isa_counts.log
rm -f "$log"
mkfifo "$log"
"$qemu" -d in_asm,exec,nochain -dfilter 0x1000000+0x7fffff000000 -D "$log" $there/isa_counts "$@" > $there/isa_counts.txt &
python3 tools/isa_counts.py "$log" $there/isa_counts.txt
wait
rm -f "$log"
