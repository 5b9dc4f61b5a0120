#include "repl/screen/activity.h"

#include <doctest/doctest.h>

#include "repl/layout/width.h"
#include "repl/screen/turn_view.h"

using namespace skein;
using namespace skein::screen;

TEST_CASE("the live line says what happens, for how long and how to stop it") {
  const Status status{
      .activity = "thinking", .elapsed_ms = 3200, .tokens = 1234, .estimated = true};
  CHECK(status_text(status, 79) == "⠋ thinking  3 s · Esc or Ctrl+C stops · ~1.2k tokens");
  CHECK(status_text(status, 40) == "⠋ thinking  3 s · Esc or Ctrl+C stops");
  CHECK(status_text(status, 20) == "⠋ thinking  3 s");
  CHECK(status_text(status, 10) == "⠋ th…  3 s");
}

TEST_CASE("the live line fits, whatever is in it and however narrow it is") {
  const Status status{
      .activity = "bash \033[2J 漢字 " + std::string(200, 'x'), .elapsed_ms = 61'000, .tokens = 5};
  for (std::size_t width = 0; width < 120; ++width) {
    const std::string text = status_text(status, width);
    CHECK(layout::display_width(text) <= width);
    CHECK(text.find_first_of("\n\r\t\033") == std::string::npos);
  }
}

TEST_CASE("a long command does not push out how to stop it") {
  const Status status{.activity = "bash " + std::string(200, 'x'), .elapsed_ms = 3000};
  CHECK(status_text(status, 79).ends_with("…  3 s · Esc stops"));
  CHECK(status_text(status, 40).ends_with("…  3 s · Esc stops"));
}

TEST_CASE("a turn is one line: model, tokens, cost, context, seconds") {
  model::Message reply{.role = model::Role::assistant};
  reply.provider = "p";
  reply.model = "opus";
  reply.usage = model::Usage{.input = 1300, .output = 200, .cache_read = 4900};
  reply.duration_ms = 7000;
  TurnSummary turn;
  add(turn, reply);
  reply.usage = model::Usage{.input = 0, .output = 210, .cache_read = 0};
  add(turn, reply);
  model::Message result{.role = model::Role::tool};
  result.duration_ms = 400;
  add(turn, result);
  CHECK(summary_text(turn) == "opus · 6.2k in (4.9k cached) 410 out · 14 s");
  turn.cost_usd = 0.0112;
  turn.window = 200'000;
  turn.last = {.input = 7000, .output = 400};
  CHECK(summary_text(turn) == "opus · 6.2k in (4.9k cached) 410 out · $0.011 · context 4% · 14 s");
  turn.context_in_status = true;
  CHECK(summary_text(turn) == "opus · 6.2k in (4.9k cached) 410 out · $0.011 · 14 s");
  turn.last.input = 170'000;
  turn.cost_usd = 1.5;
  CHECK(
      summary_text(turn) ==
      "opus · 6.2k in (4.9k cached) 410 out · $1.50 · context 85% (nearly full: /compact) · 14 s");
  CHECK(summary_text({.provider = "offline", .duration_ms = 3, .calls = 1}) == "offline · 3 ms");
}
