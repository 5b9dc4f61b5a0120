// Code and changes of code, lightly coloured.

const WORDS = new Set(
  ("abstract and as async await break case catch class const constexpr continue def default defer del do done elif else enum " +
    "except export extends extern false fi final finally fn for from func function global go goto if impl implements import in " +
    "inline interface is lambda let local match mod module mut namespace new nil None not null nullptr operator or package pass " +
    "private protected pub public raise return select self static struct super switch template then this throw throws trait " +
    "True False true try type typedef typename union unless unsafe until use using var virtual void volatile when where while " +
    "with yield auto bool char double float int long short signed unsigned size_t string").split(" "));
const HASH_COMMENTS = /^(?:sh|bash|zsh|fish|shell|console|py|python|rb|ruby|toml|yaml|yml|make|makefile|cmake|dockerfile|r|perl|nix|ini|conf)$/i;
const MOST_COLOURED = 60000;

function colour(target, text, language) {
  const comment = HASH_COMMENTS.test(language) ? "#[^\\n]*" : "\\/\\/[^\\n]*|\\/\\*[\\s\\S]*?\\*\\/" + (language ? "" : "|(?<=^|\\s)# [^\\n]*");
  const token = new RegExp(
    `(${comment})|("(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\\\n]|\\\\.)*'|\`(?:[^\`\\\\]|\\\\.)*\`)|\\b(0[xX][\\da-fA-F]+|\\d+(?:\\.\\d+)?)\\b|\\b([A-Za-z_]\\w*)\\b`, "gm");
  let at = 0;
  for (const match of text.matchAll(token)) {
    const kind = match[1] ? "c" : match[2] ? "s" : match[3] ? "n" : WORDS.has(match[4]) ? "k" : "";
    if (!kind) continue;
    target.append(text.slice(at, match.index), el("span", kind, match[0]));
    at = match.index + match[0].length;
  }
  target.append(text.slice(at));
}

function changes(target, lines) {
  if (lines[lines.length - 1] === "") lines.pop();
  for (const line of lines) {
    const kind = /^(?:@@|diff |index |--- |\+\+\+ )/.test(line) ? "hunk" : line[0] === "+" ? "add" : line[0] === "-" ? "del" : "";
    target.append(kind ? el("span", kind, line + "\n") : line + "\n");
  }
}

function looksLikeChanges(text) {
  return /^@@ -\d+(?:,\d+)? \+\d+/m.test(text) || /^--- \S[^\n]*\n\+\+\+ \S/m.test(text);
}

function code(text, language = "") {
  const inner = el("code");
  if (/^(?:diff|patch)$/i.test(language) || (!language && looksLikeChanges(text))) changes(inner, text.split("\n"));
  else if (text.length > MOST_COLOURED || /^(?:text|txt|plain|output)$/i.test(language)) inner.append(text);
  else colour(inner, text, language);
  return el("pre", "", inner);
}

// What an edit does, line by line: what both have at their ends is context, what stays in between is
// found by the longest common run where the texts are small.
function difference(before, after) {
  const a = before === "" ? [] : before.split("\n"), b = after === "" ? [] : after.split("\n");
  let head = 0, tail = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) ++head;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) ++tail;
  const x = a.slice(head, a.length - tail), y = b.slice(head, b.length - tail);
  const middle = x.length * y.length > 250000 ? [...x.map((l) => "-" + l), ...y.map((l) => "+" + l)] : aligned(x, y);
  return [...a.slice(0, head).map((l) => " " + l), ...middle, ...a.slice(a.length - tail).map((l) => " " + l)];
}

function aligned(x, y) {
  const rows = Array.from({ length: x.length + 1 }, () => new Uint32Array(y.length + 1));
  for (let i = x.length - 1; i >= 0; --i)
    for (let j = y.length - 1; j >= 0; --j)
      rows[i][j] = x[i] === y[j] ? rows[i + 1][j + 1] + 1 : Math.max(rows[i + 1][j], rows[i][j + 1]);
  const out = [];
  let i = 0, j = 0;
  while (i < x.length || j < y.length) {
    if (i < x.length && j < y.length && x[i] === y[j]) out.push(" " + x[i++]), ++j;
    else if (i < x.length && (j === y.length || rows[i + 1][j] >= rows[i][j + 1])) out.push("-" + x[i++]);
    else out.push("+" + y[j++]);
  }
  return out;
}

function differenceBlock(before, after) {
  const inner = el("code");
  changes(inner, difference(String(before), String(after)));
  return el("pre", "", inner);
}
