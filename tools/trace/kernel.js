// One kernel: what it is and how fast, its source, and its IR after each pass, or what a pass changed.
function showAbout() {
  const k = trace.kernels[state.kernel];
  if (!k) {
    $("about").innerHTML =
      `<p>${trace.kernels.length ? "Choose a kernel: in the summary, the timeline, the graph or the memory plan." : "The trace has no kernels."}</p>`;
    return;
  }
  const t = kernelTotals[state.kernel],
    facts = [];
  const fact = (name, value, unit) =>
    value !== "" && facts.push(`<div><dt>${name}</dt><dd>${value}${unit ? ` <small>${unit}</small>` : ""}</dd></div>`);
  fact("launches", t.n.toLocaleString("en"));
  if (t.n) {
    fact("time", time(t.time), percent(t.time / (trace.launched || 1)));
    if (t.n > 1) fact("mean", time(t.time / t.n));
    if (t.n > 1) {
      fact("fastest", time(t.least));
      fact("slowest", time(t.most));
    }
    const peak = trace.devices[t.device] || {},
      f = rate(t.flops, t.time),
      b = rate(t.nbytes, t.time);
    if (f > 0) fact("operations", shortRate(f), "GFLOP/s" + (peak.gflops > 0 ? ", " + percent(f / peak.gflops) : ""));
    if (b > 0) fact("memory", shortRate(b), "GB/s" + (peak.gbps > 0 ? ", " + percent(b / peak.gbps) : ""));
  }
  if (k.flops > 0) fact("each launch", count(k.flops), "FLOP");
  if (k.nbytes > 0) fact("reads, writes", bytes(k.nbytes));
  if (k.global) fact("groups", k.global.join(" × "));
  if (k.local) fact("of items", k.local.join(" × "));
  if (k.tasks >= 0) fact("tasks", k.tasks.toLocaleString("en"));
  if (k.from) fact("from", escape(k.from));
  const labels = [...t.labels].sort((a, b) => b[1] - a[1]).map(([label]) => `<li>${escape(label)}</li>`);
  $("about").innerHTML =
    `<h2><i style="background:${colour(state.kernel, labelOfKernel(state.kernel))}"></i>${escape(k.name)} <span>${escape(k.key)}</span></h2>` +
    (labels.length
      ? `<ul>${labels.slice(0, 12).join("")}${labels.length > 12 ? `<li>${labels.length - 12} more</li>` : ""}</ul>`
      : "") +
    `<dl>${facts.join("")}</dl>` +
    (k.opts ? `<p><span>opts</span>${escape(k.opts)}</p>` : "") +
    times(state.kernel);
}
const labelOfKernel = kernel => [...kernelTotals[kernel].labels].reduce((a, b) => (b[1] > a[1] ? b : a), ["", -1])[0];
// A bar for each launch, as long as it took; neighbours share one where they are many.
function times(kernel) {
  const durations = [];
  for (const row of timeline.rows)
    if (row.kind === "launch")
      for (let i = 0; i < row.n; i++) if (row.kernel[i] === kernel) durations.push(row.end[i] - row.ts[i]);
  if (durations.length < 3) return "";
  const n = Math.min(durations.length, 160),
    most = durations.reduce((a, b) => Math.max(a, b), 0) || 1,
    bars = [];
  for (let i = 0; i < n; i++) {
    const part = durations.slice(Math.floor((i * durations.length) / n), Math.floor(((i + 1) * durations.length) / n)),
      h = (25 * Math.max(...part)) / most;
    bars.push(`<rect x="${(i * 400) / n}" y="${26 - h}" width="${Math.min(400 / n - 0.5, 12)}" height="${h}"/>`);
  }
  return `<svg viewBox="0 0 400 26" preserveAspectRatio="none" fill="${css("dim")}" opacity=".6"><title>times of the launches, up to ${time(most)}</title>${bars.join("")}</svg>`;
}

// ** texts **

let textAsked = 0,
  passes = null,
  plain = "";
