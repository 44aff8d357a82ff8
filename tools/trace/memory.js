// The memory plan of a schedule: a place is a rectangle, as wide as the steps it lives and as high as it is long, at its
// offset in the arena of its device. Above it the bytes that live at each step.
const LIVE = 54,
  AXIS = 20,
  LEFT = 72;
const memory = { from: 0, to: 1, bands: [], rects: [], live: [], most: 0, steps: 0, over: null };

// Bands lie above each other, on one scale: an arena for each device, then, if wanted, what is no part of it.
function layMemory() {
  const schedule = trace.schedules[state.schedule],
    all = $("all-places").checked;
  Object.assign(memory, { bands: [], rects: [], live: [], most: 0, steps: 0, over: null });
  if (!schedule) return;
  const { places, steps } = schedule,
    live = new Float64Array(steps.length + 1),
    users = places.map(() => []);
  steps.forEach((step, i) => step.mem.forEach((place, k) => users[place]?.push({ step: i, writes: k === 0 })));
  let bottom = 0;
  const devices = [...new Set(places.map(p => p.device))].sort();
  for (const device of devices) {
    const name = devices.length > 1 ? " " + device : "";
    const temps = places.filter(p => p.kind === "temp" && p.device === device);
    const size = Math.max(schedule.arena[device] || 0, ...temps.map(p => p.offset + p.nbytes), 0);
    if (size) memory.bands.push({ title: "arena" + name, from: bottom, size });
    for (const place of temps) addPlace(place, bottom + place.offset);
    bottom += size;
    const others = all ? places.filter(p => p.kind !== "temp" && p.device === device) : [];
    const from = bottom;
    for (const place of others) {
      addPlace(place, bottom);
      bottom += place.nbytes;
    }
    if (bottom > from) memory.bands.push({ title: "in, out" + name, from, size: bottom - from });
  }
  function addPlace(place, low) {
    const index = places.indexOf(place),
      used = users[index],
      writer = used.find(u => u.writes)?.step ?? -1;
    const first = Math.max(0, place.first),
      last = Math.max(first, Math.min(place.last, steps.length - 1));
    memory.rects.push({ place, index, low, first, last, writer, used });
    if (place.kind !== "temp") return;
    live[first] += place.nbytes;
    live[last + 1] -= place.nbytes;
  }
  let sum = 0;
  for (let i = 0; i < steps.length; i++) {
    sum += live[i];
    memory.live.push(sum);
    memory.most = Math.max(memory.most, sum);
  }
  memory.steps = steps.length;
  $("memory").dataset.places = memory.rects.length;
  memory.size = bottom || 1;
  memory.rects.sort((a, b) => a.first - b.first);
  fitMemory();
}
const fitMemory = () => {
  memory.from = 0;
  memory.to = Math.max(1, memory.steps);
};

