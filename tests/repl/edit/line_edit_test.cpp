#include "repl/edit/line_edit.h"

#include <doctest/doctest.h>

#include <random>

#include "core/text/base.h"

using namespace skein;
using namespace skein::edit;
using Code = terminal::Key::Code;

namespace {

void type(LineEdit& line, std::string_view text) {
  terminal::KeyDecoder decoder;
  decoder.feed(text);
  while (const auto next = decoder.next()) line.apply(*next);
}

// The text with | where the cursor is.
std::string seen(const LineEdit& line) {
  std::string out = line.text();
  return out.insert(line.cursor(), "|");
}

std::string after(std::string_view keys, std::string_view text = {}) {
  LineEdit line;
  line.start({.text = std::string(text)});
  type(line, keys);
  return seen(line);
}

}  // namespace

TEST_CASE("keys do to a line what every shell's do") {
  struct {
    std::string_view text, keys, end;
  } const cases[] = {
      {"one two", "\x01x", "x|one two"},
      {"one two", "\x01\x05x", "one twox|"},
      {"one two",
       "\x1b"
       "bx",
       "one x|two"},
      {"one two",
       "\x01\x1b"
       "fx",
       "onex| two"},
      {"one two", "\x02\x02x", "one tx|wo"},
      {"one two", "\x7f\x7f", "one t|"},
      {"one two", "\x01\x04", "|ne two"},
      {"one a-b", "\x17x", "one x|"},
      {"one a-b", "\x1b\x7fx", "one a-x|"},
      {"one two",
       "\x01\x1b"
       "d",
       "| two"},
      {"one two",
       "\x1b"
       "b\x0b",
       "one |"},
      {"one two",
       "\x1b"
       "b\x15",
       "|two"},
      {"one two", "\x17\x17\x19", "one two|"},
      {"one two", "\x17\x02\x17\x19\x1by", "two| "},
      {"ab", "\x14", "ba|"},
      {"one two", "\x01\x1buX", "ONEX| two"},
      {"ONE", "\x01\x1bl", "one|"},
      {"a",
       "\x0a"
       "b",
       "a\nb|"},
      {"a",
       "\x1b\r"
       "b",
       "a\nb|"},
      {"one\ntwo", "\x01x", "one\nx|two"},
  };
  for (const auto& each : cases) {
    CAPTURE(std::string(each.text));
    CAPTURE(std::string(each.keys));
    CHECK(after(each.keys, each.text) == each.end);
  }
}

TEST_CASE("what a reader sees as one character is moved over and deleted as one") {
  for (const std::string_view one :
       {"é", "e\u0301", "👩‍👩‍👧‍👦", "🇩🇪", "漢", "🫠"}) {
    CHECK(after("\x7f", "a" + std::string(one)) == "a|");
    CHECK(after("\x02x", "a" + std::string(one)) == "ax|" + std::string(one));
  }
}

TEST_CASE("undo goes back word by word and to before a paste, a kill and a recalled line") {
  LineEdit line;
  type(line, "one two");
  type(line, "\x1f");
  CHECK(seen(line) == "one|");
  type(line, "\x1f");
  CHECK(seen(line) == "|");
  type(line, "\x1f");
  CHECK(seen(line) == "|");

  type(line, "kept\x15\x1f");
  CHECK(seen(line) == "kept|");
  line.set("from history");
  type(line, "\x1f");
  CHECK(seen(line) == "kept|");
}

TEST_CASE("a paste of many lines is a chip: one thing for the cursor, whole when undone to") {
  std::string many;
  for (int i = 0; i < 20; ++i) many += "line\n";
  LineEdit line;
  type(line, "see \x1b[200~" + many + "\x1b[201~ here");
  CHECK(line.text() == "see [Pasted text #1 +20 lines] here");
  CHECK(whole(line.draft()) == "see " + many + " here");

  type(line,
       "\x01\x1b"
       "f\x06\x06");
  CHECK(seen(line) == "see [Pasted text #1 +20 lines]| here");
  type(line, "\x7f");
  CHECK(seen(line) == "see | here");
  type(line, "\x1f");
  CHECK(whole(line.draft()) == "see " + many + " here");
}

TEST_CASE("a short paste is text, and its newlines send nothing") {
  LineEdit line;
  type(line, "\x1b[200~two\r\nlines\x1b[201~");
  CHECK(seen(line) == "two\nlines|");
}

TEST_CASE("a paste that names a file by @ is a chip, however short, so that it takes none along") {
  for (const char* pasted : {"@/etc/passwd", "see @a.txt", "a\n@b"}) {
    LineEdit line;
    type(line, "\x1b[200~" + std::string(pasted) + "\x1b[201~");
    CHECK(line.text().starts_with("[Pasted text #1"));
    CHECK(whole(line.draft()) == pasted);
  }
  LineEdit line;
  type(line, "\x1b[200~mail me@here\x1b[201~");
  CHECK(seen(line) == "mail me@here|");
}

TEST_CASE("Up and Down keep to a column, over shorter lines too") {
  LineEdit line;
  line.start({.text = "a long line\nshort\nanother one"});
  CHECK(line.up());
  CHECK(seen(line) == "a long line\nshort|\nanother one");
  CHECK(line.up());
  CHECK(seen(line) == "a long line|\nshort\nanother one");
  CHECK_FALSE(line.up());
  CHECK(line.down());
  CHECK(line.down());
  CHECK(seen(line) == "a long line\nshort\nanother one|");
  CHECK_FALSE(line.down());
}

TEST_CASE("whatever is typed, the cursor stands between characters of valid text") {
  std::mt19937 random(3);
  constexpr std::string_view keys[] = {"a",
                                       " ",
                                       "é",
                                       "👩‍👧",
                                       "e\u0301",
                                       "\n",
                                       "\x01",
                                       "\x05",
                                       "\x02",
                                       "\x06",
                                       "\x04",
                                       "\x7f",
                                       "\x17",
                                       "\x15",
                                       "\x0b",
                                       "\x19",
                                       "\x1by",
                                       "\x14",
                                       "\x1f",
                                       "\x1b"
                                       "b",
                                       "\x1b"
                                       "f",
                                       "\x1b"
                                       "d",
                                       "\x1bu",
                                       "\x1bl",
                                       "\x1b\x7f",
                                       "\x1b[200~1\n2\n3\n4\n5\n6\n7\x1b[201~",
                                       "\x1b[200~x\ny\x1b[201~"};
  for (int run = 0; run < 300; ++run) {
    LineEdit line;
    for (int i = 0; i < 60; ++i) {
      const auto which = random() % (std::size(keys) + 2);
      if (which == std::size(keys))
        line.up();
      else if (which == std::size(keys) + 1)
        line.down();
      else
        type(line, keys[which]);
      REQUIRE(line.cursor() <= line.text().size());
      REQUIRE(is_valid_utf8(std::string_view(line.text()).substr(0, line.cursor())));
      REQUIRE(is_valid_utf8(line.text()));
    }
    while (!line.text().empty()) {
      const std::size_t before = line.text().size();
      type(line, "\x05\x7f");
      if (line.text().size() == before) line.down();
    }
  }
}
