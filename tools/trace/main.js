// Opens the trace, ties the views together.
function openRows() {
  const name = s => trace.strings[s] ?? "";
  for (const r of trace.rows) {
    const n = r.ts.length,
      ts = Float64Array.from(r.ts),
      end = ts.map((t, i) => t + r.dur[i]),
      column = (list, none) => list ?? new Int8Array(n).fill(none);
    const row = {
      kind: r.kind,
      device: r.device,
      title: r.title,
      note: r.note,
      n,
      ts,
      end,
      kernel: column(r.kernel, -1),
      schedule: column(r.schedule, -1),
      step: column(r.step, -1),
      run: column(r.run, -1),
      flops: column(r.flops, 0),
      nbytes: column(r.nbytes, 0),
      extra: r.extra ?? [],
      name: i => (r.kernel && r.kernel[i] >= 0 ? trace.kernels[r.kernel[i]].name : name(r.name[i])),
      label: i => (r.label ? name(r.label[i]) : ""),
    };
    row.lanes = lanesOf(row);
    timeline.rows.push(row);
  }
  for (const worker of timeline.rows)
    if (worker.kind === "worker")
      labelByLaunch(
        worker,
        timeline.rows.find(r => r.kind === "launch" && r.device === worker.device),
      );
  for (const row of timeline.rows.slice())
    if (row.kind === "launch") {
      const labels = labelRow(row);
      if (!labels.n) continue;
      timeline.rows.push(labels);
      row.title = "";
    }
  for (const { device, title, ts, live } of trace.memory) {
    const most = live.reduce((a, b) => Math.max(a, b), 0), n = ts.length;
    timeline.rows.push({ kind: "memory", device, title, note: bytes(most), lanes: [], n, ts: Float64Array.from(ts), live, most });
  }
  const order = { host: 0, label: 1, launch: 1, memory: 2, worker: 3 };
  timeline.rows.sort(
    (a, b) =>
      order[a.kind] - order[b.kind] ||
      (a.device ?? 0) - (b.device ?? 0) ||
      (a.kind === "label" ? -1 : b.kind === "label" ? 1 : 0),
  );
  layRows();
  const room = document.querySelector("main").clientHeight; // as high as its rows
  document.documentElement.style.setProperty(
    "--timeline",
    Math.max(150, Math.min(timeline.height + RULER + 56, room * 0.42)) + "px",
  );
}
// What a thread does has the label of the launch that it is a part of: the last one that has begun.
function labelByLaunch(worker, launches) {
  if (!launches) return;
  let k = -1;
  const part = Array.from(worker.ts, ts => {
    while (k + 1 < launches.n && launches.ts[k + 1] <= ts + 0.5) k++;
    return k;
  });
  worker.label = i => (part[i] >= 0 && launches.kernel[part[i]] === worker.kernel[i] ? launches.label(part[i]) : "");
}
const strong = (n, noun) => plural(n, noun).replace(/^\S+/, "<b>$&</b>");
function fillHeader() {
  $("title").textContent = trace.file;
  const parts = [
    strong(trace.kernels.length, "kernel"),
    strong(trace.launches, "launch") + (trace.launches ? ", " + time(trace.launched) : ""),
    plural(trace.schedules.length, "schedule"),
    trace.devices.map(d => escape(d.title || d.name)).join(", "),
  ];
  $("totals").innerHTML = parts.filter(Boolean).join(" · ");
  $("totals").title = $("totals").textContent;
  $("errors").innerHTML = trace.errors
    .slice(0, 3)
    .map(
      (e, i) =>
        `<button data-error="${i}" title="${escape(e.message)}"><b>${escape(e.name)}</b> ${escape(e.message)}${e.n > 1 ? ` <span>${e.n} times</span>` : ""}</button>`,
    )
    .join("");
  if (trace.errors.length > 3) $("errors").append(plural(trace.errors.length - 3, "other error"));
  if (trace.notes) $("errors").insertAdjacentHTML("beforeend", `<p>${escape(trace.notes)}</p>`);
}
function fillSchedules() {
  const total = trace.schedules.map(() => 0);
  for (const row of timeline.rows)
    if (row.kind === "launch")
      for (let i = 0; i < row.n; i++) if (row.schedule[i] >= 0) total[row.schedule[i]] += row.end[i] - row.ts[i];
  const order = trace.schedules
    .map((s, i) => i)
    .sort((a, b) => total[b] - total[a] || trace.schedules[b].steps.length - trace.schedules[a].steps.length);
  $("schedule").innerHTML = order
    .map(
      i =>
        `<option value="${i}">schedule ${escape(trace.schedules[i].id)}: ${plural(trace.schedules[i].steps.length, "step")}</option>`,
    )
    .join("");
  return order[0] ?? -1;
}
$("errors").addEventListener("click", e => {
  const error = trace.errors[e.target.closest("[data-error]")?.dataset.error],
    half = (timeline.to - timeline.from) / 2;
  if (error) showRange(error.ts - half, error.ts + half);
});
$("schedule").addEventListener("change", () => change({ schedule: +$("schedule").value, step: -1 }));
views.push(what => {
  if ("schedule" in what) $("schedule").value = state.schedule;
  if ("view" in what) {
    $("plan").dataset.view = state.view;
    for (const tab of document.querySelectorAll("[data-view][role]"))
      tab.setAttribute("aria-selected", tab.dataset.view === state.view);
  }
  if ("by" in what)
    for (const b of document.querySelectorAll("[data-by]")) b.setAttribute("aria-pressed", b.dataset.by === state.by);
});

// ** buttons, keys and splits **

