// How rules may be spelled: whatever the spelling, what was meant to be denied is denied, or the
// rule is refused.
#include <doctest/doctest.h>

#include "core/permission/policy.h"
#include "core/permission/rule_match.h"
#include "core/text/base.h"
#include "core/text/json.h"
#include "tests/support/rule_texts.h"

using namespace skein;
using namespace skein::permission;
using namespace skein::test;
using Verdict = Decision::Verdict;

namespace {

// In a workspace /h/w in the home folder /h, without links.
model::Located in_workspace(std::string_view path) {
  const auto plain = plain_path(path.starts_with("/h/w/") ? path.substr(5) : path);
  if (plain)
    return {.below = *plain,
            .absolute = "/h/w/" + *plain,
            .from_home = "~/w/" + *plain,
            .exists = true};
  return {.absolute = std::string(path), .exists = true, .refusal = "outside the workspace"};
}

const model::Tools& all_tools() {
  static const model::Tools list = [] {
    model::Tools all = tools::tool_table();
    for (model::Tool& tool : all) tool.locate = in_workspace;
    return all;
  }();
  return list;
}

model::ToolUse on(std::string_view tool, std::string_view path) {
  return {"1", std::string(tool), R"({"path":)" + json_string(path) + "}"};
}
model::ToolUse bash(std::string_view command) {
  return {"1", "bash", R"({"command":)" + json_string(command) + "}"};
}

struct Spelling {
  const char* rule;
  model::ToolUse meant;  // what whoever writes the rule has in mind
};
const std::vector<Spelling>& spellings() {
  const model::ToolUse push = bash("git push origin main"), rm = bash("rm -rf build");
  const model::ToolUse key = on("read", "secrets/key"), deep = on("read", "secrets/a/b");
  const model::ToolUse source = on("edit", "src/a/b.cpp");
  static const std::vector<Spelling> list{
      {"bash", rm},
      {"Bash", rm},
      {"BASH", rm},
      {"Bash(*)", rm},
      {"bash(rm)", rm},
      {"bash(rm *)", rm},
      {"Bash(rm *)", rm},
      {"Bash(rm:*)", rm},
      {"bash(rm*)", rm},
      {"bash(rm -rf *)", rm},
      {"Bash(rm -rf:*)", rm},
      {"bash( rm * )", rm},
      {"Bash (rm *)", rm},
      {"bash('rm' *)", rm},
      {"bash(/bin/rm *)", rm},
      {"bash(r? *)", rm},
      {"bash([r]m *)", rm},
      {"bash(rm:* -rf)", rm},
      {"bash(:*)", rm},
      {"bash(git push)", push},
      {"bash(git push *)", push},
      {"bash(git push:*)", push},
      {"Bash(git push:*)", push},
      {"Bash(git push*)", push},
      {"bash(git *)", push},
      {"bash(git:*)", push},
      {"bash(git push; git pull)", push},
      {"bash(git push", push},
      {"shell(git push)", push},
      {"read", key},
      {"Read", key},
      {"Read(*)", key},
      {"Read(**)", key},
      {"read(secrets)", key},
      {"read(secrets/)", key},
      {"read(secrets/*)", deep},
      {"Read(secrets/**)", deep},
      {"Read(./secrets/**)", deep},
      {"Read(/secrets/**)", deep},
      {"Read(//h/w/secrets/**)", deep},
      {"read(/h/w/secrets/*)", deep},
      {"Read(~/w/secrets/**)", deep},
      {"read(.//secrets//*)", deep},
      {"read(../w/secrets/*)", deep},
      {"read($HOME/w/secrets/*)", deep},
      {"read(~other/secrets)", deep},
      {"read(\"secrets/*\")", deep},
      {"read(secrets/{key,a})", key},
      {"read(secrets/[k)", key},
      {"read(key)", key},
      {"read(k?y)", key},
      {"read(**/key)", key},
      {"NotebookRead(secrets/**)", key},
      {"Edit(src/**)", source},
      {"Edit(/src/**)", source},
      {"MultiEdit(src/**)", source},
      {"edit(src)", source},
      {"edit(*.cpp)", source},
      {"Edit(/src/**)", on("write", "src/new.cpp")},
      {"Read(secrets/**)", on("grep", "secrets/key")},
      {"Write(src/**)", on("write", "src/new.cpp")},
      {"LS(secrets)", on("list", "secrets")},
      {"Glob(secrets/**)", on("list", "secrets/a")},
      {"Grep(secrets/*)", on("grep", "secrets")},
      {"WebSearch(x)", key},
      {"Reed(secrets/*)", key},
      {"read secrets/*", key},
      {"(secrets/*)", key},
      {"read()", key},
  };
  return list;
}

std::optional<std::vector<Rule>> parsed(const char* text, bool to_allow = false) {
  try {
    return to_allow ? parse_allow_rules(text) : parse_rules(text);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::usage);
    return std::nullopt;
  }
}

}  // namespace

