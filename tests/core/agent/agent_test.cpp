#include "core/agent/agent.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "core/handover/normalize.h"
#include "core/text/json.h"
#include "tests/support/handover_rules.h"
#include "tests/support/homes.h"
#include "tests/support/stage.h"

using namespace skein;
using namespace skein::agent;
using namespace skein::test;
using Lines = std::vector<std::string>;

namespace {

constexpr const char* two_calls = R"([
  [{"say": "hm "}, {"call": {"id": "c1", "name": "look"}}, {"call": {"id": "c2", "name": "poke"}}],
  "done"])";

// What is wrong with a transcript for any of the four wires; a call without its answer is.
Lines broken_rules(Stage& stage, const Conversation& conversation) {
  Lines out;
  for (const model::ToolUse& call : store::unanswered_calls(stage.stored(conversation)))
    out.push_back("no answer to " + call.id);
  std::vector<model::Message> messages;
  for (const model::Entry& entry : stage.stored(conversation))
    if (const auto message = entry.type == model::type::message
                                 ? model::message_from_json(entry.payload)
                                 : std::nullopt)
      messages.push_back(*message);
  for (const handover::WireFormat wire :
       {handover::WireFormat::anthropic, handover::WireFormat::openai_chat,
        handover::WireFormat::openai_responses, handover::WireFormat::google}) {
    const handover::Target target = handover::target_for(wire, "p", "m");
    for (const std::string& broken : violations(handover::normalize(messages, target), target))
      out.push_back(broken);
  }
  return out;
}

}  // namespace

TEST_CASE("a turn is its prompt, each reply and each result, in the order they happened") {
  Stage stage(two_calls);
  stage.settings.rules.mode = permission::Mode::bypass;
  Conversation conversation = stage.conversation();

  const TurnEnd end = stage.turn(conversation, "go");

  const Lines expected{"runtime_init",
                       "model_change",
                       "user: go",
                       "assistant: hm [look c1][poke c2] -> tool_use",
                       "result c1: done",
                       "result c2: done",
                       "assistant: done -> stop"};
  CHECK(lines_of(stage.stored(conversation)) == expected);
  CHECK(stage.committed() == expected);
  CHECK(end.stop == model::Stop::stop);
  CHECK(end.text == "done");
  CHECK(end.calls == 2);
  CHECK(stage.runs == Lines{"look {}", "poke {}"});
}

TEST_CASE("nothing is told as saved before it can be read back") {
  Stage stage(two_calls);
  stage.settings.rules.mode = permission::Mode::bypass;
  Conversation conversation = stage.conversation();
  std::size_t read_back = 0;
  stage.listener = [&](const model::Event& event) {
    if (const auto* saved = std::get_if<model::Committed>(&event))
      read_back +=
          value_of(stage.store.load_entry(conversation.session(), saved->entry.id)) == saved->entry;
  };

  stage.turn(conversation, "go");

  CHECK(read_back == 7);
}

TEST_CASE("every call is saved before it is run, and its result before the next one is") {
  Stage stage(two_calls);
  stage.settings.rules.mode = permission::Mode::bypass;
  Conversation conversation = stage.conversation();
  std::vector<Lines> at_start;
  stage.listener = [&](const model::Event& event) {
    if (std::holds_alternative<model::ToolStarted>(event))
      at_start.push_back({lines_of(stage.stored(conversation)).back()});
  };

  stage.turn(conversation, "go");

  CHECK(at_start ==
        std::vector<Lines>{{"assistant: hm [look c1][poke c2] -> tool_use"}, {"result c1: done"}});
}

TEST_CASE("every entry of a turn bears the turn's id, and two turns have two") {
  Stage stage(R"([[{"call": {"name": "poke"}}], "one", "two"])");
  stage.answer = model::Answer{model::Answer::Choice::always};
  Conversation conversation = stage.conversation();

  stage.turn(conversation, "first");
  stage.turn(conversation, "second");

  std::set<std::string> different;
  for (const model::Entry& entry : stage.stored(conversation)) {
    CHECK_MESSAGE(!entry.run_id.empty(), line_of(entry));
    different.insert(entry.run_id);
  }
  CHECK(different.size() == 2);
}

