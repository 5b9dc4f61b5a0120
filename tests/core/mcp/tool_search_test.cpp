#include "core/mcp/tool_search.h"

#include <doctest/doctest.h>

using namespace skein;
using namespace skein::mcp;

namespace {

model::Tool tool(const std::string& name, const std::string& description) {
  return {.name = name,
          .description = description,
          .schema = R"({"type":"object"})",
          .title = [name](const JsonText& input) { return name + " " + input; },
          .run = [](const JsonText&, const model::ToolPorts&) { return model::tool_text("ran"); }};
}

const model::Tools some = {tool("mcp__git__commit", "record changes"),
                           tool("mcp__git__log", "show commits"),
                           tool("mcp__web__fetch", "get a page")};

std::vector<std::string> names(std::string_view query, std::size_t most = 5) {
  std::vector<std::string> out;
  for (const model::Tool* each : tools_for(some, query, most)) out.push_back(each->name);
  return out;
}

}  // namespace

TEST_CASE("tools are found by their words, the best first, or by their names") {
  CHECK(names("commit") == std::vector<std::string>{"mcp__git__commit", "mcp__git__log"});
  CHECK(names("commit", 1) == std::vector<std::string>{"mcp__git__commit"});
  CHECK(names("Fetch a PAGE, please").front() == "mcp__web__fetch");
  CHECK(names("select: mcp__git__log,nothing") == std::vector<std::string>{"mcp__git__log"});
  CHECK(names("zebra").empty());
  CHECK(names("").empty());
}

TEST_CASE("the model is told all names, and of very many only whose they are") {
  CHECK(searching_tools(some)[0].description.find("mcp__git__commit, mcp__git__log") !=
        std::string::npos);
  model::Tools many;
  for (int i = 0; i < 1000; ++i) many.push_back(tool("mcp__big__tool" + std::to_string(i), ""));
  const std::string told = searching_tools(many)[0].description;
  CHECK(told.size() < 9'000);
  CHECK(told.find("mcp__big__… (1000)") != std::string::npos);
}

TEST_CASE("a call through tool_call is a call of the tool it names") {
  const model::Tool call = searching_tools(some)[1];
  const JsonText input = R"({"name":"mcp__git__log","arguments":{"n":1}})";
  const auto meant = call.stands_for({.id = "7", .name = "tool_call", .input = input});
  REQUIRE(meant);
  CHECK(meant->id == "7");
  CHECK(meant->name == "mcp__git__log");
  CHECK(meant->input == R"({"n":1})");
  CHECK_FALSE(call.stands_for({.id = "7", .name = "tool_call", .input = "[]"}));
  CHECK(call.title(input) == R"(mcp__git__log {"n":1})");
  CHECK(call.run(R"({"name":"x"})", {}).is_error);
}
