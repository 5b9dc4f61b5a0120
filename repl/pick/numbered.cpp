#include "repl/pick/numbered.h"

#include <charconv>

#include "core/text/text.h"

namespace skein::pick {

std::string numbered_list(std::string_view title, std::span<const std::string> lines) {
  std::string out = std::string(title) + ":\n";
  for (std::size_t i = 0; i < lines.size(); ++i)
    out += std::to_string(i + 1) + ": " + lines[i] + "\n";
  return out + "a number; nothing: none of them › ";
}

std::optional<std::size_t> number_in(std::string_view answer, std::size_t lines) {
  const std::string_view word = trimmed(answer);
  std::size_t number = 0;
  const auto [rest, failed] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (failed != std::errc{} || rest != word.data() + word.size()) return std::nullopt;
  return number >= 1 && number <= lines ? std::optional(number - 1) : std::nullopt;
}

}  // namespace skein::pick
