#include "core/subagents/agent_pool.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/model/payloads.h"
#include "core/store/children.h"
#include "tests/support/homes.h"
#include "tests/support/stage.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::subagents;
using namespace skein::test;
using Lines = std::vector<std::string>;

namespace {

// A sub-agent on a stage of its own, in the same home as all others.
class StageWorker : public Worker {
 public:
  StageWorker(const std::string& home, const std::string& script, const AgentTask& task,
              budget::Budget* budget)
      : stage_(script, store_at(home), budget, task.agent.name), task_(task) {
    model::Tool of_server = *model::find_tool(stage_.tools, "poke");
    of_server.name = "mcp__s__poke";
    stage_.tools.push_back(std::move(of_server));
    std::erase_if(stage_.tools,
                  [&](const model::Tool& tool) { return !has_tool(task_.agent, tool); });
  }
  store::SessionStore& store() override { return stage_.store; }
  agent::Agent& agent() override { return stage_.agent; }
  agent::Settings settings(const agent::Conversation&) override {
    agent::Settings out = stage_.settings;
    out.rules = task_.settings.rules;
    out.system = task_.agent.instructions;
    return out;
  }
  const std::string& workspace() const override { return workspace_; }
  std::optional<double> cost(const std::string&, const model::Usage& usage) override {
    if (usage.input == 7) return std::nullopt;  // a price that is not known
    return static_cast<double>(usage.input) / 100;
  }
  std::function<void(const model::Event&)> masking(
      std::function<void(const model::Event&)> sink) override {
    return sink;
  }

 private:
  Stage stage_;
  AgentTask task_;
  std::string workspace_ = "/w";
};

// A parent with helpers that follow scripts by their names.
struct Bench {
  explicit Bench(const JsonText& script, std::size_t most = 4, budget::SpendingLimits limits = {})
      : budget({.limits = limits}),
        stage(script, store_at(home()), &budget),
        crew({.store = stage.store,
              .most = most,
              .budget = &budget,
              .agents = [this] { return agents; },
              .spawn = [this](const AgentTask& task) -> MakeWorker {
                return [this, task] {
                  return std::make_unique<StageWorker>(home(), scripts.at(task.agent.name), task,
                                                       &budget);
                };
              },
              .tell =
                  [this](Id session, model::Entry news, const std::string& notice) {
                    CHECK(crew.working() > 0);  // an idle prompt looks for reports while one works
                    stage.inbox.put(std::move(news), session);
                    const std::lock_guard lock(mutex);
                    notices.push_back(notice);
                  }}) {
    stage.tools.push_back(tools::agent_tool(
        [this](const tools::AgentRequest& request, const model::ToolPorts& ports) {
          return crew.run(request, ports);
        }));
    stage.delegates = &crew;
  }

  std::string home() const { return (dir / "home").string(); }
  void helper(const std::string& name, const std::string& script) {
    agents.push_back({.name = name, .description = "helps", .instructions = "help"});
    scripts[name] = script;
  }
  Lines heard() {
    const std::lock_guard lock(mutex);
    return notices;
  }
  Lines results(const agent::Conversation& conversation) {
    Lines out;
    for (const std::string& line : lines_of(stage.stored(conversation)))
      if (line.starts_with("result ")) out.push_back(line);
    return out;
  }

  TempDir dir{};
  std::mutex mutex{};
  Lines notices{};  // told in the threads of the helpers
  std::vector<Definition> agents{};
  std::map<std::string, std::string> scripts{};
  budget::Budget budget;
  Stage stage;
  AgentPool crew;
};

std::string call_of(const std::string& id, const std::string& agent, const std::string& more = "") {
  return R"({"call": {"id": ")" + id + R"(", "name": "agent", "input": {"description": "d", )" +
         R"("prompt": "go", "agent": ")" + agent + "\"" + more + "}}}";
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

bool wait_until(const std::function<bool()>& reached) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!reached() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return reached();
}

}  // namespace

