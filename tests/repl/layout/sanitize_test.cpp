#include "repl/layout/sanitize.h"

#include <doctest/doctest.h>

#include "core/text/base.h"

using namespace skein;
using namespace skein::layout;

TEST_CASE("what drives a terminal comes out visible, the rest as it was") {
  struct Row {
    std::string_view raw, shown;
  };
  const Row rows[] = {
      {"plain text\n\tand a tab", "plain text\n\tand a tab"},
      {"größer 漢字 🫠 e\u0301", "größer 漢字 🫠 e\u0301"},
      {"\033[31mred", "␛[31mred"},
      {"a\a\b\v\fz", "a␇␈␋␌z"},
      {std::string_view("\0", 1), "␀"},
      {"del\x7F", "del␡"},
      {"\u0090\u009B31m", "<U+0090><U+009B>31m"},
      {"\x9B\x90", "\uFFFD\uFFFD"},  // C1 as a raw byte is not UTF-8
      {"user\u202Etxt.exe", "user<U+202E>txt.exe"},
      {"\u2066\u2069\u200F\u061C", "<U+2066><U+2069><U+200F><U+061C>"},
      {"\uFEFFa\u2028b\u2029", "<U+FEFF>a<U+2028>b<U+2029>"},
      {"\U000E0041\U000E0042", "<U+E0041><U+E0042>"},
      {"one\r\ntwo\rthree\r", "one\ntwo␍three␍"},
      {"\xC0\x80\xED\xA0\x80\xF4\x90\x80\x80",
       "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD"},
      {"cut \xE2\x82", "cut \uFFFD"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.raw);
    CHECK(sanitized(row.raw) == row.shown);
  }
}

TEST_CASE("marks piled on one character are spelled out after the eighth") {
  std::string raw = "a", shown = "a";
  for (int i = 0; i < 10; ++i) raw += "\u0301", shown += i < 8 ? "\u0301" : "<U+0301>";
  CHECK(sanitized(raw + "b") == shown + "b");
}

TEST_CASE("text in pieces is made harmless as if it came whole, wherever it is cut") {
  const std::string raw =
      "a\r\nb\r \xE2\x82\xAC \xE2\x82 \xF0\x9F\xAB\xA0 \033]52;c;AA\a \xC2\x9B \xFF\xED\xA0\x80 "
      "e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\r";
  const std::string whole = sanitized(raw);
  CHECK(is_valid_utf8(whole));
  for (std::size_t first = 0; first <= raw.size(); ++first)
    for (std::size_t second = first; second <= raw.size(); ++second) {
      Sanitizer door;
      std::string out;
      door.feed(std::string_view(raw).substr(0, first), out);
      door.feed(std::string_view(raw).substr(first, second - first), out);
      door.feed(std::string_view(raw).substr(second), out);
      door.end(out);
      REQUIRE(out == whole);
    }
}
