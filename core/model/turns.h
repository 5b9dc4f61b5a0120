// What each prompt of a conversation led to and cost: answers, tool calls, summaries.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/model/entry.h"

namespace skein::model {

struct TurnCost {
  Id prompt{};
  std::string preview{};                 // of the prompt, 40 characters
  std::map<std::string, Usage> usage{};  // by provider/model
  bool all_counted = true;               // else an answer was stopped before its usage was told
  std::int64_t calls = 0;                // of tools
  std::int64_t duration_ms = 0;          // of answers
  bool operator==(const TurnCost&) const = default;
};

// Whether a turn begins with this entry: it is a message by the user, and not a note.
bool is_prompt(const Entry& entry);

// Whether it is what skein wrote about something the user did, a command for example: sent with the
// next prompt, but never typed. `meta` says so.
bool is_note(const Entry& entry);
inline constexpr const char* note_meta = R"({"note":true})";

// Whether the user said it in the middle of a turn, behind the results of tools: a prompt all the
// same, which one can go back to. `meta` says so.
bool is_steered(const Entry& entry);

// The turns of a path, oldest first; what comes before the first prompt is left out.
std::vector<TurnCost> turns_of(std::span<const Entry> path);

}  // namespace skein::model