TEST_CASE("system prompt and model are written down when they change, not with every turn") {
  Stage stage(R"(["1", "2", "3", "4"])");
  Conversation conversation = stage.conversation();

  stage.settings.system = "the key is sk-secret";  // stored masked, yet no other prompt each time
  stage.turn(conversation, "a");
  stage.turn(conversation, "b");
  Conversation again(stage.store, conversation.session());
  stage.turn(again, "c");
  stage.settings.model.model = "y";
  stage.turn(again, "d");

  CHECK(lines_of(stage.stored(conversation)) ==
        Lines{"runtime_init", "model_change", "user: a", "assistant: 1 -> stop", "user: b",
              "assistant: 2 -> stop", "user: c", "assistant: 3 -> stop", "model_change", "user: d",
              "assistant: 4 -> stop"});
  CHECK(stage.stored(conversation).front().payload.find("sk-secret") == std::string::npos);
}

TEST_CASE("however a turn ends, every call in it is answered and the transcript can be sent") {
  struct Ending {
    const char* reply;
    model::Stop stop;
    Lines results;
  };
  const Ending endings[] = {
      {R"([{"call": {"id": "c1", "name": "look"}}, {"stop": "length"}])",
       model::Stop::stop,
       {"result c1 failed: not run: the answer reached the output limit in or after this call. "
        "Make it again, shorter or in several pieces."}},
      {R"([{"call": {"id": "c1", "name": "look"}}, {"error": "overloaded"}])",
       model::Stop::error,
       {"result c1 failed: not run: the answer that asked for it was cut short"}},
      {R"([{"call": {"id": "c1", "name": "look"}}, {"cut": true}])",
       model::Stop::interrupted,
       {"result c1 failed: not run: the answer that asked for it was cut short"}},
      {R"([{"call": {"id": "c1", "name": "look"}}, {"stop": "refusal"}])",
       model::Stop::refusal,
       {"result c1 failed: not run: the answer that asked for it was cut short"}},
      {R"([{"call": {"id": "c1", "name": "nothing"}}])",
       model::Stop::stop,
       {"result c1 failed: there is no tool 'nothing'; there are: fail, look, poke"}},
      {R"([{"call": {"id": "c1", "name": "fail"}}, {"call": {"id": "c2", "name": "look"}}])",
       model::Stop::stop,
       {"result c1 failed: it fell over", "result c2: done"}},
      {R"([{"call": {"id": "c1", "name": "poke"}}])",
       model::Stop::stop,
       {"result c1 failed: not permitted; it needs permission, and there is no terminal to ask "
        "(--allowed-tools 'poke' would allow it)"}},
  };
  for (const Ending& ending : endings) {
    CAPTURE(ending.reply);
    Stage stage("[" + std::string(ending.reply) + R"(, "done"])");
    Conversation conversation = stage.conversation();

    const TurnEnd end = stage.turn(conversation, "go");

    CHECK(end.stop == ending.stop);
    Lines results = lines_of(stage.stored(conversation));
    std::erase_if(results, [](const std::string& line) { return !line.starts_with("result"); });
    CHECK(results == ending.results);
    CHECK(broken_rules(stage, conversation) == Lines{});
  }
}

TEST_CASE("a tool the user refuses is answered with the reason, and the model may go on") {
  Stage stage(R"([[{"call": {"id": "c1", "name": "poke"}}], "as you wish"])");
  stage.answer = model::Answer{model::Answer::Choice::no, "not today"};
  Conversation conversation = stage.conversation();

  const TurnEnd end = stage.turn(conversation, "go");

  CHECK(stage.runs == Lines{});
  CHECK(lines_of(stage.stored(conversation))[4] == "result c1 failed: the user said no: not today");
  CHECK(end.text == "as you wish");
}

TEST_CASE("nobody is asked about a call that lacks what its tool needs") {
  Stage stage(R"([[{"call": {"id": "c1", "name": "poke", "input": {"n": 1}}},
                   {"call": {"id": "c2", "name": "poke", "input": {"with": 2}}}], "I see"])");
  REQUIRE(stage.tools.back().name == "poke");
  stage.tools.back().schema =
      R"({"type":"object","properties":{"with":{"type":"string"}},"required":["with"]})";
  stage.answer = model::Answer{model::Answer::Choice::yes};
  Conversation conversation = stage.conversation();

  stage.turn(conversation, "go");

  CHECK(stage.questions.empty());
  CHECK(stage.runs == Lines{});
  const Lines stored = lines_of(stage.stored(conversation));
  CHECK(stored[4] == "result c1 failed: not run: `with` is missing");
  CHECK(stored[5] == "result c2 failed: not run: `with` must be of the type string");
}

