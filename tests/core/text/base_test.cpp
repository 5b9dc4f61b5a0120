#include "core/text/base.h"

#include <doctest/doctest.h>

using namespace skein;

TEST_CASE("an id is sixteen lower-case hex digits and nothing else") {
  CHECK(to_string(Id{0xabc}) == "0000000000000abc");
  CHECK(parse_id("0000000000000abc") == Id{0xabc});
  for (const char* text : {"", "abc", "0000000000000ABC", "0000000000000abg", "00000000000000abc"})
    CHECK_FALSE(parse_id(text));
  CHECK(random_id() != random_id());
}

TEST_CASE("times are written in UTC with milliseconds and read back") {
  CHECK(utc_from_ms(0) == "1970-01-01T00:00:00.000Z");
  CHECK(utc_from_ms(1767323045678) == "2026-01-02T03:04:05.678Z");
  CHECK(utc_from_ms(-1) == "1969-12-31T23:59:59.999Z");
  CHECK(ms_from_utc("2026-01-02T03:04:05.678Z") == 1767323045678);
  CHECK(ms_from_utc("2026-01-02T03:04:05Z") == 1767323045000);
  CHECK(ms_from_utc("2026-01-02T03:04:05.6+00:00") == 1767323045600);
  CHECK_FALSE(ms_from_utc("2026-01-02 03:04:05"));
  CHECK_FALSE(ms_from_utc("yesterday"));
}

TEST_CASE("malformed sequences become U+FFFD, one for each maximal piece") {
  CHECK(valid_utf8("plain \u00e9\u4e2d\U0001F600") == "plain \u00e9\u4e2d\U0001F600");
  CHECK(valid_utf8("\xf0\x9f\x98") == "\uFFFD");
  CHECK(valid_utf8("\xf0\x9fx") == "\uFFFDx");
  CHECK(valid_utf8("\x80\x80") == "\uFFFD\uFFFD");
  CHECK(valid_utf8("\xf4\x90\x80\x80") == "\uFFFD\uFFFD\uFFFD\uFFFD");
  CHECK_FALSE(is_valid_utf8("\xc1\xbf"));
}

TEST_CASE("every string of two bytes becomes valid UTF-8 and valid ones stay") {
  for (int a = 0; a < 256; ++a)
    for (int b = 0; b < 256; ++b) {
      const std::string text{static_cast<char>(a), static_cast<char>(b)};
      const std::string made = valid_utf8(text);
      REQUIRE(is_valid_utf8(made));
      REQUIRE((made == text) == is_valid_utf8(text));
    }
}

TEST_CASE("a prefix does not cut a character") {
  CHECK(utf8_prefix("a\u4e2d", 3) == "a");
  CHECK(utf8_prefix("a\u4e2d", 4) == "a\u4e2d");
  CHECK(utf8_prefix("\x80\x80\x80\x80\x80", 4).size() <= 4);
}
