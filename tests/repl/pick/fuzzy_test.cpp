#include "repl/pick/fuzzy.h"

#include <doctest/doctest.h>

using namespace skein;
using namespace skein::pick;
using Indices = std::vector<std::size_t>;

TEST_CASE("letters fit in order, with gaps, in any case unless a capital was typed") {
  CHECK(fuzzy_score("til", "tabs-in-lexer"));
  CHECK_FALSE(fuzzy_score("lit", "tabs-in-lexer"));
  CHECK(fuzzy_score("tabs", "TABS in the lexer"));
  CHECK_FALSE(fuzzy_score("Tabs", "tabs in the lexer"));
  CHECK(fuzzy_score("", "anything") == 0);
  CHECK_FALSE(fuzzy_score("x", ""));
}

TEST_CASE("words must all fit, wherever they are") {
  CHECK(fuzzy_score("lexer tab", "tabs in the lexer"));
  CHECK_FALSE(fuzzy_score("lexer zoo", "tabs in the lexer"));
  CHECK(fuzzy_score("  lexer  ", "lexer"));
}

TEST_CASE("the best fit is the first, equals stay in their order") {
  const std::vector<std::string> texts{"abstract tables", "tabular-output", "a stab",
                                       "tabs-in-lexer",   "nothing here",   "t-a-b"};
  CHECK(fuzzy_filter("tab", texts).front() == 0);  // "tables" starts a word as "tabular" does
  CHECK(fuzzy_filter("tabl", texts).front() == 0);
  CHECK(fuzzy_filter("tabs", texts).front() == 3);
  CHECK(fuzzy_filter("", texts) == Indices{0, 1, 2, 3, 4, 5});
  CHECK(fuzzy_filter("zzz", texts).empty());
}

TEST_CASE("in a row beats scattered, and the start of a word beats its middle") {
  CHECK(*fuzzy_score("fork", "fork it") > *fuzzy_score("fork", "f o r k"));
  CHECK(*fuzzy_score("key", "my key") > *fuzzy_score("key", "monkey"));
  CHECK(*fuzzy_score("tv", "treeView") > *fuzzy_score("tv", "native"));
}
