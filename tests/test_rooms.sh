#!/usr/bin/env bash
# rooms: every room compiles alone, as C11 and as C++17, so that editors and analysers work on it; and says what it is for.
set -u
cd "$(dirname "$0")/.." || exit 1
passed=0 failed=0
alone="-w -fsyntax-only"                   # warnings are for the whole: test_headers.sh

count() {
  if [ "$1" = 0 ]; then passed=$((passed + 1)); return; fi
  failed=$((failed + 1))
  printf 'failed: %s\n%s\n' "$2" "$(head -n 8 <<<"${3:-}")"
}

for room in $(find src -name '*.c' | sort); do
  said=$(gcc -std=c11 $alone "$room" 2>&1); count $? "$room compiles alone as C11" "$said"
  said=$(clang++ -x c++ -std=c++17 $alone "$room" 2>&1); count $? "$room compiles alone as C++17" "$said"
  head -n 1 "$room" | grep -qE '^// [a-z0-9_]+: .'; count $? "$room begins with '// name: what it is for'"
  ! grep -nE '\b(abort|exit|_exit|assert) *\(|TODO|FIXME' "$room" | grep -v _Static_assert; count $? "$room cannot end its host"
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
