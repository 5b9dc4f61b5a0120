#include "repl/pick/picker.h"

#include <doctest/doctest.h>

#include "repl/edit/external_editor.h"
#include "repl/layout/width.h"
#include "repl/pick/ask.h"
#include "repl/pick/tree_view.h"
#include "tests/support/environment.h"
#include "tests/support/pty.h"

using namespace skein;
using namespace skein::pick;
using namespace skein::test;

namespace {

// A keyboard on which these keys have been typed already.
struct Typist {
  explicit Typist(std::string_view keys) {
    terminal.set(terminal::Terminal::Mode::editing);
    pty.type(keys);
  }
  Pty pty{};
  terminal::Terminal terminal{pty.slave(), pty.slave()};
  terminal::Keyboard keyboard{terminal};
};

const std::vector<std::string> fruit{"apple", "banana", "cherry", "apricot"};

Picked picked(std::string_view keys, PickList list = {}) {
  Typist typist(keys);
  list.title = "fruit";
  list.lines = fruit;
  return pick::pick(typist.keyboard, list);
}

}  // namespace

TEST_CASE("a few letters and Enter choose from a list") {
  CHECK(picked("\r").index == 0);
  CHECK(picked("ban\r").index == 1);
  CHECK(picked("ap\x1b[B\r").index == 3);
  CHECK(picked("ap\x1b[B\x1b[B\x1b[B\x1b[A\r").index == 0);
  CHECK(picked("banx\x7f\r").index == 1);
  CHECK(picked("\x1b[6~\r").index == 3);
}

TEST_CASE("Esc and ^C leave a list, and Enter chooses nothing where nothing fits") {
  CHECK_FALSE(picked("\x1b").index);
  CHECK_FALSE(picked("ban\x03").index);
  CHECK_FALSE(picked("zzz\r\x1b").index);
  CHECK(picked("zzz\r\x03").query == "zzz");
}

TEST_CASE("a further key leaves with what is chosen and what was typed") {
  const Picked out = picked("che\x12", {.further = {terminal::ctrl('r')}});
  CHECK(out.index == 2);
  CHECK(out.key == terminal::ctrl('r'));
  CHECK(out.query == "che");
}

TEST_CASE("a list erases itself and never leaves the normal screen") {
  Typist typist("b\x1b");
  pick::pick(typist.keyboard, {.title = "fruit", .lines = fruit});
  typist.terminal.write("END");
  REQUIRE(typist.pty.shows("END"));
  const std::string& all = typist.pty.shown([](const std::string&) { return true; });
  CHECK(all.ends_with("\r\x1b[JEND"));
  for (const std::string_view never : {"\x1b[?1049", "\x1b[3J", "\x1b[2J", "\x1b[?1000"})
    CHECK(all.find(never) == std::string::npos);
}

TEST_CASE("names in a list cannot drive the terminal") {
  Typist typist("\r");
  pick::pick(typist.keyboard, {.title = "x", .lines = {"evil\x1b]0;title\x07\x1b[2Jname\r\n"}});
  typist.terminal.write("END");
  REQUIRE(typist.pty.shows("END"));
  CHECK(typist.pty.shown([](const std::string&) { return true; }).find("\x1b]0") ==
        std::string::npos);
  CHECK_FALSE(typist.pty.shows("\x1b[2J", 1));
}

TEST_CASE("a question is answered by one key, and Enter alone is no") {
  struct {
    std::string_view keys;
    model::Answer::Choice choice;
    std::string reason;
  } const cases[] = {
      {"y", model::Answer::Choice::yes, ""},
      {"s", model::Answer::Choice::always, ""},
      {"a", model::Answer::Choice::here, ""},
      {"\r", model::Answer::Choice::no, ""},
      {"\x1b", model::Answer::Choice::no, ""},
      {"nnot here\r", model::Answer::Choice::no, ""},
      {"wnot here\r", model::Answer::Choice::no, "not here"},
      {"w\r", model::Answer::Choice::no, ""},
      {"w\x1b", model::Answer::Choice::no, ""},
      {"x \ty", model::Answer::Choice::yes, ""},
      {"\x03", model::Answer::Choice::no, ""},
      {"\x1b[200~y\x1b[201~\r", model::Answer::Choice::no, ""},
  };
  for (const auto& each : cases) {
    Typist typist(each.keys);
    screen::Screen screen(screen::screen_parts(typist.pty.slave(), "auto", false));
    std::atomic<bool> stop{false};
    const model::Answer answer =
        ask_permission(typist.keyboard, screen, {"Allow?", "", "bash(git status)"}, stop);
    CAPTURE(std::string(each.keys));
    CHECK(answer.choice == each.choice);
    CHECK(answer.text == each.reason);
    CHECK(stop == (each.keys == "\x03"));
  }
}

TEST_CASE("a question that fits is removed when it is answered, one that does not stays") {
  for (const bool fits : {true, false}) {
    Typist typist("y");
    screen::Screen screen(screen::screen_parts(typist.pty.slave(), "auto", false));
    std::atomic<bool> stop{false};
    const std::string detail = fits ? "make" : std::string(100, 'x');
    ask_permission(typist.keyboard, screen, {"Allow bash make?", detail, "bash(make)"}, stop);
    typist.terminal.write("END");
    REQUIRE(typist.pty.shows("END"));
    const std::string& all = typist.pty.shown([](const std::string&) { return true; });
    CHECK(all.find("[a]lways here") != std::string::npos);
    CHECK(all.ends_with("\x1b[JEND") == fits);
    CHECK(all.ends_with("yes\r\nEND") == !fits);
  }
}

