#include "repl/layout/style.h"

#include "core/text/base.h"
#include "core/text/text.h"

namespace skein::layout {

namespace {

constexpr std::size_t longest_address = 2000;

bool is_address_character(char c) {
  return c > 0x20 && c < 0x7F && std::string_view("\"<>\\^`{|}").find(c) == std::string_view::npos;
}

bool is_safe_address(std::string_view address) {
  if (address.size() > longest_address || !std::ranges::all_of(address, is_address_character))
    return false;
  if (address.starts_with("mailto:")) return address.size() > 7;
  const std::size_t scheme = address.starts_with("https://")  ? 8
                             : address.starts_with("http://") ? 7
                                                              : 0;
  if (scheme == 0) return false;
  const std::string_view rest = address.substr(scheme);
  const std::string_view host = rest.substr(0, rest.find_first_of("/?#"));
  return !host.empty() && host.find('@') == std::string_view::npos;  // "https://bank@evil"
}

bool is_own_attribute(std::string_view number) {
  if (number.size() == 1) return std::string_view("12349").find(number) != number.npos;
  return number.size() == 2 && (number[0] == '3' || number[0] == '9') && number[1] >= '0' &&
         number[1] <= '7';
}

bool is_part_of_colour(std::string_view number) {
  return !number.empty() && number.size() < 4 &&
         number.find_first_not_of("0123456789") == std::string_view::npos;
}

bool are_own_attributes(std::string_view given) {
  const std::vector<std::string_view> all = split(given, ';');
  if (given.ends_with(';')) return false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] != "38") {
      if (!is_own_attribute(all[i])) return false;
      continue;
    }
    if (i + 4 >= all.size() || all[i + 1] != "2") return false;
    for (const std::size_t part : {2u, 3u, 4u})
      if (!is_part_of_colour(all[i + part])) return false;
    i += 4;
  }
  return true;
}

std::string numbers_of(Colour colour) {
  const auto value = static_cast<std::uint32_t>(colour);
  if (value < 0x1000000u) return std::to_string(value);
  return "38;2;" + std::to_string(value >> 16 & 255u) + ";" + std::to_string(value >> 8 & 255u) +
         ";" + std::to_string(value & 255u);
}

std::size_t own_link(std::string_view bytes) {
  constexpr std::string_view start = "\033]8;;", end = "\033\\";
  if (!bytes.starts_with(start)) return 0;
  const std::size_t stop = bytes.find('\033', start.size());
  if (stop == std::string_view::npos || !bytes.substr(stop).starts_with(end)) return 0;
  const std::string_view address = bytes.substr(start.size(), stop - start.size());
  return address.empty() || is_safe_address(address) ? stop + end.size() : 0;
}

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
    const auto parts = parse_number<std::uint32_t>(word.substr(1), 16);
    if (word.size() != 7 || !parts) return std::nullopt;
    return rgb(*parts);
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
    throw Error("'" + std::string(word) + "' is not a color; use #rrggbb, like #ff8800",
                ExitStatus::usage);
  std::vector<std::string_view> known;
  for (const ColourName& each : colour_names) known.push_back(each.name);
  for (const AttributeName& each : attribute_names) known.push_back(each.name);
  const std::string_view meant = nearest(word, known);
  throw Error("'" + std::string(word) + "' is not a color; " +
                  (meant.empty() ? "use black, red, green, yellow, blue, magenta, cyan, white, one "
                                   "of these with bright-, #rrggbb, bold, dim, italic or underline"
                                 : "did you mean " + std::string(meant) + "?"),
              ExitStatus::usage);
}

}  // namespace

TerminalStyle look_for(const StyleInputs& now) {
  const bool dumb = now.term.empty() || now.term == "dumb";
  TerminalStyle look;
  look.labels = now.screen_reader;
  look.live = now.terminal && !dumb && !now.screen_reader;
  const bool wanted = now.colour == "always" ||
                      (now.colour == "auto" && now.no_color.empty() &&
                       (look.live || (!now.force_color.empty() && now.force_color[0] != '0')));
  look.colour = wanted && !now.screen_reader;
  // The Linux console prints sequences it does not know.
  look.links = look.colour && look.live && now.term != "linux";
  return look;
}

