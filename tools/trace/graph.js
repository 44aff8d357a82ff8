// The graph of a schedule, in levels: a node stands below all that it is computed of. Only what is in view is drawn.
const LEVEL = 68,
  NODE = 36,
  BETWEEN = 18;
const graph = { nodes: [], levels: [], edges: [], x: 0, y: 0, zoom: 1, box: null, chosen: -1, data: null };

// ** what a node is: one of the graph, or all of a label, or all of a kernel **

// A constant stands in the note of its users, not by itself.
const isInside = (data, i) => data.op[i] === "CONST" && !data.src[i].length && data.op.length > 1;
// Of each node: those with one key become one; null: it stays. What has no label has that of the step that computes it;
// where that has none either, the step stands for itself. Of memory, what the same nodes use goes together.
function keysOf(data, by, labels) {
  const key = data.kernel.map((step, i) =>
    by === "label" && labels[i] ? "l" + labels[i] : by !== "none" && step >= 0 ? "k" + step : null,
  );
  if (by === "none") return key;
  const users = data.op.map(() => new Set());
  data.src.forEach((src, i) => src.forEach(s => users[s].add(key[i] ?? i)));
  return key.map((k, i) => k ?? (data.src[i].length ? null : "m" + [...users[i]].sort().join()));
}
function collapsed(data, by) {
  const schedule = trace.schedules[state.schedule],
    groups = new Map(),
    nodeOf = new Int32Array(data.op.length),
    nodes = [],
    labels = data.label.map((label, i) => label || schedule?.steps[data.kernel[i]]?.label || ""),
    keys = keysOf(data, by, labels);
  data.op.forEach((op, i) => {
    if (isInside(data, i)) {
      nodeOf[i] = -1;
      return;
    }
    const step = data.kernel[i],
      label = labels[i],
      key = keys[i];
    let at = key === null ? undefined : groups.get(key);
    if (at === undefined) {
      at = nodes.length;
      if (key !== null) groups.set(key, at);
      nodes.push({ members: [], constants: [], in: [], out: [], steps: new Set(), step, label, level: 0, x: 0 });
    }
    nodes[at].members.push(i);
    nodes[at].steps.add(step);
    if (nodes[at].step < 0) nodes[at].step = step;
    nodeOf[i] = at;
  });
  nodes.forEach((node, at) => {
    const sources = new Set();
    for (const i of node.members)
      for (const s of data.src[i]) {
        if (nodeOf[s] < 0) node.constants.push(data.arg[s]);
        else if (nodeOf[s] !== at) sources.add(nodeOf[s]);
      }
    node.in = [...sources];
    for (const s of node.in) nodes[s].out.push(at);
    const i = node.members[0],
      step = schedule?.steps[node.step];
    const shape = data.shape[i] ? "(" + data.shape[i].join(",") + ")" : "";
    node.kernel = step ? step.kernel : -1;
    node.ops = node.members.map(m => data.op[m]);
    if (by === "label" && node.label) [node.title, node.note] = [node.label, plural(node.members.length, "node")];
    else if (by !== "none" && step)
      [node.title, node.note] = [step.label || step.name, plural(node.members.length, "node")];
    else if (node.members.length > 1) [node.title, node.note] = [data.op[i], plural(node.members.length, "node")];
    else [node.title, node.note] = [data.op[i], (data.dtype[i] + " " + shape).trim()];
    node.width = Math.max(
      56,
      Math.min(220, Math.max((by === "none" ? 8.6 : 7.6) * node.title.length, 6.2 * node.note.length) + 20),
    );
  });
  return nodes;
}

// ** where it stands **

