#!/usr/bin/env python3
"""rooms: every room compiles alone, as C11 and as C++17, so that editors and analysers work on it; and says what it is
for. A room is read as it is, and of those that it includes, which are compiled as well, all but what functions do.
With TEST_BRIEF, as in `make test`, a third of them by C++17, which takes twice the time of C11: that all of them are C++
test_headers.sh sees."""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tools"))
from library import declared               # noqa: E402
COMPILERS = [("C11", ["gcc", "-std=c11"]), ("C++17", ["clang++", "-x", "c++", "-std=c++17"])]
FLAGS = ["-w", "-fsyntax-only"]            # warnings are for the whole: test_headers.sh
HEAD = re.compile(r"// [a-z0-9_]+: .")
ENDS = re.compile(r"\b(?:abort|exit|_exit|assert) *\(|TODO|FIXME")


def wrongs(room, text, folder, compilers):
    """What is wrong with a room, or "", a string for each thing that is looked at."""
    alone = os.path.join(folder, os.path.splitext(room)[0] + ".alone.c")
    with open(alone, "w", encoding="utf-8") as f:
        f.write('#line 1 "%s"\n%s' % (room, text))
    for language, command in compilers:
        done = subprocess.run(command + FLAGS + [alone], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              universal_newlines=True)
        said = "\n".join(done.stdout.splitlines()[:8])
        yield "%s does not compile alone as %s\n%s" % (room, language, said) if done.returncode else ""
    yield "" if HEAD.match(text) else "%s does not begin with '// name: what it is for'" % room
    ends = [line for line in text.splitlines() if ENDS.search(line) and "_Static_assert" not in line]
    yield "%s can end its host: %s" % (room, ends[0]) if ends else ""


def main():
    os.chdir(ROOT)
    rooms, passed, failed = {}, 0, 0
    for folder, _, names in os.walk("src"):
        for name in names:
            with open(os.path.join(folder, name), encoding="utf-8") as f:
                rooms[os.path.join(folder, name)] = f.read()
    with tempfile.TemporaryDirectory() as folder:
        for room, text in rooms.items():
            os.makedirs(os.path.dirname(os.path.join(folder, room)), exist_ok=True)
            with open(os.path.join(folder, room), "w", encoding="utf-8") as f:
                f.write(declared(text))
        alone = sorted(room for room in rooms if room.endswith(".c"))
        for number, room in enumerate(alone):
            compilers = COMPILERS[:1] if os.environ.get("TEST_BRIEF") and number % 3 else COMPILERS
            for wrong in wrongs(room, rooms[room], folder, compilers):
                passed, failed = passed + (not wrong), failed + bool(wrong)
                if wrong:
                    print("failed: " + wrong)
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


sys.exit(main())
