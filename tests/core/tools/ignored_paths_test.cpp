// What the model is kept from, seen through every tool.
#include "core/workspace/ignored_paths.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <memory>

#include "core/permission/policy.h"
#include "core/sandbox/sandbox.h"
#include "core/text/json.h"
#include "tests/support/workbench.h"

using namespace skein;
using namespace skein::tools;
using namespace skein::test;
using Verdict = permission::Decision::Verdict;
namespace fs = std::filesystem;

namespace {

struct Closed : TestWorkspace {
  Closed() {
    settings.withheld =
        std::make_shared<const workspace::IgnoredPaths>(workspace::IgnoredPaths::Settings{
            .workspace = fs::canonical(root()).string(), .names = {".skeinignore"}});
    write_file(root() / ".skeinignore", "private/\n*.hidden\n");
    write_file(root() / "private/plan.txt", "the plan\n");
    write_file(root() / "a.hidden", "hidden words\n");
    write_file(root() / "open.txt", "open words\n");
  }
  permission::Decision decided(const char* tool, Json input, permission::Rules rules = {}) {
    rules.sandboxed = true;
    return permission::decide(rules, tools(), {"1", tool, dump(input)});
  }
  Verdict verdict(const char* tool, Json input, const permission::Rules& rules = {}) {
    return decided(tool, std::move(input), rules).verdict;
  }
};

}  // namespace

TEST_CASE("every tool refuses what is withheld, and no mode changes that") {
  Closed closed;
  for (const auto mode : {permission::Mode::normal, permission::Mode::bypass})
    for (const char* tool : {"read", "write", "edit", "list", "grep"}) {
      CAPTURE(tool);
      permission::Rules rules{.mode = mode, .allow = {{tool}}};
      const permission::Decision decision =
          closed.decided(tool, {{"path", "private/plan.txt"}}, rules);
      CHECK(decision.verdict == Verdict::deny);
      CHECK(decision.reason == "hidden from the model by .skeinignore:1");
    }
  CHECK(closed.result("read", {{"path", "private/plan.txt"}}) ==
        "private/plan.txt: hidden from the model by .skeinignore:1");
  CHECK(closed.call("write", {{"path", "private/new/x"}, {"content", "x"}}).is_error);
  CHECK_FALSE(fs::exists(closed.root() / "private/new"));
  CHECK(closed.call("list", {{"path", "private"}}).is_error);
  CHECK(permission::decide_mention({}, closed.tools(), "a.hidden").verdict == Verdict::deny);
}

TEST_CASE("listings and searches pass over what is withheld") {
  Closed closed;
  const std::string listed = closed.result("list", {});
  CHECK(listed.find("open.txt") != std::string::npos);
  CHECK(listed.find("private") == std::string::npos);
  CHECK(listed.find("a.hidden") == std::string::npos);
  const std::string found = closed.result("grep", {{"pattern", "words|plan"}});
  CHECK(found.find("open words") != std::string::npos);
  CHECK(found.find("hidden words") == std::string::npos);
  CHECK(found.find("the plan") == std::string::npos);
}

TEST_CASE("neither links nor hard links lead to what is withheld") {
  Closed closed;
  fs::create_symlink("private/plan.txt", closed.root() / "link");
  fs::create_symlink("open.txt", closed.root() / "b.hidden");
  fs::create_hard_link(closed.root() / "a.hidden", closed.root() / "other");
  for (const char* name : {"link", "b.hidden", "other"}) {
    CAPTURE(name);
    CHECK(closed.verdict("read", {{"path", name}}) == Verdict::deny);
    CHECK(closed.call("read", {{"path", name}}).is_error);
  }
  CHECK(closed.result("grep", {{"pattern", "hidden words"}}).find("other:1") == std::string::npos);
}

TEST_CASE("a path that has become a link since it was judged is not followed") {
  Closed closed;
  const permission::Decision decision = closed.decided("read", {{"path", "open.txt"}});
  REQUIRE(decision.verdict == Verdict::allow);
  fs::rename(closed.root() / "a.hidden", closed.root() / "private/a");
  fs::remove(closed.root() / "open.txt");
  fs::create_symlink("private/a", closed.root() / "open.txt");
  CHECK(closed.call("read", {{"path", "open.txt"}}, {.judged = decision.place}).is_error);
}

