#include "app/option_row.h"

#include <algorithm>

#include "core/text/text.h"

namespace skein::app {

std::vector<OptionRow> options_of(const Subcommand& row) {
  std::vector<OptionRow> rows;
  for (const Subcommand::Flag& flag : row.flags) {
    const std::size_t space = std::min(flag.name.find(' '), flag.name.size());
    OptionRow& each = rows.emplace_back();
    for (const std::string_view name : split(flag.name.substr(0, space), ','))
      each.names.emplace_back(name);
    each.value = trimmed(flag.name.substr(space));
    each.help = flag.help;
  }
  return rows;
}

Arity arity_of(std::string_view arguments) {
  Arity arity;
  for (const std::string_view word : split(arguments, ' ')) {
    if (!word.starts_with('[')) ++arity.least;
    arity.most = word.find("…") != std::string_view::npos ? 1'000'000 : arity.most + 1;
  }
  return arity;
}

std::string value_word(std::string_view type) {
  if (type.starts_with('[')) return std::string(trimmed(type, "[]"));
  const std::size_t open = type.find('{');
  std::string word(
      open == std::string_view::npos ? type : type.substr(open + 1, type.find('}') - open - 1));
  std::ranges::replace(word, ',', '|');
  return word;
}

std::vector<std::string_view> choices_in(std::string_view value) {
  const bool capital = std::ranges::any_of(value.substr(0, value.find('|')),
                                           [](char c) { return c >= 'A' && c <= 'Z'; });
  return capital ? std::vector<std::string_view>{} : split(value, '|');
}

}  // namespace skein::app
