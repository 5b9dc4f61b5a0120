// The path of a conversation as a model is to see it: summaries in the place of what they sum up,
// redacted entries masked. Pure; the store is not known here. What of it fits is
// core/context/window's part.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <vector>

#include "core/context/window.h"
#include "core/model/entry.h"
#include "core/model/message.h"

namespace skein::context {

// The messages for the entries of a path (or of its end), oldest first. Of a compacted path only
// the summary and what was kept stands for what came before.
std::vector<model::Message> messages_of(std::span<const model::Entry> path,
                                        const std::set<Id>& redacted);

// The same with what the cutting needs to know.
struct ContextHistory {
  std::vector<ContextMessage> said{};
  std::size_t since_summary = 0;   // the first one written after the summary, or after nothing
  std::size_t unread = 0;          // messages that were not read
  std::int64_t unread_tokens = 0;  // about
  double tokens_per_guess = 0;     // as the summary tells it; 0: it does not
};
// Not more than the newest `enough` tokens (0: all) and the user's last words are read.
ContextHistory history_of(std::span<const model::Entry> path, const std::set<Id>& redacted,
                          std::int64_t enough = 0);

// The first entry that a compaction kept: nothing before it is needed. none: not a compaction.
std::optional<Id> first_kept(const model::Entry& entry);

}  // namespace skein::context
