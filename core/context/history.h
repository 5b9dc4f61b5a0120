// The path of a conversation as a model should see it: summaries instead of what they summarize,
// redacted entries masked. Pure, and independent of the store. How much of it fits is decided in
// core/context/window.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <vector>

#include "core/context/window.h"
#include "core/model/entry.h"
#include "core/model/message.h"

namespace skein::context {

// The messages for the entries of a path (or of its end), oldest first. A compacted path begins
// with the summary, followed by what was kept. Thinking from before the last recorded step (see
// core/context/beginning) is left out, and so is what was told of changes before it.
std::vector<model::Message> messages_of(std::span<const model::Entry> path,
                                        const std::set<Id>& redacted);

// The same, with what is needed to cut it.
struct ContextHistory {
  std::vector<ContextMessage> said{};
  std::size_t since_summary = 0;   // index of the first message after the summary
  std::size_t unread = 0;          // messages that were not read
  std::int64_t unread_tokens = 0;  // about
  double tokens_per_guess = 0;     // recorded with the summary; 0: not known
};
// Reads only the newest `enough` tokens (0: all) and the last prompt.
ContextHistory history_of(std::span<const model::Entry> path, const std::set<Id>& redacted,
                          std::int64_t enough = 0);

// The first entry that a compaction kept: nothing before it is needed. none: not a compaction.
std::optional<Id> first_kept(const model::Entry& entry);

}  // namespace skein::context
