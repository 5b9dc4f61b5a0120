#include "core/model/tool.h"

#include <doctest/doctest.h>

using namespace skein;
using model::trouble_with_arguments;

TEST_CASE("arguments are checked at the top of their schema") {
  const JsonText schema =
      R"({"type":"object","properties":{"n":{"type":"integer"},"s":{"type":"string"}},"required":["n"]})";
  CHECK(trouble_with_arguments(schema, R"({"n":1,"s":"x","more":[]})").empty());
  CHECK(trouble_with_arguments(schema, R"({"n":1.0})").empty());
  CHECK(trouble_with_arguments(schema, R"({"s":"x"})").find("`n` is missing") == 0);
  CHECK(trouble_with_arguments(schema, R"({"n":"1"})").find("integer") != std::string::npos);
  CHECK(trouble_with_arguments(schema, R"({"n":1.5})").find("integer") != std::string::npos);
  CHECK(trouble_with_arguments(schema, R"({"n":1e300})").find("integer") != std::string::npos);
  CHECK_FALSE(trouble_with_arguments(schema, "[]").empty());
}
