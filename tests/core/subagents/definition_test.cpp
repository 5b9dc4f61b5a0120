#include "core/subagents/definition.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/tools/tools.h"

using namespace skein;
using namespace skein::subagents;
using permission::Mode;
using Names = std::vector<std::string>;

namespace {

std::optional<Definition> read(const std::string& text) {
  project::MarkdownFile file{.text = text, .front = project::read_front_matter(text)};
  if (file.front.fault) file.refusal = "line 2: " + file.front.fault->reason;
  return definition_from(file);
}

Names tools_of(const Definition& definition) {
  Names out;
  for (const model::Tool& tool : tools::tool_table())
    if (has_tool(definition, tool)) out.push_back(tool.name);
  return out;
}

}  // namespace

TEST_CASE("a definition of another program is read with its names for tools") {
  const auto found = read(
      "---\nname: reviewer\ndescription: Reviews\n  changes.\ntools: Read, Grep, Bash\n"
      "disallowedTools: [Bash]\nmodel: inherit\neffort: high\nmaxTurns: 7\n"
      "permissionMode: plan\nskills: style, tests\nbackground: true\n---\n\nYou review.\n");
  REQUIRE(found);
  CHECK(found->refusal == "");
  CHECK(found->name == "reviewer");
  CHECK(found->description == "Reviews changes.");
  CHECK(found->instructions == "You review.");
  CHECK(tools_of(*found) == Names{"read", "grep"});
  CHECK(found->model == "");
  CHECK(found->thinking == "high");
  CHECK(found->most_calls == 7);
  CHECK(found->mode == Mode::plan);
  CHECK(found->skills == Names{"style", "tests"});
  CHECK(found->background);
}

TEST_CASE("a file without a name is a document, one without a description is refused") {
  CHECK_FALSE(read("# Notes\n\nabout agents\n"));
  CHECK_FALSE(read("---\ntitle: x\n---\ntext\n"));
  CHECK(read("---\nname: a\n---\ntext\n")->refusal.find("no description") != std::string::npos);
  CHECK(read("---\nname: a\ndescription: b\n---\n")->refusal.find("no text") != std::string::npos);
  CHECK(read("---\nname: A:b\ndescription: b\n---\nx\n")->refusal.find("'A:b'") !=
        std::string::npos);
}

TEST_CASE("names may have dots, underscores and digits, and begin with a letter or a digit") {
  for (const char* name : {"dotnet-framework-4.8-expert", "data_engineer", "3d-artist", "a"})
    CHECK(is_agent_name(name));
  for (const char* name : {"", ".hidden", "-x", "_x", "Upper", "a/b", "a b", "a\nb", "\xC3\xA9"})
    CHECK_FALSE(is_agent_name(name));
}

TEST_CASE("hooks in front matter are noted, and do not keep an agent from being used") {
  const auto found = read(
      "---\nname: builder\ndescription: b\nhooks:\n  PostToolUse:\n    - matcher: Write\n"
      "      hooks: [{type: command, command: x}]\n---\nYou build.\n");
  REQUIRE(found);
  CHECK(found->refusal == "");
  CHECK(found->has_hooks);
  CHECK_FALSE(read("---\nname: a\ndescription: b\n---\nx\n")->has_hooks);
}

TEST_CASE("a definition whose YAML is wrong is refused, with the reason") {
  const auto found = read("---\nname: a\ndescription: &x [b\n---\nx\n");
  REQUIRE(found);
  CHECK(found->refusal.starts_with("line 2: "));
}

TEST_CASE("what cannot be obeyed is passed over, and said") {
  const auto found = read(
      "---\nname: a\ndescription: b\neffort: extreme\nmaxTurns: many\npermissionMode: yolo\n"
      "isolation: worktree\n---\nx\n");
  REQUIRE(found);
  CHECK(found->refusal == "");
  CHECK(found->remarks.size() == 4);
  CHECK(found->thinking == "");
  CHECK(found->most_calls == 0);
  CHECK_FALSE(found->mode);
}

TEST_CASE("no sub-agent gets what hands work on or asks the user") {
  Definition all;
  for (const char* name : {"agent", "ask", "present_plan"}) {
    const Names got = tools_of(all);
    CHECK(std::find(got.begin(), got.end(), name) == got.end());
    all.tools = Names{"agent", "ask", "present_plan", "read"};
  }
  CHECK(tools_of(all) == Names{"read"});
  CHECK(tools_of(built_in()[0]) == Names{"read", "list", "grep"});
}

TEST_CASE("a server's name means all of its tools") {
  model::Tool tool;
  tool.name = "mcp__docs__find";
  CHECK(has_tool({.tools = Names{"mcp__docs"}}, tool));
  CHECK_FALSE(has_tool({.tools = Names{"mcp__doc"}}, tool));
}

TEST_CASE("of two modes the stricter one binds") {
  CHECK(stricter(Mode::plan, Mode::bypass) == Mode::plan);
  CHECK(stricter(Mode::bypass, Mode::normal) == Mode::normal);
  CHECK(stricter(Mode::accept_edits, Mode::bypass) == Mode::accept_edits);
  CHECK(stricter(Mode::normal, Mode::accept_edits) == Mode::normal);
  CHECK(stricter(Mode::bypass, Mode::bypass) == Mode::bypass);
}

TEST_CASE("the list tells of those that are not built in") {
  CHECK(agent_list(built_in(), 1000) == "");
  const std::vector<Definition> all{{.name = "b", .description = "second", .file = "/b.md"},
                                    {.name = "a", .description = "first", .file = "/a.md"},
                                    built_in()[0]};
  const std::string list = agent_list(all, 1000);
  CHECK(list.find("- a: first\n- b: second\n") != std::string::npos);
  CHECK(list.find("explore") == std::string::npos);
}

TEST_CASE("a script's agents are checked like all others") {
  const Definition good = definition_from(
      "reviewer", R"({"description":"reviews","prompt":"You review.","tools":["Read"]})");
  CHECK(good.refusal == "");
  CHECK(tools_of(good) == Names{"read"});
  CHECK(definition_from("reviewer", R"({"prompt":"x"})").refusal != "");
  CHECK(definition_from("Reviewer", R"({"description":"x","prompt":"x"})").refusal != "");
}
