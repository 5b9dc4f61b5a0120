#include "core/permission/policy.h"

#include <doctest/doctest.h>

#include "core/permission/shell_words.h"
#include "core/text/base.h"
#include "core/text/json.h"
#include "tests/support/rule_texts.h"

using namespace skein;
using namespace skein::permission;
using namespace skein::test;
using Verdict = Decision::Verdict;

namespace {

const model::Tools& all_tools() { return tools::tool_table(); }

model::ToolUse bash(std::string_view command) {
  return {"1", "bash", R"({"command":)" + json_string(command) + "}"};
}
model::ToolUse on(std::string_view tool, std::string_view path) {
  return {"1", std::string(tool), R"({"path":)" + json_string(path) + "}"};
}

Rules with(std::string_view allow, std::string_view deny = "", Mode mode = Mode::normal) {
  return {mode, parse_rules(allow), parse_rules(deny), true};
}

Verdict verdict(const Rules& rules, const model::ToolUse& call) {
  return decide(rules, all_tools(), call).verdict;
}

std::string remembered(const Rules& rules, const model::ToolUse& call) {
  std::string text;
  for (const Rule& rule : remember(rules, all_tools(), call))
    text += (text.empty() ? "" : ",") + to_string(rule);
  return text;
}

}  // namespace

TEST_CASE("by default looking is free and changing is asked about") {
  CHECK(verdict({}, on("read", "a")) == Verdict::allow);
  CHECK(verdict({}, on("grep", "a")) == Verdict::allow);
  CHECK(verdict({}, on("write", "a")) == Verdict::ask);
  CHECK(verdict({}, on("edit", "a")) == Verdict::ask);
  CHECK(verdict(with(""), bash("ls")) == Verdict::ask);
  CHECK(verdict({}, {"1", "launch_missiles", "{}"}) == Verdict::deny);
  CHECK(verdict({.mode = Mode::bypass, .allow = {{"launch_missiles"}}},
                {"1", "launch_missiles", "{}"}) == Verdict::deny);
}

TEST_CASE("each mode does what its name says") {
  CHECK(verdict(with("", "", Mode::plan), on("read", "a")) == Verdict::allow);
  CHECK(verdict(with("edit,bash", "", Mode::plan), on("edit", "a")) == Verdict::deny);
  CHECK(verdict(with("edit,bash", "", Mode::plan), bash("ls")) == Verdict::deny);
  CHECK(verdict(with("", "", Mode::accept_edits), on("edit", "a")) == Verdict::allow);
  CHECK(verdict(with("", "", Mode::accept_edits), on("write", "a/b")) == Verdict::allow);
  CHECK(verdict(with("", "", Mode::accept_edits), bash("ls")) == Verdict::ask);
  CHECK(verdict(with("", "", Mode::bypass), bash("rm -rf $HOME")) == Verdict::allow);
  for (const char* name_ : {"default", "plan", "acceptEdits", "bypassPermissions"})
    CHECK(name(*parse_mode(name_)) == name_);
  CHECK_FALSE(parse_mode("yolo"));
}

TEST_CASE("a command is allowed when each of its parts is") {
  const Rules rules =
      with("bash(git status),bash(ctest *),bash(ls *.cpp),bash(cat src/*),bash(grep *)");
  for (const char* command :
       {"git status", "git  'status'", "ctest", "ctest -R lexer -j 4", "git status && ctest",
        "git status; ctest -V", "git status | grep -c M", "ctest || git status",
        "git status\nctest\n", "ctest 2>&1 | grep -v ok", "ctest > /dev/null",
        "ctest >/dev/null 2>&1", "ctest &>/dev/null", "ctest </dev/null", "cat src/a.cpp",
        "grep 'a b; rm -rf $HOME' src/x", "grep \"it's \\$5\" f", "grep a\\ b f",
        "grep -r x src/*.cpp"}) {
    CAPTURE(command);
    CHECK(verdict(rules, bash(command)) == Verdict::allow);
  }
  for (const char* command :
       {"git status -s", "git", "git stash", "ctestx", "/tmp/ctest", "./ctest", "ctest && rm -rf .",
        "ctest; rm x", "ctest | sh", "cat src/../../etc/passwd", "cat /etc/passwd", "CTEST",
        "ctest\nrm x", "rm x\nctest"}) {
    CAPTURE(command);
    CHECK(verdict(rules, bash(command)) == Verdict::ask);
  }
}

TEST_CASE("without a sandbox every command is asked about, except when everything is allowed") {
  Rules rules = with("bash,bash(ls)");
  rules.sandboxed = false;
  CHECK(verdict(rules, bash("ls")) == Verdict::ask);
  rules.mode = Mode::bypass;
  CHECK(verdict(rules, bash("ls")) == Verdict::allow);
}

