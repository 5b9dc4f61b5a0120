#include "core/permission/claude_rules.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/text/json.h"
#include "core/tools/tools.h"

using namespace skein;
using namespace skein::permission;
using Texts = std::vector<std::string>;
using Verdict = Decision::Verdict;

namespace {

const model::Tools& all_tools() { return tools::tool_table(); }

// What the file says under "permissions".
ClaudePermissions read(const std::string& permissions) {
  return read_claude_permissions(R"({"model":"x","permissions":)" + permissions + "}", "/p/ws",
                                 all_tools());
}

Texts texts(const std::vector<Rule>& rules) {
  Texts out;
  for (const Rule& rule : rules) out.push_back(to_string(rule));
  return out;
}

Texts one(const char* list, const std::string& rule) {
  const ClaudePermissions found =
      read("{\"" + std::string(list) + "\":[" + json_string(rule) + "]}");
  CHECK(found.asked_instead.empty());
  CHECK(found.not_allowed.empty());
  return texts(list == std::string("allow")  ? found.allow
               : list == std::string("deny") ? found.deny
                                             : found.ask);
}

}  // namespace

TEST_CASE("rules as Claude Code writes them mean the same here") {
  CHECK(one("deny", "Bash(git push:*)") == Texts{"bash(git push *)"});
  CHECK(one("deny", "Bash(rm *)") == Texts{"bash(rm *)"});
  CHECK(one("allow", "Bash(npm run test:*)") == Texts{"bash(npm run test *)"});
  CHECK(one("allow", "Bash(npm test)") == Texts{"bash(npm test)"});
  CHECK(one("ask", "Bash(git push:*)") == Texts{"bash(git push *)"});
  CHECK(one("deny", "WebFetch(domain:x.com)") == Texts{"web_fetch(x.com)"});
  CHECK(one("deny", "mcp__docs__find") == Texts{"mcp__docs__find"});
  CHECK(one("allow", "mcp__docs__*") == Texts{"mcp__docs__*"});
  for (const char* every : {"Bash", "Bash(*)", "Bash(:*)"})
    CHECK(one("deny", every) == Texts{"bash"});
  CHECK(one("deny", "WebFetch(domain:*)") == Texts{"web_fetch"});
}

TEST_CASE("a name that means several tools in Claude Code means them here") {
  CHECK(one("deny", "Edit") == Texts{"edit", "write"});
  CHECK(one("deny", "Read(./.env)") == Texts{"read(.env)", "grep(.env)", "list(.env)"});
  CHECK(one("allow", "Edit(src/**)") == Texts{"edit(src/**)", "write(src/**)"});
  CHECK(one("allow", "Write(src/**)") == Texts{"write(src/**)"});
}

TEST_CASE("paths begin where they begin there") {
  CHECK(one("allow", "Edit(/docs/**)") == Texts{"edit(docs/**)", "write(docs/**)"});
  CHECK(one("allow", "Write(//srv/x)") == Texts{"write(//srv/x)"});
  CHECK(one("deny", "Write(~/.ssh/**)") == Texts{"write(~/.ssh/**)"});
  CHECK(one("deny", "Write(/etc/x)") == Texts{"write(/etc/x)"});
  CHECK(one("deny", "Write(../secret)") == Texts{"write(//p/secret)"});
}

TEST_CASE("a rule that cannot be expressed asks about every call that it could mean") {
  const ClaudePermissions found =
      read(R"-({"deny":["Bash(curl * | sh)","Bash(* --force)","Read({a,b})","Bahs(rm:*)",7],)-"
           R"-("ask":["Bash($X)"]})-");
  CHECK(texts(found.deny) == Texts{"bash(* --force)"});
  CHECK(texts(found.ask) == Texts{"bash(curl *)", "bash", "read", "grep", "list", "bash"});
  CHECK(found.asked_instead ==
        Texts{"Bash(curl * | sh)", "Read({a,b})", "Bahs(rm:*)", "7", "Bash($X)"});
}

TEST_CASE("a star between words matches any number of them, so the beginning is asked about") {
  const ClaudePermissions found = read(R"-({"deny":["Bash(git push * main)"]})-");
  CHECK(texts(found.deny) == Texts{"bash(git push * main)"});
  CHECK(texts(found.ask) == Texts{"bash(git push *)"});
  const Rules rules{.mode = Mode::bypass, .deny = found.deny, .sandboxed = true, .ask = found.ask};
  const auto verdict = [&](const std::string& command) {
    return decide(rules, all_tools(), {"1", "bash", dump({{"command", command}})}).verdict;
  };
  CHECK(verdict("git push origin main") == Verdict::deny);
  CHECK(verdict("git push --force origin main") == Verdict::ask);
  CHECK(verdict("git status") == Verdict::allow);
}

TEST_CASE("rules for tools that skein does not have are passed over") {
  const ClaudePermissions found =
      read(R"-({"deny":["WebSearch","PowerShell(rm:*)"],"allow":["SlashCommand(/x)"]})-");
  CHECK(found.deny.empty());
  CHECK(found.ask.empty());
  CHECK(found.asked_instead.empty());
  CHECK(found.not_allowed.empty());
}

TEST_CASE("what would let every command run allows nothing, and is reported") {
  const ClaudePermissions found =
      read(R"-({"allow":["Bash(python:*)","Bash(ls)"],"defaultMode":"auto"})-");
  CHECK(texts(found.allow) == Texts{"bash(ls)"});
  CHECK(found.not_allowed == Texts{"Bash(python:*)", "defaultMode auto"});
  CHECK(found.ask.empty());
}

TEST_CASE("what loosens is known apart, with its own text") {
  const std::string tight = R"-("deny":["Bash(rm:*)"],"ask":["Read(x)"])-";
  CHECK(read("{" + tight + "}").loosening.empty());
  const std::string loose = R"-("allow":["Bash(ls)"],"defaultMode":"acceptEdits",)-"
                            R"-("additionalDirectories":["../docs","~/x","src","/p/ws"])-";
  const ClaudePermissions found = read("{" + tight + "," + loose + "}");
  CHECK(found.loosening == "{" + loose + "}");
  CHECK(found.loosening == read("{" + loose + "}").loosening);
  CHECK(found.mode == Mode::accept_edits);
  CHECK(found.folders == Texts{"/p/docs", "~/x"});
}

TEST_CASE("no text keeps skein from starting") {
  for (const char* text : {"", "[]", "{", "null", "7", "{\"permissions\":"})
    CHECK_FALSE(read_claude_permissions(text, "/p/ws", all_tools()).trouble.empty());
  for (const char* permissions :
       {"7", R"({"deny":"Bash"})", R"({"deny":{"a":1},"defaultMode":[],"additionalDirectories":3})",
        R"-({"deny":[null,[],{}," ","(","()","Bash(","\u0000"]})-"}) {
    CAPTURE(permissions);
    CHECK(read(permissions).trouble.empty());
  }
}
