#include "repl/prompt/prompt_line.h"

#include <doctest/doctest.h>

using namespace skein;
using namespace skein::prompt;
using Wish = PromptLine::EditorAction;

namespace {

Wish type(PromptLine& prompt, std::string_view bytes) {
  terminal::KeyDecoder decoder;
  decoder.feed(bytes);
  Wish last = Wish::none;
  while (auto next = decoder.next()) last = prompt.use(*next);
  while (decoder.waiting())
    if (auto next = decoder.flush()) last = prompt.use(*next);
  return last;
}

constexpr std::string_view up = "\x1b[A", down = "\x1b[B", right = "\x1b[C";

}  // namespace

TEST_CASE("Up walks back through the lines that begin like this one, Down comes back") {
  History history;
  for (const char* line : {"git status", "make all", "git log"}) history.add(line);
  PromptLine prompt(history, {});
  prompt.start({.text = "git"});
  type(prompt, up);
  CHECK(prompt.text() == "git log");
  type(prompt, up);
  CHECK(prompt.text() == "git status");
  type(prompt, up);
  CHECK(prompt.text() == "git status");
  type(prompt, down);
  CHECK(prompt.text() == "git log");
  type(prompt, down);
  CHECK(prompt.text() == "git");
}

TEST_CASE("in a text of several lines Up moves first and recalls then") {
  History history;
  history.add("earlier");
  PromptLine prompt(history, {});
  prompt.start({});
  type(prompt, "\n");
  type(prompt, up);
  CHECK(prompt.text() == "\n");
  CHECK(prompt.line().cursor() == 0);
  type(prompt, up);
  CHECK(prompt.text() == "\n");  // nothing earlier begins with a newline
}

TEST_CASE("the rest of an earlier line is shown behind this one and taken with Right or a word") {
  History history;
  history.add("run the tests again");
  PromptLine prompt(history, {});
  prompt.start({});
  type(prompt, "run");
  CHECK(prompt.hint() == " the tests again");
  type(prompt,
       "\x1b"
       "f");
  CHECK(prompt.text() == "run the");
  CHECK(prompt.hint() == " tests again");
  type(prompt, right);
  CHECK(prompt.text() == "run the tests again");
  CHECK(prompt.hint().empty());
}

TEST_CASE("what the shell knows is hinted at before the history, and is not taken") {
  History history;
  history.add("/switch main:cli:user");
  PromptLine prompt(history, [](std::string_view) { return " <session>"; });
  prompt.start({});
  type(prompt, "/switch");
  CHECK(prompt.hint() == " <session>");
  type(prompt, right);
  CHECK(prompt.text() == "/switch");
}

TEST_CASE("Enter sends, but behind a backslash it is a new line") {
  History history;
  PromptLine prompt(history, {});
  prompt.start({});
  CHECK(type(prompt, "one\\\r") == Wish::none);
  CHECK(type(prompt, "two\r") == Wish::send);
  CHECK(prompt.text() == "one\ntwo");
}

TEST_CASE("Ctrl+D deletes in a line and leaves on an empty one; Esc Esc there goes back") {
  History history;
  PromptLine prompt(history, {});
  prompt.start({.text = "a"});
  CHECK(type(prompt, "\x01\x04") == Wish::none);
  CHECK(prompt.text().empty());
  CHECK(type(prompt, "\x04") == Wish::leave);
  CHECK(type(prompt, "\x1b\x1b") == Wish::send);
  CHECK(prompt.text() == "/rewind");
}

TEST_CASE("every key that needs the screen is a wish") {
  struct {
    std::string_view keys;
    Wish wish;
  } const cases[] = {{"\x03", Wish::abort},
                     {"\x12", Wish::search},
                     {"\t", Wish::complete},
                     {"\x07", Wish::edit_elsewhere},
                     {"\x18\x05", Wish::edit_elsewhere},
                     {"\x0c", Wish::clear_screen},
                     {"\x0f", Wish::expand},
                     {"\x14", Wish::show_thinking},
                     {"\x1b[Z", Wish::cycle_mode},
                     {"\x1a", Wish::suspend},
                     {"?", Wish::send}};
  for (const auto& each : cases) {
    History history;
    PromptLine prompt(history, {});
    prompt.start({});
    CAPTURE(std::string(each.keys));
    CHECK(type(prompt, each.keys) == each.wish);
  }
}
