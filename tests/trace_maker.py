#!/usr/bin/env python3
"""Writes a trace as tiny.h does, of a network that there is none of: a chain of layers, some runs of it.

  tests/trace_maker.py OUT.json [--kernels N] [--passes N] [--lines N] [--nodes N] [--runs N]

Everything in it follows from these numbers: what a page shows of it can be counted.
"""
import json
import random
import re
import sys

DEFAULTS = {"kernels": 40, "passes": 8, "lines": 60, "nodes": 400, "runs": 6}
PASSES = ["scheduled", "algebra", "collapse", "opts", "bounds", "stages", "copies", "groups", "lanes", "transposes", "accumulators",
          "specials", "ends", "halves", "decompositions", "algebra", "gates", "masked", "reductions", "program"]
OPS = ["ADD", "MUL", "REDUCE", "EXPAND", "RESHAPE", "PERMUTE", "WHERE", "EXP2", "CAST", "PAD"]
THREADS = 4


def key_of(k):
    return "%016x" % ((k + 1) * 0x9E3779B97F4A7C15 % 2**64)


def name_of(k):
    return "r_%d_%d_%d" % (8 + k % 7, 64 + k, 4 * (1 + k % 5))


def label_of(k):
    return "layer%d.%s" % (k // 4 + 1, ["conv", "norm", "relu", "pool"][k % 4])


def source_of(k):
    body = "".join("    const vec16f x%d = load16(in1 + (i * %d + %d)), s%d = x%d * %d.5f + s%d;   // part %d\n" %
                   (i, 64 + k, 16 * i, i + 1, i, i + 1, i, i) for i in range(24))
    return ("#include <stdint.h>\ntypedef float vec16f __attribute__((vector_size(64)));\n"
            "void %s(float *restrict out0, const float *in1, const float *in2, long task) {\n  /* kernel number %d */\n"
            "  for (int i = 0; i < %d; i++) {\n%s    if (i < %d) out0[i] = s24[0] * 0.125f;\n  }\n}\n"
            % (name_of(k), k, 64 + k, body, 60 + k))


def first_text(k, lines, rng):
    out = ["%%1 = (RANGE:%d:loop %d)" % (1 + k % 9, 64 + k)]
    for i in range(2, lines):
        out.append("%%%d = (%s:f32 (LOAD:f32 (INDEX:f32 (PARAM:f32:%d %d) %%1)) (MUL:f32 %%%d %d.5:f32))" %
                   (i, OPS[rng.randrange(3)], rng.randrange(3), 1024 + k, rng.randrange(1, i), i))
    return out + ["(SINK (END (STORE %%%d %%%d) %%1))" % (lines - 1, lines - 2)]


def texts_of(k, passes, lines):
    """Each pass changes a line in eight of what the one before it has written; the last one numbers names anew."""
    rng = random.Random(k)
    text = first_text(k, lines, rng)
    for p in range(passes):
        if p == passes - 1:
            text = [re.sub(r"%(\d+)", lambda m: "%%%d" % (int(m[1]) + 100), line) for line in text]
        elif p:
            for at in rng.sample(range(1, lines - 1), lines // 8):
                text[at] = text[at].replace(":f32 (", ":f32x%d (" % (2 << p % 4), 1) if p % 3 else text[at] + " %d:i32" % p
            text[0] = "%%1 = (RANGE:%d:vector %d)" % (p, 64 + k)
        yield ("program" if p == passes - 1 else PASSES[p % 19]), "\n".join(text) + "\n"


def events(kernels, passes, lines, nodes, runs):
    def event(ph, cat, name, ts, tid=0, **more):
        return {"ph": ph, "ts": round(ts, 3), "pid": 1, "tid": tid, "name": name, "cat": cat, **more}

    def meta(kind, tid, **args):
        return {"ph": "M", "ts": 0, "pid": 1, "tid": tid, "name": kind, "cat": "meta", "args": args}

    rng, now = random.Random(1), 100.0
    yield meta("process_name", 0, name="tiny.h 0.1.0")
    yield meta("tiny", 0, version="0.1.0", devices=[{"name": "CPU", "title": "A processor of %d threads" % THREADS, "gflops": 300, "gbps": 40}])
    yield meta("thread_name", 0, name="host")
    yield meta("thread_name", 1, name="CPU")
    for i in range(THREADS):
        yield meta("thread_name", 100 + i, name="thread %d" % i)

    # The graph as it was asked for, without kernels; as it was rewritten, with them: the same chain with side branches.
    def graph(count, stage, known):
        made = []
        for i in range(count):
            step = i * kernels // count
            src = [] if i == 0 else [i - 1] if i % 7 else [i - 1, max(0, i - 5)]
            made.append({"id": 10 + i, "op": "BUFFER" if not src else OPS[i % len(OPS)], "dtype": "f32", "shape": [64, 32 + step % 9], "src": [10 + s for s in src],
                         "label": label_of(step), **({"kernel": step} if known and src else {}), **({"arg": "axes=%d" % (i % 3)} if i % 10 == 2 else {})})
        return event("i", "graph", "graph", now, s="t", args={"schedule": 7, "stage": stage, "nodes": made})
    yield graph(nodes + nodes // 4, "asked", False)
    yield graph(nodes, "rewritten", True)

    for k in range(kernels):
        now += 3
        for name, text in texts_of(k, passes, lines):
            yield event("i", "pass", name, now, s="t", args={"kernel": key_of(k), "name": name_of(k), "text": text})
    yield event("X", "host", "lower", 100, dur=now - 100, args={"schedule": 7})
    yield event("X", "host", "compile", now, dur=5000, args={"kernels": kernels})
    now += 5000
    sizes = [(1 + k % 5) * 65536 for k in range(kernels)]
    for k in range(kernels):
        yield event("i", "kernel", name_of(k), now, s="t", args={
            "kernel": key_of(k), "opts": "TASK 0:8, LANE 1:16, UPCAST 0:%d" % (1 + k % 6), "source": source_of(k), "flops": 40 * sizes[k], "nbytes": 2 * sizes[k],
            "global": [8, 1, 1], "local": [1, 1, 1], "tasks": 8, "from": "compiled"})
    # Place 0 is the input, k + 1 what kernel k writes, the last one the output; each lives for three steps.
    places = [{"kind": "leaf", "device": 0, "nbytes": 65536, "first": 0, "last": 0}]
    offset = [0, 5 * 65536, 10 * 65536, 15 * 65536]
    for k in range(kernels):
        places.append({"kind": "temp" if k < kernels - 1 else "output", "device": 0, "nbytes": sizes[k], "offset": offset[k % 4], "first": k,
                       "last": min(k + 2, kernels - 1)})
    steps = [{"name": name_of(k), "kernel": key_of(k), "label": label_of(k), "device": 0, "mem": [k + 1, k] + ([k - 1] if k % 3 == 2 else []), "copies": 0, "times": 1}
             for k in range(kernels)]
    yield event("i", "schedule", "schedule", now, s="t", args={"schedule": 7, "stage": "planned", "steps": steps, "places": places, "arena": [20 * 65536]})

    for run in range(runs):
        begin = now
        for k in range(kernels):
            us = 40 * sizes[k] / (40000 + 200000 * rng.random())
            yield event("X", "launch", name_of(k), now, 1, dur=round(us, 3), args={
                "kernel": key_of(k), "label": label_of(k), "schedule": 7, "step": k, "run": run, "flops": 40 * sizes[k], "nbytes": 2 * sizes[k]})
            for i in range(THREADS):
                part = us * (0.7 + 0.3 * rng.random())
                yield event("X", "worker", name_of(k), now, 100 + i, dur=round(part, 3), args={"kernel": key_of(k), "tasks": 2})
            now += us + 0.8
        yield event("X", "host", "run", begin, dur=round(now - begin, 3), args={"schedule": 7})
        yield event("C", "memory", "memory 0", now, args={"live": 20 * 65536 + 65536 * (run % 3)})
        now += 30


def write(path, **sizes):
    with open(path, "w", encoding="utf-8") as f:
        f.write("[\n")
        f.writelines(json.dumps(e, separators=(",", ":")) + ",\n" for e in events(**{**DEFAULTS, **sizes}))
        f.write('{"ph":"M","ts":0,"pid":1,"tid":0,"name":"end","cat":"meta","args":{}}\n]\n')


if __name__ == "__main__":
    words = sys.argv[2:]
    write(sys.argv[1], **{words[i].lstrip("-"): int(words[i + 1]) for i in range(0, len(words), 2)})
