#include "core/agent/model_caller.h"

#include <doctest/doctest.h>

using namespace skein;
using namespace std::chrono_literals;

TEST_CASE("the first word counts, whatever comes before it") {
  agent::FirstToken first;
  const auto begin = agent::FirstToken::Clock::now();
  first.see(model::Streaming{model::delta::UsageUpdate{}}, begin + 100ms);
  CHECK(first.after_ms() == 0);
  first.see(model::Streaming{model::delta::ThinkingPiece{"", "hm"}}, begin + 250ms);
  first.see(model::Streaming{model::delta::TextPiece{"", "yes"}}, begin + 900ms);
  CHECK(first.after_ms() >= 249);
  CHECK(first.after_ms() <= 251);
}

TEST_CASE("a try that failed and the pause after it do not count") {
  agent::FirstToken first;
  const auto begin = agent::FirstToken::Clock::now();
  first.see(model::Streaming{model::delta::TextPiece{"", "lost"}}, begin + 50ms);
  first.see(model::Retrying{1, 2s, "overloaded"}, begin + 1s);
  CHECK(first.after_ms() == 0);
  first.see(model::Streaming{model::delta::TextPiece{"", "yes"}}, begin + 3500ms);
  CHECK(first.after_ms() == 500);
}
