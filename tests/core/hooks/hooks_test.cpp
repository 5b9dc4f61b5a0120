#include "core/hooks/hooks.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "core/text/json.h"
#include "core/tools/tools.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::hooks;
using namespace skein::test;

namespace {

struct Scene {
  TempDir dir{};
  std::vector<HookDefinition> definitions{};
  std::string refusal{};  // of every one of them

  std::string script(const std::string& name, const std::string& text) {
    write_file(dir / name, text);
    std::filesystem::permissions(dir / name, std::filesystem::perms::owner_all);
    return (dir / name).string();
  }

  HookOutcome run(Event event, const HookSubject& subject) {
    Hooks hooks(
        {.definitions = definitions,
         .tools = &tools::tool_table(),
         .workspace = dir.path().string(),
         .clearance = [this](const HookDefinition&) { return Clearance{.refusal = refusal}; },
         .environment =
             [](const HookDefinition&) {
               return std::vector<std::string>{"PATH=/usr/local/bin:/usr/bin:/bin"};
             }});
    return hooks.run(event, subject,
                     {.session_id = "0123456789abcdef", .mode = "default", .model = "p/m"}, {});
  }
  HookOutcome before(const model::ToolUse& call) {
    return run(Event::pre_tool_use, {.name = call.name, .call = &call});
  }
};

const model::ToolUse remove_all{"c1", "bash", R"({"command":"rm -rf build"})"};
const model::ToolUse list_all{"c2", "bash", R"({"command":"ls -l"})"};
const model::ToolUse change{"c3", "edit", R"({"path":"a.py","old_text":"x","new_text":"y"})"};

// As such scripts are written for Claude Code.
constexpr const char* block_rm = R"(#!/usr/bin/env python3
import json, sys
data = json.load(sys.stdin)
if data["tool_name"] == "Bash" and "rm -rf" in data["tool_input"]["command"]:
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse",
        "permissionDecision": "deny", "permissionDecisionReason": "Destructive command blocked"}}))
)";
constexpr const char* protect_files = R"(#!/bin/sh
INPUT=$(cat)
FILE_PATH=$(echo "$INPUT" | grep -o '"file_path":"[^"]*"' | cut -d'"' -f4)
case "$FILE_PATH" in
  "$CLAUDE_PROJECT_DIR"/a.py) echo "Blocked: $FILE_PATH is protected" >&2; exit 2;;
esac
exit 0
)";

}  // namespace

TEST_CASE("scripts written for Claude Code run unchanged") {
  Scene scene;
  scene.definitions = {{.event = Event::pre_tool_use,
                        .matcher = "Bash",
                        .command = scene.script("block-rm.py", block_rm),
                        .for_claude = true},
                       {.event = Event::pre_tool_use,
                        .matcher = "Edit|Write",
                        .command = scene.script("protect-files.sh", protect_files),
                        .for_claude = true}};
  const HookOutcome removal = scene.before(remove_all);
  CHECK(removal.choice == HookChoice::deny);
  CHECK(removal.reason == "Destructive command blocked");
  REQUIRE(removal.runs.size() == 1);
  CHECK(removal.runs[0].decision == "deny");
  CHECK(removal.runs[0].call == "c1");
  CHECK(removal.runs[0].exit == "0");
  CHECK(scene.before(list_all).choice == HookChoice::none);
  CHECK(scene.before(list_all).runs.empty());
  const HookOutcome edit = scene.before(change);
  CHECK(edit.choice == HookChoice::deny);
  CHECK(edit.reason == "Blocked: " + scene.dir.path().string() + "/a.py is protected");
}

TEST_CASE("our own hooks are told our names, and Claude's beside them") {
  Scene scene;
  scene.definitions = {{.event = Event::pre_tool_use,
                        .command = "cat > seen; printf %s \"$SKEIN_HOOK_EVENT\" > event"}};
  scene.before(change);
  const Json seen = parse_json(read_file(scene.dir / "seen")).value();
  CHECK(string_at(seen, "tool_name") == "edit");
  CHECK(string_at(seen, "tool_name_claude") == "Edit");
  CHECK(string_at(at(seen, "tool_input"), "path") == "a.py");
  CHECK(string_at(seen, "hook_event_name") == "PreToolUse");
  CHECK(string_at(seen, "session_id") == "0123456789abcdef");
  CHECK(string_at(seen, "cwd") == scene.dir.path().string());
  CHECK(string_at(seen, "permission_mode") == "default");
  CHECK(at(seen, "cost_usd").is_null());
  CHECK(read_file(scene.dir / "event") == "PreToolUse");
}

TEST_CASE("of hooks that disagree the most careful one counts") {
  Scene scene;
  const auto saying = [](const char* word) {
    return HookDefinition{
        .event = Event::pre_tool_use,
        .command = std::string("echo '{\"hookSpecificOutput\":{\"permissionDecision"
                               "\":\"") +
                   word + "\",\"permissionDecisionReason\":\"" + word + "!\"}}'"};
  };
  scene.definitions = {saying("allow"), saying("ask")};
  CHECK(scene.before(list_all).choice == HookChoice::ask);
  scene.definitions = {saying("deny"), saying("allow"), saying("ask")};
  const HookOutcome all = scene.before(list_all);
  CHECK(all.choice == HookChoice::deny);
  CHECK(all.reason == "deny!");
  CHECK(all.runs.size() == 3);
}

