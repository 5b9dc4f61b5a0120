// The path of a conversation as a model should see it: summaries instead of what they summarize,
// redacted entries masked; how much of it fits into a model's window, and where it may be cut.
// Pure, and independent of the store.
//
// A request that begins differently from the last one misses the provider's prompt cache, and some
// services refuse what a model thought behind another beginning. So nothing is cut in passing: a
// cut is planned here, written down (core/context/compaction), and stays.
#pragma once

#include "core/model/entry.h"
#include "core/model/message.h"
#include "core/text/base.h"

namespace skein::context {

// What a model accepts, in tokens. 0: not known, and then nothing is left out.
struct Window {
  std::int64_t tokens = 0;
  std::int64_t output = 0;  // the longest answer; room is reserved for it
};
// What is left for a request; 0: not known.
std::int64_t room_in(const Window& window);

// A message of a request, and which entry it comes from.
struct ContextMessage {
  Id entry{};
  model::Message message{};
  std::int64_t tokens = 0;
  bool by_user = false;  // the user's own words, and not blank
  bool pinned = false;   // the summary of all that came before: never left out
};

std::int64_t tokens_of(const std::vector<ContextMessage>& said);

// Where a request may begin: not between a call and its result. One flag per message.
std::vector<bool> borders(const std::vector<ContextMessage>& said);

// The first message to be kept if the rest must fit into `room` tokens: half of the room at most
// where that can be done between turns, so that the next cut is far off; else what fits; then the
// same inside the running turn. If nothing fits, the last place there is. Pinned messages and the
// last prompt count as kept in any case.
std::size_t cut_place(const std::vector<ContextMessage>& said, std::int64_t room);

// Tokens of what is kept by a cut at `from`.
std::int64_t tokens_from(const std::vector<ContextMessage>& said, std::size_t from);

// Drops the messages before the first place where a request may begin, but not pinned ones nor the
// last prompt. Returns how many.
std::size_t begin_at_border(std::vector<ContextMessage>& said);

// Keeps about the first `bytes` of each long tool result and says how much is missing. The same
// message and number give the same text. Returns how many results it made shorter.
std::size_t shorten_results(model::Message& message, std::size_t bytes);

// The messages for the entries of a path (or of its end), oldest first. A compacted path begins
// with the summary, followed by what was kept. Thinking from before the last recorded step (see
// core/context/beginning) is left out, and so are reports of changes before it.
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
