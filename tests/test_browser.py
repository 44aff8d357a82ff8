#!/usr/bin/env python3
"""browser: the library as WebAssembly, by emscripten: the header without a warning, as C and C++, with threads and
without; tests of rooms in node, the same values as everywhere; the page of examples/browser in headless Chromium: it
learns, digits are drawn by the mouse, and what it reads is looked at.

  tests/test_browser.py [ROOM...]          these rooms' tests alone, in node: test_browser.py elementwise grad

TEST_BRIEF: one test in node, three digits before training is over. Without emscripten nothing is tested, and without
Chromium not the page; that is said.
"""
import functools
import http.server
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORK = os.path.join(ROOT, "build", "browser")
BRIEF = bool(os.environ.get("TEST_BRIEF"))
WARN = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wno-sign-conversion", "-Wshadow", "-Werror"]
ROOMS = ["elementwise"] if BRIEF else ["elementwise", "grad", "uop", "eval", "memory", "io", "norm", "optim"]
counts = {True: 0, False: 0}


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, os.path.join(ROOT, path))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


browser = load("browser", "tools/trace/browser.py")


def check(ok, what, said=""):
    counts[bool(ok)] += 1
    if not ok:
        print("failed: %s\n%s" % (what, said))
    return ok


def run(*words, **env):
    """Status, and what it said."""
    env = {**os.environ, "NODE_PATH": os.environ.get("NODE_PATH", "/usr/share/nodejs"), **env}
    p = subprocess.run(words, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    return p.returncode, p.stdout


# ** the header **

def test_header():
    for words in (["-std=c11"], ["-std=c11", "-pthread"], ["-x", "c++", "-std=c++17"], ["-std=gnu11", "-DTINY_NO_DISK"]):
        kind = [] if "-x" in words else ["-x", "c"]
        code, said = run("emcc", *kind, *words, *WARN, "-I.", "-fsyntax-only", "-DTINY_IMPLEMENTATION", "-include", "tiny.h",
                         os.path.join(WORK, "empty.c"))
        check(code == 0 and not said, "the header, " + " ".join(words), said)


# ** tests of rooms, in node **

# The environment is the host's, files are the host's; a stack as small as newer releases of emscripten make it, guarded.
FLAGS = ["-std=c11", "-O1", "-w", "-I.", "-DTN_VERIFY_PASSES=1", "-sNODERAWFS=1", "-sEXIT_RUNTIME=1", "-sALLOW_MEMORY_GROWTH=1",
         "-sTOTAL_STACK=65536", "-sSTACK_OVERFLOW_CHECK=2"]
PRE = "Module.preRun = [() => Object.assign(ENV, process.env)];\n"


def test_room(room):
    """Builds tests/test_ROOM.c, and adds what it counts."""
    out, pre = os.path.join(WORK, "test_%s.js" % room), os.path.join(WORK, "pre.js")
    with open(pre, "w", encoding="utf-8") as f:
        f.write(PRE)
    code, said = run("emcc", *FLAGS, "--pre-js", pre, '-DTEST_PROGRAM="%s"' % out, "tests/test_%s.c" % room, "-o", out)
    if not check(code == 0, "test_%s is built" % room, said[-2000:]):
        return
    node = ["node"] + ["--no-experimental-fetch"] * (run("node", "--no-experimental-fetch", "-e", "")[0] == 0)
    code, said = run(*node, out, TEST_BRIEF="1", TINY_DEV="INTERP")
    found = re.findall(r"^(\d+) passed, (\d+) failed$", said, re.M)
    passed, failed = map(int, found[-1]) if found else (0, 1)
    print("%s in node: %d passed, %d failed" % (room, passed, failed))
    counts[True] += passed
    counts[False] += failed
    if failed or code:
        print(said[-2000:])


# ** the page **

# Digits as strokes of points in a square of 1; those who wrote the data draw a seven with a bar.
DIGITS = {
    0: [[(.5, .15), (.3, .25), (.25, .5), (.3, .75), (.5, .85), (.7, .75), (.75, .5), (.7, .25), (.5, .15)]],
    1: [[(.5, .1), (.5, .9)]],
    2: [[(.3, .3), (.4, .15), (.6, .15), (.7, .3), (.6, .5), (.4, .7), (.3, .85), (.75, .85)]],
    3: [[(.3, .2), (.5, .12), (.7, .25), (.6, .42), (.45, .48), (.65, .55), (.72, .7), (.55, .87), (.3, .8)]],
    4: [[(.45, .1), (.25, .55), (.75, .55)], [(.6, .35), (.6, .9)]],
    5: [[(.7, .12), (.35, .12), (.33, .45), (.55, .42), (.7, .6), (.6, .82), (.3, .85)]],
    6: [[(.6, .1), (.4, .3), (.3, .6), (.4, .85), (.6, .85), (.68, .7), (.6, .55), (.4, .58), (.32, .7)]],
    7: [[(.25, .15), (.75, .15), (.55, .5), (.45, .9)], [(.35, .5), (.75, .5)]],
    8: [[(.5, .48), (.35, .35), (.4, .15), (.6, .15), (.65, .33), (.5, .48), (.32, .65), (.4, .87), (.6, .87), (.68, .66), (.5, .48)]],
    9: [[(.68, .35), (.5, .5), (.35, .4), (.35, .2), (.55, .12), (.68, .25), (.66, .55), (.6, .9)]],
}


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def draw(b, digit):
    x, y, w, h = b.js("(r => [r.x, r.y, r.width, r.height])(document.getElementById('pad').getBoundingClientRect())")
    b.js("document.getElementById('clear').click()")
    for stroke in DIGITS[digit]:
        points = [(x + w * u, y + h * v) for u, v in stroke]
        b.mouse("mousePressed", *points[0], button="left", clickCount=1)
        for (ax, ay), (bx, by) in zip(points, points[1:]):
            for i in range(1, 4):
                b.mouse("mouseMoved", ax + (bx - ax) * i / 3, ay + (by - ay) * i / 3, button="left", buttons=1)
        b.mouse("mouseReleased", *points[-1], button="left", clickCount=1)


def reading(b):
    """What the page names, two frames after all that was done."""
    b.js("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return b.js("document.getElementById('read').textContent")


def test_page():
    code, said = run("make", "-s", "page")
    if not check(code == 0, "the page is built", said[-2000:]):
        return
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=WORK))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    b = browser.Browser((900, 900))
    try:
        check(b.open("http://127.0.0.1:%d/index.html" % server.server_port, 120), "the page opens", b.errors)
        text = "document.getElementById('%s').textContent"
        check(reading(b) == "·", "nothing is drawn, nothing is read")
        wanted = "parseFloat(%s) >= 90" % (text % "accuracy") if BRIEF else "document.documentElement.dataset.drawn === 'trained'"
        check(b.until(wanted + " || Module._page_status(page)", 600), "it learns", b.js(text % "said"))
        for digit in (0, 2, 5) if BRIEF else DIGITS:
            draw(b, digit)
            said = reading(b)
            check(said == str(digit), "a drawn %d is read" % digit, "read: " + said)
        if not BRIEF:
            check(b.js("parseFloat(%s)" % (text % "accuracy")) >= 95, "95 % of the test digits are right", b.js(text % "accuracy"))
        how = "compiled"
        check(b.js(text % "kernels") == how, "kernels are " + how, b.js(text % "kernels"))
        check(not b.errors, "the console is empty", b.errors)
        check(b.js("Module._page_status(page)") == 0, "no error", b.js(text % "said"))
        print("the page: %.0f KB of wasm; %s steps, %s right, a step %s, kernels are %s. %s" % (
            os.path.getsize(os.path.join(WORK, "page.wasm")) / 1e3,
            *(b.js(text % name) for name in ("steps", "accuracy", "took", "kernels", "said"))))
    finally:
        b.close()
        server.shutdown()


def main(rooms):
    if not shutil.which("emcc") or not shutil.which("node"):
        print("skipped: there is no emcc, or no node, here")
        return
    os.makedirs(WORK, exist_ok=True)
    open(os.path.join(WORK, "empty.c"), "w", encoding="utf-8").close()
    if not rooms:
        test_header()
    for room in rooms or ROOMS:
        test_room(room)
    if not rooms and browser.find():
        test_page()
    elif not rooms:
        print("the page is left out: there is no Chromium")


if __name__ == "__main__":
    main(sys.argv[1:])
    print("%d passed, %d failed" % (counts[True], counts[False]))
    sys.exit(counts[False] > 0)
