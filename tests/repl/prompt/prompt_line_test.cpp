#include "repl/prompt/prompt_line.h"

#include <doctest/doctest.h>

using namespace skein;
using namespace skein::prompt;
using Wish = terminal::Action;

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
  } const cases[] = {{"\x03", Wish::abort},        {"\x12", Wish::search_history},
                     {"\x07", Wish::editor},       {"\x18\x05", Wish::editor},
                     {"\x0c", Wish::clear_screen}, {"\x0f", Wish::unfold},
                     {"\x14", Wish::thinking},     {"\x1b[Z", Wish::mode},
                     {"\x1a", Wish::suspend},      {"?", Wish::send}};
  for (const auto& each : cases) {
    History history;
    PromptLine prompt(history, {});
    prompt.start({});
    CAPTURE(std::string(each.keys));
    CHECK(type(prompt, each.keys) == each.wish);
  }
}

TEST_CASE("keys that were given to other actions do those, and their old ones do not") {
  History history;
  const terminal::KeyMap keys({{"send", {"ctrl+enter"}},
                               {"newline", {"enter"}},
                               {"editor", {"f4"}},
                               {"undo", {"alt+z"}},
                               {"rewind", {"f8 f8"}}});
  PromptLine prompt(history, {}, {}, keys);
  prompt.start({});
  CHECK(type(prompt, "one\rtwo") == Wish::none);
  CHECK(prompt.text() == "one\ntwo");
  CHECK(type(prompt, "\n") == Wish::none);  // Ctrl+J has nothing to do any more
  CHECK(prompt.text() == "one\ntwo");
  CHECK(type(prompt, "\x1f") == Wish::none);
  CHECK(prompt.text() == "one\ntwo");
  CHECK(type(prompt, "\x18\x05") == Wish::none);
  CHECK(type(prompt, "\x1bOS") == Wish::editor);
  CHECK(type(prompt, "\x1b[13;5u") == Wish::send);     // as Kitty says it
  CHECK(type(prompt, "\x1b[27;5;13~") == Wish::send);  // as xterm does
  CHECK(type(prompt, "\x1b\r") == Wish::send);
  type(prompt, "\x1bz");
  CHECK(prompt.text() != "one\ntwo");
  prompt.start({});
  CHECK(type(prompt, "\x1b\x1b") == Wish::none);
  CHECK(type(prompt, "\x1b[19~\x1b[19~") == Wish::send);
  CHECK(prompt.text() == "/rewind");
}

namespace {

Completion names_at(std::string_view before) {
  if (!before.starts_with('/')) return {};
  const std::size_t space = before.find(' ');
  if (space != std::string_view::npos)
    return {.key = std::string(before.substr(0, space + 1)),
            .from = space + 1,
            .letters = space + 1,
            .choices = [] {
              return std::vector<CompletionChoice>{{.text = "alpha"}, {.text = "beta"}};
            }};
  return {.key = "/", .letters = 1, .eager = true, .choices = [] {
            return std::vector<CompletionChoice>{
                {.text = "/model ", .about = "choose", .letters = "model", .whole = true},
                {.text = "/new", .about = "begin", .letters = "new", .whole = true},
                {.text = "/switch ", .about = "go", .letters = "switch"}};
          }};
}

// As someone types who looks: the list is drawn after each key.
Wish type_slowly(PromptLine& prompt, std::string_view bytes) {
  terminal::KeyDecoder decoder;
  decoder.feed(bytes);
  Wish last = Wish::none;
  const auto use = [&](const terminal::Key& key) {
    last = prompt.use(key);
    prompt.refreshed_popup().set_shown();
  };
  while (auto next = decoder.next()) use(*next);
  while (decoder.waiting())
    if (auto next = decoder.flush()) use(*next);
  return last;
}

struct Completing {
  History history{};
  PromptLine prompt{history, {}, names_at};
  Completing() { prompt.start({}); }
};

}  // namespace

TEST_CASE("Enter runs the command whose beginning was typed and seen") {
  Completing on;
  CHECK(type_slowly(on.prompt, "/mo\r") == Wish::send);
  CHECK(on.prompt.text() == "/model ");
}

TEST_CASE("what was never shown is not taken: a burst is sent as it was typed") {
  Completing on;
  CHECK(type(on.prompt, "/mo\r") == Wish::send);
  CHECK(on.prompt.text() == "/mo");
}

TEST_CASE("a loose match is taken by Tab or by hand, never by Enter alone") {
  Completing on;
  CHECK(type_slowly(on.prompt, "/sth\r") == Wish::send);
  CHECK(on.prompt.text() == "/sth");
  on.prompt.start({});
  type_slowly(on.prompt, "/sth\t");
  CHECK(on.prompt.text() == "/switch ");
  on.prompt.start({});
  CHECK(type_slowly(on.prompt, "/\x1b[B\x1b[B\r") == Wish::send);
  CHECK(on.prompt.text() == "/new");
}

TEST_CASE("a command that needs more is put into the line, and what could follow is offered") {
  Completing on;
  CHECK(type_slowly(on.prompt, "/sw\r") == Wish::none);
  CHECK(on.prompt.text() == "/switch ");
  CHECK(on.prompt.refreshed_popup().count() == 2);
  type_slowly(on.prompt, "et\t");
  CHECK(on.prompt.text() == "/switch beta");
}

TEST_CASE("Esc closes the list for this word, and does not count as going back") {
  Completing on;
  type_slowly(on.prompt, "/");
  CHECK(on.prompt.refreshed_popup().shown());
  type_slowly(on.prompt, "\x1b");
  CHECK_FALSE(on.prompt.refreshed_popup().open());
  type_slowly(on.prompt, "n");
  CHECK_FALSE(on.prompt.refreshed_popup().open());
  CHECK(type_slowly(on.prompt, "\r") == Wish::send);
  CHECK(on.prompt.text() == "/n");
}

TEST_CASE("a line from the history opens no list, so that Up goes on") {
  Completing on;
  on.history.add("/switch x");
  on.history.add("/new");
  type_slowly(on.prompt, up);
  CHECK_FALSE(on.prompt.refreshed_popup().open());
  type_slowly(on.prompt, up);
  CHECK(on.prompt.text() == "/switch x");
}

TEST_CASE("the list says what each choice is, which one is chosen and how many there are") {
  Completing on;
  type_slowly(on.prompt, "/n");
  const std::vector<screen::LiveRow> rows = on.prompt.refreshed_popup().rows(60, 9);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].text == "› /new");
  CHECK(rows[0].aside == "  begin");
  CHECK(rows[0].style == layout::style::strong);
  CHECK(rows[1].aside == "  1 of 1 · Enter or Tab inserts · Esc closes");
  CHECK(on.prompt.refreshed_popup().rows(39, 9)[1].aside == "  1 of 1 · Tab inserts · Esc closes");
  CHECK(on.prompt.refreshed_popup().rows(60, 1).empty());
}
