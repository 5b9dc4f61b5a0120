#include "repl/layout/flow.h"

#include <doctest/doctest.h>

using namespace skein;
using namespace skein::layout;

TEST_CASE("a sentence too long for the row breaks between words, indented as it was") {
  CHECK(wrapped("one two three", 7) == "one two\nthree");
  CHECK(wrapped("  one two three", 9) == "  one two\n  three");
  CHECK(wrapped("one two\nthree four five\n", 10) == "one two\nthree four\nfive\n");
  CHECK(wrapped("a  b  c", 20) == "a  b  c");
  CHECK(wrapped("a  b  c", 4) == "a  b\nc");
  CHECK(wrapped("日本 日本", 5) == "日本\n日本");
  CHECK(wrapped("ends here ", 9) == "ends here\n");
}

TEST_CASE("what has no place to break stays as it is") {
  for (const char* text : {"", "\n", "unbreakable", "   indented", "\x1b[1mbold words here\x1b[0m"})
    CHECK(wrapped(text, 4) == text);
  CHECK(wrapped("any words at all", 0) == "any words at all");
  CHECK(wrapped("a_long_word_of_its_own and", 10) == "a_long_word_of_its_own\nand");
}
