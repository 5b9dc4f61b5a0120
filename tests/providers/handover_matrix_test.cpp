// Every kind of model hands over to every other, and back, under the strictest services there are.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/handover_talk.h"

using namespace skein;
using namespace skein::test;

namespace {

using model::ThinkingLevel;
using Refusals = std::vector<std::string>;

struct Side {
  const StrictModel& model;
  ThinkingLevel thinking;
};

// From one to the other in the middle of a loop, with calls answered and unanswered.
void hand_over_in_a_loop(HandoverTalk& talk, const Side& from, const Side& to) {
  talk.user("look, and go on yourself");
  talk.ask(from.model, from.thinking, {"", {talk.new_id(), talk.new_id()}});
  talk.answer_calls();
  talk.ask(from.model, from.thinking, {"and", {talk.new_id()}});
  talk.answer_calls();
  talk.ask(to.model, to.thinking, {"", {talk.new_id()}});
  talk.answer_calls();
  talk.ask(to.model, to.thinking, {"done"});
}

void interrupt(HandoverTalk& talk, const Side& from, const Side& to) {
  talk.user("this will be cut");
  talk.ask(from.model, from.thinking, {"let me", {talk.new_id(), talk.new_id()}});
  talk.answer_calls(1);
  talk.user("go on then");
  talk.ask(to.model, to.thinking, {"I did not see all"});

  talk.user("and this in its words");
  talk.ask(from.model, from.thinking, {"half of what"});
  talk.cut_last(model::Stop::aborted);
  talk.user("go on");
  talk.messages.back().continuation = true;
  talk.ask(to.model, to.thinking, {"the rest"});
}

void hand_over(HandoverTalk& talk, const Side& a, const Side& b) {
  talk.turn(a.model, a.thinking, "first");
  talk.turn(b.model, b.thinking, "second");
  talk.turn(a.model, a.thinking, "back");
  hand_over_in_a_loop(talk, a, b);
  hand_over_in_a_loop(talk, b, a);
  interrupt(talk, a, b);
  interrupt(talk, b, a);
  talk.user("see this", true);
  talk.ask(b.model, b.thinking, {"a picture"});
}

std::string in_words(const Side& a, const Side& b) {
  return a.model.model + " (" + std::string(model::name(a.thinking)) + ") and " + b.model.model +
         " (" + std::string(model::name(b.thinking)) + ")";
}

void for_each_pair(const std::function<void(const Side&, const Side&)>& each) {
  for (const StrictModel& a : strict_models())
    for (const StrictModel& b : strict_models())
      for (const auto& [first, second] : {std::pair(ThinkingLevel::high, ThinkingLevel::high),
                                          {ThinkingLevel::off, ThinkingLevel::high}})
        each({a, first}, {b, second});
}

}  // namespace

TEST_CASE("no hand-over is refused, and none changes what a thought was bound to") {
  for_each_pair([](const Side& a, const Side& b) {
    CAPTURE(in_words(a, b));
    HandoverTalk talk;
    hand_over(talk, a, b);
    CHECK(talk.refusals == Refusals{});
    CHECK(talk.dropped == 0);
  });
}

TEST_CASE("nor is one refused after a summary, a redaction or other instructions") {
  for_each_pair([](const Side& a, const Side& b) {
    if (b.thinking == ThinkingLevel::off) return;
    for (const model::Seals seals : {model::Seals::good, model::Seals::moved}) {
      if (seals == model::Seals::moved && a.thinking == ThinkingLevel::off) continue;
      CAPTURE(in_words(a, b));
      HandoverTalk talk;
      talk.turn(a.model, a.thinking, "first");
      talk.turn(b.model, b.thinking, "second");
      hand_over_in_a_loop(talk, a, b);
      // The kept end begins in the middle of a loop.
      talk.sum_up(7, seals);
      talk.turn(a.model, a.thinking, "third");
      talk.turn(b.model, b.thinking, "fourth");
      talk.redact(3);
      talk.turn(a.model, a.thinking, "fifth");
      talk.turn(b.model, b.thinking, "sixth");
      talk.system = "be brief, and kind";
      hand_over_in_a_loop(talk, b, a);
      CHECK(talk.refusals == Refusals{});
      // They were refused, but for our asking.
      CHECK((talk.dropped > 0) == (a.model.prefix_bound || b.model.prefix_bound));
    }
  });
}

