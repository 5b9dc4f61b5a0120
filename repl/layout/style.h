// How text looks: a few attributes and the terminal's own sixteen colours, so that themes follow
// the user's terminal, or what the user wants instead; or nothing at all. Its input is already
// sanitized.
#pragma once

#include "core/text/std.h"

namespace skein::layout {

// What our output can show.
struct TerminalStyle {
  bool live = false;    // a terminal whose last line can be repainted
  bool colour = false;  // styles at all
  bool links = false;   // OSC 8
  bool labels = false;  // for a screen reader: words instead of signs, nothing that moves
  // What to press, in notes that say so.
  std::string unfold_key = "Ctrl+O", stop_key = "Esc";
  bool operator==(const TerminalStyle&) const = default;
};

// What decides it: flags, environment, and whether it is a terminal. Empty: not set.
struct StyleInputs {
  bool terminal = false;
  bool screen_reader = false;
  std::string_view colour = "auto";  // --color
  std::string_view no_color{}, force_color{}, term{};
};
TerminalStyle look_for(const StyleInputs& surroundings);

// Of the terminal's own, cyan and the bright ones are hard to read on a light background, yellow
// cannot be read there. See also rgb().
enum class Colour : std::uint32_t {
  none = 0,
  black = 30,
  red,
  green,
  yellow,
  blue,
  magenta,
  cyan,
  white,
  bright_black = 90,
};
// 0xRRGGBB, whatever the terminal's own are.
constexpr Colour rgb(std::uint32_t parts) { return static_cast<Colour>(0x1000000u | parts); }

struct Style {
  bool bold = false, dim = false, italic = false, underline = false, strike = false;
  Colour colour = Colour::none;
  bool operator==(const Style&) const = default;
};
Style operator|(Style outer, Style inner);  // both; the inner colour wins

// What each kind of text looks like, at first on a dark background. Only set_theme() and
// set_style() change it.
namespace style {
inline constexpr Style plain{};
inline constexpr Style strong{.bold = true};
inline constexpr Style emphasis{.italic = true};
inline constexpr Style strike{.strike = true};
inline Style prompt{.bold = true, .colour = Colour::cyan};
inline Style own{.bold = true};  // what the user has typed
inline Style dim{.dim = true};
inline Style bad{.bold = true, .colour = Colour::red};
inline Style warning{.colour = Colour::magenta};
inline Style good{.colour = Colour::green};
inline Style place{.colour = Colour::cyan};
inline Style heading{.bold = true, .colour = Colour::magenta};
inline Style title{.bold = true, .underline = true, .colour = Colour::magenta};
inline Style code{.colour = Colour::cyan};
inline Style link{.underline = true};
inline Style keyword{.colour = Colour::magenta};
inline Style literal{.colour = Colour::green};
inline Style number{.colour = Colour::cyan};
inline Style comment{.dim = true};
inline Style added{.colour = Colour::green};
inline Style removed{.colour = Colour::red};
}  // namespace style

enum class Theme { dark, light };
// Those that the user may change, by the names the configuration gives them.
struct NamedStyle {
  std::string_view name, meaning;
  Style* style;
  Style dark, light;
};
std::span<const NamedStyle> named_styles();
// Both only in the thread that shows text. Gives all of them the styles of the theme.
void set_theme(Theme theme);
// False: it was so before, or there is none of that name.
bool set_style(std::string_view name, const Style& style);
// "bold bright-red", "#ff8800 underline". Throws Error that says which word it does not know.
Style parse_style(std::string_view words);

// The sequence that switches to `style` from plain; empty for plain itself.
std::string start_of(Style style);
inline constexpr std::string_view end_of_style = "\033[m";

// `safe` in that style, if styles are supported.
std::string painted(std::string_view safe, Style style, const TerminalStyle& look);

// Around the text of a link. Only for addresses that are what they look like: http, https or
// mailto, printable ASCII, no user part; for others, and where there are no links, empty.
std::string start_of_link(std::string_view address, const TerminalStyle& look);
inline constexpr std::string_view end_of_link = "\033]8;;\033\\";

// How long the escape sequence at the start of `bytes` is, if it is one that we make; else 0.
std::size_t own_sequence(std::string_view bytes);
std::string without_styles(std::string_view text);  // without any of them

}  // namespace skein::layout
