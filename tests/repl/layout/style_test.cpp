#include "repl/layout/style.h"

#include <doctest/doctest.h>

#include "core/text/base.h"

using namespace skein;
using namespace skein::layout;

TEST_CASE("flags, the environment and the terminal decide how things look") {
  struct Row {
    StyleInputs now;
    TerminalStyle look;
  };
  const Row rows[] = {
      {{.terminal = true, .term = "xterm"}, {.live = true, .colour = true, .links = true}},
      {{.terminal = true, .term = "linux"}, {.live = true, .colour = true}},
      {{.terminal = false, .term = "xterm"}, {}},
      {{.terminal = true, .term = "dumb"}, {}},
      {{.terminal = true}, {}},
      {{.terminal = true, .no_color = "1", .term = "xterm"}, {.live = true}},
      {{.terminal = true, .no_color = "", .term = "xterm"},
       {.live = true, .colour = true, .links = true}},
      {{.terminal = true, .colour = "never", .term = "xterm"}, {.live = true}},
      {{.terminal = false, .colour = "always", .no_color = "1", .term = "xterm"}, {.colour = true}},
      {{.terminal = false, .force_color = "1", .term = "xterm"}, {.colour = true}},
      {{.terminal = false, .force_color = "0", .term = "xterm"}, {}},
      {{.terminal = true, .screen_reader = true, .colour = "always", .term = "xterm"},
       {.labels = true}},
  };
  for (const Row& row : rows) CHECK((look_for(row.now) == row.look));
}

TEST_CASE("a sequence is ours or it is not") {
  for (const std::string_view ours : {"\033[m", "\033[1;4;35m", "\033[2m", "\033[3A", "\033[12C",
                                      "\033[J", "\033]8;;\033\\", "\033]8;;https://a.b/c\033\\"}) {
    CAPTURE(ours.substr(1));
    CHECK(own_sequence(std::string(ours) + "tail") == ours.size());
  }
  for (const std::string_view other : {"\033",
                                       "\033[",
                                       "\033[3",
                                       "\033[2J",
                                       "\033[3J",
                                       "\033[0m",
                                       "\033[5m",
                                       "\033[1;m",
                                       "\033[38;5;1m",
                                       "\033[41m",
                                       "\033[A",
                                       "\033[1;2A",
                                       "\033[99999A",
                                       "\033[H",
                                       "\033[6n",
                                       "\033[?25l",
                                       "\033[?1049h",
                                       "\033c",
                                       "\033]0;t\a",
                                       "\033]52;c;QQ==\a",
                                       "\033]8;;x\a",
                                       "\033]8;;file:///etc\033\\",
                                       "\033]8;id=1;https://a.b\033\\",
                                       "\033]8;;https://a\033[m",
                                       "\033P1$r\033\\",
                                       "\033_x\033\\",
                                       "\033^x\033\\"}) {
    CAPTURE(other.substr(1));
    CHECK(own_sequence(other) == 0);
  }
}

TEST_CASE("every style we have is made of sequences that are ours") {
  for (const Style each :
       {style::dim, style::strong, style::emphasis, style::strike, style::heading, style::title,
        style::code, style::link, style::literal, style::bad, style::warning,
        style::strong | style::emphasis | style::code}) {
    const std::string start = start_of(each);
    CHECK(own_sequence(start) == start.size());
  }
  CHECK(start_of(style::plain).empty());
  CHECK(without_styles(painted("a", style::title, {.colour = true})) == "a");
  CHECK(painted("a", style::title, {}) == "a");
}

TEST_CASE("a style is written in words") {
  CHECK(start_of(parse_style("red")) == "\033[31m");
  CHECK(start_of(parse_style("bright-blue bold underline")) == "\033[1;4;94m");
  CHECK(start_of(parse_style("dim  italic")) == "\033[2;3m");
  CHECK(start_of(parse_style("#ff8000")) == "\033[38;2;255;128;0m");
  CHECK(start_of(parse_style("grey")) == "\033[90m");
  CHECK(parse_style("default") == style::plain);
  for (const auto& [words, says] :
       {std::pair{"gren", "did you mean green?"}, std::pair{"#ff80", "use #rrggbb"},
        std::pair{"#gg0000", "use #rrggbb"}, std::pair{"31", "use black"},
        std::pair{"bright-default", "use black"}}) {
    CAPTURE(words);
    CHECK_THROWS_WITH_AS(parse_style(words), doctest::Contains(says), Error);
  }
}

TEST_CASE("what a style can be is ours, and can be taken out again") {
  for (const std::string_view words : {"white", "bright-black bold", "#000000 dim", "#ffffff"}) {
    const std::string start = start_of(parse_style(words));
    CHECK(own_sequence(start) == start.size());
    CHECK(without_styles(start + "x" + std::string(end_of_style)) == "x");
  }
  for (const std::string_view other :
       {"\033[38;2;1;2m", "\033[38;2;1;2;3333m", "\033[38;2;1;2;;m", "\033[38m", "\033[98m"})
    CHECK_MESSAGE(own_sequence(other) == 0, other.substr(1));
}

TEST_CASE("a style that is named can be changed") {
  const Style before = style::added;
  CHECK(set_style("added", parse_style("blue")));
  CHECK(painted("x", style::added, {.colour = true}) == "\033[34mx\033[m");
  CHECK(painted("x", style::added, {}) == "x");
  CHECK(set_style("added", before));
  CHECK_FALSE(set_style("added", before));
  CHECK_FALSE(set_style("adde", before));
}

TEST_CASE("a theme sets every style that has a name, and one of them can be changed in it") {
  const Style dark_prompt = style::prompt;
  set_theme(Theme::light);
  CHECK(start_of(style::prompt) == "\033[1;34m");
  CHECK(start_of(style::dim) == "\033[90m");
  CHECK(style::comment == style::dim);
  CHECK(set_style("added", parse_style("bold")));
  CHECK(start_of(style::added) == "\033[1m");
  CHECK(start_of(style::code) == "\033[34m");
  set_theme(Theme::dark);
  CHECK(style::prompt == dark_prompt);
  CHECK(start_of(style::prompt) == "\033[1;36m");
  CHECK(start_of(style::dim) == "\033[2m");
  CHECK(start_of(style::added) == "\033[32m");
  for (const NamedStyle& each : named_styles()) {
    CAPTURE(each.name);
    CHECK(*each.style == each.dark);
    const Colour light = each.light.colour;
    CHECK_FALSE(each.light.dim);
    CHECK((light != Colour::yellow && light != Colour::cyan && light != Colour::white));
    CHECK(light <= Colour::bright_black);  // which is grey; no other bright one
  }
}