TEST_CASE("choices are never broken in the middle") {
  const model::Question question{.text = "Allow?",
                                 .remember = "bash(make test)",
                                 .amendable = model::Question::Amendable{"make test", "x.sh"}};
  for (const std::size_t width : {20u, 30u, 40u, 80u, 200u}) {
    CAPTURE(width);
    const std::vector<std::string> rows = choices_of(question, width);
    std::string all;
    for (const std::string& row : rows) {
      CHECK(layout::display_width(row) <= width);
      all += row + "\n";
    }
    CHECK(layout::display_width(rows.back()) < width);  // the cursor is behind it
    for (const char* choice :
         {"[y]es", "this [s]ession", "[a]lways here", "[e]dit", "[n]o (Enter)", "[w]hy not"})
      CHECK(all.find(choice) != std::string::npos);
  }
  CHECK(choices_of(question, 80).size() == 2);
}

TEST_CASE("always is not taken where it is not offered") {
  Typist typist("a\r");
  screen::Screen screen(screen::screen_parts(typist.pty.slave(), "auto", false));
  std::atomic<bool> stop{false};
  CHECK(ask_permission(typist.keyboard, screen, {"Allow?", "", ""}, stop).choice ==
        model::Answer::Choice::no);
}

TEST_CASE("what is asked about can be edited first, and what did not change is asked again") {
  struct {
    const char* editor;
    std::string_view text, keys;
    model::Answer::Choice choice;
    std::string_view changed;
  } const cases[] = {
      {"printf 'make test\\n' >", "make", "e", model::Answer::Choice::amend, "make test"},
      {"printf 'one\\ntwo\\n' >", "one\n", "e", model::Answer::Choice::amend, "one\ntwo\n"},
      {": >", "make", "e", model::Answer::Choice::amend, ""},
      {"true", "make", "ey", model::Answer::Choice::yes, ""},
      {"false", "make", "en", model::Answer::Choice::no, ""},
  };
  for (const auto& each : cases) {
    CAPTURE(each.editor);
    const Environment visual("VISUAL", each.editor);
    Typist typist(each.keys);
    screen::Screen screen(screen::screen_parts(typist.pty.slave(), "auto", false));
    std::atomic<bool> stop{false};
    const model::Answer answer = ask_permission(
        typist.keyboard, screen,
        {.text = "Allow?", .amendable = model::Question::Amendable{std::string(each.text), "a.sh"}},
        stop);
    CHECK(answer.choice == each.choice);
    CHECK(answer.text == each.changed);
  }
}

TEST_CASE("an editor is told by the file's ending what it edits, and by nothing else") {
  Typist typist("");
  for (const auto& [like, ending] : std::vector<std::pair<std::string, std::string>>{
           {"src/main.cpp", ".cpp"}, {"Makefile", ""}, {"a.$(id)", ""}, {"x.a b", ""}}) {
    CAPTURE(like);
    const Environment visual("VISUAL", "f() { printf '%s' \"${1##*/skein-??????}\" > \"$1\"; }; f");
    CHECK(edit::edited_elsewhere("text", typist.terminal, like) == ending);
  }
}

TEST_CASE("in a tree the arrow keys find an entry and a letter says what to do from it") {
  model::Tree::Builder builder;
  const auto add = [&](std::uint64_t id, std::optional<Id> parent) {
    builder.add({.id = Id{id}, .parent = parent, .type = model::type::message, .at = id});
  };
  add(1, std::nullopt);
  add(2, Id{1});
  add(3, Id{2});
  add(4, Id{2});
  const model::Tree tree = std::move(builder).build();
  const auto label = [](const model::Tree::Node& node) { return to_string(node.id); };
  using What = TreeChoice::What;
  struct {
    std::string_view keys;
    What what;
    std::uint64_t entry;
  } const cases[] = {
      {"\r", What::go_on, 4},
      {"\x1b[A\r", What::go_on, 3},
      {"kkb", What::branch, 2},
      {"\x1b[H\x1b[Bs", What::snapshot, 2},
      {"\x1b[Hj\x1b[F\r", What::go_on, 4},
      {"q", What::nothing, 0},
      {"\x1b", What::nothing, 0},
      {"/branches\r", What::nothing, 0},
  };
  for (const auto& each : cases) {
    Typist typist(each.keys);
    const TreeChoice choice = walk_tree_view(typist.keyboard, tree, Id{4}, label);
    CAPTURE(std::string(each.keys));
    CHECK(choice.what == each.what);
    CHECK(choice.entry == Id{each.entry});
  }
}

TEST_CASE("a command that is typed in a tree reaches the prompt whole") {
  model::Tree::Builder builder;
  builder.add({.id = Id{1}, .type = model::type::message, .at = 1});
  const model::Tree tree = std::move(builder).build();
  Typist typist("/b\r");
  walk_tree_view(typist.keyboard, tree, Id{1}, [](const model::Tree::Node&) { return ""; });
  terminal::Key key;
  for (const terminal::Key& expected : {terminal::character('/'), terminal::character('b'),
                                        skein::terminal::key(terminal::Key::Code::enter)}) {
    REQUIRE(typist.keyboard.next(key) == terminal::Keyboard::KeyResult::key);
    CHECK(key == expected);
  }
}

TEST_CASE("keys that nobody has asked for yet are noticed, wherever they wait") {
  Typist none(""), some("x");
  CHECK_FALSE(none.keyboard.typed_ahead());
  CHECK(some.keyboard.typed_ahead());
  CHECK(some.keyboard.typed_ahead());  // and are still there
  terminal::Key key;
  CHECK(some.keyboard.next(key) == terminal::Keyboard::KeyResult::key);
  CHECK_FALSE(some.keyboard.typed_ahead());
}
