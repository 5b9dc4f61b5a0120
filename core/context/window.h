// What of a conversation fits into a model's window, and where it may be cut. Pure.
//
// A request that begins otherwise than the last one costs the provider's prompt cache, so cuts go
// in steps: where one lies is chosen within a band, by the ids of the entries, and it stays there
// until the band has moved on.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/message.h"
#include "core/text/base.h"

namespace skein::context {

// What a model takes, in tokens. 0: not known, and then nothing is left out.
struct Window {
  std::int64_t tokens = 0;
  std::int64_t output = 0;  // the longest answer, for which room is kept
};
// What is left for a request; 0: not known.
std::int64_t room_in(const Window& window);

// A message of a request, and which entry it comes from.
struct ContextMessage {
  Id entry{};
  model::Message message{};
  std::int64_t tokens = 0;
  bool by_user = false;    // the user's own words, and not blank
  bool pinned = false;     // stands for all that came before: never left out
  std::size_t pruned = 0;  // results in it of which only a short text is left
};

std::int64_t tokens_of(const std::vector<ContextMessage>& said);

// Where a request may begin: nowhere between a call and its result. One flag for each message.
std::vector<bool> borders(const std::vector<ContextMessage>& said);

// Leaves out what is oldest until the rest fits into `room` tokens, and not more than half of what
// would have fitted: whole turns first, so that the request begins with the user, then the older
// steps of the turn that is running. Pinned messages and the user's last words stay. What cannot be
// made to fit becomes as short as it gets. How many messages were left out.
std::size_t cut_to(std::vector<ContextMessage>& said, std::int64_t room);

// Replaces long tool results that lie further back than half to three quarters of the room by a
// short text. What the model has not answered yet stays whole.
void prune_results(std::vector<ContextMessage>& said, std::int64_t room);

// The same for every long result, for when nothing else helps. Of those that have not been answered
// yet the beginning is left.
void shorten_results(std::vector<ContextMessage>& said);

}  // namespace skein::context