TEST_CASE("three sub-agents of one answer work at once, each in a session of its own") {
  Bench bench("[[" + call_of("c1", "one") + "," + call_of("c2", "two") + "," +
              call_of("c3", "three") + R"(], "all done"])");
  for (const char* name : {"one", "two", "three"})
    bench.helper(name, R"([[{"think": "hm"}, {"wait": 3000}, {"say": "I am )" + std::string(name) +
                           R"("}, {"usage": {"input": 10, "output": 2}}]])");
  agent::Conversation conversation = bench.stage.conversation();

  const auto began = std::chrono::steady_clock::now();
  const agent::TurnEnd end = bench.stage.turn(conversation, "go");
  const auto took = std::chrono::steady_clock::now() - began;

  CHECK(end.stop == model::Stop::stop);
  CHECK(took < std::chrono::seconds(8));  // not 3 s each, one after the other
  const Lines results = bench.results(conversation);
  REQUIRE(results.size() == 3);
  CHECK(results[0].starts_with("result c1: I am one"));
  CHECK(results[2].starts_with("result c3: I am three"));
  CHECK(has(results[1], "agent two · 0 calls · 10 in 2 out · $0.10 · session "));
  CHECK(end.calls == 2 + 3);

  const auto children = store::children_of(bench.stage.store, conversation.session());
  REQUIRE(children.size() == 3);
  double sum = 0;
  for (const store::SessionRecord& child : children) {
    CHECK(damage_in(bench.stage.store, child.header.session) == "");
    sum += static_cast<double>(model::total_usage(child.state).input);
  }
  CHECK(sum == 30);
  // Counted where it was used, and nowhere else.
  CHECK(model::total_usage(conversation.state()).input == 0);
}

TEST_CASE("a sub-agent knows nothing of the conversation but its prompt") {
  Bench bench("[[" + call_of("c1", "one") + R"(], "done"])");
  bench.helper("one", R"(["found"])");
  agent::Conversation conversation = bench.stage.conversation();
  bench.stage.turn(conversation, "the secret is 42");
  const auto children = store::children_of(bench.stage.store, conversation.session());
  REQUIRE(children.size() == 1);
  const auto entries = entries_of(bench.stage.store, children[0].header.session);
  Lines said;
  for (const std::string& line : lines_of(entries))
    if (line.starts_with("user: ") || line.starts_with("assistant: ")) said.push_back(line);
  CHECK(said == Lines{"user: go", "assistant: found -> stop"});
  const auto about = model::read_as<model::payload::SubAgent>(entries.front());
  REQUIRE(about);
  CHECK(about->name == "one");
  CHECK(about->call == "c1");
}

TEST_CASE("one asks the user by its name while another goes on") {
  Bench bench("[[" + call_of("c1", "asks") + "," + call_of("c2", "works") + R"(], "done"])");
  bench.helper("asks", R"([[{"call": {"id": "p", "name": "poke"}}],
                           [{"call": {"id": "q", "name": "mcp__s__poke"}}], "poked"])");
  bench.helper("works", R"([[{"wait": 50}, {"say": "worked"}]])");
  bench.stage.answer = model::Answer{model::Answer::Choice::yes};
  agent::Conversation conversation = bench.stage.conversation();
  bench.stage.turn(conversation, "go");
  REQUIRE(bench.stage.questions.size() == 2);
  CHECK(bench.stage.questions[0].text.starts_with("agent asks: Allow poke"));
  CHECK(bench.stage.questions[1].text == "agent asks wants to call poke of the MCP server s?");
  const Lines results = bench.results(conversation);
  CHECK(results[0].starts_with("result c1: poked"));
  CHECK(results[1].starts_with("result c2: worked"));
}

TEST_CASE("where nobody can be asked it is refused, and the user hears of it") {
  Bench bench("[[" + call_of("c1", "asks") + R"(], "done"])");
  bench.helper("asks", R"([[{"call": {"id": "p", "name": "poke"}}], "ended"])");
  agent::Conversation conversation = bench.stage.conversation();
  bench.stage.turn(conversation, "go");
  const Lines notices = bench.stage.notices();
  REQUIRE(notices.size() == 1);
  CHECK(notices[0].starts_with("agent asks: poke was not run: "));
}