let written = Promise.resolve();
const showKernelText = () => (written = writeText());
async function writeText() {
  const mine = ++textAsked,
    k = trace.kernels[state.kernel];
  const source = k?.source ? await unpack("s" + state.kernel) : null;
  passes = k?.passes.length ? await unpack("p" + state.kernel) : null;
  if (mine !== textAsked) return;
  fillPasses(k);
  drawText(source, k);
}
function fillPasses(k) {
  const names = k?.passes ?? [],
    options = names.map((name, i) => `<option value="${i}">${i + 1} ${escape(name)}</option>`).join("");
  const after = Math.min(+$("after").dataset.wish || 0, names.length - 1),
    before = Math.min(+$("before").dataset.wish ?? -1, names.length - 1);
  $("before").innerHTML = `<option value="-1">nothing</option>` + options;
  $("after").innerHTML = options;
  $("after").value = Math.max(0, after);
  $("before").value = before;
}
function drawText(source, k) {
  const box = $("text"),
    isPasses = state.text === "passes";
  $("pass-choice").hidden = !isPasses || !passes;
  box.scrollTop = 0;
  let note = "";
  plain = "";
  if (!k) box.replaceChildren();
  else if (isPasses && passes) {
    const from = +$("before").value,
      to = +$("after").value;
    plain = passes[to];
    drawChips(k, from, to);
    if (from < 0 || from === to) note = plural(showText(box, plain, "passes"), "line");
    else {
      const { removed, added, whole } = showDifference(box, passes[from], plain, $("names").checked);
      note = removed + added ? `−${removed} +${added}${whole ? ", too many to align" : ""}` : "no line differs";
    }
  } else if (!isPasses && source !== null) {
    plain = source;
    note = plural(showText(box, plain, "source"), "line");
    markFound(box);
  } else box.innerHTML = `<p>The trace has no ${isPasses ? "passes" : "source"} of this kernel.</p>`;
  $("text-note").textContent = note;
  $("copy").hidden = !plain;
}
function drawChips(k, from, to) {
  $("chips").innerHTML = k.passes
    .map(
      (name, i) =>
        `<button data-pass="${i}" aria-pressed="${i === to ? "true" : i === from ? "mixed" : "false"}">${escape(name)}</button>`,
    )
    .join("");
}
function choosePasses(before, after) {
  const n = trace.kernels[state.kernel]?.passes.length ?? 0;
  if (!n) return;
  $("after").dataset.wish = Math.max(0, Math.min(n - 1, after));
  $("before").dataset.wish = Math.max(-1, Math.min(n - 1, before));
  showKernelText();
}
// The first place of what is searched for, in sight.
function markFound(box) {
  const query = state.query.trim().toLowerCase();
  if (query.length < 2) return;
  const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  for (let node, n = 0; n < 200 && (node = walker.nextNode());) {
    const at = node.data.toLowerCase().indexOf(query);
    if (at < 0 || node.parentElement.matches(".numbers, .found")) continue;
    const mark = document.createElement("mark");
    mark.className = "found";
    const hit = node.splitText(at);
    hit.splitText(query.length);
    hit.replaceWith(mark);
    mark.append(hit);
    if (!n++) mark.scrollIntoView({ block: "center" });
    walker.currentNode = mark;
  }
}
$("chips").addEventListener("click", e => {
  const i = e.target.dataset.pass;
  if (i !== undefined) choosePasses(i - 1, +i);
});
for (const id of ["before", "after"])
  $(id).addEventListener("change", () => choosePasses(+$("before").value, +$("after").value));
$("names").addEventListener("change", showKernelText);
$("copy").addEventListener("click", () =>
  navigator.clipboard?.writeText(plain).then(
    () => say("copied"),
    () => say("not allowed"),
  ),
);
let shownKernel = -2,
  shownText = "";
views.push(what => {
  if ("text" in what)
    for (const tab of document.querySelectorAll("[data-text]"))
      tab.setAttribute("aria-selected", tab.dataset.text === state.text);
  if (shownKernel === state.kernel && shownText === state.text && !("by" in what) && Object.keys(what).length) return;
  [shownKernel, shownText] = [state.kernel, state.text];
  showAbout();
  showKernelText();
});
