// What narrows a search down, by the words that say so: the same for `skein search` and at the
// prompt.
#pragma once

#include "core/search/search.h"

namespace skein::search {

struct Options {
  Filter filter{};        // but for its session
  std::string session{};  // a name of one
  Accents accents = Accents::kept;
  std::size_t limit = 20;
};

struct Option {
  std::string_view flag;     // --role
  std::string_view value;    // ROLE; empty: it takes none
  std::string_view meaning;  // for people
  void (*set)(Options& out, const std::string& value, const std::string& workspace);
};
std::span<const Option> options();

// Throws Error (usage) if the flag is none of them, or the value cannot be understood. A folder is
// meant from `workspace`.
void set_option(Options& out, std::string_view flag, const std::string& value,
                const std::string& workspace);

// What is typed behind /search: the options go to `out`, wherever they stand outside of quotes, and
// the words stay. Behind -- there are only words.
std::string take_options(std::string_view typed, const std::string& workspace, Options& out);

}  // namespace skein::search
