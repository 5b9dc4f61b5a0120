#include "repl/screen/markdown/span.h"

#include <algorithm>
#include <array>

namespace skein::screen::markdown {

namespace {

using Found = std::optional<Span>;
using SpanKind = Span::Kind;

bool is_alnum(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_punct(char c) { return c > 0x20 && c < 0x7F && !is_alnum(c); }
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

// The position behind what starts at `at` and may not hold an end of a span: an escape, a code
// span.
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
  if (marks > 3 || (strike && marks != 2) || is_space(text[marks]) || is_alnum(before))
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
        (after == reach.size() || !is_alnum(reach[after])))
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

// The character references that models use in prose. Others are left alone: a numeric one could be
// any character.
struct Reference {
  std::string_view source, shown;
};
constexpr Reference references[] = {{"&amp;", "&"},   {"&lt;", "<"},   {"&gt;", ">"},
                                    {"&quot;", "\""}, {"&apos;", "'"}, {"&#39;", "'"},
                                    {"&#34;", "\""},  {"&nbsp;", " "}};

Found reference(std::string_view text, bool whole) {
  for (const auto& [source, shown] : references) {
    if (text.starts_with(source)) return Span{SpanKind::text, source.size(), shown, {}};
    if (!whole && source.starts_with(text)) return std::nullopt;
  }
  return literal(text, 1);
}

}  // namespace

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
  char before = 0;
  while (!text.empty()) {
    const Span span = *first_span(text, before, true);
    add_span(span, style, look, flow);
    before = text[span.length - 1];
    text.remove_prefix(span.length);
  }
}

}  // namespace skein::screen::markdown
