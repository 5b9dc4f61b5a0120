#include "core/mcp/protocol.h"

#include <doctest/doctest.h>

using namespace skein;
using namespace skein::mcp;

namespace {

Json schema(const std::string& properties) {
  return parse_json(R"({"type":"object","properties":)" + properties + "}").value_or(Json());
}

bool makes_sense(const std::string& properties) {
  return header_parameters(schema(properties)).has_value();
}

}  // namespace

TEST_CASE("arguments that are marked travel as headers, also from further inside") {
  const Json marked = schema(
      R"({"region":{"type":"string","x-mcp-header":"Region"},
          "deep":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}},
          "dry":{"type":"boolean","x-mcp-header":"Dry"},"other":{"type":"string"}})");
  using Headers = std::vector<std::pair<std::string, std::string>>;
  CHECK(parameter_headers(marked, {{"region", "eu"}, {"deep", {{"n", -7}}}, {"dry", true}}) ==
        Headers{{"mcp-param-region", "eu"}, {"mcp-param-n", "-7"}, {"mcp-param-dry", "true"}});
  CHECK(parameter_headers(marked, {{"region", nullptr}, {"other", "x"}}).empty());
}

TEST_CASE("a mark that makes no sense makes the tool unusable") {
  CHECK(makes_sense(R"({"a":{"type":"string","x-mcp-header":"A"}})"));
  CHECK(makes_sense(R"({"a":{"type":"string"}})"));
  CHECK_FALSE(makes_sense(R"({"a":{"type":"string","x-mcp-header":""}})"));
  CHECK_FALSE(makes_sense(R"({"a":{"type":"string","x-mcp-header":"A B"}})"));
  CHECK_FALSE(makes_sense(R"({"a":{"type":"string","x-mcp-header":7}})"));
  CHECK_FALSE(makes_sense(R"({"a":{"type":"number","x-mcp-header":"A"}})"));
  CHECK_FALSE(makes_sense(R"({"a":{"type":"string","x-mcp-header":"A"},
                              "b":{"type":"string","x-mcp-header":"a"}})"));
  CHECK_FALSE(
      makes_sense(R"({"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}})"));
  CHECK_FALSE(makes_sense(R"({"a":{"anyOf":[{"type":"string","x-mcp-header":"A"}]}})"));
}
