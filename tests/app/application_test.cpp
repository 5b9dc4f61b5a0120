// Several Applications in one process.
#include "app/application.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <latch>
#include <string>
#include <thread>

#include "app/session_choice.h"
#include "app/setup/config_watch.h"
#include "core/text/wait.h"
#include "core/tools/tools.h"
#include "tests/support/environment.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::app;
using namespace skein::test;

namespace {

// The user that all of them work for.
struct User {
  TempDir dir{};
  Environment home{"HOME", (dir / "user").c_str()};
  Environment config{"XDG_CONFIG_HOME", (dir / "config").c_str()};
  Environment state{"XDG_STATE_HOME", (dir / "state").c_str()};
  Environment cache{"XDG_CACHE_HOME", (dir / "cache").c_str()};
};

// One with its own workspace and home; its model reads a file there and says a word of its own.
struct Worker {
  Worker(const User& user, const std::string& name)
      : word(name + "-word"), invocation(invocation_in(user, name, word)) {}

  static Invocation invocation_in(const User& user, const std::string& name,
                                  const std::string& word) {
    const std::filesystem::path workspace = user.dir / (name + "-work");
    std::filesystem::create_directories(workspace);
    write_file(workspace / "note.txt", "the note of " + word + "\n");
    const std::string script = (user.dir / (name + ".json")).string();
    write_file(script, R"([[{"wait": 30}, {"call": {"id": "c1", "name": "read", "input": )"
                       R"({"path": "note.txt"}}}], [{"wait": 30}, {"say": ")" +
                           word + " was said\"}]]");
    return {.print = true,
            .model = "scripted/" + script,
            .workspace = workspace.string(),
            .home = (user.dir / (name + "-home")).string()};
  }

  void make() { application.emplace(invocation, places_around(workspace_folder(invocation))); }

  void turn() {
    Application& app = *application;
    session = choose_session(app.store(), invocation, app.workspace()).session;
    agent::Conversation conversation(app.store(), session);
    agent::Settings settings = app.settings_for(conversation);
    const model::Ports ports;
    end = app.agent().run_turn(conversation, model::user_message("ask " + word), settings, ports);
  }

  std::string transcript() const { return read_file(application->transcript_of(session)); }

  const std::string word;
  const Invocation invocation;
  std::optional<Application> application{};
  Id session{};
  agent::TurnEnd end{};
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("two Applications with workspaces of their own work at the same time in one process") {
  const User user;
  Worker one(user, "anise"), other(user, "birch");
  one.make();
  other.make();
  std::latch both{2};
  const auto work = [&both](Worker& worker) {
    both.arrive_and_wait();
    worker.turn();
  };
  std::thread first = quiet_thread([&] { work(one); });
  std::thread second = quiet_thread([&] { work(other); });
  first.join();
  second.join();

  for (const auto& [own, theirs] : {std::pair(&one, &other), std::pair(&other, &one)}) {
    CAPTURE(own->word);
    CAPTURE(own->end.error);
    CHECK(own->end.text == own->word + " was said");
    const std::string transcript = own->transcript();
    CHECK(has(transcript, "ask " + own->word));
    CHECK(has(transcript, "the note of " + own->word));
    CHECK_FALSE(has(transcript, theirs->word));
    CHECK(own->application->store().list().size() == 1);
  }
}

TEST_CASE("of two Applications one can be made and end while the other works") {
  const User user;
  Worker one(user, "clove"), other(user, "dill");
  one.make();
  std::thread first = quiet_thread([&] { one.turn(); });
  other.make();
  other.turn();
  other.application.reset();
  first.join();
  CHECK(one.end.text == one.word + " was said");
  CHECK(other.end.text == other.word + " was said");
}

TEST_CASE("of a changed configuration what denies is in force at once, and nothing that loosens") {
  const User user;
  const auto config = user.dir / "config/skein/config.toml";
  write_file(config, "disallowed-tools = \"write\"\nmax-turns = 7\n");
  Worker worker(user, "elder");
  worker.make();
  Application& app = *worker.application;
  ConfigWatch watch(worker.invocation, app.workspace());
  const auto session = choose_session(app.store(), worker.invocation, app.workspace()).session;
  const agent::Conversation conversation(app.store(), session);
  const permission::Rules before = app.settings_for(conversation).rules;
  CHECK_FALSE(watch.look());
  CHECK_FALSE(app.catch_up());

  write_file(config,
             "disallowed-tools = \"bash(git push)\"\nallowed-tools = \"edit\"\n"
             "permission-mode = \"bypassPermissions\"\nmax-turns = 9\n");
  write_file(std::filesystem::path(app.workspace()) / ".skein/config.toml",
             "disallowed-tools = \"web_fetch\"\nallowed-tools = \"bash\"\n");
  const auto now = watch.look();
  REQUIRE(now);
  CHECK(now->troubles.empty());
  const std::vector<std::string> applied = app.tighten(now->rules);
  CHECK(applied == std::vector<std::string>{"deny bash(git push)", "deny web_fetch"});
  CHECK(has(watch.report(applied), "applied now: deny bash(git push), deny web_fetch; the rest "));
  CHECK(app.catch_up());
  CHECK_FALSE(app.catch_up());
  const agent::Settings after = app.settings_for(conversation);
  CHECK(after.rules.deny.size() == 3);
  CHECK(after.rules.deny.front() == before.deny.front());  // although the file lacks it now
  CHECK(after.rules.allow == before.allow);
  CHECK(after.rules.mode == before.mode);
  CHECK(after.max_calls == 7);
  const auto verdict = [&](const std::string& tool, const std::string& input) {
    return permission::decide(after.rules, tools::tool_table(),
                              {.id = "c1", .name = tool, .input = input})
        .verdict;
  };
  CHECK(verdict("bash", R"({"command": "git push"})") == permission::Decision::Verdict::deny);
  CHECK(verdict("write", R"({"path": "a", "content": ""})") == permission::Decision::Verdict::deny);

  // The text of the start is not what is in force any more.
  write_file(config, "disallowed-tools = \"write\"\nmax-turns = 7\n");
  const auto again = watch.look();
  REQUIRE(again);
  CHECK(app.tighten(again->rules).empty());
  CHECK(
      has(watch.report({}), "config.toml has changed: the change applies when skein starts next"));
  CHECK_FALSE(watch.look());
}

TEST_CASE(
    "a changed configuration with a mistake is reported, and read again when it is corrected") {
  const User user;
  const auto config = user.dir / "config/skein/config.toml";
  Worker worker(user, "fern");
  ConfigWatch watch(worker.invocation, workspace_folder(worker.invocation));
  write_file(config, "disallowed-tools = \"write\"\nmax-turn = 7\n");
  const auto broken = watch.look();
  REQUIRE(broken);
  CHECK(broken->troubles.size() == 1);
  CHECK(has(watch.report({}), "invalid configuration: "));
  write_file(config, "disallowed-tools = \"write\"\n");
  const auto good = watch.look();
  REQUIRE(good);
  CHECK(good->troubles.empty());
  CHECK(good->rules.deny.size() == 1);
  std::filesystem::remove(config);
  CHECK(watch.look());
  CHECK(watch.report({}).empty());  // as at the start
}
