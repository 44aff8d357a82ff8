#!/usr/bin/env python3
"""docs: the code of the pages in docs/ compiles, runs and prints what the pages say.

  tests/test_docs.py [PAGE ...]        only these pages: lifetimes, from-pytorch ..
  tests/test_docs.py --record          writes tests/docs_torch.txt, what PyTorch gives, where PyTorch is

A block of C stands for itself where it has a main, as those of C++ do. What defines functions, types or data is kept for the blocks behind it;
any other is the body of a function that is given `t`, an open context, and what the page says in its head. A block of text
that follows directly is what it prints; `..` in it stands for anything. A block of Python in front of one of C is the same in
PyTorch: both leave a tensor y, or neither does, and the numbers in them are compared.
"""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DOCS = os.path.join(ROOT, "docs")
RECORD = os.path.join(ROOT, "tests/docs_torch.txt")
LIBRARY = os.path.join(ROOT, "build/library/plain.o")
HEAD = "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include \"tiny.h\"\n\n"
BUILD = ["gcc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-unused-variable", "-Wno-unused-function",
         "-Wno-unused-but-set-variable", "-Wno-unused-parameter", "-I" + ROOT]
BUILD_CPP = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I" + ROOT]
LINK = [LIBRARY, "-lm", "-lpthread", "-ldl"]
# What blocks of a page find, in both languages; the page tells it in words.
GIVEN = {
    "from-pytorch": (
        "  tiny_tensor *x = tiny_div(tiny_sub(tiny_remainder(tiny_mul(tiny_reshape(tiny_arange(t, 0, 24, 1, TINY_F32), TINY_SHAPE(4, 6)),\n"
        "    tiny_full(t, 7, TINY_F32, TINY_SHAPE())), tiny_full(t, 24, TINY_F32, TINY_SHAPE())), tiny_full(t, 11, TINY_F32, TINY_SHAPE())),\n"
        "    tiny_full(t, 8, TINY_F32, TINY_SHAPE()));\n"
        "  tiny_tensor *w = tiny_div(tiny_reshape(tiny_arange(t, -9, 9, 1, TINY_F32), TINY_SHAPE(6, 3)), tiny_full(t, 8, TINY_F32, TINY_SHAPE()));\n"
        "  tiny_tensor *labels = tiny_remainder(tiny_arange(t, 0, 4, 1, TINY_I64), tiny_full(t, 3, TINY_I64, TINY_SHAPE()));\n"
        "  tiny_tensor *image = tiny_reshape(tiny_cos(tiny_arange(t, 0, 128, 1, TINY_F32)), TINY_SHAPE(1, 2, 8, 8));\n",
        "import math, torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
        "x = ((torch.arange(24.).reshape(4, 6) * 7) % 24 - 11) / 8\nw = torch.arange(-9., 9.).reshape(6, 3) / 8\n"
        "labels = torch.arange(4) % 3\nimage = torch.cos(torch.arange(128.)).reshape(1, 2, 8, 8)\n"),
}
SHOW = ("  {\n    static double show_[4096];\n    const int64_t n_ = tiny_nelem_of(y);\n"
        "    if (tiny_read(tiny_cast(y, TINY_F64), show_, (size_t)n_ * 8) != TINY_OK) printf(\"error: %s\", tiny_error(t));\n"
        "    for (int64_t i_ = 0; i_ < n_; i_++) printf(\"%.9g \", show_[i_]);\n    puts(\"\");\n  }\n")
counts = {True: 0, False: 0}


def check(ok, what, said=""):
    counts[bool(ok)] += 1
    if not ok:
        print("failed: %s\n%s" % (what, "\n".join(said.splitlines()[:30])))
    return ok


def run(command, **more):
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=300,
                       universal_newlines=True, **more)
    return p.returncode, p.stdout


def blocks(text):
    """[(line, language, code, what it prints or None)] of a page."""
    found = []
    for m in re.finditer(r"^```(\w+)\n(.*?)^```\n", text, re.M | re.S):
        line = text.count("\n", 0, m.start()) + 1
        follows = found and text[found[-1][4]:m.start()].strip() == ""
        if m.group(1) == "text" and follows and found[-1][1] in ("c", "cpp"):
            found[-1][3] = m.group(2)
        found.append([line, m.group(1), m.group(2), None, m.end()])
    return found


def torch_python():
    for python in ("python3", "/usr/bin/python3"):
        try:
            if run([python, "-c", "import torch"])[0] == 0:
                return python
        except OSError:
            pass
    return None


def defines(code):
    """Is it of functions, types and data alone, not of statements?"""
    return all(re.match(r"(static|typedef|struct|enum)\b|#define|#include|[\s}/]", line) for line in code.splitlines() if line)


def leaves_y(code):
    return re.search(r"\*y\b|\by =|, y\b", code) is not None


def matches(wanted, said):
    pattern = r"\n".join(r".*?".join(re.escape(part) for part in line.rstrip().split("..")) for line in wanted.rstrip("\n").split("\n"))
    said = "\n".join(line.rstrip() for line in said.rstrip("\n").split("\n"))
    return re.fullmatch(pattern, said) is not None


def close(ours, theirs):
    a, b = ours.split(), theirs.split()
    def same(p, q):
        if p == q:
            return True
        p, q = float(p), float(q)
        return p != p and q != q or abs(p - q) <= 1e-5 * max(1.0, abs(p), abs(q))
    try:
        return len(a) == len(b) and all(map(same, a, b))
    except ValueError:
        return False


