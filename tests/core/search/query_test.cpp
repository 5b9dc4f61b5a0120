#include "core/search/query.h"

#include <doctest/doctest.h>

#include "core/text/base.h"

using namespace skein;
using namespace skein::search;

namespace {

// "word:x -phrase:y"
std::string told(std::string_view text) {
  std::string out;
  for (const Term& term : parse_query(text).terms) {
    constexpr const char* kinds[] = {"word", "phrase", "path", "regex"};
    out += (out.empty() ? "" : " ") + std::string(term.excluded ? "-" : "") +
           kinds[static_cast<std::size_t>(term.kind)] + ":" + term.text;
  }
  return out;
}

}  // namespace

TEST_CASE("a query has words, phrases, exclusions, paths and patterns") {
  CHECK(told("Disk  FULL") == "word:disk word:full");
  CHECK(told("\"Disk full\" error") == "phrase:disk full word:error");
  CHECK(told("a -b -\"c d\"") == "word:a -word:b -phrase:c d");
  CHECK(told("path:src/X.cpp -path:\"a b\"") == "path:src/x.cpp -path:a b");
  CHECK(told("re:ab+C") == "regex:ab+C");
  CHECK(told("re:\"a b\"") == "regex:a b");
  CHECK(told(R"("say \"no\" \\ twice")") == R"(phrase:say "no" \ twice)");
  CHECK(told("\"two\nlines\"") == "phrase:two lines");
}

TEST_CASE("signs that mean nothing where they stand are looked for") {
  CHECK(told("a - b") == "word:a word:- word:b");
  CHECK(told("\"") == "word:\"");
  CHECK(told("say\"") == "word:say\"");
  CHECK(told("path: re:") == "word:path: word:re:");
  CHECK(told("\\") == "word:\\");
  CHECK(told("-> x") == "-word:> word:x");
}

TEST_CASE("a query that asks for nothing, or with a pattern that cannot be used, says so") {
  for (const char* text : {"", "  ", "\"\"", "-x", "-re:a", "re:(", "re:a(?=b)"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_query(text), Error);
  }
}
