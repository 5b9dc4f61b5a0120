// Lists, questions, plans, sub-agents and what skein tells of them, as the four formats carry them.
#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "core/agent/conversation.h"
#include "core/agent/plan_mode.h"
#include "core/context/build_context.h"
#include "core/handover/normalize.h"
#include "core/plan/todo_list.h"
#include "core/text/json.h"
#include "core/tools/tools.h"
#include "providers/grammar/validator.h"
#include "providers/wire/codecs.h"
#include "tests/support/paths.h"

using namespace skein;
using namespace skein::test;

namespace {

struct Format {
  handover::WireFormat wire;
  const wire::Codec& codec;
  const char* provider;
  const char* messages;
};
const Format formats[] = {
    {handover::WireFormat::anthropic, wire::anthropic_messages, "anthropic", "messages"},
    {handover::WireFormat::openai_chat, wire::openai_chat, "openai", "messages"},
    {handover::WireFormat::openai_responses, wire::openai_responses, "openai", "input"},
    {handover::WireFormat::google, wire::google_gemini, "google", "contents"}};

std::string body_of(const Format& format, const std::vector<model::Entry>& path) {
  const model::ModelRef model{format.provider, "m"};
  const std::set<Id> redacted;
  std::vector<model::ToolSpec> specs;
  for (const model::Tool& tool : tools::tool_table()) specs.push_back(tool.spec());
  context::BuiltContext built = context::build_context({.path = path,
                                                        .redacted = redacted,
                                                        .system = "be brief",
                                                        .tools = specs,
                                                        .model = model,
                                                        .window = {100'000, 8'000}});
  const handover::Target target = handover::target_for(format.wire, format.provider, "m");
  built.context.messages = handover::normalize(built.context.messages, target);
  return format.codec.encode(built.context, model, {.max_output = 8'000}).body;
}

// A session that plans, asks, delegates, is told things in the middle of a turn and goes on.
std::vector<model::Entry> planned_path() {
  std::vector<model::Entry> path;
  const auto say = [&](const model::Message& message) {
    follow(path, model::message_entry(message));
  };
  for (const model::Entry& entry : agent::PlanMode::news(false, true, true)) follow(path, entry);
  say(model::user_message("plan it"));
  say(answers("", {{"q1", "ask", R"({"questions":[{"question":"?","options":["a","b"]}]})"},
                   {"q2", "todo", R"({"items":[{"text":"a","state":"doing"}]})"}}));
  say(result_of("q1", "?\n→ a\n"));
  say(result_of("q2", "ok, 0 of 1 done"));
  follow(path, plan::todo_entry("Left to do:", {{plan::TodoItem::State::doing, "a"}}));
  say(answers("so", {{"p1", "present_plan", R"({"plan":"1. a"})"}}));
  say(result_of("p1", "approved"));
  say(answers("", {{"a1", "agent", R"({"description":"d","prompt":"p","agent":"explore"})"},
                   {"a2", "agent", R"({"description":"d","prompt":"p","background":true})"}}));
  say(result_of("a1", "x.cpp:3\n\nagent explore · 2 calls · session 1"));
  say(result_of("a2", "The agent general works in the background"));
  follow(path, agent::news("The agent general in session 2 has ended.", "agent:2"));
  say(answers("done"));
  follow(path, plan::todo_entry("The user changed the list:", {}));
  for (const model::Entry& entry : agent::PlanMode::news(true, false, true)) follow(path, entry);
  say(model::user_message("and now"));
  return path;
}

}  // namespace

TEST_CASE(
    "a session that plans, asks and delegates is taken by every format, at each of its steps") {
  const std::vector<model::Entry> path = planned_path();
  for (const Format& format : formats) {
    CAPTURE(format.codec.name);
    std::optional<std::string> before;
    for (std::size_t end = 2; end <= path.size(); ++end) {
      const auto last = model::message_of(path[end - 1]);
      if (last && last->role == model::Role::assistant) continue;  // no request ends so
      const std::vector<model::Entry> part(path.begin(),
                                           path.begin() + static_cast<std::ptrdiff_t>(end));
      const std::string body = body_of(format, part);
      std::string broken;
      for (const std::string& rule :
           grammar::violations(handover::target_for(format.wire, {}, {}), body))
        broken += rule + "\n";
      CAPTURE(end);
      CHECK(broken == "");
      const Json json = *parse_json(body);
      // What the model is offered never changes with what was said.
      const std::string offered = dump(json.at("tools"));
      if (before) CHECK(offered == *before);
      before = offered;
    }
  }
}