Style operator|(Style outer, Style inner) {
  return {outer.bold || inner.bold,     outer.dim || inner.dim,
          outer.italic || inner.italic, outer.underline || inner.underline,
          outer.strike || inner.strike, inner.colour == Colour::none ? outer.colour : inner.colour};
}

std::string start_of(Style style) {
  std::string numbers;
  const auto add = [&](bool wanted, std::string_view number) {
    if (wanted) numbers.append(numbers.empty() ? "" : ";").append(number);
  };
  add(style.bold, "1");
  add(style.dim, "2");
  add(style.italic, "3");
  add(style.underline, "4");
  add(style.strike, "9");
  add(style.colour != Colour::none, numbers_of(style.colour));
  return numbers.empty() ? numbers : "\033[" + numbers + "m";
}

std::string painted(std::string_view safe, Style style, const TerminalStyle& look) {
  if (!look.colour || style == style::plain || safe.empty()) return std::string(safe);
  return start_of(style) + std::string(safe) + std::string(end_of_style);
}

std::string start_of_link(std::string_view address, const TerminalStyle& look) {
  if (!look.links || !is_safe_address(address)) return {};
  return "\033]8;;" + std::string(address) + "\033\\";
}

std::size_t own_sequence(std::string_view bytes) {
  if (!bytes.starts_with("\033[")) return own_link(bytes);
  const std::size_t end = bytes.find_first_not_of("0123456789;", 2);
  if (end == std::string_view::npos) return 0;
  const std::string_view numbers = bytes.substr(2, end - 2);
  const bool one_number = numbers.size() < 5 && numbers.find(';') == std::string_view::npos;
  switch (bytes[end]) {
    case 'm': return are_own_attributes(numbers) ? end + 1 : 0;
    case 'A':
    case 'C': return one_number && !numbers.empty() ? end + 1 : 0;
    case 'J': return numbers.empty() ? end + 1 : 0;
    default: return 0;
  }
}

std::string without_styles(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t run = std::min(text.find('\033'), text.size());
    out += text.substr(0, run);
    text.remove_prefix(run);
    if (!text.empty()) text.remove_prefix(std::max<std::size_t>(1, own_sequence(text)));
  }
  return out;
}

// The dark styles are those that the variables have at first, and the light ones where none is
// given.
std::span<const NamedStyle> named_styles() {
  const auto row = [](std::string_view name, std::string_view meaning, Style& style,
                      std::optional<Style> light = {}) {
    return NamedStyle{name, meaning, &style, style, light.value_or(style)};
  };
  constexpr Style blue{.colour = Colour::blue}, grey{.colour = Colour::bright_black};
  static const NamedStyle all[] = {
      row("prompt", "the mark in front of the line", style::prompt, style::strong | blue),
      row("own", "what you typed", style::own),
      row("dim", "what matters less", style::dim, grey),
      row("error", "what failed", style::bad),
      row("warning", "what to look at", style::warning),
      row("success", "what went well", style::good),
      row("accent", "names of sessions, places in a diff", style::place, blue),
      row("heading", "headings of answers", style::heading),
      row("title", "the first heading of an answer", style::title),
      row("code", "code in a sentence, names of commands", style::code, blue),
      row("link", "links", style::link),
      row("keyword", "keywords in code", style::keyword),
      row("string", "strings in code", style::literal),
      row("number", "numbers in code", style::number, blue),
      row("comment", "comments in code", style::comment, grey),
      row("added", "added lines", style::added),
      row("removed", "removed lines", style::removed),
  };
  return all;
}

void set_theme(Theme theme) {
  for (const NamedStyle& each : named_styles())
    *each.style = theme == Theme::light ? each.light : each.dark;
}

bool set_style(std::string_view name, const Style& wanted) {
  const auto found = std::ranges::find(named_styles(), name, &NamedStyle::name);
  return found != named_styles().end() && std::exchange(*found->style, wanted) != wanted;
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
