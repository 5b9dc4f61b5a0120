// One entry as an element.

function lineCount(text) {
  const lines = text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  return lines === 1 ? "1 line" : `${lines.toLocaleString("en")} lines`;
}

// A folded part is filled when it is first opened: most never are.
function fold(className, title, brief, count, fill) {
  const node = el("details", "fold " + className, el("summary", "", el("b", "", title), el("span", "brief", brief), el("span", "count", count)));
  let filled = false;
  node.fill = () => {
    if (filled) return;
    filled = true;
    const inner = el("div");
    fill(inner);
    node.append(inner);
  };
  node.addEventListener("toggle", () => node.open && node.fill());
  return node;
}

function briefly(input) {
  if (input === null || typeof input !== "object") return "";
  const first = input.path ?? input.file_path ?? input.command ?? input.pattern ?? input.query ?? input.url ?? Object.values(input)[0];
  return first === undefined ? "" : (typeof first === "string" ? first : JSON.stringify(first)).slice(0, 300).replace(/\s+/g, " ");
}

function callBody(inner, name, input) {
  const before = input?.old_text ?? input?.old_string ?? input?.oldText, after = input?.new_text ?? input?.new_string ?? input?.newText;
  if (typeof before === "string" && typeof after === "string") inner.append(differenceBlock(before, after));
  else if (/^write/i.test(name) && typeof input?.content === "string") inner.append(differenceBlock("", input.content));
  else if (typeof input?.command === "string") inner.append(code(input.command, "sh"));
  else if (!isBrief(input)) inner.append(code(JSON.stringify(input, null, 2), "json"));
}

// Whether the line that is always seen says all of it.
function isBrief(input) {
  const values = input !== null && typeof input === "object" ? Object.values(input) : [];
  return values.length === 1 && typeof values[0] === "string" && values[0].length < 60 && briefly(input) === values[0];
}

function resultBody(inner, result) {
  if (result[3]) inner.append(code(result[3], looksLikeChanges(result[3]) ? "diff" : "text"));
  for (const source of result[4] || []) inner.append(picture(source));
}

function callElement(call, result) {
  const [, , name, input] = call;
  const failed = result && result[2];
  return fold("tool" + (failed ? " bad" : ""), name, briefly(input), !result ? "no result" : failed ? "failed" : lineCount(result[3]), (inner) => {
    callBody(inner, name, input);
    if (!result) return;
    if (inner.firstChild) inner.append(el("p", "label", failed ? "failed with" : "result"));
    resultBody(inner, result);
  });
}

function blockElements(block, results) {
  switch (block[0]) {
    case "t": {
      const part = el("div", "body");
      markdown(part, block[1]);
      return [...part.childNodes];
    }
    case "k": return [fold("think", "thinking", block[1].slice(0, 200).replace(/\s+/g, " "), "", (inner) => inner.append(el("p", "plain", block[1])))];
    case "i": return [picture(block[1])];
    case "c": return [callElement(block, results.get(block[1]))];
    case "r": return [fold("tool" + (block[2] ? " bad" : ""), "result", block[3].slice(0, 200), lineCount(block[3]), (inner) => resultBody(inner, block))];
    default: return [];
  }
}

function when(timestamp) {
  const date = new Date(timestamp);
  if (isNaN(date)) return null;
  const node = el("time", "", date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" }));
  node.dateTime = timestamp;
  return node;
}

const NAMES = { user: "You", tool: "Tool", skein: "skein", summary: "Summary of earlier messages" };

function entryElement(entry, results, called) {
  const node = el(entry.t === "note" ? "div" : "article", "entry " + entry.t);
  node.id = "e-" + entry.i;
  if (entry.t === "note") {
    const text = el("span", "", entry.n);
    if (entry.l) text.replaceChildren(fold("", entry.n, "", lineCount(entry.l), (inner) => inner.append(el("pre", "plain", entry.l))));
    node.className = "note";
    node.append(text);
    return node;
  }
  // Results are shown with their calls.
  const blocks = entry.b.filter((block) => !(block[0] === "r" && called.has(block[1])));
  if (blocks.length === 0 && !entry.e) {
    node.classList.add("empty");
    return node;
  }
  const link = el("a", "", el("b", "", entry.m || NAMES[entry.t] || "Assistant"));
  link.href = "#e-" + entry.i;
  const body = el("div", "body");
  for (const block of blocks) body.append(...blockElements(block, results));
  if (entry.e) body.append(el("p", "error", entry.e));
  node.append(el("header", "who", link, when(entry.at) || ""), body);
  return node;
}

// Everything in it that can be searched.
function wordsOf(entry) {
  if (entry.words === undefined) {
    const parts = [entry.n || "", entry.l || "", entry.e || ""];
    for (const block of entry.b || [])
      parts.push(block[0] === "c" ? block[2] + " " + JSON.stringify(block[3]) : block[0] === "r" ? block[3] : block[0] === "i" ? "" : block[1]);
    entry.words = parts.join("\n").toLowerCase();
  }
  return entry.words;
}
