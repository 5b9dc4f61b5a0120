#include "core/text/request_text.h"

#include <doctest/doctest.h>

#include "core/text/json.h"

using namespace skein;
using namespace std::string_literals;

TEST_CASE("text becomes valid UTF-8 without NUL, and good text stays as it is") {
  CHECK(sendable("gr\u00fc\u00df \U0001F600") == "gr\u00fc\u00df \U0001F600");
  CHECK(sendable("a\0b"s) == "a\u2400b");
  CHECK(sendable("a\xff") == "a\ufffd");
  CHECK(sendable("\xed\xa0\x80") == "\ufffd\ufffd\ufffd");  // a lone surrogate, encoded
}

TEST_CASE("every lone surrogate, encoded or escaped, is replaced") {
  for (unsigned unit = 0xD800; unit < 0xE000; ++unit) {
    const char bytes[] = {'\xed', static_cast<char>(0x80 | (unit >> 6 & 0x3f)),
                          static_cast<char>(0x80 | (unit & 0x3f))};
    char escape[8];
    std::snprintf(escape, sizeof escape, "\\u%04x", unit);

    CHECK(sendable({bytes, 3}) == "\ufffd\ufffd\ufffd");
    CHECK(sendable_object("{\"a\":\"" + std::string(escape) + "\"}") == "{\"a\":\"\\ufffd\"}");
    CHECK_FALSE(is_sendable_object("{\"a\":\"" + std::string(escape) + "\"}"));
  }
}

TEST_CASE("white space of every script is blank and a visible character is not") {
  CHECK(is_blank(""));
  CHECK(is_blank(" \n\t\r\v\f"));
  CHECK(is_blank("\u00a0\u2003\u3000\ufeff"));
  CHECK_FALSE(is_blank(" . "));
  CHECK_FALSE(is_blank("\u200b"));  // no white space by Unicode's list
  CHECK_FALSE(is_blank("\0"s));
}

TEST_CASE("base64 is whole groups of its alphabet") {
  for (const char* good : {"aGk=", "YQ==", "c2ln", "+/09"}) CHECK(is_base64(good));
  for (const char* bad : {"", "c2l", "a===", "c2l-", "=c2l", "c2ln\n"}) CHECK_FALSE(is_base64(bad));
}

TEST_CASE("an object that can be sent is not touched") {
  const std::string object = "{ \"z\": 1.50,\n \"a\": [\"\\u00e9\", \"\\\\u0000\"] }";
  CHECK(is_sendable_object(object));
  CHECK(sendable_object(object) == object);
}

TEST_CASE("an input that is no object is wrapped in one and nothing of it is lost") {
  CHECK(sendable_object("") == "{}");
  CHECK(sendable_object(" null ") == "{}");
  CHECK(sendable_object("[1, 2]") == "{\"value\":[1,2]}");
  CHECK(sendable_object("{\"cut\":") == "{\"raw\":\"{\\\"cut\\\":\"}");
  CHECK(sendable_object("1,\"b\":2") == "{\"raw\":\"1,\\\"b\\\":2\"}");
  CHECK(sendable_object("{\"a\":\"x\\u0000y\"}") == "{\"a\":\"x\u2400y\"}");
  CHECK(sendable_object("{\"a\":\"\xff\"}") == "{\"a\":\"\ufffd\"}");
}

TEST_CASE("an object as deep as allowed is kept and a deeper one becomes text") {
  const auto nested = [](int depth) {
    std::string text;
    for (int i = 1; i < depth; ++i) text += "{\"a\":";
    return text + "{}" + std::string(static_cast<std::size_t>(depth - 1), '}');
  };
  CHECK(sendable_object(nested(sendable_depth)) == nested(sendable_depth));
  CHECK(sendable_object(nested(sendable_depth + 1)) ==
        "{\"raw\":" + json_string(nested(sendable_depth + 1)) + "}");
}
