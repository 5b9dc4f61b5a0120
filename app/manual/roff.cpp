#include "app/manual/roff.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "core/text/text.h"
#include "core/text/utf8.h"
#include "repl/layout/width.h"

namespace skein::manual {

namespace {

constexpr std::size_t code_columns = 66;  // of 80, behind two indents

std::string escaped(char32_t point) {
  switch (point) {
    case U'\\': return "\\e";
    case U'-': return "\\-";
    case U'\'': return "\\(aq";
    case U'`': return "\\(ga";
    case U'^': return "\\(ha";
    case U'~': return "\\(ti";
    case U'"': return "\\(dq";
    default: break;
  }
  if (point < 0x80) return std::string(1, static_cast<char>(point));
  char out[16];
  std::snprintf(out, sizeof out, "\\[u%04X]", static_cast<unsigned>(point));
  return out;
}

// A line that begins like a request is none.
std::string guarded_line(std::string line) {
  return line.starts_with('.') || line.starts_with('\\') ? "\\&" + line : line;
}

std::string capitals(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - ('a' - 'A'));
  return out;
}

// Where a line that is too long for so many columns is best broken: behind a blank or a comma.
std::size_t break_in(std::string_view line, std::size_t most) {
  std::size_t at = 0, columns = 0, best = 0;
  while (at < line.size() && columns < most) {
    const layout::Grapheme each = layout::first_grapheme(line.substr(at));
    at += each.bytes;
    columns += each.columns;
    if (line[at - 1] == ' ' || line[at - 1] == ',') best = at;
  }
  return best == 0 ? at : best;
}

// Where the rest of such a line goes on: below its last column, if it has columns.
std::size_t hanging_indent(std::string_view line) {
  constexpr std::size_t furthest = 45, usual = 6;
  const std::size_t gap = line.rfind("  ");
  const std::size_t column = gap == std::string_view::npos ? 0 : gap + 2;
  return column > 0 && column <= furthest ? column : usual;
}

}  // namespace

std::string literal(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Utf8Character each = first_character(text);
    out += each.good ? escaped(each.point) : "?";
    text.remove_prefix(each.length);
  }
  return out;
}

std::string marked(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto [mark, bold] = text.starts_with("**")  ? std::pair{std::string_view("**"), true}
                              : text.starts_with('`') ? std::pair{std::string_view("`"), true}
                                                      : std::pair{std::string_view(), false};
    const std::size_t end = bold ? text.find(mark, mark.size()) : std::string_view::npos;
    if (end != std::string_view::npos) {
      const std::string_view inner = text.substr(mark.size(), end - mark.size());
      out += "\\fB" + (mark == "**" ? marked(inner) : literal(inner)) + "\\fR";
      text.remove_prefix(end + mark.size());
      continue;
    }
    if (const std::size_t turn = text.find("](");
        text.starts_with('[') && turn < text.find(']') + 1)
      if (const std::size_t close = text.find(')', turn); close != std::string_view::npos) {
        out += marked(text.substr(1, turn - 1));
        text.remove_prefix(close + 1);
        continue;
      }
    const std::size_t length = first_character(text).length;
    out += literal(text.substr(0, length));
    text.remove_prefix(length);
  }
  return out;
}

std::string sentence(std::string_view text) {
  std::string out(trimmed(text));
  const std::string_view first = std::string_view(out).substr(0, out.find_first_of(" ,;:"));
  const bool plain =
      first.find_first_not_of("abcdefghijklmnopqrstuvwxyz'") == std::string_view::npos;
  const bool names_itself = out.find(": ") == first.size();  // "text: a model sees …"
  if (plain && !names_itself && !out.empty() && out[0] >= 'a' && out[0] <= 'z')
    out[0] = static_cast<char>(out[0] - ('a' - 'A'));
  if (!out.empty() && !out.ends_with('.') && !out.ends_with('?')) out += '.';
  return out;
}

Roff::Roff(std::string_view name, int section, std::string_view date) {
  out_ = ".TH " + literal(capitals(name)) + " " + std::to_string(section) + " " +
         std::string(date) + " \"skein " SKEIN_VERSION "\" \"skein\"\n.nh\n.ad l\n";
}

void Roff::heading(std::string_view text) { out_ += ".SH \"" + literal(capitals(text)) + "\"\n"; }
void Roff::subheading(std::string_view text) { out_ += ".SS \"" + literal(text) + "\"\n"; }

void Roff::name(std::string_view page, std::string_view summary) {
  out_ += ".SH NAME\n" + literal(page) + " \\- " + literal(summary) + "\n";
}

void Roff::paragraph(std::string_view text) {
  out_ += ".PP\n" + guarded_line(marked(trimmed(text))) + "\n";
}

void Roff::term(std::string_view tag, std::string_view text) {
  out_ += ".TP\n\\fB" + literal(tag) + "\\fR\n" + guarded_line(marked(trimmed(text))) + "\n";
}

void Roff::bullet(std::string_view text) {
  out_ += ".IP \\(bu 2\n" + guarded_line(marked(trimmed(text))) + "\n";
}

void Roff::code(std::string_view lines) {
  out_ += ".PP\n.RS 4\n.nf\n";
  for (std::string_view line : split(lines, '\n')) {
    std::string indent;
    const std::string hang(hanging_indent(line), ' ');
    while (indent.size() + layout::display_width(line) > code_columns) {
      const std::size_t at = break_in(line, code_columns - indent.size());
      out_ += guarded_line(literal(indent + std::string(line.substr(0, at)))) + "\n";
      line = line.substr(std::min(line.find_first_not_of(' ', at), line.size()));
      indent = hang;
    }
    out_ += guarded_line(literal(indent + std::string(line))) + "\n";
  }
  out_ += ".fi\n.RE\n";
}

}  // namespace skein::manual
