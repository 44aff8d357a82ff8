// What all views share: the trace, what is chosen, colours, numbers as text, and canvases that zoom.
const $ = id => document.getElementById(id);
const dark = matchMedia("(prefers-color-scheme: dark)");
let trace;

// What is chosen. Indices are those of trace.kernels and trace.schedules; -1 and null: none. lit: all else is dimmed.
const state = {
  by: "label",
  kernel: -1,
  label: null,
  schedule: -1,
  step: -1,
  event: null,
  lit: false,
  view: "graph",
  list: "label",
  text: "source",
  query: "",
};
const views = []; // each is told of every change of the state
function change(what) {
  Object.assign(state, what);
  if (["kernel", "label", "step", "event"].some(key => key in what) && !("lit" in what)) state.lit = true;
  for (const view of views) view(what);
}

// ** packed texts **

// What trace.py has packed into the element of this name: zlib, base64. The end of the page may still be on its way.
const loaded = new Promise(done =>
  document.readyState === "loading" ? addEventListener("DOMContentLoaded", done) : done(),
);
const unpacked = new Map();
function unpack(id) {
  if (!unpacked.has(id)) {
    if (unpacked.size > 400) unpacked.delete(unpacked.keys().next().value);
    unpacked.set(id, inflate(id));
  }
  return unpacked.get(id);
}
async function inflate(id) {
  if (!$(id)) await loaded;
  if (!$(id)) return null;
  const text = atob($(id).textContent.trim()),
    bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  // Not by a Blob: another process would hand it back, and may fail when the machine is busy.
  const stream = new DecompressionStream("deflate"),
    writer = stream.writable.getWriter(),
    given = [writer.write(bytes), writer.close()];
  const said = await new Response(stream.readable).text();
  await Promise.all(given);
  return JSON.parse(said);
}

// ** words **

