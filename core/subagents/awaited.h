// Sub-agents in the background of which nothing has been heard yet. The conversation itself says
// which: the call that started one notes that it is awaited, and the news of its end names it. So
// whoever goes on after a crash, or after skein was left, can tell what became of them, once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/agent/conversation.h"
#include "core/model/payloads.h"

namespace skein::subagents {

// Where news of the agent in this session comes from; see agent::news.
std::string origin_of(Id session);
// For the entry that keeps the result of a call: there will be news of it.
JsonText awaited_meta(Id session);
// The sessions of those that are awaited on the path, the first one first.
std::vector<Id> awaited_in(const agent::Conversation& conversation);

// The entry that says whose session it is; none: it is not a sub-agent's.
std::optional<model::payload::SubAgent> sub_agent_in(store::SessionStore& store, Id session);

// What there is of the work of one that no longer runs.
struct LeftWork {
  std::string agent{};  // its name
  std::int64_t calls = 0;
  bool ended = false;  // it had come to its end
  std::string text{};  // what it said last, if it had
};
// Throws Error if the session cannot be read.
LeftWork left_work(store::SessionStore& store, Id session);

// How a model goes on with it.
std::string how_to_resume(Id session);

}  // namespace skein::subagents
