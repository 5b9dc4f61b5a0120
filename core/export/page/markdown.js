// Markdown as elements. Everything is text: no HTML of a transcript is ever parsed, links lead only
// to where a reader expects, images come only from the page itself.

function el(name, className, ...children) {
  const node = document.createElement(name);
  if (className) node.className = className;
  node.append(...children);
  return node;
}

function safeLink(address, text) {
  if (!/^(?:https?:\/\/|mailto:)/i.test(address)) return document.createTextNode(text);
  const link = el("a", "", text);
  link.href = address;
  link.rel = "noopener noreferrer nofollow";
  link.target = "_blank";
  return link;
}

function picture(source) {
  if (!/^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/.test(source))
    return document.createTextNode("(an image)");
  const image = el("img");
  image.src = source;
  image.alt = "an image of the conversation";
  image.loading = "lazy";
  return image;
}

const INLINE =
  /(`+)([^`]|[^`][\s\S]*?[^`])\1(?!`)|!?\[([^\]\n]{0,500})\]\(([^()\s]{0,2000}(?:\([^()\s]{0,500}\))?)(?: "[^"\n]{0,500}")?\)|\*\*(?=\S)([^\n]{1,2000}?\S?)\*\*|~~([^~\n]{1,2000})~~|(?<![\w*])\*(?=[^\s*])([^*\n]{0,2000}[^\s*])\*(?![\w*])|(?<![\w_])_(?=[^\s_])([^_\n]{0,2000}[^\s_])_(?![\w_])|\bhttps?:\/\/[^\s<>"'`]{3,2000}|\\([\\`*_{}\[\]()#+\-.!~|<>])|&(amp|lt|gt|quot|apos|#39|#34|nbsp);/g;

// The same few that a terminal shows as characters.
const REFERENCES = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", "#39": "'", "#34": '"', nbsp: "\u00a0" };

function inline(target, text, depth = 0) {
  let at = 0;
  if (depth > 5) return void target.append(text);
  for (const match of text.matchAll(INLINE)) {
    target.append(text.slice(at, match.index));
    at = match.index + match[0].length;
    const within = (name, inner) => {
      const node = el(name);
      inline(node, inner, depth + 1);
      target.append(node);
    };
    if (match[1]) target.append(el("code", "", match[2].trim() || match[2]));
    else if (match[4] !== undefined)
      target.append(match[0][0] === "!" ? `(image: ${match[3] || match[4]})` : safeLink(match[4], match[3] || match[4]));
    else if (match[5]) within("strong", match[5]);
    else if (match[6]) within("del", match[6]);
    else if (match[7] || match[8]) within("em", match[7] || match[8]);
    else if (match[9] || match[10]) target.append(match[9] || REFERENCES[match[10]]);
    else {
      const address = match[0].replace(/[.,;:!?)\]]+$/, "");
      target.append(safeLink(address, address), match[0].slice(address.length));
    }
  }
  target.append(text.slice(at));
}

function tableRow(line) {
  return line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim().replace(/\\\|/g, "|"));
}

const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;

function list(lines, from, target) {
  const stack = [];
  let at = from;
  for (; at < lines.length; ++at) {
    const match = ITEM.exec(lines[at]);
    if (match) {
      const indent = match[1].replace(/\t/g, "    ").length;
      while (stack.length && indent < stack[stack.length - 1].indent) stack.pop();
      const top = stack[stack.length - 1];
      if (!top || indent > top.indent + 1) {
        const node = el(/\d/.test(match[2]) ? "ol" : "ul");
        if (node.tagName === "OL") node.start = parseInt(match[2], 10);
        (top ? top.item : target).append(node);
        stack.push({ indent, node, item: null });
      }
      const level = stack[stack.length - 1];
      const task = /^\[([ xX])\] /.exec(match[3]);
      level.item = el("li", task ? "task" : "");
      level.node.append(level.item);
      if (task) level.item.append(task[1] === " " ? "☐ " : "☑ ");
      inline(level.item, task ? match[3].slice(4) : match[3]);
    } else if (lines[at].trim() && /^\s{2,}/.test(lines[at]) && !/^\s*```/.test(lines[at])) {
      const { item } = stack[stack.length - 1];
      item.append(" ");
      inline(item, lines[at].trim());
    } else if (lines[at].trim() || !ITEM.test(lines[at + 1] || "")) {
      break;
    }
  }
  return at;
}

function quoted(lines, from, target, depth) {
  let at = from;
  while (at < lines.length && /^\s{0,3}>/.test(lines[at])) ++at;
  const node = el("blockquote");
  markdown(node, lines.slice(from, at).map((line) => line.replace(/^\s{0,3}> ?/, "")).join("\n"), depth + 1);
  target.append(node);
  return at;
}

function table(lines, from, target) {
  const node = el("table"), head = el("tr"), body = el("tbody");
  const sides = tableRow(lines[from + 1]).map((rule) => (!rule.endsWith(":") ? "" : rule.startsWith(":") ? "middle" : "end"));
  const cells = (row, line, name) => tableRow(line).slice(0, 100).forEach((text, column) => {
    const cell = el(name, sides[column]);
    inline(cell, text);
    row.append(cell);
  });
  cells(head, lines[from], "th");
  let at = from + 2;
  for (; at < lines.length && lines[at].includes("|"); ++at) {
    const row = el("tr");
    cells(row, lines[at], "td");
    body.append(row);
  }
  node.append(el("thead", "", head), body);
  target.append(node);
  return at;
}

function markdown(target, text, depth = 0) {
  const lines = text.split("\n");
  if (depth > 6 || lines.length > 20000) return void target.append(el("p", "plain", text));
  let paragraph = [];
  const flush = () => {
    if (paragraph.length === 0) return;
    const node = el("p");
    paragraph.forEach((line, i) => {
      if (i > 0) node.append(/ {2}$/.test(paragraph[i - 1]) ? el("br") : "\n");
      inline(node, line);
    });
    target.append(node);
    paragraph = [];
  };
  for (let at = 0; at < lines.length; ) {
    const line = lines[at];
    const fence = /^\s{0,3}(`{3,}|~{3,})\s*([^`]*)$/.exec(line);
    const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
    if (fence) {
      flush();
      let end = at + 1;
      while (end < lines.length && !(lines[end].trim().startsWith(fence[1]) && /^[`~]+$/.test(lines[end].trim()))) ++end;
      target.append(code(lines.slice(at + 1, end).join("\n"), fence[2].trim().split(/\s/)[0]));
      at = end + 1;
    } else if (heading) {
      flush();
      const node = el("h" + Math.min(4, heading[1].length));
      inline(node, heading[2]);
      target.append(node);
      ++at;
    } else if (/^\s{0,3}([-*_])(?:\s*\1){2,}\s*$/.test(line)) {
      flush();
      target.append(el("hr"));
      ++at;
    } else if (/^\s{0,3}>/.test(line)) {
      flush();
      at = quoted(lines, at, target, depth);
    } else if (ITEM.test(line)) {
      flush();
      at = list(lines, at, target);
    } else if (line.includes("|") && /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/.test(lines[at + 1] || "") && lines[at + 1].includes("-")) {
      flush();
      at = table(lines, at, target);
    } else {
      if (line.trim()) paragraph.push(line);
      else flush();
      ++at;
    }
  }
  flush();
}
