#!/usr/bin/env python3
"""Writes docs/operators.md, and a page for each section of the header in docs/operators/: from the comments of src/api/, from what
tests/test_vectors.c measured (build/operators/*.txt), and from what examples/operators.c prints (build/operators/examples.txt).

  tools/operators.py            write them
  tools/operators.py --comments write them with comments and examples as they are now and the figures that are in the pages
  tools/operators.py --check    exit 1 when an operator has no comment, no bracketed name, no example, or is not in its page
"""
import glob
import itertools
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs/operators.md")
PAGES = os.path.join(ROOT, "docs/operators")
EXAMPLES = os.path.join(ROOT, "build/operators/examples.txt")
PARTS = ["core.h", "operators.h", "linalg.h", "nn.h", "modules.h", "train.h", "io.h", "data.h"]
DEVICES = [("interpreter", "interpreter"), ("CPU", "CPU")]     # file of build/operators, heading; further backends add a line

HEAD = """# Operators

Written by `tools/operators.py` from the comments in [src/api](../src/api), from what `tests/test_vectors.c` measured and from what
[examples/operators.c](../examples/operators.c) prints; not edited by hand.

A column of a backend gives the largest error over all cases of all dtypes, in units of the last place of the result's dtype (relative to the
value, or to an eighth of the tensor's largest value where that is more), against PyTorch 1.13 or NumPy computed in double precision; 0: bit for bit.
*gradient*: the same for gradients of the inputs. A dash: the operator has none, or no vectors measure it: the tests of its room do.
The rules of a section hold for all of its operators; errors that every operator has: TINY_E_MEMORY, and the error of a poisoned argument.
"""

SECTION = re.compile(r"// \*\* (.*?) \*+ >>(\w+)")
FUNCTION = re.compile(r"TINY_API\s+(.*?)\b(tiny_\w+)\((.*)\);\s*(?://\s*(.*))?$")
NAME = re.compile(r"\s*\[([^\[\]]+)\]\s*$")


class Operator:
    def __init__(self, name, prototype, comment):
        self.name, self.prototype = name, prototype
        m = NAME.search(comment)
        self.like = m.group(1) if m else ""
        self.comment = comment[:m.start()] if m else comment


class Section:
    """rules: paragraphs that are said once for all; others: lines of what it declares besides operators."""
    def __init__(self, title, mark):
        self.title, self.mark, self.rules, self.operators, self.others = title, mark, [], [], []


def parse(path):
    """[Section] of a header."""
    sections, comment, pending, raw = [], [], "", []
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        if m := SECTION.match(line):
            sections.append(Section(m.group(1), m.group(2)))
            comment, pending, raw = [], "", []
            continue
        raw.append(line)
        pending = pending + " " + line.strip() if pending else line
        if pending.startswith("TINY_API") and ";" not in pending:
            continue                                                    # a prototype over several lines
        line, pending = pending, ""
        if line.startswith("//"):
            comment.append(line[2:])
            continue
        of, text = sections[-1] if sections else None, " ".join(c.strip() for c in comment).strip()
        if (m := FUNCTION.match(line)) and of:
            made = Operator(m.group(2), "%s%s(%s)" % (m.group(1), m.group(2), m.group(3)), (text + " " + (m.group(4) or "")).strip())
            of.operators.append(made)
            of.others += [] if made.like else raw
        elif comment and not line and of and not of.operators and not "".join(of.others):
            of.rules.append(comment)
        elif of and not re.match(r"#(if|endif|else)", line):
            of.others += raw
        comment, raw = [], []
    return sections


def measured():
    """{device: {operator: [cases, error, gradients, error of gradients]}}"""
    result = {}
    for name, _ in DEVICES:
        path = os.path.join(ROOT, "build/operators/%s.txt" % name)
        if os.path.exists(path):
            result[name] = {w[0]: w[1:] for w in map(str.split, open(path))}
    return result


def short(text):
    x = float(text)
    return "0" if x == 0 else "%.1f" % x if x < 100 else "%.0e" % x


def figures():
    """{operator: cells of its figures}, of the pages."""
    row = re.compile(r"\| `.*?\b(tiny_\w+)\(.*?` \| .* \|((?: [^|`]+ \|){%d})$" % (1 + len(DEVICES)))
    lines = [line for path in sorted(glob.glob(os.path.join(PAGES, "*.md"))) for line in open(path, encoding="utf-8").read().split("\n")]
    found = map(row.match, lines)
    return {m.group(1): [c.strip() for c in m.group(2).split("|")[:-1]] for m in found if m}


def examples():
    """{mark of a section: lines that its examples print}"""
    found, lines = {}, []
    for line in open(EXAMPLES, encoding="utf-8") if os.path.exists(EXAMPLES) else []:
        line = line.rstrip("\n")
        if line and line[0] != " ":
            mark, given = line.split(":", 1)
            lines = found[mark] = [given.strip()]
        else:
            lines.append(line.strip())
    return found


def title_of(title): return title.split(":")[0]


# Lines of a comment as text, and those that are indented further as code.
def paragraphs(comment):
    for code, lines in itertools.groupby(comment, key=lambda c: c.startswith("     ")):
        lines = list(lines)
        yield "```%s\n%s\n```\n" % ("c" if ";" in lines[0] else "text", "\n".join(c[5:] for c in lines)) if code else " ".join(c.strip() for c in lines).strip() + "\n"


