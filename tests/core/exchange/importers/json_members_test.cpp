#include "core/exchange/importers/json_members.h"

#include "core/exchange/importers/foreign_values.h"
#include "core/exchange/importers/json_records.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace skein;
using namespace skein::exchange::importers;

namespace {

// "key=value;" of each, and the length.
std::string seen(std::string_view text) {
  std::string out;
  RawMembers members(text);
  while (const auto member = members.next())
    out += std::string(member->key) + "=" + std::string(member->value) + ";";
  return out + std::to_string(members.length());
}

}  // namespace

TEST_CASE("members are found where they stand") {
  CHECK(seen(R"({"a":1,"b":"x\"}","c":{"d":[1,"]"]},"e":null}tail)") ==
        R"(a=1;b="x\"}";c={"d":[1,"]"]};e=null;45)");
  CHECK(seen(R"( { "a" : true , "b" : -1.5e3 } )") == "a=true;b=-1.5e3;30");
  CHECK(seen(R"(["a",{"b":1},[2]])") == R"(="a";={"b":1};=[2];17)");
  CHECK(seen("{}") == "2");
  CHECK(seen(R"({"a":"\\"})") == R"(a="\\";10)");
}

TEST_CASE("what has no end has no length") {
  for (const char* text :
       {"", "1", "\"a\"", "{", "[", "{\"a\"", "{\"a\":", "{\"a\":\"b", "{\"a\":[1", "{\"a\":1",
        "{\"a\":\"\\\"}", "{a:1}", "{\"a\" 1}", "[,", "}{"})
    CHECK_MESSAGE(seen(text).ends_with('0'), text);
}

TEST_CASE("only what may be an id is one") {
  CHECK(raw_id("\"a-1\"") == "a-1");
  CHECK(raw_id("\"\"").empty());
  CHECK(raw_id("17").empty());
  CHECK(raw_id("\"a b\"").empty());
  CHECK(raw_id("\"a\\u0041\"").empty());
  CHECK(raw_id("\"" + std::string(129, 'a') + "\"").empty());
}

TEST_CASE("what only lone surrogates or wrong bytes spoil is read all the same") {
  CHECK(read_json(R"({"a":"\ud83d"})")->at("a") == "\xEF\xBF\xBD");
  CHECK(read_json("{\"a\":\"\xFF\"}")->at("a") == "\xEF\xBF\xBD");
  CHECK(!read_json("{\"a\":"));
}

TEST_CASE("times are understood in the ways they are written") {
  CHECK(time_from(std::string_view("2026-01-02T03:04:05Z")) == "2026-01-02T03:04:05.000Z");
  CHECK(time_from(Json(1767323045)) == time_from(Json(1767323045000)));
  CHECK(time_from(Json("yesterday")).empty());
  CHECK(time_from(Json(-1)).empty());
  CHECK(time_from(Json(1e300)).empty());
}
