#include "repl/screen/markdown/line.h"

#include <algorithm>

namespace skein::screen::markdown {

namespace style = layout::style;
using layout::painted;

namespace {

using Kind = MarkdownLine::Kind;

constexpr std::size_t code_indent = 4;
constexpr std::size_t most_quotes = 8;

// Reads a line from left to right; `wait`: the input ended too early to decide.
class Reader {
 public:
  Reader(std::string_view text, bool whole, const TerminalStyle& look)
      : text_(text), whole_(whole), look_(look) {}

  std::optional<MarkdownLine> read(bool in_list) {
    for (;;) {
      const std::size_t indent = spaces();
      if (at_end()) return whole_ ? told(Kind::blank) : std::nullopt;
      if (rest()[0] == '>' && line_.quotes < most_quotes && !line_.item) {
        if (!quote(indent)) return std::nullopt;
        continue;
      }
      if (indent >= code_indent && !in_list && !line_.item) return told(Kind::code);
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

  std::optional<MarkdownLine> told(Kind kind) {
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
    if (at_end()) return whole_ ? told(Kind::prose) : std::nullopt;
    const char c = rest()[0];
    if (c == '|') return told(Kind::row);
    if (c == '#') {
      const std::size_t level = run();
      if (level == rest().size() && !whole_ && level <= 6) return std::nullopt;
      if (level > 6 || (level < rest().size() && rest()[level] != ' ')) return told(Kind::prose);
      line_.level = level;
      return told(Kind::heading);
    }
    if (c == '`' || c == '~') {
      const std::size_t length = run();
      if (length == rest().size() && !whole_) return std::nullopt;
      if (length < 3) return told(Kind::prose);
      line_.level = length;
      line_.mark = c;
      return told(Kind::fence);
    }
    const Step step = rule();
    if (step == Step::wait) return std::nullopt;
    return told(step == Step::yes ? Kind::rule : Kind::prose);
  }

  std::string_view text_;
  bool whole_;
  const TerminalStyle& look_;
  std::size_t at_ = 0;
  MarkdownLine line_{};
};

}  // namespace

std::optional<MarkdownLine> read_markdown_line(std::string_view text, bool whole, bool in_list,
                                               const TerminalStyle& look) {
  return Reader(text, whole, look).read(in_list);
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

}  // namespace skein::screen::markdown
