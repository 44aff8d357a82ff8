#!/usr/bin/env bash
# site: MkDocs takes docs/ without a warning, every page is in it, and the search finds words of all of them.
set -u
cd "$(dirname "$0")/.." || exit 1
if ! command -v mkdocs >/dev/null; then echo "skipped: there is no mkdocs here"; echo "0 passed, 0 failed"; exit 0; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
check() { if [ "$1" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "failed: $2"; fi; }

said=$(mkdocs build --strict -q -d "$work/site" 2>&1)
check $? "mkdocs builds docs/"
[ -z "$said" ]; check $? "without a word: $said"
for page in docs/*.md docs/operators/*.md; do
  name=${page#docs/} name=${name%.md}
  [ -s "$work/site/$name.html" ]; check $? "$page is in the site"
  grep -q "\"$name.html" "$work/site/search/search_index.json"; check $? "$page is in the search"
  grep -q "$name.md" mkdocs.yml; check $? "$page is in the navigation"
done
if grep -rqE 'href="\.\./(src|examples|bench|tests)' "$work/site" --include='*.html'; then check 1 "a link leaves the site"; else check 0 ""; fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