TEST_CASE("an agent of another session cannot be taken up here") {
  Bench bench("[[" + call_of("c1", "one") + "],[" +
              call_of("c2", "one", R"(, "resume": "main:test:other")") + R"(], "done"])");
  bench.helper("one", R"(["first"])");
  bench.stage.conversation("main:test:other");
  agent::Conversation conversation = bench.stage.conversation();
  bench.stage.turn(conversation, "go");
  CHECK(has(bench.results(conversation).at(1), "no agent of this conversation has the session"));
  CHECK(has(bench.crew.left_behind(conversation.session(), {.id = "c7", .name = "agent"}),
            "No agent had started it"));
}

TEST_CASE("plan mode and the rules of the one that asks bind its helpers") {
  Bench bench("[[" + call_of("c1", "asks") + R"(], "done"])");
  bench.helper("asks", R"([[{"call": {"id": "p", "name": "poke"}}], "ended"])");
  bench.stage.answer = model::Answer{model::Answer::Choice::yes};
  bench.stage.settings.rules.mode = permission::Mode::plan;
  agent::Conversation conversation = bench.stage.conversation();
  bench.stage.turn(conversation, "go");
  CHECK(bench.stage.questions.empty());
  const auto children = store::children_of(bench.stage.store, conversation.session());
  REQUIRE(children.size() == 1);
  bool refused = false;
  for (const std::string& line :
       lines_of(entries_of(bench.stage.store, children[0].header.session)))
    refused = refused || line.starts_with("result p failed: ");
  CHECK(refused);
}

TEST_CASE("a stop reaches all of them at once, and every call has its result") {
  Bench bench("[[" + call_of("c1", "slow") + "," + call_of("c2", "slow") + R"(], "never"])");
  bench.helper("slow", R"([[{"say": "begun "}, {"wait": 60000}, {"say": "late"}]])");
  agent::Conversation conversation = bench.stage.conversation();
  std::chrono::steady_clock::time_point stopped{};
  bench.stage.listener = [&](const model::Event& event) {
    if (!std::holds_alternative<model::ToolOutput>(event) || bench.crew.working() < 2) return;
    if (!bench.stage.stop.exchange(true)) stopped = std::chrono::steady_clock::now();
  };
  const agent::TurnEnd end = bench.stage.turn(conversation, "go");
  const auto took = std::chrono::steady_clock::now() - stopped;
  CHECK(end.stop == model::Stop::aborted);
  CHECK(took < std::chrono::seconds(20));
  const Lines results = bench.results(conversation);
  REQUIRE(results.size() == 2);
  for (const std::string& line : results)
    CHECK(has(line, "failed: stopped: cancelled by the user"));
  CHECK(bench.crew.working() == 0);
}

TEST_CASE("no more of them work at once than may") {
  Bench bench("[[" + call_of("c1", "slow") + "," + call_of("c2", "slow") + "," +
                  call_of("c3", "slow") + R"(], "done"])",
              1);
  bench.helper("slow", R"([[{"wait": 60}, {"say": "ok"}]])");
  std::size_t most = 0;
  bench.stage.listener = [&](const model::Event&) { most = std::max(most, bench.crew.working()); };
  agent::Conversation conversation = bench.stage.conversation();
  bench.stage.turn(conversation, "go");
  CHECK(most == 1);
  for (const std::string& line : bench.results(conversation)) CHECK(has(line, ": ok"));
}