// The longest way from a source, then as far down as the users allow: weights stand beside what takes them. Where nodes of
// one label make a circle, that one goes ahead whose members come first in the graph's order, on the average.
function level(nodes) {
  const waits = nodes.map(n => n.in.length),
    done = new Uint8Array(nodes.length),
    ready = [],
    middle = nodes.map(n => n.members.reduce((a, b) => a + b, 0) / n.members.length),
    order = nodes.map((_, i) => i).sort((a, b) => middle[a] - middle[b]);
  nodes.forEach((n, i) => {
    if (!waits[i]) ready.push(i);
  });
  for (let taken = 0, next = 0, head = 0; taken < nodes.length; taken++) {
    if (head === ready.length) {
      while (done[order[next]] || !waits[order[next]]) next++;
      ready.push(order[next]);
      waits[order[next]] = 0;
    }
    const i = ready[head++];
    done[i] = 1;
    for (const o of nodes[i].out)
      if (!done[o] && waits[o] > 0) {
        nodes[o].level = Math.max(nodes[o].level, nodes[i].level + 1);
        if (--waits[o] === 0) ready.push(o);
      }
  }
  for (const n of nodes) n.depth = n.level;
  for (const i of ready.reverse()) {
    let below = Infinity;
    for (const o of nodes[i].out) if (nodes[o].level > nodes[i].level) below = Math.min(below, nodes[o].level);
    if (below < Infinity) nodes[i].level = below - 1;
  }
}
// Orders each level by the mean place of its neighbours, some times down and up; then moves nodes there, the deepest first:
// each as near as its order and those that stand already allow. The deeper its source and the shorter it is, the heavier is
// an edge: what is long is straight.
function place(nodes) {
  const levels = [];
  nodes.forEach((n, i) => (levels[n.level] ??= []).push(i));
  for (let k = 0; k < levels.length; k++) levels[k] ??= [];
  const pack = row => {
    let x = 0;
    for (const i of row) {
      nodes[i].x = x + nodes[i].width / 2;
      x += nodes[i].width + BETWEEN;
    }
    for (const i of row) nodes[i].x -= x / 2;
  };
  const mean = (n, side) => {
    let sum = 0,
      weight = 0;
    for (const i of n[side]) {
      const down = side === "in" ? n.level - nodes[i].level : nodes[i].level - n.level;
      if (down <= 0) continue; // part of a circle
      const w = (1 + (side === "in" ? nodes[i].depth : n.depth) ** 2) / down ** 2;
      sum += w * nodes[i].x;
      weight += w;
    }
    return weight ? sum / weight : n.x;
  };
  const each = (down, action) => {
    for (let k = 0; k < levels.length; k++) action(levels[down ? k : levels.length - 1 - k], down ? "in" : "out");
  };
  each(true, pack);
  for (let sweep = 0; sweep < 6; sweep++)
    each(sweep % 2 === 0, (row, side) => {
      for (const i of row) nodes[i].wish = mean(nodes[i], side);
      row.sort((a, b) => nodes[a].wish - nodes[b].wish || a - b);
      pack(row);
    });
  for (let sweep = 0; sweep < 8; sweep++)
    each(sweep % 2 === 0, (row, side) => {
      let end = 0;
      const offset = row.map(i => (end += nodes[i].width + BETWEEN) - nodes[i].width / 2),
        stands = new Uint8Array(row.length);
      for (const i of row) nodes[i].wish = mean(nodes[i], side);
      for (const k of row.map((_, k) => k).sort((a, b) => nodes[row[b]].depth - nodes[row[a]].depth || a - b)) {
        let l = k - 1,
          r = k + 1;
        while (l >= 0 && !stands[l]) l--;
        while (r < row.length && !stands[r]) r++;
        const low = l < 0 ? -Infinity : nodes[row[l]].x + offset[k] - offset[l],
          high = r === row.length ? Infinity : nodes[row[r]].x - offset[r] + offset[k];
        nodes[row[k]].x = Math.max(low, Math.min(high, nodes[row[k]].wish));
        stands[k] = 1;
      }
    });
  return levels;
}
let asked = 0;
let laid = Promise.resolve();
const layGraph = () => (laid = layNodes());
async function layNodes() {
  const mine = ++asked,
    schedule = trace.schedules[state.schedule],
    stage = schedule?.graphs[+$("stage").value];
  const data = stage ? await unpack(stage.text) : null;
  if (mine !== asked) return;
  const nodes = data ? collapsed(data, $("collapse").value) : [];
  level(nodes);
  const levels = place(nodes),
    edges = [];
  nodes.forEach((n, at) => n.in.forEach(s => edges.push([s, at])));
  let left = nodes.length ? Infinity : 0,
    right = nodes.length ? -Infinity : 1;
  for (const n of nodes) {
    left = Math.min(left, n.x - n.width / 2);
    right = Math.max(right, n.x + n.width / 2);
  }
  Object.assign(graph, {
    data,
    nodes,
    levels,
    edges,
    chosen: -1,
    box: { left, right, height: Math.max(1, levels.length * LEVEL) },
  });
  $("graph").dataset.nodes = nodes.length;
  fitGraph();
  graphPane.now();
}
// All of it, where that can still be read; else the chosen kernel in the middle.
function fitGraph(all) {
  const { box } = graph,
    w = graphPane.width || 600,
    h = graphPane.height || 400;
  if (!box) return;
  const whole = Math.min(1.1, (w - 40) / (box.right - box.left), (h - 30) / box.height);
  graph.zoom = all === true ? whole : Math.max(whole, 0.75);
  graph.x = (box.left + box.right) / 2;
  graph.y = box.height / 2 - LEVEL / 2 + NODE / 2;
  if (graph.zoom > whole) centre(Math.max(0, graph.nodes.findIndex(isChosen)));
}
// In the middle, but not beyond what there is.
function centre(at) {
  const { box, zoom } = graph,
    inside = (x, low, high, room) =>
      high - low < room ? (low + high) / 2 : Math.max(low + room / 2, Math.min(high - room / 2, x));
  graph.x = inside(graph.nodes[at].x, box.left - 20, box.right + 20, (graphPane.width || 600) / zoom);
  graph.y = inside(graph.nodes[at].level * LEVEL + NODE / 2, -20, box.height, (graphPane.height || 400) / zoom);
}
const isChosen = n => (state.step >= 0 ? n.steps.has(state.step) : state.kernel >= 0 && n.kernel === state.kernel);

