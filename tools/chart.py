#!/usr/bin/env python3
# chart: the figures of the bench as bars. `tools/chart.py build/bench.json build/bench.svg`
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
  .ok { fill: #2da44e } .short { fill: #d4622a } .axis { stroke: #8c959f; stroke-width: 1 }
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
    ok = sum((r["value"] >= r["bar"]) == r["at_least"] or r["value"] == r["bar"] for r in rows)
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
        good = r["value"] >= r["bar"] if r["at_least"] else r["value"] <= r["bar"]
        end, cut = NAME + SCALE * min(length, MOST), "…" if length > MOST else ""
        at = NAME + SCALE * tick
        out.append(f'<text x="{NAME - 8}" y="{y - 4}" text-anchor="end">{escape(r["name"])}</text>'
                   f'<rect class="{"ok" if good else "short"}" x="{NAME}" y="{y - 15}" width="{max(end - NAME, 1):.1f}" height="14" rx="2">'
                   f'<title>{escape(r["note"])}</title></rect>'
                   f'<line class="bar" x1="{at:.1f}" x2="{at:.1f}" y1="{y - 16}" y2="{y}"/>'
                   f'<text class="note" x="{end + 6:.1f}" y="{y - 4}">{cut}{escape(text)}</text>')
    axes = [f'<line class="{"limit" if x == 1 else "axis"}" x1="{NAME + SCALE * x}" x2="{NAME + SCALE * x}" y1="{top}" y2="{y + 4}"'
            f'{"" if x == 1 else " stroke-dasharray=" + chr(34) + "2 4" + chr(34)}/>'
            f'<text class="note" x="{NAME + SCALE * x}" y="{y + 20}" text-anchor="middle">{x:g}</text>'
            for x in (0, 0.5, 1, 1.5, 2)]
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y + 30}" viewBox="0 0 {WIDTH} {y + 30}" '
            f'role="img"><title>tiny.h against the limit</title><style>{STYLE}</style>\n' + "\n".join(axes + out) + "\n</svg>\n")


if __name__ == "__main__":
    with open(sys.argv[1]) as f:
        svg = chart(json.load(f))
    with open(sys.argv[2], "w") as f:
        f.write(svg)
    print(f"write {sys.argv[2]}")
