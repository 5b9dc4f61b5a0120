#include "core/search/candidates.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "core/search/matcher.h"
#include "core/text/json.h"

using namespace skein;
using namespace skein::search;

namespace {

// As a transcript has it, and as a writer has it that escapes everything outside of ASCII.
std::string line_with(const std::string& text) {
  return R"({"role":"user","content":[{"type":"text","text":)" + json_line(json_string(text)) +
         "}]}";
}
std::string escaped_line(const std::string& text) {
  return R"({"role":"user","content":[{"type":"text","text":)" +
         nlohmann::json(text).dump(-1, ' ', true) + "}]}";
}

bool passes(const Query& query, const std::string& line) {
  return Candidates(query).next(line, 0) != std::string::npos;
}

bool fits(const Query& query, const std::string& line) {
  RawEntry entry;
  read_passages("message", line, entry);
  return Matcher(query).match(entry).has_value();
}

}  // namespace

TEST_CASE("a needle is found wherever it stands, letters in either case") {
  std::mt19937 dice(7);
  for (int round = 0; round < 3000; ++round) {
    std::string text(dice() % 120, ' '), needle(1 + dice() % 6, ' ');
    for (char& c : text) c = "abAB.-\xE4"[dice() % 7];
    for (char& c : needle) c = "ab.\xE4"[dice() % 4];
    const std::size_t from = dice() % 10;
    std::size_t expected = std::string::npos;
    for (std::size_t i = from; i + needle.size() <= text.size(); ++i) {
      std::string there = text.substr(i, needle.size());
      for (char& c : there)
        if (c == 'A' || c == 'B') c = static_cast<char>(c + 32);
      if (there == needle) {
        expected = i;
        break;
      }
    }
    CAPTURE(text);
    CAPTURE(needle);
    CHECK(Needle(needle).find(text, from) == expected);
  }
}

TEST_CASE("what fits a query passes the filter, however it is written") {
  struct Case {
    const char* query;
    const char* text;
  };
  const Case cases[] = {
      {"hello", "well HELLO there"},
      {"hello", "ｈｅｌｌｏ"},
      {"say \"a \\\"quoted\\\" word\"", "they say a \"quoted\" word"},
      {"\\", "C:\\temp"},
      {"\"C:\\\\temp\"", "C:\\temp"},
      {"\"one two\"", "one\n\ttwo"},
      {"中文", "这是中文文本"},
      {"文", "中文"},
      {"привет", "ПРИВЕТ, мир"},
      {"é", "cafe\xCC\x81 e\xCC\x81t\xC3\xA9"},
      {"école",
       "E\xCC\x81"
       "COLE"},
      {"😀", "smile 😀 now"},
      {"👩‍👩‍👧", "a family 👩‍👩‍👧"},
      {"->", "a -> b"},
      {"<&>", "x <&> y"},
      {"a/b", "see a/b"},
      {"re:h.llo\\s+w", "Hallo  World"},
      {"re:(foo|bar)baz", "xbarbaz"},
      {"re:colou?r", "COLOR"},
      {"re:[0-9]{3}", "a 123"},
      {"re:\\u4e2d", "中"},
      {"ガ", "ｶﾞ"},
      {"한", "\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB"},
  };
  for (const auto& [text, said] : cases) {
    CAPTURE(text);
    const std::string typed = text == std::string("->") ? "\"->\"" : text;
    const Query query = parse_query(typed);
    std::vector<std::string> lines{line_with(said)};
    // Wide letters are looked for as they are: nobody is known to write them in escapes.
    if (!Candidates::has_wide_letters(said)) lines.push_back(escaped_line(said));
    for (const std::string& line : lines) {
      CAPTURE(line);
      CHECK(fits(query, line));
      CHECK(passes(query, line));
    }
  }
  CHECK(fits(parse_query("resume", Accents::dropped), line_with("my Résumé")));
  CHECK(passes(parse_query("resume", Accents::dropped), line_with("my Résumé")));
}

TEST_CASE("most of what does not fit is passed over unseen") {
  CHECK_FALSE(passes(parse_query("hello"), line_with("good bye")));
  CHECK_FALSE(passes(parse_query("中文"), line_with("英文")));
  CHECK_FALSE(passes(parse_query("re:hel+o"), line_with("good bye")));
}

