#include "repl/screen/markdown/line.h"

#include "core/text/std.h"

#include "core/text/text.h"

namespace skein::screen::markdown {

using layout::painted;

namespace {

using Kind = MarkdownLine::Kind;

constexpr std::size_t code_indent = 4;
constexpr std::size_t most_quotes = 8;

// Reads a line from left to right; `wait`: the input ended too early to decide.
class LineReader {
 public:
  LineReader(std::string_view text, bool whole, const TerminalStyle& look)
      : text_(text), whole_(whole), look_(look) {}

  std::optional<MarkdownLine> read(bool in_list) {
    for (;;) {
      const std::size_t indent = spaces();
      if (at_end()) return whole_ ? known(Kind::blank) : std::nullopt;
      if (rest()[0] == '>' && line_.quotes < most_quotes && !line_.item) {
        if (!quote(indent)) return std::nullopt;
        continue;
      }
      if (indent >= code_indent && !in_list && !line_.item) return known(Kind::code);
      at_ += indent;
      line_.margin += indent;
      line_.first.append(indent, ' ');
      line_.others.append(indent, ' ');
      const Step step = item();
      if (step == Step::wait) return std::nullopt;
      if (step == Step::no) break;
      in_list = true;
    }
    return leaf();
  }

 private:
  enum class Step { yes, no, wait };

  std::string_view rest() const { return text_.substr(at_); }
  bool at_end() const { return at_ + spaces() >= text_.size(); }
  std::size_t spaces() const { return std::min(rest().find_first_not_of(" \t"), rest().size()); }
  std::size_t run() const { return std::min(rest().find_first_not_of(rest()[0]), rest().size()); }

  std::optional<MarkdownLine> known(Kind kind) {
    line_.kind = kind;
    line_.content = at_;
    return line_;
  }

  // "> ": the space may be missing.
  bool quote(std::size_t indent) {
    const std::size_t mark = at_ + indent;
    if (mark + 1 >= text_.size() && !whole_) return false;
    at_ = mark + 1;
    if (at_ < text_.size() && text_[at_] == ' ') ++at_;
    ++line_.quotes;
    line_.margin = 0;
    const std::string bar = quote_bar(look_);
    line_.first += bar;
    line_.others += bar;
    return true;
  }

  // A run of one mark and spaces, to the end of the line: * * *, ---, ___
  Step rule() const {
    const char mark = rest()[0];
    if (mark != '*' && mark != '-' && mark != '_') return Step::no;
    if (std::ranges::any_of(rest(), [=](char c) { return c != mark && c != ' '; })) return Step::no;
    if (!whole_) return Step::wait;
    return std::ranges::count(rest(), mark) >= 3 ? Step::yes : Step::no;
  }

  Step item() {
    if (line_.item && line_.margin > 60) return Step::no;
    const char c = rest()[0];
    std::size_t mark = 1;
    if (c >= '0' && c <= '9') {
      mark = std::min(rest().find_first_not_of("0123456789"), rest().size());
      if (mark > 9) return Step::no;
      if (mark == rest().size()) return whole_ ? Step::no : Step::wait;
      if (rest()[mark] != '.' && rest()[mark] != ')') return Step::no;
      ++mark;
    } else if (c != '-' && c != '*' && c != '+') {
      return Step::no;
    }
    if (const Step step = rule(); step == Step::wait || step == Step::yes)
      return step == Step::wait ? step : Step::no;
    if (mark == rest().size()) return whole_ ? Step::no : Step::wait;
    if (rest()[mark] != ' ') return Step::no;
    const bool numbered = mark > 1;
    const std::string_view source = rest().substr(0, mark + 1);
    std::string shown(numbered || !is_rendered(look_) ? std::string(source) : "• ");
    std::size_t length = mark + 1;
    if (const Step step = numbered ? Step::no : task(length, shown); step == Step::wait)
      return step;
    const std::size_t columns = is_rendered(look_) && !numbered ? 2 : length;
    at_ += length;
    line_.item = true;
    line_.margin += columns;
    line_.first += shown;
    line_.others.append(columns, ' ');
    return Step::yes;
  }

