#!/usr/bin/env python3
"""Does the late device notice what the runtime would do wrong? Each row takes one wait out of a copy of the sources; the
test named beside it, built as by `make late`, has to fail then. Minutes.

  tools/late_holes.py [TEXT]      rows whose text contains TEXT"""
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# What is not waited for, the file, what stands there, what stands there then, the test.
HOLES = [
    ("reading a tensor", "runtime/realize.c", "tiny_code code = d->backend->sync(d->dev);\n  if (code == TINY_OK && c->nbytes && seen)",
     "tiny_code code = TINY_OK;\n  if (code == TINY_OK && c->nbytes && seen)", "test_backend"),
    ("kernels on the caller's memory", "runtime/run.c", "if (tn_run_is_callers(r)) {", "if (0) {", "test_order"),
    ("tiny_write to the caller's memory", "runtime/realize.c",
     "return code == TINY_OK ? d->backend->sync(d->dev) : code;", "return code;", "test_order"),
    ("pages of a file", "runtime/storage.c", "    d->backend->sync(d->dev);\n    tn_os_unmap_pages", "    tn_os_unmap_pages",
     "test_io"),
    ("copies of what is overwritten", "runtime/storage.c",
     "tiny_code code = d->backend->sync(d->dev);\n  if (code == TINY_OK && nbytes && !seen)",
     "tiny_code code = TINY_OK;\n  if (code == TINY_OK && nbytes && !seen)", "test_backend"),
    ("memory that is saved", "io/source.c", "return d->backend->sync(d->dev) == TINY_OK ? seen : NULL;", "return seen;",
     "test_backend"),
    ("memory that is unpacked into", "io/zip.c", "int done = !direct || d->backend->sync(d->dev) == TINY_OK;", "int done = 1;",
     "test_backend"),
    ("launches at the end of a plan", "runtime/run.c", "if (code == TINY_OK) code = tn_batch_flush(t, b);\n  if (tn_run",
     "if (tn_run", "test_backend"),
    ("the clock", "runtime/run.c", "    code = d->backend->sync(d->dev);\n    const uint64_t ns", "    const uint64_t ns",
     "test_backend"),
]


def main():
    passed = failed = 0
    for what, file, old, new, test in HOLES:
        if len(sys.argv) > 1 and sys.argv[1] not in what:
            continue
        with tempfile.TemporaryDirectory() as folder:
            for part in ("src", "tests"):
                shutil.copytree(os.path.join(ROOT, part), os.path.join(folder, part))
            shutil.copy(os.path.join(ROOT, "Makefile"), folder)
            path = os.path.join(folder, "src", file)
            text = open(path, encoding="utf-8").read()
            if text.count(old) != 1:
                sys.exit("late_holes: %s: %s stands there %d times" % (file, old, text.count(old)))
            with open(path, "w", encoding="utf-8") as out:
                out.write(text.replace(old, new))
            built = subprocess.run(["make", "-s", "WARN=-w", "build/late/" + test], cwd=folder, stdout=subprocess.DEVNULL)
            ran = subprocess.run(["build/late/" + test], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                 timeout=300, check=False) if not built.returncode else None
            noticed = ran is not None and ran.returncode != 0
            print("%-8s %-45s %s" % ("noticed" if noticed else "MISSED", what, test), flush=True)
            passed += noticed
            failed += not noticed
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


sys.exit(main())