// ** drawing **

function drawGraph(c, w, h) {
  const { nodes, levels, edges, zoom } = graph;
  if (!nodes.length) {
    c.font = "12px " + css("sans");
    c.fillStyle = css("dim");
    c.fillText(!graph.box ? "…" : state.schedule < 0 ? "The trace has no schedule." : "The trace has no graph of it.", 20, 30);
    return;
  }
  const left = graph.x - w / 2 / zoom,
    top = graph.y - h / 2 / zoom,
    right = left + w / zoom,
    bottom = top + h / zoom;
  const chosen = graph.chosen,
    near = new Set(chosen >= 0 ? [chosen, ...nodes[chosen].in, ...nodes[chosen].out] : []);
  const query = state.query.toUpperCase();
  c.save();
  c.scale(zoom, zoom);
  c.translate(-left, -top);
  c.strokeStyle = css("dim");
  const inView = ([s, t]) => {
    const a = nodes[s],
      b = nodes[t],
      y0 = a.level * LEVEL,
      y1 = b.level * LEVEL;
    return (
      Math.max(y0, y1) >= top - LEVEL &&
      Math.min(y0, y1) <= bottom &&
      Math.max(a.x, b.x) + 80 >= left &&
      Math.min(a.x, b.x) - 80 <= right
    );
  };
  const path = ([s, t]) => {
    const a = nodes[s],
      b = nodes[t],
      y0 = a.level * LEVEL + NODE,
      y1 = b.level * LEVEL,
      bend = Math.max(LEVEL * 0.4, Math.min((y1 - y0) / 2, 160));
    c.moveTo(a.x, y0);
    if (zoom < 0.12) c.lineTo(b.x, y1);
    else c.bezierCurveTo(a.x, y0 + bend, b.x, y1 - bend, b.x, y1);
  };
  c.lineWidth = Math.max(1, 0.7 / zoom);
  for (const far of [true, false]) {
    // what goes far is pale
    c.globalAlpha = (far ? 0.2 : 0.5) * (chosen >= 0 ? 0.5 : 1);
    c.beginPath();
    for (const e of edges) if (nodes[e[1]].level - nodes[e[0]].level > 5 === far && inView(e)) path(e);
    c.stroke();
  }
  if (chosen >= 0) {
    c.globalAlpha = 1;
    c.strokeStyle = css("accent");
    c.lineWidth = Math.max(2, 1.4 / zoom);
    c.beginPath();
    for (const e of edges) if (e[0] === chosen || e[1] === chosen) path(e);
    c.stroke();
  }
  let drawn = 0;
  for (let k = Math.max(0, Math.floor((top - NODE) / LEVEL)); k < levels.length && k * LEVEL <= bottom; k++) {
    const row = levels[k];
    for (
      let m = firstIndex(row.length, m => nodes[row[m]].x + 120 >= left);
      m < row.length && nodes[row[m]].x - 120 <= right;
      m++, drawn++
    )
      drawNode(c, nodes[row[m]], row[m], k * LEVEL, zoom, chosen < 0 || near.has(row[m]), query);
  }
  c.restore();
  $("graph").dataset.drawn = drawn;
  c.font = "11px " + css("sans");
  const said =
    plural(graph.data.op.length, "node") +
    (nodes.length < graph.data.op.length ? ", as " + nodes.length.toLocaleString("en") : "");
  c.fillStyle = css("panel");
  c.fillRect(0, h - 25, widthOf(c, said) + 24, 25);
  c.fillStyle = css("dim");
  c.fillText(said, 12, h - 13);
  drawOverview(c, w, h, left, top, right, bottom);
}
function drawNode(c, n, at, y, zoom, lit, query) {
  const x = n.x - n.width / 2,
    chosen = isChosen(n),
    leaf = n.step < 0;
  const found = query && (n.ops.includes(query) || (n.label && n.label.toUpperCase().includes(query)));
  const lower = query && graph.anyFound && !found;
  c.globalAlpha = lower ? 0.25 : lit || chosen ? 1 : 0.45;
  c.fillStyle = leaf
    ? css("faint")
    : colour(n.kernel, n.label);
  c.beginPath();
  c.roundRect(x, y, n.width, NODE, leaf ? NODE / 2 : 6);
  c.fill();
  if (chosen || at === graph.chosen || found) {
    c.strokeStyle = found ? "#ffb800" : css("text");
    c.lineWidth = (at === graph.chosen ? 3 : 1.8) / Math.min(1, zoom * 1.2);
    c.stroke();
  } else if (leaf) {
    c.strokeStyle = css("line");
    c.lineWidth = 1;
    c.stroke();
  }
  if (zoom < 0.3) return;
  c.textAlign = "center";
  c.fillStyle = leaf ? css("text") : "#11151a";
  c.font = "600 12px " + css("sans");
  c.fillText(fitted(c, n.title, n.width - 12), n.x, y + (n.note ? 12.5 : NODE / 2));
  c.font = "10.5px " + css("sans");
  c.globalAlpha *= 0.75;
  c.fillText(fitted(c, n.note, n.width - 12), n.x, y + 26);
  c.textAlign = "left";
}
// All of the graph in a corner, where it is more than what is in view.
function drawOverview(c, w, h, left, top, right, bottom) {
  const { box, nodes } = graph;
  graph.map = null;
  if (left <= box.left && right >= box.right && top <= 0 && bottom >= box.height - LEVEL) return;
  const scale = Math.min(110 / (box.right - box.left), Math.min(170, h - 40) / box.height),
    wide = Math.max(14, (box.right - box.left) * scale);
  const x0 = w - wide - 14,
    y0 = h - box.height * scale - 12,
    x = v => x0 + wide / 2 + (v - (box.left + box.right) / 2) * scale,
    y = v => y0 + v * scale;
  graph.map = { x0: x0 - 5, y0: y0 - 5, scale, middle: x0 + wide / 2 };
  c.globalAlpha = 0.88;
  c.fillStyle = css("panel");
  c.strokeStyle = css("line");
  c.lineWidth = 1;
  c.beginPath();
  c.roundRect(x0 - 6, y0 - 6, wide + 12, box.height * scale + 12, 5);
  c.fill();
  c.stroke();
  c.globalAlpha = 1;
  for (const n of nodes) {
    c.fillStyle =
      n.step < 0 ? css("line") : colour(n.kernel, n.label);
    c.fillRect(x(n.x - n.width / 2), y(n.level * LEVEL), Math.max(1, n.width * scale), Math.max(0.8, NODE * scale));
  }
  c.strokeStyle = css("accent");
  c.lineWidth = 1.5;
  const l = Math.max(x(left), x0 - 5),
    t = Math.max(y(top), y0 - 5),
    r = Math.min(x(right), x0 + wide + 5),
    b = Math.min(y(bottom), y0 + box.height * scale + 5);
  if (r > l && b > t) c.strokeRect(l, t, r - l, b - t);
}