TEST_CASE("a deny rule wins, in every mode and under every name of the program") {
  for (const Mode mode : {Mode::normal, Mode::accept_edits, Mode::bypass, Mode::plan}) {
    const Rules rules =
        with("bash,edit,write,read", "bash(rm *),edit(secrets/**),read(.env)", mode);
    for (const char* command :
         {"rm x", "ls; rm -rf x", "/bin/rm x", "'rm' x", "r\\m x", "ls | rm x", "ls\nrm"}) {
      CAPTURE(command);
      CHECK(verdict(rules, bash(command)) == Verdict::deny);
    }
    for (const char* command :
         {"env rm x", "sh -c 'rm x'", "$(echo rm) x", "`rm x`", "x=rm; $x y", "xargs rm"}) {
      CAPTURE(command);
      CHECK(verdict(rules, bash(command)) == Verdict::deny);
    }
    CHECK(verdict(rules, on("edit", "secrets/a")) == Verdict::deny);
    CHECK(verdict(rules, on("edit", "./secrets//a/b")) == Verdict::deny);
    CHECK(verdict(rules, on("edit", "x/../secrets/a")) != Verdict::allow);
    CHECK(verdict(rules, on("edit", "/w/secrets/a")) != Verdict::allow);
    CHECK(verdict(rules, on("read", ".env")) == Verdict::deny);
  }
  CHECK(verdict(with("read", "read"), on("read", "a")) == Verdict::deny);
}

TEST_CASE("a path rule covers plain paths that match its glob") {
  const Rules rules = with("edit(src/*),write(docs/**/*.md)");
  CHECK(verdict(rules, on("edit", "src/a.cpp")) == Verdict::allow);
  CHECK(verdict(rules, on("edit", "./src//a.cpp")) == Verdict::allow);
  CHECK(verdict(rules, on("edit", "src/a/b.cpp")) == Verdict::ask);
  CHECK(verdict(rules, on("write", "docs/a/b/c.md")) == Verdict::allow);
  CHECK(verdict(rules, on("write", "src/a.cpp")) == Verdict::ask);
  for (const char* path : {"src/../x", "/src/a", "../src/a", "src/..", "src\n/a"}) {
    CAPTURE(path);
    CHECK(verdict(rules, on("edit", path)) == Verdict::ask);
  }
}

TEST_CASE("what other programs run by themselves is not written by a wide rule") {
  for (const char* path : {".git/hooks/pre-commit", "sub/.git/config", ".bashrc", "a/.envrc",
                           ".vscode/tasks.json", ".GIT/config", ".skein/config.toml"}) {
    CAPTURE(path);
    CHECK(verdict(with("edit,edit(**)", "", Mode::accept_edits), on("edit", path)) == Verdict::ask);
  }
  CHECK(verdict(with("edit(.envrc)"), on("edit", ".envrc")) == Verdict::allow);
}

TEST_CASE("while a hook may run any file of the project, only what is named exactly is unasked") {
  Rules rules = with("edit(src/*),edit(a.txt),bash(ctest *),bash(ctest)", "", Mode::accept_edits);
  rules.unseen_hook = "make lint";
  for (const char* path : {"src/a.cpp", "b.txt", "Makefile"}) {
    CAPTURE(path);
    CHECK(verdict(rules, on("edit", path)) == Verdict::ask);
    CHECK(verdict(rules, on("write", path)) == Verdict::ask);
  }
  CHECK(verdict(rules, on("edit", "a.txt")) == Verdict::allow);
  CHECK(verdict(rules, on("read", "b.txt")) == Verdict::allow);
  CHECK(verdict(rules, bash("ctest")) == Verdict::allow);
  CHECK(decide(rules, all_tools(), bash("ctest -j 4")).reason ==
        "the hook `make lint` may run any file of this project");
  CHECK(decide(rules, all_tools(), on("write", "b.txt")).reason ==
        "the hook `make lint` may run any file of this project");
  CHECK(remembered(rules, bash("ctest -j 4")) == "bash(ctest -j 4)");
  rules.mode = Mode::bypass;
  CHECK(verdict(rules, on("write", "b.txt")) == Verdict::allow);
  CHECK(verdict(rules, bash("ctest -j 4")) == Verdict::allow);
}

