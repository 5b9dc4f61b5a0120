#include "core/import/source/foreign_json.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace skein;
using namespace skein::importers;

namespace {

// "text@offset;" of each object, and whether the line was read to its end.
std::string seen(std::string_view line) {
  std::string out;
  const bool whole = each_object(line, [&](const ForeignRecord& record) {
    CHECK(line.substr(record.offset, record.written.size()) == record.written);
    out += std::string(record.text) + "@" + std::to_string(record.offset) + ";";
  });
  return out + (whole ? "whole" : "damaged");
}

}  // namespace

TEST_CASE("objects are found where they are in a line") {
  CHECK(seen(R"({"a":1,"b":"x\"}"})") == R"({"a":1,"b":"x\"}"}@0;whole)");
  CHECK(seen(R"({"a":{"b":"]"}} {"c":[1,"]"]})") == R"({"a":{"b":"]"}}@0;{"c":[1,"]"]}@16;whole)");
  CHECK(seen("{}") == "{}@0;whole");
  CHECK(seen(R"({"a":1}tail)") == R"({"a":1}@0;damaged)");
  CHECK(seen(R"({"a":"\ud83d"})") == R"({"a":"\ufffd"}@0;whole)");
}

TEST_CASE("what has no end is damaged") {
  for (const char* text : {"1", "\"a\"", "{", "[", "{\"a\"", "{\"a\":", "{\"a\":\"b", "{\"a\":[1",
                           "{\"a\":1", "{\"a\":\"\\\"}", "{a:1}", "{\"a\" 1}", "[,", "}{"})
    CHECK_MESSAGE(seen(text) == "damaged", text);
}

TEST_CASE("only what may be an id is one") {
  const auto id = [](const Json& value) { return id_at(Json{{"id", value}}, "id"); };
  CHECK(id("a-1") == "a-1");
  CHECK(id("").empty());
  CHECK(id(17).empty());
  CHECK(id("a b").empty());
  CHECK(id("a\\b").empty());
  CHECK(id(std::string(129, 'a')).empty());
}

TEST_CASE("what only lone surrogates or wrong bytes spoil is read all the same") {
  CHECK(read_json(R"({"a":"\ud83d"})")->at("a") == "\xEF\xBF\xBD");
  CHECK(read_json("{\"a\":\"\xFF\"}")->at("a") == "\xEF\xBF\xBD");
  CHECK(!read_json("{\"a\":"));
}

TEST_CASE("times are understood in the ways they are written") {
  CHECK(time_from(Json("2026-01-02T03:04:05Z")) == "2026-01-02T03:04:05.000Z");
  CHECK(time_from(Json(1767323045)) == time_from(Json(1767323045000)));
  CHECK(time_from(Json("yesterday")).empty());
  CHECK(time_from(Json(-1)).empty());
  CHECK(time_from(Json(1e300)).empty());
}
