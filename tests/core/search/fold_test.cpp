#include "core/search/query.h"

#include <doctest/doctest.h>

#include <random>
#include <string>

using namespace skein::search;

namespace {

std::string fold(std::string_view text) { return folded(text, Accents::kept); }

}  // namespace

TEST_CASE("case, width and the form of accents make no difference, accents do") {
  CHECK(fold("Straße ÄÖÜ ПРИВЕТ ΣΊΣΥΦΟΣ") == fold("straße äöü привет σίσυφος"));
  CHECK(fold("ＡＢＣ１２３") == "abc123");
  CHECK(fold("ｶﾞｷﾞ") == fold("ガギ"));
  CHECK(fold("cafe\xCC\x81") == fold("café"));
  CHECK(fold("\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB") == "한");  // Hangul, taken apart
  CHECK(fold("café") != fold("cafe"));
  CHECK(folded("Café crème", Accents::dropped) == "cafe creme");
  CHECK(folded("cafe\xCC\x81", Accents::dropped) == "cafe");
  CHECK(folded("한글", Accents::dropped) == "한글");
}

TEST_CASE("white space of any kind is one blank, and what is no UTF-8 stays one character each") {
  CHECK(fold("a \t\r\n b\xE3\x80\x80"
             "c") == "a b c");
  CHECK(fold("a\xFF\xFE") == "a\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_CASE("every byte of a folded text knows where it comes from") {
  const std::string text = "X  Ｙe\xCC\x81z";
  const Folded out = folded_with_origins(text, Accents::kept);
  REQUIRE(out.text == "x yéz");
  REQUIRE(out.origin.size() == out.text.size() + 1);
  CHECK(out.origin[0] == 0);
  CHECK(out.origin[1] == 1);  // the blank
  CHECK(out.origin[2] == 3);  // y
  CHECK(out.origin[3] == 6);  // é, both of its bytes
  CHECK(out.origin[4] == 6);
  CHECK(out.origin[5] == 9);  // z
  CHECK(out.origin[6] == text.size());
}

TEST_CASE("letters and digits make words, scripts without blanks do not") {
  for (const char32_t c : U"aZ5äжα") CHECK((c == 0 || in_word(c)));
  for (const char32_t c : {U'中', U'ひ', U'ไ', U'한', U'_', U'.', U' '}) CHECK_FALSE(in_word(c));
}

TEST_CASE("a text folds to the same with and without its origins, however it is mixed") {
  std::mt19937 dice(3);
  const char* pieces[] = {"a", "B ", "\n", "  ", "é", "e\xCC\x81", "中", "Ａ", "ｶﾞ", "\xFF", "\t"};
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (std::size_t count = dice() % 12; count > 0; --count) text += pieces[dice() % 11];
    CAPTURE(text);
    const Folded with = folded_with_origins(text, Accents::kept);
    CHECK(with.text == fold(text));
    CHECK(with.origin.size() == with.text.size() + 1);
    CHECK(fold(with.text) == with.text);
  }
}