TEST_CASE("signed reasoning is kept between two names of one service, and for no other model") {
  const StrictModel named{.wire = handover::WireFormat::openai_responses,
                          .provider = "openai-responses",
                          .model = "gpt-5.6-sol"};
  StrictModel routed = named, other = named;
  routed.provider = "openai";
  other.model = "gpt-5.6-terra";
  const auto requests_with_reasoning = [](const StrictModel& from, const StrictModel& to) {
    HandoverTalk talk;
    talk.turn(from, ThinkingLevel::high, "first");
    talk.user("and now?");
    CHECK(talk.ask(to, ThinkingLevel::high, {"so"}));
    return talk.last_request.find("encrypted_content\":") != std::string::npos;
  };
  CHECK(requests_with_reasoning(named, routed));
  CHECK(requests_with_reasoning(routed, named));
  CHECK_FALSE(requests_with_reasoning(named, other));
}

TEST_CASE("where a changed past is refused, the same without thinking is not") {
  const StrictModel& bound = strict_models()[1];
  HandoverTalk talk(false);  // a relay that knows no beta headers
  talk.turn(bound, ThinkingLevel::high, "first");
  talk.system = "be kind";
  talk.user("and now?");
  CHECK_FALSE(talk.ask(bound, ThinkingLevel::high, {"so"}));
  REQUIRE(talk.refusals.size() == 1);
  CHECK(talk.refusals[0].find("The block is bound to a different conversation.") !=
        std::string::npos);
  for (model::Message& message : talk.messages) message.seals = model::Seals::refused;
  CHECK(talk.ask(bound, ThinkingLevel::high, {"so"}));
  talk.turn(bound, ThinkingLevel::high, "and again");
  CHECK(talk.refusals.size() == 1);
  CHECK(talk.dropped == 0);
}

TEST_CASE("the strict services refuse what they document, in their own words") {
  const auto refused = [](const StrictModel& model, const std::string& body) {
    return StrictService().answer(model, body, {}, {"hi"}).body;
  };
  const StrictModel &older = strict_models()[0], &bound = strict_models()[1];
  const std::string loop =
      R"("messages":[{"role":"user","content":[{"type":"text","text":"hi"}]},
        {"role":"assistant","content":[{"type":"tool_use","id":"a","name":"x","input":{}}]},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":[{"type":"IMAGE"}]}]}]})";
  CHECK(refused(older, R"({"thinking":{"type":"enabled","budget_tokens":2000},)" + loop)
            .find("must start with a thinking block") != std::string::npos);
  std::string image = loop;
  image.replace(image.find("IMAGE"), 5, "image");
  CHECK(refused(bound, "{" + image).find("all content must be type") != std::string::npos);
  CHECK(refused(bound, R"({"thinking":{"type":"adaptive","block_binding":{}},)" + loop)
            .find("Extra inputs are not permitted") != std::string::npos);
  CHECK(refused({.wire = handover::WireFormat::openai_chat,
                 .provider = "openai",
                 .model = "gpt-5.6-sol",
                 .responses_only = true},
                R"({"tools":[{}],"messages":[]})")
            .find("/v1/responses") != std::string::npos);
  CHECK(refused(strict_models()[4],
                R"({"input":[{"role":"user","content":"hi"},{"role":"assistant","content":"so"}]})")
            .find("Cannot determine type of 'item'") != std::string::npos);
  CHECK(refused(strict_models()[6],
                R"({"contents":[{"role":"user","parts":[{"text":"hi"}]},
                    {"role":"model","parts":[{"functionCall":{"name":"x","id":"1"}}]}]})")
            .find("missing a thought_signature") != std::string::npos);
  CHECK(refused(strict_models()[7],
                R"({"tools":[{}],"messages":[{"role":"assistant","content":"x"}]})")
            .find("reasoning_content") != std::string::npos);
}
