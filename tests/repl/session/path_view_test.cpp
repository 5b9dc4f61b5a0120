#include "repl/session/path_view.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/recorded_screen.h"
#include "tests/support/stage.h"

using namespace skein;
using namespace skein::test;

namespace {

// "line 1", "line 2" … each on its own, in a block of code so that they stay so.
std::string lines_up_to(int last) {
  std::string out = "```";
  for (int i = 1; i <= last; ++i) out += "\\nline " + std::to_string(i) + ".";
  return out + "\\n```";
}

std::string last_shown(Stage& stage, const agent::Conversation& conversation,
                       RecordedScreen& screen) {
  session::show_last({stage.store, conversation, *screen});
  return seen(screen.bytes(), 80);
}

std::size_t rows_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("a session that is opened shows about a screen, and the rest when it is asked for") {
  Stage stage("[\"short\", \"" + lines_up_to(200) + "\"]");
  agent::Conversation conversation = stage.conversation();
  stage.turn(conversation, "first");
  stage.turn(conversation, "count to two hundred");
  RecordedScreen screen(no_colour);

  const std::string shown = last_shown(stage, conversation, screen);
  CHECK(rows_in(shown) <= 24);
  CHECK(shown.find("› count to two hundred\n") != std::string::npos);
  CHECK(shown.find("(Ctrl+O or /history shows them)") != std::string::npos);
  CHECK(shown.find("line 200.") != std::string::npos);
  CHECK(shown.find("line 100.") == std::string::npos);
  CHECK(shown.find("first") == std::string::npos);

  screen->expand_last();
  const std::string whole = seen(screen.bytes(), 80);
  CHECK(whole.find("line 1.\n") != std::string::npos);
  CHECK(whole.find("line 100.") != std::string::npos);
}

TEST_CASE("of a long question the beginning is shown") {
  std::string question = "why?";
  for (int i = 1; i <= 60; ++i) question += "\nframe " + std::to_string(i) + ".";
  Stage stage(R"(["because"])");
  agent::Conversation conversation = stage.conversation();
  stage.turn(conversation, question);
  RecordedScreen screen(no_colour);
  const std::string shown = last_shown(stage, conversation, screen);
  CHECK(rows_in(shown) <= 24);
  CHECK(shown.find("› why?") != std::string::npos);
  CHECK(shown.find("frame 60.") == std::string::npos);
  CHECK(shown.find("more lines (") != std::string::npos);
  CHECK(shown.find("because") != std::string::npos);
}

TEST_CASE("what fits is shown as it was, and in a pipe everything is") {
  Stage stage("[\"short\", \"" + lines_up_to(40) + "\"]");
  agent::Conversation conversation = stage.conversation();
  stage.turn(conversation, "first");
  {
    RecordedScreen screen(no_colour);
    const std::string shown = last_shown(stage, conversation, screen);
    CHECK(shown.find("› first\n\nshort\n") != std::string::npos);
    CHECK(shown.find("more line") == std::string::npos);
  }
  stage.turn(conversation, "second");
  RecordedScreen screen(piped);
  session::show_last({stage.store, conversation, *screen});
  for (const char* const part : {"first", "short", "second", "line 1.", "line 40."})
    CHECK(screen.bytes().find(part) != std::string::npos);
  CHECK(screen.bytes().find("more line") == std::string::npos);
}

TEST_CASE("a blank line stands between turns, before the first there is none") {
  Stage stage(R"(["short", "shorter"])");
  agent::Conversation conversation = stage.conversation();
  stage.turn(conversation, "first");
  stage.turn(conversation, "second");
  RecordedScreen screen(no_colour);
  const std::string shown = last_shown(stage, conversation, screen);
  CHECK(shown.starts_with("› first\n\nshort\n"));
  CHECK(shown.find("\n\n› second\n\nshorter\n") != std::string::npos);
  CHECK(shown.find("\n\n\n") == std::string::npos);
  RecordedScreen pipe(piped);
  session::show_last({stage.store, conversation, *pipe});
  CHECK(pipe.bytes().find("\n\n") == std::string::npos);
}

TEST_CASE("a result is not shown without its call, and one entry is never left out") {
  Stage stage(R"(["hello", [{"call": {"name": "look"}}], "seen", "bye"])");
  agent::Conversation conversation = stage.conversation();
  stage.turn(conversation, "hi");
  stage.turn(conversation, "look at it");
  stage.turn(conversation, "thanks");
  RecordedScreen screen(no_colour);
  const std::string shown = last_shown(stage, conversation, screen);
  CHECK(shown.find("in between") == std::string::npos);
  CHECK(shown.find("tool result") == std::string::npos);
  CHECK(shown.find("› look at it") != std::string::npos);
}
