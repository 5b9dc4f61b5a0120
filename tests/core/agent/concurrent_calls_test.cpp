#include "core/agent/concurrent_calls.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/stage.h"

using namespace skein;
using namespace skein::agent;
using namespace skein::test;
using Lines = std::vector<std::string>;

namespace {

using Clock = std::chrono::steady_clock;

// Until `reached`; false: it took a minute.
bool wait_for(const std::function<bool()>& reached) {
  const auto end = Clock::now() + std::chrono::minutes(1);
  while (!reached() && Clock::now() < end) std::this_thread::yield();
  return reached();
}

model::Tool reader(
    const std::string& name,
    std::function<model::ToolOutcome(const JsonText&, const model::ToolPorts&)> run) {
  model::Tool tool;
  tool.name = name;
  tool.description = "for tests";
  tool.schema = R"({"type":"object"})";
  tool.effect = model::Effect::reads;
  tool.title = [name](const JsonText& input) { return name + " " + input; };
  tool.run = std::move(run);
  tool.concurrent = true;
  return tool;
}

constexpr const char* three_reads = R"([[
  {"call": {"id": "c1", "name": "slow", "input": {"n": 1}}},
  {"call": {"id": "c2", "name": "slow", "input": {"n": 2}}},
  {"call": {"id": "c3", "name": "slow", "input": {"n": 3}}}], "done"])";

Lines results_of(Stage& stage, const Conversation& conversation) {
  Lines out;
  for (const std::string& line : lines_of(stage.stored(conversation)))
    if (line.starts_with("result ")) out.push_back(line);
  return out;
}

}  // namespace

TEST_CASE("calls that only read run at the same time, and their results stand in order") {
  Stage stage(three_reads);
  std::atomic<int> running{0};
  // The first ends last, and none before all have begun.
  stage.tools.push_back(reader("slow", [&](const JsonText& input, const model::ToolPorts&) {
    ++running;
    if (!wait_for([&] { return running == 3; })) return model::tool_failure("it was alone");
    if (input == R"({"n":1})") std::this_thread::sleep_for(std::chrono::milliseconds(30));
    return model::tool_text(input);
  }));
  Conversation conversation = stage.conversation();

  CHECK(stage.turn(conversation, "go").stop == model::Stop::stop);

  CHECK(results_of(stage, conversation) ==
        Lines{R"(result c1: {"n":1})", R"(result c2: {"n":2})", R"(result c3: {"n":3})"});
}

TEST_CASE("a call that changes something stands alone between those that read") {
  Stage stage(R"([[
    {"call": {"id": "c1", "name": "slow"}}, {"call": {"id": "c2", "name": "poke"}},
    {"call": {"id": "c3", "name": "slow"}}, {"call": {"id": "c4", "name": "slow"}}], "done"])");
  stage.settings.rules.mode = permission::Mode::bypass;
  std::atomic<int> runs{0};
  stage.tools.push_back(reader("slow", [&](const JsonText&, const model::ToolPorts&) {
    ++runs;
    return model::tool_text("poked " + std::to_string(stage.runs.size()));
  }));
  Conversation conversation = stage.conversation();

  stage.turn(conversation, "go");

  CHECK(runs == 3);
  CHECK(results_of(stage, conversation) ==
        Lines{"result c1: poked 0", "result c2: done", "result c3: poked 1", "result c4: poked 1"});
}

TEST_CASE("what a tool reaches through its ports is done in the turn's own thread") {
  Stage stage(three_reads);
  const std::thread::id own = std::this_thread::get_id();
  std::atomic<int> elsewhere{0}, heard{0};
  stage.listener = [&](const model::Event& event) {
    elsewhere += std::this_thread::get_id() != own;
    heard += std::holds_alternative<model::ToolOutput>(event);
  };
  std::atomic<int> in_threads{0};
  stage.tools.push_back(reader("slow", [&](const JsonText&, const model::ToolPorts& ports) {
    in_threads += std::this_thread::get_id() != own;
    for (int i = 0; i < 50; ++i) ports.output("x");
    return model::tool_text(ports.was_said("never") ? "said" : "not said");
  }));
  Conversation conversation = stage.conversation();

  stage.turn(conversation, "go");

  CHECK(in_threads == 3);
  CHECK(heard == 150);
  CHECK(elsewhere == 0);
  CHECK(results_of(stage, conversation).back() == "result c3: not said");
}

