#!/usr/bin/env bash
# test_languages: a few kernels of each kind that test_languages writes are taken by clang for an AMD GPU as HIP C, and
# as Metal against a stub; what is none is refused. All of them, in every language: make languages.
cd "$(dirname "$0")/.." || exit 1
folder=build/languages/few
make -s build/plain/test_languages >/dev/null && rm -rf $folder && mkdir -p $folder &&
  TEST_LANGUAGES=$folder build/plain/test_languages >/dev/null ||
  { echo "test_languages writes nothing"; echo "0 passed, 1 failed"; exit 1; }
said=$(python3 tools/languages.py $folder --only gfx1100 "C++, 3.1" --every 5 --jobs 1 2>&1) || true
if echo "$said" | grep -q "left out"; then
  echo "$said" | grep "left out"; echo "0 passed, 0 failed"; exit 0
fi
passed=$(echo "$said" | sed -n 's/^\([0-9]*\) passed, .*/\1/p')
failed=$(echo "$said" | sed -n 's/.* passed, \([0-9]*\) failed$/\1/p')
[ "${failed:-1}" = 0 ] || echo "$said" >&2
rm -rf $folder/bad && mkdir -p $folder/bad/hip && cp $folder/hip/prelude.txt $folder/bad/hip &&
  printf '==== none none\nextern "C" __global__ void none(VALUES) { float x = nothing; }\n' >$folder/bad/hip/kernels.txt
if python3 tools/languages.py $folder/bad --only gfx1100 >/dev/null 2>&1; then
  echo "clang takes what is no HIP" >&2; failed=$((${failed:-1} + 1))
else passed=$((${passed:-0} + 1)); fi
echo "${passed:-0} passed, ${failed:-1} failed"
[ "${failed:-1}" = 0 ]
