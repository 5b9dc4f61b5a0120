// The branches, drawn: prompts, summaries and ends as dots. The path that is shown goes straight
// down; others leave it to the right. Only the rows in sight are in the document.

const SVG = "http://www.w3.org/2000/svg";
const ROW = 27, LANE = 16, LEFT = 10;

function svg(name, attributes) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

// Rows in the order they are drawn: {entry, lane, parent}.
function layoutTree(model, onPath) {
  const rows = [], stack = model.roots.map((entry) => ({ entry, lane: 0, above: -1 })).reverse();
  while (stack.length) {
    let { entry, lane, above } = stack.pop();
    const children = model.children.get(entry.i) || [];
    const starts = above < 0 || rows[above].fork;
    if (entry.t === "user" || entry.t === "summary" || children.length !== 1 || starts) {
      rows.push({ entry, lane, above, fork: children.length > 1, ends: children.length === 0 });
      above = rows.length - 1;
    }
    const straight = children.find((child) => onPath.has(child.i)) || children[children.length - 1];
    if (straight) stack.push({ entry: straight, lane, above });
    for (let i = children.length - 1; i >= 0; --i)
      if (children[i] !== straight) stack.push({ entry: children[i], lane: lane + 1, above });
  }
  return rows;
}

function labelOf(entry) {
  if (entry.t === "note") return entry.n;
  for (const block of entry.b || [])
    if (block[0] === "t" && block[1].trim()) return block[1].trim().slice(0, 160).replace(/[*`]+|^[#>\s]+/g, "").replace(/\s+/g, " ").trim();
  for (const block of entry.b || []) if (block[0] === "c") return block[2] + " " + briefly(block[3]);
  return entry.t === "tool" ? "result" : entry.m || "…";
}

class TreeView {
  constructor(container, choose) {
    this.container = container;
    this.choose = choose;
    this.drawing = svg("svg", { role: "tree" });
    container.append(this.drawing);
    this.rows = [];
    this.here = -1;
    container.addEventListener("scroll", () => this.draw(), { passive: true });
    addEventListener("resize", () => this.draw());
  }

  show(rows, onPath) {
    this.rows = rows;
    this.onPath = onPath;
    this.drawing.setAttribute("height", rows.length * ROW + 8);
    this.draw();
  }

  // Marks the row of an entry, or of the last one before it that has a row.
  mark(entry, model) {
    const places = (this.places ??= new Map());
    if (this.placed !== this.rows) {
      places.clear();
      this.rows.forEach((row, i) => places.set(row.entry.i, i));
      this.placed = this.rows;
    }
    let at = entry;
    while (at && !places.has(at.i)) at = model.byId.get(at.p);
    const here = at ? places.get(at.i) : -1;
    if (here === this.here) return;
    this.here = here;
    const top = here * ROW, { scrollTop, clientHeight } = this.container;
    if (top < scrollTop || top > scrollTop + clientHeight - 3 * ROW) this.container.scrollTop = Math.max(0, top - clientHeight / 3);
    this.draw();
  }

  move(step) {
    const next = Math.min(this.rows.length - 1, Math.max(0, this.here + step));
    if (this.rows[next]) this.choose(this.rows[next].entry);
  }

  draw() {
    const width = Math.max(160, this.container.clientWidth - 24);
    const from = Math.max(0, Math.floor(this.container.scrollTop / ROW) - 10);
    const to = Math.min(this.rows.length, from + Math.ceil((this.container.clientHeight || 800) / ROW) + 20);
    const edges = [], nodes = [];
    this.drawing.setAttribute("width", width);
    for (let i = 0; i < this.rows.length; ++i) {
      const row = this.rows[i];
      if (row.above >= 0 && i >= from && row.above < to) edges.push(this.edge(row, i));
      if (i >= from && i < to) nodes.push(this.node(row, i, width));
    }
    this.drawing.replaceChildren(...edges, ...nodes);
  }

  edge(row, i) {
    const above = this.rows[row.above];
    const x = LEFT + row.lane * LANE, y = i * ROW + ROW / 2, x0 = LEFT + above.lane * LANE, y0 = row.above * ROW + ROW / 2;
    const bend = x === x0 ? `V${y}` : `V${y - 10}Q${x0} ${y} ${x0 + 8} ${y}H${x}`;
    const on = this.onPath.has(row.entry.i) && this.onPath.has(above.entry.i);
    return svg("path", { class: on ? "edge on" : "edge", d: `M${x0} ${y0}${bend}` });
  }

  node(row, i, width) {
    const x = LEFT + row.lane * LANE, y = i * ROW + ROW / 2;
    const on = this.onPath.has(row.entry.i);
    const group = svg("g", { class: "row" + (on ? " on" : "") + (i === this.here ? " here" : ""), role: "treeitem" });
    const label = labelOf(row.entry), most = Math.max(4, Math.floor((width - x - 22) / 6.6));
    const text = svg("text", { x: x + 13, y: y + 4 });
    text.textContent = label.length > most ? label.slice(0, most - 1) + "…" : label;
    const title = svg("title", {});
    title.textContent = label;
    group.append(svg("rect", { x: x - 9, y: i * ROW + 1, width: Math.max(20, width - x + 8), height: ROW - 2, rx: 6 }),
                 svg("circle", { cx: x, cy: y, r: row.entry.t === "user" || row.fork ? 4.5 : 3.2 }), text, title);
    group.addEventListener("click", () => this.choose(row.entry));
    return group;
  }
}
