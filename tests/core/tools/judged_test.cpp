// Rules decide on the file a path leads to, and a tool touches no other.
#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "core/json.h"
#include "core/policy.h"
#include "core/tools/tools.h"
#include "tests/support/process.h"
#include "tests/support/rule_texts.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;
using Verdict = Decision::Verdict;
namespace fs = std::filesystem;

namespace {

// A checkout with links in it, as git makes them.
struct Checkout {
  TempDir dir{};
  Tools tools{};

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
    tools = standard_tools({.root = (dir / "w").string(), .sandbox = Sandbox::none});
  }
  static ToolUse call(const char* tool, Json input) { return {"1", tool, dump(input)}; }
  Decision decided(const Rules& rules, const ToolUse& use) const {
    return decide(rules, tools, use);
  }
  // As the agent runs it once it is allowed.
  std::string text_of(const Rules& rules, const ToolUse& use, const Decision& decision) const {
    const ToolPorts ports{.judged = decision.place, .denied = denied_places(rules, tools, use)};
    const ToolOutcome outcome = find_tool(tools, use.name)->run(use.input, ports);
    return std::get<Text>(outcome.content.at(0)).text;
  }
};

Rules denying(const char* text, Mode mode = Mode::normal) {
  return {mode, {}, parse_rules(text), true};
}

}  // namespace

TEST_CASE("what runs by itself is not written through a link") {
  const Checkout here;
  const Rules edits{.mode = Mode::accept_edits};
  const Rules by_rule{.allow = parse_rules("edit(*.txt),write(docs/*),write,edit")};
  const ToolUse hook = here.call("write", {{"path", "docs/pre-commit"}, {"content", "x"}});
  const ToolUse fresh = here.call("write", {{"path", "docs/new/er"}, {"content", "x"}});
  const ToolUse notes =
      here.call("edit", {{"path", "notes.txt"}, {"old_text", "old"}, {"new_text", "x"}});
  const ToolUse settings =
      here.call("edit", {{"path", "settings.txt"}, {"old_text", "[core]"}, {"new_text", "x"}});
  for (const ToolUse& use : {hook, fresh, notes, settings}) {
    CAPTURE(use.input);
    CHECK(here.decided(edits, use).verdict == Verdict::ask);
    CHECK(here.decided(by_rule, use).verdict == Verdict::ask);
  }
  CHECK(here.decided(edits, hook).place == ".git/hooks/pre-commit");
  const ToolUse plain = here.call("write", {{"path", "new/deep/file"}, {"content", "x"}});
  const Decision decision = here.decided(edits, plain);
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
    for (const Mode mode : {Mode::normal, Mode::bypass})
      for (const std::string& path :
           {std::string("secrets/key"), std::string("notes"), std::string("dir/key"),
            std::string("far/key"), std::string("./dir/../dir/key"), root + "/dir/key",
            std::string("src/../notes")}) {
        CAPTURE(rule);
        CAPTURE(path);
        const Rules rules = denying(rule.c_str(), mode);
        CHECK(here.decided(rules, here.call("read", {{"path", path}})).verdict == Verdict::deny);
        CHECK(here.decided(rules, here.call("grep", {{"pattern", "K"}, {"path", path}})).verdict ==
              Verdict::deny);
        CHECK(decide_mention(rules, here.tools, path).verdict == Verdict::deny);
        CHECK(here.decided(rules, here.call("read", {{"path", "src/main.cpp"}})).verdict ==
              Verdict::allow);
      }
}

TEST_CASE("a denied folder is neither searched nor listed from above") {
  const Checkout here;
  for (const char* rule : {"grep(secrets/*)", "grep(secrets)", "read(secrets/**)", "grep(dir/*)"}) {
    CAPTURE(rule);
    const Rules rules = denying(rule, Mode::bypass);
    const ToolUse use = here.call("grep", {{"pattern", "KEY"}});
    const Decision decision = here.decided(rules, use);
    CHECK(decision.verdict == Verdict::allow);
    const std::string found = here.text_of(rules, use, decision);
    CHECK(found.find("src/main.cpp:1:") != std::string::npos);
    CHECK(found.find("secrets") == std::string::npos);
    CHECK(found.find("forbid") != std::string::npos);
  }
  const Rules rules = denying("list(secrets/*)");
  const ToolUse use = here.call("list", {{"depth", 5}});
  const std::string listed = here.text_of(rules, use, here.decided(rules, use));
  CHECK(listed.find("src/main.cpp") != std::string::npos);
  CHECK(listed.find("secrets") == std::string::npos);
  for (const char* path : {"secrets", "dir", "far"})
    CHECK(here.decided(rules, here.call("list", {{"path", path}})).verdict == Verdict::deny);
}

TEST_CASE("a file with several names is asked about where a rule forbids one") {
  const Checkout here;
  fs::create_hard_link(here.dir / "w/secrets/key", here.dir / "w/copy");
  const ToolUse use = here.call("read", {{"path", "copy"}});
  CHECK(here.decided(denying("read(secrets/*)", Mode::bypass), use).verdict == Verdict::ask);
  CHECK(here.decided({}, use).verdict == Verdict::allow);
  const Rules rules = denying("grep(secrets/*)");
  const ToolUse search = here.call("grep", {{"pattern", "KEY"}});
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
  for (const ToolUse& use :
       {here.call("read", {{"path", "swap"}}),
        here.call("grep", {{"pattern", "K"}, {"path", "swap"}}),
        here.call("list", {{"path", "swapped"}}),
        here.call("write", {{"path", "swap"}, {"content", "x"}}),
        here.call("write", {{"path", "swapped/new/file"}, {"content", "x"}}),
        here.call("edit", {{"path", "swap"}, {"old_text", "KEY"}, {"new_text", "x"}})}) {
    CAPTURE(use.name);
    turned("swap", "src/main.cpp");
    turned("swapped", "src");
    const Rules rules{.mode = Mode::accept_edits};
    const Decision decision = here.decided(rules, use);
    CHECK(decision.verdict == Verdict::allow);
    turned("swap", "secrets/key");
    turned("swapped", "secrets");
    CHECK(here.text_of(rules, use, decision).find("another place") != std::string::npos);
  }
  CHECK(read_file(here.dir / "w/secrets/key") == "KEY\n");
  CHECK_FALSE(fs::exists(here.dir / "w/secrets/new"));
}

TEST_CASE("a link that is turned again and again never leads past a rule") {
  const Checkout here;
  const Rules rules{Mode::bypass, {}, parse_rules("read(secrets/*),edit(secrets/*)"), true};
  const ToolUse reads = here.call("read", {{"path", "swap"}});
  const ToolUse writes = here.call("write", {{"path", "swap"}, {"content", "x"}});
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
  const std::size_t tries = wants_long() ? 100'000 : 1'000;
  for (std::size_t i = 0; i < tries; ++i)
    for (const ToolUse& use : {reads, writes}) {
      const Decision decision = here.decided(rules, use);
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
  for (const Resolver resolver : {Resolver::kernel, Resolver::walk}) {
    const Root root((here.dir / "w").string(), {(here.dir / "w/closed").string()}, resolver);
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
  const Rules rules{.allow = parse_rules("bash(cat *)"), .sandboxed = true};
  CHECK(here.decided(rules, here.call("bash", {{"command", "cat out/key"}})).verdict ==
        Verdict::ask);
  CHECK(here.decided(rules, here.call("bash", {{"command", "cat out/k*"}})).verdict ==
        Verdict::ask);
  CHECK(here.decided(rules, here.call("bash", {{"command", "cat dir/key"}})).verdict ==
        Verdict::allow);
}
