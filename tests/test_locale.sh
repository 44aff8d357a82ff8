#!/usr/bin/env bash
# locale: the tests of what is text pass where 0.5 is "0,5", and where the point is two bytes long. The locales are made
# here: no package brings them.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
tests="test_number test_print test_lang_c test_debug test_io test_look"

# make_locale NAME POINT SEPARATOR
make_locale() {
  printf 'comment_char %%\nescape_char /\nLC_NUMERIC\ndecimal_point "%s"\nthousands_sep "%s"\ngrouping 3;3\nEND LC_NUMERIC\n' \
    "$2" "$3" >"$work/$1.src"
  localedef -c -i "$work/$1.src" -f UTF-8 "$work/$1" >/dev/null 2>&1
  [ -e "$work/$1/LC_NUMERIC" ] || localedef -c -i "$work/$1.src" "$work/$1" >/dev/null 2>&1
  [ -e "$work/$1/LC_NUMERIC" ] && [ "$(LOCPATH=$work LC_ALL=$1 "$work/half" 2>/dev/null)" = "$4" ]
}
printf '#include <locale.h>\n#include <stdio.h>\nint main(void) { return setlocale(LC_ALL, "") ? !printf("%%.1f", 0.5) : 2; }\n' >"$work/half.c"
cc "$work/half.c" -o "$work/half" || exit 1

make -s $(printf 'build/plain/%s ' $tests) >/dev/null || { echo "the tests do not build"; failed=1; }
tried=0
for locale in "tiny_comma <U002C> <U002E> 0,5" "tiny_arab <U066B> <U066C> 0٫5"; do
  set -- $locale
  make_locale "$1" "$2" "$3" "$4" || { echo "skipped: no locale in which 0.5 is $4 can be made here (no localedef)"; continue; }
  tried=$((tried + 1))
  for t in $tests; do
    # TINY_CACHE: a kernel that lies there was written in another locale
    said=$(LOCPATH=$work TEST_LOCALE=$1 TINY_CACHE=$work/cache-$1 build/plain/$t 2>&1) && passed=$((passed + 1)) && continue
    failed=$((failed + 1))
    printf 'failed in %s: %s\n%s\n' "$1" "$t" "$(tail -n 12 <<<"$said")"
  done
done
[ $tried = 0 ] && [ $failed = 0 ] && passed=1

# One room spells numbers: no other calls what reads the locale.
if grep -nE '\b(strto[a-z]+|ato[filq]+|sscanf|setlocale|localeconv)\(|n?printf\([^;]*%[-+ #0-9.*]*l?[aefgAEFG][^a-z]' -r src --include='*.[ch]' | grep -v 'src/base/number.c' |
  grep -vE 'tn_(log|wrong|number_print|text_[a-z_]+|source_fail)\(|tiny_fail\(|^[^:]*:[0-9]+: *//'; then
  echo "failed: numbers are spelled outside of base/number.c"; failed=$((failed + 1))
else passed=$((passed + 1)); fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
