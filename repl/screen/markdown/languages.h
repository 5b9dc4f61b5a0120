// What the colouring of code knows about a language: a row of a table, no grammar.
#pragma once

#include <string_view>

namespace skein::screen::markdown {

struct Comments {
  std::string_view line{};                       // to the end of the line
  std::string_view block_open{}, block_close{};  // over several lines
};

struct Language {
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

// Null: not known, and shown without colours.
const Language* find_language(std::string_view name);

}  // namespace skein::screen::markdown