for (const attribute of ["by", "view", "text", "list"])
  for (const button of document.querySelectorAll(`button[data-${attribute}]`))
    button.addEventListener("click", () => change({ [attribute]: button.dataset[attribute] }));
for (const list of document.querySelectorAll("[role=tablist]"))
  list.addEventListener("keydown", e => {
    const to =
      e.key === "ArrowRight"
        ? e.target.nextElementSibling
        : e.key === "ArrowLeft"
          ? e.target.previousElementSibling
          : null;
    if (to?.matches("[role=tab]")) {
      to.focus();
      to.click();
    }
  });
$("whole").addEventListener("click", showWhole);
$("one-run").addEventListener("click", showOneRun);
$("zoom-in").addEventListener("click", () => {
  zoomTimeline(1.6, (GUTTER + timelinePane.width) / 2);
  timelinePane.draw();
});
$("zoom-out").addEventListener("click", () => {
  zoomTimeline(1 / 1.6, (GUTTER + timelinePane.width) / 2);
  timelinePane.draw();
});
$("plan-fit").addEventListener("click", () => {
  if (state.view === "graph") {
    fitGraph(true);
    graphPane.draw();
  } else {
    fitMemory();
    memoryPane.draw();
  }
});
addEventListener("keydown", e => {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) && e.target.type !== "checkbox";
  if (typing || e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.key === "/") {
    $("query").focus();
    $("query").select();
  } else if (e.key === "g" || e.key === "m") change({ view: e.key === "g" ? "graph" : "memory" });
  else if (e.key === "[" || e.key === "]") {
    const to = +$("after").value + (e.key === "[" ? -1 : 1);
    if (state.text !== "passes") change({ text: "passes" });
    else choosePasses(to - 1, to);
  } else return;
  e.preventDefault();
});
// The sizes of the parts: pulled, or by arrows.
function split(id, variable, of) {
  const bar = $(id),
    root = document.documentElement.style,
    vertical = bar.getAttribute("aria-orientation") === "vertical";
  const set = value => root.setProperty(variable, of(value));
  const now = e => (vertical ? e.clientX : e.clientY);
  bar.addEventListener("pointerdown", e => {
    bar.setPointerCapture(e.pointerId);
    bar.onpointermove = e => set(now(e));
  });
  bar.addEventListener("pointerup", () => {
    bar.onpointermove = null;
  });
  bar.addEventListener("keydown", e => {
    const by = { ArrowLeft: -20, ArrowUp: -20, ArrowRight: 20, ArrowDown: 20 }[e.key],
      box = bar.getBoundingClientRect();
    if (!by) return;
    set((vertical ? box.left : box.top) + 4 + by);
    e.preventDefault();
  });
}
const clamp = (x, low, high) => Math.max(low, Math.min(high, x)),
  mainBox = () => document.querySelector("main").getBoundingClientRect();
split("split-summary", "--summary", x => clamp(x - 16, 120, innerWidth * 0.6) + "px");
split("split-timeline", "--timeline", y => clamp(y - 4 - mainBox().top, 90, mainBox().height - 160) + "px");
split("split-plan", "--plan", x => clamp(x - 4 - $("plan").getBoundingClientRect().left, 160, innerWidth - 300) + "px");

// #kernel=KEY&view=memory&text=passes&before=0&after=3&by=kernel&list=kernel&query=..: what is chosen at first.
function fromAddress() {
  const said = new URLSearchParams(location.hash.slice(1)),
    what = {};
  for (const key of ["by", "view", "text", "list", "query"]) if (said.has(key)) what[key] = said.get(key);
  const kernel = trace.kernels.findIndex(
    k => said.has("kernel") && (k.key === said.get("kernel") || k.name === said.get("kernel")),
  );
  if (kernel >= 0) what.kernel = kernel;
  const schedule = trace.schedules.findIndex(s => said.has("schedule") && String(s.id) === said.get("schedule"));
  if (schedule >= 0) what.schedule = schedule;
  if (said.has("step")) what.step = +said.get("step");
  if (said.has("before")) $("before").dataset.wish = +said.get("before");
  if (said.has("after")) $("after").dataset.wish = +said.get("after");
  if (what.query) $("query").value = what.query;
  return { what, whole: said.has("all"), collapse: said.get("collapse") };
}

async function open() {
  if (typeof DecompressionStream === "undefined")
    throw new Error("this browser has no DecompressionStream: take one of 2023 or later");
  trace = await unpack("main");
  $("before").dataset.wish = -1;
  openRows();
  addUp();
  fillHeader();
  const schedule = fillSchedules(),
    { what, whole, collapse } = fromAddress();
  if (![...labelTotals.keys()].some(Boolean)) Object.assign(state, { by: "kernel", list: "kernel" });
  Object.assign(state, { schedule }, what);
  if (state.kernel < 0)
    state.kernel = kernelTotals.reduce((best, t, i) => (t.time > (kernelTotals[best]?.time ?? -1) ? i : best), -1);
  if (!("step" in what) && state.kernel >= 0) Object.assign(state, stepOf(state.kernel));
  if (whole) showWhole();
  else showOneRun();
  change({ ...state, lit: "kernel" in what || "step" in what });
  if (collapse) {
    $("collapse").value = collapse;
    layGraph();
  }
  if (state.query) searchSources(state.query.toLowerCase());
  await Promise.all([laid, written]);
  await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  document.documentElement.dataset.drawn = performance.now().toFixed(0);
}
open().catch(error => {
  $("totals").textContent = "This trace cannot be shown: " + error.message;
  console.error(error);
});
