// Pages of the guide as man(7) wants them.

#include "app/manual/pages.h"
#include "core/text/base.h"
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

// Text that looks like a request must not be one.
std::string guarded_line(std::string line) {
  return line.starts_with('.') || line.starts_with('\\') ? "\\&" + line : line;
}

std::string capitals(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - ('a' - 'A'));
  return out;
}

// Where to break a line that is too long for so many columns: after a blank or a comma.
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

// The indent of the rest of such a line: below its last column, if it has columns.
std::size_t hanging_indent(std::string_view line) {
  constexpr std::size_t furthest = 45, usual = 6;
  const std::size_t gap = line.rfind("  ");
  const std::size_t column = gap == std::string_view::npos ? 0 : gap + 2;
  return column > 0 && column <= furthest ? column : usual;
}

std::string literal(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Utf8Character each = first_character(text);
    out += each.good ? escaped(each.point) : "?";
    text.remove_prefix(each.length);
  }
  return out;
}

// With `code`, ``code``, **bold** and [links](…).
std::string marked(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t marks = std::min(text.find_first_not_of('`'), text.size());
    const std::string_view mark = marks > 0                ? text.substr(0, marks)
                                  : text.starts_with("**") ? text.substr(0, 2)
                                                           : std::string_view();
    const std::size_t end = mark.empty() ? std::string_view::npos : text.find(mark, mark.size());
    if (end != std::string_view::npos) {
      const std::string_view inner = text.substr(mark.size(), end - mark.size());
      out += "\\fB" + (mark == "**" ? marked(inner) : literal(marks > 1 ? trimmed(inner) : inner)) +
             "\\fR";
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

// Today, or SOURCE_DATE_EPOCH; "2026-11-16".
std::string page_date() {
  const std::string given = env("SOURCE_DATE_EPOCH");
  const auto seconds = parse_number<std::int64_t>(given);
  const bool fits = seconds && *seconds < 253'402'300'800;
  return utc_from_ms(fits ? *seconds * 1000 : now_ms()).substr(0, 10);
}

// Reads Markdown line by line.
class ManWriter {
 public:
  std::string out{};

  void read(std::string_view document) {
    for (const std::string_view line : split(document, '\n')) take(line);
    finish();
  }

 private:
  void take(std::string_view line) {
    if (line.starts_with("```")) {
      finish();
      out += in_code_ ? ".fi\n.RE\n" : ".PP\n.RS 4\n.nf\n";
      in_code_ = !in_code_;
    } else if (in_code_) {
      code(line);
    } else if (line.starts_with("# ")) {
      add_heading_ = ".SH DESCRIPTION\n";
    } else if (line.starts_with("## ")) {
      finish();
      add_heading_.clear();
      out += ".SH \"" + literal(capitals(line.substr(3))) + "\"\n";
    } else if (line.starts_with("### ")) {
      finish();
      out += ".SS \"" + literal(line.substr(4)) + "\"\n";
    } else if (line.starts_with('|')) {
      finish();
      row(line);
    } else if (trimmed(line).empty()) {
      finish();
    } else {
      const std::size_t digits = line.find_first_not_of("0123456789");
      if (line.starts_with("- ") || (digits > 0 && line.substr(digits).starts_with(". "))) {
        finish();
        bullet_ = line.substr(0, line.find(' '));
        line.remove_prefix(bullet_.size());
      }
      block_ += (block_.empty() ? "" : " ") + std::string(trimmed(line));
    }
    if (!line.starts_with('|')) rows_ = 0;
  }

  void code(std::string_view line) {
    std::string indent;
    const std::string hang(hanging_indent(line), ' ');
    while (indent.size() + layout::display_width(line) > code_columns) {
      const std::size_t at = break_in(line, code_columns - indent.size());
      out += guarded_line(literal(indent + std::string(line.substr(0, at)))) + "\n";
      line = line.substr(std::min(line.find_first_not_of(' ', at), line.size()));
      indent = hang;
    }
    out += guarded_line(literal(indent + std::string(line))) + "\n";
  }

  void under(const std::string& request, std::string_view text) {
    out += std::exchange(add_heading_, "") + request + "\n" + guarded_line(marked(trimmed(text))) +
           "\n";
  }

  // The first row of a table names its columns, the second is a rule; the pages do without both.
  void row(std::string_view line) {
    if (++rows_ <= 2) return;
    const std::vector<std::string_view> cells = split(trimmed(line, "| "), '|');
    std::string text;
    for (std::size_t i = 1; i < cells.size(); ++i)
      if (!trimmed(cells[i]).empty())
        text += (text.empty() ? "" : "; ") + std::string(trimmed(cells[i]));
    under(".TP\n" + guarded_line(marked(trimmed(cells.front()))), text);
  }

  // `-o, --output FILE`: text
  void finish() {
    const std::string_view text = block_;
    const std::size_t colon = text.find("`: ", 1);
    if (!text.empty() && text.starts_with('`') && colon == text.find('`', 1) && colon < text.size())
      under(".TP\n\\fB" + literal(text.substr(1, colon - 1)) + "\\fR", text.substr(colon + 3));
    else if (!text.empty())
      under(bullet_.empty()  ? ".PP"
            : bullet_ == "-" ? ".IP \\(bu 2"
                             : ".IP " + bullet_ + " 4",
            text);
    block_.clear();
    bullet_.clear();
  }

  std::string block_{}, bullet_{}, add_heading_{};
  bool in_code_ = false;
  std::size_t rows_ = 0;
};

int section_of(const Page& page) {
  return page.name == "skein" ? 1 : page.name == "configuration" || page.name == "format" ? 5 : 7;
}

}  // namespace

std::string man_name(const Page& page) {
  if (page.name == "skein") return "skein";
  return page.name == "configuration" ? "skein.toml" : "skein-" + std::string(page.name);
}

std::string man_page(const Page& page) {
  std::string title(page.title());
  if (title.size() > 1 && title[1] >= 'a' && title[1] <= 'z') title[0] = lower(title)[0];
  ManWriter writer;
  writer.out = ".TH " + literal(capitals(man_name(page))) + " " + std::to_string(section_of(page)) +
               " " + page_date() +
               " \"skein " SKEIN_VERSION "\" \"skein\"\n.nh\n.ad l\n.SH NAME\n" +
               literal(man_name(page)) + " \\- " + literal(title) + "\n";
  writer.read(markdown(page, LinkForm::man));
  writer.read("## See also\n\n**skein**(1), **skein.toml**(5), **skein-format**(5)\n");
  return writer.out;
}

}  // namespace skein::manual
