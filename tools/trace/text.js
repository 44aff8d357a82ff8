// Texts: colours of sources and of the IR, and what differs between two.

const WORDS =
  "auto|break|case|const|continue|default|do|else|enum|extern|for|goto|if|inline|register|restrict|return|sizeof|static|struct|switch|" +
  "typedef|union|volatile|while|fn|let|var|define|declare|call|load|store|br|ret|phi|getelementptr|__global__|__device__|__shared__|__kernel|kernel|device";
const TYPES =
  "void|char|short|int|long|float|double|half|signed|unsigned|bool|_Bool|vec[234]|array|ptr|i1|i8|i16|i32|i64|u8|u16|u32|u64|f16|bf16|f32|f64|\\w+_t|[a-z]+\\d+x\\d+|v\\d+\\w*|float\\d+|int\\d+|half\\d+";
const SOURCE = new RegExp(
  [
    "(\\/\\/[^\\n]*|\\/\\*[^]*?\\*\\/|^[ \\t]*#[^\\n]*|^;[^\\n]*)",
    '("(?:[^"\\\\\\n]|\\\\.)*")',
    "\\b(0[xX][\\da-fA-F.pP]+\\w*|\\d[\\d.]*(?:[eE][+-]?\\d+)?\\w*)\\b",
    `\\b(${WORDS})\\b`,
    `\\b(${TYPES})\\b`,
    "(%[\\w.]+)",
  ].join("|"),
  "gm",
);
const SOURCE_CLASSES = ["c", "s", "n", "k", "t", "v"];
const IR =
  /(%\w+)|(?<=\()([A-Z][A-Z_0-9]*)|(:[a-z]\w*)|(?<![\w%.])(-?(?:0x[\da-f]+|\d[\d.]*(?:e[+-]?\d+)?|inf|nan))(?![\w.])|(--[^\n]*)/g;
const IR_CLASSES = ["v", "k", "t", "n", "c"];
function painted(text, form, classes) {
  let out = "",
    at = 0;
  for (const m of text.matchAll(form)) {
    const k = m.findIndex((group, i) => i > 0 && group !== undefined) - 1;
    out += escape(text.slice(at, m.index)) + `<span class="${classes[k]}">${escape(m[0])}</span>`;
    at = m.index + m[0].length;
  }
  return out + escape(text.slice(at));
}
const paint = { source: text => painted(text, SOURCE, SOURCE_CLASSES), passes: text => painted(text, IR, IR_CLASSES) };

// Numbers beside the lines. Blocks out of view are not laid out; of a very long text only the first lines get colours.
const BLOCK = 400,
  PAINTED = 8000;
function showText(box, text, kind) {
  const lines = text.replace(/\n$/, "").split("\n");
  box.replaceChildren(
    ...Array.from({ length: Math.ceil(lines.length / BLOCK) }, (_, k) => {
      const part = lines.slice(k * BLOCK, (k + 1) * BLOCK),
        block = document.createElement("div");
      block.className = "block";
      block.style.containIntrinsicHeight = part.length * 18 + "px";
      const body = part.join("\n"),
        numbers = part.map((_, i) => k * BLOCK + i + 1).join("\n");
      block.innerHTML = `<pre class="numbers">${numbers}</pre><pre>${k * BLOCK < PAINTED ? paint[kind](body) : escape(body)}</pre>`;
      return block;
    }),
  );
  return lines.length;
}

// ** differences **

// Myers, "An O(ND) difference algorithm" (1986), section 4: the fewest lines removed and added. Lines are compared by
// keys. What lies between the same beginning and the same end and differs in more than LIMIT lines is replaced as a whole.
const LIMIT = 1500;
function differences(a, b) {
  let from = 0,
    end = 0;
  while (from < a.length && from < b.length && a[from] === b[from]) from++;
  while (end < a.length - from && end < b.length - from && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const n = a.length - from - end,
    m = b.length - from - end,
    zero = LIMIT + 1,
    far = new Int32Array(2 * LIMIT + 3),
    trail = [];
  // far[zero + k]: how far into a one comes on diagonal k, x - y, with d lines removed or added. trail[d]: far before step d.
  const down = (at, k, d) => k === -d || (k !== d && at(k - 1) < at(k + 1));
  let found = false;
  for (let d = 0; !found && d <= LIMIT; d++) {
    trail.push(far.slice(zero - d, zero + d + 1));
    for (let k = -d; k <= d && !found; k += 2) {
      const at = i => far[zero + i];
      let x = down(at, k, d) ? at(k + 1) : at(k - 1) + 1;
      while (x < n && x - k < m && a[from + x] === b[from + x - k]) x++;
      far[zero + k] = x;
      found = x >= n && x - k >= m;
    }
  }
  const pairs = [];
  for (let i = end - 1; i >= 0; i--) pairs.push([a.length - end + i, b.length - end + i]);
  let x = n,
    y = m;
  for (let d = trail.length - 1; found && d > 0; d--) {
    const at = i => trail[d][i + d],
      k = x - y,
      back = down(at, k, d) ? k + 1 : k - 1,
      x0 = at(back),
      y0 = x0 - back;
    for (; x > x0 && y > y0; x--, y--) pairs.push([from + x - 1, from + y - 1]);
    [x, y] = [x0, y0];
  }
  for (let i = from - 1; i >= 0; i--) pairs.push([i, i]);
  return { pairs: pairs.reverse(), whole: !found };
}

// One list of rows: [" ", i, j], ["-", i] or ["+", j]; i and j are lines of a and of b.
function rowsOf(a, b, pairs) {
  const rows = [];
  let i = 0,
    j = 0;
  for (const [x, y] of [...pairs, [a.length, b.length]]) {
    while (i < x) rows.push(["-", i++]);
    while (j < y) rows.push(["+", j++]);
    if (x < a.length && y < b.length) rows.push([" ", i++, j++]);
  }
  return rows;
}
const AROUND = 3;
const nameless = line => line.replace(/%\w+/g, "%").replace(/\s+/g, " ");
function showDifference(box, before, after, namesCount) {
  const a = before.replace(/\n$/, "").split("\n"),
    b = after.replace(/\n$/, "").split("\n"),
    key = namesCount ? line => line : nameless;
  const { pairs, whole } = differences(a.map(key), b.map(key)),
    rows = rowsOf(a, b, pairs);
  const shown = new Uint8Array(rows.length),
    body = document.createElement("div");
  let removed = 0,
    added = 0;
  rows.forEach(([kind], i) => {
    if (kind === " ") return;
    if (kind === "-") removed++;
    else added++;
    for (let k = Math.max(0, i - AROUND); k <= Math.min(rows.length - 1, i + AROUND); k++) shown[k] = 1;
  });
  body.className = "diff";
  const words = changedWords(rows, a, b);
  for (let i = 0; i < rows.length;) {
    let end = i;
    while (end < rows.length && shown[end] === shown[i]) end++;
    const part = rows.slice(i, end),
      first = i;
    if (shown[i])
      body.insertAdjacentHTML("beforeend", part.map((row, k) => lineOf(row, words.get(first + k))).join(""));
    else {
      const fold = document.createElement("button");
      fold.className = "fold";
      fold.textContent = `${plural(part.length, "line")} as before`;
      fold.onclick = () => (fold.outerHTML = part.map(row => lineOf(row)).join(""));
      body.append(fold);
    }
    i = end;
  }
  box.replaceChildren(body);
  return { removed, added, whole };

  function lineOf([kind, i, j], word) {
    const text = kind === "-" ? a[i] : kind === "+" ? b[i] : b[j],
      number = (kind === " " ? j : i) + 1;
    const html = word
      ? escape(text.slice(0, word[0])) +
        `<mark>${escape(text.slice(word[0], word[1]))}</mark>` +
        escape(text.slice(word[1]))
      : paint.passes(text);
    return `<div class="line${kind === "-" ? " remove" : kind === "+" ? " add" : ""}"><i>${number} ${kind}</i>${html}</div>`;
  }
}
// As many lines removed as added, one after the other: what differs in each pair, from the first letter to the last.
function changedWords(rows, a, b) {
  const words = new Map();
  for (let i = 0; i < rows.length;) {
    let minus = i,
      plus;
    while (minus < rows.length && rows[minus][0] === "-") minus++;
    for (plus = minus; plus < rows.length && rows[plus][0] === "+";) plus++;
    const n = minus - i;
    if (n && plus - minus === n)
      for (let k = 0; k < n; k++) {
        const s = a[rows[i + k][1]],
          t = b[rows[minus + k][1]],
          short = Math.min(s.length, t.length);
        let from = 0,
          end = 0;
        while (from < short && s[from] === t[from]) from++;
        while (end < short - from && s[s.length - 1 - end] === t[t.length - 1 - end]) end++;
        if (from + end < short * 0.25) continue;
        words.set(i + k, [from, s.length - end]);
        words.set(minus + k, [from, t.length - end]);
      }
    i = Math.max(plus, i + 1);
  }
  return words;
}
