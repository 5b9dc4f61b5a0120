#include "repl/commands/usage.h"

#include <doctest/doctest.h>

#include "core/text/text.h"
#include "repl/layout/width.h"
#include "tests/support/recorded_screen.h"

using namespace skein;
using namespace skein::commands;

namespace {

ContextFacts facts() {
  ContextFacts out{.window = 32'000, .room = 28'000, .model = "a/b\x1b[2J"};
  out.filling.system = 20;
  out.filling.tools = 8'000;
  out.filling.messages = 4'000;
  return out;
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string_view::npos; at += part.size())
    ++found;
  return found;
}

}  // namespace

TEST_CASE("the window is a bar of coloured blocks, one part after the other") {
  for (const std::size_t width : {std::size_t{40}, std::size_t{80}, std::size_t{200}}) {
    CAPTURE(width);
    const std::string picture = context_picture(facts(), width, test::at_terminal);
    const std::string plain = layout::without_styles(picture);
    const std::vector<std::string_view> rows = split(plain, '\n');
    for (std::size_t i = 1; i < rows.size(); ++i) CHECK(layout::display_width(rows[i]) < width);
    CHECK(rows[0] == "a/b␛[2J: about 12.0k of 32.0k tokens, 38%");
    const std::size_t cells = std::min<std::size_t>(width - 4, 72);
    CHECK(layout::display_width(rows[1]) == 2 + cells);
    // A quarter is tools, an eighth messages, and what is next to nothing is still there.
    const std::string bar = std::string(picture.substr(0, picture.find("system")));
    CHECK(bar.find("\033[34m█\033[m\033[35m█") != std::string::npos);
    CHECK(count(rows[1], "█") + 2 >= cells * 3 / 8);
    CHECK(count(rows[1], "▒") + 1 >= cells / 8);
    CHECK(rows[2] == "  █ system                   20   <1%");
    CHECK(rows[3] == "  █ tools                  8.0k   25%");
    CHECK(rows[4] == "  █ messages               4.0k   12%");
    CHECK(rows[5] == "  ░ free                  16.0k   50%");
    CHECK(rows[6] == "  ▒ reserved for answer    4.0k   12%");
    CHECK(plain.find("summary") == std::string::npos);
  }
}

TEST_CASE("without colours every part has its own sign, and read out there is no bar") {
  const std::string picture = context_picture(facts(), 40, test::no_colour);
  CHECK(picture.find("\n  [#%%%%") != std::string::npos);
  CHECK(picture.find("****....") != std::string::npos);
  CHECK(picture.find("----]\n  # system") != std::string::npos);
  CHECK(context_picture(facts(), 80, test::screen_reader) ==
        "a/b␛[2J: about 12.0k of 32.0k tokens, 38%\nsystem: 20 tokens, <1%\n"
        "tools: 8.0k tokens, 25%\nmessages: 4.0k tokens, 12%\nfree: 16.0k tokens, 50%\n"
        "reserved for answer: 4.0k tokens, 12%\n");
}

TEST_CASE("a window that is too full, or not known, is drawn all the same") {
  ContextFacts much = facts();
  much.filling.messages = 100'000;
  const std::string full = context_picture(much, 40, test::no_colour);
  CHECK(full.find("free") == std::string::npos);
  CHECK(full.find(", 338%\n") != std::string::npos);
  much.counted = 1'600;
  CHECK(context_picture(much, 40, test::no_colour)
            .starts_with("a/b␛[2J: 1.6k of 32.0k tokens, 5%; estimated by part:\n"));
  much.counted = much.window = much.room = 0;
  CHECK(context_picture(much, 40, test::no_colour).find("reserved") == std::string::npos);
  CHECK(context_picture({}, 3, test::no_colour).find("about 0 tokens\n") != std::string::npos);
}
