#include "core/schema/json_schema.h"

#include <doctest/doctest.h>

namespace skein::schema {

TEST_CASE("a schema that cannot be checked is refused before anything is asked") {
  CHECK(trouble_with_schema(R"({"type":"object"})").empty());
  CHECK(trouble_with_schema("nonsense") == "it is not JSON");
  CHECK_FALSE(trouble_with_schema(R"({"type":"string"})").empty());
  CHECK(trouble_with_schema(R"({"type":"object","if":true})") == "skein does not check `if`");
  CHECK_FALSE(trouble_with_schema(R"({"type":"object","required":1})").empty());
  CHECK_FALSE(
      trouble_with_schema(R"({"type":"object","properties":{"a":{"$ref":"#/$defs/b"}}})").empty());
  CHECK_FALSE(
      trouble_with_schema(R"({"type":"object","properties":{"a":{"pattern":"("}}})").empty());
  CHECK(
      trouble_with_schema(
          R"({"type":"object","$defs":{"b":{"type":"null"}},"properties":{"a":{"$ref":"#/$defs/b"}}})")
          .empty());
}

TEST_CASE("a value fits or the misfit names its place") {
  const char* schema =
      R"({"type":"object","required":["n"],"additionalProperties":false,"properties":{
    "n":{"type":"integer","minimum":1,"maximum":9},
    "s":{"type":"string","pattern":"^a","maxLength":3},
    "e":{"enum":["x",1]},
    "l":{"type":"array","items":{"anyOf":[{"type":"number"},{"type":"null"}]},"maxItems":2}}})";
  REQUIRE(trouble_with_schema(schema).empty());
  CHECK(misfit(schema, R"({"n":3,"s":"aé","e":1,"l":[1.5,null]})").empty());
  CHECK(misfit(schema, "{}") == "/n is missing");
  CHECK(misfit(schema, R"({"n":0})") == "/n is too small");
  CHECK(misfit(schema, R"({"n":1.5})") == "/n must be of type integer");
  CHECK(misfit(schema, R"({"n":1,"more":1})") == "/more is not allowed");
  CHECK(misfit(schema, R"({"n":1,"s":"b"})") == "/s does not match ^a");
  CHECK(misfit(schema, R"({"n":1,"s":"aaaa"})") == "/s has too many characters");
  CHECK(misfit(schema, R"({"n":1,"e":"y"})") == "/e must be one of [\"x\",1]");
  CHECK(misfit(schema, R"({"n":1,"l":["x"]})") == "/l/0 must be of type number");
  CHECK(misfit(schema, R"({"n":1,"l":[1,2,3]})") == "/l has too many items");
}

TEST_CASE("a schema that refers to itself ends") {
  const char* schema = R"({"type":"object","properties":{"next":{"$ref":"#"}}})";
  CHECK(misfit(schema, R"({"next":{"next":{}}})").empty());
  CHECK_FALSE(
      misfit(R"({"type":"object","properties":{"a":{"$ref":"#/properties/a"}}})", R"({"a":1})")
          .empty());
}

}  // namespace skein::schema
