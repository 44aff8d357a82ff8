// The timeline: a row for the host, for the labels and the launches of each device, for each thread of its pool, and for
// memory. Events that lie within
// each other stand in lanes; in a lane none overlap, so what is in view is found by halving.
const GUTTER = 138,
  RULER = 22;
const timeline = { from: 0, to: 1, top: 0, rows: [] };
const LANE_HEIGHT = { host: 19, label: 22, launch: 26, worker: 15, memory: 46 };

// What a device did one after the other for one label.
function labelRow(launches) {
  const ts = [],
    end = [],
    names = [],
    first = [];
  for (let i = 0; i < launches.n; i++) {
    const label = launches.label(i),
      last = names.length - 1;
    if (label && last >= 0 && names[last] === label && launches.run[i] === launches.run[first[last]])
      end[last] = Math.max(end[last], launches.end[i]);
    else {
      ts.push(launches.ts[i]);
      end.push(launches.end[i]);
      names.push(label);
      first.push(i);
    }
  }
  const keep = names.map((_, i) => i).filter(i => names[i]),
    none = new Int8Array(keep.length),
    minus = none.map(() => -1),
    name = i => names[keep[i]];
  const row = {
    kind: "label",
    device: launches.device,
    title: launches.title,
    n: keep.length,
    ts: Float64Array.from(keep, i => ts[i]),
    end: Float64Array.from(keep, i => end[i]),
    kernel: minus,
    schedule: minus,
    step: minus,
    run: minus,
    flops: none,
    nbytes: none,
    extra: [],
    name,
    label: name,
  };
  row.lanes = lanesOf(row);
  return row;
}
// A stack of what has not ended gives each event its lane.
function lanesOf(row) {
  const lanes = [],
    open = [];
  for (let i = 0; i < row.n; i++) {
    while (open.length && open[open.length - 1] <= row.ts[i]) open.pop();
    (lanes[open.length] ??= []).push(i);
    if (open.length < 7) open.push(row.end[i]);
  }
  return lanes;
}
function layRows() {
  let y = 0;
  for (const row of timeline.rows) {
    row.top = y;
    row.lane = LANE_HEIGHT[row.kind];
    row.height = row.lane * Math.max(1, row.lanes.length) + ({ worker: 1, label: 0 }[row.kind] ?? 9);
    y += row.height;
  }
  timeline.height = y;
}

function drawTimeline(c, w, h) {
  const { from, to } = timeline,
    scale = (w - GUTTER) / (to - from),
    x = t => GUTTER + (t - from) * scale;
  timeline.top = Math.max(0, Math.min(timeline.top, timeline.height - (h - RULER)));
  drawRuler(c, w, h, x);
  c.save();
  c.beginPath();
  c.rect(0, RULER, w, h - RULER);
  c.clip();
  for (const row of timeline.rows) {
    const y = RULER + 5 + row.top - timeline.top;
    if (y > h || y + row.height < RULER) continue;
    c.save();
    c.beginPath();
    c.rect(GUTTER, y - 4, w - GUTTER, row.height);
    c.clip();
    if (row.kind === "memory") drawCounter(c, row, w, y, x);
    else row.lanes.forEach((lane, k) => drawLane(c, row, lane, y + k * row.lane, w, x));
    c.restore();
    const strong = row.kind !== "worker" && row.title;
    c.fillStyle = css(strong ? "text" : "dim");
    c.font = (strong ? "600 12px " : "11px ") + css("sans");
    c.fillText(fitted(c, row.title, GUTTER - 20), 12, y + row.lane / 2 - 1);
    if (row.note) {
      c.fillStyle = css("dim");
      c.font = "11px " + css("sans");
      c.fillText(fitted(c, row.note, GUTTER - 18), 12, y + row.lane / 2 + 14);
    }
  }
  if (!timeline.rows.length) {
    c.fillStyle = css("dim");
    c.font = "12px " + css("sans");
    c.fillText("Nothing ran.", 20, RULER + 20);
  }
  c.fillStyle = css("error");
  for (const e of trace.errors) if (x(e.ts) >= GUTTER) c.fillRect(x(e.ts) - 1, RULER, 2, h);
  c.restore();
  $("range").textContent = time(to - from);
  timelinePane.canvas.dataset.from = from - trace.from;
}
function drawRuler(c, w, h, x) {
  const { from, to } = timeline,
    rough = (to - from) / Math.max(2, (w - GUTTER) / 110),
    power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(k => k * power).find(s => s >= rough),
    base = baseOf(from - trace.from, to - from);
  c.font = "11px " + css("sans");
  c.fillStyle = css("dim");
  c.strokeStyle = css("line");
  c.lineWidth = 1;
  c.beginPath();
  for (let k = Math.ceil((from - trace.from) / step); k * step + trace.from < to; k++) {
    const at = Math.round(x(k * step + trace.from)) + 0.5;
    c.fillText((base ? "+" : "") + time(+(k * step - base).toPrecision(9)), at + 4, 11);
    c.moveTo(at, 4);
    c.lineTo(at, h);
  }
  c.stroke();
  if (base) c.fillText(longTime(base), 12, 11);
}
// Far from the beginning times are told from here on: a round number that the part in view begins behind.
function baseOf(from, span) {
  const round = 10 ** Math.ceil(Math.log10(span));
  return from > 20 * span ? Math.floor(from / round) * round : 0;
}
const longTime = us =>
  us >= 1e6 ? +(us / 1e6).toFixed(7) + " s" : us >= 1e3 ? +(us / 1e3).toFixed(4) + " ms" : +us.toFixed(3) + " µs";
