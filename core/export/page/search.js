// Looking for words: first along the path that is shown, then on the other branches.

class Search {
  constructor(view) {
    this.view = view;
    this.input = document.querySelector(".bar input");
    this.output = document.querySelector(".bar output");
    this.hits = [];
    this.at = -1;
    this.input.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.look(), 120);
    });
    this.input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        event.preventDefault();
        if (this.words !== this.input.value.trim().toLowerCase()) this.look();
        else this.step(event.shiftKey ? -1 : 1);
      }
      if (event.key === "Escape") {
        this.input.value = "";
        this.look();
        this.input.blur();
      }
    });
  }

  look() {
    clearTimeout(this.timer);
    this.words = this.input.value.trim().toLowerCase();
    this.clear();
    this.hits = [];
    this.at = -1;
    if (this.words) {
      const { view } = this, has = (entry) => wordsOf(entry).includes(this.words);
      this.hits = view.path.filter(has);
      const shown = new Set(view.path);
      this.hits.push(...view.model.all.filter((entry) => !shown.has(entry) && has(entry)));
      if (this.hits.length) return this.step(1);
    }
    this.tell();
  }

  step(by) {
    if (!this.hits.length) return;
    this.clear();
    this.at = (this.at + by + this.hits.length) % this.hits.length;
    const element = this.view.go(this.hits[this.at], true);
    if (element) this.highlight(element);
    this.tell();
  }

  tell() {
    this.output.textContent = !this.words ? "" : this.hits.length ? `${this.at + 1} / ${this.hits.length.toLocaleString("en")}` : "none";
  }

  highlight(element) {
    element.querySelectorAll("details").forEach((node) => {
      node.fill?.();
      if (node.textContent.toLowerCase().includes(this.words)) node.open = true;
    });
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT), found = [];
    while (texts.nextNode()) found.push(texts.currentNode);
    for (const text of found) {
      const lower = text.data.toLowerCase();
      if (lower.length !== text.data.length) continue;
      let rest = text;
      for (let at = lower.indexOf(this.words), done = 0; at >= 0; at = lower.indexOf(this.words, done)) {
        const match = rest.splitText(at - done);
        rest = match.splitText(this.words.length);
        const mark = el("mark", "", match.data);
        match.replaceWith(mark);
        done = at + this.words.length;
      }
    }
    const first = element.querySelector("mark");
    first?.classList.add("now");
    first?.scrollIntoView({ block: "center" });
  }

  clear() {
    document.querySelectorAll("main mark").forEach((mark) => {
      const parent = mark.parentNode;
      mark.replaceWith(...mark.childNodes);
      parent.normalize();
    });
  }
}