TEST_CASE(
    "a call the user rewrites is asked about new_branch_prompt, run so, and the model is told") {
  Stage stage(
      R"([[{"call": {"id": "c1", "name": "poke", "input": {"with": "a stick"}}}], "I see"])");
  stage.answer = model::Answer{model::Answer::Choice::amend, "a \"feather\"\nonly"};
  std::vector<std::string> started;
  stage.listener = [&](const model::Event& event) {
    if (const auto* call = std::get_if<model::ToolStarted>(&event))
      started.push_back(call->call.input);
    if (started.size() == 2) stage.answer = model::Answer{model::Answer::Choice::yes};
  };
  Conversation conversation = stage.conversation();

  stage.turn(conversation, "go");

  REQUIRE(stage.questions.size() == 2);
  CHECK(stage.questions[0].amendable.value().text == "a stick");
  CHECK(stage.questions[1].amendable.value().text == "a \"feather\"\nonly");
  CHECK(stage.runs == Lines{R"(poke {"with":"a \"feather\"\nonly"})"});
  CHECK(started.back() == R"({"with":"a \"feather\"\nonly"})");
  CHECK(lines_of(stage.stored(conversation))[4] ==
        "result c1: The user changed `with` before this was done. It was done with:\n"
        "a \"feather\"\nonly\ndone");
  CHECK(broken_rules(stage, conversation) == Lines{});
}

TEST_CASE("a call that was rewritten and then refused is not run") {
  Stage stage(R"([[{"call": {"id": "c1", "name": "poke", "input": {"with": "x"}}}], "well"])");
  stage.answer = model::Answer{model::Answer::Choice::amend, "y"};
  stage.listener = [&, count = 0](const model::Event& event) mutable {
    if (std::holds_alternative<model::ToolStarted>(event) && ++count == 2)
      stage.answer = model::Answer{model::Answer::Choice::no, "after all"};
  };
  Conversation conversation = stage.conversation();

  stage.turn(conversation, "go");

  CHECK(stage.runs == Lines{});
  CHECK(lines_of(stage.stored(conversation))[4] == "result c1 failed: the user said no: after all");
}

TEST_CASE("a stop at any event leaves no call open and runs nothing afterwards") {
  std::size_t at = 0;
  for (bool stopped = true; stopped; ++at) {
    CAPTURE(at);
    Stage stage(two_calls);
    stage.settings.rules.mode = permission::Mode::bypass;
    Conversation conversation = stage.conversation();
    std::size_t seen = 0, runs_at_stop = 2;
    stage.listener = [&](const model::Event& event) {
      if (seen++ != at) return;
      stage.stop = true;
      // A call that has been told is under way.
      runs_at_stop =
          stage.runs.size() + (std::holds_alternative<model::ToolStarted>(event) ? 1 : 0);
    };

    const TurnEnd end = stage.turn(conversation, "go");

    stopped = stage.stop;
    CHECK(stage.runs.size() <= runs_at_stop);
    if (end.stop != model::Stop::aborted)
      CHECK(end.text == "done");  // there was nothing left to stop
    CHECK(broken_rules(stage, conversation) == Lines{});
    CHECK(Conversation(stage.store, conversation.session()).head() == conversation.head());
  }
  CHECK(at > 20);
}

TEST_CASE("a model that never ends is stopped after so many calls, and can go on") {
  std::string script;
  for (int i = 0; i < 5; ++i)
    script += (i == 0 ? "[" : ",") + std::string(R"([{"call": {"name": "look"}}])");
  Stage stage(script + R"(, "at last"])");
  stage.settings.max_calls = 3;
  Conversation conversation = stage.conversation();

  const TurnEnd end = stage.turn(conversation, "go");
  CHECK(end.stop == model::Stop::error);
  CHECK(end.calls == 3);
  CHECK(end.error.starts_with("stopped after 3 model calls"));
  CHECK(stage.runs.size() == 3);
  CHECK(stage.notices() == Lines{});  // whoever shows the end of the turn says it, once

  CHECK(stage.agent.go_on(conversation, stage.settings, stage.ports()).text == "at last");
}

