#!/usr/bin/env python3
# chart: the figures of the bench as bars, or as a table. `tools/chart.py build/bench.json build/bench.svg bench/results.md`
# Every row that has a bar to reach is a line: 1.0 is the limit or the peer it is compared with. A figure that must be
# at most its bar is drawn as bar / figure; one that must be several times a peer as a part of that. The tick is what
# is asked for. Bars end at 2 and then say so. Colours are legible on light and dark pages.
import json
import sys
from html import escape

NAME, SCALE, LINE, HEAD, MOST = 330, 230, 19, 30, 2.0        # pixels; MOST: where bars end
WIDTH = NAME + int(SCALE * MOST) + 250
STYLE = """
  text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328 }
  .head { font-weight: 600; font-size: 13px } .note { fill: #59636e }
  .ok { fill: #2da44e } .short { fill: #d4622a } .axis { stroke: #8c959f; stroke-width: 1; stroke-dasharray: 2 4 }
  .limit { stroke: #59636e; stroke-width: 1.5 } .bar { stroke: #1f2328; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .note { fill: #9198a1 } .limit { stroke: #9198a1 } .bar { stroke: #e6edf3 }
    .ok { fill: #3fb950 } .short { fill: #e5813e }
  }"""


def place(row):
    """Length of the bar and of the tick, in limits, and what is written beside it."""
    value, bar = row["value"], row["bar"]
    if not row["at_least"]:
        return bar / value, 1.0, f"{value:.3g} {row['unit']} of {bar:g}"
    if bar > 1.5:
        return value / bar, 1.0, f"{value:.2f} x, of {bar:g}"
    return value, bar, f"{value:.2f}"


def chart(data):
    rows = [r for r in data["rows"] if r.get("bar") and r["value"] == r["value"] and r["value"] > 0]
    ok = sum(map(good, rows))
    lines = data["machine"].split("\n") + [f"{ok} of {len(rows)} figures reach what is asked for (the tick); "
                                           "the line at 1.0 is the limit or the peer"]
    out, y = [], 8
    for line in lines:
        y += LINE
        out.append(f'<text class="note" x="10" y="{y}">{escape(line)}</text>')
    top, section = y + 8, None
    for r in rows:
        if r["section"] != section:
            section = r["section"]
            y += HEAD
            out.append(f'<text class="head" x="10" y="{y}">{escape(section)}</text>')
            y += 6
        y += LINE
        length, tick, text = place(r)
        end, cut = NAME + SCALE * min(length, MOST), "…" if length > MOST else ""
        at = NAME + SCALE * tick
        out.append(f'<text x="{NAME - 8}" y="{y - 4}" text-anchor="end">{escape(r["name"])}</text>'
                   f'<rect class="{"ok" if good(r) else "short"}" x="{NAME}" y="{y - 15}" '
                   f'width="{max(end - NAME, 1):.1f}" height="14" rx="2">'
                   f'<title>{escape(r["note"])}</title></rect>'
                   f'<line class="bar" x1="{at:.1f}" x2="{at:.1f}" y1="{y - 16}" y2="{y}"/>'
                   f'<text class="note" x="{end + 6:.1f}" y="{y - 4}">{cut}{escape(text)}</text>')
    axes = []
    for limits in (0, 0.5, 1, 1.5, 2):
        x, kind = NAME + SCALE * limits, "limit" if limits == 1 else "axis"
        axes.append(f'<line class="{kind}" x1="{x}" x2="{x}" y1="{top}" y2="{y + 4}"/>'
                    f'<text class="note" x="{x}" y="{y + 20}" text-anchor="middle">{limits:g}</text>')
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y + 30}" '
                      f'viewBox="0 0 {WIDTH} {y + 30}" role="img"><title>tiny.h against the limit</title>',
                      f'<style>{STYLE}</style>', *axes, *out, "</svg>", ""])


def good(r):
    return r["value"] >= r["bar"] if r["at_least"] else r["value"] <= r["bar"]


def table(data):
    """The same as Markdown: every figure, those without a bar too."""
    out = ["# Results", "", "Written by `make results` from the last run of the bench, brief or of some sections it may be.",
           "Figures in x are rates over the rate of what stands in the section's title or the note, in the same run;",
           "medians of interleaved rounds.", "",
           data["machine"].replace("\n", "  \n"), "", "![every figure against its limit](results.svg)"]
    section = None
    for r in data["rows"]:
        if r["section"] != section:
            section = r["section"]
            out += ["", "## " + section, "", "| what | figure | asked for | | of |", "|---|---:|---:|---|---|"]
        asked = f'{"≥" if r["at_least"] else "≤"} {r["bar"]:g}' if r.get("bar") else ""
        mark = ("ok" if good(r) else "**short**") if asked else ""
        out.append(f'| {r["name"]} | {r["value"]:.4g} {r["unit"]} | {asked} | {mark} | {r["note"]} |')
    return "\n".join(out) + "\n"


def merged(paths):
    """Runs of some sections each, as one: of figures that were measured twice the first stays."""
    rows, machine = {}, ""
    for path in paths:
        with open(path) as f:
            data = json.load(f)
        machine = max(machine, data["machine"], key=len)
        for r in data["rows"]:
            rows.setdefault((r["section"], r["name"]), r)
    return {"machine": machine, "rows": list(rows.values())}


if __name__ == "__main__":
    data = merged([a for a in sys.argv[1:] if a.endswith(".json")])
    for path in sys.argv[1:]:
        if not path.endswith(".json"):
            with open(path, "w") as f:
                f.write(chart(data) if path.endswith(".svg") else table(data))
            print(f"write {path}")
