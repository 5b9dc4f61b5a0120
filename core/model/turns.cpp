#include "core/model/turns.h"

#include "core/text/json.h"

namespace skein::model {

namespace {

// A summary's payload says what it cost in a message's words.
void add_summary(TurnCost& turn, const Entry& entry) {
  const std::optional<Json> payload = parse_json(entry.payload);
  if (!payload || !payload->contains("usage")) return;
  const Json& usage = at(*payload, "usage");
  turn.usage[string_at(*payload, "provider") + "/" + string_at(*payload, "model")] +=
      {int_at(usage, "input"), int_at(usage, "output"), int_at(usage, "cacheRead"),
       int_at(usage, "cacheWrite"), int_at(usage, "reasoning")};
}

// Its input is paid for, and whatever had been said; a provider tells how much only at the end.
bool is_cut(const Message& message) {
  return message.stop == Stop::aborted || message.stop == Stop::interrupted;
}

}  // namespace

bool is_prompt(const Entry& entry) {
  const auto message =
      entry.type == type::message ? message_from_json(entry.payload) : std::nullopt;
  return message && is_prompt(*message);
}

std::vector<TurnCost> turns_of(std::span<const Entry> path) {
  std::vector<TurnCost> turns;
  for (const Entry& entry : path) {
    if (is_prompt(entry)) turns.push_back({.prompt = entry.id, .preview = preview(entry, 40)});
    if (turns.empty()) continue;
    if (entry.type == type::compaction_summary) add_summary(turns.back(), entry);
    const auto message =
        entry.type == type::message ? message_from_json(entry.payload) : std::nullopt;
    if (!message || message->role != Role::assistant) continue;
    if (is_cut(*message)) turns.back().all_counted = false;
    if (message->usage)
      turns.back().usage[message->provider + "/" + message->model] += *message->usage;
    turns.back().calls += std::ssize(tool_uses(*message));
    turns.back().duration_ms += message->duration_ms;
  }
  return turns;
}

}  // namespace skein::model
