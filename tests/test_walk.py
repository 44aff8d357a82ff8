#!/usr/bin/env python3
"""walk: docs/walk.md goes from tiny_matmul to the launch in at most twelve steps, a file each, none visited twice; files and
functions are there, and a run calls the functions of each step before those of the next. What docs/adding.md names is
there, too."""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MOST = 12
counts = {True: 0, False: 0}

# Every function that is entered is written down, from the call of tiny_matmul on.
PROGRAM = r"""
#include "src/all.c"
#define UNTRACED __attribute__((no_instrument_function))
static FILE *trace;
UNTRACED void __cyg_profile_func_enter(void *f, void *from);
UNTRACED void __cyg_profile_func_exit(void *f, void *from);
void __cyg_profile_func_enter(void *f, void *from) {
  (void)from;
  if (trace) fprintf(trace, "%llx\n", (unsigned long long)(uintptr_t)f);
}
void __cyg_profile_func_exit(void *f, void *from) { (void)f; (void)from; }
int main(int n, char **argument) {
  static float in[4096], out[4096];
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "CPU"; d.cache_dir = ""; d.threads = 1;
  tiny_ctx *t = tiny_open(&d);
  tiny_tensor *x = tiny_from(t, in, TINY_F32, TINY_SHAPE(64, 64)), *w = tiny_from(t, in, TINY_F32, TINY_SHAPE(64, 64));
  FILE *to = n > 1 ? fopen(argument[1], "w") : NULL;
  trace = to;
  tiny_read(tiny_matmul(x, w), out, sizeof out);
  trace = NULL;
  if (to) fclose(to);
  if (tiny_status(t) != TINY_OK) puts(tiny_error(t));
  tiny_close(t);
  return 0;
}
"""


def check(ok, what, said=""):
    counts[bool(ok)] += 1
    if not ok:
        print("failed: %s%s" % (what, "\n" + said if said else ""))
    return ok


def load(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as f:
        return f.read()


def steps():
    """[(number, file, [function])]"""
    found = []
    for line in load("docs/walk.md").splitlines():
        if m := re.fullmatch(r"## (\d+)\. `(\S+)`: .+", line):
            found.append((int(m.group(1)), m.group(2), []))
        elif re.fullmatch(r"- (`\w+`(, )?)+", line):
            found[-1][2].extend(re.findall(r"`(\w+)`", line))
        elif line.startswith("## "):
            check(False, "a heading names its number and its file", line)
    return found


def traced(folder):
    """The names of all functions that a run calls, in order; None after a failure."""
    program, calls = os.path.join(folder, "walk"), os.path.join(folder, "calls")
    with open(program + ".c", "w", encoding="utf-8") as f:
        f.write(PROGRAM)
    p = subprocess.run(["gcc", "-std=gnu11", "-w", "-no-pie", "-finstrument-functions", "-I" + ROOT, program + ".c", "-o",
                        program, "-lm", "-lpthread", "-ldl"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if not check(p.returncode == 0, "the program that is traced builds", p.stdout.decode()):
        return None
    p = subprocess.run([program, calls], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    if not check(p.returncode == 0 and not p.stdout, "it runs", p.stdout):
        return None
    symbols = subprocess.run(["nm", program], stdout=subprocess.PIPE, universal_newlines=True).stdout
    names = {int(s[0], 16): s[2] for s in map(str.split, symbols.splitlines()) if len(s) == 3 and s[1] in "tT"}
    with open(calls, encoding="utf-8") as f:
        return [names.get(int(line, 16), "?") for line in f]


def test_names(walk):
    check([s[0] for s in walk] == list(range(1, len(walk) + 1)), "steps are numbered")
    check(0 < len(walk) <= MOST, "there are %d steps, at most %d" % (len(walk), MOST))
    files = [s[1] for s in walk]
    check(len(set(files)) == len(files), "no file is visited twice", " ".join(f for f in files if files.count(f) > 1))
    check(walk and walk[0][2][:1] == ["tiny_matmul"] and walk[-1][2][-1:] == ["tn_cpu_launch"], "from matmul to launch")
    for number, path, functions in walk:
        if not check(os.path.isfile(os.path.join(ROOT, path)), "step %d: %s is there" % (number, path)):
            continue
        check(functions, "step %d names its functions" % number)
        for name in functions:
            check(re.search(r"^(?:static|TINY_API) [^;{=]*\b%s\([^;]*\{" % name, load(path), re.M),
                  "step %d: %s has %s" % (number, path, name))
    for path in re.findall(r"`((?:src|tests|docs)/[^`]+)`", load("docs/walk.md")):
        check(os.path.exists(os.path.join(ROOT, path)), "%s is there" % path)


def test_order(walk, calls):
    first = {}
    for i, name in enumerate(calls):
        first.setdefault(name, i)
    for step in walk:
        for name in step[2]:
            check(name in first, "step %d: %s is called" % (step[0], name))
        known = [first[name] for name in step[2] if name in first]
        check(known == sorted(known), "step %d: its functions are called in this order" % step[0], " ".join(step[2]))
    begun = [(first.get(step[2][0], -1), step[0]) for step in walk if step[2]]
    for a, b in zip(begun, begun[1:]):
        check(a[0] < b[0], "step %d begins before step %d" % (a[1], b[1]))


def test_adding():
    """A line `- `file`, `file`: text` names what stands in these files, or in one that the text names before."""
    entries = 0
    for line in re.findall(r"^- .+(?:\n  .+)*", load("docs/adding.md"), re.M):
        files = []
        for word in re.findall(r"`([\w./]+)`", line):
            if "/" in word:
                files.append(word)
                check(os.path.exists(os.path.join(ROOT, word)), "adding.md: %s is there" % word, line)
            elif re.match(r"\w+$", word):
                texts = [load(f) for f in files if os.path.isfile(os.path.join(ROOT, f))]
                check(any(re.search(r"\b%s\b" % word, text) for text in texts), "adding.md: %s is in %s" %
                      (word, " or ".join(files)))
        check(files, "adding.md: an entry names its file", line)
        entries += 1
    check(entries > 20, "adding.md has its entries")


walk = steps()
test_names(walk)
test_adding()
with tempfile.TemporaryDirectory() as folder:
    calls = traced(folder)
    if calls:
        test_order(walk, calls)
print("%d passed, %d failed" % (counts[True], counts[False]))
sys.exit(counts[False] != 0)
