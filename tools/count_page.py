#!/usr/bin/env python3
"""The table of bench/count.md from what `make count` prints.

  make count > build/count.txt && tools/count_page.py build/count.txt

One row a kernel, both targets side by side, empty where a target's graph is cut otherwise; graphs of more than three
kernels are one row, their times added.
"""
import sys


def rows(path):
    """name -> {target: [load, store, bank, loop, cycles, us, limit, best]}, in the order in which they come."""
    found, target = {}, None
    for line in open(path, encoding="utf-8"):
        if not line.startswith("kernel ") and ", " in line.split(":")[0] and "units" in line:
            target = line.split(",")[0]
        fields = line[24:].split()
        if target is None or len(fields) < 17 or not fields[0].isdigit():
            continue
        load, store, bank = fields[2:5]
        loop, cycles, us, limit, best = fields[-5:]
        found.setdefault(line[:24].strip(), {})[target] = [load, store, bank, loop, cycles, us, limit, best]
    return found


def cell(values):
    load, store, bank, loop, cycles, us, limit, best = values
    share = f"{float(loop):.0f}" + (f"; {float(cycles):.0f}" if float(cycles) else "")
    return f"{load}, {store} | {bank} | {share} | {us} {limit} | {float(best):.0f}"


def span(kernels, column):
    """The least and the greatest of a column."""
    all_of = sorted(int(x[column]) for x in kernels if x[column] != "-")
    return str(all_of[0]) if all_of[0] == all_of[-1] else f"{all_of[0]} to {all_of[-1]}"


def main():
    found = rows(sys.argv[1])
    targets = list(dict.fromkeys(t for x in found.values() for t in x))
    groups = {}
    for name in found:
        base, _, number = name.rpartition(", ")
        groups.setdefault(base if number.isdigit() else name, []).append(name)
    for base, names in groups.items():
        if len(names) <= 3:
            for name in names:
                print(f"| {name} | " + " | ".join(cell(found[name][t]) if t in found[name] else " | | | | " for t in targets) + " |")
            continue
        cells = []
        for t in targets:
            all_of = [found[n][t] for n in names if t in found[n]]
            total = sum(float(x[5]) for x in all_of)
            cells.append(f"{span(all_of, 0)}, {span(all_of, 1)} | {span(all_of, 2)} |  | {total:.0f} | ")
        print(f"| {base}, {len(names)} kernels | " + " | ".join(cells) + " |")


main()
