// The summary: labels or kernels with their launches and times, sorted; and what the search finds.
const ROWS = 250;
let kernelTotals = [],
  labelTotals = new Map();
const summary = { sort: "time", down: true, shown: ROWS, hits: new Map() };

const noTotals = () => ({
  n: 0,
  time: 0,
  flops: 0,
  nbytes: 0,
  least: Infinity,
  most: 0,
  device: 0,
  labels: new Map(),
  kernels: new Map(),
});
function addUp() {
  kernelTotals = trace.kernels.map(noTotals);
  const label = name => labelTotals.get(name) ?? labelTotals.set(name, noTotals()).get(name);
  trace.launches = trace.launched = 0;
  const add = (k, name, device, n, us, flops, nbytes, least, most) => {
    for (const t of k < 0 ? [label(name)] : [label(name), kernelTotals[k]]) {
      t.n += n;
      t.time += us;
      t.flops += flops;
      t.nbytes += nbytes;
      t.least = Math.min(t.least, least);
      t.most = Math.max(t.most, most);
      t.device = device;
    }
    if (k >= 0) {
      if (name) kernelTotals[k].labels.set(name, (kernelTotals[k].labels.get(name) || 0) + us);
      label(name).kernels.set(k, (label(name).kernels.get(k) || 0) + us);
    }
    trace.launches += n;
    trace.launched += us;
  };
  for (const row of timeline.rows)
    if (row.kind === "launch")
      for (let i = 0; i < row.n; i++) {
        const us = row.end[i] - row.ts[i],
          name = row.kernel[i] < 0 ? row.name(i) : row.label(i);
        add(row.kernel[i], name, row.device, 1, us, row.flops[i], row.nbytes[i], us, us);
      }
  for (const [k, name, device, ...sums] of trace.added_up) add(k, trace.strings[name], device, ...sums); // not drawn
  for (const s of trace.schedules)
    for (const step of s.steps)
      if (step.label && step.kernel >= 0) {
        const labels = kernelTotals[step.kernel].labels;
        if (!labels.has(step.label)) labels.set(step.label, 0);
        label(step.label).kernels.set(step.kernel, labelTotals.get(step.label).kernels.get(step.kernel) || 0);
      }
  [...labelTotals]
    .filter(([name]) => name)
    .sort((a, b) => b[1].time - a[1].time)
    .forEach(([name], i) => ranks.label.set(name, i));
  kernelTotals
    .map((t, i) => [i, t.time])
    .sort((a, b) => b[1] - a[1])
    .forEach(([i], rank) => ranks.kernel.set(i, rank));
}

// Rows of the list: {key, name, note, totals}.
function summaryRows() {
  const query = state.query.trim().toLowerCase(),
    has = text => text.toLowerCase().includes(query);
  let rows;
  if (state.list === "label" && !query)
    rows = [...labelTotals].map(([name, totals]) => ({
      label: name,
      name: name || "no label",
      totals,
      colour: colour(-1, name),
    }));
  else
    rows = trace.kernels.map((k, i) => ({
      kernel: i,
      name: k.name,
      totals: kernelTotals[i],
      colour: colour(i, labelOfKernel(i)),
    }));
  if (query)
    rows = rows.filter(row => {
      const k = trace.kernels[row.kernel],
        label = [...row.totals.labels.keys()].find(has);
      row.note = label !== undefined ? label : (summary.hits.get(row.kernel) ?? null);
      return (
        has(k.name) || has(k.key) || has(k.opts) || row.note !== null || k.ops.some(op => op.toLowerCase() === query)
      );
    });
  const value = {
    name: row => row.name,
    n: row => row.totals.n,
    time: row => row.totals.time,
    share: row => row.totals.time,
    rate: row => rate(row.totals.flops, row.totals.time),
  }[summary.sort];
  rows.sort((a, b) => {
    const x = value(a),
      y = value(b);
    return (x < y ? -1 : x > y ? 1 : 0) * (summary.down ? -1 : 1);
  });
  return rows;
}
let drawnRows = [];
function drawSummary() {
  const rows = (drawnRows = summaryRows()),
    all = trace.launched || 1,
    most = rows.reduce((m, r) => Math.max(m, r.totals.time), 1e-9);
  $("rows").innerHTML = rows
    .slice(0, summary.shown)
    .map((row, i) => {
      const t = row.totals,
        chosen = row.label !== undefined ? row.label === state.label : row.kernel === state.kernel;
      return (
        `<tr tabindex="${i ? -1 : 0}" data-row="${i}" aria-selected="${chosen}"><td title="${escape(row.name)}"><i style="background:${row.colour}"></i>${escape(row.name)}` +
        `${row.note ? `<small>${escape(row.note)}</small>` : ""}</td><td title="${t.n.toLocaleString("en")}">${t.n ? (t.n < 1e5 ? t.n : count(t.n)) : ""}</td><td>${t.n ? time(t.time) : ""}</td>` +
        `<td style="--bar:${row.colour};--part:${((100 * t.time) / most).toFixed(1)}%">${t.n ? percent(t.time / all) : ""}</td><td>${shortRate(rate(t.flops, t.time))}</td></tr>`
      );
    })
    .join("");
  $("more").hidden = rows.length <= summary.shown;
  $("more").textContent = `${(rows.length - summary.shown).toLocaleString("en")} more`;
  $("found").textContent = state.query ? plural(rows.length, "kernel") + " found" : plural(rows.length, state.list);
  for (const th of document.querySelectorAll("th")) {
    if (th.dataset.sort === summary.sort) th.setAttribute("aria-sort", summary.down ? "descending" : "ascending");
    else th.removeAttribute("aria-sort");
  }
  for (const tab of document.querySelectorAll("[data-list]"))
    tab.setAttribute("aria-selected", tab.dataset.list === (state.query ? "kernel" : state.list));
}
function pickRow(i) {
  const row = drawnRows[i];
  if (!row) return;
  if (row.kernel !== undefined) {
    const at = stepOf(row.kernel);
    change({ kernel: row.kernel, label: null, event: null, ...at });
  } else pickLabel(row.label);
  document.querySelector(`[data-row="${i}"]`)?.setAttribute("aria-selected", "true");
}
// A label, and of its kernels the one that takes most time.
function pickLabel(label, event) {
  const kernels = labelTotals.get(label)?.kernels ?? [],
    hottest = [...kernels].reduce((a, b) => (b[1] > a[1] ? b : a), [-1, -1])[0];
  change({ label, kernel: hottest, event: event ?? null, ...stepOf(hottest, label) });
}
// A step that runs the kernel: of the schedule in view, if one does.
function stepOf(kernel, label) {
  const find = s =>
    s ? s.steps.findIndex(step => step.kernel === kernel && (label === undefined || step.label === label)) : -1;
  const here = find(trace.schedules[state.schedule]);
  if (here >= 0) return { step: here };
  const other = trace.schedules.findIndex(s => find(s) >= 0);
  return other >= 0 ? { schedule: other, step: find(trace.schedules[other]) } : { step: -1 };
}