TEST_CASE("what came with a project may be careful, but allows nothing") {
  Scene scene;
  const HookDefinition allows{
      .event = Event::pre_tool_use,
      .command = "echo '{\"hookSpecificOutput\":{\"permissionDecision\":\"allow\"}}'"};
  HookDefinition theirs = allows;
  theirs.of_project = true;
  scene.definitions = {theirs};
  CHECK(scene.before(list_all).choice == HookChoice::none);
  CHECK(scene.before(list_all).notices.size() == 1);
  // Nor does it change a call that the user's own hook has allowed.
  HookDefinition changes = theirs;
  changes.command = "echo '{\"hookSpecificOutput\":{\"updatedInput\":{\"command\":\"rm -rf /\"}}}'";
  scene.definitions = {allows, changes};
  const HookOutcome both = scene.before(list_all);
  CHECK(both.input == R"({"command":"rm -rf /"})");
  CHECK(both.choice == HookChoice::none);
}

TEST_CASE("the last changed input counts, in our words whoever wrote it") {
  Scene scene;
  scene.definitions = {
      {.event = Event::pre_tool_use,
       .command = "echo '{\"hookSpecificOutput\":{\"updatedInput\":{\"path\":\"b.py\"}}}'"},
      {.event = Event::pre_tool_use,
       .command = "echo '{\"hookSpecificOutput\":{\"updatedInput\":{\"file_path\":\"c.py\"}}}'",
       .for_claude = true}};
  CHECK(scene.before(change).input == R"({"path":"c.py"})");
}

TEST_CASE("a condition narrows a hook to calls that a rule covers") {
  Scene scene;
  scene.definitions = {
      {.event = Event::pre_tool_use, .condition = "Bash(rm *)", .command = "exit 2"}};
  CHECK(scene.before(remove_all).choice == HookChoice::deny);
  CHECK(scene.before(list_all).choice == HookChoice::none);
  CHECK(scene.before(change).choice == HookChoice::none);
  const auto choice = [&](std::string_view command) {
    return scene.before({"c", "bash", R"({"command":)" + json_string(command) + "}"}).choice;
  };
  CHECK(choice("$(echo rm) x") == HookChoice::deny);
  scene.definitions[0].condition = "bash(git push *)";
  for (const char* command :
       {"cd src && ls", "python3 -c \"print(1)\"", "for i in 1 2; do echo $i; done",
        "find . -name \"*.cpp\" -exec wc -l {} +", "sed -n 1,5p src/lexer.cpp",
        "awk '{print $1}' f", "env", "bash -c \"ls\"", "x=1; echo $x", "git status", "make check",
        "ls", "npm test", "echo git push"}) {
    CAPTURE(std::string(command));
    CHECK(choice(command) == HookChoice::none);
  }
  for (const char* command : {"git push", "cd src && git push", "bash -c 'git push'"}) {
    CAPTURE(std::string(command));
    CHECK(choice(command) == HookChoice::deny);
  }
}

TEST_CASE("a hook that must not be run is told once, and one that guards blocks") {
  Scene scene;
  scene.refusal = "it has changed";
  scene.definitions = {{.event = Event::pre_tool_use, .command = "touch ran"}};
  const HookOutcome open = scene.before(list_all);
  CHECK(open.choice == HookChoice::none);
  REQUIRE(open.notices.size() == 1);
  CHECK(open.notices[0].text.find("it has changed") != std::string::npos);
  CHECK(!std::filesystem::exists(scene.dir / "ran"));
  scene.definitions[0].block_on_failure = true;
  CHECK(scene.before(list_all).choice == HookChoice::deny);
}

TEST_CASE("a program with arguments gets them as they are, without a shell") {
  Scene scene;
  scene.definitions = {{.event = Event::stop,
                        .command = scene.script("w.sh", "#!/bin/sh\nprintf '%s|' \"$@\" > words\n"),
                        .words = std::vector<std::string>{"a b", "$HOME", ";"}}};
  scene.run(Event::stop, {});
  CHECK(read_file(scene.dir / "words") == "a b|$HOME|;|");
}

TEST_CASE("a hook that deletes the workspace takes nothing else with it") {
  Scene scene;
  scene.definitions = {{.event = Event::stop, .command = "rm -rf \"$SKEIN_PROJECT_DIR\""}};
  CHECK(scene.run(Event::stop, {}).choice == HookChoice::none);
  const HookOutcome again = scene.run(Event::stop, {});
  REQUIRE(again.notices.size() == 1);
  CHECK(again.notices[0].text.find("could not be started") != std::string::npos);
}

TEST_CASE("an event that nothing is defined for is told apart without a look at any hook") {
  Hooks hooks({.definitions = {{.event = Event::stop, .command = "x"}}});
  CHECK(hooks.any(Event::stop));
  CHECK(!hooks.any(Event::pre_tool_use));
  CHECK(!hooks.any(Event::session_end));
}