  // "[ ] " or "[x] " after the mark of an item.
  Step task(std::size_t& length, std::string& shown) const {
    const std::string_view box = rest().substr(length, 4);
    constexpr std::string_view boxes[] = {"[ ] ", "[x] ", "[X] "};
    for (const std::string_view each : boxes) {
      if (box == each) {
        length += 4;
        const bool open = each[1] == ' ';
        shown = look_.labels   ? shown + (open ? "to do: " : "done: ")
                : look_.colour ? (open ? "☐ " : "☑ ")
                               : shown + std::string(each);
        return Step::yes;
      }
      if (box.size() < 4 && !whole_ && each.starts_with(box)) return Step::wait;
    }
    return Step::no;
  }

  std::optional<MarkdownLine> leaf() {
    if (at_end()) return whole_ ? known(Kind::prose) : std::nullopt;
    const char c = rest()[0];
    if (c == '|') return known(Kind::row);
    if (c == '#') {
      const std::size_t level = run();
      if (level == rest().size() && !whole_ && level <= 6) return std::nullopt;
      if (level > 6 || (level < rest().size() && rest()[level] != ' ')) return known(Kind::prose);
      line_.level = level;
      return known(Kind::heading);
    }
    if (c == '`' || c == '~') {
      const std::size_t length = run();
      if (length == rest().size() && !whole_) return std::nullopt;
      if (length < 3) return known(Kind::prose);
      line_.level = length;
      line_.mark = c;
      return known(Kind::fence);
    }
    const Step step = rule();
    if (step == Step::wait) return std::nullopt;
    return known(step == Step::yes ? Kind::rule : Kind::prose);
  }