TEST_CASE("words begin where words do, phrases anywhere, Chinese anywhere") {
  const auto said = [](const char* query, const char* text) {
    return fits(parse_query(query), line_with(text));
  };
  CHECK(said("cat", "category"));
  CHECK_FALSE(said("cat", "concatenate"));
  CHECK(said("\"cat\"", "concatenate"));
  CHECK(said("cat", "con\ncat"));  // the n of the escape is no letter
  CHECK(said("cat", "a_cat"));
  CHECK(said("cat", "中cat"));
  CHECK_FALSE(said("cat", "äcat"));
  CHECK(said("cat", "concat cat"));
  CHECK(said("文本", "中文本"));
  CHECK(said("b a", "a b"));
  CHECK_FALSE(said("b a", "b"));
  CHECK_FALSE(said("a -b", "a b"));
  CHECK(said("a -b", "a c"));
  CHECK_FALSE(said("path:src", "src"));
}

TEST_CASE("a place is found behind others that stand closer together") {
  const Query query = parse_query("äß");
  const std::string text = std::string(5000, 'x') + "Äß" + std::string(5000, 'y') + "äß";
  const Candidates candidates(query);
  const std::size_t first = candidates.next(text, 0);
  CHECK(first == 5000);
  CHECK(candidates.next(text, first + 1) != std::string::npos);
  CHECK(candidates.next(text, text.size()) == std::string::npos);
}

namespace {

// Pieces that meet in every way: words in parts, white space of all kinds, escapes and what looks
// like them, letters that join or are wide.
std::string random_text(std::mt19937& dice, std::span<const char* const> pieces) {
  std::string out;
  for (std::size_t count = dice() % 14; count > 0; --count) out += pieces[dice() % pieces.size()];
  return out;
}

bool stands_in(const Query& query, const std::string& text) {
  const std::string all = folded(text, Accents::kept);
  return std::ranges::all_of(query.terms, [&](const Term& term) {
    return TermFinder(term).find(all) != std::string::npos;
  });
}

}  // namespace

TEST_CASE(
    "a phrase is found in JSON as it is stored where the folded text has it, and only there") {
  constexpr const char* pieces[] = {
      "of",      "OF", "the", "The", "th", "e",  "o",      "f",       " ",      "  ",
      "\n",      "\t", "\r",  "\v",  "\\", "\"", "\\n",    "\\u0020", "n",      "t",
      "u",       "00", "e9",  "é",   "中", "ｔ", "\u00a0", "\u2003",  "\u3000", "of the",
      "e\u0301", ".",  "_",   "0",   "\b", "/",  "\x7f",   "\u2028"};
  const Query queries[] = {parse_query("\"of the\""),   parse_query("\"the of the\""),
                           parse_query("\"n the\""),    parse_query("\"e9 of\""),
                           parse_query("\" of the\""),  parse_query("\"the \""),
                           parse_query("\"the\""),      parse_query("\"00e9\""),
                           parse_query("\"f the\" of"), parse_query("\"of t\" \"e o\"")};
  std::mt19937 dice(5);
  std::size_t found = 0;
  for (int round = 0; round < 60'000; ++round) {
    const std::string text = random_text(dice, pieces);
    const Query& query = queries[dice() % std::size(queries)];
    const bool expected = stands_in(query, text);
    found += expected;
    std::vector<std::string> lines{line_with(text)};
    if (!Candidates::has_wide_letters(text)) lines.push_back(escaped_line(text));
    for (const std::string& line : lines) {
      const bool quick = Matcher(query).quick_match(line).has_value();
      if (fits(query, line) == expected && (!expected || passes(query, line)) &&
          (!quick || expected))
        continue;
      CAPTURE(line);
      CAPTURE(query.terms.front().text);
      CHECK(fits(query, line) == expected);
      CHECK((!expected || passes(query, line)));
      CHECK((!quick || expected));
    }
  }
  CHECK(found > 1000);
}

TEST_CASE("several words are counted without reading all of a message only where it has them") {
  constexpr const char* pieces[] = {"the", "error", "The", "err", "or",     " ", " ",    "\n",
                                    "\\n", "\"",    "é",   "中",  "ｔｈｅ", "x", "text", "role"};
  const Query queries[] = {parse_query("the error"), parse_query("error text"),
                           parse_query("role the"), parse_query("the \"error the\"")};
  std::mt19937 dice(6);
  std::size_t quick = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::string text = random_text(dice, pieces);
    const Query& query = queries[dice() % std::size(queries)];
    const std::string line = line_with(text);
    const bool expected = stands_in(query, text);
    const auto role = Matcher(query).quick_match(line);
    quick += role.has_value();
    if (fits(query, line) == expected && (!role || expected)) continue;
    CAPTURE(line);
    CAPTURE(query.terms.front().text);
    CHECK(fits(query, line) == expected);
    CHECK((!role || expected));
  }
  CHECK(quick > 200);
}
