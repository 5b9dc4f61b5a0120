#include "repl/terminal/key_map.h"

#include <doctest/doctest.h>

#include "core/text/base.h"

using namespace skein;
using namespace skein::terminal;
using Code = Key::Code;

namespace {

std::string complaint(std::string_view text) {
  try {
    return trouble_with(parse_chord(text));
  } catch (const Error& error) {
    return error.what();
  }
}

bool says(std::string_view text, std::string_view part) {
  return complaint(text).find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a chord is read as people write it") {
  CHECK(parse_chord("ctrl+g") == Chord{ctrl('g')});
  CHECK(parse_chord("Ctrl+X  Ctrl+E") == Chord{ctrl('x'), ctrl('e')});
  CHECK(parse_chord("alt+enter") == Chord{alt(Code::enter)});
  CHECK(parse_chord("ctrl+return") == Chord{ctrl(Code::enter)});
  CHECK(parse_chord("shift+tab") == Chord{shift(Code::tab)});
  CHECK(parse_chord("meta+f") == Chord{alt('f')});
  CHECK(parse_chord("alt+shift+f") == Chord{alt('F')});
  CHECK(parse_chord("esc esc") == Chord{key(Code::escape), key(Code::escape)});
  CHECK(parse_chord("ctrl+/") == Chord{ctrl('_')});
  CHECK(parse_chord("f5").front().point == 5);
  CHECK(parse_chord("alt+ü") == Chord{Key{.code = Code::character, .point = 0xFC, .alt = true}});
}

TEST_CASE("what was written for a chord is read as the same one") {
  for (const char* text : {"ctrl+g", "ctrl+x ctrl+e", "alt+enter", "ctrl+enter", "shift+tab",
                           "ctrl+alt+shift+up", "f12", "alt+shift+f", "ctrl+_", "ctrl+space",
                           "alt+plus", "esc esc", "pagedown", "ctrl+shift+x", "alt+1"}) {
    CAPTURE(text);
    CHECK(written(parse_chord(text)) == text);
  }
  CHECK(shown(parse_chord("ctrl+x ctrl+e")) == "Ctrl+X Ctrl+E");
  CHECK(shown(parse_chord("pageup")) == "Pageup");
  CHECK(written(key(Code::unknown)).empty());
}

TEST_CASE("what cannot be understood names the nearest") {
  CHECK(says("ctrl+entr", "did you mean \"ctrl+enter\"?"));
  CHECK(says("crtl+x", "did you mean \"ctrl+x\"?"));
  CHECK(says("bogus", "`skein keys --test`"));
  CHECK(says("", "is not a key"));
  CHECK(says("ctrl+", "no key"));
  CHECK(says("ctrl+a ctrl+b ctrl+c", "more than two"));
}

TEST_CASE("text, Ctrl+C and what a terminal sends for another key cannot be given away") {
  CHECK(says("a", "text"));
  CHECK(says("shift+a", "text"));
  CHECK(says("space", "text"));
  CHECK(says("ctrl+c", "always"));
  CHECK(says("ctrl+x ctrl+c", "always"));
  CHECK(complaint("enter").empty());
  CHECK(complaint("ctrl+i") == complaint("tab"));  // it is read as what is sent
}

TEST_CASE("which keys a terminal must be asked to tell apart") {
  for (const char* text :
       {"ctrl+enter", "shift+enter", "ctrl+tab", "ctrl+shift+x", "ctrl+1", "shift+backspace"})
    CHECK(needs_extended_keys(parse_chord(text).front()));
  for (const char* text : {"enter", "alt+enter", "shift+tab", "ctrl+x", "ctrl+_", "ctrl+space",
                           "ctrl+up", "f5", "shift+f5"})
    CHECK_FALSE(needs_extended_keys(parse_chord(text).front()));
  CHECK(plain_form(ctrl(Code::enter)) == key(Code::enter));
}
