#include "repl/layout/flow.h"

#include <doctest/doctest.h>

using namespace skein;
using namespace skein::layout;

TEST_CASE("A line of parts breaks only behind a dot") {
  CHECK(wrapped_by_parts("large · 2 in 3 out · 199 ms", 24) == "large · 2 in 3 out ·\n199 ms");
  CHECK(wrapped_by_parts("large · 2 in 3 out · 199 ms", 0) == "large · 2 in 3 out · 199 ms");
}

TEST_CASE("a sentence too long for the row breaks between words, indented as it was") {
  CHECK(wrapped("one two three", 7) == "one two\nthree");
  CHECK(wrapped("  one two three", 9) == "  one two\n  three");
  CHECK(wrapped("one two\nthree four five\n", 10) == "one two\nthree four\nfive\n");
  CHECK(wrapped("a  b  c", 20) == "a  b  c");
  CHECK(wrapped("a  b  c", 4) == "a  b\nc");
  CHECK(wrapped("日本 日本", 5) == "日本\n日本");
  CHECK(wrapped("ends here ", 9) == "ends here\n");
}

TEST_CASE("The rest of a line with two columns stays in the second") {
  CHECK(wrapped("  key  one two three", 16) == "  key  one two\n       three");
  CHECK(wrapped("  key  one unbreakable", 16) == "  key  one\n  unbreakable");
  CHECK(wrapped("a long name  one two", 16) == "a long name  one\ntwo");
}

TEST_CASE("what has no place to break stays as it is") {
  for (const char* text : {"", "\n", "unbreakable", "   indented", "\x1b[1mbold words here\x1b[0m"})
    CHECK(wrapped(text, 4) == text);
  CHECK(wrapped("any words at all", 0) == "any words at all");
  CHECK(wrapped("a_long_word_of_its_own and", 10) == "a_long_word_of_its_own\nand");
}
