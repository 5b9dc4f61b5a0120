// An option as completion and the manual show it. There is one table of skein's own, which is read
// from the parser itself, and one of each subcommand.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli.h"

namespace skein::app {

struct OptionRow {
  std::vector<std::string> names{};  // "-s", "--session"
  // What is to be given: "KEY", "DIR"; in lower case the choices themselves: "auto|always|never".
  // Empty: nothing.
  std::string value{};
  bool value_may_be_left_out = false;
  std::string help{};
  std::string environment{};  // the variable that does the same
};

std::vector<OptionRow> options();  // of skein itself, in the order of --help
std::vector<OptionRow> options_of(const Subcommand& row);

// How many arguments "KEY [TITLE]" or "[KEY…]" stand for.
struct Arity {
  std::size_t least = 0, most = 0;
};
Arity arity_of(std::string_view arguments);

// "[TITLE]" → "TITLE", "TEXT:{auto,always}" → "auto|always"
std::string value_word(std::string_view type);
// The choices of a value word; none if it stands for something else.
std::vector<std::string_view> choices_in(std::string_view value);

}  // namespace skein::app
