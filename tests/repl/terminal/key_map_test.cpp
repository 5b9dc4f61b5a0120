#include "repl/terminal/key_map.h"

#include <doctest/doctest.h>

#include <set>

#include "core/text/base.h"

using namespace skein;
using namespace skein::terminal;
using Code = Key::Code;

namespace {

std::string refusal(const KeyMap::Given& given) {
  try {
    const KeyMap map(given);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

bool refused(const KeyMap::Given& given, std::string_view part) {
  return refusal(given).find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("every action has one row, a name, words and keys that make sense") {
  std::set<Action> seen;
  for (const KeyRow& row : key_rows()) {
    CAPTURE(std::string(row.words));
    CHECK_FALSE(row.words.empty());
    CHECK_FALSE(row.brief.empty());
    CHECK(row.brief.size() <= 20);
    CHECK((row.action == Action::none) == row.name.empty());
    if (row.action == Action::none) continue;
    CHECK(seen.insert(row.action).second);
    CHECK_FALSE(usual_keys().chords(row.action).empty());
    CHECK(usual_keys().shown(row).size() <= 24);  // the column of `?`
  }
  CHECK(seen.size() == action_count - 1);
}

TEST_CASE("keys are found where they count") {
  const KeyMap& map = usual_keys();
  CHECK(map.find(KeyContext::prompt, {key(Code::enter)}) == Action::send);
  CHECK(map.find(KeyContext::prompt, {alt(Code::enter)}) == Action::newline);
  CHECK(map.find(KeyContext::turn, {alt(Code::enter)}) == Action::steer);
  CHECK(map.find(KeyContext::prompt, {ctrl('x'), ctrl('e')}) == Action::editor);
  CHECK(map.find(KeyContext::prompt, {ctrl('x')}) == Action::none);
  CHECK(map.begins(KeyContext::prompt, ctrl('x')));
  CHECK_FALSE(map.begins(KeyContext::turn, ctrl('x')));
  CHECK(map.shown(row_of_action("editor")) == "Ctrl+G, Ctrl+X Ctrl+E");
}

TEST_CASE("a key given to an action is that action's, and its usual ones are gone") {
  const KeyMap map({{"unfold", {"f5"}}, {"undo", {"alt+z", "f6"}}, {"search history", {}}});
  CHECK(map.find(KeyContext::prompt, parse_chord("f5")) == Action::unfold);
  CHECK(map.find(KeyContext::prompt, {ctrl('o')}) == Action::none);
  CHECK(map.find(KeyContext::prompt, {ctrl('r')}) == Action::none);
  CHECK(map.taken_away(ctrl('_')));
  CHECK_FALSE(map.taken_away(ctrl('o')));
  CHECK_FALSE(usual_keys().taken_away(ctrl('_')));
  CHECK(map.shown(row_of_action("search-history")) == "-");
}

TEST_CASE("what cannot be is an error that says so") {
  CHECK(refused({{"sned", {"f5"}}}, "did you mean send?"));
  CHECK(refused({{"something else", {"f5"}}}, "`skein keys` lists them"));
  CHECK(refused({{"unfold", {"ctrl+t"}}},
                "\"ctrl+t\" is assigned to two actions, unfold and thinking"));
  CHECK(refused({{"unfold", {"f5"}}, {"mode", {"f5"}}}, "assigned to two actions"));
  CHECK(refused({{"unfold", {"ctrl+x"}}}, "begin with the same key"));
  CHECK(refused({{"search history", {"f5"}}, {"search-history", {"f6"}}}, "twice"));
  CHECK(refused({{"send", {}}}, "nothing could be sent"));
  CHECK(refused({{"send", {"ctrl+enter"}}}, "newline = \"enter\""));
  CHECK(refused({{"unfold", {"ctrl+c"}}}, "always"));
  // What one does at the prompt and another during a turn is no conflict.
  CHECK(refusal({{"background", {"ctrl+o"}}}).empty());
}

TEST_CASE("Enter for a new line and Ctrl+Enter to send, and Alt+Enter where that cannot be told") {
  const KeyMap map({{"send", {"ctrl+enter"}}, {"newline", {"enter"}}});
  CHECK(map.find(KeyContext::prompt, {key(Code::enter)}) == Action::newline);
  CHECK(map.find(KeyContext::prompt, {ctrl(Code::enter)}) == Action::send);
  CHECK(map.find(KeyContext::prompt, {alt(Code::enter)}) == Action::send);
  CHECK(map.uncertain() == std::vector<Chord>{{ctrl(Code::enter)}});
  CHECK(usual_keys().uncertain().empty());
  // Unless it has another meaning.
  const KeyMap own({{"send", {"ctrl+enter"}}, {"newline", {"enter", "alt+enter"}}});
  CHECK(own.find(KeyContext::prompt, {alt(Code::enter)}) == Action::newline);
}

TEST_CASE("two keys belong together when one follows the other") {
  ChordReader reader(usual_keys(), KeyContext::prompt);
  CHECK(reader.read(ctrl('x')) == Action::none);
  CHECK(reader.begun());
  CHECK(reader.read(ctrl('e')) == Action::editor);
  CHECK(reader.read(ctrl('e')) == Action::accept);
  CHECK(reader.read(ctrl('x')) == Action::none);
  CHECK(reader.read(ctrl('o')) == Action::unfold);
  CHECK(reader.read(ctrl('e')) == Action::accept);
}