TEST_CASE("denied is denied, wherever the rule comes from, or the rule is refused") {
  REQUIRE(spellings().size() >= 40);
  for (const Spelling& each : spellings()) {
    const auto deny = parsed(each.rule);
    if (!deny) continue;
    REQUIRE(deny->size() == 1);
    for (const auto origin : {Rule::Origin::session, Rule::Origin::flag,
                              Rule::Origin::configuration, Rule::Origin::workspace})
      for (const Mode mode : {Mode::normal, Mode::plan, Mode::accept_edits, Mode::bypass}) {
        CAPTURE(each.rule);
        CAPTURE(each.meant.input);
        Rules rules{mode, parse_rules("read,edit,write,list,grep,bash,bash(*)"), *deny, true};
        rules.deny[0].origin = origin;
        CHECK(decide(rules, all_tools(), each.meant).verdict == Verdict::deny);
      }
  }
}

TEST_CASE("the same spelling, to allow, allows nothing else or is refused") {
  for (const Spelling& each : spellings()) {
    const auto allow = parsed(each.rule, true);
    if (!allow) continue;
    CAPTURE(each.rule);
    const Rules rules{.allow = *allow, .sandboxed = true};
    const Rule& rule = allow->at(0);
    const bool everything = rule.tool == "bash" && (rule.pattern.empty() || rule.pattern == "*");
    CHECK((decide(rules, all_tools(), bash("shutdown now")).verdict == Verdict::allow) ==
          everything);
    CHECK(decide(rules, all_tools(), on("edit", "other/file")).verdict == Verdict::ask);
  }
}

TEST_CASE("refused are rules that would silently match nothing") {
  for (const char* text :
       {"shell(git push)", "WebSearch(x)",   "WebSearch",   "Tusk",         "mcp__",
        "Reed(x)",         "read secrets/*", "(x)",         "read()",       "read(",
        "bash(git push",   "bash(a; b)",     "bash($x)",    "bash(:*)",     "bash(rm:* -rf)",
        "bash(r? *)",      "bash([r]m *)",   "read(../x)",  "read(a/../b)", "read($HOME/x)",
        "read(~other/x)",  "read(~)",        "read(\"x\")", "read('x')",    "read(a{b,c})",
        "read(a[b)",       "read(!x)",       "read(.)",     "read(./)",     "read(/)",
        "read(a\\)",       "read(a\nb)"}) {
    CAPTURE(text);
    CHECK_FALSE(parsed(text));
  }
  CHECK_THROWS_WITH_AS(
      parse_rules("Wread(x)"),
      "cannot use the rule `Wread(x)`: there is no tool Wread; there are agent, ask, bash, "
      "edit, grep, job_output, job_stop, list, present_plan, read, recall, remember, skill, todo, "
      "web_fetch and write",
      Error);
}

TEST_CASE("rules are kept in one spelling") {
  const auto kept = [](const char* text) { return to_string(parse_rules(text).at(0)); };
  CHECK(kept("Bash(git push:*)") == "bash(git push *)");
  CHECK(kept("Read(./secrets/**)") == "read(secrets/**)");
  CHECK(kept("MultiEdit(/src/**)") == "edit(/src/**)");
  CHECK(kept("LS") == "list");
  CHECK(kept("read(//etc//hosts)") == "read(//etc/hosts)");
  CHECK(kept("read(~/x/)") == "read(~/x)");
}

TEST_CASE("a wildcard that could be any command is refused to allow, and fine to deny") {
  for (const char* text : {"bash(python3 *)", "bash(sh -c *)", "bash(sudo *)", "bash(xargs *)",
                           "bash(find . -exec *)", "bash(make -f *)", "bash(tee *)"}) {
    CAPTURE(text);
    CHECK_FALSE(parsed(text, true));
    CHECK(parsed(text));
  }
  for (const char* text : {"bash(python3 x.py)", "bash(make *)", "bash", "bash(*)"}) {
    CAPTURE(text);
    CHECK(parsed(text, true));
  }
}

