# arm64_tools.sh: for scripts in the folder of the project: the emulator, and a clang that compiles for arm64 as the
# machine's own would, first on PATH. Sets qemu, there.
qemu=$(command -v qemu-aarch64 || command -v qemu-aarch64-static || echo qemu-aarch64)
for program in aarch64-linux-gnu-gcc "$qemu" clang; do
  command -v $program >/dev/null || { echo "arm64: $program is missing: see the head of $0" >&2; exit 1; }
done
there=build/arm64 clang=$(command -v "${CLANG:-clang}")
mkdir -p $there/bin
cat > $there/bin/clang <<EOF
#!/bin/sh
for word; do                               # clang does not take "native" for another machine than its own
  shift
  case \$word in -mcpu=native) word=-mcpu=neoverse-n1 ;; --target=*) continue ;; esac
  set -- "\$@" "\$word"
done
exec $clang --target=aarch64-unknown-linux-gnu "\$@"
EOF
chmod +x $there/bin/clang
export PATH="$PWD/$there/bin:$PATH" TINY_CACHE="$PWD/$there/cache"
rm -rf "$TINY_CACHE"
