// How text looks: a few attributes and the terminal's own sixteen colours, so that themes follow
// the user's terminal; or nothing at all. Its input is already sanitized.
#pragma once

#include <string>
#include <string_view>

namespace skein::layout {

// What our output can show.
struct TerminalStyle {
  bool live = false;    // a terminal whose last line can be repainted
  bool colour = false;  // styles at all
  bool links = false;   // OSC 8
  bool labels = false;  // for a screen reader: words instead of signs, nothing that moves
  // What to press, in notes that say so.
  std::string_view unfold_key = "Ctrl+O", stop_key = "Esc";
  bool operator==(const TerminalStyle&) const = default;
};

// What decides it: flags, environment, and whether it is a terminal. Null: not set.
struct Surroundings {
  bool terminal = false;
  bool screen_reader = false;
  std::string_view colour = "auto";  // --color
  const char* no_color = nullptr;
  const char* force_color = nullptr;
  const char* term = nullptr;
};
TerminalStyle look_for(const Surroundings& surroundings);

// Colours that can be read on dark and on light backgrounds.
enum class Colour : unsigned char { none = 0, red = 31, green, yellow, blue, magenta, cyan };

struct Style {
  bool bold = false, dim = false, italic = false, underline = false, strike = false;
  Colour colour = Colour::none;
  bool operator==(const Style&) const = default;
};
Style operator|(Style outer, Style inner);  // both; the inner colour wins

namespace style {
inline constexpr Style plain{};
inline constexpr Style dim{.dim = true};
inline constexpr Style strong{.bold = true};
inline constexpr Style emphasis{.italic = true};
inline constexpr Style strike{.strike = true};
inline constexpr Style heading{.bold = true, .colour = Colour::magenta};
inline constexpr Style title{.bold = true, .underline = true, .colour = Colour::magenta};
inline constexpr Style code{.colour = Colour::cyan};
inline constexpr Style link{.underline = true};
inline constexpr Style keyword{.colour = Colour::magenta};
inline constexpr Style literal{.colour = Colour::green};
inline constexpr Style number{.colour = Colour::cyan};
inline constexpr Style comment{.dim = true};
inline constexpr Style added{.colour = Colour::green};
inline constexpr Style removed{.colour = Colour::red};
inline constexpr Style place{.colour = Colour::cyan};
inline constexpr Style good{.colour = Colour::green};
inline constexpr Style bad{.bold = true, .colour = Colour::red};
inline constexpr Style warning{.colour = Colour::magenta};  // yellow is lost on white
inline constexpr Style prompt{.bold = true, .colour = Colour::cyan};
}  // namespace style

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
