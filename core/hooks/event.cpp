#include "core/hooks/event.h"

#include <algorithm>

namespace skein::hooks {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds usual{60'000};
constexpr milliseconds before_prompt{30'000};
constexpr milliseconds for_news{5'000};  // somebody waits for the question it announces

constexpr EventFacts table[] = {
    {Event::session_start, "SessionStart", "source", false, false, true, usual},
    {Event::user_prompt_submit, "UserPromptSubmit", "", false, true, true, before_prompt},
    {Event::pre_tool_use, "PreToolUse", "tool", true, true, false, usual},
    {Event::permission_request, "PermissionRequest", "tool", true, false, false, usual},
    {Event::post_tool_use, "PostToolUse", "tool", true, true, false, usual},
    {Event::post_tool_use_failure, "PostToolUseFailure", "tool", true, true, false, usual},
    {Event::notification, "Notification", "type", false, false, false, for_news},
    {Event::stop, "Stop", "", false, true, false, usual},
    {Event::subagent_stop, "SubagentStop", "agent", false, true, false, usual},
    {Event::pre_compact, "PreCompact", "manual or auto", false, true, false, usual},
    {Event::post_compact, "PostCompact", "manual or auto", false, false, false, usual},
    {Event::pre_model_switch, "PreModelSwitch", "", false, true, false, usual},
    {Event::post_model_switch, "PostModelSwitch", "", false, false, false, usual},
    {Event::session_end, "SessionEnd", "reason", false, false, false, time_at_end},
};
static_assert(std::ranges::is_sorted(table, {}, &EventFacts::event));

}  // namespace

std::span<const EventFacts> events() { return table; }

const EventFacts& facts_about(Event event) { return table[static_cast<std::size_t>(event)]; }

std::optional<Event> parse_event(std::string_view name) {
  const auto found = std::ranges::find(table, name, &EventFacts::name);
  return found == std::end(table) ? std::nullopt : std::optional(found->event);
}

}  // namespace skein::hooks
