#!/usr/bin/env bash
# exampled: every public function is called by an example, a page of docs/ or a sequence of the manual, all of which the tests run;
# and what looks like a call, and is none, does not count.
cd "$(dirname "$0")/.." || exit 1
python3 - <<'EOF' || { echo "0 passed, 1 failed"; exit 1; }
import sys, tempfile
sys.path.insert(0, "tools")
import exampled
source = """#include "tiny.h"
static void unused(tiny_ctx *t) { tiny_seed(t, 1); }     // tiny_sync(t) in a comment
int main(void) {
  const char *text = "tiny_clear(t)";
  if (0) tiny_device_count(NULL);
  return tiny_finish(tiny_open(NULL)) + !text;
}
"""
with tempfile.TemporaryDirectory() as folder:
    found = exampled.calls("a false entry", "c", source, folder)
if found != {"tiny_open", "tiny_finish"}:
    sys.exit("failed: of a false entry these count: %s" % ", ".join(sorted(found)))
EOF
exec tools/exampled.py
