#include "core/mcp/elicitation.h"

#include <doctest/doctest.h>

#include <vector>

using namespace skein;
using namespace skein::mcp;

namespace {

FieldValue typed(const std::string& schema, const std::string& text) {
  return field_value(parse_json(schema).value_or(Json()), text);
}

bool is_wrong(const std::string& schema, const std::string& text) {
  return !typed(schema, text).trouble.empty();
}

std::string secret_in(const std::string& field) {
  return secret_field({{"properties", {{field, {{"type", "string"}}}}}});
}

}  // namespace

TEST_CASE("what is typed becomes what the field wants, or says why not") {
  CHECK(typed(R"({"type":"integer","minimum":1})", "7").value == Json(7));
  CHECK(is_wrong(R"({"type":"integer"})", "7.5"));
  CHECK(is_wrong(R"({"type":"integer","minimum":1})", "0"));
  CHECK(is_wrong(R"({"type":"number","maximum":1})", "1.5"));
  CHECK(is_wrong(R"({"type":"number"})", "seven"));
  CHECK(typed(R"({"type":"boolean"})", "Yes").value == Json(true));
  CHECK(typed(R"({"type":"boolean"})", "n").value == Json(false));
  CHECK(is_wrong(R"({"type":"boolean"})", "perhaps"));
  const std::string choice =
      R"({"type":"string","oneOf":[{"const":"a","title":"First"},{"const":"b"}]})";
  CHECK(typed(choice, "first").value == Json("a"));
  CHECK(typed(choice, "2").value == Json("b"));
  CHECK(is_wrong(choice, "3"));
  const std::string several = R"({"type":"array","maxItems":2,"items":{"enum":["x","y","z"]}})";
  CHECK(typed(several, "z, 1,z").value == Json({"z", "x"}));
  CHECK(is_wrong(several, "x,y,z"));
  CHECK(is_wrong(several, "q"));
  CHECK(is_wrong(R"({"type":"string","minLength":3})", "äö"));
  CHECK_FALSE(is_wrong(R"({"type":"string","maxLength":2})", "äö"));
  CHECK(is_wrong(R"({"type":"string","format":"email"})", "nobody"));
  CHECK_FALSE(is_wrong(R"({"type":"string","format":"email"})", "a@b"));
  CHECK(is_wrong(R"({"type":"string","format":"date"})", "16.11.2026"));
  CHECK_FALSE(is_wrong(R"({"type":"string","format":"date"})", "2026-11-16"));
  CHECK(is_wrong(R"({"type":"string","format":"uri"})", "nowhere"));
}

TEST_CASE("no server gets a secret by asking for it") {
  for (const char* name : {"password", "api_key", "apiKey", "API key", "github-token", "privateKey",
                           "clientSecret", "PIN"})
    CHECK_MESSAGE(secret_in(name) == name, name);
  for (const char* name : {"keyboard", "key", "max_tokens", "spinner", "secretary", "name"})
    CHECK_MESSAGE(secret_in(name).empty(), name);
  CHECK(secret_field({{"properties", {{"x", {{"title", "Your password"}}}}}}) == "x");
}

TEST_CASE("a page is never opened, only shown with its host") {
  std::string seen;
  model::ToolPorts ports;
  ports.ask = [&](const model::Question& question) {
    seen = question.text + question.detail;
    return model::Answer{model::Answer::Choice::yes};
  };
  ports.ask_line = [](const model::LineQuestion&) { return std::nullopt; };
  const auto shown = [&](const std::string& url) {
    seen.clear();
    return string_at(elicited({{"mode", "url"}, {"message", "m"}, {"url", url}}, "s", ports),
                     "action");
  };
  CHECK(shown("https://bank.example@evil.example/x") == "accept");
  CHECK(seen.find("a page at evil.example in") != std::string::npos);
  CHECK(shown("file:///etc/passwd") == "decline");
  CHECK(seen.empty());
}

TEST_CASE("leaving a form is not answering it") {
  model::ToolPorts ports;
  model::Answer::Choice choice = model::Answer::Choice::yes;
  ports.ask = [&](const model::Question&) { return model::Answer{choice}; };
  ports.ask_line = [](const model::LineQuestion&) { return std::nullopt; };
  const Json form{{"message", "m"},
                  {"requestedSchema", {{"properties", {{"a", {{"type", "string"}}}}}}}};
  CHECK(string_at(elicited(form, "s", ports), "action") == "cancel");
  choice = model::Answer::Choice::no;
  CHECK(string_at(elicited(form, "s", ports), "action") == "decline");
  CHECK(string_at(elicited(form, "s", {}), "action") == "decline");
}
