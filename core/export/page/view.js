// The conversation: one path of the tree, drawn a piece at a time as one scrolls.

const PIECE = 200;

function readModel() {
  const session = JSON.parse(document.getElementById("session").textContent);
  const model = { session, byId: new Map(), children: new Map(), notes: new Map(), roots: [], all: [] };
  for (const script of document.querySelectorAll("script.entries")) addEntries(model, JSON.parse(script.textContent));
  return model;
}

function addEntries(model, entries) {
  for (const entry of entries) {
    if (model.byId.has(entry.i)) continue;
    model.byId.set(entry.i, entry);
    model.all.push(entry);
    const known = entry.p && model.byId.has(entry.p);
    const places = entry.x ? model.notes : model.children;
    if (!entry.x && !known) model.roots.push(entry);
    else if (places.has(entry.p)) places.get(entry.p).push(entry);
    else places.set(entry.p, [entry]);
  }
}

function leafBelow(model, entry, preferred) {
  let at = entry;
  for (let below; (below = model.children.get(at.i)); ) at = below.find((child) => preferred.has(child.i)) || below[below.length - 1];
  return at;
}

class View {
  constructor(model) {
    this.model = model;
    this.main = document.querySelector("main");
    this.top = el("div", "more");
    this.bottom = el("div", "more");
    this.list = el("div");
    this.main.append(this.top, this.list, this.bottom);
    this.from = this.to = 0;
    this.tree = new TreeView(document.querySelector(".tree"), (entry) => this.go(entry));
    this.watcher = new IntersectionObserver((seen) => seen.forEach((each) => each.isIntersecting && this.extend(each.target)), { rootMargin: "1200px" });
    const leaf = model.byId.get(model.session.leaf) || model.all.findLast((entry) => !entry.x);
    this.setPath(leaf);
    addEventListener("scroll", () => this.scrolled(), { passive: true });
    addEventListener("hashchange", () => this.goHash());
    addEventListener("beforeprint", () => this.showAll());
    if (!this.goHash()) this.show(0);
  }

  setPath(leaf) {
    const path = [];
    for (let at = leaf; at; at = this.model.byId.get(at.p)) path.push(at);
    path.reverse();
    this.leaf = leaf;
    this.onPath = new Set(path.map((entry) => entry.i));
    this.path = [...(this.model.notes.get(null) || [])];
    for (const entry of path) this.path.push(entry, ...(this.model.notes.get(entry.i) || []));
    this.places = new Map(this.path.map((entry, i) => [entry.i, i]));
    this.results = new Map();
    this.called = new Map();
    for (const entry of path)
      for (const block of entry.b || []) {
        if (block[0] === "c") this.called.set(block[1], entry.i);
        if (block[0] === "r") this.results.set(block[1], block);
      }
    this.tree.show(layoutTree(this.model, this.onPath), this.onPath);
  }

  elements(from, to) {
    return this.path.slice(from, to).map((entry, i) => {
      const element = entryElement(entry, this.results, this.called);
      if (this.goesOn(entry, from + i)) element.classList.add("again");
      return element;
    });
  }

  // Whether the one who spoke before speaks on, with nothing but results in between.
  goesOn(entry, index) {
    if (entry.t !== "assistant") return false;
    let before = index - 1;
    while (before >= 0 && this.path[before].t === "tool") --before;
    return before >= 0 && this.path[before].t === "assistant" && this.path[before].m === entry.m;
  }

  // Redraws around the entry at `index`.
  show(index) {
    this.from = Math.max(0, index - 20);
    this.to = Math.min(this.path.length, this.from + PIECE);
    this.list.replaceChildren(...this.elements(this.from, this.to));
    this.watch();
  }

  showAll() {
    this.list.prepend(...this.elements(0, this.from));
    this.list.append(...this.elements(this.to, this.path.length));
    this.from = 0;
    this.to = this.path.length;
    this.watch();
    this.list.querySelectorAll("details").forEach((node) => (node.fill?.(), (node.open = true)));
  }

  watch() {
    this.watcher.disconnect();
    this.top.textContent = this.from > 0 ? `${this.from.toLocaleString("en")} earlier` : "";
    this.bottom.textContent = this.to < this.path.length ? `${(this.path.length - this.to).toLocaleString("en")} more` : "";
    if (this.from > 0) this.watcher.observe(this.top);
    if (this.to < this.path.length) this.watcher.observe(this.bottom);
  }

  extend(edge) {
    if (edge === this.bottom) {
      const to = Math.min(this.path.length, this.to + PIECE);
      this.list.append(...this.elements(this.to, to));
      this.to = to;
    } else {
      const from = Math.max(0, this.from - PIECE), height = document.documentElement.scrollHeight;
      this.list.prepend(...this.elements(from, this.from));
      this.from = from;
      scrollBy(0, document.documentElement.scrollHeight - height);
    }
    this.watch();
  }

  // The element of an entry, drawn and on the path; of a result the one of its call.
  reach(entry) {
    const visible = entry.x ? this.model.byId.get(entry.p) : entry;
    if (visible && !this.onPath.has(visible.i)) {
      this.setPath(leafBelow(this.model, visible, this.onPath));
      this.show(this.places.get(entry.i) ?? 0);
    }
    const caller = (entry.b || []).map((block) => block[0] === "r" && this.called.get(block[1])).find(Boolean);
    const index = this.places.get(caller || entry.i);
    if (index === undefined) return null;
    if (index < this.from || index >= this.to) this.show(index);
    return document.getElementById("e-" + (caller || entry.i));
  }

  go(entry, quietly) {
    const element = this.reach(entry);
    if (!element) return null;
    this.list.querySelectorAll(".found").forEach((node) => node.classList.remove("found"));
    element.classList.add("found");
    element.scrollIntoView({ block: "start" });
    this.held = performance.now() + 400;
    this.tree.mark(entry, this.model);
    document.body.classList.remove("tree-open");
    if (!quietly) history.replaceState(null, "", "#e-" + entry.i);
    return element;
  }

  goHash() {
    const entry = this.model.byId.get(location.hash.slice(3));
    return location.hash.startsWith("#e-") && entry ? this.go(entry, true) : null;
  }

  scrolled() {
    if (this.waiting || performance.now() < (this.held || 0)) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      const nodes = this.list.children;
      let low = 0, high = nodes.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (nodes[middle].getBoundingClientRect().top <= 140) low = middle;
        else high = middle - 1;
      }
      const entry = nodes[low] && this.model.byId.get(nodes[low].id.slice(2));
      if (entry) this.tree.mark(entry.x ? this.model.byId.get(entry.p) || entry : entry, this.model);
    });
  }

  // What was said since the page was opened.
  grow(entries) {
    const end = this.leaf, atEnd = this.to === this.path.length;
    const low = innerHeight + scrollY > document.documentElement.scrollHeight - 300;
    addEntries(this.model, entries);
    const before = this.path.length;
    if (!end) return this.setPath(leafBelow(this.model, this.model.roots[0], new Set())), this.show(0);
    this.setPath(leafBelow(this.model, end, this.onPath));
    const redrawn = Math.max(this.from, before - 2);
    if (atEnd) {
      while (this.list.children.length > redrawn - this.from) this.list.lastElementChild.remove();
      this.list.append(...this.elements(redrawn, this.path.length));
      this.to = this.path.length;
    }
    this.watch();
    if (low) scrollTo(0, document.documentElement.scrollHeight);
  }
}