TEST_CASE("a command that is denied is so behind options that come first") {
  const Rules rules{Mode::bypass, {}, parse_rules("bash(git push *)"), true};
  for (const char* line :
       {"git push", "git --no-pager push x", "git -p push", "/usr/bin/git push"}) {
    CAPTURE(line);
    CHECK(decide(rules, all_tools(), bash(line)).verdict == Verdict::deny);
  }
  CHECK(decide(rules, all_tools(), bash("git pull")).verdict == Verdict::allow);
}

TEST_CASE("a rule to allow that names no folder does not reach into folders") {
  const Rules rules{.allow = parse_rules("edit(*.txt),edit(src)"), .sandboxed = true};
  CHECK(decide(rules, all_tools(), on("edit", "a.txt")).verdict == Verdict::allow);
  CHECK(decide(rules, all_tools(), on("edit", "a/b.txt")).verdict == Verdict::ask);
  CHECK(decide(rules, all_tools(), on("edit", "src/x")).verdict == Verdict::ask);
}

TEST_CASE("a wildcard given with always does not reach out of the workspace") {
  Rules rules{.allow = parse_rules("bash(cat *)"), .sandboxed = true};
  for (const char* line : {"cat /etc/passwd", "cat ../x", "cat a/../../x", "cat /h/.ssh/id_rsa",
                           "cat -f/etc/passwd", "cat --file=/etc/passwd", "cat a:/etc/passwd",
                           "cat README.md /etc/passwd", "cat /etc/pass*"}) {
    CAPTURE(line);
    CHECK(decide(rules, all_tools(), bash(line)).verdict == Verdict::ask);
  }
  for (const char* line : {"cat README.md", "cat src/a.cpp", "cat /h/w/src/a.cpp", "cat src/*.cpp",
                           "cat /dev/null", "cat -n x"}) {
    CAPTURE(line);
    CHECK(decide(rules, all_tools(), bash(line)).verdict == Verdict::allow);
  }
  rules.allow[0].origin = Rule::Origin::configuration;  // written with open eyes
  CHECK(decide(rules, all_tools(), bash("cat /etc/passwd")).verdict == Verdict::allow);
}

TEST_CASE("what a transcript allows counts only if it was granted; what it forbids, always") {
  Rules rules;
  add_session_rules(rules, all_tools(), {"bash(ls *)", "edit", "!bash(rm *)", "nonsense("},
                    [](const std::string& rule) { return rule == "edit"; });
  CHECK(rules.allow == std::vector<Rule>{{"edit"}});
  CHECK(rules.deny == std::vector<Rule>{{"bash", "rm *"}});
  CHECK(rules.not_applied == std::vector<Rule>{{"bash", "ls *"}});
}

TEST_CASE("a prompt's file from outside comes along only if a rule names it from outside") {
  const auto verdict = [](const char* allow, const char* path, const char* deny = "") {
    const Rules rules{Mode::bypass, parse_rules(allow), parse_rules(deny), true};
    return decide_mention(rules, all_tools(), path).verdict;
  };
  CHECK(verdict("", "src/a") == Verdict::allow);
  CHECK(verdict("", "/h/w/src/a") == Verdict::allow);
  CHECK(verdict("", "/etc/hosts") == Verdict::ask);
  CHECK(verdict("", "../x") == Verdict::ask);
  CHECK(verdict("read,read(*),read(**)", "/etc/hosts") == Verdict::ask);
  CHECK(verdict("read(/etc/hosts)", "/etc/hosts") == Verdict::allow);
  CHECK(verdict("read(//etc/*)", "/etc/hosts") == Verdict::allow);
  CHECK(verdict("read(//etc/*)", "/etc/ssh/key") == Verdict::ask);
  CHECK(verdict("list(//etc/*)", "/etc/hosts") == Verdict::ask);
  CHECK(verdict("", "secrets/key", "read(secrets/*)") == Verdict::deny);
  CHECK(verdict("read(//etc/hosts)", "/etc/hosts", "read(//etc/**)") == Verdict::deny);
}
