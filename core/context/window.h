// How much of a conversation fits into a model's window, and where it may be cut. Pure.
//
// A request that begins differently from the last one misses the provider's prompt cache, so cuts
// move in steps: the place of a cut is chosen within a band, by the ids of the entries, and stays
// there until the band has moved past it.
#pragma once

#include <cstdint>
#include <vector>

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
  bool by_user = false;    // the user's own words, and not blank
  bool pinned = false;     // the summary of all that came before: never left out
  std::size_t pruned = 0;  // results in it that were replaced by a short text
};

std::int64_t tokens_of(const std::vector<ContextMessage>& said);

// Where a request may begin: not between a call and its result. One flag per message.
std::vector<bool> borders(const std::vector<ContextMessage>& said);

// Leaves out the oldest messages until the rest fits into `room` tokens, but keeps at least half of
// what would have fitted: first whole turns, so that the request begins with the user, then the
// older steps of the running turn. Pinned messages and the last prompt stay. What cannot be made to
// fit becomes as short as possible. Returns how many messages were left out.
std::size_t cut_to(std::vector<ContextMessage>& said, std::int64_t room);

// Replaces long tool results by a short text if they lie further back than half to three quarters
// of the room. What the model has not answered yet stays whole.
void prune_results(std::vector<ContextMessage>& said, std::int64_t room);

// The last resort: the same for every long result. Of those the model has not answered yet, the
// beginning is kept.
void shorten_results(std::vector<ContextMessage>& said);

}  // namespace skein::context