# The page of a section. kept: figures of the pages, in the place of numbers.
def page(section, operators, shown, numbers, kept=None):
    out = ["# %s\n" % section.title]
    out += [p for r in section.rules for p in paragraphs(r)]
    out.append("| operator | what it gives | PyTorch or NumPy | gradient | %s |" % " | ".join(h for _, h in DEVICES))
    out.append("|---|---|---|---|%s" % ("---|" * len(DEVICES)))
    for o in operators:
        rows = [numbers.get(d, {}).get(o.name) for d, _ in DEVICES]
        back = [r[3] for r in rows if r and int(r[2])]
        cells = ["`%s`" % o.prototype, o.comment, "`%s`" % o.like, short(max(back, key=float)) if back else "-"]
        cells += [short(r[1]) if r else "-" for r in rows]
        if kept is not None:
            cells[3:] = kept.get(o.name, ["-"] * (1 + len(DEVICES)))
        out.append("| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |")
    if shown:
        out.append("\n## Examples\n\nWith %s:\n\n```text" % shown[0])
        out += shown[1:]
        out.append("```")
    elif section.mark in SHOWN_IN:
        out.append("\n## Examples\n\n%s" % SHOWN_IN[section.mark])
    others = re.sub(r"\n{3,}", "\n\n", "\n".join(section.others)).strip("\n")
    if others:
        out.append("\n## What else it declares\n\n```c\n%s\n```" % others)
    return "\n".join(out) + "\n"


# {path: text} of all pages.
def pages(sections, numbers, kept=None):
    told, out, index = examples(), {}, ["", "| section | operators |", "|---|---|"]
    for s in sections:
        operators = [o for o in s.operators if o.like]
        if not operators:
            continue
        out[os.path.join(PAGES, s.mark + ".md")] = page(s, operators, told.get(s.mark), numbers, kept)
        index.append("| [%s](operators/%s.md) | %s |" % (s.title, s.mark, " ".join("`%s`" % o.name[5:] for o in operators)))
    rows = [o for s in sections for o in s.operators if o.like]
    count = "\nThere are %d, %d of which compute tensors of tensors; the others load, save, train or tell.\n" % (
        len(rows), sum(part_is_language(s.mark) for s in sections for o in s.operators if o.like and o.prototype.startswith("tiny_tensor")))
    out[PAGE] = HEAD + count + "\n".join(index) + "\n"
    return out


def main(args):
    sections = [s for part in PARTS if os.path.exists(os.path.join(ROOT, "src/api", part)) for s in parse(os.path.join(ROOT, "src/api", part))]
    if not args or args == ["--comments"]:
        kept = figures() if args else None
        numbers = {} if args else measured()
        if not args and len(numbers) < len(DEVICES):
            sys.exit("operators: build/operators holds no measurements; run build/plain/test_vectors first")
        if not examples():
            sys.exit("operators: build/operators/examples.txt is what build/examples/operators prints")
        os.makedirs(PAGES, exist_ok=True)
        for path, text in pages(sections, numbers, kept).items():
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        return 0
    if args != ["--check"]:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    wanted, faults, told = pages(sections, {}, figures()), 0, examples()
    shown = set(re.findall(r"\btiny_\w+", "\n".join(line for lines in told.values() for line in lines)))
    table = open(os.path.join(ROOT, "src/tensor/length.c"), encoding="utf-8").read().split("tn_length_operators[] = {")[1]
    takes_lengths = set(re.findall(r"\w+", table.split("};")[0]))
    for s in sections:
        for o in s.operators:
            fault = "has no comment" if not o.comment and not o.like else ""
            if s.mark in ELEMENTWISE and o.like and o.name[5:] not in takes_lengths:
                fault = "goes element by element, and is not in tn_length_operators of src/tensor/length.c"
            if o.prototype.startswith("tiny_tensor") and part_is_language(s.mark):
                if not o.like:
                    fault = "has no bracketed PyTorch or NumPy name at the end of its comment"
                elif told and o.name not in shown:
                    fault = "has no example in examples/operators.c"
            if fault:
                print("operators: %s %s" % (o.name, fault))
                faults += 1
    for path, text in wanted.items():
        there = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
        if there != text:
            print("operators: %s does not read as it would be written now: run tools/operators.py --comments" % os.path.relpath(path, ROOT))
            faults += 1
    print("%d passed, %d failed" % (sum(len(s.operators) for s in sections) + len(wanted) - faults, faults))
    return faults != 0


# Sections of the header whose tensors are operators' results: the rest is life of contexts, tensors, structs and files.
OTHER = {"types", "context", "tensors", "gradients", "modules", "training", "files", "data", "optimisers"}
ELEMENTWISE = {"elementwise", "math", "activations"}
# Where examples of the others stand.
SHOWN_IN = {
    "modules": "[Networks and training](../training.md) and [From PyTorch to tiny.h](../from-pytorch.md) have them, compiled and run.",
    "files": "[Files](../files.md) has them, compiled and run.",
    "data": "[Data](../data.md) has them, compiled and run.",
    "gradients": "[Training](training.md) has them.",
}
def part_is_language(mark): return mark not in OTHER


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
