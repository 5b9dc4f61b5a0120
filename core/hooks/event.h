// The moments of a session at which the user's own programs may be run, as a table.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string_view>

namespace skein::hooks {

enum class Event {
  session_start,
  user_prompt_submit,
  pre_tool_use,
  permission_request,
  post_tool_use,
  post_tool_use_failure,
  notification,
  stop,
  subagent_stop,
  pre_compact,
  post_compact,
  pre_model_switch,
  post_model_switch,
  session_end,
};

struct EventFacts {
  Event event;
  std::string_view name;           // the same as in other agents
  std::string_view subject;        // what a matcher is held against, for people; empty: nothing
  bool of_tool;                    // it is about a call
  bool blocks;                     // a program can keep it from happening
  bool takes_text;                 // what a program prints is for the model
  std::chrono::milliseconds time;  // that a program may take, unless it says otherwise
};

std::span<const EventFacts> events();
const EventFacts& facts_about(Event event);
inline std::string_view name(Event event) { return facts_about(event).name; }
std::optional<Event> parse_event(std::string_view name);

// What all programs together may take when a session ends.
inline constexpr std::chrono::milliseconds time_at_end{1'500};

}  // namespace skein::hooks