  std::string_view text_;
  bool whole_;
  const TerminalStyle& look_;
  std::size_t at_ = 0;
  MarkdownLine line_{};
};

std::string_view without_indent(std::string_view line, std::size_t columns) {
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  return line.substr(std::min(indent, columns));
}

using Found = std::optional<Span>;
using SpanKind = Span::Kind;

bool is_punct(char c) { return c > 0x20 && c < 0x7F && !is_alphanumeric(c); }
bool is_space(char c) { return c == ' ' || c == '\t'; }

constexpr std::string_view special = "\\`*_~[!<&";
constexpr auto is_special = [] {
  std::array<bool, 256> table{};
  for (const char c : special) table[static_cast<unsigned char>(c)] = true;
  return table;
}();

std::size_t run_of(std::string_view text, std::size_t at) {
  const std::size_t end = text.find_first_not_of(text[at], at);
  return (end == std::string_view::npos ? text.size() : end) - at;
}

Span literal(std::string_view text, std::size_t length) {
  return {SpanKind::text, length, text.substr(0, length), {}};
}

// The end of a span is not in sight: wait for more, or treat its start as ordinary text.
Found open_ended(std::string_view text, std::size_t opener, bool whole) {
  if (whole || text.size() >= longest_span) return literal(text, opener);
  return std::nullopt;
}

Found code_span(std::string_view text, bool whole) {
  const std::size_t ticks = run_of(text, 0);
  if (ticks == text.size() && !whole && ticks < longest_span) return std::nullopt;
  const std::string_view reach = text.substr(0, longest_span);
  for (std::size_t at = reach.find('`', ticks); at != std::string_view::npos;
       at = reach.find('`', at)) {
    const std::size_t run = run_of(reach, at);
    if (at + run == reach.size() && !whole && reach.size() < longest_span) return std::nullopt;
    if (run == ticks) {
      std::string_view inner = reach.substr(ticks, at - ticks);
      if (inner.size() > 2 && inner.front() == ' ' && inner.back() == ' ')
        inner = inner.substr(1, inner.size() - 2);
      return Span{SpanKind::code, at + run, inner, {}};
    }
    at += run;
  }
  return open_ended(text, ticks, whole);
}

// The position behind an escape or a code span at `at`, in which no span ends.
std::size_t past_opaque(std::string_view text, std::size_t at) {
  if (text[at] == '\\') return std::min(at + 2, text.size());
  if (text[at] != '`') return at + 1;
  const std::size_t ticks = run_of(text, at);
  for (std::size_t end = text.find('`', at + ticks); end != std::string_view::npos;) {
    const std::size_t run = run_of(text, end);
    if (run == ticks) return end + run;
    end = text.find('`', end + run);
  }
  return at + ticks;
}

// `*` and `_` do nothing inside a word: 2*3*4 and snake_case_names stay what they are.
Found emphasis(std::string_view text, char before, bool whole) {
  const char mark = text[0];
  const std::size_t marks = run_of(text, 0);
  if (marks == text.size()) return open_ended(text, marks, whole);
  const bool strike = mark == '~';
  if (marks > 3 || (strike && marks != 2) || is_space(text[marks]) || is_alphanumeric(before))
    return literal(text, marks);

  const std::string_view reach = text.substr(0, longest_span);
  for (std::size_t at = marks; at < reach.size();) {
    if (reach[at] != mark) {
      at = past_opaque(reach, at);
      continue;
    }
    const std::size_t run = run_of(reach, at), after = at + run;
    if (after == reach.size() && !whole && reach.size() < longest_span) return std::nullopt;
    const bool fits = run == marks || (run == 3 && marks < 3);
    if (fits && at > marks && !is_space(reach[at - 1]) &&
        (after == reach.size() || !is_alphanumeric(reach[after])))
      return Span{strike       ? SpanKind::strike
                  : marks == 1 ? SpanKind::emphasis
                  : marks == 2 ? SpanKind::strong
                               : SpanKind::both,
                  after,
                  reach.substr(marks, after - 2 * marks),
                  {}};
    at = after;
  }
  return open_ended(text, marks, whole);
}

// [text](address) or [text](address "title")
Found link(std::string_view text, std::size_t opener, bool whole) {
  const std::string_view reach = text.substr(0, longest_span);
  std::size_t at = opener, depth = 1;
  while (at < reach.size() && depth > 0) {
    if (reach[at] == '[') ++depth;
    if (reach[at] == ']') --depth;
    at = depth == 0 ? at + 1 : past_opaque(reach, at);
  }
  if (depth > 0 || at >= reach.size()) return open_ended(text, opener, whole);
  if (reach[at] != '(') return literal(text, opener);
  const std::string_view shown = reach.substr(opener, at - 1 - opener);
  const std::size_t start = at + 1;
  for (depth = 1; ++at < reach.size();) {
    if (reach[at] == '(') ++depth;
    if (reach[at] == ')' && --depth == 0) break;
  }
  if (at >= reach.size()) return open_ended(text, opener, whole);
  std::string_view address = reach.substr(start, at - start);
  address = address.substr(0, address.find_first_of(" \t"));
  if (shown.empty() || address.empty()) return literal(text, at + 1);
  return Span{SpanKind::link, at + 1, shown, address};
}

Found angle_link(std::string_view text, bool whole) {
  constexpr std::string_view schemes[] = {"<https://", "<http://", "<mailto:"};
  for (const std::string_view scheme : schemes) {
    if (!whole && text.size() < scheme.size() && scheme.starts_with(text)) return std::nullopt;
    if (!text.starts_with(scheme)) continue;
    const std::size_t end = text.substr(0, longest_span).find_first_of("> \t");
    if (end == std::string_view::npos) return open_ended(text, 1, whole);
    if (text[end] != '>') return literal(text, 1);
    const std::string_view address = text.substr(1, end - 1);
    return Span{SpanKind::link, end + 1, address, address};
  }
  return literal(text, 1);
}

// The character references that models use in prose; others, which could be anything, are kept.
struct CharacterReference {
  std::string_view source, shown;
};
constexpr CharacterReference references[] = {{"&amp;", "&"},   {"&lt;", "<"},   {"&gt;", ">"},
                                             {"&quot;", "\""}, {"&apos;", "'"}, {"&#39;", "'"},
                                             {"&#34;", "\""},  {"&nbsp;", " "}};

// Those of a whole text.
void for_each_span(std::string_view text, const auto& take) {
  for (char before = 0; !text.empty();) {
    const Span span = *first_span(text, before, true);
    take(span);
    before = text[span.length - 1];
    text.remove_prefix(span.length);
  }
}

Found reference(std::string_view text, bool whole) {
  for (const auto& [source, shown] : references) {
    if (text.starts_with(source)) return Span{SpanKind::text, source.size(), shown, {}};
    if (!whole && source.starts_with(text)) return std::nullopt;
  }
  return literal(text, 1);
}

}  // namespace

std::optional<MarkdownLine> read_markdown_line(std::string_view text, bool whole, bool in_list,
                                               const TerminalStyle& look) {
  return LineReader(text, whole, look).read(in_list);
}

std::string quote_bar(const TerminalStyle& look) {
  if (look.labels) return "quote: ";
  return look.colour ? painted("│", style::dim, look) + " " : "> ";
}

std::size_t strip_quotes(std::string_view& text, std::size_t quotes) {
  std::size_t found = 0;
  for (; found < quotes; ++found) {
    const std::size_t mark = text.find_first_not_of(' ');
    if (mark == std::string_view::npos || text[mark] != '>') break;
    text.remove_prefix(mark + 1);
    if (text.starts_with(' ')) text.remove_prefix(1);
  }
  return found;
}

bool closes(std::string_view line, const MarkdownLine& fence) {
  const std::size_t start = line.find_first_not_of(' ');
  if (start == std::string_view::npos || start > fence.margin + 3) return false;
  const std::size_t marks =
      std::min(line.find_first_not_of(fence.mark, start), line.size()) - start;
  return marks >= fence.level &&
         line.find_first_not_of(" \t", start + marks) == std::string_view::npos;
}

std::vector<std::string> code_blocks(std::string_view text) {
  std::vector<std::string> out;
  std::optional<MarkdownLine> fence;
  bool in_list = false;
  for (std::string_view line : split(text, '\n')) {
    if (fence) {
      strip_quotes(line, fence->quotes);
      if (closes(line, *fence))
        fence.reset();
      else
        out.back() += std::string(without_indent(line, fence->margin)) + "\n";
      continue;
    }
    const std::optional<MarkdownLine> read = read_markdown_line(line, true, in_list, {});
    if (!read) continue;
    in_list =
        read->item || (in_list && (read->kind == MarkdownLine::Kind::blank || read->margin > 0));
    if (read->kind == MarkdownLine::Kind::fence) {
      fence = read;
      out.emplace_back();
    }
  }
  return out;
}

std::optional<Span> first_span(std::string_view text, char before, bool whole) {
  std::size_t run = 0;
  while (run < text.size() && !is_special[static_cast<unsigned char>(text[run])]) ++run;
  if (run > 0) return literal(text, run);

  // The rest of a run whose start was taken for ordinary characters.
  if (text[0] == before && std::string_view("`*_~").find(before) != std::string_view::npos)
    return literal(text, run_of(text, 0));
  const bool alone = text.size() == 1;
  switch (text[0]) {
    case '\\':
      if (alone && !whole) return std::nullopt;
      if (alone || !is_punct(text[1])) return literal(text, 1);
      return Span{SpanKind::text, 2, text.substr(1, 1), {}};
    case '`': return code_span(text, whole);
    case '[': return link(text, 1, whole);
    case '!':
      if (alone && !whole) return std::nullopt;
      return !alone && text[1] == '[' ? link(text, 2, whole) : literal(text, 1);
    case '<': return angle_link(text, whole);
    case '&': return reference(text, whole);
    default: return emphasis(text, before, whole);
  }
}

void add_span(const Span& span, Style style, const TerminalStyle& look, Flow& flow) {
  switch (span.kind) {
    case SpanKind::text: flow.add(span.inner, style); return;
    case SpanKind::code: flow.add(span.inner, style | style::code); break;
    case SpanKind::emphasis: add_spans(span.inner, style | style::emphasis, look, flow); break;
    case SpanKind::strong: add_spans(span.inner, style | style::strong, look, flow); break;
    case SpanKind::both:
      add_spans(span.inner, style | style::strong | style::emphasis, look, flow);
      break;
    case SpanKind::strike: add_spans(span.inner, style | style::strike, look, flow); break;
    case SpanKind::link: {
      const std::string start = layout::start_of_link(span.address, look);
      flow.add_unseen(start);
      add_spans(span.inner, style | style::link, look, flow);
      if (!start.empty()) flow.add_unseen(layout::end_of_link);
      // The target of a link is always shown: its text may claim something else.
      if (span.inner != span.address) {
        flow.close();  // the space is not part of the link
        flow.add(" (", style | style::dim);
        flow.add(span.address, style | style::dim);
        flow.add(")", style | style::dim);
      }
      break;
    }
  }
  if (style == style::plain) flow.close();
}

void add_spans(std::string_view text, Style style, const TerminalStyle& look, Flow& flow) {
  if (!is_rendered(look)) return flow.add(text, style);
  for_each_span(text, [&](const Span& span) { add_span(span, style, look, flow); });
}

std::string without_marks(std::string_view text) {
  std::string out;
  for_each_span(text, [&](const Span& span) {
    const bool nested = span.kind != SpanKind::text && span.kind != SpanKind::code;
    out += nested ? without_marks(span.inner) : span.inner;
  });
  return out;
}

}  // namespace skein::screen::markdown