def programs(name):
    """(place, language, source, what it prints or None, Python beside it or None, leaves y) of each block of a page that runs."""
    text = open(os.path.join(DOCS, name + ".md"), encoding="utf-8").read()
    given, kept, kept_since, before = GIVEN.get(name, ("", ""))[0], "", None, None
    for line, language, code, prints, _ in blocks(text):
        if language == "python":
            before = code
        if language not in ("c", "cpp"):
            continue
        pair, before = before, None
        body = "#line %d \"docs/%s.md\"\n%s" % (line + 1, name, code)
        if defines(code) and "int main(" not in code:
            kept, kept_since = kept + body + "\n", "docs/%s.md:%d" % (name, line)
            continue
        show = pair is not None and leaves_y(code)
        if "int main(" in code:
            source = body.replace("#define TINY_IMPLEMENTATION\n", "")      # its text is the object's
        else:
            source = (HEAD + kept + "static void page(tiny_ctx *t) {\n" + given + body + (SHOW if show else "") + "}\n"
                      "int main(void) {\n  tiny_ctx *t = tiny_open(NULL);\n  page(t);\n"
                      "  if (tiny_status(t) != TINY_OK) printf(\"error: %s\\n\", tiny_error(t));\n  tiny_close(t);\n  return 0;\n}\n")
        yield "docs/%s.md:%d" % (name, line), language, source, prints, pair, show
        kept_since = None
    if kept_since:
        sys.exit("%s: nothing behind it runs what is defined here" % kept_since)


def test_page(name, folder, recorded, python):
    for what, language, source, prints, pair, show in programs(name):
        path = os.path.join(folder, "page." + language)
        with open(path, "w", encoding="utf-8") as f:
            f.write(source)
        status, said = run((BUILD if language == "c" else BUILD_CPP) + [path, "-o", os.path.join(folder, "page")] + LINK)
        if not check(status == 0 and not said, what + " compiles", said):
            continue
        status, said = run([os.path.join(folder, "page")], cwd=folder)
        if not check(status == 0, what + " runs", "status %d\n%s" % (status, said)):
            continue
        if show:
            theirs = recorded.get(code_key(pair), "")
            check(close(said, theirs), "%s gives what PyTorch gives" % what, "%s\n%s" % (said, theirs))
            if python:
                live = torch_gives(python, GIVEN[name][1], pair)
                check(close(live, theirs), "%s: what is recorded is what PyTorch gives" % what, "%s\n%s" % (live, theirs))
        elif prints is not None:
            check(matches(prints, said), "%s prints what the page says" % what, said)
        else:
            check("error: " not in said, what + " goes well", said)


def anchors(text):
    """Of its headings, as GitHub and MkDocs make them."""
    heads = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M)
    return {re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", head).strip().lower()) for head in heads}


# Links between pages, and to files and headings, lead somewhere; the count of idioms is what the page says.
def test_links():
    pages = [os.path.join(ROOT, "README.md")] + [os.path.join(folder, f) for folder, _, files in os.walk(DOCS) for f in files if f.endswith(".md")]
    for page in pages:
        text = open(page, encoding="utf-8").read()
        for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)):
            path, _, anchor = link.partition("#")
            to = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if not link.startswith("http"):
                check(os.path.exists(to) and (not anchor or anchor in anchors(open(to, encoding="utf-8").read())),
                      "%s: the link %s leads somewhere" % (os.path.relpath(page, ROOT), link))
    text = open(os.path.join(DOCS, "from-pytorch.md"), encoding="utf-8").read()
    numbers = [int(n) for n in re.findall(r"^(\d+) [A-Z]", text, re.M)]
    check(numbers == list(range(1, 53)) and "Fifty-two idioms" in text, "from-pytorch.md: the idioms are counted", str(numbers))
    hello = open(os.path.join(ROOT, "examples/hello.c"), encoding="utf-8").read()
    shown = blocks(open(os.path.join(ROOT, "README.md"), encoding="utf-8").read())[0][2]
    check(hello.endswith(shown), "README.md: its program is examples/hello.c")


def code_key(code):
    return " ".join(code.split())


def torch_gives(python, given, code):
    status, said = run([python, "-W", "ignore", "-c", given + code +
                        "\nprint(' '.join('%.9g' % v for v in torch.as_tensor(y).detach().double().reshape(-1).tolist()))"])
    return said if status == 0 else "error: " + said


def record(python):
    lines = []
    for name, (_, given) in GIVEN.items():
        all_blocks = blocks(open(os.path.join(DOCS, name + ".md"), encoding="utf-8").read())
        for (_, language, code, _, _), (_, behind, ours, _, _) in zip(all_blocks, all_blocks[1:]):
            if language == "python" and behind == "c" and leaves_y(ours):
                said = torch_gives(python, given, code).strip()
                if said.startswith("error"):
                    print("%s\n%s" % (code, said[-300:]))
                lines.append("%s\n%s\n" % (code_key(code), said))
    with open(RECORD, "w", encoding="utf-8") as f:
        f.write("\n".join(lines))
    print("%d recorded" % len(lines))


def main(args):
    python = torch_python()
    if args == ["--record"]:
        return record(python) if python else "docs: there is no PyTorch here"
    subprocess.run(["make", "-s", "build/library/plain.o"], cwd=ROOT, check=True)
    recorded = {}
    if os.path.exists(RECORD):
        recorded = dict(entry.split("\n", 1) for entry in open(RECORD, encoding="utf-8").read().strip().split("\n\n"))
    pages = args or sorted(p[:-3] for p in os.listdir(DOCS) if p.endswith(".md"))
    if not python:
        print("no PyTorch here: its side of docs/from-pytorch.md is as recorded")
    with tempfile.TemporaryDirectory() as folder:
        for name in pages:
            test_page(name, folder, recorded, python if args else None)
    if not args:
        test_links()
    print("%d passed, %d failed" % (counts[True], counts[False]))
    return counts[False] != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
