#include "repl/screen/markdown/highlight.h"

#include "core/text/std.h"

#include "core/text/text.h"
#include "repl/layout/flow.h"
#include "repl/layout/width.h"

namespace skein::screen::markdown {

// What the colouring of code knows about a language: a row of a table, no grammar.
struct Language {
  struct Comments {
    std::string_view line{};                       // to the end of the line
    std::string_view block_open{}, block_close{};  // over several lines
  };
  // "#include" at the start of a line; "name:" and "name =" there; "<name"; keywords in capitals.
  enum class Feature { none, directives, keys, tags, any_case };
  using enum Feature;

  std::string_view names;  // as fences name it; like all lists here with blanks between
  Comments comments;
  std::string_view quotes;       // of strings that end with their line
  std::string_view long_quotes;  // of strings over several lines
  std::string_view keywords;
  Feature feature = none;
};

namespace {

constexpr Language::Comments c_style{"//", "/*", "*/"}, hash{"#"};

constexpr Language table[] = {
    {"c cc cpp c++ cxx h hpp objc cuda", c_style, "\"'", "",
     "alignas auto bool break case catch char char32_t class co_await co_return co_yield concept "
     "const consteval constexpr constinit continue decltype default delete do double else enum "
     "explicit export extern false final float for friend goto if inline int long mutable "
     "namespace new noexcept nullptr operator override private protected public register "
     "requires return short signed size_t sizeof static static_assert static_cast struct switch "
     "template this throw true try typedef typename union unsigned using virtual void volatile "
     "while",
     Language::directives},
    {"python py python3 pycon", hash, "\"'", "\"\"\" '''",
     "False None True and as assert async await break case class continue def del elif else "
     "except finally for from global if import in is lambda match nonlocal not or pass raise "
     "return self try while with yield"},
    {"javascript js jsx mjs typescript ts tsx", c_style, "\"'", "`",
     "abstract any as async await boolean break case catch class const continue debugger declare "
     "default delete do else enum export extends false finally for from function get if "
     "implements import in instanceof interface let new null number of private protected public "
     "readonly return set static string super switch this throw true try type typeof undefined "
     "var void while yield"},
    {"rust rs", c_style, "\"", "",
     "Err None Ok Self Some as async await bool break const continue crate dyn else enum extern "
     "f32 f64 false fn for i32 i64 if impl in let loop match mod move mut pub ref return self "
     "static str struct super trait true type u32 u64 u8 unsafe use usize where while"},
    {"go golang", c_style, "\"'", "`",
     "any bool break byte case chan const continue default defer else error fallthrough false "
     "float64 for func go goto if import int int64 interface map nil package range return rune "
     "select string struct switch true type var"},
    {"java kotlin kt csharp cs c# scala swift dart", c_style, "\"'", "\"\"\"",
     "abstract as async await boolean break case catch char class const continue default do "
     "double else enum extends extension false final finally float for foreach fun func guard if "
     "implements import in int interface internal is let long namespace new null object open "
     "override package private protected public readonly record return sealed static string "
     "struct super switch this throw throws true try typealias using val var virtual void when "
     "where while with"},
    {"sh bash shell zsh console fish dockerfile docker make makefile", hash, "\"'", "",
     "ADD CMD COPY ENTRYPOINT ENV EXPOSE FROM RUN WORKDIR case cd do done echo elif else esac "
     "eval exec exit export fi for function if in local printf return set shift source then trap "
     "unset until while"},
    {"cmake", hash, "\"", "",
     "add_executable add_library add_subdirectory add_test else elseif endforeach endfunction "
     "endif find_package foreach function if include install message option project set "
     "target_compile_options target_include_directories target_link_libraries",
     Language::any_case},
    {"ruby rb elixir ex", hash, "\"'", "",
     "alias and begin break case class def defmodule do else elsif end ensure false for if in "
     "module next nil not or private raise redo rescue require retry return self super then true "
     "undef unless until when while yield"},
    {"lua",
     {"--", "--[[", "]]"},
     "\"'",
     "",
     "and break do else elseif end false for function goto if in local nil not or repeat return "
     "then true until while"},
    {"sql mysql postgres postgresql sqlite plsql",
     {"--", "/*", "*/"},
     "'\"",
     "",
     "add all alter and as asc begin between by case check column commit constraint create cross "
     "default delete desc distinct drop else end exists foreign from full group having if in "
     "index inner insert into is join key left like limit not null offset on or order outer "
     "primary references returning right rollback select set table then transaction union unique "
     "update values view when where with",
     Language::any_case},
    {"json jsonc json5 jsonl", {"//"}, "\"", "", "false null true"},
    {"yaml yml toml ini conf properties", hash, "\"'", "", "false no null off on true yes",
     Language::keys},
    {"html xml svg vue xhtml", {"", "<!--", "-->"}, "\"", "", "", Language::tags},
    {"css scss less",
     {"", "/*", "*/"},
     "\"'",
     "",
     "absolute auto block bold center fixed flex grid hidden important inherit inline none "
     "relative solid",
     Language::keys},
};

bool is_word(char c) {
  return is_alphanumeric(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

std::size_t word_length(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_word) - text.begin());
}

// The position after the end of a string opened by `quote`; npos: not in this text.
std::size_t end_of_string(std::string_view text, std::size_t from, std::string_view quote) {
  for (std::size_t at = from; at < text.size(); ++at) {
    if (text[at] == '\\')
      ++at;
    else if (text.substr(at).starts_with(quote))
      return at + quote.size();
  }
  return std::string_view::npos;
}

// Whether what follows belongs to a name with hyphens, as in eu-central-1.
bool in_hyphenated_name(std::string_view before) {
  if (!before.ends_with('-')) return false;
  before.remove_suffix(1);
  std::size_t start = before.size();
  while (start > 0 && is_word(before[start - 1])) --start;
  return start < before.size() && !is_digit(before[start]);
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t-") == std::string_view::npos;
}

}  // namespace

struct Highlighter::Piece {
  std::size_t length = 1;
  Style style{};
};

Highlighter::Highlighter(std::string_view info) {
  const std::string_view name = info.substr(0, info.find_first_of(" \t,{:"));
  diff_ = name == "diff" || name == "patch";
  const std::string small = lower(name);
  const auto* const found = std::ranges::find_if(
      table, [&](const Language& each) { return has_word(each.names, small); });
  if (found == std::end(table)) return;  // not known, and shown without colours
  language_ = found;
  keywords_ = split(language_->keywords, ' ');
  std::ranges::sort(keywords_);
}

bool Highlighter::is_keyword(std::string_view word) const {
  if (language_->feature != Language::any_case) return std::ranges::binary_search(keywords_, word);
  return std::ranges::binary_search(keywords_, std::string_view(lower(word)));
}

Highlighter::Piece Highlighter::rest_of_long(std::string_view text) {
  const bool comment = open_ == language_->comments.block_close;
  const std::size_t found = comment ? text.find(open_) : end_of_string(text, 0, open_);
  const Style style = comment ? style::comment : style::literal;
  if (found == std::string_view::npos) return {text.size(), style};
  const std::size_t length = comment ? found + open_.size() : found;
  open_ = {};
  return {length, style};
}

Highlighter::Piece Highlighter::first_piece(std::string_view text, std::string_view before) {
  const Language& language = *language_;
  const auto starts = [&](std::string_view mark) {
    return !mark.empty() && text.starts_with(mark);
  };
  const auto& [line_comment, block_open, block_close] = language.comments;
  if (starts(block_open)) {
    open_ = block_close;
    const Piece rest = rest_of_long(text.substr(block_open.size()));
    return {block_open.size() + rest.length, style::comment};
  }
  if (starts(line_comment) && (line_comment != "#" || before.empty() || !is_word(before.back())))
    return {text.size(), style::comment};

  for (const std::string_view quote : split(language.long_quotes, ' ')) {
    if (!text.starts_with(quote)) continue;
    open_ = quote;
    return {quote.size() + rest_of_long(text.substr(quote.size())).length, style::literal};
  }
  const char c = text[0];
  if (language.quotes.find(c) != std::string_view::npos) {
    const std::size_t end = std::min(end_of_string(text, 1, text.substr(0, 1)), text.size());
    return {end, style::literal};
  }
  if (language.feature == Language::directives && c == '#' && is_blank(before))
    return {1 + word_length(text.substr(1)), style::keyword};
  if (language.feature == Language::tags && c == '<' && text.size() > 1) {
    const std::size_t slash = text[1] == '/' ? 2 : 1;
    return {slash + word_length(text.substr(slash)), style::keyword};
  }
  if (is_digit(c)) {
    const auto end = std::ranges::find_if_not(text, [](char d) { return is_word(d) || d == '.'; });
    return {static_cast<std::size_t>(end - text.begin()),
            in_hyphenated_name(before) ? style::plain : style::number};
  }
  if (!is_word(c)) return {};
  if (language.feature == Language::keys && is_blank(before)) {
    const std::size_t end = std::min(text.find_first_of(" \t:="), text.size());
    const std::size_t sign = text.find_first_not_of(" \t", end);
    if (sign != std::string_view::npos && (text[sign] == ':' || text[sign] == '='))
      return {end, style::keyword};
  }
  const std::size_t length = word_length(text);
  return {length, is_keyword(text.substr(0, length)) ? style::keyword : style::plain};
}

std::string Highlighter::line(std::string_view safe, const TerminalStyle& look) {
  if (!look.colour) return std::string(safe);
  if (diff_) return painted(safe, style_of_diff_line(safe), look);
  if (language_ == nullptr) return std::string(safe);
  std::string out;
  std::size_t at = 0, plain = 0;  // from `plain` on nothing has been given out
  while (at < safe.size()) {
    const std::string_view text = safe.substr(at);
    const Piece piece = open_.empty() ? first_piece(text, safe.substr(0, at)) : rest_of_long(text);
    if (piece.style != style::plain) {
      out += safe.substr(plain, at - plain);
      out += painted(text.substr(0, piece.length), piece.style, look);
      plain = at + piece.length;
    }
    at += piece.length;
  }
  return out += safe.substr(std::min(plain, safe.size()));
}

namespace {

constexpr std::string_view goes_on = "↪ ";

// Moves so many bytes from the start of a painted text; styles do not count. `style`: the open one.
std::string take_painted(std::string_view& painted, std::size_t bytes, std::string& style) {
  std::string out = style;
  while (!painted.empty()) {
    const std::size_t sequence = painted[0] == '\033' ? layout::own_sequence(painted) : 0;
    const bool closes = painted.substr(0, sequence) == layout::end_of_style;
    if (bytes == 0 && !(sequence > 0 && closes)) break;
    const std::size_t length =
        sequence > 0 ? sequence : std::min(bytes, painted.substr(0, bytes).find('\033', 1));
    if (sequence > 0)
      style = closes ? "" : std::string(painted.substr(0, sequence));
    else
      bytes -= length;
    out += painted.substr(0, length);
    painted.remove_prefix(length);
  }
  return style.empty() ? out : out + std::string(layout::end_of_style);
}

// "-12,3" or "+12": the number of the first line.
std::size_t first_number(std::string_view range) {
  std::size_t number = 0;
  if (!range.empty()) std::from_chars(range.data() + 1, range.data() + range.size(), number);
  return number;
}

std::string_view ending_of(std::string_view path) {
  const std::size_t dot = path.find_last_of("./");
  return dot == path.npos || path[dot] == '/' ? "" : path.substr(dot + 1);
}

}  // namespace

void add_code_rows(std::vector<std::string>& rows, std::string_view first, std::string code,
                   std::size_t width) {
  if (width == 0) return rows.push_back(std::string(first) + code);
  std::string spaced;
  for (const char c : code) c == '\t' ? spaced.append(4, ' ') : spaced.append(1, c);
  code = std::move(spaced);
  const std::string line = layout::without_styles(code);
  const std::size_t before = layout::display_width(layout::without_styles(first));
  const std::size_t mark = layout::display_width(goes_on);
  const std::size_t room = std::max<std::size_t>(1, layout::left_of(width, before + mark));
  std::vector<std::string_view> pieces = layout::pieces_of(line, room);
  if (layout::display_width(line) <= room + mark) pieces = {line};
  std::string_view rest = code;
  std::string start(first), style;
  for (const std::string_view piece : pieces) {
    rows.push_back(start + take_painted(rest, piece.size(), style));
    start = std::string(before, ' ') + std::string(goes_on);
  }
}

std::vector<std::string> code_rows(std::string_view safe, std::string_view fence_info,
                                   std::size_t width, const TerminalStyle& look) {
  Highlighter colours(fence_info);
  std::vector<std::string> rows;
  for (const std::string_view line : split(safe, '\n'))
    add_code_rows(rows, "", colours.line(line, look), width);
  return rows;
}

std::vector<std::string> diff_rows(std::string_view safe, std::size_t width,
                                   const TerminalStyle& look) {
  const std::vector<std::string_view> lines = split(safe, '\n');
  std::size_t last = 0;
  for (const std::string_view line : lines)
    if (line.starts_with("@@ "))
      for (const std::string_view word : split(line, ' '))
        if (word.starts_with('-') || word.starts_with('+'))
          last = std::max(last, first_number(word));
  const std::size_t digits = std::to_string(last + lines.size()).size();
  std::vector<std::string> rows;
  Highlighter colours;
  bool in_hunk = false;
  std::size_t before = 0, after = 0;  // the numbers of the next lines
  const auto add_numbered = [&](std::size_t number, std::string_view line, Style style) {
    std::string count = std::to_string(number);
    count.insert(0, layout::left_of(digits, count.size()), ' ');
    const bool same = style == style::plain;
    add_code_rows(rows, painted(count + " " + line[0] + " ", same ? style::dim : style, look),
                  same ? colours.line(line.substr(1), look) : painted(line.substr(1), style, look),
                  width);
  };
  for (const std::string_view line : lines) {
    const bool names = !in_hunk && (line.starts_with("+++ ") || line.starts_with("--- "));
    if (names && line[0] == '+') colours = Highlighter(ending_of(line.substr(4)));
    if (line.starts_with("@@ ")) {
      const std::vector<std::string_view> words = split(line, ' ');
      if (std::exchange(in_hunk, true)) rows.push_back(painted("⋯", style::dim, look));
      before = first_number(words.size() > 1 ? words[1] : "");
      after = first_number(words.size() > 2 ? words[2] : "");
    } else if (names) {
      continue;
    } else if (!in_hunk || line.starts_with("\\")) {
      add_code_rows(rows, "", painted(line, style::dim, look), width);
    } else if (line.starts_with("-")) {
      add_numbered(before++, line, style::removed);
    } else if (line.starts_with("+")) {
      add_numbered(after++, line, style::added);
    } else {
      ++before;
      add_numbered(after++, line.empty() ? " " : line, style::plain);
    }
  }
  return rows;
}

DiffCounts counts_of_diff(std::string_view diff) {
  DiffCounts out;
  bool in_hunk = false;
  for (const std::string_view line : split(diff, '\n')) {
    in_hunk = in_hunk || line.starts_with("@@ ");
    out.added += in_hunk && line.starts_with("+");
    out.removed += in_hunk && line.starts_with("-");
  }
  return out;
}

Style style_of_diff_line(std::string_view line) {
  if (line.starts_with("+++") || line.starts_with("---")) return style::strong;
  if (line.starts_with("@@")) return style::place;
  if (line.starts_with("+")) return style::added;
  if (line.starts_with("-")) return style::removed;
  return style::plain;
}

std::string painted_diff(std::string_view safe, const TerminalStyle& look) {
  return layout::by_line(
      safe, [&](std::string_view line) { return painted(line, style_of_diff_line(line), look); });
}

}  // namespace skein::screen::markdown