const HOST_HUES = { run: 150, compile: 25, plan: 285, lower: 255, load: 75, search: 330, read: 200 };
function colourOfEvent(row, i) {
  if (row.kind === "host") return `oklch(${dark.matches ? 0.6 : 0.85} 0.06 ${HOST_HUES[row.name(i)] ?? 100})`;
  return colour(row.kernel[i], row.label(i));
}
// Is this event of what is chosen? With nothing chosen, all are.
function chosenEvent(row, i) {
  if (row.kind === "host" || !state.lit) return true;
  return state.label !== null ? row.label(i) === state.label : state.kernel < 0 || row.kernel[i] === state.kernel;
}
function drawLane(c, row, lane, y, w, x) {
  const { from, to } = timeline,
    height = row.lane - (row.kind === "worker" ? 2 : 4),
    small = row.kind === "worker";
  const radius = small ? 1 : 2.5,
    scale = (w - GUTTER) / (to - from);
  c.font = (row.kind === "launch" ? "500 12px " : "11px ") + css("sans");
  for (let k = firstIndex(lane.length, k => row.end[lane[k]] > from); k < lane.length;) {
    const i = lane[k];
    if (row.ts[i] >= to) break;
    const left = Math.max(x(row.ts[i]), GUTTER - 4),
      right = Math.min(x(row.end[i]), w + 4),
      width = right - left;
    c.globalAlpha = chosenEvent(row, i) ? 1 : 0.35;
    c.fillStyle = colourOfEvent(row, i);
    if (width < 3) c.fillRect(left, y, Math.max(width, 1), height);
    else {
      c.beginPath();
      c.roundRect(left + 0.25, y, width - 0.5, height, Math.min(radius, width / 3));
      c.fill();
    }
    if (width > 34 && !small) {
      const text = row.name(i);
      c.fillStyle = row.kind === "host" ? css("text") : "#11151a";
      c.fillText(fitted(c, text, width - 12), left + 6, y + height / 2 + 0.5);
    }
    if (state.event && state.event.row === row && state.event.i === i) {
      c.globalAlpha = 1;
      c.strokeStyle = css("text");
      c.lineWidth = 2;
      c.strokeRect(left + 1, y + 1, Math.max(width - 2, 1), height - 2);
    }
    // What ends in the same pixel needs no drawing of its own.
    const next = k + 1,
      until = row.ts[i] + 1 / scale;
    k =
      width >= 1 || next >= lane.length || row.end[lane[next]] > until
        ? next
        : next + firstIndex(lane.length - next, n => row.end[lane[next + n]] > until);
  }
  c.globalAlpha = 1;
}
function drawCounter(c, row, w, y, x) {
  const { from, to } = timeline,
    height = row.height - 10,
    most = row.most || 1;
  let k = Math.max(0, firstIndex(row.n, i => row.ts[i] > from) - 1),
    last = -1;
  const level = i => y + height - ((height - 2) * row.live[i]) / most;
  c.beginPath();
  c.moveTo(GUTTER, y + height);
  let high = row.n ? level(k) : y + height;
  c.lineTo(GUTTER, high);
  for (k++; k < row.n && row.ts[k] < to; k++) {
    const at = x(row.ts[k]),
      here = level(k);
    if (at - last < 0.5 && here >= high) continue;
    c.lineTo(at, high);
    c.lineTo(at, here);
    high = here;
    last = at;
  }
  c.lineTo(Math.min(w, x(trace.to)), high);
  c.lineTo(Math.min(w, x(trace.to)), y + height);
  c.closePath();
  c.globalAlpha = 0.25;
  c.fillStyle = css("accent");
  c.fill();
  c.globalAlpha = 1;
  c.strokeStyle = css("accent");
  c.lineWidth = 1.2;
  c.stroke();
}

