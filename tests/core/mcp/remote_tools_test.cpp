#include "core/mcp/remote_tools.h"

#include <doctest/doctest.h>

#include "core/mcp/protocol.h"
#include "core/mcp/rpc.h"
#include "core/permission/policy.h"

using namespace skein;
using namespace skein::mcp;

namespace {

const CallServer answers = [](const std::string& tool, const JsonText& input,
                              const model::ToolPorts&) {
  return model::tool_text(tool + " " + input);
};

permission::Decision::Verdict judged(const permission::Rules& rules, const model::Tools& tools,
                                     const std::string& name) {
  return permission::decide(rules, tools, {"c", name, "{}"}).verdict;
}

}  // namespace

TEST_CASE("names are what every provider takes, and no two are the same") {
  CHECK(tool_name("git", "list", {}) == "mcp__git__list");
  CHECK(tool_name("git", "a.b c\x1b", {}) == "mcp__git__a_b_c_");
  const std::string second = tool_name("git", "a_b", {"mcp__git__a_b"});
  CHECK(second.size() == std::string("mcp__git__a_b_123456").size());
  CHECK(second.starts_with("mcp__git__a_b_"));
  const std::string longest = tool_name(std::string(40, 's'), std::string(100, 't'), {});
  CHECK(longest.size() == 64);
  CHECK(longest.starts_with("mcp__" + std::string(40, 's') + "__t"));
  CHECK(longest != tool_name(std::string(40, 's'), std::string(101, 't'), {}));
}

TEST_CASE("a schema that one provider would refuse takes no request with it") {
  CHECK(usable_schema("") == R"({"type":"object","properties":{}})");
  const JsonText choice = usable_schema(R"({"anyOf":[{"type":"object"}],"$schema":"x"})");
  CHECK(choice.find("anyOf") == std::string::npos);
  CHECK(choice.find("object") != std::string::npos);
  CHECK(usable_schema(R"({"type":"object","properties":{"a b":{}}})").empty());
  CHECK(usable_schema("[]").empty());
  CHECK(usable_schema("{\"description\":\"" + std::string(70'000, 'x') + "\"}").empty());
  std::string deep = "{\"type\":\"string\"}";
  for (int i = 0; i < 64; ++i) deep = R"({"type":"object","properties":{"in":)" + deep + "}}";
  CHECK(usable_schema(deep) == deep);
}

TEST_CASE("every call of a server's tool asks, unless a rule says otherwise") {
  std::vector<std::string> left_out;
  model::Tools tools;
  for (auto& [remote, tool] : tools_of(
           "git", {{"get_x", "", ""}, {"delete", "", ""}, {"bad", "", "[]"}}, answers, left_out))
    tools.push_back(tool);
  REQUIRE(tools.size() == 2);
  CHECK(left_out == std::vector<std::string>{"bad"});
  using enum permission::Decision::Verdict;
  permission::Rules rules{.sandboxed = true};
  CHECK(judged(rules, tools, "mcp__git__get_x") == ask);
  rules.mode = permission::Mode::accept_edits;
  CHECK(judged(rules, tools, "mcp__git__get_x") == ask);
  rules.mode = permission::Mode::plan;
  CHECK(judged(rules, tools, "mcp__git__get_x") == deny);
  rules.mode = permission::Mode::bypass;
  CHECK(judged(rules, tools, "mcp__git__get_x") == allow);
  rules = {.allow = permission::parse_allow_rules("mcp__git__get_*", {}), .sandboxed = true};
  CHECK(judged(rules, tools, "mcp__git__get_x") == allow);
  CHECK(judged(rules, tools, "mcp__git__delete") == ask);
  rules.deny = permission::parse_rules("mcp__GIT", {});
  CHECK(judged(rules, tools, "mcp__git__get_x") == deny);
  rules = {.allow = permission::parse_allow_rules("mcp__git", {}), .sandboxed = true};
  CHECK(judged(rules, tools, "mcp__git__delete") == allow);
  rules = {.allow = permission::parse_allow_rules("mcp__gi,mcp__g*t_", {}), .sandboxed = true};
  CHECK(judged(rules, tools, "mcp__git__delete") == ask);
  const auto offered = permission::remember({}, tools, {"c", "mcp__git__delete", "{}"});
  REQUIRE(offered.size() == 1);
  CHECK(permission::to_string(offered[0]) == "mcp__git__delete");
  // A text cannot look like another argument.
  CHECK(tools[0].preview(R"({"body":"a\ntitle  b","n":[1],"title":"Fix"})").text ==
        "body   a\n       title  b\nn      [1]\ntitle  Fix");
}

TEST_CASE("a rule about servers must have their form") {
  for (const char* rule : {"mcp__", "mcp____", "mcp__a(x)", "mcp__a b", "mcp"}) {
    CAPTURE(rule);
    CHECK_THROWS_AS(permission::parse_rules(rule, {}), Error);
  }
  CHECK(permission::parse_rules("mcp__a, mcp__b__*", {}).size() == 2);
}

TEST_CASE("what a server answers is cut, kept and named, whatever it is") {
  std::vector<std::string> blobs;
  model::ToolPorts ports;
  ports.keep_blob = [&](std::string_view bytes) {
    blobs.emplace_back(bytes);
    return "blob" + std::to_string(blobs.size());
  };
  const auto text_of = [](const model::ToolOutcome& outcome) {
    return std::get<model::Text>(outcome.content.at(0)).text;
  };
  SUBCASE("a long text") {
    const model::ToolOutcome outcome = outcome_of(
        {{"content", {{{"type", "text"}, {"text", std::string(20u << 20, 'x')}}}}}, ports);
    CHECK(text_of(outcome).size() < most_result_bytes + 200);
    CHECK(outcome.blob == "blob1");
    CHECK(blobs.at(0).size() == 20u << 20);
  }
  SUBCASE("an image that is none") {
    const model::ToolOutcome outcome = outcome_of(
        {{"content", {{{"type", "image"}, {"data", "AAEC"}, {"mimeType", "image/png"}}}}}, ports);
    CHECK(text_of(outcome) == "[image, image/png, 3 bytes, kept as blob1]");
  }
  SUBCASE("nothing, or only a structure") {
    CHECK(text_of(outcome_of({{"content", Json::array()}}, ports)) == "[no output]");
    CHECK(text_of(outcome_of({{"structuredContent", {{"a", 1}}}}, ports)) == R"({"a":1})");
    CHECK(text_of(outcome_of(nullptr, ports)) == "[no output]");
  }
  SUBCASE("a failure") {
    const model::ToolOutcome outcome =
        outcome_of({{"content", {{{"type", "text"}, {"text", "no"}}}}, {"isError", true}}, ports);
    CHECK(outcome.is_error);
  }
}

TEST_CASE("a message is one of three things, or nothing") {
  CHECK(rpc::read(R"({"jsonrpc":"2.0","id":1,"method":"a"})")->is_request());
  CHECK(rpc::read(R"({"jsonrpc":"2.0","method":"a","params":[1]})")->is_notification());
  CHECK(rpc::read(R"({"jsonrpc":"2.0","id":"x","result":null})")->is_response());
  CHECK(rpc::read(R"({"jsonrpc":"2.0","id":1,"error":{"code":1e99,"message":"m"}})")
            ->failure->message == "m");
  for (const char* text :
       {"", "{}", "5", R"({"jsonrpc":"2.0","id":1})", R"({"jsonrpc":"1.0","id":1,"result":{}})",
        R"({"jsonrpc":"2.0","id":{},"result":{}})"}) {
    CAPTURE(text);
    CHECK_FALSE(rpc::read(std::string_view(text)));
  }
}