function hitGraph(px, py) {
  const { nodes, levels, zoom, map } = graph;
  if (map && px >= map.x0 && py >= map.y0)
    return {
      to: [(px - map.middle) / map.scale + (graph.box.left + graph.box.right) / 2, (py - map.y0 - 5) / map.scale],
    };
  const x = graph.x + (px - graphPane.width / 2) / zoom,
    y = graph.y + (py - graphPane.height / 2) / zoom,
    k = Math.floor(y / LEVEL);
  if (!levels[k] || y - k * LEVEL > NODE) return null;
  const at = levels[k].find(i => Math.abs(nodes[i].x - x) <= nodes[i].width / 2);
  return at === undefined ? null : { at };
}
function describeNode({ at }) {
  if (at === undefined) return null;
  const n = graph.nodes[at],
    d = graph.data,
    i = n.members[0],
    step = trace.schedules[state.schedule]?.steps[n.step],
    lines = [];
  if (n.members.length === 1) {
    if (n.note) lines.push(escape(n.note));
    if (d.arg[i]) lines.push("<span>argument</span> " + escape(d.arg[i]));
    if (n.constants.length)
      lines.push(
        `<span>${n.constants.length > 1 ? "constants" : "constant"}</span> ${escape(n.constants.slice(0, 8).join(", "))}`,
      );
  } else {
    const ops = new Map();
    for (const op of n.ops) ops.set(op, (ops.get(op) || 0) + 1);
    lines.push(
      escape(
        [...ops]
          .sort((a, b) => b[1] - a[1])
          .slice(0, 9)
          .map(([op, k]) => (k > 1 ? op + " × " + k : op))
          .join(", "),
      ),
    );
  }
  if (n.label) lines.push("<span>label</span> " + escape(n.label));
  if (step) lines.push(`<span>step ${n.step}</span> ${escape(step.name)}`);
  return `<b>${escape(n.title)}</b>${lines.join("<br>")}`;
}
function pickNode(at) {
  const n = graph.nodes[at];
  if ($("collapse").value === "label" && n.label && labelTotals.has(n.label)) {
    pickLabel(n.label);
    change({ node: at });
  } else change(n.kernel >= 0 ? { kernel: n.kernel, step: n.step, label: null, event: null, node: at } : { node: at });
  say(
    describeNode({ at })
      .replace(/<br>/g, ", ")
      .replace(/<[^>]*>/g, " "),
  );
}
// From node to node: up to its first source, down to its first user, left and right along its level.
function walk(key) {
  const n = graph.nodes[graph.chosen],
    row = n ? graph.levels[n.level] : [];
  const to = !n
    ? graph.nodes.findIndex(isChosen)
    : key === "ArrowUp"
      ? n.in[0]
      : key === "ArrowDown"
        ? n.out[0]
        : row[row.indexOf(graph.chosen) + (key === "ArrowLeft" ? -1 : 1)];
  if (to === undefined || !graph.nodes.length) return;
  pickNode(Math.max(0, to));
  centre(graph.chosen);
}
const graphPane = pane($("graph"), {
  draw: drawGraph,
  hit: hitGraph,
  describe: describeNode,
  fit: () => fitGraph(true),
  pick: ({ at, to }) => {
    if (to) {
      [graph.x, graph.y] = to;
      graphPane.draw();
    } else pickNode(at);
  },
  pickNothing: () => {
    graph.chosen = -1;
    change({ step: -1, lit: false });
  },
  drag(dx, dy) {
    graph.x -= dx / graph.zoom;
    graph.y -= dy / graph.zoom;
  },
  zoom(factor, px, py) {
    const zoom = Math.min(3, Math.max(0.01, graph.zoom * factor)),
      dx = px - graphPane.width / 2,
      dy = py - graphPane.height / 2;
    graph.x += dx / graph.zoom - dx / zoom;
    graph.y += dy / graph.zoom - dy / zoom;
    graph.zoom = zoom;
  },
  key(e) {
    if (!e.key.startsWith("Arrow")) return false;
    walk(e.key);
    return true;
  },
});
views.push(what => {
  if ("schedule" in what && what.laid !== true) layStages();
  if ("node" in what) graph.chosen = what.node;
  else if ("step" in what || "kernel" in what) {
    const list = graph.nodes.map((n, i) => i).filter(i => isChosen(graph.nodes[i]));
    graph.chosen = -1;
    const visible = i =>
      Math.abs(graph.nodes[i].x - graph.x) < graphPane.width / 2 / graph.zoom &&
      Math.abs(graph.nodes[i].level * LEVEL - graph.y) < graphPane.height / 2 / graph.zoom;
    if (list.length && !list.some(visible)) centre(list[list.length >> 1]);
  }
  if ("query" in what) {
    const query = state.query.toUpperCase();
    graph.anyFound =
      !!query && graph.nodes.some(n => n.ops.includes(query) || (n.label && n.label.toUpperCase().includes(query)));
  }
  graphPane.draw();
});
let shownSchedule = -2;
function layStages() {
  if (shownSchedule === state.schedule) return;
  shownSchedule = state.schedule;
  const stages = trace.schedules[state.schedule]?.graphs ?? [];
  $("stage").innerHTML = stages.map((g, i) => `<option value="${i}">${escape(g.stage)}</option>`).join("");
  $("stage").value = Math.max(0, stages.length - 1);
  $("stage").disabled = stages.length < 2;
  const n = stages.at(-1)?.n ?? 0,
    kernels = stages.some(g => g.kernels);
  const labels = trace.schedules[state.schedule]?.steps.some(step => step.label);
  $("collapse").value = n < 150 || !kernels ? "none" : labels ? "label" : "kernel";
  layGraph();
}
$("stage").addEventListener("change", layGraph);
$("collapse").addEventListener("change", layGraph);
