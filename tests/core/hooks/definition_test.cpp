#include "core/hooks/definition.h"

#include <doctest/doctest.h>

#include <string>

#include "core/text/json.h"

using namespace skein;
using namespace skein::hooks;

TEST_CASE("a matcher is everything, a list of names, or an expression found anywhere") {
  const std::vector<std::string> edit = names_of("edit");
  for (const char* all : {"", "*", " "}) CHECK(matches(all, edit));
  for (const char* yes : {"Edit", "edit", "Write|Edit", "Write, Edit", "Edit|MultiEdit", "^Ed.*"})
    CHECK_MESSAGE(matches(yes, edit), yes);
  for (const char* no : {"Bash", "Edi", "EDIT", "Write|Bash", "^dit$"})
    CHECK_MESSAGE(!matches(no, edit), no);
  CHECK(matches("mcp__.*", {"mcp__github__list"}));
  CHECK(!matches("mcp__github", {"mcp__github__list"}));
  CHECK(matches("Bash(", {"bash"}));  // a guard must not fall asleep over a typo
}

TEST_CASE("Claude Code's settings are read, and what cannot be used is named") {
  const ReadHooks read = read_claude_hooks(R"json({"permissions":{"allow":["Bash"]},"hooks":{
    "PreToolUse":[{"matcher":"Bash","hooks":[
        {"type":"command","command":"a.sh","timeout":5,"if":"Bash(git *)"},
        {"type":"prompt","prompt":"is it good?"}]
}],
    "Stop":[{"hooks":[{"type":"command","command":"b.sh"}]}],
    "WorktreeCreate":[{"hooks":[{"type":"command","command":"c.sh"}]}]
}
})json",
                                           "/p/.claude/settings.json", true);
  REQUIRE(read.definitions.size() == 2);
  const HookDefinition& first = read.definitions[0];
  CHECK(first.event == Event::pre_tool_use);
  CHECK(first.matcher == "Bash");
  CHECK(first.command == "a.sh");
  CHECK(first.condition == "Bash(git *)");
  CHECK(first.time_limit() == std::chrono::seconds(5));
  CHECK(first.for_claude);
  CHECK(first.of_project);
  CHECK(read.definitions[1].event == Event::stop);
  CHECK(read.definitions[1].time_limit() == std::chrono::seconds(60));
  REQUIRE(read.remarks.size() == 2);
  CHECK(read.remarks[0].find("not prompt") != std::string::npos);
  CHECK(read.remarks[1].find("WorktreeCreate") != std::string::npos);
  // What is trusted is the hooks: other settings in the file may change.
  CHECK(read.text.find("permissions") == std::string::npos);
}

TEST_CASE("whatever a settings file holds, reading it does no harm") {
  for (const char* text :
       {"", "null", "[]", "{\"hooks\":1}", "{\"hooks\":[]}", "{\"hooks\":{\"Stop\":1}}",
        "{\"hooks\":{\"Stop\":[1,null,{\"hooks\":\"x\"},{\"hooks\":[1,{\"command\":2}]}]}}",
        "{\"hooks\":{\"Stop\":[{\"matcher\":[],\"hooks\":[{\"type\":7}]}]}}", "\xff\xfe"})
    CHECK(read_claude_hooks(text, "f", false).definitions.empty());
}

TEST_CASE("a call is told in Claude Code's words and understood from them again") {
  const JsonText edit = R"({"path":"src/a.c","old_text":"x","new_text":"y"})";
  const Json there = parse_json(input_for_claude("edit", edit, "/w")).value();
  CHECK(string_at(there, "file_path") == "/w/src/a.c");
  CHECK(string_at(there, "old_string") == "x");
  CHECK(string_at(there, "new_string") == "y");
  CHECK(input_from_claude("edit", R"({"file_path":"b","old_string":"1","new_string":"2"})") ==
        R"({"path":"b","old_text":"1","new_text":"2"})");
  CHECK(input_for_claude("bash", R"({"command":"ls","timeout_ms":5})", "/w") ==
        R"({"command":"ls","timeout":5})");
  CHECK(claude_name("bash") == "Bash");
  CHECK(claude_name("list") == "LS");
  CHECK(claude_name("mcp__x__y") == "mcp__x__y");
  CHECK(input_for_claude("mcp__x__y", R"({"path":"a"})", "/w") == R"({"path":"a"})");
  CHECK(input_for_claude("bash", "not json", "/w") == "not json");
}
