#include "core/search/query.h"

#include <utf8proc.h>

#include "core/text/base.h"
#include "core/text/text.h"
#include "core/text/utf8.h"

namespace skein::search {

namespace {

constexpr char32_t replacement = 0xFFFD;
// The one letter that is taken apart when it becomes small.
constexpr char32_t dotted_capital_i = 0x130, dot_above = 0x307;

bool is_width_form(char32_t c) { return (c >= 0xFF00 && c <= 0xFFEF) || c == 0x3000; }

bool is_blank(char32_t c) {
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

// What follows a character and is one with it: accents, and the later parts of a Hangul
// syllable that was taken apart.
bool joins_before(char32_t c) {
  if (c < 0x300) return false;
  if (c >= 0x1160 && c <= 0x11FF) return true;
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC;
}

char32_t one_case(char32_t c) {
  if (c == 0x3C2) return 0x3C3;  // a sigma at the end of a word
  if (c == 0x17F) return U's';   // a long s
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
}

using Points = std::array<utf8proc_int32_t, 8>;

std::size_t decomposed(char32_t c, int options, Points& out) {
  int last_class = 0;
  const auto count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), out.data(),
                                             static_cast<utf8proc_ssize_t>(out.size()),
                                             static_cast<utf8proc_option_t>(options), &last_class);
  return count > 0 && count <= static_cast<utf8proc_ssize_t>(out.size())
             ? static_cast<std::size_t>(count)
             : 0;
}

// Small letters, and a blank for all white space.
constexpr std::array<char, 128> folded_ascii = [] {
  std::array<char, 128> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const char c = static_cast<char>(i);
    table[i] = c >= 'A' && c <= 'Z'     ? static_cast<char>(c + ('a' - 'A'))
               : c >= '\t' && c <= '\r' ? ' '
                                        : c;
  }
  return table;
}();

class Folder {
 public:
  Folder(Accents accents, bool origins, Folded& out)
      : accents_(accents), origins_(origins), out_(out) {
    out_.text.clear();
    out_.origin.clear();
  }

  void run(std::string_view text) {
    if (!origins_) out_.text.reserve(text.size());
    while (at_ < text.size()) {
      if (static_cast<unsigned char>(text[at_]) < 0x80) {
        if (origins_)
          ascii(text[at_]), ++at_;
        else
          ascii_run(text);
        continue;
      }
      const Utf8Character c = first_character(text.substr(at_));
      put(c.good ? c.point : replacement);
      at_ += c.length;
    }
    if (origins_) out_.origin.push_back(static_cast<std::uint32_t>(text.size()));
  }

 private:
  void ascii(char c) {
    const char small = folded_ascii[static_cast<unsigned char>(c)];
    if (small == ' ') return blank();
    add(static_cast<unsigned char>(small));
  }
  // The same for all up to the next character that is none: nearly all of most texts.
  void ascii_run(std::string_view text) {
    const std::string_view rest = text.substr(at_);
    const auto run = static_cast<std::size_t>(
        std::ranges::find_if(rest, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }) -
        rest.begin());
    const std::size_t before = out_.text.size();
    out_.text.resize(before + run);
    char* const begin = out_.text.data();
    char* to = begin + before;
    at_ += run;
    for (const char each : rest.substr(0, run)) {
      const char c = folded_ascii[static_cast<unsigned char>(each)];
      *to = c;
      to += c != ' ' || to == begin || to[-1] != ' ' ? 1 : 0;
    }
    const auto size = static_cast<std::size_t>(to - begin);
    out_.text.resize(size);
    start_ = size - 1;
    last_ = static_cast<unsigned char>(out_.text.back());
  }
  void blank() {
    if (!out_.text.ends_with(' ')) add(U' ');
  }
  void add(char32_t c) { add(c, at_); }
  void add(char32_t c, std::size_t origin) {
    start_ = out_.text.size();
    append_utf8(out_.text, last_ = c);
    if (origins_) out_.origin.resize(out_.text.size(), static_cast<std::uint32_t>(origin));
  }
  void put(char32_t c) {
    if (is_blank(c)) return blank();
    if (is_width_form(c)) {
      Points points{};
      const std::size_t count = decomposed(c, UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE, points);
      for (std::size_t i = 0; i < count; ++i) put_plain(static_cast<char32_t>(points[i]));
      if (count > 0) return;
    }
    put_plain(c);
  }
  void put_plain(char32_t c) {
    if (joins_before(c) && !out_.text.empty()) return join(c);
    if (accents_ == Accents::dropped) {
      Points points{};
      if (decomposed(c, UTF8PROC_DECOMPOSE, points) > 1 &&
          joins_before(static_cast<char32_t>(points[1])) && points[1] < 0x1100)
        c = static_cast<char32_t>(points[0]);
    }
    const char32_t small = one_case(c);
    if (small >= 0x80 || c < 0x80 || accents_ == Accents::dropped) return add(small);
    // A letter that becomes ASCII would not be found: texts are looked through as they are written.
    if (c != dotted_capital_i) return add(c);
    add(small);
    join(dot_above);
  }
  // One character again, if there is one for both: texts come in either form.
  void join(char32_t mark) {
    const bool accent = mark < 0x1100 || mark > 0x11FF;
    if (accent && accents_ == Accents::dropped) return;
    utf8proc_int32_t both[] = {static_cast<utf8proc_int32_t>(last_),
                               static_cast<utf8proc_int32_t>(mark)};
    const auto count = utf8proc_normalize_utf32(
        both, 2, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    if (count != 1) return add(mark);
    const std::size_t origin = origins_ ? out_.origin[start_] : 0;
    out_.text.resize(start_);
    if (origins_) out_.origin.resize(start_);
    add(static_cast<char32_t>(both[0]), origin);
  }

  const Accents accents_;
  const bool origins_;
  Folded& out_;
  std::size_t at_ = 0;     // in what is folded
  std::size_t start_ = 0;  // of the last character, in what came of it
  char32_t last_ = 0;
};

