// The styles that the user may change, and how a style is written.
#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <vector>

#include "core/text/base.h"
#include "core/text/spelling.h"
#include "core/text/text.h"
#include "repl/layout/style.h"

namespace skein::layout {

namespace {

struct ColourName {
  std::string_view name;
  Colour colour;
};
constexpr ColourName colour_names[] = {
    {"black", Colour::black},   {"red", Colour::red},     {"green", Colour::green},
    {"yellow", Colour::yellow}, {"blue", Colour::blue},   {"magenta", Colour::magenta},
    {"cyan", Colour::cyan},     {"white", Colour::white}, {"default", Colour::none},
};
constexpr std::string_view bright = "bright-";
constexpr std::uint32_t to_bright = 60;

struct AttributeName {
  std::string_view name;
  bool Style::*attribute;
};
constexpr AttributeName attribute_names[] = {{"bold", &Style::bold},
                                             {"dim", &Style::dim},
                                             {"italic", &Style::italic},
                                             {"underline", &Style::underline}};

std::optional<Colour> parse_colour(std::string_view word) {
  if (word.starts_with('#')) {
    std::uint32_t parts = 0;
    const char* const end = word.data() + word.size();
    const auto [rest, failed] = std::from_chars(word.data() + 1, end, parts, 16);
    if (word.size() != 7 || failed != std::errc{} || rest != end) return std::nullopt;
    return rgb(parts);
  }
  if (word == "gray" || word == "grey") return Colour::bright_black;
  const bool is_bright = word.starts_with(bright);
  if (is_bright) word.remove_prefix(bright.size());
  const auto found = std::ranges::find(colour_names, word, &ColourName::name);
  if (found == std::end(colour_names)) return std::nullopt;
  if (!is_bright) return found->colour;
  if (found->colour == Colour::none) return std::nullopt;
  return static_cast<Colour>(static_cast<std::uint32_t>(found->colour) + to_bright);
}

[[noreturn]] void unknown_word(std::string_view word) {
  if (word.starts_with('#'))
    throw Error("'" + std::string(word) + "' is no colour; say #rrggbb, as in #ff8800",
                ExitStatus::usage);
  std::vector<std::string_view> known;
  for (const ColourName& each : colour_names) known.push_back(each.name);
  for (const AttributeName& each : attribute_names) known.push_back(each.name);
  const std::string_view meant = nearest(word, known);
  throw Error(
      "'" + std::string(word) + "' is no colour; " +
          (meant.empty() ? "there are black, red, green, yellow, blue, magenta, cyan, white, "
                           "bright- and one of them, #rrggbb, bold, dim, italic, underline"
                         : "did you mean " + std::string(meant) + "?"),
      ExitStatus::usage);
}

}  // namespace

std::span<const NamedStyle> named_styles() {
  static constexpr NamedStyle all[] = {
      {"prompt", "the mark in front of the line", &style::prompt},
      {"own", "what you typed", &style::own},
      {"dim", "what matters less", &style::dim},
      {"error", "what failed", &style::bad},
      {"warning", "what to look at", &style::warning},
      {"success", "what went well", &style::good},
      {"accent", "names of sessions, places in a diff", &style::place},
      {"heading", "headings of answers", &style::heading},
      {"title", "the first heading of an answer", &style::title},
      {"code", "code in a sentence, names of commands", &style::code},
      {"link", "links", &style::link},
      {"keyword", "keywords in code", &style::keyword},
      {"string", "strings in code", &style::literal},
      {"number", "numbers in code", &style::number},
      {"comment", "comments in code", &style::comment},
      {"added", "added lines", &style::added},
      {"removed", "removed lines", &style::removed},
  };
  return all;
}

bool set_style(std::string_view name, const Style& wanted) {
  const auto found = std::ranges::find(named_styles(), name, &NamedStyle::name);
  if (found == named_styles().end()) return false;
  *found->style = wanted;
  return true;
}

Style parse_style(std::string_view words) {
  Style out;
  for (const std::string_view word : split(words, ' ')) {
    if (word.empty()) continue;
    const auto attribute = std::ranges::find(attribute_names, word, &AttributeName::name);
    if (attribute != std::end(attribute_names))
      out.*(attribute->attribute) = true;
    else if (const std::optional<Colour> colour = parse_colour(word))
      out.colour = *colour;
    else
      unknown_word(word);
  }
  return out;
}

}  // namespace skein::layout