TEST_CASE("a budget ends them and the turn that asked, and what they had is kept") {
  Bench bench("[[" + call_of("c1", "dear") + R"(], "done"])", 4, {.turn = 0.5, .session = 0.9});
  bench.helper("dear", R"([
    [{"say": "one"}, {"call": {"id": "a", "name": "look"}}, {"usage": {"input": 60, "output": 1}}],
    [{"say": "two"}, {"usage": {"input": 60, "output": 1}}]])");
  agent::Conversation conversation = bench.stage.conversation();
  const agent::TurnEnd end = bench.stage.turn(conversation, "go");
  const Lines results = bench.results(conversation);
  REQUIRE(results.size() == 1);
  CHECK(has(results[0], "failed: the limit of $0.50 for one turn is reached: $0.60 is used"));
  CHECK(has(results[0], "one"));
  CHECK(end.at_its_limit);
  CHECK(has(end.error, "--max-usd, or turn-usd in [budget], raises it"));
  CHECK(bench.budget.used(conversation.session()) == doctest::Approx(0.6));
  // The next turn has another $0.50, the session another $0.30.
  const agent::TurnEnd next =
      bench.stage.agent.go_on(conversation, bench.stage.settings, bench.stage.ports());
  CHECK(next.stop == model::Stop::stop);
  CHECK(next.text == "done");
}

TEST_CASE("what they have used is known without a look at their sessions, unless skein ended") {
  Bench bench("[[" + call_of("c1", "one") + R"(], "done"])");
  bench.helper("one", R"([[{"say": "first"}, {"usage": {"input": 60, "output": 1}}]])");
  agent::Conversation conversation = bench.stage.conversation();
  const Id session = conversation.session();
  const auto child = [&] { return store::children_of(bench.stage.store, session).at(0); };
  bench.crew.take_up(conversation);
  CHECK(bench.crew.used_by(session).empty());
  bench.stage.turn(conversation, "go");
  CHECK(model::total_usage(child().state).input == 60);
  CHECK(bench.crew.used_by(session) == child().state.usage);
  const AgentPool::Spent spent = bench.crew.take_spent();
  CHECK(spent.dollars == doctest::Approx(0.6));
  CHECK_FALSE(spent.at_least);
  CHECK(bench.crew.take_spent().dollars == 0);  // it is asked once a turn

  AgentPool later({.store = bench.stage.store});
  later.take_up(conversation);
  CHECK(later.used_by(session) == child().state.usage);
  CHECK(later.take_spent().dollars == 0);

  // The same one again, in a session that was opened again.
  bench.crew.take_up(conversation);
  bench.scripts["one"] = R"(["first", [{"say": "second"}, {"usage": {"input": 7, "output": 1}}]])";
  bench.stage.model = offline::ScriptedProvider(
      "[\"a\",\"b\",[" +
      call_of("c2", "one", R"(, "resume": ")" + to_string(child().header.session) + "\"") +
      R"(], "done"])");
  bench.stage.turn(conversation, "more");
  CHECK(model::total_usage(child().state).input == 67);
  CHECK(bench.crew.used_by(session) == child().state.usage);
  CHECK(bench.crew.take_spent().at_least);
}

TEST_CASE("their model calls count for the turn that asked") {
  Bench bench("[[" + call_of("c1", "busy") + R"(], "done"])");
  bench.helper("busy", R"([
    [{"call": {"id": "a", "name": "look"}}], [{"call": {"id": "b", "name": "look"}}],
    [{"call": {"id": "c", "name": "look"}}], "never"])");
  bench.stage.settings.max_calls = 3;
  agent::Conversation conversation = bench.stage.conversation();
  const agent::TurnEnd end = bench.stage.turn(conversation, "go");
  CHECK(has(bench.results(conversation).at(0), "the limit on model calls"));
  CHECK(end.at_its_limit);
}

