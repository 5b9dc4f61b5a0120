// A word of the user's in the middle of a turn, at each of its moments, as the four formats carry
// it.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/handover/normalize.h"
#include "core/model/entry.h"
#include "providers/grammar/validator.h"
#include "providers/wire/codecs.h"
#include "tests/support/stage.h"

using namespace skein;
using namespace skein::test;

namespace {

struct Format {
  handover::WireFormat wire;
  const wire::Codec& codec;
  const char* provider;
};
const Format steered_formats[] = {
    {handover::WireFormat::anthropic, wire::anthropic_messages, "anthropic"},
    {handover::WireFormat::openai_chat, wire::openai_chat, "openai"},
    {handover::WireFormat::openai_responses, wire::openai_responses, "openai"},
    {handover::WireFormat::google, wire::google_gemini, "google"}};

using Moment = std::function<bool(const model::Event&)>;

template <class Delta>
Moment streams() {
  return [](const model::Event& event) {
    const auto* streaming = std::get_if<model::Streaming>(&event);
    return streaming != nullptr && std::holds_alternative<Delta>(streaming->delta);
  };
}

const std::pair<const char*, Moment> moments[] = {
    {"before the first token",
     [](const model::Event& event) { return std::holds_alternative<model::Committed>(event); }},
    {"while it thinks", streams<model::delta::ThinkingPiece>()},
    {"while it writes", streams<model::delta::TextPiece>()},
    {"while it prepares a call", streams<model::delta::ToolStart>()},
    {"while a tool runs",
     [](const model::Event& event) { return std::holds_alternative<model::ToolStarted>(event); }},
    {"when a tool has ended",
     [](const model::Event& event) { return std::holds_alternative<model::ToolEnded>(event); }}};

std::string broken_rules(const Format& format, model::Context context) {
  const handover::Target target = handover::target_for(format.wire, format.provider, "m");
  context.messages = handover::normalize(context.messages, target);
  const std::string body =
      format.codec.encode(context, {format.provider, "m"}, {.max_output = 8'000}).body;
  std::string broken;
  for (const std::string& rule :
       grammar::violations(handover::target_for(format.wire, {}, {}), body))
    broken += rule + "\n";
  return broken;
}

}  // namespace

TEST_CASE("a word in the middle of a turn reaches the next request, which every format takes") {
  for (const auto& [name, moment] : moments) {
    CAPTURE(std::string(name));
    Stage stage(R"([[{"think": "hm"}, {"say": "look"}, {"call": {"id": "c1", "name": "look"}},
                     {"call": {"id": "c2", "name": "look"}}],
                    [{"think": "so"}, {"say": "again"}, {"call": {"id": "c3", "name": "look"}}],
                    "done"])");
    agent::Conversation conversation = stage.conversation();
    int words = 0;
    stage.listener = [&](const model::Event& event) {
      if (words < 2 && moment(event))
        stage.inbox.put(agent::steered(model::user_message("word " + std::to_string(++words))));
    };
    CHECK(stage.turn(conversation, "go").text == "done");

    REQUIRE(stage.contexts.size() == 3);
    REQUIRE(words == 2);
    CHECK(stage.inbox.empty());
    CHECK(model::plain_text(stage.contexts[1].messages.back()).starts_with("word "));
    for (const Format& format : steered_formats)
      for (const model::Context& context : stage.contexts) {
        CAPTURE(format.codec.name);
        CHECK(broken_rules(format, context) == "");
      }
    std::vector<std::string> said;
    for (const model::Entry& entry : stage.stored(conversation))
      if (model::is_steered(entry)) said.push_back(model::preview(entry, 40));
    CHECK(said == std::vector<std::string>{"word 1", "word 2"});
  }
}

TEST_CASE("a word that comes with the last answer stays in the box") {
  Stage stage(R"(["done"])");
  agent::Conversation conversation = stage.conversation();
  const model::Entry word = agent::steered(model::user_message("wait"));
  stage.listener = [&](const model::Event& event) {
    if (streams<model::delta::TextPiece>()(event)) stage.inbox.put(word);
  };
  stage.turn(conversation, "go");
  CHECK(stage.inbox.take_back(word.id));
}