function hitTimeline(px, py) {
  if (px < GUTTER || py < RULER) return null;
  const t = timeline.from + ((px - GUTTER) / (timelinePane.width - GUTTER)) * (timeline.to - timeline.from);
  const slack = (2 * (timeline.to - timeline.from)) / timelinePane.width,
    y = py - RULER - 5 + timeline.top;
  const row = timeline.rows.find(r => y >= r.top && y < r.top + r.height);
  if (!row) return null;
  if (row.kind === "memory") {
    const k = firstIndex(row.n, i => row.ts[i] > t) - 1;
    return k < 0 ? null : { row, i: k };
  }
  const lane = row.lanes[Math.floor((y - row.top) / row.lane)];
  if (!lane) return null;
  const k = firstIndex(lane.length, k => row.end[lane[k]] > t - slack);
  return k < lane.length && row.ts[lane[k]] <= t + slack ? { row, i: lane[k] } : null;
}
function ratesOf(flops, nbytes, us, device) {
  const out = [],
    f = rate(flops, us),
    b = rate(nbytes, us),
    peak = trace.devices[device] || {};
  if (f > 0) out.push(shortRate(f) + " GFLOP/s" + (peak.gflops > 0 ? `, ${percent(f / peak.gflops)} of the peak` : ""));
  if (b > 0) out.push(shortRate(b) + " GB/s" + (peak.gbps > 0 ? `, ${percent(b / peak.gbps)} of the peak` : ""));
  return out;
}
function describeEvent({ row, i }) {
  if (row.kind === "memory")
    return `<b>${escape(row.title)}</b>${bytes(row.live[i])} live at ${time(row.ts[i] - trace.from)}`;
  const us = row.end[i] - row.ts[i],
    lines = [`${time(us)} <span>at ${time(row.ts[i] - trace.from)}</span>`];
  if (row.label(i) && row.kind !== "label") lines.unshift(escape(row.label(i)));
  lines.push(...ratesOf(row.flops[i], row.nbytes[i], us, row.device));
  if (row.step[i] >= 0)
    lines.push(
      `<span>step ${row.step[i]} of schedule ${escape(trace.schedules[row.schedule[i]]?.id ?? "?")}, run ${row.run[i]}</span>`,
    );
  if (row.extra[i]) lines.push(`<span>${escape(row.extra[i])}</span>`);
  return `<b>${escape(row.name(i))}</b>${lines.join("<br>")}`;
}
function pickEvent(event) {
  const { row, i } = event;
  if (row.kind === "memory") return;
  if (row.kind === "label") return pickLabel(row.label(i), event);
  const at = row.schedule[i] >= 0 ? { schedule: row.schedule[i], step: row.step[i] } : {};
  change(row.kernel[i] >= 0 ? { event, kernel: row.kernel[i], label: null, ...at } : { event, ...at });
  say(
    describeEvent(event)
      .replace(/<br>/g, ", ")
      .replace(/<[^>]*>/g, " "),
  );
}
function zoomTimeline(factor, px) {
  const { from, to } = timeline,
    part = Math.max(0, (px - GUTTER) / (timelinePane.width - GUTTER)),
    t = from + part * (to - from);
  const span = Math.min(Math.max((to - from) / factor, 0.05), 4 * (trace.to - trace.from) + 1);
  timeline.from = t - part * span;
  timeline.to = timeline.from + span;
}
function showRange(from, to) {
  const margin = Math.max((to - from) * 0.02, 0.5);
  timeline.from = from - margin;
  timeline.to = to + margin;
  timelinePane.draw();
}
const showWhole = () => showRange(trace.from, trace.to);
// The fastest run of the schedule that has taken most time, which others disturbed least; everything, where none ran.
function showOneRun() {
  const total = new Map(),
    spans = new Map();
  for (const row of timeline.rows)
    if (row.kind === "launch")
      for (let i = 0; i < row.n; i++) {
        const s = row.schedule[i],
          key = s + " " + row.run[i],
          span = spans.get(key) ?? spans.set(key, [Infinity, -Infinity, s]).get(key);
        total.set(s, (total.get(s) || 0) + row.end[i] - row.ts[i]);
        span[0] = Math.min(span[0], row.ts[i]);
        span[1] = Math.max(span[1], row.end[i]);
      }
  const most = [...total].reduce((a, b) => (b[1] > a[1] ? b : a), [null, 0])[0];
  const runs = [...spans.values()].filter(s => s[2] === most).sort((a, b) => a[1] - a[0] - (b[1] - b[0]));
  if (runs.length) showRange(runs[0][0], runs[0][1]);
  else showWhole();
}
// The launch before or behind the chosen one.
function stepEvent(by) {
  const row = state.event?.row ?? timeline.rows.find(r => r.kind === "launch");
  const i = state.event ? state.event.i + by : firstIndex(row?.n ?? 0, i => row.ts[i] >= timeline.from);
  if (!row || i < 0 || i >= row.n) return;
  pickEvent({ row, i });
  const span = timeline.to - timeline.from,
    middle = (row.ts[i] + row.end[i]) / 2;
  if (row.ts[i] < timeline.from || row.end[i] > timeline.to) {
    timeline.from = middle - span / 2;
    timeline.to = middle + span / 2;
  }
}
const timelinePane = pane(document.querySelector("#timeline canvas"), {
  draw: drawTimeline,
  hit: hitTimeline,
  describe: describeEvent,
  pick: pickEvent,
  zoom: zoomTimeline,
  fit: showWhole,
  pickNothing: () => change({ event: null, label: null, step: -1, lit: false }),
  drag(dx, dy) {
    const t = (dx / (timelinePane.width - GUTTER)) * (timeline.to - timeline.from);
    timeline.from -= t;
    timeline.to -= t;
    timeline.top -= dy;
  },
  key(e) {
    if (e.key === "," || e.key === ".") stepEvent(e.key === "," ? -1 : 1);
    else if (e.key === "1") showOneRun();
    else return false;
    return true;
  },
});
views.push(() => timelinePane.draw());