TEST_CASE("a long report is cut, and kept whole in its session") {
  Bench bench("[[" + call_of("c1", "talks") + R"(], "done"])");
  const std::string long_text(10u << 20, 'x');
  bench.helper("talks", "[\"" + long_text + "\"]");
  agent::Conversation conversation = bench.stage.conversation();
  bench.stage.turn(conversation, "go");
  const std::string line = bench.results(conversation).at(0);
  CHECK(line.size() < 40'000);
  CHECK(has(line, "[cut here"));
  const auto children = store::children_of(bench.stage.store, conversation.session());
  CHECK(bench.stage.store.open(children.at(0).header.session).bytes > (10u << 20));
}

TEST_CASE("who is not there cannot be asked, and the model hears who is") {
  Bench bench("[[" + call_of("c1", "nobody") + R"(], "done"])");
  bench.helper("one", R"(["x"])");
  agent::Conversation conversation = bench.stage.conversation();
  bench.stage.turn(conversation, "go");
  CHECK(bench.results(conversation) ==
        Lines{"result c1 failed: there is no agent 'nobody'; there are: one"});
}

TEST_CASE("a model that the user has not listed is not taken") {
  Bench bench("[[" + call_of("c1", "one", R"(, "model": "dear/model")") + R"(], "done"])");
  bench.helper("one", R"(["found"])");
  agent::Conversation conversation = bench.stage.conversation();
  bench.stage.turn(conversation, "go");
  CHECK(has(bench.results(conversation).at(0), "The model dear/model was not used"));
}

TEST_CASE("what works in the background is answered at once and told of later") {
  Bench bench("[[" + call_of("c1", "slow", R"(, "background": true)") +
              R"(], "went on", "heard"])");
  bench.helper("slow", R"([[{"wait": 2000}, {"say": "the lexer is in lex.cpp:3"}]])");
  agent::Conversation conversation = bench.stage.conversation();
  CHECK(bench.stage.turn(conversation, "go").text == "went on");
  CHECK(has(bench.results(conversation).at(0), "works in the background"));
  CHECK(wait_until([&] { return !bench.stage.inbox.empty(); }));

  agent::Conversation other = bench.stage.conversation("main:test:other");
  CHECK(bench.stage.inbox.take(other.session()).empty());  // it is not theirs

  bench.stage.turn(conversation, "and?");
  const Lines lines = lines_of(bench.stage.stored(conversation));
  const auto told = std::ranges::find_if(
      lines, [](const std::string& line) { return has(line, "the lexer is in lex.cpp:3"); });
  REQUIRE(told != lines.end());
  CHECK(told->starts_with("user: The agent slow in session "));
}

TEST_CASE("one can be stopped by its session while others go on") {
  Bench bench("[[" + call_of("c1", "slow", R"(, "background": true)") + R"(], "went on"])");
  bench.helper("slow", R"([[{"wait": 60000}, {"say": "late"}]])");
  agent::Conversation conversation = bench.stage.conversation();
  bench.stage.turn(conversation, "go");
  REQUIRE(wait_until([&] { return bench.crew.lines(conversation.session()).size() == 1; }));
  const AgentLine line = bench.crew.lines(conversation.session())[0];
  CHECK(line.state == "working");
  CHECK_FALSE(bench.crew.stop("zz"));
  CHECK(bench.crew.stop(to_string(line.session).substr(0, 6)));
  CHECK(wait_until([&] { return bench.crew.working() == 0; }));
  CHECK(bench.crew.lines(conversation.session())[0].state == "stopped");
}

TEST_CASE("an earlier one is asked again in its own session") {
  Bench bench("[[" + call_of("c1", "one") + R"(], "done"])");
  bench.helper("one", R"(["first"])");
  agent::Conversation conversation = bench.stage.conversation();
  bench.stage.turn(conversation, "go");
  const auto child = store::children_of(bench.stage.store, conversation.session()).at(0);
  const std::string id = to_string(child.header.session);

  bench.scripts["one"] = R"(["first", "second"])";
  bench.stage.model = offline::ScriptedProvider(
      "[\"a\",\"b\",[" + call_of("c2", "one", R"(, "resume": ")" + id + "\"") + R"(], "done"])");
  bench.stage.turn(conversation, "more");
  CHECK(has(bench.results(conversation).back(), "result c2: second"));
  CHECK(store::children_of(bench.stage.store, conversation.session()).size() == 1);
}

