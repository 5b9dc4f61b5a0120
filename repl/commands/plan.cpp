// /plan: enters plan mode with something to plan, or shows the plan that was approved last.
#include <optional>

#include "core/plan/presented.h"
#include "repl/commands/handlers.h"
#include "repl/session/session.h"

namespace skein::commands {

namespace {

model::Plan last_plan(Session& session) {
  const agent::Conversation& conversation = session.conversation();
  std::optional<model::Plan> found;
  conversation.path_until([&](const model::Entry& entry) {
    if (!conversation.state().redacted.contains(entry.id)) found = plan::approved_in(entry);
    return found.has_value();
  });
  if (!found)
    throw Error("no plan has been approved here; /plan and what to plan enters plan mode");
  return *std::move(found);
}

}  // namespace

void show_plan(Session& session, std::string_view text) {
  if (text.empty()) return session.screen().show(last_plan(session));
  session.settings().rules.mode = permission::Mode::plan;
  session.screen().print("permission mode plan: " + permission::describe(permission::Mode::plan) +
                         "; Shift+Tab leaves it\n");
  session.turn(std::string(text));
}

}  // namespace skein::commands
