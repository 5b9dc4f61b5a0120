// What the colouring of code knows about a language: a row of a table, no grammar.
#pragma once

#include <string_view>

namespace skein::screen::markdown {

struct Language {
  std::string_view names;  // as fences name it, separated by spaces
  std::string_view line_comment{};
  std::string_view block_open{}, block_close{};  // a comment over several lines
  std::string_view quotes{};                     // of strings that end with their line
  std::string_view long_quotes{};  // of strings over several lines, separated by spaces
  std::string_view keywords{};     // separated by spaces
  bool any_case = false;           // keywords in capitals too
  bool directives = false;         // "#include" at the start of a line
  bool keys = false;               // "name:" and "name =" at the start of a line
  bool tags = false;               // "<name"
};

// Null: not known, and shown without colours.
const Language* find_language(std::string_view name);

}  // namespace skein::screen::markdown
