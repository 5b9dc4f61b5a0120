#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/agent/agent.h"
#include "core/budget/budget.h"
#include "core/store/home/file_backend.h"
#include "tests/support/homes.h"
#include "tests/support/parts.h"

using namespace skein;
using namespace skein::agent;
using namespace skein::test;

namespace {

// Answers as it is told; a call costs a dollar for 100 tokens of output, and reserves a dollar.
class Metered : public model::Provider {
 public:
  model::Message stream(const model::Context&, const model::ModelRef& model,
                        const model::Ports&) override {
    ++asked;
    model::Message reply{.role = model::Role::assistant,
                         .provider = model.provider,
                         .model = model.model,
                         .stop = stop};
    if (stop == model::Stop::tool_use)
      reply.content = {model::ToolUse{.id = "c", .name = "look", .input = "{}"}};
    else if (stop != model::Stop::error)
      reply.content = {model::Text{"words"}};
    else
      reply.error = "it failed";
    if (output >= 0) reply.usage = model::Usage{.output = output};
    return reply;
  }

  int asked = 0;
  model::Stop stop = model::Stop::stop;
  std::int64_t output = 100;  // -1: it does not say
};

double price_of(const model::Usage& usage) {
  return usage.output >= 32'000 ? 1 : static_cast<double>(usage.output) / 100;
}

// What is left when a process ends.
struct Home {
  store::SessionStore store{
      std::make_unique<store::home::FileBackend>(store::files::memory_files())};
  Metered service{};
  model::Tools tools{
      {.name = "look",
       .description = "for tests",
       .schema = R"({"type":"object"})",
       .effect = model::Effect::reads,
       .title = [](const JsonText&) { return "look"; },
       .run = [](const JsonText&, const model::ToolPorts&) { return model::tool_text("done"); }}};
  bool priced = true;
};

struct Process {
  Process(Home& at, budget::SpendingLimits limits)
      : home(at),
        budget({.limits = limits}),
        conversation(at.store, session_called(at.store, "main:cli:user")) {
    ports.sink = [this](const model::Event& event) {
      if (const auto* notice = std::get_if<model::Notice>(&event)) notices.push_back(notice->text);
    };
  }
  TurnEnd turn() {
    return agent.run_turn(conversation, model::user_message("hi"), settings, ports);
  }
  double used() const { return budget.used(conversation.session()); }

  Home& home;
  budget::Budget budget;
  Agent agent{agent_parts(home.store, home.tools, home.service, [this](agent::Parts& with) {
    with.budget = &budget;
    with.price = [this](const std::string&, const model::Usage& usage) {
      return home.priced ? std::optional(price_of(usage)) : std::nullopt;
    };
    with.spent = [](const Conversation& open) {
      double sum = 0;
      for (const auto& [model, usage] : open.state().usage) sum += price_of(usage);
      return sum;
    };
  })};
  Conversation conversation;
  Agent::Settings settings{.model = {"a", "one"}};
  std::vector<std::string> notices{};
  model::Ports ports{};
};

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a turn ends before the call that might exceed its limit, and can be continued") {
  Home home;
  home.service.stop = model::Stop::tool_use;
  Process process(home, {.turn = 3.1});
  const TurnEnd end = process.turn();
  CHECK(home.service.asked == 3);
  CHECK(end.calls == 3);
  CHECK(end.at_its_limit);
  CHECK(end.stop == model::Stop::error);
  CHECK(has(end.error, "the limit of $3.10 for one turn is reached: $3.00 is used"));
  CHECK(ending_of(end).can_go_on);
  CHECK(std::ranges::count(process.notices, "$3.00 of the limit of $3.10 for one turn is used") ==
        1);
  home.service.stop = model::Stop::stop;
  const TurnEnd rest = process.agent.go_on(process.conversation, process.settings, process.ports);
  CHECK(rest.text == "words");
  CHECK(process.used() == doctest::Approx(4));
}

TEST_CASE("the limit on model calls ends a turn in the same way") {
  Home home;
  home.service.stop = model::Stop::tool_use;
  Process process(home, {});
  process.settings.max_calls = 2;
  const TurnEnd end = process.turn();
  CHECK(end.at_its_limit);
  CHECK(end.error == "stopped after 2 model calls for one prompt (--max-turns raises the limit)");
}

TEST_CASE("nothing is sent if no price is known or the first call is too dear") {
  Home home;
  home.priced = false;
  Process process(home, {.turn = 5});
  TurnEnd end = process.turn();
  CHECK(has(end.error, "the price of a/one is not known"));
  CHECK(end.at_its_limit);
  home.priced = true;
  Process poor(home, {.turn = 0.5});
  end = poor.turn();
  CHECK(has(end.error, "$0.00 is used, and the next call may cost $1.00"));
  CHECK_FALSE(end.unanswered);
  CHECK(home.service.asked == 0);
  CHECK(has(poor.agent.ask_aside(poor.conversation, "why?", poor.settings, poor.ports).error,
            "for one turn is reached"));
}

TEST_CASE("an answer that does not say what it used counts in full, a failure not at all") {
  Home home;
  home.service.output = -1;
  Process process(home, {.session = 10});
  process.turn();
  CHECK(process.used() == doctest::Approx(1));
  home.service.stop = model::Stop::error;
  process.turn();
  CHECK(process.used() == doctest::Approx(1));
  // What had come when the user stopped it was paid for.
  home.service.stop = model::Stop::aborted;
  process.turn();
  CHECK(process.used() > 1.005);
  CHECK(process.used() < 2);
}

TEST_CASE("what a session has cost survives failures, stops, rewinding and new processes") {
  for (unsigned seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    Home home;
    auto process = std::make_unique<Process>(home, budget::SpendingLimits{.session = 8});
    for (int step = 0; step < 12; ++step) {
      const double before = process->used();
      const auto what = random() % 6;
      constexpr model::Stop stops[] = {model::Stop::stop, model::Stop::error, model::Stop::aborted,
                                       model::Stop::interrupted};
      home.service.stop = stops[std::min<std::size_t>(what, 3)];
      home.service.output = static_cast<std::int64_t>(random() % 100);
      if (what == 4)
        process = std::make_unique<Process>(home, budget::SpendingLimits{.session = 8});
      if (what == 5 && !process->conversation.path().empty())
        process->conversation.move_head(process->conversation.path().front().id);
      const TurnEnd end = process->turn();
      CHECK(process->used() >= before - 1e-9);
      CHECK(process->used() < 8);
      if (end.at_its_limit) CHECK(process->used() + 1 >= 8);
      double logged = 0;
      for (const auto& [model, usage] : process->conversation.state().usage)
        logged += price_of(usage);
      CHECK(process->used() == doctest::Approx(logged));
    }
  }
}
