#include "core/agent/failed_prompt.h"

#include <algorithm>

#include "core/model/turns.h"

namespace skein::agent {

namespace {

bool is_failure(const model::Message& message) {
  return message.role == model::Role::assistant && message.content.empty() &&
         (message.stop == model::Stop::error || message.stop == model::Stop::aborted);
}

model::Entry copy_of(const model::Entry& note) {
  model::Entry copy = model::make_entry(note.type, note.payload);
  copy.meta = note.meta;
  return copy;
}

}  // namespace

std::optional<FailedPrompt> failed_prompt(std::span<const model::Entry> path) {
  FailedPrompt out;
  bool failed = false;
  std::size_t at = path.size();
  for (; at > 0 && !model::is_prompt(path[at - 1]); --at) {
    const model::Entry& entry = path[at - 1];
    const std::optional<model::Message> message = model::message_of(entry);
    if (message && is_failure(*message))
      failed = true;
    else if (message && message->role == model::Role::user && entry.run_id.empty())
      out.notes.push_back(copy_of(entry));
    else
      return std::nullopt;
  }
  if (at == 0 || !failed) return std::nullopt;
  std::ranges::reverse(out.notes);
  --at;
  // What hooks added to a prompt goes with it.
  while (at > 0 && model::is_from_hook(path[at - 1]) && path[at - 1].run_id == path[at].run_id)
    --at;
  out.parent = path[at].parent;
  return out;
}

}  // namespace skein::agent
