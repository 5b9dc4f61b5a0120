#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/config/file.h"

using namespace skein;
using namespace skein::config;

namespace {

// A file as it was read, and what it came to.
struct AppliedFile {
  File file;
  Config config{};
  catalog::Catalog catalog{};

  AppliedFile(const std::string& text, Writer writer = Writer::user)
      : file("/etc/x.toml", text, writer) {
    const bool own = writer == Writer::user;
    file.apply({config, catalog,
                own ? permission::Rule::Origin::configuration : permission::Rule::Origin::workspace,
                own ? "" : "/work"});
  }
};

std::vector<std::string> troubles_in(const std::string& text) {
  return AppliedFile(text).file.troubles();
}

}  // namespace

TEST_CASE("every key has one row, a meaning and a default, and is found by its name") {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const Key& key : keys()) {
    CAPTURE(std::string(key.table));
    CAPTURE(std::string(key.name));
    CHECK(seen.emplace(key.table, key.name).second);
    CHECK_FALSE(key.meaning.empty());
    CHECK_FALSE(key.otherwise.empty());
    CHECK(find_key(key.table, key.name) == &key);
    if (key.values.kind == Kind::choice) {
      const std::string_view usual = key.otherwise.substr(0, key.otherwise.find(','));
      CHECK((is_choice(key, usual) || key.otherwise.find(' ') != std::string_view::npos ||
             !key.table.empty()));
    }
    CHECK(find_removed_key(key.name) == nullptr);
  }
}

TEST_CASE("a value is taken as it is written") {
  const AppliedFile read(
      "model = \"offline/demo\"\nmax-turns = 7\ncompact-at = 0.5\nquiet = true\n"
      "wake = true\ndisallowed-tools = [\"bash(git push)\", \"write\"]\n[expiry]\n"
      "trash-after = \"30d\"\n");
  CHECK(read.file.troubles().empty());
  CHECK(read.file.notices().empty());
  CHECK(read.config.model == "offline/demo");
  CHECK(read.config.max_turns == 7);
  CHECK(read.config.compact_at == 0.5);
  CHECK(read.config.quiet);
  CHECK(read.config.wake);
  CHECK(read.config.rules.deny.size() == 2);
  CHECK(read.config.trash_after == "30d");
}

TEST_CASE("a theme is chosen, and single colours besides") {
  CHECK(Config{}.theme == "auto");
  const AppliedFile read("theme = \"light\"\n[colors]\nadded = \"blue\"\n");
  CHECK(read.file.troubles().empty());
  CHECK(read.config.theme == "light");
  CHECK(read.config.colors.at("added") == layout::Style{.colour = layout::Colour::blue});
  CHECK(troubles_in("theme = \"white\"\n") ==
        std::vector<std::string>{"/etc/x.toml:1: theme takes auto, light or dark, not \"white\""});
}

TEST_CASE("every mistake is named with its file and line, not only the first") {
  CHECK(troubles_in("max-turns = 0\n\ncolor = \"red\"\nquiet = 1\n") ==
        std::vector<std::string>{
            "/etc/x.toml:1: max-turns takes a whole number from 1 to 1000000, not 0",
            "/etc/x.toml:3: color takes auto, always or never, not \"red\"",
            "/etc/x.toml:4: quiet takes true or false, not 1"});
  CHECK(
      troubles_in("max-turn = 3\n") ==
      std::vector<std::string>{"/etc/x.toml:1: there is no key max-turn; did you mean max-turns?"});
  CHECK(troubles_in("model = demo\n") ==
        std::vector<std::string>{"/etc/x.toml:1: text goes in quotes: name = \"value\""});
  CHECK(troubles_in("[keys]\nsend = \"enter\"\nnewline = \"enter\"\n").size() == 1);
}

TEST_CASE("a key of an earlier version is no mistake: a notice says what replaced it") {
  const AppliedFile read("max-turns = 3\njobs-wake = true\nbanner = \"nonsense\"\n");
  CHECK(read.file.troubles().empty());
  CHECK(read.file.notices() ==
        std::vector<std::string>{"/etc/x.toml:3: banner was removed: use quiet = true",
                                 "/etc/x.toml:2: jobs-wake was removed: use wake, for jobs and "
                                 "sub-agents"});
  CHECK(read.config.max_turns == 3);
  CHECK_FALSE(read.config.wake);
  for (const Writer writer : {Writer::trusted_workspace, Writer::workspace})
    CHECK(AppliedFile("keep-deltas = false\n", writer).file.notices().size() == 1);
}

TEST_CASE("a workspace may tighten, and never loosen") {
  for (const Writer writer : {Writer::trusted_workspace, Writer::workspace}) {
    const AppliedFile tighter(
        "max-turns = 5\nsandbox-network = false\ndisallowed-tools = \"bash\"\n", writer);
    CHECK(tighter.config.max_turns == 5);
    CHECK_FALSE(tighter.config.sandbox_network);
    CHECK(tighter.config.rules.deny.size() == 1);
    CHECK(tighter.file.passed_over().empty());
    const AppliedFile looser(
        "max-turns = 500\npermission-mode = \"bypassPermissions\"\nallowed-tools = \"bash\"\n",
        writer);
    CHECK(looser.config.max_turns == Config{}.max_turns);
    CHECK(looser.config.rules.mode == Config{}.rules.mode);
    CHECK(looser.config.rules.allow.empty());
    CHECK(looser.file.passed_over() ==
          std::vector<std::string>{"allowed-tools", "permission-mode", "max-turns"});
  }
}

TEST_CASE("a workspace sets limits on cost and time where there are none") {
  const std::string text =
      "[budget]\nturn-usd = 0.5\nsession-usd = 2\nday-usd = 10\nturn-time = \"10m\"\n";
  for (const Writer writer : {Writer::user, Writer::workspace}) {
    const AppliedFile read(text, writer);
    CHECK(read.file.troubles().empty());
    CHECK(read.file.passed_over().empty());
    const budget::SpendingLimits& limits = read.config.budget;
    CHECK(limits.turn == 0.5);
    CHECK(limits.session == 2);
    CHECK(limits.day == 10);
    CHECK(limits.turn_ms == 600'000);
  }
  CHECK(troubles_in("[budget]\nturn-time = \"soon\"\nturn-usd = -1\n") ==
        std::vector<std::string>{
            "/etc/x.toml:2: budget.turn-time takes a time such as 90s, 10m or 2h, not 'soon'",
            "/etc/x.toml:3: budget.turn-usd takes a number from 0 to 1000000, not -1"});
}

TEST_CASE("a workspace chooses a model only when it is trusted") {
  const std::string text = "model = \"offline/demo\"\n[aliases]\nx = \"offline/demo\"\n";
  const AppliedFile unknown(text, Writer::workspace), trusted(text, Writer::trusted_workspace);
  CHECK(unknown.config.model.empty());
  CHECK(trusted.config.model == "offline/demo");
  CHECK(unknown.file.wants() == std::vector<std::string>{"aliases", "model"});
}

TEST_CASE("a workspace's notify-command may not run a file of the workspace") {
  const AppliedFile read("notify-command = \"./notify {text}\"\n", Writer::trusted_workspace);
  CHECK(read.config.notify_command == "./notify {text}");  // there is no such file
  CHECK(AppliedFile("notify-command = \"x\"\n", Writer::workspace).config.notify_command.empty());
}
