// A search as it is typed: words, "exact phrases", -exclusions, path:src/x, re:pattern; and how
// text is folded to be compared with it.
#pragma once

#include "core/text/std.h"

#include "core/text/pattern.h"

namespace skein::search {

// Text made comparable: letters in one case, characters that differ only in width as one, white
// space as single blanks. What was typed and what is looked through are folded alike.
enum class Accents { kept, dropped };

struct Folded {
  std::string text{};
  // Where each byte of `text` comes from in what was folded, and behind them where that ends; empty
  // unless it was asked for.
  std::vector<std::uint32_t> origin{};
};

// Any bytes; what is no UTF-8 becomes U+FFFD.
std::string folded(std::string_view text, Accents accents);
// The same with the origins, or into a buffer that is used again.
Folded folded_with_origins(std::string_view text, Accents accents);
void fold_into(std::string_view text, Accents accents, Folded& out);

// Part of a word that has borders: a letter or a digit, but none of a script without blanks.
bool in_word(char32_t point);
// Whether such a character ends just before `at`; `text` is folded.
bool word_before(std::string_view text, std::size_t at);

// How a character may stand in a text that folds to it: other case, taken apart. Itself first.
std::vector<std::string> spellings(char32_t folded_point);

struct Term {
  enum class Kind {
    word,    // begins a word, or is anywhere in scripts without blanks
    phrase,  // anywhere, just like that
    path,    // in what a tool was called with
    regex,
  };
  Kind kind = Kind::word;
  std::string text{};  // folded; of a regex as it was typed
  bool excluded = false;
  std::optional<Regex> regex{};
};

struct Query {
  std::vector<Term> terms{};
  Accents accents = Accents::kept;
};

// Throws Error (usage) if there is nothing to look for, or a pattern cannot be used.
Query parse_query(std::string_view text, Accents accents = Accents::kept);

}  // namespace skein::search