TEST_CASE("what is always allowed is remembered in the session and not asked again") {
  Stage stage(R"([[{"call": {"name": "poke"}}], "1", [{"call": {"name": "poke"}}], "2"])");
  stage.answer = model::Answer{model::Answer::Choice::always};
  Conversation conversation = stage.conversation();
  stage.turn(conversation, "a");
  CHECK(stage.questions.size() == 1);
  CHECK(lines_of(stage.stored(conversation))[4] == "custom permissions");
  CHECK(conversation.state().permissions == Lines{"poke"});

  Conversation restarted(stage.store, conversation.session());
  stage.settings.rules = {};
  for (const std::string& rule : restarted.state().permissions)
    stage.settings.rules.allow.push_back({rule});
  stage.turn(restarted, "b");

  CHECK(stage.questions.size() == 1);
  CHECK(stage.runs.size() == 2);
}

TEST_CASE("a yes counts once") {
  Stage stage(R"([[{"call": {"name": "poke"}}], "1", [{"call": {"name": "poke"}}], "2"])");
  stage.answer = model::Answer{model::Answer::Choice::yes};
  Conversation conversation = stage.conversation();

  stage.turn(conversation, "a");
  stage.turn(conversation, "b");

  CHECK(stage.questions.size() == 2);
}

TEST_CASE("usage is added up over the calls of a turn and of this turn alone") {
  Stage stage(R"([[{"call": {"name": "look"}}, {"usage": {"input": 5, "output": 2}}],
                  [{"say": "x"}, {"usage": {"input": 7, "output": 1, "cache_read": 4}}],
                  [{"say": "y"}, {"usage": {"input": 1, "output": 1}}]])");
  Conversation conversation = stage.conversation();

  CHECK(stage.turn(conversation, "a").usage ==
        model::Usage{.input = 12, .output = 3, .cache_read = 4});
  CHECK(stage.turn(conversation, "b").usage == model::Usage{.input = 1, .output = 1});
}

TEST_CASE("a turn in one session leaves no trace in another") {
  Stage stage(R"(["1", "2", "3"])");
  Conversation one = stage.conversation("main:test:one"), two = stage.conversation("main:test:two");
  stage.turn(one, "only in one");
  stage.turn(two, "only in two");
  stage.turn(one, "again");

  CHECK(lines_of(two.path()) == Lines{"runtime_init", "user: only in two", "assistant: 2 -> stop"});
  for (const model::Message& message : stage.contexts.at(2).messages)
    CHECK(model::plain_text(message) != "only in two");
  CHECK(stage.contexts.at(1).messages == std::vector{model::user_message("only in two")});
}

TEST_CASE("an answer that could not be saved is not told as saved") {
  Stage stage(R"(["1"])");
  Conversation conversation = stage.conversation();
  stage.listener = [&](const model::Event& event) {  // gone between prompt and answer
    if (std::holds_alternative<model::Streaming>(event))
      (void)stage.store.life_cycle().erase(conversation.session());
  };

  CHECK_THROWS_AS(stage.turn(conversation, "go"), Error);
  CHECK(stage.committed().back() == "user: go");
}

TEST_CASE("of thousands of calls in one answer the first are run and the turn goes on") {
  Json calls = Json::array();
  for (int i = 0; i < 3000; ++i)
    calls.push_back({{"call", {{"id", "c" + std::to_string(i)}, {"name", "poke"}}}});
  Stage stage(dump({calls, "done"}));
  stage.settings.rules.mode = permission::Mode::bypass;
  Conversation conversation = stage.conversation();

  const TurnEnd end = stage.turn(conversation, "go");

  CHECK(stage.runs.size() == 128);
  CHECK(end.stop == model::Stop::stop);
  CHECK(end.text == "done");
  const Lines lines = lines_of(stage.stored(conversation));
  CHECK(std::ranges::count(lines, "result c127: done") == 1);
  for (const int i : {128, 2999})
    CHECK(std::ranges::count(lines, "result c" + std::to_string(i) +
                                        " failed: not run: only the first 128 calls of an answer "
                                        "are run; repeat the others if they are needed") == 1);
  CHECK(broken_rules(stage, conversation).empty());
  CHECK(stage.notices() ==
        Lines{"the model made 3000 calls in one answer; skein runs only the first 128"});
}