function drawMemory(c, w, h) {
  const schedule = trace.schedules[state.schedule];
  c.font = "12px " + css("sans");
  if (!schedule || !memory.rects.length) {
    c.fillStyle = css("dim");
    c.fillText(schedule ? "This schedule needs no memory of its own." : "The trace has no schedule.", 20, 30);
    return;
  }
  const scale = (w - LEFT - 12) / (memory.to - memory.from),
    x = step => LEFT + (step - memory.from) * scale;
  const top = LIVE + 14,
    room = h - top - AXIS,
    y = bytes => top + room - (room * bytes) / memory.size;
  c.save();
  c.beginPath();
  c.rect(LEFT, 0, w - LEFT, h);
  c.clip();
  if (state.step >= 0) {
    c.fillStyle = css("chosen");
    c.fillRect(x(state.step), 0, Math.max(scale, 1), h - AXIS);
  }
  for (const r of memory.rects) {
    const left = x(r.first),
      right = x(r.last + 1),
      high = y(r.low + r.place.nbytes),
      height = y(r.low) - high,
      step = schedule.steps[r.writer];
    if (right < LEFT || left > w) continue;
    const lit = state.step < 0 || !state.lit || r.used.some(u => u.step === state.step);
    c.globalAlpha = lit || r === memory.over ? 1 : 0.42;
    c.fillStyle = step ? colour(step.kernel, step.label) : colourOfRank(undefined);
    const width = Math.max(1, right - left - (scale > 3 ? 1 : 0)),
      tall = Math.max(0.7, height - (height > 3 ? 1 : 0));
    if (tall > 5 && width > 5) {
      c.beginPath();
      c.roundRect(left, high, width, tall, 2.5);
      c.fill();
    } else c.fillRect(left, high, width, tall);
    if (r === memory.over) {
      c.strokeStyle = css("text");
      c.lineWidth = 1.5;
      c.strokeRect(left, high, width, tall);
    }
    if (tall > 13 && width > 40) {
      c.fillStyle = "#11151a";
      c.font = "11px " + css("sans");
      c.fillText(
        fitted(
          c,
          (step?.label || step?.name || r.place.kind) + "  " + bytes(r.place.nbytes),
          Math.min(right, w) - Math.max(left, LEFT) - 10,
        ),
        Math.max(left, LEFT) + 5,
        high + tall / 2 + 0.5,
      );
    }
  }
  c.globalAlpha = 1;
  drawLive(c, x, scale);
  c.restore();
  c.fillStyle = css("dim");
  c.font = "11px " + css("sans");
  c.textAlign = "right";
  c.fillText(bytes(memory.most), LEFT - 8, 12);
  c.fillText("live", LEFT - 8, 27);
  for (const band of memory.bands) {
    c.fillText(bytes(band.size), LEFT - 8, y(band.from + band.size) + 8);
    c.fillText("0", LEFT - 8, y(band.from) - 6);
    if (y(band.from) - y(band.from + band.size) > 44) c.fillText(band.title, LEFT - 8, y(band.from + band.size) + 23);
  }
  c.textAlign = "left";
  c.strokeStyle = css("line");
  c.beginPath();
  for (const band of memory.bands)
    for (const at of [band.from, band.from + band.size]) {
      c.moveTo(LEFT - 4, Math.round(y(at)) + 0.5);
      c.lineTo(w, Math.round(y(at)) + 0.5);
    }
  c.stroke();
  const every = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find(k => k * scale >= 56) ?? 10000;
  for (let s = Math.ceil(Math.max(0, memory.from) / every) * every; s < Math.min(memory.to, memory.steps); s += every)
    if (x(s) >= LEFT - 4)
      c.fillText(s === 0 || (every === 1 && s === Math.ceil(memory.from)) ? "step " + s : s, x(s) + 3, h - 9);
}
function drawLive(c, x, scale) {
  c.beginPath();
  c.moveTo(x(0), LIVE);
  memory.live.forEach((n, i) => {
    const y = LIVE - ((LIVE - 8) * n) / (memory.most || 1);
    c.lineTo(x(i), y);
    c.lineTo(x(i) + scale, y);
  });
  c.lineTo(x(memory.steps), LIVE);
  c.closePath();
  c.globalAlpha = 0.22;
  c.fillStyle = css("accent");
  c.fill();
  c.globalAlpha = 1;
  c.strokeStyle = css("accent");
  c.lineWidth = 1.2;
  c.stroke();
}
function hitMemory(px, py) {
  const scale = (memoryPane.width - LEFT - 12) / (memory.to - memory.from),
    step = memory.from + (px - LEFT) / scale,
    top = LIVE + 14;
  if (px < LEFT || !memory.steps || step < 0 || step >= memory.steps) return null;
  if (py < LIVE) return { step: Math.floor(step) };
  const room = memoryPane.height - top - AXIS,
    bytes = ((top + room - py) / room) * memory.size;
  const rect = memory.rects.find(
    r => step >= r.first && step < r.last + 1 && bytes >= r.low && bytes < r.low + r.place.nbytes,
  );
  return rect ? { step: Math.floor(step), rect } : null;
}
const stepTitle = (schedule, i) => `step ${i}: ${escape(schedule.steps[i].label || schedule.steps[i].name)}`;
function describeMemory({ step, rect }) {
  const schedule = trace.schedules[state.schedule];
  if (!rect) return `<b>${stepTitle(schedule, step)}</b>${bytes(memory.live[step])} live`;
  const { place, used } = rect,
    list = writes => {
      const at = used.filter(u => u.writes === writes).map(u => u.step);
      return (
        at
          .slice(0, 3)
          .map(i => stepTitle(schedule, i))
          .join("<br>") + (at.length > 3 ? ` and ${at.length - 3} more` : "")
      );
    };
  const offset = place.kind === "temp" ? ` <span>at ${place.offset.toLocaleString("en")}</span>` : "";
  return (
    `<b>${place.kind === "temp" ? "place" : place.kind} ${rect.index}: ${bytes(place.nbytes)}${offset}</b>` +
    `lives from step ${rect.first} to ${rect.last}<br><span>written by</span> ${list(true) || "nobody"}<br><span>read by</span> ${list(false) || "nobody"}`
  );
}
function pickStep(step) {
  const schedule = trace.schedules[state.schedule],
    s = schedule?.steps[step];
  if (!s) return;
  change({ step, kernel: s.kernel, label: null, event: null });
  say(stepTitle(schedule, step));
}
const memoryPane = pane($("memory"), {
  draw: drawMemory,
  hit: hitMemory,
  describe: describeMemory,
  fit: fitMemory,
  pick: ({ step, rect }) => pickStep(rect && rect.writer >= 0 ? rect.writer : step),
  pickNothing: () => change({ step: -1, lit: false }),
  over(thing) {
    const over = thing?.rect ?? null;
    if (over !== memory.over) {
      memory.over = over;
      memoryPane.draw();
    }
  },
  drag(dx) {
    const steps = (dx / (memoryPane.width - LEFT - 12)) * (memory.to - memory.from);
    memory.from -= steps;
    memory.to -= steps;
  },
  zoom(factor, px) {
    const { from, to } = memory,
      part = Math.max(0, (px - LEFT) / (memoryPane.width - LEFT - 12)),
      at = from + part * (to - from);
    const span = Math.min(Math.max((to - from) / factor, 2), memory.steps * 2 + 2);
    memory.from = at - part * span;
    memory.to = memory.from + span;
  },
  key(e) {
    if (e.key !== "ArrowLeft" && e.key !== "ArrowRight") return false;
    pickStep(Math.max(0, Math.min(memory.steps - 1, state.step + (e.key === "ArrowLeft" ? -1 : 1))));
    return true;
  },
});
$("all-places").addEventListener("change", () => {
  layMemory();
  memoryPane.draw();
});
views.push(what => {
  if ("schedule" in what) layMemory();
  memoryPane.draw();
});