constexpr std::string_view blanks = " \t\r\n\v\f";

// A piece of what was typed, and whether it stood in quotes.
struct FoldPiece {
  std::string text{};
  bool quoted = false;
};

// In quotes \" is a quote and \\ a backslash; without an end they reach to the end.
FoldPiece take_quoted(std::string_view& rest) {
  FoldPiece out{.quoted = true};
  std::size_t at = 1;
  for (; at < rest.size() && rest[at] != '"'; ++at) {
    if (rest[at] == '\\' && at + 1 < rest.size() && (rest[at + 1] == '"' || rest[at + 1] == '\\'))
      ++at;
    out.text += rest[at];
  }
  rest.remove_prefix(std::min(at + 1, rest.size()));
  return out;
}

FoldPiece take_piece(std::string_view& rest) {
  // A quote that closes nothing is a character like any other.
  if (rest.starts_with('"') && rest.find('"', 1) != std::string_view::npos)
    return take_quoted(rest);
  const std::size_t end = std::min(rest.find_first_of(blanks), rest.size());
  FoldPiece out{std::string(rest.substr(0, end))};
  rest.remove_prefix(end);
  return out;
}

bool take_prefix(std::string_view& rest, std::string_view prefix) {
  if (!rest.starts_with(prefix) || rest.size() == prefix.size() ||
      blanks.find(rest[prefix.size()]) != std::string_view::npos)
    return false;
  rest.remove_prefix(prefix.size());
  return true;
}

Term regex_term(Term term, const std::string& pattern) {
  std::variant<Regex, std::string> made = Regex::compile(pattern, Regex::Case::ignored);
  if (const auto* trouble = std::get_if<std::string>(&made))
    throw Error("re:" + std::string(utf8_prefix(pattern, 200)) + ": " + *trouble,
                ExitStatus::usage);
  term.kind = Term::Kind::regex;
  term.text = pattern;
  term.regex = std::get<Regex>(std::move(made));
  return term;
}

Term take_term(std::string_view& rest, Accents accents) {
  Term term;
  term.excluded = take_prefix(rest, "-");
  const bool regex = take_prefix(rest, "re:");
  const bool path = !regex && take_prefix(rest, "path:");
  const FoldPiece piece = take_piece(rest);
  if (regex) return regex_term(std::move(term), piece.text);
  term.kind = path ? Term::Kind::path : piece.quoted ? Term::Kind::phrase : Term::Kind::word;
  term.text = folded(piece.text, accents);
  return term;
}

}  // namespace

std::string folded(std::string_view text, Accents accents) {
  Folded out;
  Folder(accents, false, out).run(text);
  return std::move(out.text);
}

Folded folded_with_origins(std::string_view text, Accents accents) {
  Folded out;
  Folder(accents, true, out).run(text);
  return out;
}

void fold_into(std::string_view text, Accents accents, Folded& out) {
  Folder(accents, false, out).run(text);
}

bool in_word(char32_t c) {
  if (c < 0x80) return is_alphanumeric(static_cast<char>(c));
  // Chinese, Japanese, Thai, Lao, Khmer, Burmese: words without blanks between them.
  if ((c >= 0x0E00 && c <= 0x0EFF) || (c >= 0x1000 && c <= 0x109F) ||
      (c >= 0x1780 && c <= 0x17FF) || (c >= 0x2E80 && c <= 0xA4CF) ||
      (c >= 0xAC00 && c <= 0xD7AF) || (c >= 0xF900 && c <= 0xFAFF) || c >= 0x20000)
    return false;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ND: return true;
    default: return false;
  }
}

bool word_before(std::string_view text, std::size_t at) {
  if (at == 0) return false;
  std::size_t begin = at - 1;
  while (begin > 0 && at - begin < 4 && (static_cast<unsigned char>(text[begin]) & 0xC0u) == 0x80u)
    --begin;
  const Utf8Character c = first_character(text.substr(begin));
  return c.good && in_word(c.point);
}

std::vector<std::string> spellings(char32_t c) {
  const auto point = static_cast<utf8proc_int32_t>(c);
  std::vector<char32_t> cases{c, static_cast<char32_t>(utf8proc_toupper(point)),
                              static_cast<char32_t>(utf8proc_totitle(point))};
  if (c == 0x3C3) cases.push_back(0x3C2);
  if (c == dot_above) cases.push_back(dotted_capital_i);
  std::vector<std::string> out;
  const auto add = [&](const std::string& way) {
    if (std::ranges::find(out, way) == out.end()) out.push_back(way);
  };
  for (const char32_t each : cases) {
    std::string whole, apart;
    append_utf8(whole, each);
    add(whole);
    Points points{};
    const std::size_t count = decomposed(each, UTF8PROC_DECOMPOSE, points);
    for (std::size_t i = 0; i < count; ++i) append_utf8(apart, static_cast<char32_t>(points[i]));
    if (count > 1) add(apart);
  }
  return out;
}

Query parse_query(std::string_view text, Accents accents) {
  Query query{.accents = accents};
  for (std::string_view rest = text;;) {
    rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
    if (rest.empty()) break;
    Term term = take_term(rest, accents);
    const bool empty = trimmed(term.text).empty();
    if (!empty) query.terms.push_back(std::move(term));
  }
  if (std::ranges::all_of(query.terms, &Term::excluded))
    throw Error(query.terms.empty()
                    ? "say what to search for: words, \"an exact phrase\", -without, re:pattern"
                    : "say also what to search for, not only what to leave out",
                ExitStatus::usage);
  return query;
}

}  // namespace skein::search
