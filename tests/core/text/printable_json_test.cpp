#include "core/text/json.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "core/text/json.h"

using namespace skein;

TEST_CASE("what a terminal may obey is escaped, and the value stays the same") {
  const std::string hostile =
      "\x7f\u0080\u009b\u009f\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069\ufeff";
  const Json value = {{"a" + hostile, {hostile, 1, nullptr}}, {"b", "\x1b[31m\n" + hostile}};

  const JsonText printed = printable_json(dump(value));

  CHECK(
      printable_json(dump(hostile)) ==
      R"("\u007f\u0080\u009b\u009f\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069\ufeff")");
  CHECK(std::ranges::all_of(printed, [](char c) { return c >= 0x20 && c < 0x7f; }));
  CHECK(parse_json(printed) == value);
}

TEST_CASE("ordinary letters of all scripts are left as they are") {
  const std::string text =
      "\"plain \u00a0\u00e9\u0627\u05d0\u200b\u200d\u2027\u202f\u4e2d\U0001F600\"";
  CHECK(printable_json(text) == text);
}

TEST_CASE("bytes that are no UTF-8 become the replacement character") {
  CHECK(printable_json("\"a\x9b"
                       "31m\"") == "\"a\uFFFD31m\"");
}
