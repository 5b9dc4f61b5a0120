#include "repl/replay/player.h"
#include "core/model/tree.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/model/entry.h"
#include "core/model/payloads.h"
#include "tests/support/homes.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;
using replay::ReplayAnswer, replay::play, replay::Played, replay::ReplaySteps;

namespace {

store::NewEntry says(const model::Message& message, const std::string& time) {
  store::NewEntry entry{model::message_entry(message)};
  entry.entry.timestamp = "2026-11-10T10:00:" + time + "Z";
  return entry;
}

model::Message result(bool failed) {
  return {.role = model::Role::tool,
          .content = {model::ToolResult{"c", {model::Text{"what came"}}, failed}}};
}

struct Stage {
  TempDir dir{};
  store::SessionStore store = store_at((dir / "home").string());
  Id session = session_called(store, "main:cli:one");
  std::string printed{};
  std::vector<std::string> asked{};
  std::vector<ReplayAnswer> answers{};
  std::vector<std::int64_t> waited{};

  Stage() {
    model::Message call{.role = model::Role::assistant};
    call.content = {model::Thinking{"it may fail"},
                    model::ToolUse{"c", "bash", R"({"command":"false"})"}};
    append(store, session,
           {says(model::user_message("do it"), "00.000"), says(call, "01.000"),
            says(result(true), "01.100"), says(call, "11.100"), says(result(false), "11.200")});
  }
  ReplaySteps steps() { return {store, store.open(session)}; }
  replay::ReplayPorts ports(bool attended) {
    replay::ReplayPorts out;
    out.print = [this](const std::string& text) { printed += text; };
    out.wait = [this](std::chrono::milliseconds pause) {
      waited.push_back(pause.count());
      return true;
    };
    if (attended)
      out.ask = [this](const std::string& question, bool may_branch) {
        asked.push_back(question + (may_branch ? "+" : ""));
        const ReplayAnswer next = answers.empty() ? ReplayAnswer::go_on : answers.front();
        if (!answers.empty()) answers.erase(answers.begin());
        return next;
      };
    return out;
  }
};

}  // namespace

TEST_CASE("without a terminal everything is printed, and nothing waits") {
  Stage stage;
  const Played played = play(stage.steps(), {}, stage.ports(false));
  CHECK(played.shown == 5);
  CHECK(stage.waited.empty());
  CHECK(stage.printed.find("Step 1 of 5 · user") != std::string::npos);
  CHECK(stage.printed.find("Step 3 of 5 · tool failed · 2026-11-10 10:00:01") != std::string::npos);
  CHECK(stage.printed.find("(thinking) it may fail\n→ bash false\n") != std::string::npos);
  CHECK(stage.printed.find("✗ failed:\nwhat came") != std::string::npos);
}

TEST_CASE("it stops where a call failed, and goes on if that is wanted") {
  Stage stage;
  const Played played = play(stage.steps(), {.speed = 2}, stage.ports(true));
  CHECK(played.shown == 5);
  CHECK(stage.asked == std::vector<std::string>{"this call failed+"});
  // 1 s, 100 ms, 10 s, 100 ms, at twice the speed, and never longer than 2 s.
  CHECK(stage.waited == std::vector<std::int64_t>{500, 50, 2000, 50});
}

TEST_CASE("from a failed call the user may branch at the entry before it, or leave") {
  Stage stage;
  stage.answers = {ReplayAnswer::branch};
  Played played = play(stage.steps(), {}, stage.ports(true));
  const ReplaySteps steps = stage.steps();
  CHECK(played.shown == 3);
  CHECK(played.branch == steps.at(1).entry.id);
  stage.answers = {ReplayAnswer::quit};
  played = play(stage.steps(), {}, stage.ports(true));
  CHECK(played.quit);
  CHECK_FALSE(played.branch.has_value());
}

TEST_CASE("until the first error there is no pause, and nothing after it") {
  Stage stage;
  const Played played = play(stage.steps(), {.until_error = true}, stage.ports(false));
  CHECK(played.shown == 3);
  CHECK(played.failed_at == stage.steps().at(2).entry.id);
  CHECK(stage.waited.empty());
}

TEST_CASE("step by step it waits for the user, and begins where it is told to") {
  Stage stage;
  const Played played = play(stage.steps(), {.from = 3, .step = true}, stage.ports(true));
  CHECK(played.shown == 2);
  CHECK(stage.asked == std::vector<std::string>{""});
  CHECK(stage.waited.empty());
}

TEST_CASE("a branch says which step it follows, and redacted entries stay masked") {
  Stage stage;
  const Id first = stage.steps().at(0).entry.id;
  value_of(stage.store.mark(stage.session, model::payload::Head{first}));
  append(stage.store, stage.session, {user_says("another way")});
  value_of(stage.store.mark(stage.session, model::payload::Redaction{first, "private"}));
  play(stage.steps(), {}, stage.ports(false));
  CHECK(stage.printed.find("another way") != std::string::npos);
  CHECK(stage.printed.find("follows step 1") != std::string::npos);
  CHECK(stage.printed.find("do it") == std::string::npos);
}

TEST_CASE("what is written for skein alone is no step, and does not come between two steps") {
  Stage stage;
  const model::Entry begins = model::make_entry(model::type::runtime_init, R"({"system":"s"})");
  append(stage.store, stage.session,
         {{begins},
          {model::make_entry(model::type::custom, R"({"kind":"title","text":"mine"})")},
          {model::make_entry(model::type::custom, R"({"kind":"pin","pinned":true})")},
          user_says("and now")});
  CHECK(stage.steps().number_of(begins.id) == 4);
  CHECK(play(stage.steps(), {}, stage.ports(false)).shown == 7);
  CHECK(stage.printed.find("Step 6 of 7 · title · ") != std::string::npos);
  CHECK(stage.printed.find("Step 7 of 7 · user · ") != std::string::npos);
  CHECK(stage.printed.find("follows step") == std::string::npos);
  CHECK(stage.printed.find('[') == std::string::npos);
}

TEST_CASE("a failed result looks failed wherever an entry is shown in a line") {
  Stage stage;
  const ReplaySteps steps = stage.steps();
  CHECK(model::preview(steps.at(2).entry, 40) == "failed: what came");
  CHECK(model::preview(steps.at(4).entry, 40) == "what came");
  CHECK(model::kind_of(steps.at(2).entry) == "tool failed");
}
