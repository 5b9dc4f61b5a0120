// Rules decide on the file a path leads to, and a tool touches no other.
#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "core/permission/policy.h"
#include "core/text/json.h"
#include "core/tools/tools.h"
#include "tests/support/long_run.h"
#include "tests/support/rule_texts.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::tools;
using namespace skein::test;
using Verdict = permission::Decision::Verdict;
namespace fs = std::filesystem;

namespace {

// A checkout with links in it, as git makes them.
struct Checkout {
  TempDir dir{};
  model::Tools tools{};

  Checkout() {
    write_file(dir / "w/.git/hooks/pre-commit", "old\n");
    write_file(dir / "w/.git/config", "[core]\n");
    write_file(dir / "w/secrets/key", "KEY\n");
    write_file(dir / "w/src/main.cpp", "int main; // KEY word\n");
    write_file(dir / "outside/key", "KEY\n");
    fs::create_symlink(".git/hooks", dir / "w/docs");
    fs::create_symlink(".git/hooks/pre-commit", dir / "w/notes.txt");
    fs::create_symlink(".git/config", dir / "w/settings.txt");
    fs::create_symlink("secrets/key", dir / "w/notes");
    fs::create_symlink("secrets", dir / "w/dir");
    fs::create_symlink("dir", dir / "w/far");
    fs::create_symlink("../outside", dir / "w/out");
    tools = standard_tools({.root = (dir / "w").string(), .sandbox = sandbox::Sandbox::none});
  }
  static model::ToolUse call(const char* tool, Json input) { return {"1", tool, dump(input)}; }
  permission::Decision decided(const permission::Rules& rules, const model::ToolUse& use) const {
    return permission::decide(rules, tools, use);
  }
  // As the agent runs it once it is allowed.
  std::string text_of(const permission::Rules& rules, const model::ToolUse& use,
                      const permission::Decision& decision) const {
    const model::ToolPorts ports{.judged = decision.place,
                                 .denied = permission::denied_places(rules, tools, use)};
    const model::ToolOutcome outcome = model::find_tool(tools, use.name)->run(use.input, ports);
    return std::get<model::Text>(outcome.content.at(0)).text;
  }
};

permission::Rules denying(const char* text, permission::Mode mode = permission::Mode::normal) {
  return {mode, {}, parse_rules(text), true};
}

}  // namespace

TEST_CASE("where a hook may run any file, one that is to be written again is remembered by name") {
  const Checkout here;
  permission::Rules rules{.mode = permission::Mode::accept_edits};
  const model::ToolUse write = here.call("write", {{"path", "src/main.cpp"}, {"content", "x"}});
  CHECK(here.decided(rules, write).verdict == Verdict::allow);
  rules.unseen_hook = "make";
  CHECK(here.decided(rules, write).verdict == Verdict::ask);
  rules.allow = permission::remember(rules, here.tools, write);
  REQUIRE(rules.allow.size() == 1);
  CHECK(permission::to_string(rules.allow[0]) == "write(src/main.cpp)");
  CHECK(here.decided(rules, write).verdict == Verdict::allow);
}

TEST_CASE("what runs by itself is not written through a link") {
  const Checkout here;
  const permission::Rules edits{.mode = permission::Mode::accept_edits};
  const permission::Rules by_rule{.allow = parse_rules("edit(*.txt),write(docs/*),write,edit")};
  const model::ToolUse hook = here.call("write", {{"path", "docs/pre-commit"}, {"content", "x"}});
  const model::ToolUse fresh = here.call("write", {{"path", "docs/new/er"}, {"content", "x"}});
  const model::ToolUse notes =
      here.call("edit", {{"path", "notes.txt"}, {"old_text", "old"}, {"new_text", "x"}});
  const model::ToolUse settings =
      here.call("edit", {{"path", "settings.txt"}, {"old_text", "[core]"}, {"new_text", "x"}});
  for (const model::ToolUse& use : {hook, fresh, notes, settings}) {
    CAPTURE(use.input);
    CHECK(here.decided(edits, use).verdict == Verdict::ask);
    CHECK(here.decided(by_rule, use).verdict == Verdict::ask);
  }
  CHECK(here.decided(edits, hook).place == ".git/hooks/pre-commit");
  const model::ToolUse plain = here.call("write", {{"path", "new/deep/file"}, {"content", "x"}});
  const permission::Decision decision = here.decided(edits, plain);
  CHECK(decision.verdict == Verdict::allow);
  CHECK(decision.place == "new/deep/file");
  CHECK(here.text_of(edits, plain, decision).starts_with("wrote"));
  CHECK(read_file(here.dir / "w/new/deep/file") == "x");
}