// ** search **

// Names, labels and operators at once; then sources, some at a time.
let searching = 0;
async function searchSources(query) {
  const mine = ++searching;
  summary.hits.clear();
  if (query.length < 2) return;
  for (let i = 0; i < trace.kernels.length && mine === searching; i += 100) {
    const some = trace.kernels.slice(i, i + 100).map((k, at) => (k.source ? inflateSource(i + at) : null)),
      texts = await Promise.all(some);
    if (mine !== searching) return;
    let any = false;
    texts.forEach((text, at) => {
      const found = text === null ? -1 : text.toLowerCase().indexOf(query);
      if (found < 0) return;
      any = true;
      const from = text.lastIndexOf("\n", found) + 1,
        line = text.slice(from, text.indexOf("\n", found) < 0 ? undefined : text.indexOf("\n", found));
      summary.hits.set(i + at, `${text.slice(0, from).split("\n").length}: ${line.trim()}`);
    });
    if (any) drawSummary();
  }
  drawSummary();
  $("rows").dataset.searched = query;
}
const sources = new Map();
async function inflateSource(i) {
  if (!sources.has(i)) sources.set(i, await inflate("s" + i));
  return sources.get(i);
}
let typed = 0;
$("query").addEventListener("input", () => {
  clearTimeout(typed);
  typed = setTimeout(() => {
    summary.shown = ROWS;
    change({ query: $("query").value });
    searchSources(state.query.trim().toLowerCase());
  }, 80);
});
$("query").addEventListener("keydown", e => {
  if (e.key === "Escape") {
    $("query").value = "";
    change({ query: "" });
    searchSources("");
    $("query").blur();
  }
  if (e.key === "Enter" && drawnRows.length) {
    pickRow(0);
    showKernelText();
  }
  if (e.key === "ArrowDown") {
    document.querySelector("#rows tr")?.focus();
    e.preventDefault();
  }
});
$("rows").addEventListener("click", e => {
  const tr = e.target.closest("tr");
  if (tr) {
    pickRow(+tr.dataset.row);
    if (state.query) showKernelText();
  }
});
$("rows").addEventListener("keydown", e => {
  const tr = e.target.closest("tr"),
    to = e.key === "ArrowDown" ? tr?.nextElementSibling : e.key === "ArrowUp" ? tr?.previousElementSibling : null;
  if (e.key === "Enter" || e.key === " ") pickRow(+tr.dataset.row);
  else if (to) to.focus();
  else return;
  e.preventDefault();
});
$("more").addEventListener("click", () => {
  summary.shown += 2000;
  drawSummary();
});
for (const th of document.querySelectorAll("th"))
  th.firstChild.addEventListener("click", () => {
    const sort = th.dataset.sort;
    summary.down = summary.sort === sort ? !summary.down : sort !== "name";
    summary.sort = sort;
    drawSummary();
  });
views.push(what => {
  if (["by", "list", "query"].some(key => key in what) || !Object.keys(what).length) return drawSummary();
  for (const tr of $("rows").children) {
    const row = drawnRows[tr.dataset.row];
    tr.setAttribute("aria-selected", row.label !== undefined ? row.label === state.label : row.kernel === state.kernel);
  }
});