TEST_CASE("what looks like a secret is asked about, tool by tool") {
  Closed closed;
  for (const char* name : {".env", "x.pem", "id_rsa", "deep/.aws/credentials"})
    write_file(closed.root() / name, "TOKEN=1\n");
  for (const char* name : {".env", "x.pem", "id_rsa", "deep/.aws/credentials"})
    for (const char* tool : {"read", "write", "edit", "grep"}) {
      CAPTURE(name);
      CAPTURE(tool);
      const Json input = {{"path", name}};
      CHECK(closed.verdict(tool, input) == Verdict::ask);
      CHECK(closed.verdict(tool, input, {.mode = permission::Mode::accept_edits}) == Verdict::ask);
      CHECK(closed.verdict(tool, input, {.allow = {{tool}}}) == Verdict::ask);
      CHECK(closed.verdict(tool, input, {.allow = {{tool, "*"}}}) == Verdict::ask);
      CHECK(closed.verdict(tool, input, {.allow = {{tool, name}}}) == Verdict::allow);
      CHECK(closed.verdict(tool, input, {.mode = permission::Mode::bypass}) == Verdict::allow);
      const auto offered = permission::remember({}, closed.tools(), {"1", tool, dump(input)});
      REQUIRE(offered.size() == 1);
      CHECK(offered[0].pattern == name);
    }
  CHECK(permission::decide_mention({}, closed.tools(), ".env").verdict == Verdict::ask);
  CHECK(permission::decide_mention({}, closed.tools(), "open.txt").verdict == Verdict::allow);
  CHECK(closed.result("list", {}).find(".env") != std::string::npos);
  const std::string found = closed.result("grep", {{"pattern", "TOKEN"}});
  CHECK(found.find("TOKEN=1") == std::string::npos);
  CHECK(found.find("4 files that may hold secrets left out") != std::string::npos);
  CHECK(closed.result("grep", {{"pattern", "TOKEN"}, {"path", ".env"}}).find("TOKEN=1") !=
        std::string::npos);
}

TEST_CASE("a wildcard does not let a command read a secret") {
  Closed closed;
  write_file(closed.root() / ".env", "TOKEN=1\n");
  const permission::Rules rules{.allow = {{"bash", "cat *"}}};
  CHECK(closed.verdict("bash", {{"command", "cat open.txt"}}, rules) == Verdict::allow);
  CHECK(closed.verdict("bash", {{"command", "cat ./.env"}}, rules) == Verdict::ask);
  CHECK(closed.verdict("bash", {{"command", "cat .env"}}, {.allow = {{"bash", "cat .env"}}}) ==
        Verdict::allow);
}

TEST_CASE("the files that say so are not edited unasked") {
  Closed closed;
  const permission::Decision decision =
      closed.decided("edit", {{"path", ".skeinignore"}}, {.mode = permission::Mode::accept_edits});
  CHECK(decision.verdict == Verdict::ask);
  CHECK(decision.reason == "that file says which files are hidden from the model");
}

TEST_CASE("commands find nothing in what is withheld") {
  if (!sandbox::bubblewrap_works()) return;
  Closed closed;
  closed.settings.sandbox = sandbox::Sandbox::bubblewrap;
  write_file(closed.root() / "deep/.skeinignore", "inner\n");
  write_file(closed.root() / "deep/inner", "inner words\n");
  for (const char* command :
       {"cat a.hidden private/plan.txt deep/inner", "cp a.hidden copy; cat copy",
        "mv private elsewhere; cat elsewhere/plan.txt", "cat deep/../deep/inner",
        "rm .skeinignore; rm -rf private; cat private/plan.txt", "ls private; cat <a.hidden"}) {
    CAPTURE(command);
    const std::string text = closed.result("bash", {{"command", command}});
    CHECK(text.find("hidden words") == std::string::npos);
    CHECK(text.find("the plan") == std::string::npos);
    CHECK(text.find("plan.txt\n") == std::string::npos);
    CHECK(text.find("inner words") == std::string::npos);
  }
  CHECK(closed.result("bash", {{"command", "cat open.txt"}}) == "open words\n");
  CHECK(closed.result("bash", {{"command", "cat a.hidden"}})
            .find("[these paths are hidden from you, so commands cannot read them: a.hidden, "
                  "deep/inner, private]") != std::string::npos);
  CHECK(read_file(closed.root() / "private/plan.txt") == "the plan\n");
  CHECK(read_file(closed.root() / ".skeinignore") == "private/\n*.hidden\n");
}