TEST_CASE("always names exactly the rule that would be added, and the rule keeps its word") {
  const Rules rules = with("bash(ls *)");
  CHECK(remembered(rules, bash("ctest --test-dir build")) == "bash(ctest --test-dir build)");
  CHECK(remembered(rules, bash("cmake --build build && ctest")) ==
        "bash(cmake --build build),bash(ctest)");
  CHECK(remembered(rules, bash("git diff HEAD~1")) == "bash(git diff *)");
  CHECK(remembered(rules, bash("git diff 'HEAD~1' | head -5; ls")) ==
        "bash(git diff *),bash(head *)");
  CHECK(remembered(rules, bash("cat README.md")) == "bash(cat *)");
  CHECK(remembered(rules, bash("cat /etc/hostname")) == "bash(cat /etc/hostname)");
  CHECK(remembered(rules, bash("rm -rf build")) == "bash(rm -rf build)");
  CHECK(remembered(rules, bash("git commit -m 'a (b), c'")) == "bash(git commit -m 'a (b), c')");
  CHECK(remembered(rules, bash("python3 x.py")) == "bash(python3 x.py)");
  CHECK(remembered(rules, bash("find . -name '*.cpp' -delete")) ==
        "bash(find . -name '*.cpp' -delete)");
  CHECK(remembered(rules, bash("echo $HOME")) == "bash(= echo $HOME)");
  CHECK(remembered(rules, bash("make > log")) == "");
  CHECK(remembered(rules, on("edit", "src/a")) == "edit(src/**)");
  CHECK(remembered(rules, on("edit", "./src/lib/a")) == "edit(src/lib/**)");
  CHECK(remembered(rules, on("write", "a.txt")) == "write(a.txt)");
  CHECK(remembered(rules, on("write", "a[1]/x*")) == "write(a\\[1]/**)");
  CHECK(remembered(rules, on("edit", ".git/config")) == "");
  CHECK(remembered(rules, {"1", "unknown", "{}"}) == "");
  CHECK(remembered(with("", "bash(ctest *)"), bash("ctest")) == "");

  // What is offered survives being written down and read again.
  for (const char* command :
       {"git commit -m 'a (b), c'", "rm '*' \"it's\"", "printf '%s\\n' 'x, y'"}) {
    const Rules again = with(remembered(rules, bash(command)));
    CAPTURE(command);
    CHECK(verdict(again, bash(command)) == Verdict::allow);
    CHECK(verdict(again, bash(std::string(command) + " more")) == Verdict::ask);
  }
}

TEST_CASE("rules are read as they are written, and what is no rule is an error of usage") {
  CHECK(
      parse_rules("read, bash(git status) ,bash(ctest *),edit(src/*)") ==
      std::vector<Rule>{{"read"}, {"bash", "git status"}, {"bash", "ctest *"}, {"edit", "src/*"}});
  CHECK(parse_rules("") == std::vector<Rule>{});
  for (const char* text :
       {"(x)", "bash(", "bash()", "bash(a;b)", "bash($x)", "bash(a > *)", "a b", "bash(ls))x"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_rules(text), Error);
  }
}

TEST_CASE("a line is taken apart into words without their quotes") {
  const auto words = [](std::string_view line) {
    std::vector<std::vector<std::string>> all;
    for (const SimpleCommand& command : parse_shell_line(line).commands) {
      all.emplace_back();
      for (const ShellWord& word : command) all.back().push_back(word.text);
    }
    return all;
  };
  using Lines = std::vector<std::vector<std::string>>;
  CHECK(words("a 'b c' \"d\\\"e\" f\\ g ''") == Lines{{"a", "b c", "d\"e", "f g", ""}});
  CHECK(words("a|b&&c||d;e\nf") == Lines{{"a"}, {"b"}, {"c"}, {"d"}, {"e"}, {"f"}});
  CHECK(words("a\"b\"'c'd") == Lines{{"abcd"}});
  CHECK(parse_shell_line("a &&").doubt != "");
  CHECK(parse_shell_line("; a").doubt != "");
  CHECK(parse_shell_line("").doubt != "");
  CHECK(shell_quoted("it's") == "'it'\\''s'");
}

TEST_CASE("a rule that asks is stronger than what allows, and weaker than what forbids") {
  Rules rules = with("bash,read,write", "bash(rm *)", Mode::bypass);
  rules.ask = parse_rules("bash(git push *),bash(rm *),read(.env),write(src/*)");
  CHECK(verdict(rules, bash("git push origin x")) == Verdict::ask);
  CHECK(verdict(rules, bash("ls && git push")) == Verdict::ask);
  CHECK(verdict(rules, bash("rm x")) == Verdict::deny);
  CHECK(verdict(rules, bash("git status")) == Verdict::allow);
  CHECK(verdict(rules, on("read", "sub/.env")) == Verdict::ask);
  CHECK(verdict(rules, on("write", "src/a")) == Verdict::ask);
  CHECK(verdict(rules, on("write", "a")) == Verdict::allow);
  CHECK(remembered(rules, bash("git push")) == "");
}
