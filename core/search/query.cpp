#include "core/search/query.h"

#include <algorithm>
#include <variant>

#include "core/text/base.h"
#include "core/text/text.h"

namespace skein::search {

namespace {

constexpr std::string_view blanks = " \t\r\n\v\f";

// A piece of what was typed, and whether it stood in quotes.
struct Piece {
  std::string text{};
  bool quoted = false;
};

// In quotes \" is a quote and \\ a backslash; without an end they reach to the end.
Piece take_quoted(std::string_view& rest) {
  Piece out{.quoted = true};
  std::size_t at = 1;
  for (; at < rest.size() && rest[at] != '"'; ++at) {
    if (rest[at] == '\\' && at + 1 < rest.size() && (rest[at + 1] == '"' || rest[at + 1] == '\\'))
      ++at;
    out.text += rest[at];
  }
  rest.remove_prefix(std::min(at + 1, rest.size()));
  return out;
}

Piece take_piece(std::string_view& rest) {
  // A quote that closes nothing is a character like any other.
  if (rest.starts_with('"') && rest.find('"', 1) != std::string_view::npos)
    return take_quoted(rest);
  const std::size_t end = std::min(rest.find_first_of(blanks), rest.size());
  Piece out{std::string(rest.substr(0, end))};
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
  const Piece piece = take_piece(rest);
  if (regex) return regex_term(std::move(term), piece.text);
  term.kind = path ? Term::Kind::path : piece.quoted ? Term::Kind::phrase : Term::Kind::word;
  term.text = folded(piece.text, accents);
  return term;
}

}  // namespace

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
                    ? "say what to look for: words, \"an exact phrase\", -without, re:pattern"
                    : "say also what to look for, not only what to leave out",
                ExitStatus::usage);
  return query;
}

}  // namespace skein::search
