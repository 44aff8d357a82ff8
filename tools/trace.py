#!/usr/bin/env python3
"""trace: one HTML file of a trace that tiny.h has written, without outside parts.

  tools/trace.py TRACE.json [OUT.html]     OUT.html: TRACE.html beside it

The trace is in Chrome's Trace Event Format, an event a line; the last lines may be missing, and what is not known is
passed over. The page is tools/trace/viewer.html with its style and scripts; what it shows is packed (zlib, base64):
"main" has what is drawn at once, "g<i>" a graph, "s<i>" the source of a kernel, "p<i>" its IR after each pass.
"""
import base64
import collections
import html
import json
import os
import sys
import zlib

PARTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "trace")
SCRIPTS = ["base.js", "text.js", "timeline.js", "memory.js", "graph.js", "kernel.js", "summary.js", "main.js"]
HOST_TID, WORKERS = 0, 100                 # tid 1 + d: device d; tid 100 (1 + d) + i: thread i of its pool
DRAWN = 300000                             # launches that the page draws; those behind them are added up


# ** what a trace says, of the kind that it should be **

def number(value, default=0):
    """A finite number; what a double does not hold is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e300 or value != value:
        return default
    return value


def whole(value, default=0):
    value = number(value, default)
    return int(value) if -2**53 < value < 2**53 else default


def text(value):
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""


def table(value):
    return value if isinstance(value, dict) else {}


def rows(value):
    """A list of objects."""
    return [table(v) for v in value] if isinstance(value, list) else []


def wholes(value):
    return [whole(v) for v in value] if isinstance(value, list) else []


def name_of(value):
    """Of a schedule: a number or a text."""
    return text(value) or str(whole(value, -1))


def is_event(value):
    return isinstance(value, dict) and "ph" in value


def events_of_lines(file, bad, drops):
    """An event a line; what is none is counted in bad. Lines that it drops are not read."""
    for line in file:
        line = line.strip().rstrip(",")
        if line in ("", "[", "]") or drops(line):
            continue
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            event = None
        if is_event(event):
            yield event
        else:
            bad.append(1)


def events_in_one_piece(file):
    try:
        said = json.load(file)
    except (ValueError, RecursionError):
        return []
    return filter(is_event, rows(said.get("traceEvents") if isinstance(said, dict) else said))


class Strings(dict):
    """Texts by number."""
    def __missing__(self, key):
        self[key] = len(self)
        return self[key]


class Trace:
    def __init__(self):
        self.strings, self.kernel_at, self.schedule_at = Strings(), {}, {}
        self.strings[""]                                   # number 0
        self.kernels, self.schedules, self.graphs = [], [], []
        self.devices, self.threads, self.errors, self.nevent = [], {}, {}, 0
        self.launches, self.added_up, self.begun, self.ended = 0, {}, False, False
        self.spans, self.memory = collections.defaultdict(list), collections.defaultdict(list)

    def read(self, events):
        for event in events:
            self.nevent += 1
            phase, category = text(event["ph"]), text(event.get("cat"))
            action = self.ACTIONS.get((phase, category)) or self.ACTIONS.get(phase)
            if action:
                action(self, event, table(event.get("args")))

    # ** by kind of event **

    def meta(self, event, args):
        if event.get("name") == "thread_name":
            self.threads[whole(event.get("tid"))] = text(args.get("name"))
        self.ended = self.ended or event.get("name") == "end"
        if event.get("name") == "tiny":
            self.begun = True
            self.devices = [{"name": text(d.get("name")), "title": text(d.get("title")), "gflops": number(d.get("gflops")),
                             "gbps": number(d.get("gbps"))} for d in rows(args.get("devices"))]

    def span(self, event, args):
        """(begin, -duration, name, kernel, label, schedule, step, run, flops, nbytes, extra), of a thread."""
        tid, name, extra = whole(event.get("tid")), text(event.get("name")), ""
        if HOST_TID < tid < WORKERS:
            self.launches += 1
        if self.launches > DRAWN and tid > HOST_TID:
            return self.add_up(event, args) if tid < WORKERS else None
        if "kernels" in args or "tasks" in args:
            word = "kernels" if "kernels" in args else "tasks"
            extra = "%d %s" % (whole(args[word]), word)
        elif "from" in args and "to" in args:
            extra = "from %s to %s" % (shown(args["from"]), shown(args["to"]))
        self.spans[tid].append((
            number(event.get("ts")), -max(0, number(event.get("dur"))), self.strings[name], self.kernel(args.get("kernel"), name),
            self.strings[text(args.get("label"))], name_of(args["schedule"]) if "schedule" in args else None, whole(args.get("step"), -1),
            whole(args.get("run"), -1), number(args.get("flops")), number(args.get("nbytes")), extra))

    def is_dropped(self, line):
        """What a thread did of a launch that is not drawn: half of a long trace."""
        return self.launches > DRAWN and line.startswith('{"ph":"X"') and '"cat":"worker"' in line[:60]

    def add_up(self, event, args):
        """(n, us, flops, nbytes, least us, most us) by kernel, label and device."""
        name, us = text(event.get("name")), max(0, number(event.get("dur")))
        kernel = self.kernel(args.get("kernel"), name)
        label = self.strings[text(args.get("label")) if kernel >= 0 else name]
        key = kernel, label, whole(event.get("tid")) - 1
        n, time, flops, nbytes, least, most = self.added_up.get(key, (0, 0, 0, 0, us, us))
        self.added_up[key] = (n + 1, time + us, flops + number(args.get("flops")), nbytes + number(args.get("nbytes")),
                              min(least, us), max(most, us))

    def counter(self, event, args):
        words = text(event.get("name")).split()
        if len(words) == 2 and words[0] == "memory" and words[1].isdecimal() and len(words[1]) < 9:
            self.memory[int(words[1])].append((number(event.get("ts")), max(0, number(args.get("live")))))

    def kernel(self, key, name=""):
        """The number of the kernel of this key; -1: it has none."""
        key = text(key)
        if not key:
            return -1
        if key not in self.kernel_at:
            self.kernel_at[key] = len(self.kernels)
            self.kernels.append({"key": key, "name": key, "opts": "", "flops": 0, "nbytes": 0, "global": None, "local": None,
                                 "tasks": -1, "from": "", "source": None, "passes": [], "texts": [], "ops": set()})
        k = self.kernels[self.kernel_at[key]]
        if name and k["name"] == key:
            k["name"] = text(name) or key
        return self.kernel_at[key]

    def passed(self, event, args):
        k = self.kernel(args.get("key", args.get("kernel")), args.get("name"))
        if k >= 0:
            self.kernels[k]["passes"].append(text(event.get("name")))
            self.kernels[k]["texts"].append(text(args.get("text")))

    def made(self, event, args):
        k = self.kernel(args.get("kernel"), event.get("name"))
        if k < 0:
            return
        k = self.kernels[k]
        k["name"] = text(event.get("name")) or k["name"]
        k["opts"], k["from"] = text(args.get("opts")), text(args.get("from"))
        k["flops"], k["nbytes"], k["tasks"] = number(args.get("flops")), number(args.get("nbytes")), whole(args.get("tasks"), -1)
        k["global"], k["local"] = wholes(args.get("global")) or None, wholes(args.get("local")) or None
        if text(args.get("source")):
            k["source"] = text(args.get("source"))

    def schedule(self, name):
        name = name_of(name)
        if name not in self.schedule_at:
            self.schedule_at[name] = len(self.schedules)
            self.schedules.append({"id": name, "steps": [], "places": [], "arena": [], "graphs": []})
        return self.schedules[self.schedule_at[name]]

    def planned(self, event, args):
        s = self.schedule(args.get("schedule"))
        s["places"] = [{"kind": text(p.get("kind")) or "temp", "device": whole(p.get("device")), "nbytes": max(0, whole(p.get("nbytes"))),
                        "offset": max(0, whole(p.get("offset"))), "first": whole(p.get("first")), "last": whole(p.get("last"))}
                       for p in rows(args.get("places"))]
        s["steps"] = [{"name": text(p.get("name")), "kernel": self.kernel(p.get("kernel"), p.get("name")), "label": text(p.get("label")),
                       "device": whole(p.get("device")), "mem": [m for m in wholes(p.get("mem")) if 0 <= m < len(s["places"])]}
                      for p in rows(args.get("steps"))]
        s["arena"] = [max(0, n) for n in wholes(args.get("arena"))]

    def graph(self, event, args):
        nodes, s = rows(args.get("nodes")), self.schedule(args.get("schedule"))
        at = {whole(n.get("id"), -1): i for i, n in enumerate(nodes)}
        step = [whole(n.get("kernel"), -1) for n in nodes]
        self.graphs.append({
            "op": [text(n.get("op")) for n in nodes], "dtype": [text(n.get("dtype")) for n in nodes],
            "shape": [wholes(n.get("shape")) if isinstance(n.get("shape"), list) else None for n in nodes],
            "src": [sorted({at[i] for i in wholes(n.get("src")) if i in at} - {here}) for here, n in enumerate(nodes)],
            "label": [text(n.get("label")) for n in nodes], "arg": [shown(n.get("arg")) for n in nodes], "kernel": step})
        s["graphs"].append({"stage": text(args.get("stage")) or "graph", "n": len(nodes), "kernels": any(k >= 0 for k in step),
                            "text": "g%d" % (len(self.graphs) - 1)})

    def error(self, event, args):
        said = text(args.get("name")) or "error %d" % whole(args.get("code")), text(args.get("message"))
        self.errors.setdefault(said, []).append(number(event.get("ts")))

    ACTIONS = {"M": meta, "X": span, "C": counter, ("i", "pass"): passed, ("i", "kernel"): made, ("i", "schedule"): planned,
               ("i", "graph"): graph, ("i", "error"): error}

    # ** what the page takes **

    def row(self, tid):
        """The spans of a thread as columns, in the order of their beginnings."""
        spans = sorted(self.spans[tid], key=lambda s: s[:2])
        begin, minus, name, kernel, label, schedule, step, run, flops, nbytes, extra = zip(*spans)
        device = tid // WORKERS - 1 if tid >= WORKERS else max(0, tid - 1)
        kind = "host" if tid == HOST_TID else "worker" if tid >= WORKERS else "launch"
        number_of = {"host": "host", "launch": "device %d" % device, "worker": "thread %d" % (tid % WORKERS)}
        row = {"kind": kind, "device": device, "title": self.threads.get(tid) or number_of[kind], "name": name,
               "ts": [round(t - self.start, 3) for t in begin], "dur": [round(-d, 3) for d in minus],
               "extra": extra if any(extra) else []}
        if kind != "host":
            row["kernel"] = kernel
        if kind == "launch":
            row.update(label=label, schedule=[self.schedule_at.get(s, -1) for s in schedule], step=step, run=run,
                       flops=flops, nbytes=nbytes)
        return row

    def notes(self, bad):
        """What a reader should know of the trace itself."""
        out, cut = [], self.begun and not self.ended
        if cut:
            out.append("The trace is cut off: the program did not end it.")
        if bad > cut:
            out.append("%d line%s not understood." % (bad, "" if bad == 1 else "s"))
        if self.launches > DRAWN:
            out.append("The first {:,} launches are drawn; all of them are added up.".format(DRAWN))
        return " ".join(out)

    def packed(self, file, notes):
        """{element: what it holds}."""
        self.start = min((s[0] for spans in self.spans.values() for s in spans), default=0)
        end = max((s[0] - s[1] for spans in self.spans.values() for s in spans), default=1)
        for s in self.schedules:
            steps = s["steps"]
            for g in (self.graphs[int(stage["text"][1:])] for stage in s["graphs"]):
                g["kernel"] = [k if 0 <= k < len(steps) else -1 for k in g["kernel"]]
                for op, step in zip(g["op"], g["kernel"]):           # which operators a kernel computes
                    if step >= 0 and steps[step]["kernel"] >= 0:
                        self.kernels[steps[step]["kernel"]]["ops"].add(op)
        out = collections.OrderedDict()
        out["main"] = {
            "file": file, "notes": notes, "devices": self.devices,
            "rows": [self.row(tid) for tid in sorted(self.spans)], "strings": list(self.strings),
            "memory": [{"device": d, "title": "memory" if len(self.memory) < 2 else "memory %d" % d,
                        "ts": [round(t - self.start, 3) for t, _ in sorted(m)], "live": [n for _, n in sorted(m)]}
                       for d, m in sorted(self.memory.items())],
            "from": 0, "to": max(end - self.start, 1), "schedules": self.schedules,
            "errors": [{"name": name, "message": message, "n": len(ts), "ts": round(ts[0] - self.start, 3)}
                       for (name, message), ts in self.errors.items()],
            "added_up": [[*key, *sums] for key, sums in self.added_up.items()],
            "kernels": [{**k, "texts": None, "source": k["source"] is not None, "ops": sorted(k["ops"])} for k in self.kernels]}
        for i, k in enumerate(self.kernels):
            if k["source"] is not None:
                out["s%d" % i] = k["source"]
            if k["texts"]:
                out["p%d" % i] = k["texts"]
        out.update(("g%d" % i, g) for i, g in enumerate(self.graphs))
        return out


def shown(value):
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)[:200]


def pack(value):
    said = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return base64.b64encode(zlib.compress(said, 6)).decode()


def part(name):
    with open(os.path.join(PARTS, name), encoding="utf-8") as f:
        return f.read()


def page(file, elements):
    """The page, in pieces."""
    fill = {"TITLE": html.escape(file), "STYLE": part("viewer.css"), "MAIN": pack(elements.pop("main")),
            "SCRIPT": '(() => {\n"use strict";\n' + "\n".join(map(part, SCRIPTS)) + "})();"}
    for piece in part("viewer.html").split("@"):
        if piece == "TEXTS":
            for name, value in elements.items():
                yield '<script type="text/plain" id="%s">%s</script>\n' % (name, pack(value))
        else:
            yield fill.get(piece, piece)


def main(path, out=None):
    out = out or os.path.splitext(path)[0] + ".html"
    if os.path.abspath(out) == os.path.abspath(path):
        return "%s would be written over" % path
    trace, bad = Trace(), []
    with open(path, encoding="utf-8", errors="replace") as f:
        if f.read(4096).lstrip()[:1] in ("[", "{"):
            f.seek(0)
            trace.read(events_of_lines(f, bad, trace.is_dropped))
            if not trace.nevent:
                f.seek(0)
                trace.read(events_in_one_piece(f))
                bad = []
    if not trace.nevent:
        return "%s: no event of a trace in it" % path
    file = text(os.path.basename(path))
    elements = trace.packed(file, trace.notes(len(bad)))
    with open(out, "w", encoding="utf-8") as f:
        f.writelines(page(file, elements))
    print("%s: %d kernels, %d schedules, %d events, %.1f MB" %
          (out, len(trace.kernels), len(trace.schedules), trace.nevent, os.path.getsize(out) / 1e6))
    return None


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3 or sys.argv[1].startswith("-"):
        sys.exit(__doc__.strip())
    try:
        said = main(*sys.argv[1:])
    except OSError as e:
        said = "%s: %s" % (e.filename, e.strerror)
    sys.exit("trace.py: " + said if said else 0)
