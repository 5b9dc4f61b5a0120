#include "repl/screen/turn_view.h"

#include <doctest/doctest.h>

using namespace skein;
using screen::TurnSummary;

namespace {

model::Message answer(std::int64_t tokens, std::int64_t first_ms, std::int64_t streamed_ms) {
  model::Message out{.role = model::Role::assistant, .content = {model::Text{"so it is"}}};
  out.model = "m";
  out.usage = model::Usage{.input = 100, .output = tokens};
  out.duration_ms = first_ms + streamed_ms;
  out.first_token_ms = first_ms;
  return out;
}

std::string summary_of(const std::vector<model::Message>& messages) {
  TurnSummary summary;
  for (const model::Message& each : messages) screen::add(summary, each);
  return screen::summary_text(summary);
}

}  // namespace

TEST_CASE("a turn's summary tells how fast the answer came, and when it began") {
  CHECK(summary_of({answer(420, 850, 10'000)}) ==
        "m · 100 in 420 out · 10 s · 42 tok/s · first 0.8 s");
  CHECK(summary_of({answer(420, 12'400, 10'000)}) ==
        "m · 100 in 420 out · 22 s · 42 tok/s · first 12 s");
  CHECK(summary_of({answer(20, 40, 60'000)}) ==
        "m · 100 in 20 out · 1 min 0 s · under 1 tok/s · first 40 ms");
}

TEST_CASE("the speed is that of all calls of a turn, the first word that of the first") {
  CHECK(summary_of({answer(100, 500, 1000), answer(300, 3000, 3000)}) ==
        "m · 200 in 400 out · 7.5 s · 100 tok/s · first 0.5 s");
}

TEST_CASE("what is too short or not told has no speed") {
  CHECK(summary_of({answer(19, 500, 5000)}) == "m · 100 in 19 out · 5.5 s");
  CHECK(summary_of({answer(400, 500, 499)}) == "m · 100 in 400 out · 999 ms");
  CHECK(summary_of({answer(400, 0, 5000)}) == "m · 100 in 400 out · 5.0 s");
  model::Message uncounted = answer(0, 500, 5000);
  uncounted.usage.reset();
  CHECK(summary_of({uncounted}) == "m · 5.5 s");
}

TEST_CASE("a cost of which a part is not known is the least it can be") {
  TurnSummary summary{.model = "m", .cost_usd = 0.05, .at_least = true};
  CHECK(screen::summary_text(summary) == "m · at least $0.050");
}

TEST_CASE("where calls failed and were tried again, it is not known how fast the last one was") {
  TurnSummary summary;
  summary.retried = true;
  screen::add(summary, answer(420, 850, 10'000));
  CHECK(screen::summary_text(summary) == "m · 100 in 420 out · 10 s");
}

TEST_CASE("thinking that was not shown did not stream") {
  model::Message thoughtful = answer(1000, 9000, 1000);
  thoughtful.usage->reasoning = 900;
  CHECK(summary_of({thoughtful}).ends_with("100 tok/s · first 9.0 s"));
  thoughtful.content.insert(thoughtful.content.begin(), model::Thinking{.thinking = "hm"});
  CHECK(summary_of({thoughtful}).ends_with("1.0k tok/s · first 9.0 s"));
}