const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escape = text => String(text).replace(/[&<>"]/g, c => escapes[c]);
const plural = (n, noun) => n.toLocaleString("en") + " " + noun + (n === 1 ? "" : /[sc]h$/.test(noun) ? "es" : "s");

// 3 digits and a unit: scaled(1234, 1000, ["", "k"]) is 1.23 k.
function scaled(value, base, units) {
  let unit = 0;
  while (Math.abs(value) >= base && unit < units.length - 1) {
    value /= base;
    unit++;
  }
  const digits = Math.abs(value) >= 100 || (unit === 0 && Number.isInteger(value)) ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toFixed(digits) + (units[unit] ? " " + units[unit] : "");
}
const bytes = n => scaled(n, 1024, ["B", "KB", "MB", "GB", "TB"]);
const count = n => scaled(n, 1000, ["", "k", "M", "G", "T", "P"]);
function time(us) {
  if (us === 0) return "0";
  return Math.abs(us) < 1 ? scaled(us * 1000, 1000, ["ns"]) : scaled(us, 1000, ["µs", "ms", "s"]);
}
const rate = (n, us) => (us > 0 ? n / us / 1000 : 0); // of operations or bytes: G in a second
const shortRate = x =>
  x >= 99.5 ? x.toFixed(0) : x >= 9.95 ? x.toFixed(1) : x >= 0.005 ? x.toFixed(2) : x > 0 ? "<0.01" : "";
const percent = x => (100 * x).toFixed(x >= 0.0995 || x === 0 ? 0 : 1) + " %";

// ** colours **

// Who takes most time gets the first hues; they lie a golden angle apart, and pale behind the twentieth.
const ranks = { label: new Map(), kernel: new Map() };
function colourOfRank(rank, strength) {
  if (rank === undefined) return dark.matches ? "oklch(0.63 0.015 255)" : "oklch(0.8 0.015 255)";
  const hue = (258 + rank * 137.508) % 360,
    chroma = (rank < 20 ? 0.125 : 0.06) * (strength || 1);
  return `oklch(${dark.matches ? 0.73 : 0.79} ${chroma} ${hue.toFixed(1)})`;
}
const coloured = new Map();
function colour(kernel, label) {
  const by = state.by,
    key = by === "label" ? label || "" : kernel;
  if (by === "label" && !key) return colourOfRank(undefined);
  const name = by + key;
  if (!coloured.has(name)) coloured.set(name, colourOfRank(ranks[by].get(key) ?? 30));
  return coloured.get(name);
}
const css = name =>
  (styles[name] ??= getComputedStyle(document.documentElement)
    .getPropertyValue("--" + name)
    .trim());
let styles = {};
dark.addEventListener("change", () => {
  styles = {};
  coloured.clear();
  change({});
});

// ** canvases **

// A canvas that is drawn when something changes. The view gives draw(c, w, h), and what of these it has: drag(dx, dy),
// zoom(factor, x, y), scroll(dx, dy), hit(x, y) -> thing or null, describe(thing) -> HTML, pick(thing), fit(), key(event) -> handled.
function pane(canvas, view) {
  const c = canvas.getContext("2d");
  let asked = false,
    held = null,
    moved = false;
  const self = {
    width: 0,
    height: 0,
    canvas,
    draw() {
      if (asked) return;
      asked = true;
      requestAnimationFrame(self.now);
    },
    now() {
      asked = false;
      const w = canvas.clientWidth,
        h = canvas.clientHeight,
        scale = devicePixelRatio || 1;
      if (!w || !h || !trace) return;
      if (canvas.width !== Math.round(w * scale) || canvas.height !== Math.round(h * scale)) {
        canvas.width = Math.round(w * scale);
        canvas.height = Math.round(h * scale);
      }
      self.width = w;
      self.height = h;
      c.setTransform(scale, 0, 0, scale, 0, 0);
      c.clearRect(0, 0, w, h);
      c.textBaseline = "middle";
      view.draw(c, w, h);
    },
  };
  const at = e => {
    const r = canvas.getBoundingClientRect();
    return [e.clientX - r.left, e.clientY - r.top];
  };
  canvas.addEventListener("pointerdown", e => {
    held = at(e);
    moved = false;
    canvas.setPointerCapture(e.pointerId);
    tip(null);
  });
  canvas.addEventListener("pointermove", e => {
    const [x, y] = at(e);
    if (held) {
      if (!moved && Math.hypot(x - held[0], y - held[1]) < 4) return;
      moved = true;
      canvas.classList.add("held");
      view.drag(x - held[0], y - held[1]);
      held = [x, y];
      return self.draw();
    }
    const thing = view.hit(x, y);
    canvas.classList.toggle("over", !!thing);
    tip(thing && view.describe(thing), e.clientX, e.clientY);
    view.over?.(thing);
  });
  canvas.addEventListener("pointerup", e => {
    const clicked = held && !moved,
      [x, y] = at(e);
    held = null;
    canvas.classList.remove("held");
    if (clicked) {
      const thing = view.hit(x, y);
      if (thing) view.pick(thing);
      else view.pickNothing?.();
    }
  });
  canvas.addEventListener("pointercancel", () => {
    held = null; // a touch that scrolls the page
    canvas.classList.remove("held");
  });
  canvas.addEventListener("pointerleave", () => {
    tip(null);
    view.over?.(null);
  });
  canvas.addEventListener("dblclick", () => {
    view.fit();
    self.draw();
  });
  canvas.addEventListener(
    "wheel",
    e => {
      e.preventDefault();
      const unit = e.deltaMode === 1 ? 18 : 1,
        [x, y] = at(e);
      tip(null);
      if (e.shiftKey) view.drag(0, -(e.deltaY || e.deltaX) * unit);
      else if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) view.drag(-e.deltaX * unit, 0);
      else view.zoom(Math.exp(-e.deltaY * unit * 0.0022), x, y);
      self.draw();
    },
    { passive: false },
  );
  canvas.addEventListener("keydown", e => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const w = self.width,
      h = self.height;
    if (view.key?.(e)) {
      /* it has done it */
    } else if (e.key === "+" || e.key === "=" || e.key === "w") view.zoom(1.4, w / 2, h / 2);
    else if (e.key === "-" || e.key === "s") view.zoom(1 / 1.4, w / 2, h / 2);
    else if (e.key === "0") view.fit();
    else if (e.key === "ArrowLeft" || e.key === "a") view.drag(w / 8, 0);
    else if (e.key === "ArrowRight" || e.key === "d") view.drag(-w / 8, 0);
    else if (e.key === "ArrowUp") view.drag(0, h / 8);
    else if (e.key === "ArrowDown") view.drag(0, -h / 8);
    else return;
    e.preventDefault();
    self.draw();
  });
  new ResizeObserver(() => self.now()).observe(canvas);
  return self;
}

function tip(html, x, y) {
  const e = $("tip");
  e.hidden = !html;
  if (!html) return;
  e.innerHTML = html;
  const w = e.offsetWidth,
    h = e.offsetHeight;
  e.style.left = Math.max(4, x + 16 + w > innerWidth ? x - w - 12 : x + 16) + "px";
  e.style.top = Math.max(4, y + 18 + h > innerHeight ? y - h - 12 : y + 18) + "px";
}
const say = text => {
  $("said").textContent = text;
};

// The text, cut so that it fits into so many pixels.
const widths = new Map();
function widthOf(c, text) {
  const key = c.font + text;
  if (widths.size > 20000) widths.clear();
  return widths.get(key) ?? widths.set(key, c.measureText(text).width).get(key);
}
function fitted(c, text, room) {
  const width = widthOf(c, text),
    n = Math.floor((text.length * room) / width) - 1;
  return width <= room ? text : n < 2 ? "" : text.slice(0, n) + "…";
}

// The first index of [0, n) at which the test holds; n: at none.
function firstIndex(n, test) {
  let low = 0,
    high = n;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (test(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