TEST_CASE("what is denied is denied by every way that leads there") {
  const Checkout here;
  const std::string root = (here.dir / "w").string();
  for (const std::string& rule :
       {std::string("read(secrets/*)"), std::string("read(secrets)"), "read(/" + root + "/secrets)",
        std::string("read(key)"), std::string("read(dir/*)"), std::string("read(far)"),
        "read(" + root + "/dir/key)"})
    for (const permission::Mode mode : {permission::Mode::normal, permission::Mode::bypass})
      for (const std::string& path :
           {std::string("secrets/key"), std::string("notes"), std::string("dir/key"),
            std::string("far/key"), std::string("./dir/../dir/key"), root + "/dir/key",
            std::string("src/../notes")}) {
        CAPTURE(rule);
        CAPTURE(path);
        const permission::Rules rules = denying(rule.c_str(), mode);
        CHECK(here.decided(rules, here.call("read", {{"path", path}})).verdict == Verdict::deny);
        CHECK(here.decided(rules, here.call("grep", {{"pattern", "K"}, {"path", path}})).verdict ==
              Verdict::deny);
        CHECK(permission::decide_mention(rules, here.tools, path).verdict == Verdict::deny);
        CHECK(here.decided(rules, here.call("read", {{"path", "src/main.cpp"}})).verdict ==
              Verdict::allow);
      }
}

TEST_CASE("a denied folder is neither searched nor listed from above") {
  const Checkout here;
  for (const char* rule : {"grep(secrets/*)", "grep(secrets)", "read(secrets/**)", "grep(dir/*)"}) {
    CAPTURE(rule);
    const permission::Rules rules = denying(rule, permission::Mode::bypass);
    const model::ToolUse use = here.call("grep", {{"pattern", "KEY"}});
    const permission::Decision decision = here.decided(rules, use);
    CHECK(decision.verdict == Verdict::allow);
    const std::string found = here.text_of(rules, use, decision);
    CHECK(found.find("src/main.cpp:1:") != std::string::npos);
    CHECK(found.find("secrets") == std::string::npos);
    CHECK(found.find("forbid") != std::string::npos);
  }
  const permission::Rules rules = denying("list(secrets/*)");
  const model::ToolUse use = here.call("list", {{"depth", 5}});
  const std::string listed = here.text_of(rules, use, here.decided(rules, use));
  CHECK(listed.find("src/main.cpp") != std::string::npos);
  CHECK(listed.find("secrets") == std::string::npos);
  for (const char* path : {"secrets", "dir", "far"})
    CHECK(here.decided(rules, here.call("list", {{"path", path}})).verdict == Verdict::deny);
}

TEST_CASE("a file with several names is asked about where a rule forbids one") {
  const Checkout here;
  fs::create_hard_link(here.dir / "w/secrets/key", here.dir / "w/copy");
  const model::ToolUse use = here.call("read", {{"path", "copy"}});
  CHECK(here.decided(denying("read(secrets/*)", permission::Mode::bypass), use).verdict ==
        Verdict::ask);
  CHECK(here.decided({}, use).verdict == Verdict::allow);
  const permission::Rules rules = denying("grep(secrets/*)");
  const model::ToolUse search = here.call("grep", {{"pattern", "KEY"}});
  CHECK(here.text_of(rules, search, here.decided(rules, search)).find("copy:") ==
        std::string::npos);
}

