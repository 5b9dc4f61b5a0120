// What is looked for, as it is typed: words, "exact phrases", -exclusions, path:src/x, re:pattern.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/search/fold.h"
#include "core/text/regex.h"

namespace skein::search {

struct Term {
  enum class Kind {
    word,    // begins a word, or stands anywhere in scripts without blanks
    phrase,  // stands anywhere, just like that
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