TEST_CASE("a call that a crash cut off is not run again, and names what there is of it") {
  Bench bench("[[" + call_of("c1", "one") + R"(], "done"])");
  bench.helper("one", R"([[{"call": {"id": "a", "name": "look"}}], "found"])");
  agent::Conversation conversation = bench.stage.conversation();
  bench.stage.turn(conversation, "go");
  const auto child = store::children_of(bench.stage.store, conversation.session()).at(0);
  // As if skein had ended before the result was written.
  const auto entries = bench.stage.stored(conversation);
  const auto answer = std::ranges::find_if(
      entries, [](const model::Entry& entry) { return has(line_of(entry), "[agent c1]"); });
  conversation.move_head(answer->id);
  bench.stage.answer = model::Answer{model::Answer::Choice::yes};

  CHECK(test::recover(bench.stage.agent, conversation, bench.stage.ports()) == 1);

  CHECK(bench.stage.questions.empty());
  const std::string line = bench.results(conversation).back();
  CHECK(has(line, "interrupted: skein ended"));
  CHECK(has(line, "The agent one had started it and had made 1 call"));
  CHECK(has(line, to_string(child.header.session)));
}

TEST_CASE("what was at work in the background when skein ended is told once, and how to go on") {
  Bench bench("[[" + call_of("c1", "slow", R"(, "background": true)") + ", " +
              call_of("c2", "quick", R"(, "background": true)") +
              R"(], "went on", "heard", "ok"])");
  bench.helper("slow", R"([[{"call": {"id": "a", "name": "look"}}], [{"wait": 60000}]])");
  bench.helper("quick", R"(["it is in lex.cpp:3"])");
  agent::Conversation conversation = bench.stage.conversation();
  bench.stage.turn(conversation, "go");
  const auto children = [&] {
    return store::children_of(bench.stage.store, conversation.session());
  };
  REQUIRE(wait_until([&] {
    const std::vector<AgentLine> all = bench.crew.lines(conversation.session());
    return all.size() == 2 && bench.heard().size() == 1 &&
           std::ranges::any_of(all, [](const AgentLine& each) { return each.progress.calls == 1; });
  }));
  CHECK(bench.heard()[0] == "agent quick: done · d");
  // Its own children are still to be heard of in other ways.
  bench.crew.take_up(conversation);
  CHECK(bench.heard().size() == 1);
  CHECK(bench.crew.stop_all(std::chrono::seconds(10)) == 1);
  CHECK(bench.heard().size() == 2);
  bench.stage.inbox.take(conversation.session());  // skein ends before any of it is saved

  Lines notices;
  const auto later = [&](Id session, model::Entry news, const std::string& notice) {
    bench.stage.inbox.put(std::move(news), session);
    notices.push_back(notice);
  };
  {
    AgentPool crew({.store = bench.stage.store, .tell = later});
    crew.take_up(conversation);
    crew.take_up(conversation);  // opened again, before anything was said
  }
  REQUIRE(notices.size() == 2);
  CHECK(notices[0].starts_with("agent slow was interrupted when skein ended; /switch main:sub:"));
  CHECK(notices[1].starts_with("agent quick has ended; /switch main:sub:"));

  bench.stage.turn(conversation, "and?");
  Lines told;
  for (const std::string& line : lines_of(bench.stage.stored(conversation)))
    if (line.starts_with("user: The agent")) told.push_back(line);
  REQUIRE(told.size() == 2);
  CHECK(has(told[0], "was interrupted: skein ended while it worked in the background"));
  CHECK(has(told[0], "had made 1 call. Everything so far is saved in session"));
  CHECK(has(told[1], "has ended. It reports:"));
  CHECK(has(told[1], "it is in lex.cpp:3"));

  // And never again.
  AgentPool crew({.store = bench.stage.store, .tell = later});
  crew.take_up(conversation);
  CHECK(notices.size() == 2);
  CHECK(children().size() == 2);
}