TEST_CASE("the user is asked about each in order before the first one runs") {
  Stage stage(three_reads);
  stage.answer = model::Answer{model::Answer::Choice::no, "not now"};
  std::atomic<int> runs{0};
  stage.tools.push_back(reader("slow", [&](const JsonText&, const model::ToolPorts&) {
    ++runs;
    return model::tool_text("read");
  }));
  // Without a sandbox what takes a command is asked about, whatever its effect.
  stage.tools.back().argument = {model::Argument::Kind::command, "n"};
  Conversation conversation = stage.conversation();

  stage.turn(conversation, "go");

  CHECK(stage.questions.size() == 3);
  CHECK(runs == 0);
  CHECK(results_of(stage, conversation) == Lines{"result c1 failed: the user said no: not now",
                                                 "result c2 failed: the user said no: not now",
                                                 "result c3 failed: the user said no: not now"});
}

TEST_CASE("stopping reaches all that run and those that have not begun") {
  std::string script = "[[";
  for (int i = 1; i <= 12; ++i)
    script += std::string(i > 1 ? "," : "") + R"({"call": {"id": "c)" + std::to_string(i) +
              R"(", "name": "slow"}})";
  Stage stage(script + R"(], "never said"])");
  std::atomic<int> running{0};
  stage.tools.push_back(reader("slow", [&](const JsonText&, const model::ToolPorts& ports) {
    if (++running == 8) stage.stop = true;
    return wait_for(ports.stopped) ? model::tool_text("cut") : model::tool_failure("not stopped");
  }));
  Conversation conversation = stage.conversation();

  CHECK(stage.turn(conversation, "go").stop == model::Stop::aborted);

  CHECK(running == 8);
  const Lines results = results_of(stage, conversation);
  REQUIRE(results.size() == 12);
  for (int i = 0; i < 12; ++i)
    CHECK(results[static_cast<std::size_t>(i)] ==
          "result c" + std::to_string(i + 1) +
              (i < 8 ? ": cut" : " failed: cancelled by the user"));
}

TEST_CASE("a tool that falls over takes no other with it") {
  Stage stage(three_reads);
  stage.tools.push_back(reader("slow", [](const JsonText& input, const model::ToolPorts&) {
    if (input == R"({"n":2})") throw Error("it fell over");
    return model::tool_text("read");
  }));
  Conversation conversation = stage.conversation();
  stage.turn(conversation, "go");
  CHECK(results_of(stage, conversation) ==
        Lines{"result c1: read", "result c2 failed: it fell over", "result c3: read"});
}

TEST_CASE("what still runs is stopped and waited for when nobody wants it any more") {
  std::atomic<int> begun{0}, ended{0};
  const model::Tool tool = reader("slow", [&](const JsonText&, const model::ToolPorts& ports) {
    ++begun;
    wait_for(ports.stopped);
    ports.output("nobody listens");
    ++ended;
    return model::tool_text("");
  });
  const model::Ports ports;
  {
    std::vector<ConcurrentCalls::Call> calls;
    for (int i = 0; i < 3; ++i) calls.push_back({tool, {}, {}});
    const ConcurrentCalls running(std::move(calls), ports);
    CHECK(wait_for([&] { return begun == 3; }));
  }
  CHECK(ended == 3);
}

TEST_CASE("a call that delegates has a thread of its own even if it is alone") {
  Stage stage(R"([[{"call": {"id": "c1", "name": "crew"}}], "done"])");
  stage.answer = model::Answer{model::Answer::Choice::yes};
  const std::thread::id own = std::this_thread::get_id();
  std::thread::id ran{}, done{};
  model::Tool crew = reader("crew", [&](const JsonText&, const model::ToolPorts& ports) {
    ran = std::this_thread::get_id();
    ports.in_turn([&] { done = std::this_thread::get_id(); });
    const bool yes = ports.ask({.text = "crew: Allow poke?"}).choice == model::Answer::Choice::yes;
    model::ToolOutcome outcome = model::tool_text(ports.call + (yes ? " may" : " may not"));
    outcome.model_calls = 7;
    return outcome;
  });
  crew.delegates = true;
  stage.tools.push_back(crew);
  Conversation conversation = stage.conversation();

  const TurnEnd end = stage.turn(conversation, "go");

  CHECK(ran != own);
  CHECK(done == own);
  CHECK(stage.questions.size() == 1);
  CHECK(results_of(stage, conversation) == Lines{"result c1: c1 may"});
  CHECK(end.calls == 2 + 7);
}
