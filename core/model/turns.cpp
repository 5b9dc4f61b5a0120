#include "core/model/turns.h"

#include "core/model/payloads.h"

namespace skein::model {

namespace {

// Its input and what had been said are paid for; a provider tells how much only at the end.
bool is_cut(const Message& message) {
  return message.stop == Stop::aborted || message.stop == Stop::interrupted;
}

}  // namespace

bool is_prompt(const Entry& entry) {
  const auto message = message_of(entry);
  return message && is_prompt(*message) && !is_note(entry);
}

bool is_note(const Entry& entry) { return entry.meta.starts_with(R"({"note":)"); }

bool is_steered(const Entry& entry) { return entry.meta.starts_with(R"({"steered":)"); }

std::vector<TurnCost> turns_of(std::span<const Entry> path) {
  std::vector<TurnCost> turns;
  for (const Entry& entry : path) {
    if (is_prompt(entry)) turns.push_back({.prompt = entry.id, .preview = preview(entry, 40)});
    if (turns.empty()) continue;
    if (const auto summary = read_as<payload::CompactionSummary>(entry); summary && summary->usage)
      turns.back().usage[summary->provider + "/" + summary->model] += *summary->usage;
    const auto message = message_of(entry);
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