TEST_CASE("a path that leads elsewhere than when it was judged is left alone") {
  const Checkout here;
  fs::create_symlink("src/main.cpp", here.dir / "w/swap");
  fs::create_symlink("src", here.dir / "w/swapped");
  const auto turned = [&](const char* link, const char* target) {
    fs::remove(here.dir / "w" / link);
    fs::create_symlink(target, here.dir / "w" / link);
  };
  for (const model::ToolUse& use :
       {here.call("read", {{"path", "swap"}}),
        here.call("grep", {{"pattern", "K"}, {"path", "swap"}}),
        here.call("list", {{"path", "swapped"}}),
        here.call("write", {{"path", "swap"}, {"content", "x"}}),
        here.call("write", {{"path", "swapped/new/file"}, {"content", "x"}}),
        here.call("edit", {{"path", "swap"}, {"old_text", "KEY"}, {"new_text", "x"}})}) {
    CAPTURE(use.name);
    turned("swap", "src/main.cpp");
    turned("swapped", "src");
    const permission::Rules rules{.mode = permission::Mode::accept_edits};
    const permission::Decision decision = here.decided(rules, use);
    CHECK(decision.verdict == Verdict::allow);
    turned("swap", "secrets/key");
    turned("swapped", "secrets");
    CHECK(here.text_of(rules, use, decision).find("the path has changed") != std::string::npos);
  }
  CHECK(read_file(here.dir / "w/secrets/key") == "KEY\n");
  CHECK_FALSE(fs::exists(here.dir / "w/secrets/new"));
}

TEST_CASE("a link that is turned again and again never leads past a rule") {
  const Checkout here;
  const permission::Rules rules{
      permission::Mode::bypass, {}, parse_rules("read(secrets/*),edit(secrets/*)"), true};
  const model::ToolUse reads = here.call("read", {{"path", "swap"}});
  const model::ToolUse writes = here.call("write", {{"path", "swap"}, {"content", "x"}});
  std::atomic<bool> over = false;
  std::thread turner([&] {
    const fs::path link = here.dir / "w/swap", next = here.dir / "w/next";
    for (bool out = false; !over; out = !out) {
      std::error_code ignored;
      fs::create_symlink(out ? "secrets/key" : "src/main.cpp", next, ignored);
      fs::rename(next, link, ignored);
    }
  });
  std::size_t seen = 0;
  const std::size_t tries = long_run() ? 100'000 : 1'000;
  for (std::size_t i = 0; i < tries; ++i)
    for (const model::ToolUse& use : {reads, writes}) {
      const permission::Decision decision = here.decided(rules, use);
      if (decision.verdict == Verdict::allow && here.text_of(rules, use, decision) == "KEY\n")
        ++seen;
    }
  over = true;
  turner.join();
  CHECK(seen == 0);
  CHECK(read_file(here.dir / "w/secrets/key") == "KEY\n");
}

TEST_CASE("where a path leads is told alike by both ways of resolving it") {
  const Checkout here;
  for (const workspace::Resolver resolver :
       {workspace::Resolver::kernel, workspace::Resolver::walk}) {
    const workspace::Root root((here.dir / "w").string(), {(here.dir / "w/closed").string()},
                               resolver);
    CHECK(root.located("far/key").below == "secrets/key");
    CHECK(root.located("notes").below == "secrets/key");
    CHECK(root.located(".").below == ".");
    CHECK(root.located("dir/..").below == ".");
    CHECK(root.located("dir/a/b").below == "secrets/a/b");
    CHECK(root.located((here.dir / "w/dir").string()).below == "secrets");
    CHECK(root.located("out/key").below == "");
    CHECK(root.located("out/key").absolute == (here.dir / "outside/key").string());
    CHECK(root.located("../outside/key").absolute == (here.dir / "outside/key").string());
    CHECK(root.located("closed/x").below == "");
    CHECK(root.located(std::string_view("a\0b", 3)).absolute == "");
  }
}

TEST_CASE("a link that leads out is no place a wildcard given with always speaks of") {
  const Checkout here;
  const permission::Rules rules{.allow = parse_rules("bash(cat *)"), .sandboxed = true};
  CHECK(here.decided(rules, here.call("bash", {{"command", "cat out/key"}})).verdict ==
        Verdict::ask);
  CHECK(here.decided(rules, here.call("bash", {{"command", "cat out/k*"}})).verdict ==
        Verdict::ask);
  CHECK(here.decided(rules, here.call("bash", {{"command", "cat dir/key"}})).verdict ==
        Verdict::allow);
}
