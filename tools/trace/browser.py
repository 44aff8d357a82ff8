#!/usr/bin/env python3
"""browser: headless Chromium by its DevTools protocol, over a pipe: what the viewer's test and its pictures need.

  tools/trace/browser.py PAGE.html[#CHOICE] OUT.png [--size 1600x1000] [--light]     a picture of the page
"""
import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

NAMES = ["chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser", "google-chrome",
         "/Applications/Chromium.app/Contents/MacOS/Chromium", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"]
FLAGS = ["--headless", "--disable-gpu", "--no-sandbox", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
         "--disable-background-networking", "--hide-scrollbars", "--font-render-hinting=none"]


def find():
    """The program, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None) if os.name == "posix" else None


class Browser:
    """One page. Protocol messages end in a zero byte; the browser reads file 3 and writes file 4."""

    def __init__(self, size=(1600, 1000), dark=True, scale=1):
        self.folder = tempfile.mkdtemp()
        down, up = os.pipe(), os.pipe()

        def files():                                       # 3 and 4, whatever numbers the pipes have
            ends = [os.dup(down[0]), os.dup(up[1])]
            safe = [os.dup2(end, 60 + i) for i, end in enumerate(ends)]
            for i, end in enumerate(safe):
                os.dup2(end, 3 + i, inheritable=True)
        self.process = subprocess.Popen([find(), *FLAGS, "--remote-debugging-pipe", "--user-data-dir=" + self.folder, "about:blank"],
                                        preexec_fn=files, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(down[0])
        os.close(up[1])
        self.to, self.back, self.waiting, self.number = down[1], up[0], b"", 0
        self.errors, self.seen, self.session = [], [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.size(*size, scale)
        self.dark(dark)

    def size(self, width, height, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)

    def dark(self, dark):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def read(self):
        """The next message. What the page complains about is kept."""
        while b"\0" not in self.waiting:
            ready = select.select([self.back], [], [], 60)[0]
            more = os.read(self.back, 1 << 20) if ready else b""
            if not more:
                raise RuntimeError("the browser has ended")
            self.waiting += more
        said, self.waiting = self.waiting.split(b"\0", 1)
        said = json.loads(said)
        method, p = said.get("method"), said.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(p["exceptionDetails"].get("exception", {}).get("description") or p["exceptionDetails"]["text"])
        elif method == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
            self.errors.append(" ".join(str(a.get("value", a.get("description"))) for a in p["args"]))
        elif method == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
            self.errors.append(p["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.seen.append(p["request"]["url"])
        return said

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params, **({"sessionId": self.session} if self.session else {})}
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        while True:
            said = self.read()
            if said.get("id") == self.number:
                if "error" in said:
                    raise RuntimeError(method + ": " + said["error"]["message"])
                return said["result"]

    def js(self, expression):
        """The value of an expression, awaited."""
        said = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in said:
            raise RuntimeError(said["exceptionDetails"].get("exception", {}).get("description", "an exception"))
        return said["result"].get("value")

    def until(self, expression, seconds=20):
        """Waits until it holds; says whether it does."""
        end = time.time() + seconds
        while not self.js(expression):
            if time.time() > end:
                return False
            time.sleep(0.02)
        return True

    def open(self, address, seconds=60):
        """True when the viewer has drawn."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=address)
        return self.until("document.documentElement?.dataset.drawn !== undefined", seconds)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)

    def drag(self, x, y, to_x, to_y):
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        for i in range(1, 5):
            self.mouse("mouseMoved", x + (to_x - x) * i / 4, y + (to_y - y) * i / 4, button="left")
        self.mouse("mouseReleased", to_x, to_y, button="left", clickCount=1)

    def key(self, key):
        more = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def picture(self, path):
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        for end in (self.to, self.back):
            os.close(end)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def main(words):
    size = words[words.index("--size") + 1] if "--size" in words else "1600x1000"
    page, _, choice = words[0].partition("#")
    browser = Browser(tuple(map(int, size.split("x"))), "--light" not in words)
    try:
        if not browser.open("file://" + os.path.abspath(page) + ("#" + choice if choice else "")):
            return "%s does not draw: %s" % (page, browser.errors)
        time.sleep(0.5)                                    # texts follow
        browser.picture(words[1])
        print("%s: drawn in %s ms" % (words[1], browser.js("document.documentElement.dataset.drawn")), *browser.errors, sep="\n")
    finally:
        browser.close()
    return None


if __name__ == "__main__":
    if len(sys.argv) < 3 or not find():
        sys.exit(__doc__.strip() if find() else "there is no Chromium")
    sys.exit(main(sys.argv[1:]))
