#include "repl/pick/picker.h"

#include <doctest/doctest.h>

#include "repl/edit/external_editor.h"
#include "repl/layout/width.h"
#include "repl/pick/ask.h"
#include "tests/support/environment.h"
#include "tests/support/typist.h"

using namespace skein;
using namespace skein::pick;
using namespace skein::test;

namespace {

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
      {"/snapshot\r", What::nothing, 0},
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
