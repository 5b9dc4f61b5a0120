#include "repl/screen/turn_summary.h"

#include <algorithm>

#include "core/text/amounts.h"

namespace skein::screen {

namespace {

// Of less than this a speed would be chance.
constexpr std::int64_t least_tokens = 20, least_ms = 500;

// Thinking that nobody sees came before the first word: its tokens took none of the time after it.
std::int64_t streamed_tokens(const model::Message& answer) {
  const bool thinking_came = std::ranges::any_of(answer.content, [](const model::Block& block) {
    const auto* thinking = std::get_if<model::Thinking>(&block);
    return thinking != nullptr && !thinking->thinking.empty();
  });
  return answer.usage->output - (thinking_came ? 0 : answer.usage->reasoning);
}

void add_time(TurnSummary& summary, const model::Message& answer) {
  if (summary.calls == 1) summary.first_token_ms = answer.first_token_ms;
  if (!answer.usage || answer.first_token_ms <= 0) return;
  summary.streamed_tokens += streamed_tokens(answer);
  summary.streamed_ms += answer.duration_ms - answer.first_token_ms;
}

std::string in_seconds(std::int64_t ms) {
  return ms >= 100 && ms < 1000 ? "0." + std::to_string(ms / 100) + " s" : short_duration(ms);
}

}  // namespace

void add(TurnSummary& summary, const model::Message& message) {
  summary.duration_ms += message.duration_ms;
  if (message.role != model::Role::assistant) return;
  ++summary.calls;
  summary.provider = message.provider;
  summary.model = message.model;
  add_time(summary, message);
  if (!message.usage) return;
  summary.last = *message.usage;
  summary.usage += *message.usage;
  summary.each.push_back(*message.usage);
}

std::int64_t percent_full(std::int64_t held, std::int64_t window) {
  return (100 * held + window - 1) / window;
}

std::string summary_text(const TurnSummary& summary) {
  std::string out = summary.model.empty() ? summary.provider : summary.model;
  const auto add_part = [&](const std::string& part) { out += (out.empty() ? "" : " · ") + part; };
  if (summary.usage != model::Usage{}) {
    const model::Usage& usage = summary.usage;
    add_part(short_count(model::whole_input(usage)) + " in" +
             (usage.cache_read > 0 ? " (" + short_count(usage.cache_read) + " cached)" : "") + " " +
             short_count(usage.output) + " out");
  }
  if (summary.cost_usd > 0) add_part(dollars(*summary.cost_usd));
  const std::int64_t held = model::whole_input(summary.last) + summary.last.output;
  if (summary.window > 0 && held > 0) {
    const std::int64_t percent = percent_full(held, summary.window);
    add_part("context " + std::to_string(percent) + " %" +
             (percent >= 80 ? " (nearly full: /compact)" : ""));
  }
  // What another program did not write down is not known here.
  if (summary.duration_ms > 0) add_part(short_duration(summary.duration_ms));
  if (summary.streamed_tokens >= least_tokens && summary.streamed_ms >= least_ms &&
      !summary.retried) {
    const std::int64_t speed = 1000 * summary.streamed_tokens / summary.streamed_ms;
    add_part(speed > 0 ? short_count(speed) + " tok/s" : "under 1 tok/s");
    if (summary.first_token_ms > 0) add_part("first " + in_seconds(summary.first_token_ms));
  }
  return out;
}

}  // namespace skein::screen
